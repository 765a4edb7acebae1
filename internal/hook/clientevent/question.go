package clientevent

import (
	"github.com/mortise-dev/mortise/internal/dialect"
	"github.com/mortise-dev/mortise/internal/surface"
)

// The questions that the gateway puts, beside those of clients (Questions).
const (
	BeforeCall = "before_tool_call"
	AfterCall  = "after_tool_call"
)

// Questions are what a client asks with one of its events, as questions that a door
// puts: of events that say the same in several clients they are the same.
func Questions(client, event string) []string { return dialect.Delivers(client, event) }

// Program is the kind of a handler that is a program. No other can be asked here.
const Program = "command"

// questions are what a handler is asked about. A prompt, another agent, an address
// and a tool of the client's are asked by nobody here.
func questions(im surface.Implementation) []string {
	if im.Ref.Name != Program && im.Answer == nil {
		return nil
	}
	client, event := im.Option(Client), im.Option(Event)
	out := dialect.Wants(client, event, im.Matches)
	if !dialect.Reaches(client, event, im.Matches) {
		return out // about tools that only clients have, or none
	}
	switch dialect.MomentOf(client, event) {
	case dialect.BeforeTool:
		return append(out, BeforeCall)
	case dialect.AfterTool, dialect.AfterToolFailure:
		return append(out, AfterCall)
	}
	return out
}
