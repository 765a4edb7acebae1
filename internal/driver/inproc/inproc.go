// Package inproc is the driver for extensions that are written in Go and
// compiled in. They describe themselves as files and come through the same door
// as all others.
package inproc

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"testing/fstest"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Name is what references call this driver.
const Name = "inproc"

// Extension is one extension of the build: files in the canonical layout, every
// surface at the root, and tools that are functions.
type Extension struct {
	Name  ext.Name
	Files fs.FS // nil: none
	Tools []Tool
	Hooks []Hook
}

// Hook is one function that answers a hook.
type Hook struct {
	Hook string // its name: "axes"
	Name string // of the implementation, within the hook
	// Timeout is how long it may take, in whole milliseconds; 0: as who asks has it.
	Timeout time.Duration
	// Answer returns a list of answers, written as JSON; nil is none. It has no effect,
	// and returns the same for the same question, but where the hook says otherwise.
	Answer func(ctx context.Context, q surface.Question) (any, error)
}

// key is what the hook's reference calls it. No tool has such a name.
func (h *Hook) key() string { return h.Hook + "/" + h.Name }

// document is the document of the hook.
func (h *Hook) document(of ext.Name) []byte {
	document := map[string]any{"ref": ext.Ref{Driver: Name, Target: string(of), Name: h.key()}}
	if h.Timeout > 0 {
		document["timeout_ms"] = max(h.Timeout.Milliseconds(), 1)
	}
	data, err := json.Marshal(document)
	if err != nil {
		panic(fmt.Sprintf("hook %s: %v", h.Name, err))
	}
	return data
}

// answering calls a hook's function as a tool is called.
func (h *Hook) answering() Tool {
	return Tool{name: h.key(), bare: true, call: func(ctx context.Context, argument json.RawMessage) (any, error) {
		var q surface.Question
		if err := jsonv2.Unmarshal(argument, &q); err != nil {
			return nil, ext.AsUsage(fmt.Errorf("the question to %s: %s", h.key(), ext.Escape(ext.Shorten(err.Error(), 500))))
		}
		return h.Answer(ctx, q)
	}}
}

// Tool is one function that an agent may call. Make one with NewTool.
type Tool struct {
	name       string
	definition []byte // the document of the tool surface
	bare       bool   // what it answers is handed on as it is
	call       func(ctx context.Context, argument json.RawMessage) (any, error)
}

// About is what agents are told of a tool.
type About struct {
	Name        string
	Title       string
	Description string
	ReadOnly    bool // it changes nothing
}

// NewTool makes a tool of a function. In is a struct; its fields are the
// arguments, and unknown or missing ones are refused. What the function returns
// is written as JSON. It panics when In has no schema, which is a programming
// mistake.
func NewTool[In any](of ext.Name, about About, do func(context.Context, In) (any, error)) Tool {
	schema, resolved, err := schemaOf[In]()
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", about.Name, err))
	}
	definition, err := json.MarshalIndent(map[string]any{
		"title":       about.Title,
		"description": about.Description,
		"inputSchema": schema,
		"annotations": map[string]any{"readOnlyHint": about.ReadOnly, "destructiveHint": false, "openWorldHint": false},
		"ref":         ext.Ref{Driver: Name, Target: string(of), Name: about.Name},
	}, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", about.Name, err))
	}
	return Tool{name: about.Name, definition: definition, call: func(ctx context.Context, argument json.RawMessage) (any, error) {
		var in In
		if err := read(argument, &in, resolved); err != nil {
			return nil, ext.AsUsage(fmt.Errorf("the arguments of %s: %s", about.Name, ext.Escape(ext.Shorten(err.Error(), 500))))
		}
		return do(ctx, in)
	}}
}

func schemaOf[In any]() (*jsonschema.Schema, *jsonschema.Resolved, error) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		return nil, nil, err
	}
	resolved, err := schema.Resolve(nil)
	return schema, resolved, err
}

// read reads arguments; none are an empty object.
func read[In any](argument json.RawMessage, in *In, schema *jsonschema.Resolved) error {
	if len(argument) == 0 || string(argument) == "null" {
		argument = json.RawMessage("{}")
	}
	if err := jsonv2.Unmarshal(argument, in, jsonv2.RejectUnknownMembers(true)); err != nil {
		return err
	}
	var given any
	if err := jsonv2.Unmarshal(argument, &given); err != nil {
		return err
	}
	return schema.Validate(given)
}

// Describe is the extension as files: its own, its tools' and its hooks'. It panics when
// its own cannot be read, which is a programming mistake: they are compiled in.
func (x *Extension) Describe() fs.FS {
	out := fstest.MapFS{}
	if x.Files != nil {
		err := fs.WalkDir(x.Files, ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := fs.ReadFile(x.Files, name)
			out[name] = &fstest.MapFile{Data: data, Mode: 0o444}
			return err
		})
		if err != nil {
			panic(fmt.Sprintf("extension %s: %v", x.Name, err))
		}
	}
	for _, t := range x.Tools {
		out["tools/"+t.name+".json"] = &fstest.MapFile{Data: t.definition, Mode: 0o444}
	}
	for i := range x.Hooks {
		out["hooks/"+x.Hooks[i].key()+".json"] = &fstest.MapFile{Data: x.Hooks[i].document(x.Name), Mode: 0o444}
	}
	return out
}

// Driver reaches the extensions of a build.
type Driver struct{ extensions map[string]map[string]Tool }

// New is the driver of extensions.
func New(extensions ...*Extension) *Driver {
	d := &Driver{extensions: map[string]map[string]Tool{}}
	for _, x := range extensions {
		tools := map[string]Tool{}
		for _, t := range x.Tools {
			tools[t.name] = t
		}
		for i := range x.Hooks {
			tools[x.Hooks[i].key()] = x.Hooks[i].answering()
		}
		d.extensions[string(x.Name)] = tools
	}
	return d
}

// Call calls a tool and returns a result as MCP has it: the value as text and,
// where it is an object, as structured content. An error of the tool is such a
// result as well, and so is its panic; the error returned is for a tool that is
// not there.
func (d *Driver) Call(ctx context.Context, ref ext.Ref, argument json.RawMessage) (json.RawMessage, error) {
	t, ok := d.extensions[ref.Target][ref.Name]
	if !ok {
		return nil, fmt.Errorf("%s has no tool %s", ext.Quote(ref.Target), ext.Quote(ext.Shorten(ref.Name, 80)))
	}
	value, err := safely(ctx, t, argument)
	switch {
	case t.bare:
		return value, err
	case err != nil:
		return result(err.Error(), nil, true)
	}
	return result(string(value), value, false)
}

// safely calls a tool: what it answers, written as JSON.
func safely(ctx context.Context, t Tool, argument json.RawMessage) (value json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			value, err = nil, fmt.Errorf("%s failed: %s", t.name, ext.Escape(fmt.Sprint(p)))
		}
	}()
	answer, err := t.call(ctx, argument)
	if err != nil {
		return nil, err
	}
	if value, err = ext.EncodeJSON(answer); err != nil {
		return nil, fmt.Errorf("write the answer of %s: %w", t.name, err)
	}
	return value, nil
}

func result(text string, structured json.RawMessage, failed bool) (json.RawMessage, error) {
	type content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if len(structured) > 0 && structured[0] != '{' {
		structured = nil
	}
	return ext.EncodeJSON(struct {
		Content    []content       `json:"content"`
		Structured json.RawMessage `json:"structuredContent,omitempty"`
		IsError    bool            `json:"isError,omitempty"`
	}{[]content{{"text", text}}, structured, failed})
}
