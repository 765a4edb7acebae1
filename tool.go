package mortise

import (
	"context"
	"encoding/json"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
)

// Tool is a function that an agent may call. Make one with [NewTool].
type Tool struct {
	name string
	make func(of ext.Name) (inproc.Tool, error)
}

// About is what agents, their clients and policies are told of a tool. What it
// does not promise of its effects counts as the worst.
type About struct {
	Name        string // within the extension
	Title       string // for people; may be ""
	Description string // what it does

	ReadOnly   bool // it changes nothing
	Additive   bool // what it changes, it only adds to
	Idempotent bool // a second call with the same arguments changes nothing more
	Closed     bool // it deals with nothing outside its own world, such as the network
}

// NewTool makes a tool of a function. In is a struct: its fields are the
// arguments, described by their tags json and jsonschema, and a call with unknown
// or missing ones is not made. What the function returns is written as JSON. Its
// error is told to the agent, and so is its panic. An In that has no schema refuses
// the extension when it is composed.
func NewTool[In any](about About, do func(ctx context.Context, in In) (any, error)) Tool {
	t := Tool{name: about.Name}
	if do != nil {
		t.make = func(of ext.Name) (inproc.Tool, error) { return inproc.DefineTyped(of, about.definition(), plainly(do)) }
	}
	return t
}

// plainly is a function whose errors say what they say while a panic is caught.
func plainly[In any](do func(context.Context, In) (any, error)) func(context.Context, In) (any, error) {
	return func(ctx context.Context, in In) (any, error) {
		value, err := do(ctx, in)
		return value, told(err)
	}
}

// newRawTool makes a tool of a function that takes its arguments as they come.
func newRawTool(about About, input json.RawMessage, do func(context.Context, json.RawMessage) (any, error)) Tool {
	return Tool{about.Name, func(of ext.Name) (inproc.Tool, error) {
		return inproc.Define(of, about.definition(), input, plainly(do))
	}}
}

func (a About) definition() inproc.Definition {
	return inproc.Definition{
		Name: a.Name, Title: a.Title, Description: a.Description,
		Promises: inproc.Promises{ReadOnly: a.ReadOnly, Additive: a.Additive, Idempotent: a.Idempotent, Closed: a.Closed},
	}
}
