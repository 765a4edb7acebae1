package gateway

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/loopback"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// Headers of the protocol.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

const (
	slowClient = 30 * time.Second // for a client to take what it is written
	farewell   = time.Second      // for what is told of an end
	keepAlive  = 25 * time.Second // between signs of life on a stream on which nothing comes
)

// Handler serves MCP over Streamable HTTP at whatever path it is given. It
// refuses what a page in a browser could ask: requests from other origins, and
// those that came to this machine under another name than its own. The requests
// that a session has in flight are given up when it is deleted, and the session
// that has been idle longest when there are too many.
func (g *Gateway) Handler() http.Handler {
	return loopback.Only(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodPost:
			g.post(w, r)
		case http.MethodGet:
			g.get(w, r)
		case http.MethodDelete:
			g.delete(w, r)
		default:
			w.Header().Set("Allow", "GET, POST, DELETE")
			http.Error(w, "MCP takes POST, GET and DELETE", http.StatusMethodNotAllowed)
		}
	}), func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, loopback.Foreign, http.StatusForbidden)
	})
}

// post takes in one message of a client, or a batch of older ones.
func (g *Gateway) post(w http.ResponseWriter, r *http.Request) {
	if !isJSON(r.Header.Get("Content-Type")) {
		http.Error(w, "the content type of a message is application/json", http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestBody))
	if err != nil {
		status := http.StatusBadRequest
		if errors.As(err, new(*http.MaxBytesError)) {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, "the message could not be read: "+ext.Escape(err.Error()), status)
		return
	}
	frames, err := rpc.Unbatch(body)
	if err != nil {
		bad(w, nil, -32700, "the message is no JSON-RPC")
		return
	}
	all := make([]rpc.Frame, len(frames))
	for i := range frames {
		if all[i], err = rpc.Read(frames[i]); err != nil {
			bad(w, nil, -32600, "the message is no JSON-RPC")
			return
		}
	}
	if len(all) == 1 && g.modernPost(w, r, &all[0]) {
		return
	}
	g.legacyPost(w, r, all)
}

// isJSON reports whether a content type is that of a message.
func isJSON(media string) bool {
	if media == "application/json" {
		return true
	}
	media, _, err := mime.ParseMediaType(media)
	return err == nil && media == "application/json"
}

// bad is a response to a request that is not taken.
func bad(w http.ResponseWriter, f *rpc.Frame, code int, message string) {
	id := []byte("null")
	if f != nil && f.ID.There() {
		id = f.Bytes(f.ID)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(rpc.Refuse(id, rpc.Fault(code, message)).Raw)
}

// legacyPost takes in messages of a client that shook hands, or does now.
func (g *Gateway) legacyPost(w http.ResponseWriter, r *http.Request, all []rpc.Frame) {
	if v := r.Header.Get(versionHeader); v != "" && !slices.Contains(shaking, v) {
		http.Error(w, "the revision of the protocol is not spoken here: "+strings.Join(shaking, ", "), http.StatusBadRequest)
		return
	}
	if len(all) == 1 && all[0].Method == "initialize" && all[0].Kind == rpc.Request {
		g.begin(w, r, &all[0])
		return
	}
	c, ok := g.known(w, r)
	if !ok {
		return
	}
	var requests []*rpc.Frame
	for i := range all {
		if f := &all[i]; f.Kind == rpc.Request {
			requests = append(requests, f)
		} else {
			c.hear(f)
		}
	}
	switch len(requests) {
	case 0:
		w.WriteHeader(http.StatusAccepted)
	case 1:
		a := newWriting(w)
		a.end(c.handle(r.Context(), requests[0], a.emit))
	default:
		a := newWriting(w)
		for _, f := range requests {
			if raw := c.handle(r.Context(), f, a.emit); raw != nil && a.emit(raw) != nil {
				return
			}
		}
		a.end(nil)
	}
}

// begin begins a session.
func (g *Gateway) begin(w http.ResponseWriter, r *http.Request, f *rpc.Frame) {
	c := g.newClient()
	if !g.enter(c) {
		http.Error(w, errOver.Error(), http.StatusServiceUnavailable)
		return
	}
	a := newWriting(w)
	answer := c.handle(r.Context(), f, a.emit)
	if c.said().version == "" { // it did not say who it is
		c.end()
	} else {
		w.Header().Set(sessionHeader, c.id)
	}
	a.end(answer)
}

// known is the client that a request names by its session.
func (g *Gateway) known(w http.ResponseWriter, r *http.Request) (*client, bool) {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		http.Error(w, "the request names no session; shake hands first", http.StatusBadRequest)
		return nil, false
	}
	c := g.client(id)
	if c == nil {
		http.Error(w, "there is no such session; shake hands again", http.StatusNotFound)
	}
	return c, c != nil
}

// get is the stream of what belongs to no request of a session. There is one: a second
// takes the place of the first.
func (g *Gateway) get(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		http.Error(w, "a stream is asked for with Accept: text/event-stream", http.StatusNotAcceptable)
		return
	}
	if v := r.Header.Get(versionHeader); v != "" && !slices.Contains(shaking, v) {
		w.Header().Set("Allow", "POST")
		http.Error(w, "there is no stream in that revision of the protocol", http.StatusMethodNotAllowed)
		return
	}
	c, ok := g.known(w, r)
	if !ok {
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	turn, leave, ok := c.unasked.listen(cancel)
	if !ok {
		http.Error(w, errOver.Error(), http.StatusNotFound)
		return
	}
	defer leave()
	defer context.AfterFunc(c.life, cancel)()
	c.touch()
	a := newWriting(w)
	if a.open() != nil {
		return
	}
	for {
		wait, stop := context.WithTimeout(ctx, keepAlive)
		frames, err := c.unasked.next(wait, turn)
		stop()
		switch {
		case ctx.Err() != nil || errors.Is(err, errOver):
			c.unasked.back(frames)
			return
		case err != nil:
			if a.comment() != nil {
				return
			}
		}
		for i, f := range frames {
			if a.emit(f) != nil {
				c.unasked.back(frames[i:])
				return
			}
		}
	}
}

// delete ends a session.
func (g *Gateway) delete(w http.ResponseWriter, r *http.Request) {
	if v := r.Header.Get(versionHeader); v != "" && !slices.Contains(shaking, v) {
		status := http.StatusBadRequest
		if statelessHeader(v) { // which has no sessions
			w.Header().Set("Allow", "POST")
			status = http.StatusMethodNotAllowed
		}
		http.Error(w, "the revision of the protocol is not spoken here", status)
		return
	}
	c, ok := g.known(w, r)
	if !ok {
		return
	}
	c.end()
	w.WriteHeader(http.StatusNoContent)
}

// writing is the answer to one request: one document, or, once something has to be
// said before it, a stream of events.
type writing struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stream  bool
}

func newWriting(w http.ResponseWriter) *writing {
	return &writing{w: w, control: http.NewResponseController(w)}
}

// open begins the stream.
func (a *writing) open() error {
	if a.stream {
		return nil
	}
	a.stream = true
	h := a.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	a.w.WriteHeader(http.StatusOK)
	return a.control.Flush()
}

// emit writes one event.
func (a *writing) emit(frame []byte) error {
	if err := a.open(); err != nil {
		return err
	}
	frame = rpc.OneLine(frame)
	event := make([]byte, 0, len(frame)+32)
	event = append(append(append(event, "event: message\ndata: "...), frame...), "\n\n"...)
	return a.write(event)
}

// comment is a sign of life.
func (a *writing) comment() error { return a.write([]byte(": \n\n")) }

func (a *writing) write(b []byte) error {
	_ = a.control.SetWriteDeadline(time.Now().Add(slowClient)) // where it cannot be bounded, the connection's own bound holds
	if _, err := a.w.Write(b); err != nil {
		return err
	}
	return a.control.Flush()
}

// end writes the answer; nil: nobody waits for one.
func (a *writing) end(answer []byte) {
	defer func() { _ = a.control.SetWriteDeadline(time.Time{}) }() // the connection may be used again
	switch {
	case a.stream && answer != nil:
		_ = a.emit(answer) // a client that is gone needs none
	case a.stream:
	case answer == nil:
		_ = a.open() // a stream without an answer is what a cancelled request gets
	default:
		a.w.Header().Set("Content-Type", "application/json")
		_ = a.control.SetWriteDeadline(time.Now().Add(slowClient))
		_, _ = a.w.Write(answer)
	}
}
