// Package call is how running things are reached: one question and one answer,
// or a link that carries frames both ways. Drivers are such ways; who calls does
// not know which.
package call

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// Caller reaches running code: it asks what ref names with an argument, a JSON
// object, and returns the answer, a JSON value. It returns when ctx ends.
type Caller interface {
	Call(ctx context.Context, ref ext.Ref, argument json.RawMessage) (json.RawMessage, error)
}

// Peer is the client that a link is for. A nil Peer is nobody in particular, who
// can be asked nothing.
type Peer struct {
	// ID is of its session. What a server holds for one peer alone is never shared
	// with another ID.
	ID string
	// Capabilities is what it declared, an object: sampling, elicitation, roots,
	// extensions and so on. Nil: nothing.
	Capabilities json.RawMessage
	// Modern means that it speaks 2026-07-28 or later: the frames of its requests
	// carry what it declares in their own _meta.
	Modern bool
}

// Link carries JSON-RPC frames between one user of a running thing and the
// thing itself, for as long as both are there. Any number of calls may be under
// way at once, and their ids and progress tokens are the user's own, whatever
// others use the thing too. Frames pass as they are, but for those.
//
// A link may be used by several goroutines. What it carries is of the
// revisions of MCP with a handshake, which has happened, unless it IsModern.
type Link interface {
	// Call makes a request and waits for its answer, a response under the id of the
	// request. Until then before is told what comes for the request, in the order in
	// which it came: progress under the request's own token, other notices, and what
	// the thing asks meanwhile, with an id of this link. That is done by one
	// goroutine at a time, which may wait, and never after Call has returned. Nil
	// wants to be told nothing.
	//
	// A request whose ctx ends, or before fails, is given up, and the thing told.
	// One whose thing ends is answered with an error. The error is io.EOF when the
	// thing had ended before, and nothing was asked.
	Call(ctx context.Context, request json.RawMessage, before func(*rpc.Frame) error) (*rpc.Frame, error)
	// Send hands over a notification, or the answer to what the thing asked. It may
	// wait for a thing that does not read, until ctx ends.
	Send(ctx context.Context, frame json.RawMessage) error
	// Recv waits for the next frame that comes for no call, in the order in which
	// they came: notices, and what the thing asks, with ids of this link. It returns
	// io.EOF when the thing has ended.
	Recv(ctx context.Context) (json.RawMessage, error)
	// Close gives up what is under way and ends the link, not the thing.
	Close() error
}

// IsModern reports whether the frames of a link are those of 2026-07-28, which
// the thing and the peer both speak then. A Link says so by a method Modern.
func IsModern(l Link) bool {
	m, ok := l.(interface{ Modern() bool })
	return ok && m.Modern()
}

// Driver is a way to reach things: those of one kind.
type Driver interface {
	Caller
	// Link opens a link for a peer; nil is nobody in particular. It waits for a
	// thing that is being started, until ctx ends, which does not end the link.
	Link(ctx context.Context, ref ext.Ref, p *Peer) (Link, error)
}

// State is how a running thing is doing.
type State string

const (
	// Starting is being started, or asked what it offers for the first time.
	Starting State = "starting"
	// Ready answers.
	Ready State = "ready"
	// Waiting ended, and is started again in a while.
	Waiting State = "waiting"
	// Failed ended too often, or cannot be started; it is left alone.
	Failed State = "failed"
	// Stopped was ended by the host.
	Stopped State = "stopped"
)

// Status is how one running thing is doing, for people.
type Status struct {
	Name      string    `json:"name"` // qualified
	Target    string    `json:"-"`    // as refs name it
	Transport string    `json:"transport"`
	State     State     `json:"state"`
	Pid       int       `json:"pid,omitempty"`
	Since     time.Time `json:"since"`              // when it came to be in that state
	Error     string    `json:"error,omitempty"`    // the last one; safe to print
	Exit      string    `json:"exit,omitempty"`     // how it last ended
	Starts    int       `json:"starts,omitempty"`   // how often it was started
	Noise     int       `json:"noise,omitempty"`    // lines it printed that were not of the protocol
	Sessions  int       `json:"sessions,omitempty"` // that run with it, its own among them
	Tools     int       `json:"tools"`
	Prompts   int       `json:"prompts"`
	Resources int       `json:"resources"`
	Stderr    []string  `json:"stderr,omitempty"` // its last words, safe to print
	Log       string    `json:"log,omitempty"`    // file
}

// Error is the error object of an answer, as it came.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error is the message, which is foreign text made safe.
func (e *Error) Error() string { return ext.Escape(ext.Shorten(e.Message, 2000)) }
