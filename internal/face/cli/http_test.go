package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener in memory.
type pipes struct {
	made   chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes {
	return &pipes{made: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.made:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}
func (l *pipes) Close() error { l.once.Do(func() { close(l.closed) }); return nil }
func (*pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

func (l *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	l.made <- theirs
	return ours
}

// over serves h in a bubble, and wants the server to end when the test of it has.
func over(t *testing.T, h http.HandlerFunc, do func(l *pipes)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		l, ended := newPipes(), make(chan error, 1)
		go func() { ended <- serveHTTP(ctx, l, h, func(err error) { t.Errorf("told: %v", err) }) }()
		do(l)
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serveHTTP: got %v, want its end with its context", err)
		}
	})
}

func send(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

// A body that does not come in costs its sender the connection, whoever would
// have read it.
func TestBodyThatDoesNotComeIn(t *testing.T) {
	for name, begin := range map[string]string{
		"of a length": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc", "in chunks": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
		"that nobody needs": "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc", "without end": "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n" + strings.Repeat("x", 80<<10),
	} {
		t.Run(name, func(t *testing.T) {
			over(t, func(w http.ResponseWriter, r *http.Request) {
				if _, err := io.ReadAll(r.Body); err != nil {
					http.Error(w, "no", http.StatusBadRequest)
				}
			}, func(l *pipes) {
				c, began := l.dial(), time.Now()
				go func() { _, _ = io.WriteString(c, begin) }() // it may be cut
				answer, err := io.ReadAll(c)
				if took := time.Since(began); took > bodyTime+time.Second || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") {
					t.Errorf("got %q, %v after %v, want a refusal and the end of the connection after at most %v", answer, err, took, bodyTime)
				}
			})
		})
	}
}

// What came in is worked on for as long as it takes, and the connection serves
// the next request.
func TestLongAnswersAreNotCut(t *testing.T) {
	over(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			if _, err := io.ReadAll(r.Body); err != nil {
				t.Error(err)
			}
		}
		for range 3 {
			_, _ = io.WriteString(w, "on")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				t.Errorf("%s: the request was cut: %v", r.Method, r.Context().Err())
			case <-time.After(time.Hour):
			}
		}
	}, func(l *pipes) {
		c := l.dial()
		defer func() { _ = c.Close() }()
		answers := bufio.NewReader(c)
		for _, request := range []string{
			"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
		} {
			send(t, c, request)
			res, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatalf("%q: %v", request, err)
			}
			text, err := io.ReadAll(res.Body)
			if err := errors.Join(err, res.Body.Close()); err != nil || string(text) != "ononon" {
				t.Errorf("%q: got %q, %v, want the answer whole", request, text, err)
			}
			time.Sleep(bodyTime * 2) // of the bubble's clock: the connection is idle, and kept
		}
	})
}

// A log that says the same thing again and again says it once, on one line and
// without a stack.
func TestFaults(t *testing.T) {
	var told []string
	f := &faults{tell: func(err error) { told = append(told, err.Error()) }}
	for _, entry := range []string{
		"http: Accept error: accept tcp: too many open files; retrying in 5ms\n", "http: Accept error: accept tcp: too many open files; retrying in 10ms\n",
		"http: panic serving 127.0.0.1:1: oh\ngoroutine 1 [running]:\nmain.main()\n", "http: Accept error: accept tcp: too many open files; retrying in 5ms\n",
		"http: panic serving 127.0.0.1:2: oh\n", "http: TLS handshake error from 127.0.0.1:3: EOF\n",
	} {
		if n, err := f.Write([]byte(entry)); n != len(entry) || err != nil {
			t.Errorf("Write: got %d, %v, want all of it taken", n, err)
		}
	}
	want := []string{"http: Accept error: accept tcp: too many open files", "http: panic serving 127.0.0.1:1: oh"}
	if !slices.Equal(told, want) {
		t.Errorf("told: got %q, want %q", told, want)
	}
}

// What the server says of its own accord goes the same way.
func TestServerTellsOfItsFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		l, ended, told := newPipes(), make(chan error, 1), make(chan error, 1)
		h := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(errors.New("oh")) })
		go func() { ended <- serveHTTP(ctx, l, h, func(err error) { told <- err }) }()
		c := l.dial()
		send(t, c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		if _, err := io.ReadAll(c); err != nil {
			t.Error(err)
		}
		if err := <-told; err.Error() != "http: panic serving pipe: oh" {
			t.Errorf("told: got %v, want the fault alone", err)
		}
		cancel()
		<-ended
	})
}
