package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

// Scripts branch on the exit code, so a kind keeps its code however deep it is
// wrapped.
func TestExitCode(t *testing.T) {
	plain := errors.New("disk full")
	for name, c := range map[string]struct {
		err  error
		want int
	}{
		"done":         {nil, 0},
		"no":           {errNo, 1},
		"refused":      {ext.AsRefused(plain), 1},
		"usage":        {ext.AsUsage(plain), 2},
		"wrapped":      {fmt.Errorf("read: %w", ext.AsUsage(plain)), 2},
		"anything":     {plain, 3},
		"joined usage": {errors.Join(plain, ext.AsUsage(plain)), 2},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

// An error stays one line, whatever the system put into it: a line of its own
// could pretend to be another message.
func TestComplainStaysOnOneLine(t *testing.T) {
	var b strings.Builder
	c := &call{App: &App{Err: &b}}
	c.complain(errors.New("open a\x1b[2K\nmortise: all is well"))
	if want := `mortise: open a\x1b[2K; mortise: all is well` + "\n"; b.String() != want {
		t.Errorf("complain: got %q, want %q", b.String(), want)
	}
}

func TestUnknownNamesTheNearest(t *testing.T) {
	err := unknown("surface", "skil", []string{"skill", "agent"}, "there are two")
	if want := `there is no surface "skil"; did you mean skill?`; err.Error() != want {
		t.Errorf("unknown: got %q, want %q", err, want)
	}
	err = unknown("surface", "zzz", []string{"skill", "agent"}, "there are two")
	if want := `there is no surface "zzz"; there are two`; err.Error() != want || ext.KindOf(err) != ext.Usage {
		t.Errorf("unknown: got %q, want the usage error %q", err, want)
	}
}
