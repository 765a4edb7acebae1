package mortise_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mortise-dev/mortise"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/mcptest"
	"github.com/mortise-dev/mortise/internal/npmtest"
)

func TestMain(m *testing.M) {
	mortise.Main()
	mcptest.Main()
	os.Exit(m.Run())
}

// process is this test binary as a server.
func process(name string, modes ...mcptest.Mode) mortise.Server {
	command, env := mcptest.Command(modes...)
	s := mortise.Server{Name: name, Command: command, Env: map[string]string{}}
	for _, kv := range env {
		key, value, _ := strings.Cut(kv, "=")
		s.Env[key] = value
	}
	return s
}

// connect is a host whose servers are connected, and which ends with the test.
func connect(t *testing.T, c *mortise.Composed, opts ...mortise.HostOption) *mortise.Host {
	t.Helper()
	h := mortise.New(c, opts...)
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := h.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h
}

func text(t *testing.T, s *mortise.Session, tool, arguments string) string {
	t.Helper()
	r, err := s.Call(t.Context(), tool, []byte(arguments))
	if err != nil {
		t.Fatalf("call %s: %v", tool, err)
	}
	return r.Text
}

// isGone wants a process not to run any more.
func isGone(t *testing.T, what string, pid int) {
	t.Helper()
	if pid == 0 {
		t.Errorf("%s: got no process id", what)
	} else if child.Alive(child.Identity{Pid: pid}) {
		t.Errorf("%s: process %d runs, want it ended", what, pid)
	}
}

// TestLaw02_a_server_that_is_composed_is_not_connected_to: contributing, composing and
// opening sessions start no process and send nothing; only Connect does.
func TestLaw02_a_server_that_is_composed_is_not_connected_to(t *testing.T) {
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		http.Error(w, "no", http.StatusForbidden)
	}))
	t.Cleanup(srv.Close)
	started := filepath.Join(t.TempDir(), "pids")
	local := process("local", mcptest.Workers)
	local.Env[mcptest.PIDsVar] = started
	remote := mortise.Server{Name: "remote", URL: srv.URL}
	mortise.CheckProvider(t, local)
	mortise.CheckProvider(t, remote)
	h := mortise.New(compose(t, local, remote))
	h.Session()
	for _, s := range h.Servers() {
		if s.State != "idle" || s.Pid != 0 {
			t.Errorf("%s before Connect: got %s, process %d, want it idle", s.Name, s.State, s.Pid)
		}
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(started); err == nil || asked.Load() != 0 {
		t.Errorf("a composed server: started %t, asked %d times, want neither", err == nil, asked.Load())
	}
}

// TestConnect_makes_tools_part_of_later_sessions with one server that is a process and
// one at an address: they are called by their exposed names, what a server says of
// itself is fenced text, and a session that was open before stays as it was.
func TestConnect_makes_tools_part_of_later_sessions(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	local := process("local")
	local.Dir, local.Args = dir, []string{"in ${PLUGIN_ROOT}"}
	acme := mortise.Contribution{Extension: "acme", Tools: []mortise.Tool{aTool("x")}, Servers: []mortise.Server{{Name: "remote", URL: mcptest.HTTP(t, mcptest.Unknown)}}}
	h := mortise.New(compose(t, local, acme))
	t.Cleanup(func() { h.Close() })
	before := h.Session()
	if err := h.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := h.Session()
	if got := names(before.Tools()); !slices.Equal(got, []string{"acme_x"}) {
		t.Errorf("the session that was open before: got %q, want its own tool alone", got)
	}
	if got := names(s.Tools()); len(got) != 1+2*len(mcptest.Tools())+1 || !slices.Contains(got, "local__echo") || !slices.Contains(got, "acme_remote__echo") {
		t.Errorf("the later session: got %q, want the tools of both servers", got)
	}
	for _, tool := range []string{"local__echo", "acme_remote__echo"} {
		if got := text(t, s, tool, `{"text":"hello"}`); got != "hello" {
			t.Errorf("%s: got %q, want hello", tool, got)
		}
	}
	if got := text(t, s, "local__environment", `{}`); !strings.Contains(got, dir) || !strings.Contains(got, "in "+dir) {
		t.Errorf("the process: got %s, want it in %s", got, dir)
	}
	r, err := s.Call(t.Context(), "acme_remote__odd", nil)
	if err != nil || string(r.Raw) != mcptest.OddAnswer {
		t.Errorf("the raw answer: got %s (%v), want the bytes that came", r.Raw, err)
	}
	if r, err := s.Call(t.Context(), "local__fail", []byte(`{"text":"no"}`)); err != nil || !r.Failed || r.Text != "no" {
		t.Errorf("a tool that goes wrong: got %v, %v, want a result that says so", r, err)
	}
	if n := strings.Count(s.Instructions(), mcptest.Instructions); n != 2 || strings.Contains(before.Instructions(), mcptest.Instructions) {
		t.Errorf("the static text: got what servers say %d times, want twice, in the later session alone:\n%s", n, s.Instructions())
	}
}

// TestConnect_again leaves alone what runs.
func TestConnect_again(t *testing.T) {
	h := connect(t, compose(t, process("local")))
	pid := h.Servers()[0].Pid
	if err := h.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := h.Servers()[0].Pid; got != pid || pid == 0 {
		t.Errorf("connected again: got process %d, want %d", got, pid)
	}
}

// TestLaw07_guards_are_asked_before_tools_of_servers: policies know the server and the
// tool, guards are told of both, and what is denied does not reach the server.
func TestLaw07_guards_are_asked_before_tools_of_servers(t *testing.T) {
	var asked mortise.Action
	rules := mortise.Contribution{
		Extension: "rules",
		Policies: []mortise.Policy{
			{Name: "loud", Outcome: mortise.Deny, Message: "not so loud", Servers: []string{"local"}, Tools: []string{"*echo"}, When: `arguments.text == "LOUD"`},
			{Name: "end", Outcome: mortise.Deny, Message: "it stays", Tools: []string{"local:local/exit"}},
		},
		Guards: []mortise.Guard{{Name: "g", Tools: []string{"local__add"}, Judge: func(_ context.Context, a mortise.Action) (mortise.Opinion, error) {
			asked = a
			return mortise.Opinion{Verdict: mortise.Deny, Reason: "no sums"}, nil
		}}},
	}
	h := connect(t, compose(t, process("local"), rules))
	s := h.Session()
	pid := h.Servers()[0].Pid
	for _, c := range []struct{ tool, arguments, words string }{
		{"local__echo", `{"text":"LOUD"}`, "not so loud"}, {"local__exit", `{"code":1}`, "it stays"}, {"local__add", `{"a":1,"b":2}`, "no sums"},
	} {
		_, err := s.Call(t.Context(), c.tool, []byte(c.arguments))
		var denied *mortise.Denied
		if !errors.As(err, &denied) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s %s: got %v, want a denial that says %q", c.tool, c.arguments, err, c.words)
		}
	}
	if asked.Extension != "local" || asked.Server != "local" || asked.Tool != "local__add" {
		t.Errorf("the guard was told %+v, want the tool, its extension and its server", asked)
	}
	if got := text(t, s, "local__pid", `{}`); got != strconv.Itoa(pid) {
		t.Errorf("after the denials: got process %s, want %d, which was never told to exit", got, pid)
	}
}

// withheld are the refusals of the one server of a host.
func withheld(t *testing.T, h *mortise.Host, server string) []mortise.Refusal {
	t.Helper()
	for _, s := range h.Servers() {
		if s.Name == server {
			return s.Withheld
		}
	}
	t.Fatalf("there is no server %s", server)
	return nil
}

// TestConnect_withholds what may not have its name, and what is poisoned: each alone,
// told with cause, owner and both names, and at no cost for anything beside it.
func TestConnect_withholds(t *testing.T) {
	for _, c := range []struct {
		name    string
		mode    mcptest.Mode
		options []mortise.Option
		more    []mortise.Provider
		cause   mortise.Cause
		owner   string
		words   []string
		left    int // tools of the server
	}{
		{
			name: "a name that the deployment reserves", mode: mcptest.Normal, options: []mortise.Option{mortise.ReservedToolNames("Local__Echo")},
			cause: mortise.ToolReserved, owner: "the deployment", words: []string{`"local:local/echo"`, `"local__echo"`}, left: len(mcptest.Tools()) - 1,
		},
		{
			name: "a plain name that a tool of code has", mode: mcptest.Normal, options: []mortise.Option{mortise.PlainToolNames()}, more: []mortise.Provider{with("zeta", aTool("Echo"))},
			cause: mortise.ToolClaimed, owner: "zeta", words: []string{`"local:local/echo"`, `"zeta:Echo"`}, left: len(mcptest.Tools()) - 1,
		},
		{
			name: "a tool that reads as another", mode: mcptest.Poison, cause: mortise.AtFault, words: []string{`\u200b`, "local:local/read"}, left: 1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			composed, err := mortise.Compose(append([]mortise.Provider{mortise.Server{Name: "local", URL: mcptest.HTTP(t, c.mode)}}, c.more...), c.options...)
			if err != nil {
				t.Fatal(err)
			}
			h := connect(t, composed)
			refused := withheld(t, h, "local:local")
			if len(refused) != 1 || refused[0].Cause != c.cause || refused[0].Owner != c.owner || refused[0].Extension != "local" {
				t.Fatalf("got %+v, want one refusal for %s of %q", refused, c.cause, c.owner)
			}
			for _, w := range c.words {
				if !strings.Contains(refused[0].Reason, w) {
					t.Errorf("got %q, want %s in it", refused[0].Reason, w)
				}
			}
			tools := h.Session().Tools()
			if got := len(tools) - len(c.more); got != c.left || h.Servers()[0].Tools != c.left {
				t.Errorf("got %q, want %d tools of the server", names(tools), c.left)
			}
		})
	}
}

// TestLaw05_a_server_takes_no_plugin_away: what a server calls its tools cannot make a
// plugin uncomposable, whichever of them came first.
func TestLaw05_a_server_takes_no_plugin_away(t *testing.T) {
	composed, err := mortise.Compose([]mortise.Provider{mortise.Server{Name: "local", URL: mcptest.HTTP(t)}}, mortise.PlainToolNames())
	if err != nil {
		t.Fatal(err)
	}
	h := connect(t, composed)
	early := h.Session()
	if err := h.LoadPlugin(&legacy{name: "old", tools: []string{"echo"}}); err != nil {
		t.Fatal(err)
	}
	s := h.Session()
	if s.Refused() != nil {
		t.Fatal(s.Refused())
	}
	for _, o := range s.Tools() {
		if o.Name == "echo" && o.Extension != "old" {
			t.Errorf("echo is a tool of %s, want of the plugin", o.Extension)
		}
	}
	if got := text(t, early, "echo", `{"text":"hello"}`); got != "hello" {
		t.Errorf("the session that was open: got %q, want the server's tool", got)
	}
}

// TestConnect_one_server_that_fails_costs_itself: the error counts those that are not
// connected and shows the first, the others are in use, and all that was begun ends.
func TestConnect_one_server_that_fails_costs_itself(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	h := mortise.New(compose(t, process("bad", mcptest.Exits), process("good"), mortise.Server{Name: "gone", URL: gone.URL}))
	t.Cleanup(func() { h.Close() })
	err := h.Connect(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "2 servers are not connected; the first: the server bad:bad is ") {
		t.Errorf("got %v, want two that are counted, the first shown", err)
	}
	if all, ok := err.(interface{ Unwrap() []error }); !ok || len(all.Unwrap()) != 2 {
		t.Errorf("got %T, want it to unwrap to both", err)
	}
	if got := text(t, h.Session(), "good__echo", `{"text":"hello"}`); got != "hello" {
		t.Errorf("the good server: got %q, want it in use", got)
	}
}

// TestConnect_ends_with_its_context while a server says nothing, which is ended with
// the host all the same.
func TestConnect_ends_with_its_context(t *testing.T) {
	h := mortise.New(compose(t, process("mute", mcptest.Hangs)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Connect(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if s := h.Servers()[0]; s.State != "stopped" || s.Pid != 0 {
		t.Errorf("after Close: got %s, process %d, want it stopped", s.State, s.Pid)
	}
	if err := h.Connect(t.Context()); !errors.Is(err, mortise.ErrClosed) {
		t.Errorf("a closed host: got %v, want ErrClosed", err)
	}
}

// TestLaw11_Close_leaves_nothing_of_a_server, nor of what it started; closing again is
// harmless, and so is calling.
func TestLaw11_Close_leaves_nothing_of_a_server(t *testing.T) {
	workers := process("workers", mcptest.Workers)
	workers.Env[mcptest.PIDsVar] = filepath.Join(t.TempDir(), "pids")
	h := mortise.New(compose(t, workers, process("plain"), mortise.Server{Name: "remote", URL: mcptest.HTTP(t)}))
	if err := h.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, pids := h.Session(), map[string]int{}
	for _, one := range h.Servers() {
		if one.Name != "remote:remote" {
			pids[one.Name] = one.Pid
		}
	}
	calling := make(chan error)
	go func() {
		_, err := s.Call(context.Background(), "plain__sleep", []byte(`{"ms":600000}`))
		calling <- err
	}()
	below, err := mcptest.ReadPIDs(workers.Env[mcptest.PIDsVar])
	if err != nil {
		t.Fatal(err)
	}
	for what, pid := range below {
		pids["the worker "+what] = pid
	}
	for range 2 {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-calling; err == nil {
		t.Error("a call in flight: got an answer, want an error")
	}
	for what, pid := range pids {
		isGone(t, what, pid)
	}
	if _, err := s.Call(t.Context(), "plain__echo", nil); !errors.Is(err, mortise.ErrClosed) {
		t.Errorf("a call after Close: got %v, want ErrClosed", err)
	}
}

// TestCompose_refuses_servers that cannot be meant as they are declared, in words that
// hold nothing of what a header says.
func TestCompose_refuses_servers(t *testing.T) {
	for _, c := range []struct {
		name   string
		server mortise.Server
		words  string
	}{
		{"neither a command nor an address", mortise.Server{}, `"command" is missing`},
		{"both", mortise.Server{Command: "x", URL: "https://example.com"}, `"url"`},
		{"a relative command", mortise.Server{Command: "./x"}, "absolute path"},
		{"a shell line", mortise.Server{Command: "x | y"}, "shell line"},
		{"a relative directory", mortise.Server{Command: "x", Dir: "y"}, "no absolute path"},
		{"a directory for an address", mortise.Server{URL: "https://example.com", Dir: "/"}, "no command"},
		{"plain http to another machine", mortise.Server{URL: "http://example.com"}, "plain http"},
		{"a header that is none", mortise.Server{URL: "https://example.com", Headers: map[string]string{"X Key": "hunter2"}}, "header"},
		{"a variable that is the host's", mortise.Server{Command: "x", Env: map[string]string{"PLUGIN_ROOT": "hunter2"}}, "PLUGIN_ROOT"},
		{"a directory that there is not", mortise.Server{Command: "x", Args: []string{"${PLUGIN_DATA}/x"}}, "PLUGIN_DATA"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.server.Name = "acme"
			_, err := mortise.Compose([]mortise.Provider{c.server})
			var refused *mortise.AdmissionError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.words) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got %v, want a refusal that says %q", err, c.words)
			}
		})
	}
	twice := mortise.Contribution{Extension: "acme", Servers: []mortise.Server{{Name: "s", Command: "x"}, {Name: "s", Command: "y"}}}
	if _, err := mortise.Compose([]mortise.Provider{twice}); err == nil {
		t.Error("two servers of one name: got no refusal")
	}
}

// TestComposed_tells_of_servers without what is secret, and is another with another
// declaration, wherever it differs.
func TestComposed_tells_of_servers(t *testing.T) {
	s := mortise.Server{Name: "acme", Command: "serve", Args: []string{"a"}, Env: map[string]string{"API_KEY": "hunter2"}}
	composed := compose(t, s)
	if got := composed.String(); !strings.Contains(got, "server acme:acme: serve a") || strings.Contains(got, "hunter2") || !strings.Contains(got, "1 servers") {
		t.Errorf("got %s, want the command and no secret", got)
	}
	for name, other := range map[string]func(*mortise.Server){
		"the arguments":   func(s *mortise.Server) { s.Args = []string{"b"} },
		"the environment": func(s *mortise.Server) { s.Env = map[string]string{"API_KEY": "hunter3"} },
		"the directory":   func(s *mortise.Server) { s.Dir = t.TempDir() },
	} {
		changed := s
		other(&changed)
		if compose(t, changed).Digest() == composed.Digest() {
			t.Errorf("another value of %s: got the same digest", name)
		}
	}
}

// TestConnect_with_a_real_server of npm.
func TestConnect_with_a_real_server(t *testing.T) {
	command, args := npmtest.Server(t, "everything")
	h := mortise.New(compose(t, mortise.Server{Name: "everything", Command: command, Args: args}))
	t.Cleanup(func() { h.Close() })
	if err := h.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := text(t, h.Session(), "everything__echo", `{"message":"hello"}`); !strings.Contains(got, "hello") {
		t.Errorf("got %q, want hello in it", got)
	}
	one := h.Servers()[0]
	if len(one.Withheld) > 0 || one.Tools == 0 {
		t.Errorf("got %+v, want its tools and nothing withheld", one)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	isGone(t, "the server", one.Pid)
}
