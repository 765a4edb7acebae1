package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

// TestField_LIF02_ProbesLeaveNothing wants a server that was only asked what it
// offers to be gone afterwards, ten times in a row.
func TestField_LIF02_ProbesLeaveNothing(t *testing.T) {
	for range 10 {
		b, s := newBench(t, nil), fixtureTarget(t, "normal")
		b.Run([]mcp.Target{s})
		pid := b.self(s).Pid
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if child.Alive(child.Identity{Pid: pid}) {
			t.Fatalf("process %d lives after its pool was closed", pid)
		}
	}
}

// TestField_LIF02_OneAtATime wants a server that was changed or restarted to
// start when the one before is gone, and not beside it.
func TestField_LIF02_OneAtATime(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "lock")
	for i := range 10 {
		s.Args = []string{strings.Repeat("x", i+1)}
		b.Run([]mcp.Target{s})
		if i%3 == 0 {
			b.Run(nil)
			b.Run([]mcp.Target{s})
		}
		if got := b.self(s); !slices.Equal(got.Args, s.Args) {
			t.Errorf("arguments: got %q, want %q", got.Args, s.Args)
		}
		b.Restart(s.Name)
		st := b.until(s.Name, "restarted", func(st mcp.Status) bool { return st.State == mcp.Ready && st.Starts == 2 })
		if st.Error != "" {
			t.Errorf("status: got %+v, want no error", st)
		}
	}
}

// TestField_LIF03_CleanRestart wants a server that ended in a call to fail that
// call, to be shown as what it is after each call, and to come back with its
// tools.
func TestField_LIF03_CleanRestart(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	first := b.self(s).Pid
	_, err := b.call(s, "exit", "")
	if err == nil || !strings.Contains(err.Error(), "exit code 3") || !strings.Contains(err.Error(), "panic: asked to") || !strings.Contains(err.Error(), "mortise server logs acme:normal") {
		t.Fatalf("exit: got %v, want the exit code, its last words and where to look", err)
	}
	st := b.until(s.Name, "ready again", func(st mcp.Status) bool { return st.State == mcp.Ready && st.Starts == 2 })
	if st.Pid == first || st.Tools != 1 || !strings.Contains(st.Exit, "exit code 3") {
		t.Errorf("status: got %+v, want another process than %d, the tool, and how the first ended", st, first)
	}
	for range 2 {
		if got := b.self(s).Pid; got != st.Pid {
			t.Errorf("pid: got %d, want %d as the status said", got, st.Pid)
		}
	}
}

// TestField_LIF04_OneTruth wants a session that breaks half-way to end its
// process, and everything to be there again after the reconnect.
func TestField_LIF04_OneTruth(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	first := b.self(s).Pid
	if got, err := b.call(s, "mute", ""); err == nil || !strings.Contains(err.Error(), "closed its output") {
		t.Fatalf("mute: got %s, %v; want an error that says it closed its output", got, err)
	}
	b.until(s.Name, "ready again", func(st mcp.Status) bool { return st.State == mcp.Ready && st.Starts == 2 && st.Tools == 1 })
	if child.Alive(child.Identity{Pid: first}) {
		t.Errorf("process %d lives after its session broke", first)
	}
	if got := b.must(s, "echo", `{}`); got != `{"content":[],"got":{}}` {
		t.Errorf("echo: got %s", got)
	}
}

// TestField_LIF05_UnchangedKeepTheirProcess wants fifty reloads to touch
// nothing that did not change.
func TestField_LIF05_UnchangedKeepTheirProcess(t *testing.T) {
	b := newBench(t, nil)
	one, two := fixtureTarget(t, "normal"), fixtureTarget(t, "banner")
	b.Run([]mcp.Target{one, two})
	pids := []int{b.self(one).Pid, b.self(two).Pid}
	for i := range 50 {
		targets := []mcp.Target{one, two}
		if i%2 == 1 {
			slices.Reverse(targets)
		}
		b.Run(targets)
	}
	if got := []int{b.self(one).Pid, b.self(two).Pid}; !slices.Equal(got, pids) {
		t.Errorf("pids after 50 reloads: got %v, want %v", got, pids)
	}
	for _, st := range b.Status() {
		if st.Starts != 1 {
			t.Errorf("%s: started %d times, want once", st.Name, st.Starts)
		}
	}
	changed := one
	changed.Args = []string{"more"}
	b.Run([]mcp.Target{changed})
	if got := b.self(changed); got.Pid == pids[0] || !slices.Equal(got.Args, changed.Args) {
		t.Errorf("a changed server: got process %d with %q, want another one with the new arguments", got.Pid, got.Args)
	}
	for i, pid := range pids {
		b.until(changed.Name, "alone", func(mcp.Status) bool { return len(b.Status()) == 1 })
		if child.Alive(child.Identity{Pid: pid}) {
			t.Errorf("process %d of server %d lives, want it ended", pid, i)
		}
	}
}

// TestField_LIF07_CallsWhileStarting wants a call to a server that does not get
// ready to fail within its limit, naming the state.
func TestField_LIF07_CallsWhileStarting(t *testing.T) {
	b, s := newBench(t, func(o *mcp.Options) { o.Wait = 20 * time.Millisecond }), fixtureTarget(t, "hang")
	b.Run([]mcp.Target{s})
	_, err := b.call(s, "echo", "")
	if err == nil || !strings.Contains(err.Error(), "the server acme:hang is starting") || !strings.Contains(err.Error(), "mortise server logs acme:hang") {
		t.Errorf("call: got %v, want the state and where to look", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := b.Call(ctx, ref(s, "echo"), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("call with a limit of its own: got %v, want that it was exceeded", err)
	}
	if _, err := b.Link(ctx, ref(s, ""), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("link with a limit of its own: got %v, want that it was exceeded", err)
	}
}

// TestField_LIF08_NotStartedWithout wants a server that lacks something not to
// be started, and to be once it is there.
func TestField_LIF08_NotStartedWithout(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	s.Fault = "the secret search-key is not stored: store it"
	b.Run([]mcp.Target{s})
	st := b.until(s.Name, "failed", state(mcp.Failed))
	if st.Starts != 0 || !strings.Contains(st.Error, s.Fault) {
		t.Errorf("status: got %+v, want no start and the reason", st)
	}
	if _, err := b.call(s, "echo", ""); err == nil || !strings.Contains(err.Error(), s.Fault) {
		t.Errorf("call: got %v, want the reason", err)
	}
	s.Fault = ""
	s.Env = append(s.Env, mcp.Pair{Name: "KEY", Value: "stored"})
	b.Run([]mcp.Target{s})
	if got := b.self(s); !slices.Contains(got.Env, "KEY=stored") {
		t.Errorf("environment: got %q, want the stored value", got.Env)
	}
}

// TestField_LIF09_OneDeclarationOneProcess wants a server that is named six
// times to run once.
func TestField_LIF09_OneDeclarationOneProcess(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s, s, s, s, s, s})
	b.self(s)
	if st := b.Status(); len(st) != 1 || st[0].Starts != 1 {
		t.Errorf("status: got %+v, want one server, started once", st)
	}
}

// TestField_LIF10_OneShot wants a server that always exits after its first
// answer to be given up, with its exit code and last words, and others to run
// on.
func TestField_LIF10_OneShot(t *testing.T) {
	b := newBench(t, nil)
	s, other := fixtureTarget(t, "once"), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s, other})
	pid := b.self(other).Pid
	st := b.until(s.Name, "failed", state(mcp.Failed))
	if st.Starts != 5 || !strings.Contains(st.Exit, "exit code 5") || !slices.Contains(st.Stderr, "one answer is enough") || !strings.Contains(st.Error, "exit code 5") {
		t.Errorf("status: got %+v, want 5 starts, exit code 5 and its last words", st)
	}
	if _, err := b.call(s, "echo", ""); err == nil || !strings.Contains(err.Error(), "failed") || !strings.Contains(err.Error(), "exit code 5") {
		t.Errorf("call: got %v, want the state and the exit code", err)
	}
	b.Run([]mcp.Target{s, other}) // no news is no reason to try again
	if st := b.until(s.Name, "failed", state(mcp.Failed)); st.Starts != 5 {
		t.Errorf("starts after a reload: got %d, want 5", st.Starts)
	}
	if got := b.self(other).Pid; got != pid {
		t.Errorf("the other server: got process %d, want %d still", got, pid)
	}
	if !b.Restart(s.Name) || b.Restart("acme:nobody") {
		t.Error("Restart: want true for what there is and false for what is not")
	}
	b.until(s.Name, "tried anew", func(st mcp.Status) bool { return st.Starts > 5 })
}

// TestField_TRA05_Noise wants lines that are no messages to be skipped, counted
// and logged, and the session to live.
func TestField_TRA05_Noise(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "banner")
	b.Run([]mcp.Target{s})
	if got := b.must(s, "echo", `{"a":1}`); got != `{"content":[],"got":{"a":1}}` {
		t.Errorf("echo: got %s", got)
	}
	// 10 lines first, and 3 about each of the 4 answers: the greeting, tools, prompts, resources; the call's last two may still come.
	st := b.until(s.Name, "noise", func(st mcp.Status) bool { return st.State == mcp.Ready && st.Noise >= 10+4*3+1 })
	if st.Starts != 1 || st.Error != "" {
		t.Errorf("status: got %+v, want one start and no error", st)
	}
	log := logOf(t, s)
	for _, want := range []string{"stdout Server v1.0 is listening", "stdout [info] starting", "stdout {not json}", "stdout null"} {
		if !strings.Contains(log, want) {
			t.Errorf("log: got %s, want %q in it", log, want)
		}
	}
}

// TestField_TRA06_Pages wants every page to be read.
func TestField_TRA06_Pages(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "pages")
	b.Run([]mcp.Target{s})
	d, _ := b.describe(s)
	if len(d.Tools) != 250 || string(d.Tools[249]) != `{"name":"t249","inputSchema":{"type":"object"}}` {
		t.Errorf("tools: got %d, want 250 in order", len(d.Tools))
	}
}

// TestField_TRA07_SameCursor wants a list that goes round in circles to be read
// once, and one without end to be cut, each with a note.
func TestField_TRA07_SameCursor(t *testing.T) {
	b := newBench(t, nil)
	circle, endless := fixtureTarget(t, "cursor"), fixtureTarget(t, "endless")
	b.Run([]mcp.Target{circle, endless})
	d, _ := b.describe(circle)
	if notes := strings.Join(d.Notes, "\n"); len(d.Tools) != 8 || !strings.Contains(notes, `cursor "more" came twice`) || !strings.Contains(notes, "8 entries with a name") {
		t.Errorf("a cursor that repeats: got %d tools and %q, want 8, the cursor and what was dropped", len(d.Tools), d.Notes)
	}
	d, _ = b.describe(endless)
	if notes := strings.Join(d.Notes, "\n"); len(d.Tools) != 1000 || !strings.Contains(notes, "more than 1000 pages") {
		t.Errorf("a list without end: got %d tools and %q, want 1000 and a note", len(d.Tools), d.Notes)
	}
}

// TestField_TRA08_DeadPipe wants the end of a process to fail what is in flight
// at once, and a new process to take over.
func TestField_TRA08_DeadPipe(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	pid := b.self(s).Pid
	failed := make(chan error, 3)
	for range cap(failed) {
		go func() {
			_, err := b.call(s, "never", "")
			failed <- err
		}()
	}
	b.waitFor(s, 3)
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	for range cap(failed) {
		if err := <-failed; err == nil || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "it ended") {
			t.Errorf("a call in flight: got %v, want that the server ended", err)
		}
	}
	b.until(s.Name, "a new process", func(st mcp.Status) bool { return st.State == mcp.Ready && st.Pid != pid })
	b.must(s, "echo", "{}")
}

// waitFor waits until n calls are in the server's hands, which answers none.
func (b *bench) waitFor(s mcp.Target, n int) (ids []string) {
	b.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		var got struct{ Waiting []string }
		decode(b.t, b.must(s, "cancelled", ""), &got)
		if len(got.Waiting) == n {
			return got.Waiting
		}
	}
	b.t.Fatalf("the server never had %d calls", n)
	return nil
}

// cancelled waits until the server was told that its calls with these ids are
// not wanted.
func (b *bench) cancelled(s mcp.Target, want []string) {
	b.t.Helper()
	var got struct{ Cancelled []string }
	for end := time.Now().Add(patience); time.Now().Before(end); {
		decode(b.t, b.must(s, "cancelled", ""), &got)
		slices.Sort(got.Cancelled)
		if slices.Equal(got.Cancelled, want) {
			return
		}
	}
	b.t.Fatalf("cancelled: the server heard of %q, want %q", got.Cancelled, want)
}

// TestField_KEY03_Environment wants a process to get the documented base, what
// was declared, and its two directories, and nothing else of the host.
func TestField_KEY03_Environment(t *testing.T) {
	host := []string{
		"PATH=/usr/bin:/bin", "HOME=/home/me", "LANG=C.UTF-8", "LC_ALL=C", "TZ=UTC",
		"CLOUD_KEY=hush", "LD_PRELOAD=/x.so", "GIT_DIR=/x", "NODE_OPTIONS=--require=/x", "PLUGIN_ROOT=/wrong",
	}
	b, s := newBench(t, func(o *mcp.Options) { o.Env = host }), fixtureTarget(t, "normal")
	s.Env = append(s.Env, mcp.Pair{Name: "MINE", Value: "1"}, mcp.Pair{Name: "TZ", Value: "CET"})
	b.Run([]mcp.Target{s})
	got := b.self(s).Env
	slices.Sort(got)
	want := []string{
		"GORACE=atexit_sleep_ms=0", "GOCOVERDIR=" + filepath.Dir(s.Root), "HOME=/home/me", "LANG=C.UTF-8", "LC_ALL=C", "MINE=1", fixtureMode + "=normal", "PATH=/usr/bin:/bin",
		"PLUGIN_DATA=" + s.Data, "PLUGIN_ROOT=" + s.Root, "TZ=CET", "PYTHONPYCACHEPREFIX=" + filepath.Join(filepath.Dir(s.Data), ".pycache", filepath.Base(s.Data)),
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("environment: got %q, want %q", got, want)
	}
}

// TestField_KEY07_Placeholders wants one table of placeholders for every field:
// what is not set keeps the server from starting and is named, a default
// stands in, and nothing is ever run.
func TestField_KEY07_Placeholders(t *testing.T) {
	host := append(os.Environ(), "SET=value of it", "NESTED=${SET}")
	b := newBench(t, func(o *mcp.Options) { o.Env = host })
	s := fixtureTarget(t, "normal")
	s.Claude = true
	s.Args = []string{"${SET}", "${UNSET:-x}", "${UNSET:-}", "$(touch mark)", "$SET", "${NESTED}", "${not closed", "${PLUGIN_DATA}/f"}
	s.Env = append(s.Env, mcp.Pair{Name: "A", Value: "${SET}/${UNSET:-y}"})
	b.Run([]mcp.Target{s})
	got := b.self(s)
	if want := []string{"value of it", "x", "", "$(touch mark)", "$SET", "${SET}", "${not closed", s.Data + "/f"}; !slices.Equal(got.Args, want) {
		t.Errorf("arguments: got %q, want %q", got.Args, want)
	}
	if !slices.Contains(got.Env, "A=value of it/y") {
		t.Errorf("environment: got %q, want A expanded", got.Env)
	}
	for _, c := range []struct {
		name   string
		change func(*mcp.Target)
		where  string
	}{
		{"command", func(s *mcp.Target) { s.Command = "${NOWHERE}/x" }, "its command"},
		{"args", func(s *mcp.Target) { s.Args = []string{"a", "${SET}${NOWHERE}"} }, "argument 2"},
		{"env", func(s *mcp.Target) { s.Env = []mcp.Pair{{Name: "K", Value: "${NOWHERE}"}} }, `the value of "K" in its env`},
		{"url", func(s *mcp.Target) { s.Transport, s.URL = mcp.HTTP, "https://${NOWHERE}/mcp" }, "its url"},
		{"headers", func(s *mcp.Target) {
			s.Transport, s.URL, s.Headers = mcp.HTTP, "https://example.com", []mcp.Pair{{Name: "Authorization", Value: "Bearer ${NOWHERE}"}}
		}, `its header "Authorization"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fixtureTarget(t, "normal")
			s.Key, s.Name, s.Claude = c.name, "acme:"+c.name, true
			c.change(&s)
			b.Run([]mcp.Target{s})
			st := b.until(s.Name, "failed", state(mcp.Failed))
			if st.Starts != 0 || !strings.Contains(st.Error, c.where+" uses the variable NOWHERE, which is not set") || strings.Contains(st.Error, "value of it") {
				t.Errorf("status: got %+v, want no start, and the field and the variable named", st)
			}
		})
	}
}

// TestNoSecrets wants declared values in no error, status or log, even if the
// server prints them.
func TestNoSecrets(t *testing.T) {
	const secret = "hunter2-hunter2"
	b := newBench(t, func(o *mcp.Options) { o.Tries = 1 })
	s := fixtureTarget(t, "normal")
	s.Env = append(s.Env, mcp.Pair{Name: "API_KEY", Value: secret})
	b.Run([]mcp.Target{s})
	_, err := b.call(s, "secret", "")
	st := b.until(s.Name, "failed", state(mcp.Failed))
	shown, _ := json.Marshal(st)
	for what, text := range map[string]string{"error": err.Error(), "status": string(shown), "log": logOf(t, s)} {
		if strings.Contains(text, secret) || !strings.Contains(text, "the key is [$API_KEY]") {
			t.Errorf("%s: got %s, want the variable's name instead of its value", what, text)
		}
	}
}
