package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// target is an endpoint that is measured.
type target struct {
	label string
	url   string
	sse   bool     // the transport of 2024-11-05
	argv  []string // over stdio, instead of url
	pids  []int    // whose time and memory count
}

func parseTargets(args []string) ([]target, error) {
	var all []target
	for _, a := range args {
		t, err := parseTarget(a)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no target: name some as label=URL")
	}
	return all, nil
}

func parseTarget(s string) (target, error) {
	label, rest, ok := strings.Cut(s, "=")
	if !ok {
		return target{}, fmt.Errorf("target %q: want label=URL", s)
	}
	t := target{label: label}
	if command, ok := strings.CutPrefix(rest, "stdio:"); ok {
		if t.argv = strings.Fields(command); len(t.argv) == 0 {
			return target{}, fmt.Errorf("target %q: no command", s)
		}
		return t, nil
	}
	if i := strings.LastIndexByte(rest, '@'); i > 0 {
		for p := range strings.SplitSeq(rest[i+1:], "+") {
			n, err := strconv.Atoi(p)
			if err != nil {
				return target{}, fmt.Errorf("target %q: no process number: %q", s, p)
			}
			t.pids = append(t.pids, n)
		}
		rest = rest[:i]
	}
	t.url, t.sse = strings.CutPrefix(rest, "sse:")
	return t, nil
}

// bare reports whether the target can be asked by the least of clients.
func (t target) bare() bool { return t.argv == nil && !t.sse }

func (t target) note(what string, err error) {
	fmt.Fprintf(os.Stderr, "%s: %s: %v\n", t.label, what, err)
}

// connect begins a session of the SDK's client.
func (t target) connect(ctx context.Context, h *http.Client, protocol string, o *mcp.ClientOptions) (*mcp.ClientSession, error) {
	var opts *mcp.ClientSessionOptions
	if protocol != "" {
		opts = &mcp.ClientSessionOptions{ProtocolVersion: protocol}
	}
	var transport mcp.Transport
	switch {
	case t.argv != nil:
		cmd := exec.Command(t.argv[0], t.argv[1:]...) //nolint:noctx // ended by closing the session, as clients do
		cmd.Stderr = io.Discard
		transport = &mcp.CommandTransport{Command: cmd}
	case t.sse:
		transport = &mcp.SSEClientTransport{Endpoint: t.url, HTTPClient: h}
	default:
		// The stream for what nobody asked for is left out where nobody would look.
		quiet := o.ToolListChangedHandler == nil
		transport = &mcp.StreamableClientTransport{Endpoint: t.url, HTTPClient: h, DisableStandaloneSSE: quiet, MaxRetries: -1, MaxEventSize: 64 << 20}
	}
	return mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, o).Connect(ctx, transport, opts)
}

// silent is a client that can do nothing for a server: a gateway must not wait
// for it.
func silent() *mcp.ClientOptions {
	return &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
}

// listAll is every page of the list of tools, decoded.
func listAll(ctx context.Context, s *mcp.ClientSession) ([]*mcp.Tool, error) {
	var all []*mcp.Tool
	p := &mcp.ListToolsParams{}
	for range 1000 {
		r, err := s.ListTools(ctx, p)
		if err != nil {
			return nil, err
		}
		all = append(all, r.Tools...)
		if r.NextCursor == "" {
			return all, nil
		}
		p = &mcp.ListToolsParams{Cursor: r.NextCursor}
	}
	return nil, fmt.Errorf("tools/list did not end")
}

// named is the name by which a gateway offers a tool; "" when it does not. Each
// puts its own words before it.
func named(tools []*mcp.Tool, name string) string {
	for _, t := range tools {
		before, ok := strings.CutSuffix(t.Name, name)
		if ok && (before == "" || strings.ContainsAny(before[len(before)-1:], "_:.-/")) {
			return t.Name
		}
	}
	return ""
}

func (s *settings) echoTool(t target, tools []*mcp.Tool) (string, error) {
	if n := s.names[t.label]; n != "" {
		return n, nil
	}
	if n := named(tools, "echo"); n != "" {
		return n, nil
	}
	return "", fmt.Errorf("none of %d tools is the echo tool", len(tools))
}

// echo calls the echo tool by the SDK's client and looks at the answer.
func echo(ctx context.Context, s *mcp.ClientSession, tool, text string) error {
	r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"text": text}})
	if err != nil {
		return err
	}
	if r.IsError || len(r.Content) == 0 {
		return fmt.Errorf("the tool failed: %+v", r.Content)
	}
	if c, ok := r.Content[0].(*mcp.TextContent); !ok || c.Text != text {
		return fmt.Errorf("wrong echo")
	}
	return nil
}
