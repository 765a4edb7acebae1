package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

// peer is a client that declared something.
func peer(id, capabilities string) *mcp.Peer {
	return &mcp.Peer{ID: id, Capabilities: json.RawMessage(capabilities)}
}

// told is what the fixture says of its session.
type told struct {
	Pid      int
	Declared json.RawMessage
	Levels   []string
	Subs     []string
}

// ask sends a call over a lane and is its result; frames before it are lost.
func ask(t testing.TB, l *mcp.Talk, tool string) string {
	t.Helper()
	send(t, l, `{"jsonrpc":"2.0","id":"ask","method":"tools/call","params":{"name":"`+tool+`"}}`)
	return answerTo(t, l, `"ask"`)
}

func answerTo(t testing.TB, l *mcp.Talk, id string) string {
	t.Helper()
	for {
		got := recv(t, l)
		var f message
		decode(t, got, &f)
		if f.Method == "" && string(f.ID) == id {
			return got
		}
	}
}

func (b *bench) told(l *mcp.Talk) (out told) {
	b.t.Helper()
	var f struct{ Result told }
	decode(b.t, ask(b.t, l, "state"), &f)
	return f.Result
}

// TestSessions wants peers that declare nothing to share the session that runs
// anyway, those that declared the same to share one that says so, and those
// that declared roots to have one each; and each to end when nobody uses it.
func TestSessions(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	first := b.self(s).Pid
	for _, p := range []*mcp.Peer{nil, peer("a", ``), peer("b", `{}`), peer("c", `{"tasks":{},"sampling":null,"odd":{}}`), peer("d", `[]`)} {
		l := b.linkFor(s, p)
		if got := b.told(l); got.Pid != first || string(got.Declared) != `{}` {
			t.Errorf("%+v: got session %d with %s, want that which runs anyway", p, got.Pid, got.Declared)
		}
	}
	one, two := b.linkFor(s, peer("a", `{"sampling":{"tools":{}},"elicitation":{}}`)), b.linkFor(s, peer("b", `{"elicitation": { }, "sampling":{"\u0074ools":{}}}`))
	other := b.linkFor(s, peer("a", `{"sampling":{}}`))
	if x, y, z := b.told(one), b.told(two), b.told(other); x.Pid == first || x.Pid != y.Pid || z.Pid == x.Pid || string(x.Declared) != `{"elicitation":{},"sampling":{"tools":{}}}` {
		t.Errorf("the same declared: got %+v and %+v, otherwise %+v; want the first two to share one that says so", x, y, z)
	}
	mine, again, theirs := b.linkFor(s, peer("a", `{"roots":{}}`)), b.linkFor(s, peer("a", `{"roots":{}}`)), b.linkFor(s, peer("b", `{"roots":{}}`))
	if x, y, z := b.told(mine), b.told(again), b.told(theirs); x.Pid != y.Pid || z.Pid == x.Pid {
		t.Errorf("roots: got sessions %d, %d and %d; want one for each peer", x.Pid, y.Pid, z.Pid)
	}
	if st := b.Status(); len(st) != 1 || st[0].Sessions != 5 || st[0].Pid != first {
		t.Errorf("status: got %+v, want 5 sessions of one server", st)
	}
	for _, l := range []*mcp.Talk{one, other, mine, again, theirs} {
		l.Close()
	}
	b.until(s.Name, "two sessions", func(st mcp.Status) bool { return st.Sessions == 2 })
	if got := b.told(two); got.Pid == first {
		t.Error("the session that is used still has ended")
	}
}

// TestSessionsBounded wants a peer more than there may be to be told so, unless
// a session is not used any more.
func TestSessionsBounded(t *testing.T) {
	b, s := newBench(t, func(o *mcp.Options) { o.Peers, o.Idle = 2, patience }), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	one := b.linkFor(s, peer("1", `{"roots":{}}`))
	b.linkFor(s, peer("2", `{"roots":{}}`))
	if _, err := b.Link(context.Background(), ref(s, ""), peer("3", `{"roots":{}}`)); err == nil || !strings.Contains(err.Error(), "2 clients") {
		t.Errorf("a third session: got %v, want that there are two", err)
	}
	one.Close()
	b.told(b.linkFor(s, peer("3", `{"roots":{}}`)))
}

// TestServerAsksPeer wants a question of the server to reach the peer whose call
// it is about with an id of its lane and every other byte, the peer's progress
// and answer to reach the server with its own, and neither to be kept back by
// the call that waits.
func TestServerAsksPeer(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	one, two := b.linkFor(s, peer("a", `{"sampling":{}}`)), b.linkFor(s, peer("b", `{"sampling":{}}`))
	for n, l := range []*mcp.Talk{one, two, one} {
		send(t, l, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sample"}}`)
		id := "1"
		if n == 2 {
			id = "2"
		}
		if got, want := recv(t, l), `{"jsonrpc":"2.0","id":`+id+`,"method":"sampling/createMessage","params":{"n":1.0,"_meta":{"progressToken":`+id+`}}}`; got != want {
			t.Fatalf("question: got %s, want %s", got, want)
		}
		send(t, l, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+id+`,"progress":1}}`)
		send(t, l, `{"jsonrpc":"2.0","id":`+id+`,"result":{"x":1.50, "y":"\u00e9"}}`)
		if got, want := recv(t, l), `{"jsonrpc":"2.0","id":1,"result":{"result":{"x":1.50, "y":"\u00e9"},"error":null}}`; got != want {
			t.Errorf("answer: got %s, want %s", got, want)
		}
	}
	if err := one.Send(context.Background(), json.RawMessage(`{"jsonrpc":"2.0","id":2,"result":{}}`)); err != nil {
		t.Errorf("a second answer: got %v, want it to be dropped", err)
	}
	if err := one.Send(context.Background(), json.RawMessage(`{"jsonrpc":"2.0","id":3,"result":{}}`)); err == nil {
		t.Error("an answer to what was never asked: got no error, want one")
	}
	plain := b.link(s)
	if got := ask(t, plain, "sample"); !strings.Contains(got, "-32601") {
		t.Errorf("a peer that declared nothing: got %s, want the server to be told that there is no such method", got)
	}
}

// TestServerWithdraws wants a question that the server does not ask any more to
// be taken back by its id in the lane, and one whose peer is gone to be
// answered.
func TestServerWithdraws(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	l := b.linkFor(s, peer("a", `{"sampling":{},"roots":{}}`))
	send(t, l, `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"sample"}}`)
	recv(t, l)
	send(t, l, `{"jsonrpc":"2.0","id":"u","method":"tools/call","params":{"name":"unask"}}`)
	if one, two, want := recv(t, l), recv(t, l), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`; one != want && two != want {
		t.Errorf("withdrawn: got %s and %s, want %s and the answer", one, two, want)
	}
	again := b.linkFor(s, peer("a", `{"sampling":{},"roots":{}}`))
	send(t, l, `{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"name":"sample"}}`)
	for !strings.Contains(recv(t, l), "createMessage") {
	}
	l.Close()
	if got := b.told(again); got.Pid == 0 {
		t.Error("the session went with one of its lanes")
	}
}

// TestParted wants a question that could be meant for several peers to be turned
// down, and each of them to have a session of its own from then on, with what it
// subscribed to and without noticing.
func TestParted(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	lanes := []*mcp.Talk{b.linkFor(s, peer("a", `{"sampling":{}}`)), b.linkFor(s, peer("b", `{"sampling":{}}`))}
	shared := b.told(lanes[0]).Pid
	for i, l := range lanes {
		send(t, l, fmt.Sprintf(`{"jsonrpc":"2.0","id":"s","method":"resources/subscribe","params":{"uri":"x://%d"}}`, i))
		answerTo(t, l, `"s"`)
		send(t, l, `{"jsonrpc":"2.0","id":"l","method":"logging/setLevel","params":{"level":"warning"}}`)
		answerTo(t, l, `"l"`)
	}
	send(t, lanes[0], `{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"name":"never"}}`)
	send(t, lanes[1], `{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"name":"sample"}}`)
	if got := recv(t, lanes[1]); !strings.Contains(got, `"id":"q"`) || !strings.Contains(got, "it cannot be told which client is meant") {
		t.Errorf("a question that could be meant for either: got %s, want it turned down", got)
	}
	send(t, lanes[0], `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"n"}}`)
	pids := map[int]bool{}
	for i, l := range lanes {
		got := b.told(l)
		pids[got.Pid] = true
		if got.Pid == shared || string(got.Declared) != `{"sampling":{}}` || len(got.Subs) != 1 || got.Subs[0] != fmt.Sprintf("subscribe x://%d", i) || len(got.Levels) != 1 {
			t.Errorf("peer %d: got %+v, want a session of its own that knows what it wants", i, got)
		}
		send(t, l, `{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"name":"sample"}}`)
		if got := recv(t, l); !strings.Contains(got, "createMessage") {
			t.Errorf("peer %d: got %s, want the question", i, got)
		}
	}
	if len(pids) != 2 {
		t.Errorf("sessions: got %v, want one for each", pids)
	}
	b.until(s.Name, "three sessions", func(st mcp.Status) bool { return st.Sessions == 3 })
}

// TestSubscriptions wants the server to be told of a resource once for all who
// want to hear of it, and those alone to hear, with what belongs to it.
func TestSubscriptions(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	one, two, none := b.link(s), b.link(s), b.link(s)
	for _, l := range []*mcp.Talk{one, two} {
		send(t, l, `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x://a/"}}`)
		answerTo(t, l, `1`)
	}
	send(t, none, `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x://none"}}`)
	if got := recv(t, none); !strings.Contains(got, "no such resource") {
		t.Errorf("what cannot be subscribed to: got %s, want the server's error", got)
	}
	say := func(uri string) {
		t.Helper()
		send(t, none, `{"jsonrpc":"2.0","id":"say","method":"tools/call","params":{"name":"say","arguments":[{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"`+uri+`"}}]}}`)
		if got := recv(t, none); !strings.Contains(got, `"id":"say"`) {
			t.Errorf("who did not subscribe: got %s, want its answer alone", got)
		}
	}
	for _, uri := range []string{"x://a/", "x://a/part", "x://none", "x://ab", "x://b"} {
		say(uri)
	}
	for _, l := range []*mcp.Talk{one, two} {
		for _, uri := range []string{"x://a/", "x://a/part"} {
			if got := recv(t, l); !strings.Contains(got, `"uri":"`+uri+`"`) {
				t.Errorf("who subscribed: got %s, want that %s changed", got, uri)
			}
		}
	}
	send(t, one, `{"jsonrpc":"2.0","id":2,"method":"resources/unsubscribe","params":{"uri":"x://a/"}}`)
	if got := recv(t, one); got != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Errorf("unsubscribed: got %s, want that it worked", got)
	}
	say("x://a/")
	if got := recv(t, two); !strings.Contains(got, "updated") {
		t.Errorf("who is still subscribed: got %s, want the notice", got)
	}
	two.Close()
	late := b.link(s)
	subs := b.told(late).Subs
	if got, want := strings.Join(subs, ", "), "subscribe x://a/, subscribe x://a/, subscribe x://none, unsubscribe x://a/"; got != want {
		t.Errorf("the server was told %s, want %s", got, want)
	}
}

// TestLevels wants the server to be told the most verbose of the levels, and
// each peer to hear what it asked for.
func TestLevels(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	quiet, loud := b.link(s), b.link(s)
	for l, levels := range map[*mcp.Talk][]string{quiet: {"error"}, loud: {"debug"}} {
		for _, level := range levels {
			send(t, l, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"`+level+`"}}`)
			answerTo(t, l, `1`)
		}
	}
	send(t, quiet, `{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"alert"}}`)
	answerTo(t, quiet, `2`)
	if got := b.told(loud).Levels; got[len(got)-1] != "debug" {
		t.Errorf("levels: got %v, want the last to be the most verbose", got)
	}
	for l, want := range map[*mcp.Talk]int{quiet: 1, loud: 2} {
		send(t, l, `{"jsonrpc":"2.0","id":"say","method":"tools/call","params":{"name":"say","arguments":[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}},{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"emergency","data":1}}]}}`)
		n := 0
		for !strings.Contains(recv(t, l), `"id":"say"`) {
			n++
		}
		if n != want {
			t.Errorf("got %d messages, want %d", n, want)
		}
	}
}

// TestListChangesTold wants all who are connected to hear that a list changed.
func TestListChangesTold(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	one, two := b.link(s), b.link(s)
	send(t, one, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"grow"}}`)
	const want = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	if first, second := recv(t, one), recv(t, one); first != want && second != want { // beside the answer
		t.Errorf("who called: got %s and %s, want %s among them", first, second, want)
	}
	if got := recv(t, two); got != want {
		t.Errorf("who did not: got %s, want %s", got, want)
	}
}

// TestLimits wants a request that takes too long, or is silent for too long, to
// be answered with an error and cancelled, and one that tells of its progress to
// go on.
func TestLimits(t *testing.T) {
	for name, change := range map[string]func(*mcp.Options){
		"within":       func(o *mcp.Options) { o.Call = 500e6 },
		"said nothing": func(o *mcp.Options) { o.Silence = 200e6 },
	} {
		t.Run(name, func(t *testing.T) {
			b, s := newBench(t, change), fixtureTarget(t, "normal")
			b.Run([]mcp.Target{s})
			l := b.link(s)
			send(t, l, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"never"}}`)
			ids := b.waitFor(s, 1)
			if got := recv(t, l); !strings.Contains(got, `"id":1,"error"`) || !strings.Contains(got, name) {
				t.Errorf("got %s, want an error that it took too long", got)
			}
			b.cancelled(s, ids)
		})
	}
}
