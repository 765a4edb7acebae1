package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// HTTP serves over Streamable HTTP on loopback until the test ends, and
// returns the address to connect to. Each session is a server of its own, in
// the test's process. The modes that are about a process (Banner, Exits, Once,
// IgnoresEOF and Workers) end the test.
func HTTP(t testing.TB, modes ...Mode) (url string) {
	t.Helper()
	for _, m := range []Mode{Banner, Exits, Once, IgnoresEOF, Workers} {
		if slices.Contains(modes, m) {
			t.Fatalf("mcptest: the mode %s is for a process, not for HTTP", m)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	h := &handler{ctx: ctx, modes: modes, sessions: map[string]*httpSession{}}
	srv := httptest.NewServer(h)
	t.Cleanup(func() {
		cancel()
		srv.Close()
	})
	return srv.URL + "/mcp"
}

// handler is the one address, with all sessions.
type handler struct {
	ctx   context.Context // ends what waits when the server ends
	modes []Mode

	mu       sync.Mutex
	sessions map[string]*httpSession
	begun    int
}

type httpSession struct {
	*server
	listener sync.Mutex
	listen   *stream // the open GET, if any
}

const sessionHeader = "Mcp-Session-Id"

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(h.ctx, cancel)()
	r = r.WithContext(ctx)
	switch r.Method {
	case http.MethodPost:
		h.post(w, r)
	case http.MethodGet:
		if s := h.session(w, r); s != nil {
			s.get(w, r)
		}
	case http.MethodDelete:
		if s := h.session(w, r); s != nil {
			h.mu.Lock()
			defer h.mu.Unlock()
			delete(h.sessions, r.Header.Get(sessionHeader))
			w.WriteHeader(http.StatusNoContent)
		}
	default:
		http.Error(w, "want POST, GET or DELETE", http.StatusMethodNotAllowed)
	}
}

// session finds the session of a request, or answers that there is none.
func (h *handler) session(w http.ResponseWriter, r *http.Request) *httpSession {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[r.Header.Get(sessionHeader)]
	if s == nil {
		http.Error(w, "there is no such session", http.StatusNotFound)
	}
	return s
}

func (h *handler) begin(w http.ResponseWriter) *httpSession {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &httpSession{server: newServer(h.modes)}
	s.tell = s.push
	h.begun++
	id := fmt.Sprintf("session-%d", h.begun)
	h.sessions[id] = s
	w.Header().Set(sessionHeader, id)
	return s
}

func (h *handler) post(w http.ResponseWriter, r *http.Request) {
	var m message
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		http.Error(w, "this is no message: "+err.Error(), http.StatusBadRequest)
		return
	}
	var s *httpSession
	switch {
	case m.Method == "initialize":
		s = h.begin(w)
	case m.Method == "server/discover" && r.Header.Get(sessionHeader) == "":
		s = &httpSession{server: newServer(h.modes)} // which knows no such method
	default:
		if s = h.session(w, r); s == nil {
			return
		}
	}
	if !m.request() {
		s.handle(r.Context(), m, nil)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	s.handle(r.Context(), m, newStream(w).send)
}

// get is the stream for what belongs to no request. A later one takes over.
func (s *httpSession) get(w http.ResponseWriter, r *http.Request) {
	st := newStream(w)
	s.listener.Lock()
	s.listen = st
	s.listener.Unlock()
	<-r.Context().Done()
	s.listener.Lock()
	defer s.listener.Unlock()
	if s.listen == st {
		s.listen = nil
	}
}

// push sends a frame to whoever listens; false is nobody. The stream cannot
// end meanwhile.
func (s *httpSession) push(frame string) bool {
	s.listener.Lock()
	defer s.listener.Unlock()
	if s.listen != nil {
		s.listen.send(frame)
	}
	return s.listen != nil
}

// stream sends frames as events.
type stream struct {
	mu sync.Mutex
	w  http.ResponseWriter
}

func newStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	flush(w)
	return &stream{w: w}
}

func (s *stream) send(frame string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.w, "event: message\ndata: %s\n\n", frame)
	flush(s.w)
}

func flush(w http.ResponseWriter) {
	// Whoever does not listen any more needs no answer.
	_ = http.NewResponseController(w).Flush()
}
