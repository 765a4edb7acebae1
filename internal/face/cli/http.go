package cli

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	mostConnections = 512              // that are open at once at the public address
	bodyTime        = 30 * time.Second // for a request's body to come in
)

// serveHTTP serves until ctx ends. Streams that are open then are cut. What goes
// wrong meanwhile is told.
func serveHTTP(ctx context.Context, l net.Listener, h http.Handler, tell func(error)) error {
	srv := &http.Server{
		Handler: timely(h), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: log.New(&faults{tell: tell}, "", 0),
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

// faults takes the lines of an HTTP server's log, of each what it says first,
// and once where it says it again and again.
type faults struct {
	tell func(error)

	mu   sync.Mutex
	last string
}

// Write takes one entry of the log.
func (f *faults) Write(entry []byte) (int, error) {
	text, _, _ := strings.Cut(strings.TrimSpace(string(entry)), "\n") // stacks of this program are nobody's business
	text, _, _ = strings.Cut(text, "; retrying in ")
	f.mu.Lock()
	again := text == f.last
	f.last = text
	f.mu.Unlock()
	if !again {
		f.tell(errors.New(text))
	}
	return len(entry), nil
}
