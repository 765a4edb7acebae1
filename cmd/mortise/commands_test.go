package main

import (
	"encoding/json"
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mortise-dev/mortise/ext"
)

// exits runs a command and wants exactly this exit code: exits 2 mortise lst.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGUMENT…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", strings.Join(args[1:], " "), err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s: got exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// keys wants standard output to be one JSON document in which the object at a
// path has exactly these keys: keys . name entries; keys entries.0 path line.
func keys(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: keys PATH KEY…")
	}
	var doc any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &doc))
	at := doc
	for part := range strings.SplitSeq(strings.Trim(args[0], "."), ".") {
		switch v := at.(type) {
		case map[string]any:
			if part != "" {
				at = v[part]
			}
		case []any:
			i, err := strconv.Atoi(part)
			ts.Check(err)
			if i >= len(v) {
				ts.Fatalf("%s: the list has %d elements", args[0], len(v))
			}
			at = v[i]
		}
	}
	object, ok := at.(map[string]any)
	if !ok {
		ts.Fatalf("%s: got %v, want an object", args[0], at)
	}
	got, want := slices.Sorted(maps.Keys(object)), slices.Sorted(slices.Values(args[1:]))
	if !slices.Equal(got, want) {
		ts.Fatalf("%s: got keys %v, want %v", args[0], got, want)
	}
}

// plain wants nothing in the last command's output that does not show.
func plain(ts *testscript.TestScript, neg bool, _ []string) {
	bad := hidden(ts.ReadFile("stdout") + ts.ReadFile("stderr"))
	if (bad != "") != neg {
		ts.Fatalf("got %q, want plain text: %v", bad, !neg)
	}
}

// hidden is the first line of text with a character that does not show, "" when
// there is none.
func hidden(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		for _, r := range line {
			if r == '\uFFFD' || ext.Hidden(r) {
				return line
			}
		}
	}
	return ""
}
