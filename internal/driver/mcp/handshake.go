package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// offered is the revision of the protocol that a server is asked for, and
// spoken those that it may answer with.
const offered = "2025-11-25"

func spoken() []string { return []string{"2024-11-05", "2025-03-26", "2025-06-18", offered} }

// maxInstructions is how long the text of a server's instructions may be.
const maxInstructions = 256 << 10

// hello is what a server said when it was greeted: parts of its answer as
// sent, as far as there is room for them in a description.
type hello struct {
	version string
	parts   map[string][]byte // protocolVersion, capabilities, serverInfo, instructions
	offers  map[string]bool   // tools, prompts, resources
	changes interest          // lists that it says may change
	ttl     time.Duration     // for how long it says that this holds; 0: it does not say
	notes   []string
}

// keep takes in a part of the answer.
func (h *hello) keep(key string, raw []byte) {
	most := maxBytes / 4
	if key == "instructions" {
		if say, ok := rpc.Text(raw); ok {
			h.instruct(say, raw)
			return
		}
		most = maxInstructions
	}
	if len(raw) > most {
		h.notes = append(h.notes, fmt.Sprintf("its %s is longer than %d KiB and was left out", key, most>>10))
		return
	}
	h.parts[key] = clone(raw)
}

// instruct takes in the instructions, which say the text that raw spells.
func (h *hello) instruct(say string, raw []byte) {
	if len(say) <= maxInstructions {
		h.parts["instructions"] = clone(raw)
		return
	}
	cut := maxInstructions
	for !utf8.RuneStart(say[cut]) {
		cut--
	}
	h.parts["instructions"] = rpc.Quote(say[:cut])
	h.notes = append(h.notes, fmt.Sprintf("its instructions are longer than %d KiB; what followed was cut off", maxInstructions>>10))
}

// greeting names the parts of an answer to the greeting that are kept.
func greeting() []string {
	return []string{"protocolVersion", "capabilities", "serverInfo", "instructions"}
}

// shake greets the server and agrees on a revision with a handshake.
func shake(ctx context.Context, c *conn, client Client, can *abilities) (*hello, error) {
	params := slices.Concat([]byte(`{"protocolVersion":"`+offered+`","capabilities":`), can.declared(), []byte(`,"clientInfo":`), client.info(), []byte(`}`))
	raw, err := c.ask(ctx, "initialize", params, false)
	if err != nil {
		return nil, err
	}
	h, err := readHello(raw)
	if err != nil {
		return nil, err
	}
	if w, ok := c.wire.(interface{ settle(version string) }); ok {
		w.settle(h.version)
	}
	return h, c.tell(ctx, "notifications/initialized", nil)
}

func readHello(raw []byte) (*hello, error) {
	parts, err := rpc.Members(raw, greeting()...)
	if err != nil {
		return nil, errors.New("it answered the greeting with something else than an object")
	}
	version, ok := rpc.Text(parts["protocolVersion"])
	switch {
	case !ok:
		return nil, errors.New("it answered the greeting without a revision of the protocol")
	case !slices.Contains(spoken(), version):
		return nil, fmt.Errorf("it speaks revision %s of the protocol; here those are spoken: %s",
			ext.Quote(ext.Shorten(version, 40)), strings.Join(spoken(), ", "))
	}
	h := &hello{version: version}
	return h, h.read(parts)
}

// read takes in the parts of an answer.
func (h *hello) read(parts map[string][]byte) error {
	h.parts, h.offers = map[string][]byte{}, map[string]bool{}
	if c, ok := parts["capabilities"]; ok {
		offers, err := rpc.Members(c, "tools", "prompts", "resources")
		if err != nil {
			return errors.New("its capabilities are no object")
		}
		changes := func(key string) bool {
			m, err := rpc.Members(offers[key], "listChanged")
			return err == nil && string(m["listChanged"]) == "true"
		}
		for key := range offers {
			h.offers[key] = true
		}
		h.changes = interest{tools: changes("tools"), prompts: changes("prompts"), resources: changes("resources")}
	}
	for _, key := range greeting() {
		if raw := parts[key]; raw != nil {
			h.keep(key, raw)
		}
	}
	return nil
}
