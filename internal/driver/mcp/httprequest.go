package mcp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"

	"github.com/mortise-dev/mortise/internal/rpc"
)

// takesLong are the requests that a server may take its time for: as many as
// clients make. What else is asked of it must not wait for them.
var takesLong = map[string]bool{"tools/call": true, "prompts/get": true, "resources/read": true, "completion/complete": true, "subscriptions/listen": true}

// do makes one HTTP request. Declared headers come first, the protocol's own
// replace them.
func (w *remote) do(ctx context.Context, method string, m *letter, session, after string) (*http.Response, error) {
	var body io.Reader
	if m != nil {
		body = bytes.NewReader(m.raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, w.address(m), body)
	if err != nil {
		return nil, errors.New("the address cannot be used") // err shows it whole
	}
	w.decorate(req, m, session, after)
	client := w.aside
	if m == nil || m.frame.Kind == rpc.Request && takesLong[m.frame.Method] {
		client = w.client
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, w.explain(ctx, err)
	}
	if m != nil && m.frame.Method == "initialize" && resp.StatusCode < 300 {
		w.mu.Lock()
		w.session = resp.Header.Get("Mcp-Session-Id")
		w.mu.Unlock()
	}
	return resp, nil
}

// address is where a message is posted to, nil to listen.
func (w *remote) address(m *letter) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if m != nil && w.postTo != "" {
		return w.postTo
	}
	return w.url
}

// declared are the headers of a declaration, with what all requests have, and the
// host that it names; "" for that of the address. The protocol's own are not declared.
func declared(headers []Pair) (all http.Header, host string) {
	all = http.Header{}
	for _, h := range headers {
		switch http.CanonicalHeaderKey(h.Name) {
		case "Host":
			host = h.Value
		case "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Trailer", "Te", "Keep-Alive", "Last-Event-Id", "Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name":
		default:
			all.Set(h.Name, h.Value)
		}
	}
	all.Set("Accept", "application/json, text/event-stream")
	all.Set("Content-Type", "application/json")
	return all, host
}

func (w *remote) decorate(req *http.Request, m *letter, session, after string) {
	req.Header = maps.Clone(w.headers)
	req.Host = cmp.Or(w.host, req.Host)
	if m == nil {
		req.Header.Set("Accept", "text/event-stream")
		req.Header.Del("Content-Type")
	}
	w.mu.Lock()
	version := w.version
	w.mu.Unlock()
	if session != "" && (m == nil || m.frame.Method != "initialize") {
		req.Header.Set("Mcp-Session-Id", session)
	}
	if m != nil && m.frame.Version.There() || w.conn.modern.Load() {
		w.conn.mirror(req.Header, m)
	} else if version != "" && (m == nil || m.frame.Method != "initialize") {
		req.Header.Set("MCP-Protocol-Version", version)
	}
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
}
