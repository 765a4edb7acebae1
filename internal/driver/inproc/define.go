package inproc

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mortise-dev/mortise/ext"
)

// Definition is what agents are told of a tool that an adopter compiled in.
type Definition struct {
	Name, Title, Description string
	Promises
}

// Promises are what a tool says of its effects. What it does not promise counts
// as the worst, as MCP has it: nothing is written of that.
type Promises struct {
	ReadOnly   bool // it changes nothing
	Additive   bool // what it changes, it only adds to
	Idempotent bool // a second call with the same arguments changes nothing more
	Closed     bool // it deals with nothing outside its own world, such as the network
}

// Define makes a tool of a function that takes its arguments as they come, a JSON
// object, and is given whatever input, the JSON Schema of them, says; nil input is
// any object. An error says that input is no JSON.
func Define(of ext.Name, d Definition, input json.RawMessage, do func(context.Context, json.RawMessage) (any, error)) (Tool, error) {
	if input == nil {
		input = json.RawMessage(`{"type":"object"}`)
	}
	document, err := d.document(of, input)
	if err != nil {
		return Tool{}, fmt.Errorf("the schema of the arguments of %s is no JSON: %w", ext.Quote(ext.Shorten(d.Name, 80)), err)
	}
	return Tool{name: d.Name, definition: document, call: do}, nil
}

// DefineTyped is NewTool for tools that an adopter compiled in: In without a schema
// is an error.
func DefineTyped[In any](of ext.Name, d Definition, do func(context.Context, In) (any, error)) (Tool, error) {
	schema, resolved, err := schemaOf[In]()
	if err != nil {
		return Tool{}, fmt.Errorf("the arguments of %s have no schema: %w", ext.Quote(ext.Shorten(d.Name, 80)), err)
	}
	document, err := d.document(of, schema)
	if err != nil {
		return Tool{}, fmt.Errorf("write the schema of the arguments of %s: %w", ext.Quote(ext.Shorten(d.Name, 80)), err)
	}
	return Tool{name: d.Name, definition: document, call: func(ctx context.Context, argument json.RawMessage) (any, error) {
		var in In
		if err := read(argument, &in, resolved); err != nil {
			return nil, ext.AsUsage(fmt.Errorf("the arguments of %s: %s", d.Name, ext.Escape(ext.Shorten(err.Error(), 500))))
		}
		return do(ctx, in)
	}}, nil
}

// document is the document of the tool surface.
func (d *Definition) document(of ext.Name, input any) ([]byte, error) {
	out := map[string]any{
		"description": d.Description,
		"inputSchema": input,
		"ref":         ext.Ref{Driver: Name, Target: string(of), Name: d.Name},
	}
	if d.Title != "" {
		out["title"] = d.Title
	}
	if hints := d.hints(); len(hints) > 0 {
		out["annotations"] = hints
	}
	return json.MarshalIndent(out, "", "  ")
}

// hints are promises in the words of MCP.
func (p Promises) hints() map[string]bool {
	out := map[string]bool{}
	if p.ReadOnly {
		out["readOnlyHint"] = true
	}
	if p.Additive || p.ReadOnly {
		out["destructiveHint"] = false
	}
	if p.Idempotent {
		out["idempotentHint"] = true
	}
	if p.Closed {
		out["openWorldHint"] = false
	}
	return out
}
