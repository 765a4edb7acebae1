package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// modernVersion is the revision without a handshake that is spoken here.
const modernVersion = "2026-07-28"

// introduce is what a request needs to say to a server of 2026-07-28 beside what
// it does: which revision it is of, who asks, and what can be asked of them.
func introduce(f *rpc.Frame, by Client, can *abilities, level []byte) []rpc.Edit {
	return insert(f, introduction(f, by, can, level))
}

// introduction is members of an object, those that f has not got.
func introduction(f *rpc.Frame, by Client, can *abilities, level []byte) []byte {
	var out []byte
	add := func(there rpc.Span, key string, value []byte) {
		if there.There() || value == nil {
			return
		}
		if out != nil {
			out = append(out, ',')
		}
		out = append(append(append(append(out, '"'), key...), `":`...), value...)
	}
	add(f.Version, rpc.KeyVersion, []byte(`"`+modernVersion+`"`))
	add(f.Client, rpc.KeyClient, by.info())
	if can == nil {
		can = &abilities{}
	}
	add(f.Capabilities, rpc.KeyCapabilities, can.declared())
	add(f.LogLevel, rpc.KeyLogLevel, level)
	return out
}

// info is the client as a document of the protocol.
func (c Client) info() []byte {
	return slices.Concat([]byte(`{"name":`), rpc.Quote(c.Name), []byte(`,"version":`), rpc.Quote(c.Version), []byte(`}`))
}

// insert puts members into the _meta of a request, which it makes where there
// is none.
func insert(f *rpc.Frame, members []byte) []rpc.Edit {
	switch {
	case len(members) == 0:
		return nil
	case f.Meta.There() && f.Raw[f.Meta.From] == '{':
		return []rpc.Edit{first(f, f.Meta, members)}
	case f.Meta.There():
		return []rpc.Edit{f.Meta.With(slices.Concat([]byte(`{`), members, []byte(`}`)))}
	}
	meta := slices.Concat([]byte(`"_meta":{`), members, []byte(`}`))
	switch {
	case f.Params.There() && f.Raw[f.Params.From] == '{':
		return []rpc.Edit{first(f, f.Params, meta)}
	case f.Params.There():
		return nil // a list: the server says what is wrong with it
	}
	end := bytes.LastIndexByte(f.Raw, '}')
	return []rpc.Edit{rpc.Span{From: end, To: end}.With(slices.Concat([]byte(`,"params":{`), meta, []byte(`}`)))}
}

// first makes members the first ones of an object.
func first(f *rpc.Frame, object rpc.Span, members []byte) rpc.Edit {
	at := rpc.Span{From: object.From + 1, To: object.From + 1}
	if hollow(f.Bytes(object)) {
		return at.With(members)
	}
	return at.With(append(clone(members), ','))
}

// hollow reports whether an object has no members.
func hollow(object []byte) bool { return len(bytes.TrimSpace(object[1:len(object)-1])) == 0 }

// discover asks a server which revisions it speaks. The error of one that is
// there and does not speak 2026-07-28 is errOlder.
func (c *conn) discover(ctx context.Context, client Client) (*flight, uint64, error) {
	fl := &flight{reply: make(chan answer, 1)}
	id, err := c.launch(fl)
	if err != nil {
		return nil, 0, err
	}
	m := c.compose(id, "server/discover", nil)
	if !c.modern.Load() {
		m.raw = rpc.Splice(m.frame.Raw, introduce(m.frame, client, nil, nil)...)
	}
	if f, err := rpc.Read(m.raw); err == nil {
		m.frame = &f // its headers say what it says
	}
	if err := c.wire.send(ctx, m); err != nil {
		c.land(id)
		return nil, 0, err
	}
	return fl, id, nil
}

// errOlder is a server that does not speak 2026-07-28.
var errOlder = errors.New("it speaks a revision with a handshake")

// found is what a server answered when it was asked which revisions it speaks.
func found(a answer) (*hello, error) {
	if a.err != nil {
		return nil, a.err
	}
	parts, err := rpc.Members(a.result, "supportedVersions", "capabilities", "instructions", "_meta", "ttlMs")
	if err != nil {
		return nil, errOlder
	}
	versions, err := rpc.Elements(parts["supportedVersions"], 100)
	if err != nil || !slices.ContainsFunc(versions, func(v []byte) bool { s, _ := rpc.Text(v); return s == modernVersion }) {
		return nil, errOlder
	}
	parts["protocolVersion"] = []byte(`"` + modernVersion + `"`)
	if meta, err := rpc.Members(parts["_meta"], "io.modelcontextprotocol/serverInfo"); err == nil {
		if info := meta["io.modelcontextprotocol/serverInfo"]; info != nil {
			parts["serverInfo"] = info
		}
	}
	h := &hello{version: modernVersion, ttl: duration(parts["ttlMs"])}
	return h, h.read(parts)
}

// duration is the time that a number of milliseconds spells; 0 for anything
// else.
func duration(raw []byte) time.Duration {
	ms, ok := rpc.Number(raw)
	if !ok || ms > uint64(24*time.Hour/time.Millisecond) {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// meet finds out which era a server is of and greets it. One that was of an era
// before is greeted so first. Over pipes a server that is silent may be slow, or
// may not answer what it does not know: it is greeted in the older way too, and
// what it answers first counts.
func meet(ctx context.Context, c *conn, client Client, can *abilities, was era, silence time.Duration) (*hello, error) {
	if was == older || was == oldest {
		h, err := shake(ctx, c, client, can)
		var theirs *Error
		if !errors.As(err, &theirs) || was == oldest {
			return h, err
		}
	}
	fl, id, err := c.discover(ctx, client)
	if err != nil {
		return nil, err
	}
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	if c.wire.process() == nil || was == newer {
		quiet.Stop() // what is asked over HTTP is answered, and so is what was answered before
	}
	select {
	case a := <-fl.reply:
		h, err := found(a)
		if err == nil || !answered(ctx, c, err) {
			return c.settled(h, err)
		}
		return shake(ctx, c, client, can)
	case <-quiet.C:
		return c.race(ctx, client, can, fl, id)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// answered reports whether an error is what a server answered, in whatever way,
// so that it can be asked otherwise.
func answered(ctx context.Context, c *conn, err error) bool {
	var l *lost
	return ctx.Err() == nil && c.reason() == nil && !errors.As(err, &l)
}

// race greets in the older way while the question for revisions is not answered.
func (c *conn) race(ctx context.Context, client Client, can *abilities, fl *flight, id uint64) (*hello, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		h   *hello
		err error
	}
	shaken := make(chan outcome, 1)
	go func() { // it ends with ctx, and is waited for
		h, err := shake(ctx, c, client, can)
		shaken <- outcome{h, err}
	}()
	select {
	case o := <-shaken:
		if o.err != nil && answered(ctx, c, o.err) {
			return c.lastly(ctx, fl, o.err)
		}
		if c.land(id) == nil { // it was answered, too
			if _, err := found(<-fl.reply); err == nil && o.err == nil {
				return nil, errTwice
			}
		}
		return o.h, o.err
	case a := <-fl.reply:
		h, err := found(a)
		if err != nil {
			o := <-shaken
			return o.h, o.err
		}
		late := time.NewTimer(lastGasp)
		defer late.Stop()
		select {
		case o := <-shaken:
			if o.err != nil && answered(ctx, c, o.err) {
				return c.settled(h, nil)
			}
		case <-late.C: // it may take the other greeting yet
			cancel()
			<-shaken
		}
		if reason := c.reason(); reason != nil {
			return nil, reason
		}
		return nil, errTwice
	}
}

// errTwice is a server that was greeted in both ways and took both: which revision it
// speaks on these pipes from then on is not known.
var errTwice = errors.New("it was slow to begin, and was greeted in two ways; it is started anew, and greeted as one of " + modernVersion)

// lastly waits for what a server answers to the question for revisions when it
// has refused to be greeted in the older way, which why says.
func (c *conn) lastly(ctx context.Context, fl *flight, why error) (*hello, error) {
	select {
	case a := <-fl.reply:
		h, err := found(a)
		if err != nil {
			return nil, why
		}
		return c.settled(h, nil)
	case <-ctx.Done():
		return nil, why
	}
}

// settled is told that a server speaks 2026-07-28.
func (c *conn) settled(h *hello, err error) (*hello, error) {
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.listening = &listening{wake: make(chan struct{}, 1), offers: h.changes}
	c.mu.Unlock()
	c.modern.Store(true)
	return h, nil
}

// era is what was found out about a declaration.
type era int

const (
	unknown era = iota
	older
	newer
	oldest // only the handshake is tried
)

// performModern is perform for a server of 2026-07-28. What the peer knows otherwise is
// done here.
func (l *Lane) performModern(ctx context.Context, e *errand, c *conn, f *rpc.Frame) (*rpc.Frame, error) {
	if f.Method == "subscriptions/listen" {
		return l.listen(ctx, e, c, f)
	}
	if l.modern {
		if f.Version.There() {
			return l.exchange(ctx, e, c, f, f.Capabilities.With(carried(f.Bytes(f.Capabilities))))
		}
		return l.exchange(ctx, e, c, f, introduce(f, c.client, &l.can, nil)...)
	}
	switch f.Method {
	case "ping":
		return done(), nil
	case "logging/setLevel":
		level := severity(f)
		if level < 0 {
			return refusal(-32602, "there are the levels "+strings.Join(severities(), ", ")), nil
		}
		c.level(l, level)
		return done(), nil
	case "resources/subscribe":
		return l.follow(ctx, e, c, f)
	case "resources/unsubscribe":
		l.unfollow(c, f)
		return done(), nil
	case "tools/call", "prompts/get", "resources/read":
		return l.rounds(ctx, e, c, f)
	}
	return l.exchange(ctx, e, c, f, introduce(f, c.client, &l.can, l.logLevel(c))...)
}

// logLevel is the level that its peer has set, as JSON; nil when it has none.
func (l *Lane) logLevel(c *conn) []byte {
	if _, level := c.wants(l); level >= 0 {
		return rpc.Quote(severities()[level])
	}
	return nil
}

// said is an error of a bridge, for people.
func said(format string, args ...any) error {
	return fmt.Errorf("%s", ext.Escape(fmt.Sprintf(format, args...)))
}
