//go:build unix

package main

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mortise-dev/mortise/internal/mcptest"
)

// NAM-01: two long names that differ in the middle alone are two tools for a client,
// and each call reaches the one that was meant.
func TestField_NAM01_both_are_called(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": one("wiki", mcptest.LongNames)})
	p.must("trust", "--yes")
	s := p.serve()
	c := connect(t, s.url, nil)
	var long []string
	eventually(t, "both tools are listed", func() bool {
		long = slices.DeleteFunc(c.tools(), func(name string) bool { return !strings.HasPrefix(name, "owner_wiki__") })
		return len(long) == 2
	})
	var said []string
	for _, name := range long {
		got, err := c.ask(name, nil)
		if err != nil || len(name) > 50 {
			t.Errorf("%s: got %q, %v, want it called by a name of 50 characters at most", name, got, err)
		}
		said = append(said, got)
	}
	slices.Sort(said)
	if want := []string{mcptest.LongCreate, mcptest.LongDelete}; !slices.Equal(said, want) {
		t.Errorf("%q answered %q, want each of %q once", long, said, want)
	}
	s.ends(t, syscall.SIGTERM)
}
