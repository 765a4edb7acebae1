package mcptest

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// message is what comes in: a request, a notification or an answer.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (m message) request() bool { return m.Method != "" && len(m.ID) > 0 }

// fault is an error of the protocol.
type fault struct {
	code int
	text string
}

// The codes that the server uses.
const (
	invalidRequest   = -32600
	unknownMethod    = -32601
	invalidParams    = -32602
	resourceNotFound = -32002
)

// outlet sends one frame. Several goroutines may call it.
type outlet func(frame string)

// answer is the frame that answers a request. Results are put in as they are:
// what a definition looks like, byte by byte, is part of the fixture.
func answer(id json.RawMessage, result string, f *fault) string {
	if f != nil {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, f.code, encode(f.text))
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func notification(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%s,"params":%s}`, encode(method), params)
}

func question(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}`, encode(id), encode(method), params)
}

// encode is v as JSON on one line, without the escapes for HTML.
func encode(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("mcptest: %v", err)) // only strings, maps and numbers come here
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// text is the result of a tool that answers with s.
func text(s string) string {
	return `{"content":[{"type":"text","text":` + encode(s) + `}]}`
}

// structured is the result of a tool that answers with an object.
func structured(object string) string {
	return `{"content":[{"type":"text","text":` + encode(object) + `}],"structuredContent":` + object + `}`
}

// mistake is the result of a tool that went wrong.
func mistake(s string) string {
	return `{"content":[{"type":"text","text":` + encode(s) + `}],"isError":true}`
}
