package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mortise-dev/mortise/internal/mcptest"
)

// identity is a process that cannot be taken for a later one of the same number.
type identity struct {
	pid     int
	started string
}

// look is a process's parent and its identity; false when it is gone, or ended
// and was not waited for.
func look(pid int) (id identity, parent int, ok bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return identity{}, 0, false
	}
	const state, ppid, start = 0, 1, 19 // after the name, which is in brackets
	f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	parent, _ = strconv.Atoi(f[ppid])
	return identity{pid, f[start]}, parent, f[state] != "Z" && f[state] != "X"
}

func (id identity) alive() bool {
	now, _, ok := look(id.pid)
	return ok && now == id
}

// everybody are the ids of all processes.
func everybody() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		panic(err)
	}
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// below are a process and all that descend from it.
func below(root int) []identity {
	children, ids := map[int][]int{}, map[int]identity{}
	for _, pid := range everybody() {
		if id, parent, ok := look(pid); ok {
			children[parent], ids[pid] = append(children[parent], pid), id
		}
	}
	var out []identity
	for next := []int{root}; len(next) > 0; next = next[1:] {
		if id, ok := ids[next[0]]; ok {
			out = append(out, id)
		}
		next = append(next, children[next[0]]...)
	}
	return out
}

// naming are the processes that have a text in their environment or their
// arguments: those of one test, whose directory nobody else names.
func naming(text string) []identity {
	var out []identity
	for _, pid := range everybody() {
		for _, file := range []string{"environ", "cmdline"} {
			data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
			if err != nil || !bytes.Contains(data, []byte(text)) {
				continue
			}
			if id, _, ok := look(pid); ok {
				out = append(out, id)
				break
			}
		}
	}
	return out
}

// crew is a workspace whose servers start workers and do not end when they are
// asked to.
type crew struct {
	place
	file string // in which the ids of the workers are
}

func newCrew(t *testing.T) crew {
	t.Helper()
	return newCrewOf(t, "busy", "deaf")
}

func newCrewOf(t *testing.T, names ...string) crew {
	t.Helper()
	c := crew{place: newPlace(t, map[string]string{"mortise.toml": ""})}
	c.file = filepath.Join(filepath.Dir(c.dir), "pids")
	c.write(map[string]string{".mortise/mcp.json": c.servers(names...)})
	c.must("trust", "--yes")
	t.Cleanup(func() { // what should be gone, if it is not
		for _, id := range naming(c.file) {
			_ = syscall.Kill(id.pid, syscall.SIGKILL)
		}
	})
	return c
}

func (c crew) servers(names ...string) string {
	all := map[string]fixture{
		"busy": {mcptest.Workers, map[string]string{mcptest.PIDsVar: c.file}},
		"deaf": {mcptest.IgnoresEOF, map[string]string{"OF": c.file}},
	}
	maps.DeleteFunc(all, func(name string, _ fixture) bool { return !slices.Contains(names, name) })
	return servers(all)
}

// workers are the processes that the busy server told of.
func (c crew) workers() map[string]identity {
	c.Helper()
	pids, err := mcptest.ReadPIDs(c.file)
	if err != nil {
		c.Fatal(err)
	}
	out := map[string]identity{}
	for name, pid := range pids {
		if id, _, ok := look(pid); ok {
			out[name] = id
		}
	}
	return out
}

// all are a running mortise and everything that it started, which is a lot.
func (c crew) all(run *process) []identity {
	c.Helper()
	ids := below(run.pid())
	for _, id := range append(naming(c.file), slices.Collect(maps.Values(c.workers()))...) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	const least = 1 + 2 + 3 // itself, two servers, three workers
	if len(ids) < least || len(c.workers()) != 4 {
		c.Fatalf("got the processes %v and the workers %v, want at least %d and 4", ids, c.workers(), least)
	}
	return ids
}

// gone wants all of them to end.
func gone(t testing.TB, what string, ids []identity) {
	t.Helper()
	eventually(t, fmt.Sprintf("%s: none of %d processes is left", what, len(ids)), func() bool {
		return !slices.ContainsFunc(ids, identity.alive)
	})
}

// left wants nobody of the crew to be there.
func (c crew) left(t testing.TB, what string) {
	t.Helper()
	eventually(t, what+": no process of it is left", func() bool { return len(naming(c.file)) == 0 })
}

// LIF-01: whatever ends Mortise, nothing that it started stays: not
// a server that ignores the end of its input and SIGTERM, not a worker that
// left its group or its session.
func TestField_LIF01_nothing_outlives_a_signal(t *testing.T) {
	t.Parallel()
	var ends []func() // waited for side by side: a deaf server is given its time
	for _, c := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, 0}, {syscall.SIGTERM, 0}, {syscall.SIGKILL, -1}} {
		w := newCrew(t)
		s := w.serve()
		connect(t, s.url, nil).has(busyTool, deafTool)
		ids := w.all(s.process)
		if err := s.cmd.Process.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, func() {
			if code, err := s.end(0); err != nil || code != c.code {
				t.Errorf("serve after %s: got exit code %d, %v, want %d", c.signal, code, err, c.code)
			}
			if c.signal != syscall.SIGKILL && len(naming(w.file)) > 0 {
				t.Errorf("serve after %s: it ended and left %v", c.signal, naming(w.file))
			}
			gone(t, c.signal.String(), ids)
			w.left(t, c.signal.String())
			if out := w.must("refresh"); !strings.Contains(out, "No host") {
				t.Errorf("after %s: mortise refresh says %q, want that nobody serves", c.signal, out)
			}
		})
	}
	for _, end := range ends {
		end()
	}
}

// A client that starts Mortise and is killed leaves nothing.
func TestLaw11_the_client_is_killed(t *testing.T) {
	t.Parallel()
	w := newCrew(t)
	cmd := exec.CommandContext(context.Background(), "client", "mortise", "serve", "--stdio")
	cmd.Dir, cmd.Env = w.dir, w.env()
	run, err := begin(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(run.kill)
	if _, err := run.said(run.stdout, "^connected$"); err != nil {
		t.Fatal(err)
	}
	ids := w.all(run)
	if code, err := run.end(syscall.SIGKILL); err != nil || code != -1 {
		t.Errorf("client: got exit code %d, %v, want it killed", code, err)
	}
	gone(t, "SIGKILL of the client", ids)
	w.left(t, "SIGKILL of the client")
	if records, err := filepath.Glob(filepath.Join(w.home, "state", "run", "*.stdio.*")); err != nil || len(records) > 0 {
		t.Errorf("SIGKILL of the client: Mortise left %q, %v, want that it ended as it should", records, err)
	}
}

// A server that is killed is started anew, and what it left is gone; so it is
// when its person has it restarted.
func TestLaw11_a_server_that_is_killed(t *testing.T) {
	t.Parallel()
	w := newCrewOf(t, "busy")
	s := w.serve()
	c := connect(t, s.url, nil)
	c.has(busyTool)
	for what, again := range map[string]func(){
		"SIGKILL of the server": func() {
			if err := syscall.Kill(w.workers()[mcptest.ServerProcess].pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		},
		"mortise server restart": func() { w.must("server", "restart", "busy") },
	} {
		old := w.workers()
		again()
		gone(t, what, slices.Collect(maps.Values(old)))
		eventually(t, what+": it is started anew", func() bool {
			now := w.workers()
			return len(now) == 4 && now[mcptest.ServerProcess] != old[mcptest.ServerProcess]
		})
		eventually(t, what+": it is called again", func() bool {
			pid, err := c.ask(busyTool, nil)
			return err == nil && pid == strconv.Itoa(w.workers()[mcptest.ServerProcess].pid)
		})
	}
	ids := below(s.pid())
	s.ends(t, syscall.SIGINT)
	gone(t, "SIGINT", ids)
	w.left(t, "SIGINT")
}

// A server that is declared no more, or disabled by another process, ends with
// all that it started while Mortise goes on.
func TestLaw11_a_server_that_is_not_wanted_any_more(t *testing.T) {
	t.Parallel()
	var ends []func()
	for what, away := range map[string]func(crew){
		"its declaration is removed": func(w crew) { w.write(map[string]string{".mortise/mcp.json": w.servers("deaf")}) },
		"it is disabled elsewhere":   func(w crew) { w.must("disable", "owner:busy", "--reason", "enough") },
		"its extension is disabled":  func(w crew) { w.must("disable", "owner", "--reason", "enough") },
	} {
		w := newCrew(t)
		s := w.serve()
		c := connect(t, s.url, nil)
		c.has(busyTool, deafTool)
		workers := slices.Collect(maps.Values(w.workers()))
		away(w)
		gone(t, what, workers)
		if slices.Contains(c.tools(), busyTool) {
			t.Errorf("%s: %s is still listed", what, busyTool)
		}
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, func() {
			s.ends(t, 0)
			w.left(t, what)
		})
	}
	for _, end := range ends {
		end()
	}
}

// A terminal that is closed ends what was started in it.
func TestLaw11_the_terminal_is_closed(t *testing.T) {
	t.Parallel()
	w := newCrew(t)
	term := openTerminal(t, w.place, "serve", "--http", "127.0.0.1:0")
	url := term.shows(address)
	connect(t, url, nil).has(busyTool, deafTool)
	ids := below(term.pid())
	ids = append(ids, slices.Collect(maps.Values(w.workers()))...)
	term.hangUp()
	gone(t, "the terminal is closed", ids)
	w.left(t, "the terminal is closed")
}

// LIF-02: looking starts nothing, however often; and then the real start works.
func TestField_LIF02_probes_leave_nothing(t *testing.T) {
	t.Parallel()
	w := newCrewOf(t, "busy")
	for range 10 {
		w.must("server", "list")
		w.must("server", "show", "busy")
	}
	if ids := naming(w.home); len(ids) > 0 {
		t.Errorf("after ten times mortise server list: %v run", ids)
	}
	if _, err := os.Stat(w.file); err == nil {
		t.Error("mortise server list started a server")
	}
	w.left(t, "looking")
	s := w.serve()
	connect(t, s.url, nil).has(busyTool)
	ids := below(s.pid())
	for range 10 {
		w.must("server", "list")
	}
	if now := below(s.pid()); !slices.Equal(now, ids) {
		t.Errorf("after ten times mortise server list: the processes are %v, want those from before, %v", now, ids)
	}
	s.ends(t, syscall.SIGINT)
	w.left(t, "SIGINT")
}
