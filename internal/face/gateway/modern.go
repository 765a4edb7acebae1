package gateway

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// stateless20260728 is the revision without a handshake that is spoken here.
const stateless20260728 = "2026-07-28"

// The codes that this revision has of its own.
const (
	codeMismatch = -32020 // headers do not say what the body says
	codeVersion  = -32022 // a revision of the protocol that is not spoken
	codeLacking  = -32021 // a server needs what the client did not declare

	codeUnfit = 400 // not on the wire: parameters that do not introduce the request
)

// spoken are the revisions that are spoken here, the newest first.
func spoken() []string {
	out := append(slices.Clone(shaking), stateless20260728)
	slices.Reverse(out)
	return out
}

// modern reports whether a request is of a revision without a handshake.
func modern(f *rpc.Frame) bool { return f.Version.There() }

// visit is one request of a client that shakes no hands: all that is known of the
// client came with it.
type visit struct {
	frame  *rpc.Frame
	out    emit
	alive  func() error // writes a sign of life; nil: none is needed
	header http.Header  // that came with it; nil over pipes
	by     *client      // at whose pipes it came; nil over HTTP
}

// whose says whose visit it is: no other may go on with what it began.
func (v *visit) whose() string {
	if v.by == nil {
		return ""
	}
	return v.by.id
}

// visitor is what a client has that lives for one request.
type visitor struct {
	visit *visit
	peer  *call.Peer
	// Of the answer that was passed on last: it came from a server of this revision,
	// and the code of the error that it was.
	faithful atomic.Bool
	code     atomic.Int64
}

// answer is the response to a request of this revision.
type answer struct {
	raw  []byte // nil: nobody waits for it
	code int    // of the error that it is, where that has a status of HTTP of its own; 0: none
}

// stateless answers a request of a revision without a handshake. It is served by a
// client of its own that ends with it, so that nothing of it can reach another.
func (g *Gateway) stateless(ctx context.Context, v *visit) answer {
	if err := v.unfit(); err != nil {
		code := err.Code
		if code == codeInvalid {
			code = codeUnfit
		}
		return answer{refusal(v.frame, err), code}
	}
	if state, ours := stateOf(v.frame); ours {
		return g.resume(ctx, v, state)
	}
	c, leave := g.visited(v)
	if c == nil {
		return answer{refusal(v.frame, errBusy), codeRefused}
	}
	s := &standing{gateway: g, client: c, frame: v.frame, whose: v.whose()}
	if waits(v.frame.Method) && askableOf(v.frame).any() {
		return s.begin(ctx, v, leave)
	}
	defer leave()
	s.attach(v)
	return c.completed(v.frame, c.handle(ctx, v.frame, s.emit))
}

// mostVisits are the requests without a session that are served at once, those that
// wait for their clients among them.
const mostVisits = 5000

var errBusy = &call.Error{Code: codeRefused, Message: "the gateway is ending, or serves too many requests; ask again later"}

// unfit says what is wrong with how a request introduces itself; nil: nothing.
func (v *visit) unfit() *call.Error {
	f := v.frame
	version, _ := rpc.Text(f.Bytes(f.Version))
	switch {
	case version == "":
		return &call.Error{Code: codeInvalid, Message: "_meta has no " + rpc.KeyVersion}
	case v.header != nil && v.header.Get(versionHeader) != version:
		return mismatch(versionHeader, v.header.Get(versionHeader), version)
	case version != stateless20260728:
		data, err := ext.EncodeJSON(map[string]any{"supported": spoken(), "requested": version})
		if err != nil {
			data = nil
		}
		return &call.Error{Code: codeVersion, Message: "this revision of the protocol is not spoken here", Data: data}
	case !f.Capabilities.There() || f.Raw[f.Capabilities.From] != '{':
		return &call.Error{Code: codeInvalid, Message: "_meta has no " + rpc.KeyCapabilities}
	}
	if v.header != nil {
		if err := v.mirrored(); err != nil {
			return err
		}
	}
	if modernMethods[f.Method] == nil {
		return &call.Error{Code: codeUnknown, Message: "there is no method " + ext.Quote(ext.Shorten(f.Method, 80)) + " in this revision"}
	}
	return nil
}

// visited makes the client that a request is served by, and what ends it. Both are nil
// when there is no room for it.
func (g *Gateway) visited(v *visit) (*client, func()) {
	g.mu.Lock()
	if g.closed || g.visits >= mostVisits {
		g.mu.Unlock()
		return nil, nil
	}
	g.visits++
	g.work.Add(1)
	g.mu.Unlock()
	c := g.newClient()
	if c.greeted = greets(v.frame); v.by != nil {
		c.id = v.by.id // in the log it is the one at those pipes
	}
	if v.frame.LogLevel.There() {
		c.level = slices.Clone(v.frame.Bytes(v.frame.LogLevel))
	}
	peer, release := g.peerOf(v, c.greeted.capabilities)
	c.visitor = &visitor{visit: v, peer: peer}
	return c, func() {
		c.end()
		release()
		g.mu.Lock()
		g.visits--
		g.mu.Unlock()
		g.work.Done()
	}
}

// greets is what a request says of its client.
func greets(f *rpc.Frame) greeting {
	g := greeting{version: stateless20260728, capabilities: slices.Clone(f.Bytes(f.Capabilities))}
	if len(g.capabilities) > len("{}") && json.Unmarshal(g.capabilities, &g.can) != nil {
		g.can = abilities{}
	}
	if who, err := rpc.Members(f.Bytes(f.Client), "name"); f.Client.There() && err == nil {
		name, _ := rpc.Text(who["name"])
		g.name = shortName(name)
	}
	return g
}

// askable are the questions of servers that a client declared it answers.
type askable struct{ elicitation, sampling, roots bool }

func askableOf(f *rpc.Frame) (a askable) {
	_ = rpc.Each(f.Bytes(f.Capabilities), func(name string, value []byte) error { // what is no object declares nothing
		there := value[0] != 'n'
		switch name {
		case "elicitation":
			a.elicitation = there
		case "sampling":
			a.sampling = there
		case "roots":
			a.roots = there
		}
		return nil
	})
	return a
}

func (a askable) any() bool { return a != askable{} }

// answers reports whether a question of that method may be put.
func (a askable) answers(method string) bool {
	switch method {
	case "elicitation/create":
		return a.elicitation
	case "sampling/createMessage":
		return a.sampling
	case "roots/list":
		return a.roots
	}
	return false
}

// peerOf is who servers with sessions take the client for, and what is to be called
// when they do not any more. Those of this revision take nothing from it: what a
// request declares is in its own _meta.
//
// At pipes it is the one client there. Over HTTP nobody can tell whose the next
// request is: a name is lent to one request at a time and then to the next that
// declares the same, so that a server that gives each client a session does not
// begin one for each request. Roots are not declared there: a server keeps them for a
// session, and the next request may be of another client.
func (g *Gateway) peerOf(v *visit, capabilities json.RawMessage) (*call.Peer, func()) {
	if v.by != nil {
		return &call.Peer{ID: v.by.id, Capabilities: capabilities, Modern: true}, func() {}
	}
	capabilities = rpc.Without(capabilities, "roots")
	id := g.lent.take(string(capabilities))
	return &call.Peer{ID: id, Capabilities: capabilities, Modern: true}, func() { g.lent.giveBack(string(capabilities), id) }
}

// lent are names of peers that are in use by one request at a time. The zero value
// is ready.
type lent struct {
	mu   sync.Mutex
	free map[string][]string // by what they declare
	kept int
}

// mostLent is how many names are kept for requests to come.
const mostLent = 256

func (l *lent) take(declared string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	free := l.free[declared]
	if len(free) == 0 {
		return rand.Text()
	}
	last := len(free) - 1
	id := free[last]
	l.kept--
	if last == 0 {
		delete(l.free, declared)
	} else {
		l.free[declared] = free[:last]
	}
	return id
}

func (l *lent) giveBack(declared, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept == mostLent || strings.TrimSpace(declared) == "{}" {
		return // who declares nothing shares the session that servers have anyway
	}
	if l.free == nil {
		l.free = map[string][]string{}
	}
	l.free[declared] = append(l.free[declared], id)
	l.kept++
}
