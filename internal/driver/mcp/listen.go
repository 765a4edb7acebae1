package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/mortise-dev/mortise/internal/rpc"
)

// listening is what a server of 2026-07-28 is listened to for: one request that
// stays open, with all that anybody wants. When more is wanted another one
// replaces it. The lock of the connection guards it.
type listening struct {
	wake    chan struct{} // holds one; what is wanted may have changed
	offers  interest      // lists that the server says may change
	all     []*listener
	id      uint64   // of the request whose notices count; 0: there is none
	flight  *flight  // it
	asked   interest // what was asked for there
	granted interest // what the server agreed to there
	pending uint64   // of the request that is to replace it
	asking  interest // what is asked for there
}

// interest is what can be listened to.
type interest struct {
	tools, prompts, resources bool
	uris                      []string // sorted
}

func (i *interest) none() bool {
	return !i.tools && !i.prompts && !i.resources && len(i.uris) == 0
}

func (i *interest) add(other *interest) {
	i.tools = i.tools || other.tools
	i.prompts = i.prompts || other.prompts
	i.resources = i.resources || other.resources
	i.uris = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(i.uris), other.uris...))))
}

// common is what is in both.
func (i *interest) common(other *interest) interest {
	out := interest{tools: i.tools && other.tools, prompts: i.prompts && other.prompts, resources: i.resources && other.resources}
	for _, uri := range i.uris {
		if _, there := slices.BinarySearch(other.uris, uri); there {
			out.uris = append(out.uris, uri)
		}
	}
	return out
}

func (i *interest) equal(other *interest) bool {
	return i.tools == other.tools && i.prompts == other.prompts && i.resources == other.resources && slices.Equal(i.uris, other.uris)
}

// list is whether the list that a notice speaks of is part of it.
func (i *interest) list(method string) bool {
	switch method {
	case "notifications/tools/list_changed":
		return i.tools
	case "notifications/prompts/list_changed":
		return i.prompts
	case "notifications/resources/list_changed":
		return i.resources
	}
	return false
}

// document is the interest as the protocol has it.
func (i *interest) document() []byte {
	var out []byte
	add := func(wanted bool, key, value string) {
		if wanted {
			out = append(append(append(append(out, `,"`...), key...), `":`...), value...)
		}
	}
	add(i.tools, "toolsListChanged", "true")
	add(i.prompts, "promptsListChanged", "true")
	add(i.resources, "resourcesListChanged", "true")
	var uris []byte
	for _, uri := range i.uris {
		uris = append(append(uris, ','), rpc.Quote(uri)...)
	}
	if uris != nil {
		uris[0] = '['
		add(true, "resourceSubscriptions", string(uris)+"]")
	}
	if out == nil {
		return []byte(`{}`)
	}
	out[0] = '{'
	return append(out, '}')
}

// readInterest is the interest in the parameters of a request to listen, or of
// its acknowledgement.
func readInterest(params []byte) (interest, error) {
	var out interest
	m, err := rpc.Members(params, "notifications")
	if err != nil || m["notifications"] == nil {
		return out, errors.New("it names no notifications")
	}
	n, err := rpc.Members(m["notifications"], "toolsListChanged", "promptsListChanged", "resourcesListChanged", "resourceSubscriptions")
	if err != nil {
		return out, errors.New("its notifications are no object")
	}
	out.tools, out.prompts, out.resources = string(n["toolsListChanged"]) == "true", string(n["promptsListChanged"]) == "true", string(n["resourcesListChanged"]) == "true"
	if n["resourceSubscriptions"] != nil {
		uris, err := rpc.Elements(n["resourceSubscriptions"], maxEntries)
		if err != nil {
			return out, errors.New("its resourceSubscriptions are no list")
		}
		for _, u := range uris {
			if uri, ok := rpc.Text(u); ok {
				out.uris = append(out.uris, uri)
			}
		}
		slices.Sort(out.uris)
		out.uris = slices.Compact(out.uris)
	}
	return out, nil
}

// listener is somebody who listens.
type listener struct {
	lane   *Lane
	errand *errand // what it began with
	id     []byte  // of that request, as its sender spells it
	older  bool    // it subscribed to one resource, as older revisions do
	interest
	open bool // its sender was told that it listens
}

// listen listens for a peer of 2026-07-28, until it does not want that any more.
func (l *Lane) listen(ctx context.Context, e *errand, c *conn, f *rpc.Frame) (*rpc.Frame, error) {
	want, err := readInterest(f.Bytes(f.Params))
	if !f.Params.There() || err != nil {
		return refusal(-32602, "subscriptions/listen names no notifications"), nil
	}
	x := &listener{lane: l, errand: e, id: f.Bytes(f.ID), interest: want}
	defer c.drop(func(other *listener) bool { return other == x })
	return x.wait(ctx, c)
}

// follow subscribes to one resource, for a peer of an older revision.
func (l *Lane) follow(ctx context.Context, e *errand, c *conn, f *rpc.Frame) (*rpc.Frame, error) {
	uri, ok := rpc.Text(f.Bytes(f.URI))
	if !f.URI.There() || !ok {
		return refusal(-32602, "resources/subscribe names no address"), nil
	}
	x := &listener{lane: l, errand: e, id: f.Bytes(f.ID), older: true, interest: interest{uris: []string{uri}}}
	answer, err := x.wait(ctx, c)
	if err != nil {
		c.drop(func(other *listener) bool { return other == x })
	}
	return answer, err
}

func (l *Lane) unfollow(c *conn, f *rpc.Frame) {
	uri, _ := rpc.Text(f.Bytes(f.URI))
	c.drop(func(x *listener) bool { return x.lane == l && x.older && x.uris[0] == uri })
}

// wait joins those who listen, and waits for an answer. Who wants to hear what the
// server has agreed to before is told at once.
func (x *listener) wait(ctx context.Context, c *conn) (*rpc.Frame, error) {
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return nil, fmt.Errorf("%w: %w", io.EOF, c.explain(c.err))
	}
	c.listening.all = append(c.listening.all, x)
	covered := c.listening.covers(x)
	c.mu.Unlock()
	if covered {
		c.admitListeners()
	} else {
		c.listening.rouse()
	}
	answer, err := x.errand.wait(ctx, nil, c.done)
	if errors.Is(err, errEnded) {
		return failure(c.explain(c.reason())), nil
	}
	return answer, err
}

// covers reports whether a listener has nothing more to wait for.
func (s *listening) covers(x *listener) bool {
	heard := x.common(&s.granted)
	return x.none() || s.id != 0 && heard.equal(&x.interest)
}

func (s *listening) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// drop forgets listeners.
func (c *conn) drop(which func(*listener) bool) {
	c.mu.Lock()
	s := c.listening
	if s == nil {
		c.mu.Unlock()
		return
	}
	s.all = slices.DeleteFunc(s.all, which)
	c.mu.Unlock()
	s.rouse()
}

func (c *conn) unlisten(l *Lane) { c.drop(func(x *listener) bool { return x.lane == l }) }

// wanted is all that anybody wants to hear.
func (c *conn) wanted() interest {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.listening.offers
	for _, x := range c.listening.all {
		out.add(&x.interest)
	}
	return out
}

// acknowledged takes in what a server agreed to be listened to for.
func (c *conn) acknowledged(f *rpc.Frame) {
	id, ok := rpc.Number(f.Bytes(f.Subscription))
	granted, err := readInterest(f.Bytes(f.Params))
	c.mu.Lock()
	s := c.listening
	if !ok || err != nil || s == nil || s.pending != id || id == 0 {
		c.mu.Unlock()
		return
	}
	old := s.id
	s.id, s.flight, s.pending = id, c.flights[id], 0
	s.asked, s.granted = s.asking, granted
	c.mu.Unlock()
	if old != 0 && c.land(old) != nil {
		c.cancel(old, "")
	}
	c.admitListeners()
}

// admitListeners tells those who wait what they hear from now on.
func (c *conn) admitListeners() {
	c.mu.Lock()
	s := c.listening
	granted := s.granted
	s.all = slices.DeleteFunc(s.all, func(x *listener) bool {
		if asked := x.common(&s.asked); x.open || !s.covers(x) && !asked.equal(&x.interest) {
			return false // the server was not asked for that yet
		}
		x.open = true
		if heard := x.common(&granted); x.older && len(heard.uris) == 0 {
			x.errand.settle(refusal(-32602, "the server does not let this resource be subscribed to"))
			return true
		}
		x.welcome(&granted) // before anything that it hears, which waits for the lock
		return false
	})
	c.mu.Unlock()
}

// welcome tells a listener what it hears.
func (x *listener) welcome(granted *interest) {
	if x.older {
		x.errand.settle(done())
		return
	}
	heard := x.common(granted)
	params := slices.Concat([]byte(`{"_meta":{"`+rpc.KeySubscription+`":`), x.id, []byte(`},"notifications":`), heard.document(), []byte(`}`))
	x.errand.bring(rpc.Compose(nil, "notifications/subscriptions/acknowledged", params))
}

// relay brings what was listened to to who wants it. uri is "" for a list.
func (c *conn) relay(f *rpc.Frame, uri string) {
	id, ok := rpc.Number(f.Bytes(f.Subscription))
	c.mu.Lock()
	s := c.listening
	if !ok || s == nil || s.id != id || id == 0 {
		c.mu.Unlock()
		return
	}
	plain := map[*Lane]bool{}
	var tagged []*listener
	for _, x := range s.all {
		switch {
		case !x.open || !x.hears(f.Method, uri):
		case x.older:
			plain[x.lane] = true
		default:
			tagged = append(tagged, x)
		}
	}
	if uri == "" {
		for l := range c.lanes {
			if !l.modern {
				plain[l] = true // whoever shook hands is told
			}
		}
	}
	c.mu.Unlock()
	for l := range plain {
		l.bring(f, nil)
	}
	for _, x := range tagged {
		x.errand.bring(f.Edited(f.Subscription.With(x.id)))
	}
}

func (x *listener) hears(method, uri string) bool {
	if uri == "" {
		return x.list(method)
	}
	return slices.ContainsFunc(x.uris, func(of string) bool { return of == uri || partOf(uri, of) })
}

// listen keeps one request open for all that anybody wants to hear, until the
// connection ends.
func (c *conn) listen(ctx context.Context) {
	for wait := leastPause; ctx.Err() == nil; {
		want := c.wanted()
		if want.none() {
			if !c.roused(ctx, nil) {
				return
			}
			continue
		}
		c.pauseListening(ctx)
		began := time.Now()
		err := c.listenFor(ctx, &want)
		if err == nil {
			continue // something else is wanted
		}
		if ctx.Err() != nil || c.reason() != nil {
			return
		}
		c.turnedDown(err)
		if time.Since(began) > mostPause {
			wait = leastPause
		}
		if !pauseOr(ctx, wait, c.done) {
			return
		}
		wait = min(2*wait, mostPause)
	}
}

// roused waits until something else may be wanted; it reports false when over
// comes first, or the end.
func (c *conn) roused(ctx context.Context, over <-chan answer) bool {
	select {
	case <-c.listening.wake:
		return true
	case <-over:
	case <-ctx.Done():
	case <-c.done:
	}
	return false
}

// lastWord is how long the end of a request to listen is waited for.
const lastWord = 250 * time.Millisecond

// pauseListening ends what is listened to over pipes before it is listened to
// for something else. There are servers that take the end of one such request
// for the end of all that came on the same pipe. Over HTTP the next request
// replaces the one that is open.
func (c *conn) pauseListening(ctx context.Context) {
	c.mu.Lock()
	s := c.listening
	id, fl := s.id, s.flight
	if id == 0 || c.wire.process() == nil {
		c.mu.Unlock()
		return
	}
	s.id, s.flight, s.asked, s.granted = 0, nil, interest{}, interest{}
	c.mu.Unlock()
	c.cancel(id, "")
	late := time.NewTimer(lastWord)
	defer late.Stop()
	select {
	case <-fl.reply:
	case <-late.C:
		c.land(id)
	case <-ctx.Done():
	}
	c.stir() // a list may have changed meanwhile
}

// listenFor opens a request to listen, and returns nil when something else is
// wanted and an error when the request has ended.
func (c *conn) listenFor(ctx context.Context, want *interest) error {
	fl := &flight{reply: make(chan answer, 1)}
	id, err := c.launch(fl)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.listening.pending, c.listening.asking = id, *want
	c.mu.Unlock()
	if err := c.wire.send(ctx, c.compose(id, "subscriptions/listen", slices.Concat([]byte(`{"notifications":`), want.document(), []byte(`}`)))); err != nil {
		c.land(id)
		return err
	}
	for {
		select {
		case a := <-fl.reply:
			c.mu.Lock()
			if c.listening.id == id {
				c.listening.id, c.listening.flight, c.listening.asked, c.listening.granted = 0, nil, interest{}, interest{}
			}
			c.mu.Unlock()
			if a.err == nil {
				a.err = errors.New("it ended what is listened to")
			}
			return a.err
		case <-c.listening.wake:
			c.mu.Lock()
			agreed := c.listening.id == id
			c.mu.Unlock()
			switch now := c.wanted(); {
			case now.equal(want) && agreed:
				c.admitListeners()
			case now.equal(want):
			case agreed:
				return nil // this one stays open until it is replaced
			default:
				if c.land(id) != nil {
					c.cancel(id, "")
				}
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		case <-c.done:
			return c.reason()
		}
	}
}

// turnedDown answers those who wait to listen, when a server does not let them.
func (c *conn) turnedDown(err error) {
	var theirs *Error
	if !errors.As(err, &theirs) {
		return // it is tried again
	}
	c.mu.Lock()
	s := c.listening
	var out []*listener
	s.all = slices.DeleteFunc(s.all, func(x *listener) bool {
		if !x.open {
			out = append(out, x)
		}
		return !x.open
	})
	c.mu.Unlock()
	for _, x := range out {
		x.errand.settle(failure(theirs))
	}
}
