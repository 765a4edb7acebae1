package mortise

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/driver/mcp"
	"github.com/mortise-dev/mortise/internal/mcptest"
)

// acting is a driver that does as a test says.
type acting struct {
	called int
	state  string // "" is ready
	close  func() error
}

func (a *acting) Call(context.Context, ext.Ref, json.RawMessage) (json.RawMessage, error) {
	a.called++
	return json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`), nil
}

func (a *acting) Status() []mcp.Status { return []mcp.Status{{State: cmp.Or(a.state, mcp.Ready)}} }

func (a *acting) Close() error { return a.close() }

// played is a host whose servers are run by these drivers.
func played(t *testing.T, drivers ...*acting) *Host {
	t.Helper()
	var providers []Provider
	for i := range drivers {
		providers = append(providers, Server{Name: "s" + string(rune('a'+i)), URL: "https://example.com"})
	}
	c, err := Compose(providers)
	if err != nil {
		t.Fatal(err)
	}
	return playedBy(t, New(c), drivers...)
}

// playedBy has the servers of a host run by these drivers.
func playedBy(t *testing.T, h *Host, drivers ...*acting) *Host {
	t.Helper()
	targets, err := h.targets()
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range targets {
		one.driver, one.lock = drivers[i], &h.servers.mu
		h.servers.all = append(h.servers.all, one)
	}
	return h
}

// TestLaw11_every_server_is_closed whatever closing another came to: an error, or a
// panic. All that failed is counted and the first shown; closing again closes nothing
// twice and says the same.
func TestLaw11_every_server_is_closed(t *testing.T) {
	errStays := errors.New("process 7 stays")
	var closed [4]int
	var drivers []*acting
	for i := range closed {
		drivers = append(drivers, &acting{close: func() error {
			closed[i]++
			switch i {
			case 0:
				panic("out of ink")
			case 2:
				return errStays
			}
			return nil
		}})
	}
	h := played(t, drivers...)
	for range 2 {
		err := h.Close()
		if err == nil || !strings.HasPrefix(err.Error(), "2 servers are not ended; the first: the server sa:sa: it panicked: out of ink") || !errors.Is(err, errStays) {
			t.Errorf("got %v, want both failures counted and the first shown", err)
		}
	}
	if closed != [4]int{1, 1, 1, 1} {
		t.Errorf("closed %v times, want each once", closed)
	}
	if err := h.Connect(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("Connect: got %v, want ErrClosed", err)
	}
}

// TestLaw11_servers_and_teardowns: a server that cannot be ended costs no teardown hook,
// which comes after it, and one error counts both kinds.
func TestLaw11_servers_and_teardowns(t *testing.T) {
	errStays, errStuck := errors.New("process 7 stays"), errors.New("stuck")
	var order []string
	c, err := Compose([]Provider{Server{Name: "sa", URL: "https://example.com"}, Contribution{Extension: "acme", Lifecycle: []LifecycleHook{{
		Name: "shut", Phase: Teardown, Run: func(context.Context) error {
			order = append(order, "shut")
			return errStuck
		},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	h, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	playedBy(t, h, &acting{close: func() error {
		order = append(order, "sa")
		return errStays
	}})
	for range 2 {
		err := h.Close()
		const want = `2 endings failed (1 server is not ended, 1 teardown hook failed); the first: the server sa:sa: process 7 stays`
		if err == nil || err.Error() != want || !errors.Is(err, errStays) || !errors.Is(err, errStuck) {
			t.Errorf("got %v, want %q and both failures in it", err, want)
		}
	}
	if strings.Join(order, " ") != "sa shut" {
		t.Errorf("got %v, want the server ended and then the hook run, each once", order)
	}
}

func tools(definitions ...string) string {
	return `{"tools":[` + strings.Join(definitions, ",") + `]}`
}

const (
	reads  = `{"name":"x","description":"Reads.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	writes = `{"name":"x","description":"Writes.","inputSchema":{"type":"object"}}`
)

// TestLaw07_a_tool_that_became_another_is_not_called by a session that has it as it
// was: guards would judge what it said of itself then.
func TestLaw07_a_tool_that_became_another_is_not_called(t *testing.T) {
	d := &acting{close: func() error { return nil }}
	h := played(t, d)
	c := h.servers.all[0]
	h.servers.joined(c, tools(reads))
	s := h.Session()
	call := func(s *Session) error {
		_, err := s.Call(t.Context(), "sa__x", nil)
		return err
	}
	if err := call(s); err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{tools(writes), tools(), `{}`, `[]`} {
		h.servers.joined(c, said)
		var denied *Denied
		if err := call(s); !errors.As(err, &denied) || !strings.Contains(err.Error(), "otherwise") {
			t.Errorf("it says %s: got %v, want a denial", said, err)
		}
		if turn, err := s.Turn(t.Context(), Request{}); err != nil || len(turn.Tools) != 0 {
			t.Errorf("a turn: got %v, %v, want no tool that may be called", turn.Tools, err)
		}
	}
	if d.called != 1 {
		t.Errorf("called %d times, want once", d.called)
	}
	h.servers.joined(c, tools(writes))
	if err := call(h.Session()); err != nil {
		t.Errorf("a session that is opened now: %v", err)
	}
	h.servers.joined(c, tools(reads))
	if err := call(s); err != nil {
		t.Errorf("it says again what it said: %v", err)
	}
}

// TestConnect_again_tries_what_failed anew: what gave it up is closed, and sessions
// reach what runs now.
func TestConnect_again_tries_what_failed(t *testing.T) {
	c, err := Compose([]Provider{Server{Name: "local", URL: mcptest.HTTP(t)}})
	if err != nil {
		t.Fatal(err)
	}
	h := New(c)
	defer h.Close()
	if err := h.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, one, closed := h.Session(), h.servers.all[0], 0
	if err := one.close(); err != nil {
		t.Fatal(err)
	}
	one.driver = &acting{state: mcp.Failed, close: func() error { closed++; return nil }}
	for range 2 {
		if err := h.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if closed != 1 {
		t.Errorf("what failed was closed %d times, want once", closed)
	}
	if r, err := s.Call(t.Context(), "local__echo", json.RawMessage(`{"text":"hello"}`)); err != nil || r.Text != "hello" {
		t.Errorf("the session that was open: got %v, %v, want hello", r, err)
	}
}

// TestConnect_takes_in_what_changes: a server that says later that it has another tool
// has it in sessions that are opened then, and in no other.
func TestConnect_takes_in_what_changes(t *testing.T) {
	c, err := Compose([]Provider{Server{Name: "local", URL: mcptest.HTTP(t, mcptest.Changes)}})
	if err != nil {
		t.Fatal(err)
	}
	h := New(c)
	defer h.Close()
	if err := h.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	grown := func(s *Session) bool {
		return slices.ContainsFunc(s.Tools(), func(o Offer) bool { return o.Name == "local__grown_1" })
	}
	s := h.Session()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // which nobody waits for when all is well
	defer cancel()
	moved := h.servers.watch()
	if _, err := s.Call(t.Context(), "local__grow", nil); err != nil {
		t.Fatal(err)
	}
	for !grown(h.Session()) {
		select {
		case <-moved:
			moved = h.servers.watch()
		case <-ctx.Done():
			t.Fatal("the new tool did not come")
		}
	}
	if grown(s) {
		t.Error("the open session has the new tool, want it sealed")
	}
	if r, err := s.Call(t.Context(), "local__echo", json.RawMessage(`{"text":"hello"}`)); err != nil || r.Text != "hello" {
		t.Errorf("a tool that did not change: got %v, %v, want hello", r, err)
	}
}

// TestLaw10_what_a_server_says_amiss_is_told, and costs nothing else.
func TestLaw10_what_a_server_says_amiss_is_told(t *testing.T) {
	for _, c := range []struct {
		name, said string
		offered    int
		words      string
	}{
		{"no object", `[]`, 0, "is no object"},
		{"a tool without a schema", tools(`{"name":"y"}`, reads), 1, `"sa:sa/y"`},
		{"a tool without a name", tools(`{"inputSchema":{}}`, reads), 1, "tools[0]"},
		{"two that look alike", tools(reads, `{"name":"X","inputSchema":{"type":"object"}}`), 1, `"sa:sa/X"`},
		{"hidden instructions", `{"instructions":"plain \u202e text","tools":[` + reads + `]}`, 1, "prompt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := played(t, &acting{close: func() error { return nil }})
			h.servers.joined(h.servers.all[0], c.said)
			one := h.Servers()[0]
			if got := len(h.Session().Tools()); got != c.offered || one.Tools != c.offered {
				t.Errorf("got %d tools, told %d, want %d", got, one.Tools, c.offered)
			}
			if len(one.Withheld) != 1 || one.Withheld[0].Cause != AtFault || !strings.Contains(one.Withheld[0].Reason, c.words) {
				t.Errorf("got %+v, want one refusal that says %s", one.Withheld, c.words)
			}
		})
	}
}

// TestConnect_without_Main starts nothing, and says what to do: the program would be
// started as if it were a shim.
func TestConnect_without_Main(t *testing.T) {
	mainRan.Store(false)
	t.Cleanup(func() { mainRan.Store(true) })
	c, err := Compose([]Provider{Server{Name: "acme", Command: "true"}})
	if err != nil {
		t.Fatal(err)
	}
	h := New(c)
	if err := h.Connect(t.Context()); err == nil || !strings.Contains(err.Error(), "mortise.Main") || ext.KindOf(err) != ext.Usage {
		t.Errorf("got %v, want a usage error that names mortise.Main", err)
	}
	if n := len(h.servers.list()); n != 0 {
		t.Errorf("got %d servers begun, want none", n)
	}
}
