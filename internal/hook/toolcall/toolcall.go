// Package toolcall holds the hooks around a tool call.
package toolcall

import (
	"encoding/json"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Call is what is asked about: one tool call before it is made.
type Call struct {
	Tool      string          `json:"tool"`      // exposed name
	Extension ext.Name        `json:"extension"` // whose tool it is
	Server    string          `json:"server,omitempty"`
	Arguments json.RawMessage `json:"arguments"`
	Session   string          `json:"session,omitempty"`
}

// Opinion is one answer: a veto or a question for the person. There is no
// "allow": what an extension does not object to, it has no opinion on (law 7).
type Opinion struct {
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason,omitempty"`
}

// Verdict is the word of an opinion.
type Verdict string

const (
	// Deny refuses the call.
	Deny Verdict = "deny"
	// Ask leaves the call to the person.
	Ask Verdict = "ask"
)

// Before is asked before a tool is called. Its guards may deny the call.
var Before = surface.DefineHook(surface.HookDef[Call, Opinion]{
	Name:   "before_tool_call",
	Doc:    "Asked before a tool is called; a guard may deny the call.",
	Needs:  ext.Plugin,
	Guards: true,
	Answer: func(d *ext.Doc) string {
		if _, err := Written(d); err != nil {
			return err.Error()
		}
		return ""
	},
})
