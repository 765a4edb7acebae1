package mcp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

// held counts the requests that a handler holds.
type held struct {
	mu        sync.Mutex
	now, most int
	came      chan struct{} // one for each
}

// hold holds a request until its client gives it up, or release is closed.
func (h *held) hold(r *http.Request, release <-chan struct{}) {
	h.mu.Lock()
	h.now++
	h.most = max(h.most, h.now)
	h.mu.Unlock()
	h.came <- struct{}{}
	select {
	case <-r.Context().Done():
	case <-release:
	}
	h.mu.Lock()
	h.now--
	h.mu.Unlock()
}

func (h *held) atMost() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.most
}

// TestRemotePingFlood wants a server that asks without end and hangs on the
// answers to be answered one at a time, what there is no room for to be left
// out with a note, and a call to be answered and cancelled all the while.
func TestRemotePingFlood(t *testing.T) {
	const pings = 5000
	h := &held{came: make(chan struct{}, pings)}
	flooded, asked := make(chan struct{}), make(chan struct{}, 1)
	cancelled := make(chan struct{}, 1)
	var lists atomic.Int64
	x := newWeb(t, func(w http.ResponseWriter, r *http.Request, m message) bool {
		switch {
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			for i := range pings {
				fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}\n\n", i)
			}
			io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case r.Method == http.MethodPost && m.Method == "":
			h.hold(r, nil)
		case strings.Contains(string(m.Params), "never"):
			asked <- struct{}{}
			<-r.Context().Done()
		case m.Method == "notifications/cancelled":
			cancelled <- struct{}{}
			return false
		case m.Method == "tools/list":
			if lists.Add(1) == 2 {
				close(flooded)
			}
			return false
		default:
			return false
		}
		return true
	})
	b, s := newBench(t, nil), remoteTarget(x.URL)
	s.Log = filepath.Join(t.TempDir(), "log")
	b.Run([]mcp.Target{s})
	<-flooded // it was asked for its tools again, so all that came before was taken in
	b.must(s, "t", "")
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error, 1)
	go func() {
		_, err := b.Call(ctx, ref(s, "never"), nil)
		failed <- err
	}()
	<-asked
	cancel()
	<-failed
	<-cancelled
	<-h.came
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if n := h.atMost(); n > 2 { // the server may learn late that the one before was given up
		t.Errorf("answers on their way at once: got %d, want 1", n)
	}
	if log := logOf(t, s); strings.Count(log, "messages of ours are left out") != 1 || !strings.Contains(log, " messages of ours were left out") {
		t.Errorf("log: got %q, want one note when the first was left out, and their number", log)
	}
}

// TestRemoteConnections wants a server to be spoken to over so many
// connections at a time, calls beyond that to be answered in their turn, what is
// no call to wait for none of them, and neither another server of the same host.
func TestRemoteConnections(t *testing.T) {
	const calls, most = 200, 128
	h := &held{came: make(chan struct{}, calls)}
	release, cancelled := make(chan struct{}), make(chan struct{}, calls)
	x := newWeb(t, func(_ http.ResponseWriter, r *http.Request, m message) bool {
		switch {
		case r.URL.Path != "/slow":
		case m.Method == "tools/call":
			h.hold(r, release)
		case m.Method == "notifications/cancelled":
			cancelled <- struct{}{}
		}
		return false
	})
	b, slow, good := newBench(t, nil), remoteTarget(x.URL+"/slow"), remoteTarget(x.URL+"/good")
	slow.Key, slow.Name = "slow", "acme:slow"
	b.Run([]mcp.Target{slow, good})
	b.describe(slow)
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			if _, err := b.call(slow, "t", ""); err != nil {
				t.Error(err)
			}
		})
	}
	for range most {
		<-h.came
	}
	b.must(good, "t", "")
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := b.Call(soon, ref(slow, "t"), nil); err == nil {
		t.Error("a call while all connections are in use: got an answer")
	}
	<-cancelled
	close(release)
	all.Wait()
	if n := h.atMost(); n > most {
		t.Errorf("calls at once: got %d, want %d at most", n, most)
	}
}
