package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

// metrics are the columns, in order.
var metrics = []string{"tools", "init_ms", "list_ms", "raw_list_ms", "list_kb", "call_p50_ms", "call_p99_ms", "tput_rps", "tput_p99_ms", "raw_p50_ms", "raw_p99_ms", "raw_tput_rps", "raw_tput_p99_ms", "cpu_us_call", "rss_mb", "errors"}

// percentile is in milliseconds.
func percentile(d []time.Duration, share float64) float64 {
	s := slices.Sorted(slices.Values(d))
	return float64(s[int(share*float64(len(s)-1)+0.5)]) / float64(time.Millisecond)
}

func medians(w io.Writer, all rig.Samples, targets []target) {
	table(w, targets, func(label, metric string) string {
		v, ok := all.Median(label, metric)
		switch {
		case !ok:
			return ""
		case metric == "errors":
			return fmt.Sprintf("%.0f", all.Sum(label, metric))
		case metric == "tools" || strings.HasSuffix(metric, "_rps"):
			return fmt.Sprintf("%.0f", v)
		case strings.HasSuffix(metric, "_ms"):
			return fmt.Sprintf("%.3f", v)
		}
		return fmt.Sprintf("%.1f", v)
	})
}

// ratios are to the first target.
func ratios(w io.Writer, all rig.Samples, targets []target) {
	table(w, targets, func(label, metric string) string {
		v, ok := all.Ratio(label, targets[0].label, metric)
		if !ok || metric == "tools" || metric == "errors" || metric == "list_kb" {
			return ""
		}
		return fmt.Sprintf("%.2f", v)
	})
}

// table prints a line for each target and a column for each metric that any of
// them has.
func table(w io.Writer, targets []target, cell func(label, metric string) string) {
	columns := slices.DeleteFunc(slices.Clone(metrics), func(m string) bool {
		return !slices.ContainsFunc(targets, func(t target) bool { return cell(t.label, m) != "" })
	})
	rows := [][]string{append([]string{"target"}, columns...)}
	for _, t := range targets {
		row := []string{t.label}
		for _, m := range columns {
			text := cell(t.label, m)
			if text == "" {
				text = "-"
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	print(w, rows)
}

// print prints rows as a Markdown table, the first as its head.
func print(w io.Writer, rows [][]string) {
	for i, row := range rows {
		fmt.Fprintf(w, "| %-24s |", row[0])
		for _, cell := range row[1:] {
			fmt.Fprintf(w, " %13s |", cell)
		}
		fmt.Fprintln(w)
		if i == 0 {
			fmt.Fprintf(w, "|%s|%s\n", strings.Repeat("-", 26), strings.Repeat("--------------:|", len(row)-1))
		}
	}
}
