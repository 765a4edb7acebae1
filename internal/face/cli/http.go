package cli

import (
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"
)

const bodyTime = 30 * time.Second // for a request's body to come in

// connections is how many may be open at once at the public address: half of the
// files that this process may open at most, so that there is room to read.
func connections() int { return min(512, max(openFiles()/2, 8)) }

// manyFiles is where a limit on open files is none that matters.
const manyFiles = 1 << 16

// serveHTTP serves until ctx ends. Streams that are open then are cut. What goes
// wrong meanwhile is told.
func serveHTTP(ctx context.Context, l net.Listener, h http.Handler, tell func(error)) error {
	srv := &http.Server{
		Handler: timely(h), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		DisableGeneralOptionsHandler: true, // it would answer whoever asks
		ErrorLog:                     log.New(&faults{tell: tell}, "", 0),
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve at %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	_ = srv.Close() // what is said of the end is Serve's
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve at %s: %w", l.Addr(), err)
	}
	return nil
}

// timely bounds the time in which a request's body comes in, and neither that of
// the answer nor that of the connection: once a body has been read, the server
// takes the bound away, to see whether the client goes.
func timely(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)); err != nil {
				http.Error(w, "the time for the request cannot be bounded", http.StatusInternalServerError)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// faults takes the entries of an HTTP server's log, of each what it says first.
// One that differs from another in its numbers alone is told once a minute.
type faults struct {
	tell func(error)

	mu   sync.Mutex
	told map[string]time.Time
}

// mostFaults is how many kinds of faults are known at once.
const mostFaults = 64

// Write takes one entry of the log.
func (f *faults) Write(entry []byte) (int, error) {
	text, _, _ := strings.Cut(strings.TrimSpace(string(entry)), "\n") // stacks of this program are nobody's business
	text, _, _ = strings.Cut(text, "; retrying in ")
	if !knock(text) && f.news(text) {
		f.tell(errors.New(text))
	}
	return len(entry), nil
}

// knock reports whether an entry is of one who opened a connection and went before
// TLS was spoken, as whoever looks for open ports does, and we where we look at
// which address we are reached.
func knock(text string) bool {
	return strings.HasPrefix(text, "http: TLS handshake error from ") && strings.HasSuffix(text, ": EOF")
}

func (f *faults) news(text string) bool {
	kind := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, text)
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(f.told, func(_ string, at time.Time) bool { return now.Sub(at) >= time.Minute })
	if _, again := f.told[kind]; again || len(f.told) >= mostFaults {
		return false
	}
	if f.told == nil {
		f.told = map[string]time.Time{}
	}
	f.told[kind] = now
	return true
}
