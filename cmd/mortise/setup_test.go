//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// stepping is a place with a linked plugin, consented to, whose set-up step runs until it
// is let go: it writes down each run, its process and that of a worker that it starts.
type stepping struct {
	place
	data string
}

const steps = `echo run >> runs; sleep 1000 & echo $! > worker; echo $$ > pid; until [ -e go ]; do sleep 0.02; done; kill $!`

func newStepping(t *testing.T, timeout string) stepping {
	t.Helper()
	p := newPlace(t, map[string]string{
		"mortise.toml":     "",
		"acme/plugin.json": `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "acme"}`,
		"acme/dev.mortise/setup/deps.json": `{"command": "sh", "args": ["-c", "` +
			strings.ReplaceAll(steps, `"`, `\"`) + `"]` + timeout + `}`,
	})
	s := stepping{p, filepath.Join(p.home, "data", "plugin-data", "acme")}
	p.must("plugin", "add", "./acme")
	return s
}

func (s stepping) text(name string) string {
	text, err := os.ReadFile(filepath.Join(s.data, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.Error(err)
	}
	return strings.TrimSpace(string(text))
}

// runs waits until the step runs, and is its processes.
func (s stepping) runs() (pids []int) {
	s.Helper()
	eventually(s.T, "the step runs", func() bool { return s.text("pid") != "" })
	for _, name := range []string{"pid", "worker"} {
		pid, err := strconv.Atoi(s.text(name))
		if err != nil {
			s.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// gone wants processes to end.
func (s stepping) gone(pids []int) {
	s.Helper()
	for _, pid := range pids {
		eventually(s.T, "what the step started is gone", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
	}
}

func (s stepping) begun(args ...string) *process {
	s.Helper()
	p, err := begin(s.command(s.Context(), args...))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(p.kill)
	return p
}

func (s stepping) letGo() {
	if err := os.WriteFile(filepath.Join(s.data, "go"), nil, 0o600); err != nil {
		s.Error(err)
	}
}

// A step that is interrupted leaves nothing running, and counts as never run.
func TestSetupIsInterrupted(t *testing.T) {
	t.Parallel()
	s := newStepping(t, "")
	p := s.begun("trust", "--yes")
	pids := s.runs()
	if code, err := p.end(syscall.SIGINT); err != nil || code != 3 {
		t.Errorf("trust, interrupted: got %d and %v, want 3", code, err)
	}
	s.gone(pids)
	if out := s.must("list"); !strings.Contains(out, `the set-up step "acme:deps" was never run`) {
		t.Errorf("list: got\n%s\nwant that it never ran", out)
	}
}

// A step whose host is killed counts as not run, whenever that was: nothing of it is left,
// and the next one runs it once nothing is.
func TestSetupIsKilled(t *testing.T) {
	t.Parallel()
	s := newStepping(t, "")
	p := s.begun("trust", "--yes")
	pids := s.runs()
	p.kill()
	if out := s.must("list"); !strings.Contains(out, `the set-up step "acme:deps" was begun, and nobody saw it end`) {
		t.Errorf("list: got\n%s\nwant that nobody saw its end", out)
	}
	s.gone(pids)
	s.letGo()
	if out := s.must("plugin", "setup", "acme", "--yes"); !strings.Contains(out, "acme:deps is done") {
		t.Errorf("plugin setup: got\n%s\nwant it done", out)
	}
	if out := s.must("list"); strings.Contains(out, "setup-due") {
		t.Errorf("list: got\n%s\nwant nothing due", out)
	}
}

// Two that set up one plugin run its steps one after the other, and none that is done.
func TestSetupTwiceAtOnce(t *testing.T) {
	t.Parallel()
	s := newStepping(t, "")
	first := s.begun("trust", "--yes")
	s.runs()
	second := s.begun("plugin", "setup", "acme", "--yes")
	second.tells(t, "mortise: acme:deps waits: another process runs a set-up step of that plugin")
	s.letGo()
	for _, p := range []*process{first, second} {
		if code, err := p.end(0); err != nil || code != 0 {
			t.Errorf("%s: got %d and %v, want 0\n%s%s", p.cmd.Args, code, err, p.stdout, p.stderr)
		}
	}
	if got := s.text("runs"); got != "run" {
		t.Errorf("the step ran %q, want once", got)
	}
	if out := second.stdout.String(); !strings.Contains(out, "acme:deps was done meanwhile") {
		t.Errorf("the second: got\n%s\nwant that it was done meanwhile", out)
	}
}

// A step that does not end within its limit failed, and nothing of it is left.
func TestSetupIsLate(t *testing.T) {
	t.Parallel()
	s := newStepping(t, `, "timeout": 1`)
	out, errs, code := s.run("trust", "--yes")
	if code != 1 || !strings.Contains(out, "acme:deps failed: it did not end within 1s") {
		t.Errorf("trust: got %d\n%s%s\nwant 1 and that it was late", code, out, errs)
	}
	if s.text("pid") != "" { // it came so far within its second
		s.gone(s.runs())
	}
}

// On a terminal a person is shown what would run and asked; what they turn down does not
// run.
func TestSetupIsAsked(t *testing.T) {
	t.Parallel()
	s := newStepping(t, "")
	if err := os.MkdirAll(s.data, 0o700); err != nil {
		t.Fatal(err)
	}
	s.letGo()
	shown := openTerminal(t, s.place, "trust")
	shown.shows(`acme:deps.* runs then sh -c`)
	shown.shows(`Adopt it\? \[y/N\] `)
	shown.types("y")
	shown.shows(`acme:deps is done, in `)
	shown.exits(0)
	again := openTerminal(t, s.place, "plugin", "setup", "acme", "--again")
	again.shows(`acme:deps runs sh -c`)
	again.shows(`Run 1 set-up step\? \[y/N\] `)
	again.types("n")
	again.exits(1)
	if got := s.text("runs"); got != "run" {
		t.Errorf("the step ran %q, want once", got)
	}
}
