package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Client is a session that speaks the least JSON-RPC that a call needs, so that
// the client takes less of a shared machine than an SDK does. It is of the
// revisions with a handshake, over Streamable HTTP. One goroutine uses it; a body
// that it returns is good until the next request.
type Client struct {
	http    *http.Client
	url     string
	id      string // of the session
	version string
	last    int64        // ID of a request
	body    bytes.Buffer // of the last answer
}

// NewHTTPClient is an HTTP client that keeps as many connections as there are
// sessions.
func NewHTTPClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns = 1024
	t.MaxIdleConnsPerHost = 256
	t.DisableCompression = true
	return &http.Client{Transport: t}
}

// Connect begins a session.
func Connect(ctx context.Context, h *http.Client, url string) (*Client, error) {
	c := &Client{http: h, url: url}
	const asked = "2025-06-18"
	b, header, err := c.post(ctx, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+asked+`","capabilities":{},"clientInfo":{"name":"bench-raw","version":"1"}}}`)
	if err != nil {
		return nil, fmt.Errorf("initialize: %w", err)
	}
	c.id = header.Get("Mcp-Session-Id")
	c.version = asked
	if said, ok := between(b, `"protocolVersion":"`, '"'); ok {
		c.version = said
	}
	if _, _, err := c.post(ctx, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		return nil, fmt.Errorf("initialized: %w", err)
	}
	return c, nil
}

// Ask sends a request and is its ID and the whole body that came back: a message,
// or an event stream of them.
func (c *Client) Ask(ctx context.Context, method, params string) (id int64, body []byte, err error) {
	c.last++
	id = c.last
	body, _, err = c.post(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	return id, body, err
}

// Notify sends a notification.
func (c *Client) Notify(ctx context.Context, method, params string) error {
	_, _, err := c.post(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
	return err
}

// LastID is the ID of the request that was sent last.
func (c *Client) LastID() int64 { return c.last }

// Echo calls a tool that answers with its argument, and looks for it in the
// answer undecoded.
func (c *Client) Echo(ctx context.Context, tool, text string) error {
	_, b, err := c.Ask(ctx, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":{"text":%q}}`, tool, text))
	if err != nil {
		return err
	}
	if !bytes.Contains(b, []byte(text)) {
		return fmt.Errorf("wrong echo: %.200s", b)
	}
	return nil
}

// Tools fetches every page of the list of tools without decoding them. It is how
// many bytes and how many tools came.
func (c *Client) Tools(ctx context.Context) (size, tools int, err error) {
	params := "{}"
	for range 1000 {
		_, b, err := c.Ask(ctx, "tools/list", params)
		if err != nil {
			return size, tools, err
		}
		size += len(b)
		tools += bytes.Count(b, []byte(`"inputSchema"`))
		cursor, more := between(b, `"nextCursor":"`, '"')
		if !more || cursor == "" {
			return size, tools, nil
		}
		params = fmt.Sprintf(`{"cursor":%q}`, cursor)
	}
	return size, tools, fmt.Errorf("tools/list did not end")
}

// Close ends the session at the server.
func (c *Client) Close(ctx context.Context) error {
	if c.id == "" {
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, c.url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Mcp-Session-Id", c.id)
	req.Header.Set("Mcp-Protocol-Version", c.version)
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, res.Body) // so that the connection is kept
	return res.Body.Close()
}

func (c *Client) post(ctx context.Context, body string) ([]byte, http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.id != "" {
		req.Header.Set("Mcp-Session-Id", c.id)
	}
	if c.version != "" {
		req.Header.Set("Mcp-Protocol-Version", c.version)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	c.body.Reset()
	if _, err := c.body.ReadFrom(res.Body); err != nil {
		return nil, nil, err
	}
	if res.StatusCode/100 != 2 {
		return nil, nil, &StatusError{Status: res.Status, Body: c.body.String()}
	}
	return c.body.Bytes(), res.Header, nil
}

// StatusError is an answer of HTTP that says no.
type StatusError struct{ Status, Body string }

func (e *StatusError) Error() string { return fmt.Sprintf("%s: %.200s", e.Status, e.Body) }

// Message is what of a message says whose it is and how it went.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// Messages decodes a body: one message, or an event stream of them.
func Messages(body []byte) ([]Message, error) {
	var all []Message
	for line := range bytes.Lines(body) {
		line, _ = bytes.CutPrefix(line, []byte("data:"))
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' {
			continue // other fields of an event
		}
		var m Message
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, fmt.Errorf("no message: %w: %.200s", err, line)
		}
		all = append(all, m)
	}
	return all, nil
}

// between is the text after the first mark, up to an end. Looking from the end is
// many times slower, and shows in long lists.
func between(b []byte, mark string, end byte) (string, bool) {
	i := bytes.Index(b, []byte(mark))
	if i < 0 {
		return "", false
	}
	rest := b[i+len(mark):]
	j := bytes.IndexByte(rest, end)
	if j < 0 {
		return "", false
	}
	return string(rest[:j]), true
}
