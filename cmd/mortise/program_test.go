//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/mcptest"
)

// patience is how long anything is waited for: far longer than it takes, on any
// machine.
const patience = 60 * time.Second

// eventually waits until something holds that nobody tells of.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	if !within(patience, holds) {
		t.Fatalf("%s: it did not come to that", what)
	}
}

func within(d time.Duration, holds func() bool) bool {
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for deadline := time.After(d); !holds(); {
		select {
		case <-again.C:
		case <-deadline:
			return false
		}
	}
	return true
}

// transcript is what a running program wrote so far.
type transcript struct {
	mu    sync.Mutex
	text  strings.Builder
	moved chan struct{} // closed when there is more
}

func newTranscript() *transcript { return &transcript{moved: make(chan struct{})} }

func (w *transcript) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.moved)
	w.moved = make(chan struct{})
	return w.text.Write(b)
}

func (w *transcript) now() (string, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String(), w.moved
}

func (w *transcript) String() string { s, _ := w.now(); return s }

// process is a program that runs beside the test.
type process struct {
	cmd    *exec.Cmd
	stdout *transcript
	stderr *transcript
	ended  chan struct{} // closed when it has
}

// begin starts a program. Whoever does sees to it that it ends.
func begin(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, stdout: newTranscript(), stderr: newTranscript(), ended: make(chan struct{})}
	if cmd.Stdout == nil {
		cmd.Stdout = p.stdout
	}
	cmd.Stderr = p.stderr
	cmd.WaitDelay = patience
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.ended)
		_ = cmd.Wait() // its state says how it ended
	}()
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// said waits until the program wrote something to one of its outputs, and
// returns what matched.
func (p *process) said(w *transcript, pattern string) ([]string, error) {
	re := regexp.MustCompile("(?m)" + pattern)
	deadline, ended := time.After(patience), p.ended
	for {
		text, moved := w.now()
		if m := re.FindStringSubmatch(text); m != nil {
			return m, nil
		}
		if ended == nil {
			return nil, fmt.Errorf("%s ended (%v) and did not say %q\nstdout: %s\nstderr: %s", p.cmd.Args, p.cmd.ProcessState, pattern, p.stdout, p.stderr)
		}
		select {
		case <-moved:
		case <-ended:
			ended = nil // once more: it is written by now
		case <-deadline:
			return nil, fmt.Errorf("%s did not say %q\nstdout: %s\nstderr: %s", p.cmd.Args, pattern, p.stdout, p.stderr)
		}
	}
}

// tells waits until standard error has these lines.
func (p *process) tells(t testing.TB, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		if _, err := p.said(p.stderr, "^"+pattern+"$"); err != nil {
			t.Error(err)
		}
	}
}

// end sends a signal, 0 for none, waits for the end and returns the exit code,
// -1 when a signal ended it.
func (p *process) end(s syscall.Signal) (int, error) {
	if s != 0 {
		if err := p.cmd.Process.Signal(s); err != nil {
			return 0, err
		}
	}
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-time.After(patience):
		return 0, fmt.Errorf("%s did not end\nstdout: %s\nstderr: %s", p.cmd.Args, p.stdout, p.stderr)
	}
}

// kill ends it if it still runs.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// place is a workspace of a test with a home of its own.
type place struct {
	*testing.T
	dir, home string
}

func newPlace(t *testing.T, files map[string]string) place {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{t, filepath.Join(base, "work"), filepath.Join(base, "home")}
	p.write(files)
	return p
}

// workshop is a copy of the example workspace.
func workshop(t *testing.T) place {
	t.Helper()
	p := newPlace(t, nil)
	if err := os.CopyFS(p.dir, os.DirFS("../../examples/workshop")); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p place) write(files map[string]string) {
	p.Helper()
	for name, text := range files {
		write(p.T, filepath.Join(p.dir, name), text)
	}
}

// fixture declares a server of the kind that tests use.
type fixture struct {
	mode mcptest.Mode
	env  map[string]string
}

// servers declares servers of the owner's.
func servers(all map[string]fixture) string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	out := map[string]any{}
	for name, f := range all {
		env := map[string]string{mcptest.ModesVar: string(f.mode)}
		maps.Copy(env, f.env)
		out[name] = map[string]any{"command": self, "env": env}
	}
	raw, err := json.MarshalIndent(map[string]any{"mcpServers": out}, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// one declares one server in a mode.
func one(name string, mode mcptest.Mode) string {
	return servers(map[string]fixture{name: {mode: mode}})
}

// hasty keeps a program with the race detector from sleeping when it ends.
const hasty = "GORACE=atexit_sleep_ms=0"

func (p place) env() []string {
	return append(os.Environ(), "MORTISE_HOME="+p.home, "NO_COLOR=", hasty)
}

// command is mortise in the workspace. It is killed when ctx ends.
func (p place) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "mortise", args...)
	cmd.Dir, cmd.Env = p.dir, p.env()
	return cmd
}

// run runs a command to its end.
func (p place) run(args ...string) (stdout, stderr string, code int) {
	p.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := p.command(ctx, args...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 {
		p.Fatalf("mortise %q: %v, want it to end by itself\n%s%s", args, err, &out, &errs)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// must runs a command that ends with 0, and returns its output.
func (p place) must(args ...string) string {
	p.Helper()
	out, errs, code := p.run(args...)
	if code != 0 {
		p.Fatalf("mortise %q: got exit code %d, want 0\n%s%s", args, code, out, errs)
	}
	return out
}

// served is a running mortise serve.
type served struct {
	*process
	url string
}

var address = `http://127\.0\.0\.1:[0-9]+/mcp`

// serve starts mortise serve at any free port; it is ended with the test.
func (p place) serve(args ...string) served {
	p.Helper()
	return p.serveAt(append([]string{"--http", "127.0.0.1:0"}, args...)...)
}

// serveAt starts mortise serve over HTTP with these arguments alone.
func (p place) serveAt(args ...string) served {
	p.Helper()
	s := served{process: p.begin(append([]string{"serve"}, args...)...)}
	m, err := s.said(s.stdout, `(`+address+`)[\s\S]*`)
	if err != nil {
		p.Fatal(err)
	}
	s.url = m[1]
	return s
}

// begin starts mortise; it is ended with the test.
func (p place) begin(args ...string) *process {
	p.Helper()
	s, err := begin(p.command(context.Background(), args...))
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(s.kill)
	return s
}

// ends sends a signal and wants the program to end with 0.
func (s served) ends(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if code, err := s.end(signal); err != nil || code != 0 {
		t.Fatalf("serve after %s: got exit code %d, %v, want 0\n%s", signal, code, err, s.stderr)
	}
}

// client is a connected client.
type client struct {
	testing.TB
	*mcp.ClientSession
	context.Context
}

// connect connects the SDK's client over HTTP until the test ends.
func connect(t testing.TB, url string, o *mcp.ClientOptions) client {
	t.Helper()
	return connectBy(t, url, http.DefaultTransport, o)
}

// connectBy is connect by a way of its own.
func connectBy(t testing.TB, url string, by http.RoundTripper, o *mcp.ClientOptions) client {
	t.Helper()
	return join(t, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: by}}, o)
}

func join(t testing.TB, transport mcp.Transport, o *mcp.ClientOptions) client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, o).Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { _ = cs.Close() }) // it may have been cut
	return client{t, cs, ctx}
}

// described is the description of the resource that is listed now with a part in its
// name or address; "" when there is none.
func (c client) described(part string) string {
	c.Helper()
	list, err := c.ListResources(c.Context, nil)
	if err != nil {
		c.Fatalf("resources/list: %v", err)
	}
	for _, r := range list.Resources {
		if strings.Contains(r.Name+r.URI, part) {
			return r.Description
		}
	}
	return ""
}

// tools are the names of the tools that are listed now.
func (c client) tools() []string {
	c.Helper()
	list, err := c.ListTools(c.Context, nil)
	if err != nil {
		c.Fatalf("tools/list: %v", err)
	}
	names := make([]string, len(list.Tools))
	for i, tool := range list.Tools {
		names[i] = tool.Name
	}
	return names
}

// has waits until tools of these names are listed.
func (c client) has(names ...string) {
	c.Helper()
	var now []string
	if !within(patience, func() bool {
		now = c.tools()
		for _, name := range names {
			if !slices.Contains(now, name) {
				return false
			}
		}
		return true
	}) {
		c.Fatalf("tools/list: got %q, want %q among them", now, names)
	}
}

// ask calls a tool and returns the text of the result; the error is one of the
// protocol, or the text of a result that is one.
func (c client) ask(tool string, arguments map[string]any) (string, error) {
	c.Helper()
	if arguments == nil {
		arguments = map[string]any{}
	}
	res, err := c.CallTool(c.Context, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, part := range res.Content {
		if t, ok := part.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if res.IsError {
		return "", errors.New(text.String())
	}
	return text.String(), nil
}

// answers wants a tool to answer with a text that holds another.
func (c client) answers(tool string, arguments map[string]any, want string) {
	c.Helper()
	if got, err := c.ask(tool, arguments); err != nil || !strings.Contains(got, want) {
		c.Errorf("%s: got %q, %v, want %q in it", tool, got, err, want)
	}
}

// document reads the one JSON document that a text has to be.
func document[T any](t testing.TB, text string) T {
	t.Helper()
	var v T
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&v); err != nil {
		t.Fatalf("got %q, want a JSON document: %v", text, err)
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		t.Fatalf("got %q, want one document and nothing else", text)
	}
	return v
}
