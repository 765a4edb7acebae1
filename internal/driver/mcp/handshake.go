package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// offered is the revision of the protocol that a server is asked for, and
// spoken those that it may answer with.
const offered = "2025-11-25"

func spoken() []string { return []string{"2024-11-05", "2025-03-26", "2025-06-18", offered} }

// hello is what a server said when it was greeted: parts of its answer as sent.
type hello struct {
	version      string
	parts        map[string][]byte // protocolVersion, capabilities, serverInfo, instructions
	capabilities map[string][]byte
}

// shake greets the server and agrees on a revision.
func shake(ctx context.Context, c *conn, client Client) (*hello, error) {
	params := slices.Concat(
		[]byte(`{"protocolVersion":"`+offered+`","capabilities":{},"clientInfo":{"name":`), quoted(client.Name),
		[]byte(`,"version":`), quoted(client.Version), []byte(`}}`))
	raw, err := c.ask(ctx, "initialize", params, false)
	if err != nil {
		return nil, err
	}
	h, err := readHello(raw)
	if err != nil {
		return nil, err
	}
	if w, ok := c.wire.(*remote); ok {
		w.settle(h.version)
	}
	return h, c.tell(ctx, "notifications/initialized", nil)
}

func readHello(raw []byte) (*hello, error) {
	parts, err := members(raw, "protocolVersion", "capabilities", "serverInfo", "instructions")
	if err != nil {
		return nil, errors.New("it answered the greeting with something else than an object")
	}
	h := &hello{parts: parts, capabilities: map[string][]byte{}}
	version, ok := text(parts["protocolVersion"])
	switch {
	case !ok:
		return nil, errors.New("it answered the greeting without a revision of the protocol")
	case !slices.Contains(spoken(), version):
		return nil, fmt.Errorf("it speaks revision %s of the protocol; here those are spoken: %s",
			ext.Quote(ext.Shorten(version, 40)), strings.Join(spoken(), ", "))
	}
	h.version = version
	if c, ok := parts["capabilities"]; ok {
		if h.capabilities, err = members(c, "tools", "prompts", "resources"); err != nil {
			return nil, errors.New("its capabilities are no object")
		}
	}
	return h, nil
}
