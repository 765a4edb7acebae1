package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/host"
)

// raw is a result that is sent as it is.
type raw struct {
	mcp.ResultBase
	json json.RawMessage
}

// MarshalJSON is the result itself.
func (r *raw) MarshalJSON() ([]byte, error) { return r.json, nil }

// recovers answers a request that makes this program panic with an error, so
// that it costs nobody else.
func (g *Gateway) recovers(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (_ mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				if g.options.Log != nil {
					g.options.Log.Error("panic", "method", method, "panic", fmt.Sprint(p))
				}
				err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the host failed to answer; its log says why"}
			}
		}()
		return next(ctx, method, req)
	}
}

// answers answers what is about the host's extensions, and leaves the rest of
// the protocol to the library.
func (g *Gateway) answers(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		do := answering(method)
		s, ok := req.GetSession().(*mcp.ServerSession)
		if !ok || do == nil && method != "initialize" {
			return next(ctx, method, req)
		}
		r := &request{gateway: g, client: g.client(s), session: s, params: req.GetParams()}
		if do == nil {
			return r.initialize(ctx, func() (mcp.Result, error) { return next(ctx, method, req) })
		}
		answer, err := do(r, ctx)
		if err != nil {
			return nil, fault(err)
		}
		return &raw{json: answer}, nil
	}
}

// request is one request of a client.
type request struct {
	gateway *Gateway
	client  *client
	session *mcp.ServerSession
	params  mcp.Params // may hold a nil pointer: a client may send none
}

// answering is what answers a method here; nil when nothing does.
func answering(method string) func(*request, context.Context) (json.RawMessage, error) {
	switch method {
	case "tools/list":
		return (*request).listTools
	case "tools/call":
		return (*request).callTool
	case "prompts/list":
		return (*request).listPrompts
	case "prompts/get":
		return (*request).getPrompt
	case "resources/list":
		return (*request).listResources
	case "resources/templates/list":
		return (*request).listTemplates
	case "resources/read":
		return (*request).readResource
	}
	return nil
}

// initialize adds the text that this agent begins with.
func (r *request) initialize(ctx context.Context, next func() (mcp.Result, error)) (mcp.Result, error) {
	res, err := next()
	if err != nil {
		return nil, err
	}
	v, err := r.client.agent.List(ctx)
	if err != nil {
		return nil, fault(err)
	}
	if init, ok := res.(*mcp.InitializeResult); ok && r.gateway.options.Offer.Only == "" {
		init.Instructions = v.Instructions(r.client.boundary)
	}
	return res, nil
}

// The codes of JSON-RPC and MCP that are used here.
const (
	codeNotFound = -32002 // a resource, in the revisions before 2026-07-28
	codeRefused  = -32000
)

// fault is an error as a client is told it: one of a server as it came, one of
// ours with the code for its kind.
func fault(err error) error {
	var theirs *call.Error
	if errors.As(err, &theirs) {
		return &jsonrpc.Error{Code: int64(theirs.Code), Message: theirs.Message, Data: theirs.Data}
	}
	var ours *jsonrpc.Error
	if errors.As(err, &ours) {
		return ours
	}
	code := int64(jsonrpc.CodeInternalError)
	switch ext.KindOf(err) {
	case ext.Usage:
		code = jsonrpc.CodeInvalidParams
	case ext.Refused:
		code = codeRefused
	}
	return &jsonrpc.Error{Code: code, Message: said(err)}
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
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}
