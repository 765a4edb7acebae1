package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/rpc"
)

const (
	farewell    = 2 * time.Second  // to tell a server that its session is over
	lossTime    = 5 * time.Second  // for a message that may be lost
	doubt       = 15 * time.Second // for a ping to a server that lost a message
	maxErrorDoc = 64 << 10         // of the body of an error
	maxResumes  = 5                // of one answer, without anything new
	leastPause  = 100 * time.Millisecond
	mostPause   = time.Minute
)

// remote carries frames over Streamable HTTP: each message is a POST, and the
// answer to a request comes with the answer to its POST.
type remote struct {
	conn    *conn
	client  *http.Client
	aside   *http.Client // for what must not wait for requests that take long
	url     string
	headers http.Header // of all requests; its values are never changed
	host    string      // "" is that of the address
	limit   int
	renew   func(ctx context.Context) error // shakes hands anew
	plain   bool                            // answers come on another way; see twoWay

	ctx    context.Context // of the connection; it ends with close
	cancel context.CancelFunc
	work   sync.WaitGroup

	// What may be lost waits here. A server that hangs on answers is still told
	// what is not wanted any more.
	answers, notices chan *letter

	mu        sync.Mutex
	session   string
	forgotten string // the last session that the server knew no more
	version   string // agreed on, "" before
	postTo    string // where messages are posted to; "" is url
	posts     map[uint64]context.CancelFunc
	closing   bool
	listening bool

	renewing sync.Mutex // held while shaking hands anew
}

func openRemote(c *conn, client, aside *http.Client, url string, headers []Pair, limit int) *remote {
	ctx, cancel := context.WithCancel(context.Background())
	w := &remote{
		conn: c, client: client, aside: aside, url: url, limit: limit,
		ctx: ctx, cancel: cancel, posts: map[uint64]context.CancelFunc{},
		answers: make(chan *letter, outbox), notices: make(chan *letter, notices),
	}
	w.headers, w.host = declared(headers)
	c.wire = w
	w.work.Go(func() { w.pour(w.answers) })
	w.work.Go(func() { w.pour(w.notices) })
	return w
}

func (w *remote) process() *process { return nil }

// settle is told what was agreed on, and begins to listen for what the server
// says unasked.
func (w *remote) settle(version string) {
	w.mu.Lock()
	begin := !w.listening
	w.version, w.listening = version, true
	w.mu.Unlock()
	if begin {
		w.spawn(w.listen)
	}
}

// spawn runs f unless the connection is being closed, which waits for it.
func (w *remote) spawn(f func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closing {
		return false
	}
	w.work.Go(f)
	return true
}

// forget ends the request, which a server of 2026-07-28 takes for what it is: to
// others it means nothing.
func (w *remote) forget(id uint64) bool {
	w.mu.Lock()
	stop := w.posts[id]
	w.mu.Unlock()
	if stop != nil {
		stop()
	}
	return w.conn.modern.Load()
}

func (w *remote) offer(m *letter) {
	queue := w.notices
	if m.frame.Kind == rpc.Response {
		queue = w.answers
	}
	select {
	case queue <- m:
	default:
		w.conn.omit()
	}
}

// pour posts what is in a queue, one after the other.
func (w *remote) pour(queue <-chan *letter) {
	for {
		select {
		case m := <-queue:
			w.attempt(m)
		case <-w.ctx.Done():
			return
		}
	}
}

// attempt posts what may be lost.
func (w *remote) attempt(m *letter) {
	ctx, cancel := context.WithTimeout(w.ctx, lossTime)
	defer cancel()
	if err := w.post(ctx, m, 0); err != nil && w.ctx.Err() == nil {
		w.conn.log.remark(func() string { return fmt.Sprintf("%s was not delivered: %v", m.frame.Method, err) })
	}
}

// send posts a notification and waits until it is taken; a request it hands to a
// goroutine of its own, which ends with the connection, or when it is forgotten.
func (w *remote) send(ctx context.Context, m *letter) error {
	if m.frame.Kind != rpc.Request {
		return w.post(ctx, m, 0)
	}
	return w.carried(m, func(ctx context.Context, stop func()) { w.request(ctx, stop, m) })
}

// carried runs what posts a request.
func (w *remote) carried(m *letter, post func(ctx context.Context, stop func())) error {
	ctx, stop := context.WithCancel(w.ctx)
	w.mu.Lock()
	w.posts[m.id] = stop
	w.mu.Unlock()
	switch {
	case !w.waiting(m.id): // it was given up, or the connection has ended: that is told
		w.posted(m.id)
		stop()
	case !w.spawn(func() { post(ctx, stop) }):
		w.posted(m.id)
		stop()
		return w.over()
	}
	return nil
}

// posted forgets a request that is posted no more.
func (w *remote) posted(id uint64) {
	w.mu.Lock()
	delete(w.posts, id)
	w.mu.Unlock()
}

// over is why the connection is over, which it is.
func (w *remote) over() error {
	if err := w.conn.reason(); err != nil {
		return err
	}
	return errClosed
}

func (w *remote) request(ctx context.Context, stop func(), m *letter) {
	defer stop()
	err := w.post(ctx, m, m.id)
	w.posted(m.id)
	if ctx.Err() != nil && w.ctx.Err() == nil {
		return // who gave it up tells the server, and who asked
	}
	if err == nil {
		err = errors.New("the server's answer ended without a response")
	}
	w.conn.fail(m.id, err) // when it was answered this does nothing
	var l *lost
	switch {
	case !errors.As(err, &l):
	case unreachable(err) || m.frame.Method == w.alive():
		w.conn.end(err)
	default:
		w.spawn(w.probe)
	}
}

// probe finds out whether a server that lost a message is there at all.
func (w *remote) probe() {
	ctx, cancel := context.WithTimeout(w.ctx, doubt)
	defer cancel()
	if _, err := w.conn.ask(ctx, w.alive(), nil, false); errors.Is(err, context.DeadlineExceeded) {
		w.conn.end(fmt.Errorf("it lost a message, and then did not answer a ping within %v", doubt))
	}
}

// alive is the request that every server answers at once.
func (w *remote) alive() string {
	if w.conn.modern.Load() {
		return "server/discover"
	}
	return "ping"
}

// lost is a message or an answer that got lost on the way.
type lost struct{ err error }

func (l *lost) Error() string { return l.err.Error() }
func (l *lost) Unwrap() error { return l.err }

// unreachable reports whether err says that nobody is there.
func unreachable(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// post sends one frame and takes in what is answered, of a session that the
// server has forgotten in a new one.
func (w *remote) post(ctx context.Context, m *letter, id uint64) error {
	session := w.known()
	err := w.deliver(ctx, m, session, id)
	if !errors.Is(err, errForgotten) || ofHandshake(m) {
		return err
	}
	if err := w.again(ctx, session); err != nil {
		return fmt.Errorf("begin anew with a server that has forgotten its session: %w", err)
	}
	return w.deliver(ctx, m, w.known(), id)
}

// errForgotten is a server's answer that it knows no such session.
var errForgotten = errors.New("it has forgotten the session")

func (w *remote) deliver(ctx context.Context, m *letter, session string, id uint64) error {
	resp, err := w.do(ctx, http.MethodPost, m, session, "")
	if err != nil {
		return err
	}
	defer drain(resp)
	if resp.StatusCode == http.StatusNotFound && session != "" {
		return errForgotten
	}
	return w.answer(ctx, resp, m, id)
}

func ofHandshake(m *letter) bool {
	return m.frame.Method == "initialize" || m.frame.Method == "notifications/initialized"
}

// again shakes hands anew, once for all who found that session forgotten.
func (w *remote) again(ctx context.Context, session string) error {
	w.renewing.Lock()
	defer w.renewing.Unlock()
	if w.known() != session {
		return nil
	}
	if err := w.conn.reason(); err != nil {
		return err
	}
	w.mu.Lock()
	w.forgotten = session
	w.mu.Unlock()
	w.conn.log.remark(func() string { return "it has forgotten the session; a new one is begun" })
	err := w.renew(ctx)
	if err != nil && ctx.Err() == nil {
		w.conn.end(err)
	}
	return err
}

func (w *remote) known() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.session
}

// explain is err without the address, which may hold a secret in its query.
func (w *remote) explain(ctx context.Context, err error) error {
	if w.ctx.Err() != nil {
		return w.over()
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &lost{fmt.Errorf("reach %s: %w", origin(w.url), err)}
}

// answer takes in what a POST was answered with.
func (w *remote) answer(ctx context.Context, resp *http.Response, m *letter, id uint64) error {
	media := mediaOf(resp)
	if w.plain {
		return w.accepted(resp, media, m)
	}
	switch {
	case resp.StatusCode >= 300:
		return w.refusal(resp, media, id)
	case m.frame.Kind != rpc.Request || resp.StatusCode == http.StatusAccepted || resp.StatusCode == http.StatusNoContent:
		return nil
	case media == "text/event-stream":
		return w.follow(ctx, resp.Body, id)
	case media == "application/json":
		b, err := readAtMost(resp, w.limit)
		if err != nil {
			return w.cut(ctx, err)
		}
		w.conn.take(b, id)
		return nil
	}
	return fmt.Errorf("it answered with %s, which is neither JSON nor a stream of events", ext.Quote(ext.Shorten(media, 80)))
}

// refusal is the error of a status. A body that is a response to the request
// is brought to who asked.
func (w *remote) refusal(resp *http.Response, media string, id uint64) error {
	body, err := readAtMost(resp, maxErrorDoc)
	if err == nil && media == "application/json" {
		if f, err := rpc.Read(rpc.Legible(body)); err == nil && f.Fault.There() {
			return &Error{JSON: clone(f.Bytes(f.Fault))}
		}
	}
	err = &status{code: resp.StatusCode}
	if id != 0 && resp.StatusCode != http.StatusUnauthorized && media == "text/plain" {
		err = fmt.Errorf("%w: %s", err, ext.Quote(ext.Shorten(strings.TrimSpace(string(body)), 200)))
	}
	return err
}

// status is an answer of HTTP that is no success.
type status struct{ code int }

func (s *status) Error() string {
	say := fmt.Sprintf("it answered %d %s", s.code, http.StatusText(s.code))
	if s.code == http.StatusUnauthorized || s.code == http.StatusForbidden {
		say += ": give it the credentials that it wants in its headers"
	}
	return say
}

// close ends all that is under way and tells the server that its session is
// over.
func (w *remote) close() {
	w.conn.end(errClosed)
	w.mu.Lock()
	was := w.closing
	w.closing = true
	session, over := w.session, w.session == w.forgotten
	w.mu.Unlock()
	w.cancel()
	w.work.Wait()
	if was || session == "" || over {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	if resp, err := w.do(ctx, http.MethodDelete, nil, session, ""); err == nil {
		_ = resp.Body.Close() // whatever it says, the session is over for us
	}
}

// drain lets the connection below be used again when the little that may be
// left of an answer comes at once.
func drain(resp *http.Response) {
	t := time.AfterFunc(leastPause, func() { _ = resp.Body.Close() }) // which ends what reads it
	defer t.Stop()
	_, _ = io.CopyN(io.Discard, resp.Body, gulp) // what cannot be read is lost with the connection
	_ = resp.Body.Close()
}

// mediaOf is the type of what a server answers, without its parameters.
func mediaOf(resp *http.Response) string {
	media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// readAtMost is the body of an answer, which may be no longer than limit.
func readAtMost(resp *http.Response, limit int) ([]byte, error) {
	var b bytes.Buffer
	if resp.ContentLength > 0 {
		b.Grow(int(min(resp.ContentLength, int64(limit))) + bytes.MinRead)
	}
	_, err := b.ReadFrom(io.LimitReader(resp.Body, int64(limit)+1))
	if err == nil && b.Len() > limit {
		err = errTooLong
	}
	return b.Bytes(), err
}

// pause waits, and reports whether it did to the end.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
