package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
)

// outcome is how a request ended.
type outcome int

const (
	fine    outcome = iota
	told            // an error, as the protocol has them
	givenUp         // by the client
	cut             // the connection ended without an answer
	lost            // nothing came
	crossed         // another's answer came, or a second one
)

var outcomes = []string{"answered", "error", "given up", "cut off", "LOST", "CROSSED"}

// tally counts what happened, by what was asked.
type tally struct {
	mu     sync.Mutex
	counts map[string]*[6]int
	first  map[string]error // by what was asked and the outcome
}

func (t *tally) add(what string, o outcome, why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts, t.first = map[string]*[6]int{}, map[string]error{}
	}
	if t.counts[what] == nil {
		t.counts[what] = &[6]int{}
	}
	t.counts[what][o]++
	key := what + ": " + outcomes[o]
	if why != nil && t.first[key] == nil {
		t.first[key] = why
	}
}

// faults are what must not have happened. Errors may come from the server that
// is killed alone.
func (t *tally) faults() []error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var faults []error
	for _, what := range slices.Sorted(maps.Keys(t.counts)) {
		for o, n := range t.counts[what] {
			bad := outcome(o) >= cut || outcome(o) == told && !strings.HasPrefix(what, mortal+"/")
			if key := what + ": " + outcomes[o]; n > 0 && bad {
				faults = append(faults, fmt.Errorf("%s: %d times; first: %w", key, n, t.first[key]))
			}
		}
	}
	return faults
}

func (t *tally) print(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "\t%s\t\n", strings.Join(outcomes, "\t"))
	for _, what := range slices.Sorted(maps.Keys(t.counts)) {
		fmt.Fprintf(tab, "%s\t", what)
		for _, n := range t.counts[what] {
			fmt.Fprintf(tab, "%d\t", n)
		}
		fmt.Fprintln(tab)
	}
	_ = tab.Flush() // to standard output
	for _, key := range slices.Sorted(maps.Keys(t.first)) {
		fmt.Fprintf(w, "first of %s: %.300s\n", key, t.first[key])
	}
}
