package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// request is one request of a client.
type request struct {
	client *client
	frame  *rpc.Frame
	emit   emit
}

// answering is what answers a method here with a result; nil when nothing does, or
// when what answers passes on the answer of another.
var answering = map[string]func(*request, context.Context) (json.RawMessage, error){
	"ping":                     (*request).ping,
	"tools/list":               (*request).listTools,
	"prompts/list":             (*request).listPrompts,
	"resources/list":           (*request).listResources,
	"resources/templates/list": (*request).listTemplates,
	"initialize":               (*request).initialize,
}

// passing answers a method with a whole response.
var passing = map[string]func(*request, context.Context) ([]byte, error){
	"tools/call":            (*request).callTool,
	"prompts/get":           (*request).getPrompt,
	"resources/read":        (*request).readResource,
	"resources/subscribe":   (*request).subscribe,
	"resources/unsubscribe": (*request).subscribe,
	"completion/complete":   (*request).complete,
	"logging/setLevel":      (*request).setLevel,
}

// handle answers one request of the client. What belongs before the answer is
// emitted. It returns nil when the client does not wait for an answer any more.
func (c *client) handle(ctx context.Context, f *rpc.Frame, out emit) (answer []byte) {
	in := c.takeIn(ctx, f)
	if in == nil {
		return refusal(f, errNotTaken)
	}
	defer in.end()
	return c.perform(in.ctx, f, out)
}

// taken is a request that was taken in: it can be cancelled, and its id is in use until
// it ends.
type taken struct {
	ctx context.Context
	end func()
}

// takeIn takes in a request. It is nil where its id is in use, the session is over, or
// too many are in flight.
func (c *client) takeIn(ctx context.Context, f *rpc.Frame) *taken {
	id := string(f.Bytes(f.ID))
	ctx, cancel := context.WithCancel(ctx)
	c.touch()
	if !c.launch(id, cancel) {
		cancel()
		return nil
	}
	return &taken{ctx, func() {
		cancel()
		c.land(id)
	}}
}

var errNotTaken = &call.Error{Code: codeRefused, Message: "the session is ending, a request with that id is in flight, or too many are"}

// perform answers a request that was taken in.
func (c *client) perform(ctx context.Context, f *rpc.Frame, out emit) (answer []byte) {
	defer func() {
		if p := recover(); p != nil {
			c.gateway.panicked(f.Method, p)
			answer = refusal(f, errPanicked)
		}
	}()
	r := &request{client: c, frame: f, emit: out}
	answer, err := r.answer(ctx)
	switch {
	case ctx.Err() != nil || c.life.Err() != nil: // the end of the one follows that of the other
		return nil
	case err != nil:
		return refusal(f, err)
	}
	return answer
}

// answer is the whole response.
func (r *request) answer(ctx context.Context) ([]byte, error) {
	if r.client.visitor != nil {
		return r.modern(ctx)
	}
	if do := passing[r.frame.Method]; do != nil {
		return do(r, ctx)
	}
	do := answering[r.frame.Method]
	if do == nil {
		return nil, &call.Error{Code: codeUnknown, Message: "there is no method " + ext.Quote(ext.Shorten(r.frame.Method, 80)) + " here"}
	}
	result, err := do(r, ctx)
	if err != nil {
		return nil, err
	}
	return r.result(result), nil
}

// result is the response with a result.
func (r *request) result(result json.RawMessage) []byte {
	return rpc.Answer(r.frame.Bytes(r.frame.ID), result).Raw
}

func (r *request) ping(context.Context) (json.RawMessage, error) { return json.RawMessage("{}"), nil }

// text is the text of a part of the request; "" where it is none.
func (r *request) text(at rpc.Span) string {
	s, _ := rpc.Text(r.frame.Bytes(at))
	return s
}

// The codes of JSON-RPC and MCP that are used here.
const (
	codeUnknown  = -32601
	codeBad      = -32600
	codeInvalid  = -32602
	codeInternal = -32603
	codeNotFound = -32002 // a resource, in the revisions before 2026-07-28
	codeRefused  = -32000
)

// refusal is the response to a request that cannot be answered.
func refusal(f *rpc.Frame, err error) []byte {
	return rpc.Refuse(f.Bytes(f.ID), fault(err)).Raw
}

// fault is an error as a client is told it: one of a server as it came, one of
// ours with the code for its kind.
func fault(err error) []byte {
	var theirs *call.Error
	if errors.As(err, &theirs) {
		raw, failed := ext.EncodeJSON(theirs)
		if failed == nil {
			return raw
		}
	}
	code := codeInternal
	switch ext.KindOf(err) {
	case ext.Usage:
		code = codeInvalid
	case ext.Refused:
		code = codeRefused
	}
	return rpc.Fault(code, said(err))
}

// said is an error as an agent is told it. Why it cannot be told what is allowed
// is the person's business: it names places of their machine.
func said(err error) string {
	if errors.Is(err, host.ErrUnknown) {
		return host.ErrUnknown.Error() + "; mortise list tells the person why"
	}
	return err.Error()
}

func invalid(format string, args ...any) error {
	return &call.Error{Code: codeInvalid, Message: fmt.Sprintf(format, args...)}
}
