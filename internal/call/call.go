// Package call is how running things are reached: one question and one answer,
// or a link that carries frames both ways. Drivers are such ways; who calls does
// not know which.
package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/mortise-dev/mortise/ext"
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
// thing itself, for as long as both are there: any number of requests may be in
// flight at once. Ids and progress tokens are the user's own: whoever else uses
// the thing never sees them. Frames pass as they are, but for those.
//
// A link may be used by several goroutines. What it carries is of the
// revisions of MCP with a handshake, which has happened, unless it IsModern.
type Link interface {
	// Send hands over a request, a notification, or the answer to a request that
	// Recv returned. It may wait for a thing that does not read, until ctx ends.
	Send(ctx context.Context, frame json.RawMessage) error
	// Recv waits for the next frame, in the order in which they were sent: answers
	// with the user's ids, progress with the user's tokens, other notices, and the
	// thing's own requests with ids of this link. It returns io.EOF when the thing
	// has ended; each request in flight was answered with an error before that.
	Recv(ctx context.Context) (json.RawMessage, error)
	// Close gives up what is in flight and ends the link, not the thing.
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

// Request is one question over a link.
type Request struct {
	Method string
	Params json.RawMessage // an object; nil: none
	// Notify is told of what comes before the answer: method and parameters. Nil
	// ignores it.
	Notify func(method string, params json.RawMessage)
}

// frame is what Ask looks at of a frame.
type frame struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// Ask asks one question over a link that nobody else uses, waits for its answer
// and closes the link. What was answered is returned as it came; an error of the
// other side is an *Error. What the other side asks meanwhile is answered with
// an error: there is nobody to ask. When ctx ends, what is in flight is given
// up.
//
// An answer that came is returned however the link closes: whoever lost it
// would ask for it again.
func Ask(ctx context.Context, l Link, r Request) (answer json.RawMessage, err error) {
	defer func() {
		if closing := l.Close(); err != nil {
			err = errors.Join(err, closing)
		}
	}()
	question, err := ext.EncodeJSON(struct {
		Version string          `json:"jsonrpc"`
		ID      int             `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", questionID, r.Method, r.Params})
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", ext.Quote(r.Method), err)
	}
	if err := l.Send(ctx, question); err != nil {
		return nil, fmt.Errorf("ask %s: %w", ext.Quote(r.Method), err)
	}
	for {
		raw, err := l.Recv(ctx)
		if errors.Is(err, io.EOF) {
			return nil, errors.New("it ended before it answered")
		} else if err != nil {
			return nil, fmt.Errorf("wait for the answer to %s: %w", ext.Quote(r.Method), err)
		}
		answer, done, err := r.take(ctx, l, raw)
		if done || err != nil {
			return answer, err
		}
	}
}

// questionID is the id of a question: a link has one user, and Ask one question.
const questionID = 1

// take looks at one frame that came: done when it is the answer.
func (r *Request) take(ctx context.Context, l Link, raw json.RawMessage) (answer json.RawMessage, done bool, err error) {
	var f frame
	switch err := json.Unmarshal(raw, &f); {
	case err != nil:
		return nil, false, fmt.Errorf("read the answer to %s: %w", ext.Quote(r.Method), err)
	case f.Method != "" && f.ID != nil:
		decline(ctx, l, f.ID)
		return nil, false, nil
	case f.Method != "":
		if r.Notify != nil {
			r.Notify(f.Method, f.Params)
		}
		return nil, false, nil
	case string(f.ID) != strconv.Itoa(questionID) && (f.Error == nil || f.ID != nil && string(f.ID) != "null"):
		return nil, false, nil // the answer to something else
	case f.Error != nil:
		return nil, true, f.Error
	case f.Result == nil:
		return nil, false, fmt.Errorf("the answer to %s holds neither a result nor an error", ext.Quote(r.Method))
	}
	return f.Result, true, nil
}

// decline answers what the other side asks. Where that cannot be sent, waiting
// for the answer says why.
func decline(ctx context.Context, l Link, id json.RawMessage) {
	raw, err := ext.EncodeJSON(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   Error           `json:"error"`
	}{"2.0", id, Error{Code: codeNoMethod, Message: "nothing can be asked here"}})
	if err == nil {
		_ = l.Send(ctx, raw)
	}
}

// codeNoMethod is the code of JSON-RPC for a method that is not there.
const codeNoMethod = -32601
