package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLogBounded wants a server that prints without end to fill two files of
// bounded size, the newer lines in the first.
func TestLogBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "log")
	j := &journal{path: path}
	for i := range 40_000 {
		fmt.Fprintf(j, "line %d %s\n", i, strings.Repeat("x", 60))
	}
	fmt.Fprint(j, "no line end")
	j.noise([]byte(strings.Repeat("y", maxLog)))
	j.close()
	for _, name := range []string{path, path + ".1"} {
		info, err := os.Stat(name)
		if err != nil || info.Size() > maxLog || info.Size() == 0 {
			t.Errorf("%s: got %v, %v; want some of at most 1 MiB", name, info, err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(b), "line 39999 ") || !strings.Contains(string(b), "stderr no line end\n") {
		t.Errorf("the newer file: got %d bytes, %v; want the last lines in it", len(b), err)
	}
	if tail := j.lines(); len(tail) != maxTail || tail[maxTail-1] != "no line end" {
		t.Errorf("tail: got %q, want the last %d lines", tail, maxTail)
	}
}

// TestLogAfterRestart wants a file that is there to be gone on with.
func TestLogAfterRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for range 2 {
		j := &journal{path: path}
		j.note("hello")
		j.close()
		j.note("nothing comes after")
	}
	b, err := os.ReadFile(path)
	if err != nil || strings.Count(string(b), "note hello\n") != 2 || strings.Contains(string(b), "nothing") {
		t.Errorf("got %q, %v; want both notes and no more", b, err)
	}
}

// TestLogUnwritable wants a log that cannot be written to cost nothing but
// itself, and not to be named.
func TestLogUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j := &journal{path: filepath.Join(file, "log")}
	fmt.Fprintln(j, "hello\x1b[0m")
	if got := j.lines(); !slices.Equal(got, []string{`hello\x1b[0m`}) || j.where() != "" {
		t.Errorf("got %q and a log at %q, want the line, escaped, and no log", got, j.where())
	}
}

func TestLogHides(t *testing.T) {
	j := &journal{}
	j.hide([]Pair{{"TOKEN", "0123456789"}, {"LONGER", "0123456789abc"}, {"FLAG", "true"}}, []Pair{{"Authorization", "Bearer secret-word"}})
	for in, want := range map[string]string{
		"x 0123456789abc y 0123456789": "x [$LONGER] y [$TOKEN]",
		"true":                         "true",
		"Bearer secret-word":           "[Authorization]",
		"secret-word!":                 "[Authorization]!",
	} {
		if got := j.shown(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
