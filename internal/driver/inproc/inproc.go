// Package inproc is the driver for extensions that are written in Go and
// compiled in. They describe themselves as files and come through the same door
// as all others.
package inproc

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"testing/fstest"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mortise-dev/mortise/ext"
)

// Name is what references call this driver.
const Name = "inproc"

// Extension is one extension of the build: files in the canonical layout, every
// surface at the root, and tools that are functions.
type Extension struct {
	Name  ext.Name
	Files fs.FS // nil: none
	Tools []Tool
}

// Tool is one function that an agent may call. Make one with NewTool.
type Tool struct {
	name       string
	definition []byte // the document of the tool surface
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
// arguments, and unknown ones are refused. What the function returns is written
// as JSON. It panics when In has no schema, which is a programming mistake.
func NewTool[In any](of ext.Name, about About, do func(context.Context, In) (any, error)) Tool {
	schema, err := jsonschema.For[In](nil)
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
		if len(argument) > 0 {
			if err := jsonv2.Unmarshal(argument, &in, jsonv2.RejectUnknownMembers(true)); err != nil {
				return nil, ext.AsUsage(fmt.Errorf("the arguments of %s: %s", about.Name, ext.Escape(err.Error())))
			}
		}
		return do(ctx, in)
	}}
}

// Describe is the extension as files: its own and its tools'. It panics when
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
		return nil, fmt.Errorf("%s has no tool %s", ext.Quote(ref.Target), ext.Quote(ref.Name))
	}
	value, err := safely(ctx, t, argument)
	if err != nil {
		return result(err.Error(), nil, true)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("write the answer of %s: %w", ref.Name, err)
	}
	return result(string(text), text, false)
}

func safely(ctx context.Context, t Tool, argument json.RawMessage) (value any, err error) {
	defer func() {
		if p := recover(); p != nil {
			value, err = nil, fmt.Errorf("%s failed: %v", t.name, p)
		}
	}()
	return t.call(ctx, argument)
}

func result(text string, structured json.RawMessage, failed bool) (json.RawMessage, error) {
	type content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if len(structured) > 0 && structured[0] != '{' {
		structured = nil
	}
	return json.Marshal(struct {
		Content    []content       `json:"content"`
		Structured json.RawMessage `json:"structuredContent,omitempty"`
		IsError    bool            `json:"isError,omitempty"`
	}{[]content{{"text", text}}, structured, failed})
}

// Link is a link to a tool, which answers each request in turn.
func (d *Driver) Link(_ context.Context, ref ext.Ref) (*Link, error) {
	if _, ok := d.extensions[ref.Target]; !ok {
		return nil, fmt.Errorf("there is no extension %s in this build", ext.Quote(ref.Target))
	}
	return &Link{driver: d, target: ref.Target, answers: make(chan json.RawMessage, 16), done: make(chan struct{})}, nil
}

// Link is a link to one extension. It has one user.
type Link struct {
	driver  *Driver
	target  string
	answers chan json.RawMessage
	done    chan struct{}
}

// Send calls the tool that a request names; anything but a call of a tool is
// answered with an error, a notification with nothing.
func (l *Link) Send(ctx context.Context, frame json.RawMessage) error {
	var f struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"params"`
	}
	if err := json.Unmarshal(frame, &f); err != nil {
		return fmt.Errorf("read a frame: %w", err)
	}
	if f.ID == nil {
		return nil
	}
	type fault struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	answer := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   *fault          `json:"error,omitempty"`
	}{Version: "2.0", ID: f.ID}
	if f.Method != "tools/call" {
		answer.Error = &fault{-32601, "only tools can be called here"}
	} else if r, err := l.driver.Call(ctx, ext.Ref{Driver: Name, Target: l.target, Name: f.Params.Name}, f.Params.Arguments); err != nil {
		answer.Error = &fault{-32602, err.Error()}
	} else {
		answer.Result = r
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("write a frame: %w", err)
	}
	select {
	case l.answers <- raw:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-l.done:
		return io.ErrClosedPipe
	}
}

// Recv waits for the next answer.
func (l *Link) Recv(ctx context.Context) (json.RawMessage, error) {
	select {
	case raw := <-l.answers:
		return raw, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.done:
		return nil, io.EOF
	}
}

// Close ends the link.
func (l *Link) Close() error {
	select {
	case <-l.done:
	default:
		close(l.done)
	}
	return nil
}
