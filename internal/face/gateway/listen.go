package gateway

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/rpc"
)

const (
	mostListeners = 1000             // that listen at once
	mostFollowed  = 256              // addresses of one listener
	settling      = 10 * time.Second // for servers to agree to be listened to
)

// interest is what a listener wants to hear of.
type interest struct {
	lists map[string]bool // tools, prompts and resources
	uris  []string
}

// The members of a request to listen, by the lists that they are for.
var changeMembers = []struct{ list, member string }{
	{tools, "toolsListChanged"}, {prompts, "promptsListChanged"}, {resources, "resourcesListChanged"},
}

const uriMember = "resourceSubscriptions"

// readInterest is the interest in the parameters of a request to listen, or of a notice
// that agrees to one.
func readInterest(params []byte) (interest, error) {
	i := interest{lists: map[string]bool{}}
	p, err := rpc.Members(params, "notifications")
	if err != nil || !rpc.IsObject(p["notifications"]) {
		return i, invalid("subscriptions/listen names no notifications")
	}
	n, err := rpc.Members(p["notifications"], changeMembers[0].member, changeMembers[1].member, changeMembers[2].member, uriMember)
	if err != nil {
		return i, invalid("subscriptions/listen names no notifications")
	}
	for _, c := range changeMembers {
		i.lists[c.list] = string(n[c.member]) == "true"
	}
	if n[uriMember] == nil {
		return i, nil
	}
	uris, err := rpc.Elements(n[uriMember], mostFollowed)
	if err != nil {
		return i, invalid("the resourceSubscriptions are no list of at most %d addresses", mostFollowed)
	}
	for _, raw := range uris {
		if uri, ok := rpc.Text(raw); ok && !slices.Contains(i.uris, uri) {
			i.uris = append(i.uris, uri)
		}
	}
	return i, nil
}

// document is the interest as the protocol has it.
func (i *interest) document() []byte {
	said := map[string]any{}
	for _, c := range changeMembers {
		if i.lists[c.list] {
			said[c.member] = true
		}
	}
	if len(i.uris) > 0 {
		said[uriMember] = i.uris
	}
	out, err := ext.EncodeJSON(said)
	if err != nil {
		return []byte("{}") // texts can always be written
	}
	return out
}

// listener is a request that listens until its client ends it.
type listener struct {
	request *request
	interest
	over chan struct{} // holds one: a server that it follows has ended
}

// listeners are those that listen. The zero value is ready.
type listeners struct {
	mu  sync.Mutex
	all map[*listener]bool
}

func (a *listeners) enter(l *listener) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.all) >= mostListeners {
		return false
	}
	if a.all == nil {
		a.all = map[*listener]bool{}
	}
	a.all[l] = true
	return true
}

func (a *listeners) leave(l *listener) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.all, l)
}

// tell tells those that listen for it that a list has changed.
func (a *listeners) tell(list string, frame []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for l := range a.all {
		if l.lists[list] {
			_ = l.request.client.unasked.put(frame) // one that is gone needs none
		}
	}
}

// listen tells a client what it asked to be told, until it ends the request. A server
// that it follows ends, and so does what it listens to: it listens again.
func (r *request) listen(ctx context.Context) ([]byte, error) {
	want, err := readInterest(r.frame.Bytes(r.frame.Params))
	if err != nil {
		return nil, err
	}
	l := &listener{request: r, interest: want, over: make(chan struct{}, 1)}
	heard := &r.client.gateway.heard
	if !heard.enter(l) {
		return nil, &call.Error{Code: codeRefused, Message: "too many clients listen; listen again later"}
	}
	defer heard.leave(l)
	agreed := interest{lists: want.lists, uris: l.follow(ctx)}
	out := r.client.visitor.visit.out
	ack := rpc.Compose(nil, "notifications/subscriptions/acknowledged", slices.Concat([]byte(`{"notifications":`), agreed.document(), []byte(`}`))).Raw
	if err := out(r.tagged(ack)); err != nil {
		return nil, err
	}
	if l.hear(ctx) {
		end := begun([]byte("{}"), []byte(`"resultType":"complete"`), r.subscription())
		_ = out(r.result(end)) // one that is gone needs none
	}
	return nil, nil
}

// hear hands on what comes until the client or what is followed ends. It reports
// whether the client waits for an end.
func (l *listener) hear(ctx context.Context) bool {
	c := l.request.client
	v := c.visitor.visit
	ended, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // it ends with ended
		select {
		case <-l.over:
			stop()
		case <-ended.Done():
		}
	}()
	for {
		wait, cancel := context.WithTimeout(ended, keepAlive)
		frames, err := c.unasked.next(wait, 0)
		cancel()
		switch {
		case ctx.Err() != nil:
			return c.gateway.life.Err() != nil
		case ended.Err() != nil || errors.Is(err, errOver):
			return true
		case err != nil && v.alive != nil && v.alive() != nil:
			return false
		}
		for _, raw := range frames {
			if l.wants(raw) && v.out(l.request.tagged(raw)) != nil {
				return false
			}
		}
	}
}

// wants reports whether a notice is one of those that were asked for.
func (l *listener) wants(raw []byte) bool {
	f, err := rpc.Read(raw)
	if err != nil || f.Kind != rpc.Notification {
		return false
	}
	for _, c := range lists {
		if c.notice == f.Method {
			return l.lists[c.list]
		}
	}
	uri, ok := rpc.Text(f.Bytes(f.URI))
	return ok && f.Method == "notifications/resources/updated" && slices.ContainsFunc(l.uris, func(of string) bool {
		return uri == of || strings.HasPrefix(uri, strings.TrimSuffix(of, "/")+"/")
	})
}

// subscription is the member of _meta that says which request is told.
func (r *request) subscription() []byte {
	return slices.Concat([]byte(`"_meta":{"`+rpc.KeySubscription+`":`), r.frame.Bytes(r.frame.ID), []byte(`}`))
}

// tagged is a notice that says which request it is for.
func (r *request) tagged(raw []byte) []byte {
	f, err := rpc.Read(raw)
	if err != nil {
		return raw
	}
	id := r.frame.Bytes(r.frame.ID)
	switch {
	case f.Subscription.There():
		return rpc.Splice(raw, f.Subscription.With(id))
	case f.Meta.There() && raw[f.Meta.From] == '{':
		return rpc.Splice(raw, f.Meta.With(begun(f.Bytes(f.Meta), slices.Concat([]byte(`"`+rpc.KeySubscription+`":`), id))))
	case f.Params.There() && raw[f.Params.From] == '{':
		return rpc.Splice(raw, f.Params.With(begun(f.Bytes(f.Params), r.subscription())))
	}
	end := bytes.LastIndexByte(raw, '}')
	return rpc.Splice(raw, rpc.Edit{At: rpc.Span{From: end, To: end}, With: slices.Concat([]byte(`,"params":{`), r.subscription(), []byte(`}`))})
}

// follow subscribes to the addresses that the listener wants to hear of, with whatever
// answers for each. It returns those that are heard of.
func (l *listener) follow(ctx context.Context) []string {
	settle, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	c := l.request.client
	of := map[*upstream][]string{}
	for _, uri := range l.uris {
		o, err := c.at(settle, uri)
		if err != nil || o == nil || o.Ref == (ext.Ref{}) || c.agent.Allowed(settle, o) != nil {
			continue // what is text changes with the lists
		}
		if u, err := c.upstream(settle, o); err == nil {
			of[u] = append(of[u], uri)
		}
	}
	agreed := make(chan []string, len(of))
	for u, uris := range of {
		if call.IsModern(u.link) {
			c.work.Go(func() { l.listenAt(ctx, u, uris, agreed) })
		} else {
			c.work.Go(func() { agreed <- l.subscribeAt(ctx, settle, u, uris) })
		}
	}
	var out []string
	for range of {
		select {
		case uris := <-agreed:
			out = append(out, uris...)
		case <-settle.Done():
		}
	}
	return slices.DeleteFunc(slices.Clone(l.uris), func(uri string) bool { return !slices.Contains(out, uri) })
}

// ends says that a server that is followed has ended.
func (l *listener) ends() {
	select {
	case l.over <- struct{}{}:
	default:
	}
}

// listenAt listens at a server of the same revision. What it agrees to is sent once.
func (l *listener) listenAt(ctx context.Context, u *upstream, uris []string, agreed chan<- []string) {
	of := interest{uris: uris}
	meta := l.request.frame.Bytes(l.request.frame.Meta)
	f, err := rpc.Read(rpc.Compose(ownID, "subscriptions/listen", slices.Concat([]byte(`{"_meta":`), meta, []byte(`,"notifications":`), of.document(), []byte(`}`))).Raw)
	if err != nil {
		agreed <- nil
		return
	}
	told := false
	_, _ = u.pass(ctx, &f, func(raw []byte) error {
		n, _ := rpc.Read(raw) // it was read before
		switch {
		case n.Method != "notifications/subscriptions/acknowledged":
			_ = l.request.client.unasked.put(raw) // it is over when that fails
		case !told:
			told = true
			granted, _ := readInterest(n.Bytes(n.Params)) // one that cannot be read grants nothing
			agreed <- granted.uris
		}
		return nil
	}, nil)
	switch {
	case !told:
		agreed <- nil // it refused
	case ctx.Err() == nil: // however it ended
		l.ends()
	}
}

// subscribeAt subscribes at a server with a handshake, and hears it until ctx ends. It
// returns what was agreed to.
func (l *listener) subscribeAt(ctx, settle context.Context, u *upstream, uris []string) (agreed []string) {
	u.hear()
	l.request.client.work.Go(func() {
		select {
		case <-u.ended:
			l.ends()
		case <-ctx.Done():
		}
	})
	for _, uri := range uris {
		f := rpc.Compose(ownID, "resources/subscribe", slices.Concat([]byte(`{"uri":`), rpc.Quote(uri), []byte(`}`)))
		if a, err := u.link.Call(settle, f.Raw, nil); err == nil && a.Result.There() {
			agreed = append(agreed, uri)
		}
	}
	return agreed
}
