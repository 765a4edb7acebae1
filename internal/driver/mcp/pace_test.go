package mcp

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// fickle is the wire to a server whose one tool has another name each time.
type fickle struct {
	conn   *conn
	name   atomic.Int64
	during func() // what happens once between an answer and its arrival; nil nothing
}

func (w *fickle) send(_ context.Context, m *letter) error {
	id, ok := m.id, m.id != 0
	f := m.frame
	if !ok || f.Method != "tools/list" {
		return fmt.Errorf("got %s, want tools/list", f.Method)
	}
	answer := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"%d"}]}}`, id, w.name.Load())
	if w.during != nil {
		w.during()
		w.during = nil
	}
	w.conn.take(answer, 0)
	return nil
}

func (w *fickle) offer(*letter)      {}
func (w *fickle) forget(uint64) bool { return false }
func (w *fickle) process() *process  { return nil }
func (w *fickle) close()             {}

// change gives the tool another name and says so.
func (w *fickle) change() {
	w.name.Add(1)
	w.conn.stir()
}

// told is a time at which a server described itself, and what it said.
type told struct {
	after time.Duration
	doc   string
}

// served runs a test with a server that is ready, in a bubble of its own time.
func served(t *testing.T, test func(w *fickle, seen func() []told)) {
	servedFor(t, 0, test)
}

// servedFor is served with a server that says for how long what it says holds.
func servedFor(t *testing.T, ttl time.Duration, test func(w *fickle, seen func() []told)) {
	synctest.Test(t, func(t *testing.T) {
		var all []told
		began := time.Now()
		o := Options{Joined: func(_ string, d Description) { all = append(all, told{time.Since(began), string(d.JSON)}) }}.withDefaults()
		s := newServer(t.Context(), Target{Key: "k", Name: "acme:k"}, &o, nil, nil).first
		w := &fickle{conn: newConn(s.log)}
		w.conn.wire = w
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- s.serve(ctx, w.conn, &hello{offers: map[string]bool{"tools": true}, ttl: ttl})
		}()
		test(w, func() []told {
			synctest.Wait()
			return all
		})
		cancel()
		if err := <-ended; ctx.Err() == nil || err != ctx.Err() {
			t.Errorf("serve: got %v, want the end of its context", err)
		}
	})
}

func after(all []told) (out []time.Duration) {
	for _, x := range all {
		out = append(out, x.after)
	}
	return out
}

// TestPaceBacksOff wants a server that changes its tools all the time to be
// asked at once, then ever less often, and to be heard in the end.
func TestPaceBacksOff(t *testing.T) {
	served(t, func(w *fickle, seen func() []told) {
		const every = 10 * time.Millisecond
		for range 10 * time.Minute / every {
			w.change()
			<-time.After(every)
		}
		w.change()
		<-time.After(time.Minute)
		all := seen()
		var want []time.Duration
		at := time.Duration(0)
		for wait := 100 * time.Millisecond; at+wait < 11*time.Minute; wait = min(2*wait, time.Minute) {
			at += wait
			want = append(want, at)
		}
		got := after(all)
		soon := func(got, want time.Duration) bool { // each wait begins with the next notice
			return got >= want && got-want <= time.Duration(len(all))*every
		}
		if !slices.EqualFunc(got, want, soon) {
			t.Errorf("described after %v, want %v", got, want)
		}
		if last, want := all[len(all)-1].doc, fmt.Sprintf(`{"tools":[{"name":"%d"}]}`, w.name.Load()); last != want {
			t.Errorf("described last: got %s, want %s", last, want)
		}
	})
}

// TestPaceLosesNothing wants a change that is told while the server is asked to
// be described, later.
func TestPaceLosesNothing(t *testing.T) {
	served(t, func(w *fickle, seen func() []told) {
		w.during = w.change
		w.change()
		<-time.After(300 * time.Millisecond)
		want := []told{
			{100 * time.Millisecond, `{"tools":[{"name":"1"}]}`},
			{300 * time.Millisecond, `{"tools":[{"name":"2"}]}`},
		}
		if got := seen(); !slices.Equal(got, want) {
			t.Errorf("described: got %v, want %v", got, want)
		}
	})
}

// TestPaceForgets wants a server that said nothing for a minute to be asked at
// once again, and one that was quiet for less not to be.
func TestPaceForgets(t *testing.T) {
	served(t, func(w *fickle, seen func() []told) {
		var want []time.Duration
		at := time.Duration(0)
		for _, c := range []struct{ quiet, wait time.Duration }{
			{0, 100 * time.Millisecond},
			{time.Second, 200 * time.Millisecond},
			{59 * time.Second, 400 * time.Millisecond},
			{time.Minute, 100 * time.Millisecond},
			{0, 200 * time.Millisecond},
			{time.Hour, 100 * time.Millisecond},
		} {
			<-time.After(c.quiet)
			w.change()
			<-time.After(c.wait)
			at += c.quiet + c.wait
			want = append(want, at)
			if got := after(seen()); !slices.Equal(got, want) {
				t.Fatalf("described after %v, want %v", got, want)
			}
		}
	})
}

// TestTimeToLive wants what a server says to be asked for again when it does not
// hold any more by its own word, and not more often than once a minute.
func TestTimeToLive(t *testing.T) {
	for ttl, want := range map[time.Duration]time.Duration{time.Second: time.Minute, 10 * time.Minute: 10 * time.Minute} {
		servedFor(t, ttl, func(_ *fickle, seen func() []told) {
			<-time.After(time.Hour)
			if got := after(seen()); !slices.Equal(got, []time.Duration{want}) {
				t.Errorf("%v: described again after %v, want after %v, and then not, since it does not say so again", ttl, got, want)
			}
		})
	}
}
