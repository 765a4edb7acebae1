package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/face/gateway"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/hook/clientevent"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/rpc"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/memstore"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// driver answers for what servers describe. What a request is answered with is
// a test's function: frames that come before the answer, and the answer's
// "result" or "error" member.
type driver struct {
	mu     sync.Mutex
	answer func(ctx context.Context, method string, params json.RawMessage, notify func(string)) string
	asked  []string // "target method params" of each request
	links  []*link
	heard  chan string // other frames, but for cancellations; what nobody takes is lost
}

func (d *driver) Call(context.Context, ext.Ref, json.RawMessage) (json.RawMessage, error) {
	panic("nobody calls without a link here")
}

func (d *driver) Link(_ context.Context, ref ext.Ref, _ *call.Peer) (call.Link, error) {
	ctx, cancel := context.WithCancel(context.Background())
	l := &link{driver: d, ref: ref, ctx: ctx, cancel: cancel, frames: make(chan string, 64)}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.links = append(d.links, l)
	return l, nil
}

// link answers its requests as the driver says.
type link struct {
	driver *driver
	ref    ext.Ref
	ctx    context.Context
	cancel func()
	frames chan string // what comes for no call
}

func (l *link) Call(ctx context.Context, request json.RawMessage, before func(*rpc.Frame) error) (*rpc.Frame, error) {
	f, err := rpc.Read(request)
	if err != nil {
		return nil, err
	}
	if l.ctx.Err() != nil {
		return nil, io.EOF
	}
	params := json.RawMessage(f.Bytes(f.Params))
	l.driver.mu.Lock()
	l.driver.asked = append(l.driver.asked, l.ref.Target[:strings.IndexByte(l.ref.Target, '@')]+" "+f.Method+" "+string(params))
	answer := l.driver.answer
	l.driver.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.ctx, cancel)()
	var failed error
	member := answer(ctx, f.Method, params, func(frame string) {
		notice, err := rpc.Read([]byte(frame))
		switch {
		case err != nil:
			panic(err)
		case before == nil:
			l.say(frame)
		case failed == nil:
			failed = before(&notice)
		}
	})
	switch {
	case failed != nil:
		return nil, failed
	case l.ctx.Err() != nil:
		return rpc.Refuse(f.Bytes(f.ID), rpc.Fault(-32000, "it ended before it answered")), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case strings.Contains(member, `"panic":true`):
		panic("the driver is at its wits' end")
	}
	out, err := rpc.Read(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`, f.Bytes(f.ID), member))
	return &out, err
}

// Send takes in what needs no answer: an answer to what the server asked, or a notice.
func (l *link) Send(_ context.Context, frame json.RawMessage) error {
	select {
	case l.driver.heard <- string(frame):
	default:
	}
	return nil
}

// say brings a frame to who has the link.
func (l *link) say(frame string) {
	select {
	case l.frames <- frame:
	case <-l.ctx.Done():
	}
}

func (l *link) Recv(ctx context.Context) (json.RawMessage, error) {
	select {
	case f := <-l.frames:
		return json.RawMessage(f), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.ctx.Done():
		return nil, io.EOF
	}
}

func (l *link) Close() error {
	l.cancel()
	return nil
}

// says is an answer that is always the same.
func says(member string) func(context.Context, string, json.RawMessage, func(string)) string {
	return func(context.Context, string, json.RawMessage, func(string)) string { return member }
}

// bench is a workspace that is served to clients.
type bench struct {
	t      testing.TB
	dir    string
	place  host.Place
	store  state.Store
	driver *driver
	host   *host.Host

	mu     *sync.Mutex
	logged []host.Logged
	full   error        // what writing the log fails with
	run    guard.Runner // runs the programs of hooks; nil: nothing does
}

// log keeps what is logged.
func (b *bench) log(_ context.Context, l host.Logged, _ bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full == nil {
		b.logged = append(b.logged, l)
	}
	return b.full
}

// workspace is what the tests serve: an adopted workspace with text and two
// servers, of which search said of itself what a test wants.
func workspace(t testing.TB, said string) *bench {
	t.Helper()
	return served(t, map[string]string{
		"mortise.toml":                    "",
		".mortise/mcp.json":               `{"mcpServers": {"search": {"command": "search"}, "other": {"command": "other"}}}`,
		".mortise/skills/review/SKILL.md": "---\nname: review\ndescription: Reviews <it>.\n---\nReview & say so.\n",
		".mortise/agents/critic.md":       "---\ndescription: A critic.\n---\nBe severe.\n",
		".mortise/commands/ship.md":       "---\ndescription: Ships.\nargument-hint: <what>\n---\nShip $ARGUMENTS now.\n",
		".mortise/commands/rest.md":       "Rest.\n",
		".mortise/prompts/tone.md":        "The owner says so.\n",
		"acme/.claude-plugin/plugin.json": `{"name": "acme"}`,
		"acme/prompts/p.md":               "Acme says so.\n",
	}, said)
}

func served(t testing.TB, files map[string]string, said string) *bench {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: filepath.Join(base, "work"), store: memstore.New(), mu: new(sync.Mutex), driver: &driver{answer: says(`"result":{"content":[]}`), heard: make(chan string, 64)}}
	if err := os.MkdirAll(b.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		b.write(name, text)
	}
	ws, err := config.FindWorkspace(b.dir, b.dir)
	if err != nil {
		t.Fatal(err)
	}
	b.place = host.Place{Workspace: ws, Paths: config.Paths{User: filepath.Join(base, "config.toml")}}
	b.host = b.open()
	p, _, err := b.host.Propose(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.host.Adopt(t.Context(), "tester", p); err != nil {
		t.Fatal(err)
	}
	b.refresh()
	b.describe("search", said)
	return b
}

// open is a host of the workspace, over the one store.
func (b *bench) open() *host.Host {
	return host.New(host.Options{
		Specs: catalog.Specs, Catalogue: catalog.Digest(), Configure: b.place.Configure, Sources: catalog.Sources,
		Store: b.store, Workers: 2, Drivers: map[string]call.Driver{"mcp": b.driver, "inproc": b.driver, clientevent.Driver: b.driver},
		Refer: map[string]ext.Trust{"inproc": ext.Builtin, clientevent.Driver: ext.Project}, Question: clientevent.Questions, Run: b.runs,
		Asked: []string{"before_tool_call", "tool_call", clientevent.AfterCall}, Keep: host.KeepIn(filepath.Join(filepath.Dir(b.dir), "guards")), Log: b.log,
	})
}

// runs runs the program of a hook as the test has it.
func (b *bench) runs(ctx context.Context, p guard.Program) (guard.Ran, error) {
	b.mu.Lock()
	run := b.run
	b.mu.Unlock()
	if run == nil {
		return guard.Ran{}, errors.New("nothing runs programs in this test")
	}
	return run(ctx, p)
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	golden.Write(b.t, b.dir, golden.Files(name, text))
}

func (b *bench) refresh() {
	b.t.Helper()
	if _, err := b.host.Refresh(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
}

// describe remembers what a server of the owner's says of itself, as a host
// that runs it does, and makes a pass.
func (b *bench) describe(server, content string) {
	b.t.Helper()
	for _, s := range b.host.Now().Session(false).Servers {
		if s.Extension != ext.OwnerName || s.Name != server {
			continue
		}
		d := state.Description{
			Workspace: b.place.Workspace.ID, Extension: ext.OwnerName, Server: server, Declaration: s.Digest, Content: content, At: time.Now().UTC(),
		}
		if err := b.store.Update(b.t.Context(), func(s *state.Snapshot) error { s.Put(d); return nil }); err != nil {
			b.t.Fatal(err)
		}
		b.refresh()
		return
	}
	b.t.Fatalf("the workspace has no server %s in use", server)
}

// redeclare declares the owner's servers otherwise, and has one of them describe
// itself as before, by the hand of another host; then the host of the workspace
// takes in all of it in one pass.
func (b *bench) redeclare(servers, server string) {
	b.t.Helper()
	ctx := b.t.Context()
	snap, err := b.store.Load(ctx)
	if err != nil {
		b.t.Fatal(err)
	}
	b.write(".mortise/mcp.json", servers)
	other := *b
	other.host = b.open()
	p, _, err := other.host.Propose(ctx)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := other.host.Adopt(ctx, "tester", p); err != nil {
		b.t.Fatal(err)
	}
	other.refresh()
	for _, d := range snap.Described(b.place.Workspace.ID) {
		if d.Server == server {
			other.describe(server, d.Content)
		}
	}
	b.refresh()
}

// answers sets what the driver answers from now on.
func (b *bench) answers(do func(ctx context.Context, method string, params json.RawMessage, notify func(string)) string) {
	b.driver.mu.Lock()
	defer b.driver.mu.Unlock()
	b.driver.answer = do
}

// asked is what the driver was asked last.
func (b *bench) asked() string {
	b.driver.mu.Lock()
	defer b.driver.mu.Unlock()
	if len(b.driver.asked) == 0 {
		return ""
	}
	return b.driver.asked[len(b.driver.asked)-1]
}

// gateway is a gateway in front of the host; it is closed with the test.
func (b *bench) gateway(o gateway.Options) *gateway.Gateway {
	g := gateway.New(b.host, o)
	b.t.Cleanup(g.Close)
	return g
}

// pipes connects a client to a gateway through Serve. What Serve returned comes
// on the channel.
func pipes(t testing.TB, g *gateway.Gateway, o *mcp.ClientOptions) (*mcp.ClientSession, <-chan error) {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- g.Serve(context.Background(), fromClient, toClient) }()
	s := connect(t, &mcp.IOTransport{Reader: fromServer, Writer: toServer}, o)
	return s, ended
}

func connect(t testing.TB, over mcp.Transport, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(), over, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// wait waits for something that must come.
func wait[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
	}
	panic("unreachable")
}

func toolNames(t testing.TB, s *mcp.ClientSession) string {
	t.Helper()
	l, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, x := range l.Tools {
		names = append(names, x.Name)
	}
	return strings.Join(names, " ")
}
