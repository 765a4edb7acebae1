package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// modernMethods are the methods of the revision without a handshake.
var modernMethods = map[string]func(*request, context.Context) ([]byte, error){
	"server/discover":          composed((*request).discover),
	"tools/list":               composed((*request).listTools),
	"prompts/list":             composed((*request).listPrompts),
	"resources/list":           composed((*request).listResources),
	"resources/templates/list": composed((*request).listTemplates),
	"tools/call":               (*request).callMirrored,
	"prompts/get":              (*request).getPrompt,
	"resources/read":           (*request).readResource,
	"completion/complete":      (*request).complete,
	"subscriptions/listen":     (*request).listen,
}

// modern answers a request of the revision without a handshake.
func (r *request) modern(ctx context.Context) ([]byte, error) {
	raw, err := modernMethods[r.frame.Method](r, ctx)
	var ours *call.Error
	if errors.As(err, &ours) && ours.Code == codeNotFound { // there is no such code any more
		data, failed := ext.EncodeJSON(map[string]string{"uri": r.text(r.frame.URI)})
		if failed == nil {
			return nil, &call.Error{Code: codeInvalid, Message: ours.Message, Data: data}
		}
	}
	return raw, err
}

// composed answers with a result of ours: an object with what this revision wants of
// all that may be kept for a while. What is offered may change at any time, and who
// listens is told.
func composed(do func(*request, context.Context) (json.RawMessage, error)) func(*request, context.Context) ([]byte, error) {
	return func(r *request, ctx context.Context) ([]byte, error) {
		result, err := do(r, ctx)
		if err != nil {
			return nil, err
		}
		who := slices.Concat([]byte(`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mortise","title":"Mortise","version":`), rpc.Quote(r.client.gateway.options.Version), []byte(`}}`))
		r.client.visitor.faithful.Store(true) // it is complete
		return r.result(begun(result, []byte(`"resultType":"complete"`), []byte(caching), who)), nil
	}
}

// caching is what is said of results of which nothing is known.
const caching = `"ttlMs":0,"cacheScope":"private"`

// begun is an object that begins with more members.
func begun(object []byte, members ...[]byte) []byte {
	out := append([]byte{'{'}, bytes.Join(members, []byte{','})...)
	rest := bytes.TrimLeft(object[bytes.IndexByte(object, '{')+1:], " \t\r\n")
	if len(out) > 1 && rest[0] != '}' {
		out = append(out, ',')
	}
	return append(out, rest...)
}

// discover says what is spoken and offered here.
func (r *request) discover(ctx context.Context) (json.RawMessage, error) {
	c := r.client
	v, err := c.agent.List(ctx)
	if err != nil {
		return nil, err
	}
	changes := map[string]bool{"listChanged": true}
	return ext.EncodeJSON(struct {
		Versions     []string       `json:"supportedVersions"`
		Capabilities map[string]any `json:"capabilities"`
		Instructions string         `json:"instructions,omitempty"`
	}{
		spoken(), map[string]any{
			"tools": changes, "prompts": changes, "resources": map[string]bool{"listChanged": true, "subscribe": true},
			"logging": struct{}{}, "completions": struct{}{},
		},
		v.Begins(c.boundary, c.gateway.options.Offer.Only),
	})
}

// dated is what a request of this revision does not say to a server with a handshake,
// which would take it for one of its own revision, and refuse it.
func (c *client) dated(l call.Link, f *rpc.Frame) rpc.Edit {
	if c.visitor == nil || !f.Version.There() || call.IsModern(l) {
		return rpc.Edit{}
	}
	return f.Meta.With(rpc.Without(f.Bytes(f.Meta), rpc.KeyVersion, rpc.KeyCapabilities, rpc.KeyClient, rpc.KeyLogLevel))
}

// passedOn is told of an answer that a server gave, before it goes on. A client that
// shook hands takes it as it is.
func (c *client) passedOn(l call.Link, a *rpc.Frame) {
	if c.visitor == nil {
		return
	}
	c.visitor.faithful.Store(call.IsModern(l))
	c.visitor.code.Store(int64(codeOf(a)))
}

// codeOf is the code of the error that a response is; 0: it is none.
func codeOf(a *rpc.Frame) int {
	if !a.Fault.There() {
		return 0
	}
	m, err := rpc.Members(a.Bytes(a.Fault), "code")
	if err != nil {
		return codeInternal
	}
	n, err := strconv.Atoi(string(m["code"]))
	if err != nil {
		return codeInternal
	}
	return n
}

// completed is the answer to a request of this revision: that of a server of the
// revision as it came, any other with what it must have.
func (c *client) completed(f *rpc.Frame, raw []byte) answer {
	if raw == nil {
		return answer{}
	}
	if c.visitor.faithful.Load() {
		return answer{raw, int(c.visitor.code.Load())}
	}
	a, err := rpc.Read(raw)
	if err != nil || !a.Result.There() || raw[a.Result.From] != '{' {
		return answer{raw, codeOf(&a)}
	}
	return answer{rpc.Splice(raw, a.Result.With(finished(a.Bytes(a.Result), f.Method))), 0}
}

// finished is the result of a server with a handshake, or of ours, with what this
// revision wants of it.
func finished(result []byte, method string) []byte {
	there, err := rpc.Members(result, "resultType", "ttlMs", "cacheScope")
	if err != nil {
		return result
	}
	var more [][]byte
	add := func(name, value string) {
		if there[name] == nil {
			more = append(more, []byte(`"`+name+`":`+value))
		}
	}
	add("resultType", `"complete"`)
	if method == "resources/read" {
		add("ttlMs", "0")
		add("cacheScope", `"private"`)
	}
	if len(more) == 0 {
		return result
	}
	return begun(result, more...)
}

// wants tells a server which log messages the client wants. To one of 2026-07-28 each
// request says so itself.
func (c *client) wants(ctx context.Context, u *upstream, level json.RawMessage) {
	if c.visitor == nil || !call.IsModern(u.link) {
		u.level(ctx, level)
	}
}
