//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/instance"
	"github.com/mortise-dev/mortise/internal/mcptest"
)

// ours are the tools of Mortise itself.
var ours = []string{"mortise_explain", "mortise_list", "mortise_status"}

// lines wants each of these lines in a text, as a whole.
func lines(t testing.TB, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !regexp.MustCompile(`(?m)^` + w + `$`).MatchString(text) {
			t.Errorf("got no line %s in\n%s", w, text)
		}
	}
}

// The README's first command: what was found, the address, a line for each
// client, and it serves. Of what nobody adopted only Mortise's own tools.
func TestServeOfAnUnadoptedWorkspace(t *testing.T) {
	t.Parallel()
	p := workshop(t)
	cmd := p.command(context.Background(), "serve", p.dir, "--http", "127.0.0.1:0")
	cmd.Dir = p.TempDir()
	run, err := begin(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(run.kill)
	if _, err := run.said(run.stdout, `^Ctrl-C`); err != nil {
		t.Fatal(err)
	}
	out := run.stdout.String()
	url := regexp.MustCompile(address).FindString(out)
	quoted := regexp.QuoteMeta(url)
	lines(t, out,
		`Not adopted: nothing of this workspace reaches an agent\.`,
		`mortise --workspace \S+ session shows what adoption would give; mortise --workspace \S+ trust adopts it\.`,
		`  mortise        builtin              admitted  1 skill, 1 prompt, 3 tools, 2 policies, 13 hooks`,
		`  owner          loose                pending   2 skills, 1 agent, 1 command, 1 prompt +5 pending`,
		`  release-train  agent-plugins/1\.0\.0  pending   2 skills, 1 server .*3 pending`,
		`  docs-desk      claude-code          pending   2 skills, 1 agent, 1 command +1 refused  3 pending`,
		`  night-shift    agent-plugins/1\.0\.0  refused   1 skill, 1 tool, 1 before_tool_call +3 refused`,
		`5 extensions found = 1 admitted \+ 1 refused \+ 0 disabled \+ 3 pending; 0 of unknown format; 35 entries`,
		`Serving MCP at `+quoted,
		`  Claude Code +claude mcp add --transport http mortise `+quoted,
		`  Codex +codex mcp add mortise --url `+quoted,
		`  Gemini CLI +gemini mcp add --transport http mortise `+quoted,
		`  OpenCode +opencode mcp add mortise --url `+quoted,
		`  another client +\{"mcpServers":\{"mortise":\{"type":"http","url":"`+quoted+`"\}\}\}`,
	)
	c := connect(t, url, nil)
	if got := c.tools(); !slices.Equal(got, ours) {
		t.Errorf("tools of an unadopted workspace: got %q, want %q", got, ours)
	}
	c.answers("mortise_status", nil, `"adopted":false`)
	served{run, url}.ends(t, syscall.SIGINT)
	if errs := run.stderr.String(); errs != "" {
		t.Errorf("standard error: got %q, want nothing", errs)
	}
}

// Adopted for one process, the example's server is called, and nobody
// remembers it.
func TestServeTrustOnce(t *testing.T) {
	t.Parallel()
	p := workshop(t)
	s := p.serve("--trust=once")
	c := connect(t, s.url, nil)
	const tool = "release-train_timetable__next_departure"
	c.has(append(slices.Clone(ours), tool)...)
	c.answers(tool, nil, "day") // Today, or On Monday
	s.tells(t, `mortise: release-train:timetable is ready, 1 tool`)
	s.ends(t, syscall.SIGTERM)
	if out := p.must("list"); !strings.Contains(out, "Not adopted:") {
		t.Errorf("mortise list after serve --trust=once: got %q, want it not adopted", out)
	}
	if out, _, code := p.run("trust", "--diff", "--json"); code != 1 || document[map[string]any](t, out)["adopted"] != false {
		t.Errorf("mortise trust --diff: got code %d and %s, want 1 and nothing recorded", code, out)
	}
	if out := p.must("server", "show", "timetable"); strings.Contains(out, "next_departure") {
		t.Errorf("mortise server show: got %q, want nothing remembered of what it said", out)
	}
}

// The document is one, exact, and the API has the shape of the list.
func TestServeJSON(t *testing.T) {
	t.Parallel()
	p := workshop(t)
	s := p.begin("serve", "--http", "127.0.0.1:0", "--json")
	if _, err := s.said(s.stdout, `^}$`); err != nil {
		t.Fatal(err)
	}
	type started struct {
		Workspace, Address, URL string
		Already, Adopted        bool
		Listing                 json.RawMessage
	}
	doc := document[started](t, s.stdout.String())
	if doc.Workspace != p.dir || doc.URL != "http://"+doc.Address+"/mcp" || doc.Already || doc.Adopted {
		t.Errorf("serve --json: got %+v, want the workspace %s, not adopted", doc, p.dir)
	}
	res, err := http.Get("http://" + doc.Address + "/api/generation") //nolint:noctx // loopback, and the program ends with the test
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := shape(document[any](t, p.must("list", "--json")))
	for what, text := range map[string]string{"GET /api/generation": string(body), "listing of serve --json": string(doc.Listing)} {
		if got := shape(document[any](t, text)); got != want {
			t.Errorf("%s: got the shape %s, want that of list --json: %s", what, got, want)
		}
	}
	again := document[started](t, p.must("serve", "--json"))
	if !again.Already || again.URL != doc.URL {
		t.Errorf("serve --json of what is served: got %+v, want that it is, at %s", again, doc.URL)
	}
	served{s, doc.URL}.ends(t, syscall.SIGINT)
	if doc := document[map[string]any](t, s.stdout.String()); len(doc) != 6 {
		t.Errorf("serve --json: got %d keys, want 6", len(doc))
	}
}

// shape is a document without its values: of a list the keys of all elements.
func shape(v any) string {
	switch v := v.(type) {
	case map[string]any:
		keys := map[string]string{}
		for k, e := range v {
			keys[k] = shape(e)
		}
		text, _ := json.Marshal(keys) // sorted
		return string(text)
	case []any:
		var all []string
		for _, e := range v {
			if s := shape(e); !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
		slices.Sort(all)
		return "[" + strings.Join(all, " ") + "]"
	}
	return "."
}

// Who serves a workspace twice is told where it is served.
func TestServeTwice(t *testing.T) {
	t.Parallel()
	p := workshop(t)
	s := p.serve()
	out := p.must("serve")
	lines(t, out,
		`This workspace is served already, by process [0-9]+: `+regexp.QuoteMeta(s.url),
		`mortise server list shows how its servers are doing; mortise refresh has it read everything anew\.`)
	s.ends(t, syscall.SIGINT)
	p.serve().ends(t, syscall.SIGINT) // its claim was given up
}

// What another process asks for is not done by one that serves something else.
func TestServeTwiceIsNotWhatWasAsked(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": one("good", mcptest.Normal)})
	s := p.serve()
	for _, args := range [][]string{{"--upstream", "good"}, {"--trust=once"}} {
		out, errs, code := p.run(append([]string{"serve"}, args...)...)
		if code != 1 || out != "" || !strings.Contains(errs, s.url) {
			t.Errorf("serve %q of what is served: got code %d, %q and %q, want 1, and where it is served", args, code, out, errs)
		}
	}
}

// Of several that are started at once one serves, and the others say where.
func TestServeAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	var all []*process
	for range 4 {
		all = append(all, p.begin("serve", "--http", "127.0.0.1:0"))
	}
	urls := map[string]bool{}
	serving := 0
	for _, run := range all {
		m, err := run.said(run.stdout, `(`+address+`)`)
		if err != nil {
			t.Fatal(err)
		}
		urls[m[1]] = true
		if strings.Contains(run.stdout.String(), "served already") {
			served{run, ""}.ends(t, 0)
		} else {
			serving++
		}
	}
	if len(urls) != 1 || serving != 1 {
		t.Errorf("%d serve, and the addresses are %v, want one of each", serving, urls)
	}
}

// Who read what it printed is gone; it serves on, and ends as it should.
func TestServeOutlivesItsReaders(t *testing.T) {
	t.Parallel()
	p := adoptable(t)
	p.must("trust", "--yes")
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := p.command(context.Background(), "serve", "--http", "127.0.0.1:0")
	cmd.Stdout, cmd.Stderr = w, w
	if err := errors.Join(cmd.Start(), w.Close()); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	line, r := "", bufio.NewReader(out)
	for !strings.Contains(line, "/mcp") {
		if line, err = r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	c := connect(t, regexp.MustCompile(address).FindString(line), nil)
	c.has("owner_good__echo")
	for range 3 {
		p.must("server", "restart", "good") // it says so
		eventually(t, "the server is called again", func() bool { _, err := c.ask("owner_good__echo", map[string]any{"text": "x"}); return err == nil })
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if <-ended; cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("serve without readers: got %v, want 0", cmd.ProcessState)
	}
}

// What a page in a browser could ask is refused, and what changes something is
// not to be had at the address at all.
func TestField_SEC04_pages_reach_nothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	s := p.serve()
	base := strings.TrimSuffix(s.url, "/mcp")
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	for name, c := range map[string]struct {
		method, path, host, origin string
		want                       []int
	}{
		"another name for this machine":   {"POST", "/mcp", "evil.example", "", []int{403}},
		"another page":                    {"POST", "/mcp", "", "https://evil.example", []int{403}},
		"a page of no origin":             {"POST", "/mcp", "", "null", []int{403}},
		"the listing under another name":  {"GET", "/api/generation", "evil.example", "", []int{403}},
		"a refresh":                       {"POST", "/api/refresh", "", "", []int{404, 405}},
		"a restart":                       {"POST", "/api/servers/restart", "", "", []int{404, 405}},
		"the servers":                     {"GET", "/api/servers", "", "", []int{404}},
		"whose control socket it is":      {"GET", "/instance", "", "", []int{404}},
		"the listing":                     {"GET", "/api/generation", "", "", []int{200}},
		"the listing, under a local name": {"GET", "/api/generation", "localhost", "", []int{200}},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, base+c.path, strings.NewReader(list))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if c.host != "" {
			req.Host = c.host
		}
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if !slices.Contains(c.want, res.StatusCode) {
			t.Errorf("%s: got %s, want %v", name, res.Status, c.want)
		}
	}
	s.ends(t, syscall.SIGINT)
}

// A port is a workspace's own, and stays it; another one gets another.
func TestServePorts(t *testing.T) {
	t.Parallel()
	a := workshop(t)
	b := newPlace(t, map[string]string{"mortise.toml": ""})
	b.home = a.home
	var was [2]string
	kept := within(patience, func() bool { // a stranger may have taken a port meanwhile
		one, two := a.serveAt(), b.serveAt()
		now := [2]string{one.url, two.url}
		if one.url == two.url {
			t.Fatalf("two workspaces are served at %s", one.url)
		}
		one.ends(t, syscall.SIGINT)
		two.ends(t, syscall.SIGTERM)
		same := was == now
		was = now
		return same
	})
	if !kept {
		t.Errorf("started again and again, the workspaces were never served where they were before")
	}
	if l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:7777"); err == nil {
		// Nobody has the first port: a new person's first workspace gets it, or
		// the one who took it just now shows why not.
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		s := workshop(t).serveAt()
		if s.url != "http://127.0.0.1:7777/mcp" {
			if l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:7777"); err == nil {
				l.Close()
				t.Errorf("served at %s although 7777 is free", s.url)
			}
		}
	}
}

// An address that was given is that address or none.
func TestServeAtATakenAddress(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	at := l.Addr().String()
	out, errs, code := workshop(t).run("serve", "--http", at)
	want := `mortise: serve: listen at "` + at + `": somebody else listens there already; give another address with --http, or leave it out to have a free one chosen` + "\n"
	if code != 3 || out != "" || errs != want {
		t.Errorf("got code %d, %q and %q, want 3 and %q", code, out, errs, want)
	}
}

// One server alone keeps its names, and nothing is added.
func TestServeUpstream(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": servers(map[string]fixture{
		"good": {mode: mcptest.Normal}, "odd": {mode: mcptest.Unknown},
	})})
	p.must("trust", "--yes")
	s := p.serve("--upstream", "good")
	c := connect(t, s.url, nil)
	c.has("echo")
	if got, want := c.tools(), slices.Sorted(slices.Values(mcptest.Tools())); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("tools/list: got %q, want %q", got, want)
	}
	c.answers("echo", map[string]any{"text": "hello"}, "hello")
	if prompts, err := c.ListPrompts(c.Context, nil); err != nil || len(prompts.Prompts) != 1 || prompts.Prompts[0].Name != mcptest.Prompt {
		t.Errorf("prompts/list: got %+v, %v, want %s alone", prompts, err, mcptest.Prompt)
	}
	s.ends(t, syscall.SIGINT)
	_, errs, code := p.run("serve", "--http", "127.0.0.1:0", "--upstream", "goood")
	if code != 2 || !strings.Contains(errs, `there is no server "goood"; did you mean good?`) {
		t.Errorf("an unknown server: got code %d and %q, want 2 and the nearest", code, errs)
	}
}

// A server that does not run cannot be served alone: nobody would know why the
// lists are empty.
func TestServeUpstreamThatDoesNotRun(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": one("good", mcptest.Normal)})
	_, errs, code := p.run("serve", "--http", "127.0.0.1:0", "--upstream", "good")
	if code != 1 || !strings.Contains(errs, "owner:good") || !strings.Contains(errs, "trust") {
		t.Errorf("got code %d and %q, want 1, the server and how to adopt it", code, errs)
	}
}

// Where it is said to be served it can be found at once.
func TestServeIsKnownWhenItSaysSo(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	for range 20 {
		s := p.serve()
		if found, err := instance.Find(filepath.Join(p.home, "state", "run"), p.dir); err != nil || len(found) != 1 {
			t.Fatalf("right after serve said where: got %v, %v, want its record", found, err)
		}
		s.ends(t, syscall.SIGINT)
	}
}

// over is a transport over a program's standard streams which keeps what the
// program wrote.
func over(t testing.TB, cmd *exec.Cmd) (transport mcp.Transport, p *process, seen *bytes.Buffer) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	p, err = begin(cmd)
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { p.kill(); out.Close() })
	seen = new(bytes.Buffer)
	type stream struct {
		io.Reader
		io.Closer
	}
	return &mcp.IOTransport{Reader: stream{io.TeeReader(out, seen), out}, Writer: in}, p, seen
}

// A client that starts the program gets the protocol on standard output and
// nothing else, whatever the servers print; and the program ends with it.
func TestServeStdio(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": servers(map[string]fixture{
		"good": {mode: mcptest.Normal}, "noisy": {mode: mcptest.Banner}, "dead": {mode: mcptest.Exits},
	})})
	p.must("trust", "--yes")
	transport, run, seen := over(t, p.command(context.Background(), "serve", "--stdio"))
	c := join(t, transport, nil)
	c.has("owner_good__echo", "owner_noisy__echo")
	c.answers("owner_good__echo", map[string]any{"text": "hello"}, "hello")
	run.tells(t, `  owner    loose    admitted  3 servers`, `mortise: owner:good is ready, [0-9]+ tools`, `mortise: owner:dead is (waiting|failed): .*`)
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	served{run, ""}.ends(t, 0)
	for line := range bytes.Lines(seen.Bytes()) {
		var m struct{ JSONRPC string }
		if json.Unmarshal(line, &m) != nil || m.JSONRPC != "2.0" {
			t.Errorf("standard output: got %q, want messages alone", line)
		}
	}
}

// A signal ends it although its client keeps its end open.
func TestServeStdioEndsOnASignal(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		p := workshop(t)
		transport, run, _ := over(t, p.command(context.Background(), "serve", "--stdio"))
		if got := join(t, transport, nil).tools(); !slices.Equal(got, ours) {
			t.Errorf("tools: got %q, want %q", got, ours)
		}
		served{run, ""}.ends(t, signal)
	}
}
