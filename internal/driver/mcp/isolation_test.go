package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mortise-dev/mortise/internal/rpc"
)

// deck is the wire to a server that keeps what it is sent until a test answers.
type deck struct {
	fickle
	mu   sync.Mutex
	sent []*letter
}

func (w *deck) send(_ context.Context, m *letter) error {
	w.offer(m)
	return nil
}

func (w *deck) offer(m *letter) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, m)
}

// world is a connection that several peers share, and what each may see: every
// word of a peer's has its mark, and so has what the server says of it.
type world struct {
	t       *testing.T
	r       *rand.Rand
	wire    *deck
	stream  bool // the server tells on which request's stream it speaks
	lanes   []*Talk
	open    []map[string]bool // ids that each peer waits for
	flying  map[uint64]int    // requests at the server, and whose they are
	past    map[uint64]int    // those that were answered or cancelled
	asked   map[string]int    // by the server's id: whom it meant
	serial  int
	answers int
}

func (w *world) mark(who int) string { return fmt.Sprintf("<peer-%d>", who) }

func (w *world) next() int { w.serial++; return w.serial }

// step does one thing that a peer or the server may do.
func (w *world) step() {
	who := w.r.IntN(len(w.lanes))
	l := w.lanes[who]
	switch w.r.IntN(9) {
	case 0, 1: // a request; ids and tokens are those of others, too
		id := fmt.Sprintf("%d", w.r.IntN(4))
		if w.open[who][id] {
			return
		}
		err := l.Say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"_meta":{"progressToken":%s},"name":"x","of":"%s"}}`, id, id, w.mark(who)))
		if err != nil {
			w.t.Fatal(err)
		}
		w.open[who][id] = true
	case 2: // a peer cancels
		id := fmt.Sprintf("%d", w.r.IntN(4))
		if err := l.Say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`); err != nil {
			w.t.Fatal(err)
		}
		delete(w.open[who], id)
	default:
		w.takeIn()
		w.speak()
	}
	synctest.Wait()
	w.takeIn()
	w.fetch()
}

// takeIn is the server reading what it was sent.
func (w *world) takeIn() {
	for _, m := range w.wire.sent {
		text := string(m.raw)
		f, err := rpc.Read(m.raw)
		if err != nil {
			w.t.Fatalf("the server got %s: %v", text, err)
		}
		switch {
		case f.Kind == rpc.Request:
			of := 0
			for of < len(w.lanes) && !strings.Contains(text, w.mark(of)) {
				of++
			}
			w.flying[m.id] = of
		case f.Method == "notifications/cancelled":
			id, _ := rpc.Number(f.Bytes(f.RequestID))
			w.past[id] = w.flying[id]
			delete(w.flying, id)
		case f.Kind == rpc.Response && f.Result.There():
			of, there := w.asked[string(f.Bytes(f.ID))]
			if !there || !strings.Contains(text, w.mark(of)) {
				w.t.Fatalf("the server asked peer %d (%v) and got %s", of, there, text)
			}
			delete(w.asked, string(f.Bytes(f.ID)))
			w.answers++
		}
	}
	w.wire.sent = nil
}

// speak is the server saying something that belongs to one of its requests.
func (w *world) speak() {
	var ids []uint64
	for id := range w.flying {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return
	}
	if w.stream && w.r.IntN(4) == 0 {
		w.mutter()
	}
	id := ids[w.r.IntN(len(ids))]
	of, from := w.flying[id], uint64(0)
	if w.stream {
		from = id
	}
	say := func(format string, args ...any) { w.wire.conn.take(fmt.Appendf(nil, format, args...), from) }
	switch w.r.IntN(6) {
	case 0:
		say(`{"jsonrpc":"2.0","id":%d,"result":{"of":"%s"}}`, id, w.mark(of))
		w.past[id] = of
		delete(w.flying, id)
		if w.r.IntN(3) == 0 { // twice
			say(`{"jsonrpc":"2.0","id":%d,"result":{"of":"%s"}}`, id, w.mark(of))
		}
	case 1:
		say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"message":"%s"}}`, id, w.mark(of))
	case 2:
		say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%s"}}`, w.mark(of))
	case 3:
		ask := fmt.Sprintf(`"q%d"`, w.next())
		w.asked[ask] = of
		say(`{"jsonrpc":"2.0","id":%s,"method":"sampling/createMessage","params":{"of":"%s"}}`, ask, w.mark(of))
	case 4:
		for ask, whom := range w.asked {
			if whom == of {
				say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"%s"}}`, ask, w.mark(of))
				delete(w.asked, ask)
				break
			}
		}
	default:
		say(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://%s"}}`, w.mark(of))
	}
}

// mutter is the server speaking on the stream of a request that is over.
func (w *world) mutter() {
	for id, of := range w.past {
		for _, what := range []string{
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"%s"}}`,
			`{"jsonrpc":"2.0","method":"odd","params":{"of":"%s"}}`,
			`{"jsonrpc":"2.0","id":"late","method":"sampling/createMessage","params":{"of":"%s"}}`,
		} {
			w.wire.conn.take(fmt.Appendf(nil, what, w.mark(of)), id)
		}
		return
	}
}

// fetch is each peer reading what came, which must be its own.
func (w *world) fetch() {
	for who, l := range w.lanes {
		for _, frame := range l.All() {
			w.check(who, l, frame)
		}
	}
	synctest.Wait()
}

func (w *world) check(who int, l *Talk, raw string) {
	if strings.Count(raw, "<peer-") != strings.Count(raw, w.mark(who)) {
		w.t.Fatalf("peer %d got %s", who, raw)
	}
	f, err := rpc.Read([]byte(raw))
	if err != nil {
		w.t.Fatalf("peer %d got %s: %v", who, raw, err)
	}
	switch f.Kind {
	case rpc.Response:
		if id := string(f.Bytes(f.ID)); !w.open[who][id] {
			w.t.Fatalf("peer %d got an answer that it does not wait for: %s", who, raw)
		} else {
			delete(w.open[who], id)
		}
	case rpc.Request:
		if w.r.IntN(8) == 0 {
			return // it never answers
		}
		if err := l.Say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"by":"%s"}}`, f.Bytes(f.ID), w.mark(who))); err != nil {
			w.t.Fatal(err)
		}
	case rpc.Notification:
		if f.Method == "notifications/progress" && !w.open[who][string(f.Bytes(f.Token))] {
			w.t.Fatalf("peer %d got progress of what it does not wait for: %s", who, raw)
		}
	}
}

// TestNothingCrosses wants nothing of one peer to reach another, in whatever
// order they and the server speak: no answer, no progress, no message, no notice
// of what one subscribed to, no question of the server and no answer to one.
func TestNothingCrosses(t *testing.T) {
	for _, stream := range []bool{false, true} {
		for seed := range uint64(60) {
			synctest.Test(t, func(t *testing.T) { nothingCrosses(t, stream, seed) })
		}
	}
}

func nothingCrosses(t *testing.T, stream bool, seed uint64) {
	t.Helper()
	w := &world{t: t, r: rand.New(rand.NewPCG(seed, 7)), wire: &deck{fickle: fickle{conn: newConn(&journal{})}}, stream: stream, flying: map[uint64]int{}, past: map[uint64]int{}, asked: map[string]int{}}
	can := json.RawMessage(`{"sampling":{}}`)
	c := w.wire.conn
	c.wire, c.shared, c.can = w.wire, true, ablesOf(&Peer{Capabilities: can})
	for who := range 4 {
		l, err := c.lane(&Peer{ID: fmt.Sprint(who), Capabilities: can})
		if err != nil {
			t.Fatal(err)
		}
		w.lanes, w.open = append(w.lanes, NewTalk(l)), append(w.open, map[string]bool{`"s"`: true})
		if err := w.lanes[who].Say(`{"jsonrpc":"2.0","id":"s","method":"resources/subscribe","params":{"uri":"x://` + w.mark(who) + `"}}`); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	}
	for range 400 {
		w.step()
	}
	if stream && w.answers == 0 {
		t.Errorf("seed %d: no question of the server was answered, want some", seed)
	}
	for _, l := range w.lanes {
		l.Close()
	}
	synctest.Wait()
	if len(c.flights) > 0 && !allOurs(c) || len(c.asked) > 0 || len(c.lanes) > 0 || len(c.subscribed) > 0 {
		t.Fatalf("seed %d: what is left of closed lanes is %d requests, %d questions, %d lanes, %d subscriptions; want nothing", seed, len(c.flights), len(c.asked), len(c.lanes), len(c.subscribed))
	}
}

// allOurs reports whether nothing in flight is a lane's.
func allOurs(c *conn) bool {
	for _, fl := range c.flights {
		if fl.errand != nil {
			return false
		}
	}
	return true
}
