package mcp

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/internal/rpc"
)

// Peer is the client that a lane is for. A nil Peer is nobody in particular,
// who can be asked nothing.
type Peer struct {
	ID           string          // of its session
	Capabilities json.RawMessage // what it declared, an object; nil: nothing
	Modern       bool            // the frames of its requests carry their own _meta
}

// abilities are what can be asked of a client, as a server is told it.
type abilities struct {
	raw   []byte // an object in its canonical form; nil: nothing
	names []string
}

// usable are the capabilities that a server may make use of. The tasks of
// 2025-11-25 are none of them: they are not carried.
func usable() []string {
	return []string{"elicitation", "experimental", "extensions", "roots", "sampling"}
}

// ablesOf is what a peer declared that a server may make use of.
func ablesOf(p *Peer) abilities {
	if p == nil || len(p.Capabilities) == 0 {
		return abilities{}
	}
	declared, err := rpc.Members(carried(rpc.Legible(p.Capabilities)), usable()...)
	if err != nil {
		return abilities{}
	}
	var a abilities
	for _, name := range usable() {
		if !rpc.IsObject(declared[name]) {
			continue
		}
		value := jsontext.Value(clone(declared[name]))
		if value.Canonicalize(jsontext.AllowDuplicateNames(true)) != nil {
			continue
		}
		a.raw = append(append(append(append(a.raw, ','), rpc.Quote(name)...), ':'), value...)
		a.names = append(a.names, name)
	}
	if a.raw != nil {
		a.raw[0] = '{'
		a.raw = append(a.raw, '}')
	}
	return a
}

// tasksExtension lets a server answer a call with a task, whose methods are not carried:
// nobody could ever have the result.
const tasksExtension = "io.modelcontextprotocol/tasks"

// carried are the capabilities of a client that hold here.
func carried(capabilities []byte) []byte {
	if !bytes.Contains(capabilities, []byte("tasks")) && bytes.IndexByte(capabilities, '\\') < 0 { // which spares nearly all a reading
		return capabilities
	}
	at, err := rpc.Locate(capabilities, "extensions")
	if extensions := at["extensions"]; err == nil && extensions.There() {
		return rpc.Splice(capabilities, extensions.With(rpc.Without(capabilities[extensions.From:extensions.To], tasksExtension)))
	}
	return capabilities
}

func (a *abilities) has(name string) bool { return slices.Contains(a.names, name) }

// answer reports whether a request of that method may be put.
func (a *abilities) answer(method string) bool {
	switch method {
	case "sampling/createMessage":
		return a.has("sampling")
	case "elicitation/create":
		return a.has("elicitation")
	case "roots/list":
		return a.has("roots")
	}
	return a.has("extensions") || a.has("experimental") // theirs are not known here
}

// declared is the object of capabilities.
func (a *abilities) declared() []byte {
	if a.raw == nil {
		return []byte(`{}`)
	}
	return a.raw
}
