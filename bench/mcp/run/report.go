package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

// gross is how far beyond its target a figure must be to fail.
const gross = 1.5

// row is what was promised and what was measured.
type row struct {
	what   string
	got    float64
	unit   string  // of got
	base   string  // what it is compared with; "": nothing
	floor  float64 // what that took
	ratio  float64 // to it
	target float64 // of the ratio, or of got where there is no base; 0: not judged
	larger bool    // is better
	exact  bool    // no miss is tolerated
}

// compared is a row of two targets that ran side by side.
func compared(all rig.Samples, what, label, base, metric, unit string, target float64) row {
	got, _ := all.Median(label, metric)
	floor, _ := all.Median(base, metric)
	ratio, _ := all.Ratio(label, base, metric)
	return row{what: what, got: got, unit: unit, base: base, floor: floor, ratio: ratio, target: target}
}

// more says that a larger figure is better.
func (r row) more() row {
	r.larger = true
	return r
}

// miss is by what factor the target is missed: 1 and less when it is met.
func (r row) miss() float64 {
	got := r.got
	if r.base != "" {
		got = r.ratio
	}
	switch {
	case r.target == 0:
		return 0
	case got == 0: // nothing was measured
		return 2 * gross
	case r.larger:
		return r.target / got
	}
	return got / r.target
}

func (r row) failed() bool { return r.miss() > gross || r.exact && r.miss() > 1 }

func report(w io.Writer, rows []row, judge bool) error {
	fmt.Fprintf(w, "\n## What was promised (%d CPUs, %s)\n\n", runtime.NumCPU(), runtime.Version())
	fmt.Fprintln(w, "| what | measured | beside it | ratio | target | |\n|---|--:|--:|--:|--:|---|")
	failed := 0
	for _, r := range rows {
		beside, ratio, target := "-", "-", "-"
		if r.base != "" {
			beside, ratio = amount(r.floor, r.unit)+" "+r.base, fmt.Sprintf("%.2f", r.ratio)
		}
		verdict := "not judged"
		if r.target > 0 {
			if target, verdict = "≤ "+amount(r.target, r.targetUnit()), "met"; r.larger {
				target = "≥ " + amount(r.target, r.targetUnit())
			}
			switch {
			case r.failed():
				verdict = "MISSED"
				failed++
			case r.miss() > 1:
				verdict = "missed"
			}
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", r.what, amount(r.got, r.unit), beside, ratio, target, verdict)
	}
	if judge && failed > 0 {
		return fmt.Errorf("%d of %d figures miss their targets by more than a factor of %.1f, or miss what must be exact", failed, len(rows), gross)
	}
	return nil
}

func (r row) targetUnit() string {
	if r.base != "" {
		return ""
	}
	return r.unit
}

// amount is a figure with three digits or so.
func amount(v float64, unit string) string {
	format := "%.2f"
	switch {
	case v == float64(int(v)) || v >= 100:
		format = "%.0f"
	case v >= 10:
		format = "%.1f"
	}
	if unit == "" || unit == "/s" {
		return fmt.Sprintf(format, v) + unit
	}
	return fmt.Sprintf(format, v) + " " + unit
}
