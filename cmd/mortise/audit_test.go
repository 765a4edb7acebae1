//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/audit"
)

// callLog is the log of calls of a place.
func (p place) callLog() string { return filepath.Join(p.home, "state", "audit") }

// segments are the files of the log.
func (p place) segments() []string {
	p.Helper()
	files, err := filepath.Glob(filepath.Join(p.callLog(), "*.jsonl"))
	if err != nil || len(files) == 0 {
		p.Fatalf("the log of calls: got %q and error %v, want segments", files, err)
	}
	return files
}

// A long log is looked through by an index, which nobody notices but by the time
// it takes; what it leads to is compared with what it was made of.
func TestLongLogIsLookedThrough(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	p.must("trust", "--yes") // there is a state
	l, err := audit.Open(p.callLog(), audit.Options{SegmentSize: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		r := audit.Record{Kind: audit.KindCall, ID: fmt.Sprintf("AB%05d", i), Tool: "acme_search", Outcome: audit.Allowed, Reason: strings.Repeat("x", 1000)}
		if i == 1234 {
			r.Tool = "acme_deploy"
		}
		if err := l.Append(t.Context(), r, audit.Written); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"list", "--tool", "acme_deploy"}, {"show", "ab01234"}, {"export", "--tool", "acme_deploy"}} {
		first, again := p.must(append([]string{"audit"}, args...)...), p.must(append([]string{"audit"}, args...)...)
		if first != again || strings.Count(first, "AB01234") != 1 || strings.Contains(first, "acme_search") {
			t.Errorf("mortise audit %q: got %.300q, then %.300q, want the one record both times", args, first, again)
		}
	}
	if n := strings.Count(p.must("audit", "list", "--tool", "acme_search", "-n", "4999"), "acme_search"); n != 4999 {
		t.Errorf("mortise audit list: got %d records of the other tool, want all 4999", n)
	}
	for _, path := range p.segments() { // somebody makes one look like another, at the same time
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, strings.Replace(string(content), "acme_deploy", "acme_search", 1))
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
	if _, errs, code := p.run("audit", "list", "--tool", "acme_deploy"); code != 3 || !strings.Contains(errs, "mortise audit verify") {
		t.Errorf("mortise audit list of what was changed: got code %d and %q, want 3 and mortise audit verify", code, errs)
	}
	if _, _, code := p.run("audit", "verify"); code != 1 {
		t.Errorf("mortise audit verify: got code %d, want 1", code)
	}
}

// Who serves is told when the log of calls cannot be made to last.
func TestServeTellsOfItsLog(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	p.must("trust", "--yes")
	s := p.serve()
	c := connect(t, s.url, nil)
	c.answers("mortise_status", nil, `"adopted":true`)
	for _, path := range p.segments() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	c.answers("mortise_status", nil, `"adopted":true`)
	s.tells(t, `mortise: sync the audit log in .*was removed or replaced while it was written.*look after that disk`)
}
