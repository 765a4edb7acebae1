package instance

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/file"
)

// Claim is a host's right to serve a workspace, from before it can until Close.
type Claim struct {
	place place
	lock  *file.Lock // nil for a kind of which there may be any number

	mu        sync.Mutex
	record    Record
	listener  *net.UnixListener
	socket    fs.FileInfo // as it was made
	published bool
	closed    bool
}

const (
	// patience is for how long one who has the workspace and does not answer is
	// taken to be starting, or ending.
	patience = 10 * time.Second
	// pause is how often that one is asked.
	pause = 20 * time.Millisecond
)

// Take claims the workspace, an absolute directory, in dir, which is made if it
// is missing and must be this person's alone. Of the kind HTTP there is one for
// each workspace, whoever comes first: for the others the error is a
// *TakenError, once that host answers. What a host left that is gone is taken
// over. When one has the workspace and does not answer, ten seconds are waited
// before the error says so.
func Take(dir, workspace string, kind Kind) (*Claim, error) {
	return take(dir, workspace, kind, patience)
}

func take(dir, workspace string, kind Kind, patience time.Duration) (*Claim, error) {
	if !filepath.IsAbs(workspace) {
		return nil, fmt.Errorf("claim %s: it is not an absolute directory", ext.Quote(workspace))
	}
	workspace = filepath.Clean(workspace)
	if err := prepare(dir); err != nil {
		return nil, fmt.Errorf("claim %s: %w", ext.Quote(workspace), err)
	}
	c := &Claim{record: Record{ID: random(16), Kind: kind, Workspace: workspace, Process: child.Self(), Token: random(32)}}
	c.place = placeOf(dir, c.record)
	if kind != HTTP {
		return c, nil
	}
	lock, err := c.place.win(patience)
	if err != nil {
		return nil, fmt.Errorf("claim %s: %w", ext.Quote(workspace), err)
	}
	c.lock = lock
	return c, nil
}

// random is n random bytes in hexadecimal.
func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never returns an error
	return hex.EncodeToString(b)
}

// win is the lock of p, with nothing there any more from who had it before.
func (p place) win(patience time.Duration) (*file.Lock, error) {
	for until := time.Now().Add(patience); ; wait(pause) {
		l, err := file.TryLock(p.path(lockEnd))
		if err != nil && !errors.Is(err, file.ErrHeld) {
			return nil, fmt.Errorf("lock it: %w", err)
		}
		r, readable := p.read()
		switch {
		case readable && r.answers():
			if l != nil { // somebody took its lock's file away
				l.Release()
			}
			return nil, &TakenError{r}
		case l != nil && (!readable || gone(r)):
			if readable {
				p.tidy(r)
			}
			return l, nil
		case l != nil:
			l.Release()
		}
		if time.Now().After(until) {
			return nil, p.unanswered(r)
		}
	}
}

// unanswered is that a process has p which does not answer.
func (p place) unanswered(r Record) error {
	if r.Process.Pid == 0 {
		return fmt.Errorf("a process that tells nothing of itself has it (its lock is %s)", ext.Quote(p.path(lockEnd)))
	}
	return fmt.Errorf("%s and does not answer: end it", r)
}

func wait(d time.Duration) { <-time.After(d) }

// Record is what Publish writes, or wrote.
func (c *Claim) Record() Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.record
}

// Listen makes the control socket, which only this person can reach, once.
// Where the path in the records' directory is too long for a socket it lies in
// a private directory of temporary files. Close closes it.
func (c *Claim) Listen() (net.Listener, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.listener != nil {
		return nil, errors.New("make the control socket: it was made already, or the claim was given up")
	}
	path, err := c.place.socket()
	if err != nil {
		return nil, fmt.Errorf("make the control socket: %w", err)
	}
	if err := c.listen(path); err != nil {
		removePrivate(path)
		return nil, fmt.Errorf("make the control socket: %w", err)
	}
	return c.listener, nil
}

func (c *Claim) listen(path string) error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "unix", path)
	if err != nil {
		return err
	}
	u, ok := l.(*net.UnixListener)
	if !ok {
		return errors.Join(fmt.Errorf("the system made a %T", l), l.Close())
	}
	u.SetUnlinkOnClose(false) // Close removes it only if it is still this one
	err = os.Chmod(path, 0o600)
	info, lookErr := os.Lstat(path)
	if err := errors.Join(err, lookErr); err != nil {
		return errors.Join(err, u.Close(), os.Remove(path))
	}
	c.listener, c.socket, c.record.Socket = u, info, path
	return nil
}

// Publish makes the record visible, with the address that the host serves at,
// "" for none, and whether it speaks TLS there. It comes after Listen, and may be
// called again.
func (c *Claim) Publish(address string, tls bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.listener == nil {
		return errors.New("publish the record: it has no control socket")
	}
	r := c.record
	r.Address, r.TLS, r.Since = address, tls, time.Now().UTC()
	if c.published {
		r.Since = c.record.Since
	}
	if err := c.place.write(r); err != nil {
		return fmt.Errorf("publish the record: %w", err)
	}
	c.record, c.published = r, true
	return nil
}

// IDPath is where a control socket answers whose it is.
const IDPath = "/instance"

type identification struct {
	ID string `json:"id"`
}

// Identify is the handler that is to be served at IDPath of the control socket:
// nobody believes the record without it.
func (c *Claim) Identify() http.Handler {
	id := identification{c.Record().ID}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(id) // who asked is gone if it cannot be written
	})
}

// Close gives the claim up: it closes the control socket and removes it, the
// record and the lock, as far as they are still this claim's.
func (c *Claim) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	var errs []error
	if r, ok := c.place.read(); ok && r.ID == c.record.ID {
		errs = append(errs, os.Remove(c.place.path(recordEnd)))
	}
	if c.listener != nil {
		if err := c.listener.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
		if now, err := os.Lstat(c.record.Socket); err == nil && os.SameFile(now, c.socket) {
			errs = append(errs, os.Remove(c.record.Socket))
		}
		removePrivate(c.record.Socket)
	}
	if c.lock != nil {
		c.lock.Release()
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("give up the claim to %s: %w", ext.Quote(c.record.Workspace), err)
	}
	return nil
}
