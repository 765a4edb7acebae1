package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

// calls compares calls of a tool, of ten.
func (b *bench) calls(ctx context.Context) ([]row, error) {
	s := b.stage(ctx)
	defer s.close()
	up := s.upstream("direct", 10)
	for _, hop := range []string{"revproxy", "rawgw", "sdkgw"} {
		s.hop(hop, up)
	}
	s.mortiseBefore("mortise", rig.Server{URL: up}, 10)
	s.mortiseBefore("mortise-stdio", rig.Server{Argv: []string{b.bin("upstream"), "-stdio", "-tools", "10"}}, 10)
	if b.peer != "" {
		s.startPeer(up)
	}
	all, err := s.measure("Calls, 10 tools")
	if err != nil {
		return nil, err
	}
	return []row{
		compared(all, "median of a call, SDK client", "mortise", "direct", "call_p50_ms", "ms", 2.0),
		compared(all, "the same", "mortise", "rawgw", "call_p50_ms", "ms", 1.15),
		compared(all, "calls a second, 32 sessions, SDK client", "mortise", "rawgw", "tput_rps", "/s", 0.90).more(),
		compared(all, "the same, least client", "mortise", "rawgw", "raw_tput_rps", "/s", 0).more(),
		compared(all, "processor time of a call", "mortise", "rawgw", "cpu_us_call", "µs", 1.35),
		compared(all, "median of a call, stdio upstream", "mortise-stdio", "direct", "call_p50_ms", "ms", 1.3),
	}, nil
}

// lists compares lists of a thousand tools, and what is held in memory for them.
func (b *bench) lists(ctx context.Context) ([]row, error) {
	s := b.stage(ctx)
	defer s.close()
	up := s.upstream("direct", 1000)
	s.hop("revproxy", up)
	s.hop("rawgw", up)
	s.mortiseBefore("mortise", rig.Server{URL: up}, 1000)
	if b.peer != "" {
		s.startPeer(up)
	}
	all, err := s.measure("Lists, 1,000 tools", "-phases", "init,list")
	if err != nil {
		return nil, err
	}
	held, _ := all.Median("mortise", "rss_mb")
	return []row{
		compared(all, "list of 1,000 tools, undecoded", "mortise", "direct", "raw_list_ms", "ms", 0.35),
		compared(all, "the same", "mortise", "rawgw", "raw_list_ms", "ms", 0),
		{what: "resident memory with 1,000 tools", got: held, unit: "MB", target: 56},
	}, nil
}

// flat compares calls of one tool among few and among many.
func (b *bench) flat(ctx context.Context) ([]row, error) {
	s := b.stage(ctx)
	defer s.close()
	few, many := s.upstream("", 10), s.upstream("", 5000)
	s.mortiseBefore("mortise-10", rig.Server{URL: few}, 10)
	s.mortiseBefore("mortise-5000", rig.Server{URL: many}, 5000)
	all, err := s.measure("Calls, 10 and 5,000 tools", "-phases", "raw")
	if err != nil {
		return nil, err
	}
	return []row{
		compared(all, "processor time of a call, 5,000 tools", "mortise-5000", "mortise-10", "cpu_us_call", "µs", 1.1),
		compared(all, "median of a call, 5,000 tools", "mortise-5000", "mortise-10", "raw_p50_ms", "ms", 1.1),
	}, nil
}

// starts times starts with warm state to the whole list.
func (b *bench) starts(ctx context.Context) ([]row, error) {
	var rows []row
	for _, c := range []struct {
		what   string
		tools  int
		args   []string
		target float64
	}{
		{"start to the list of 10 tools", 10, nil, 40},
		{"start to the list of 1,000 tools, undecoded", 1000, []string{"-raw"}, 70},
	} {
		took, err := b.start(ctx, c.what, c.tools, c.args)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{what: c.what, got: took, unit: "ms", target: c.target})
	}
	return rows, nil
}

func (b *bench) start(ctx context.Context, what string, tools int, args []string) (float64, error) {
	s := b.stage(ctx)
	defer s.close()
	w := s.workspace(rig.Server{URL: s.upstream("", tools)}, tools)
	address, err := rig.FreeAddress()
	if err := errors.Join(append(s.faults, err)...); err != nil {
		return 0, err
	}
	fmt.Printf("\n## %s\n\n", what)
	args = append([]string{"-label", "mortise", "-runs", strconv.Itoa(2*b.rounds + 1), "-url", "http://" + address + "/mcp", "-want", strconv.Itoa(tools)}, args...)
	args = append(append(args, "--"), w.Argv(address, "--upstream", name)...)
	s.env = w.Env()
	var all []struct{ Full float64 }
	if err := s.client(&all, "cold", args...); err != nil {
		return 0, err
	}
	var took []float64
	for _, one := range all {
		took = append(took, one.Full)
	}
	return rig.Median(took), nil
}

// fidelity counts the features of the protocol that get through.
func (b *bench) fidelity(ctx context.Context) ([]row, error) {
	s := b.stage(ctx)
	defer s.close()
	up := s.upstream("direct", 10, "-rich")
	s.hop("rawgw", up)
	s.mortiseBefore("mortise", rig.Server{URL: up}, 10)
	if b.peer != "" {
		s.startPeer(up)
	}
	fmt.Print("\n## Features of the protocol\n\n")
	var kept map[string]map[string]bool
	if err := s.client(&kept, "fidelity", s.targets...); err != nil {
		return nil, err
	}
	count := func(label string) (n float64) {
		for _, ok := range kept[label] {
			if ok {
				n++
			}
		}
		return n
	}
	return []row{{what: "features that get through, of " + strconv.Itoa(int(count("direct"))), got: count("mortise"), target: count("direct"), larger: true, exact: true}}, nil
}
