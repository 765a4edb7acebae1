package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

// features are what is looked for behind a hop, in the order of the table.
var features = []string{
	"instructions", "tool title", "tool annotations", "tool outputSchema", "tool _meta", "tool icons", "unknown schema keyword",
	"structuredContent", "result _meta", "request _meta", "content annotations", "resource link", "isError kept",
	"progress", "elicitation", "sampling", "tools/list_changed",
	"prompts", "prompts/get", "resources", "resources/read", "resource templates", "template read", "resource updated", "completion", "cancellation",
}

// fidelity has one session with each target, in front of "upstream -rich", and
// tells which features of the protocol got through.
func fidelity(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("fidelity", flag.ContinueOnError)
	protocol := fs.String("protocol", "2025-11-25", protocolUsage)
	result := fs.String("json", "", "also write what was kept to this `file`")
	headers := pairs{}
	fs.Var(headers, "header", "`name=value` to send with every request")
	if err := fs.Parse(args); err != nil {
		return err
	}
	targets, err := parseTargets(fs.Args())
	if err != nil {
		return err
	}
	kept := map[string]map[string]bool{}
	for _, t := range targets {
		p := &probe{target: t, kept: map[string]bool{}}
		p.run(ctx, client(headers), *protocol)
		kept[t.label] = p.kept
	}
	printFidelity(targets, kept)
	if *result == "" {
		return nil
	}
	b, err := json.MarshalIndent(kept, "", " ")
	return errors.Join(err, os.WriteFile(*result, b, 0o644))
}

func printFidelity(targets []target, kept map[string]map[string]bool) {
	head, sum := []string{"feature kept"}, []string{"kept of all"}
	for _, t := range targets {
		n := 0
		for _, f := range features {
			if kept[t.label][f] {
				n++
			}
		}
		head, sum = append(head, t.label), append(sum, fmt.Sprintf("%d/%d", n, len(features)))
	}
	rows := [][]string{head}
	for _, f := range features {
		row := []string{f}
		for _, t := range targets {
			answer := "no"
			if kept[t.label][f] {
				answer = "yes"
			}
			row = append(row, answer)
		}
		rows = append(rows, row)
	}
	print(os.Stdout, append(rows, sum))
}

// within waits until a condition holds, no longer than d.
func within(ctx context.Context, d time.Duration, holds func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for !holds() {
		if rig.Pause(ctx, 20*time.Millisecond) != nil {
			return holds()
		}
	}
	return true
}
