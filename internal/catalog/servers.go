package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/driver/mcp"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/server"
)

// mcpDriver is what references call the driver of servers.
const mcpDriver = "mcp"

// target is what references call a server by: one declaration of it.
func target(x ext.Name, name string, declaration ext.Digest) string {
	return ext.Qualified(x, name) + "@" + declaration.String()
}

// linking makes a driver of something whose links have a type of their own.
type linking[L call.Link] struct {
	call.Caller
	link func(ctx context.Context, ref ext.Ref, p *call.Peer) (L, error)
}

func (d linking[L]) Link(ctx context.Context, ref ext.Ref, p *call.Peer) (call.Link, error) {
	l, err := d.link(ctx, ref, p)
	if err != nil {
		return nil, err
	}
	return l, nil
}

func ownDriver(all ...*inproc.Extension) call.Driver {
	d := inproc.New(all...)
	return linking[*inproc.Link]{d, func(ctx context.Context, ref ext.Ref, _ *call.Peer) (*inproc.Link, error) {
		return d.Link(ctx, ref) // tools of this build ask nobody anything
	}}
}

// idle is the driver of servers in a host that runs none.
type idle struct{}

func (idle) Call(context.Context, ext.Ref, json.RawMessage) (json.RawMessage, error) {
	return nil, errIdle
}
func (idle) Link(context.Context, ext.Ref, *call.Peer) (call.Link, error) {
	return nil, errIdle
}

// servers runs the servers of sessions. It makes targets of what the server
// surface declares, so that neither the surface nor the driver knows the other.
type servers struct {
	place  host.Place
	keeper *child.Keeper
	pool   *mcp.Pool

	mu    sync.Mutex
	hooks host.Hooks
	known map[string]host.Described // by target: whose description it is
}

var _ host.Servers = (*servers)(nil)

// newServers runs none yet. limits are those of a pool that are not the usual ones.
func newServers(p host.Place, limits mcp.Options) *servers {
	s := &servers{place: p, keeper: child.New(), known: map[string]host.Described{}}
	limits.Keeper, limits.Env, limits.Client = s.keeper, p.Env, mcp.Client{Name: "mortise"}
	limits.Allowed, limits.Joined, limits.Changed = s.allowed, s.joined, s.moved
	s.pool = mcp.New(limits)
	return s
}

// serve begins: from now on the host is told and asked.
func (s *servers) serve(h host.Hooks) host.Servers {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hooks = h
	return s
}

// of is the server that a target is, and how the host is spoken to.
func (s *servers) of(key string) (host.Described, host.Hooks, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of, known := s.known[key]
	return of, s.hooks, known
}

// allowed asks right before a server is started.
func (s *servers) allowed(ctx context.Context, key string) error {
	of, hooks, known := s.of(key)
	if !known || hooks.Allowed == nil {
		return errIdle
	}
	return hooks.Allowed(ctx, of)
}

func (s *servers) driver() call.Driver {
	return linking[*mcp.Lane]{s.pool, func(ctx context.Context, ref ext.Ref, p *call.Peer) (*mcp.Lane, error) {
		return s.pool.Link(ctx, ref, (*mcp.Peer)(p))
	}}
}

// Run implements host.Servers.
func (s *servers) Run(of *session.Session, extension func(ext.Name) ext.Tree) {
	targets := make([]mcp.Target, 0, len(of.Servers))
	known := map[string]host.Described{}
	for _, e := range of.Servers {
		t := s.target(e.Value, extension(e.Extension))
		t.Key, t.Name = target(e.Extension, e.Name, e.Digest), e.Qualified
		t.Log = s.place.ServerLog(e.Qualified)
		targets = append(targets, t)
		known[t.Key] = host.Described{Extension: e.Extension, Server: e.Name, Declaration: e.Digest}
	}
	s.mu.Lock()
	s.known = known
	s.mu.Unlock()
	s.pool.Run(targets)
}

func (s *servers) target(v server.Server, of ext.Tree) mcp.Target {
	command := v.Command
	if below, ok := strings.CutPrefix(command, surface.RootVariable+"/"); ok && v.Dialect == surface.DialectLoose {
		command = "./" + below
	}
	return mcp.Target{
		Transport: string(v.Transport), Command: command, Args: v.Args, Env: pairs(v.Env), Cwd: v.Cwd,
		URL: v.URL, Headers: pairs(v.Headers), Claude: v.Dialect == surface.DialectClaude,
		Root: of.Leads, Data: s.place.PluginData(of.Extension, of.Own),
	}
}

func pairs(in []server.Pair) []mcp.Pair {
	out := make([]mcp.Pair, len(in))
	for i, p := range in {
		out[i] = mcp.Pair(p)
	}
	return out
}

// joined is told what a server said of itself.
func (s *servers) joined(key string, d mcp.Description) {
	if of, hooks, known := s.of(key); known && hooks.Described != nil {
		of.Content = string(d.JSON)
		hooks.Described(of)
	}
}

// moved is told that the status of a server changed.
func (s *servers) moved() {
	if _, hooks, _ := s.of(""); hooks.Changed != nil {
		hooks.Changed()
	}
}

// Status implements host.Servers.
func (s *servers) Status() []call.Status {
	all := s.pool.Status()
	out := make([]call.Status, len(all))
	for i, st := range all {
		out[i] = call.Status{
			Name: st.Name, Target: st.Key, Transport: st.Transport, State: call.State(st.State), Pid: st.Pid, Since: st.Since,
			Error: st.Error, Exit: st.Exit, Starts: st.Starts, Noise: st.Noise, Sessions: st.Sessions,
			Tools: st.Tools, Prompts: st.Prompts, Resources: st.Resources, Stderr: st.Stderr, Log: st.Log,
		}
	}
	return out
}

// Restart implements host.Servers.
func (s *servers) Restart(name string) bool { return s.pool.Restart(name) }

// Close implements host.Servers.
func (s *servers) Close() error { return errors.Join(s.pool.Close(), s.keeper.Close()) }

var errIdle = errors.New("this process runs no servers; mortise serve does")
