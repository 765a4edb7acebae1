package inproc_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/source/builtin"
	"github.com/mortise-dev/mortise/internal/spinetest"
	"github.com/mortise-dev/mortise/internal/surface/tool"
)

type arguments struct {
	Name  string   `json:"name" jsonschema:"what it is called"`
	Count int      `json:"count,omitempty"`
	Words []string `json:"words,omitempty"`
}

// echo is a tool named echo that does what a test wants.
func echo(do func(context.Context, arguments) (any, error)) inproc.Tool {
	return inproc.NewTool("acme", inproc.About{Name: "echo", Title: "Echo", Description: "Says it again.", ReadOnly: true}, do)
}

func driver(do func(context.Context, arguments) (any, error)) *inproc.Driver {
	return inproc.New(&inproc.Extension{Name: "acme", Tools: []inproc.Tool{echo(do)}})
}

func same(_ context.Context, in arguments) (any, error) { return in, nil }

var ref = ext.Ref{Driver: inproc.Name, Target: "acme", Name: "echo"}

func TestCall(t *testing.T) {
	for _, c := range []struct {
		name, argument string
		do             func(context.Context, arguments) (any, error)
		want           string // the result; or part of it, where it begins and ends with "…"
	}{
		{"an object", `{"name":"<é>","count":2}`, same, `{"content":[{"type":"text","text":"{\"name\":\"<é>\",\"count\":2}"}],"structuredContent":{"name":"<é>","count":2}}`},
		{"a text", `{"name":"x"}`, func(context.Context, arguments) (any, error) { return "done", nil }, `{"content":[{"type":"text","text":"\"done\""}]}`},
		{"a list", `{"name":"x"}`, func(context.Context, arguments) (any, error) { return []int{1}, nil }, `{"content":[{"type":"text","text":"[1]"}]}`},
		{"nothing", `{"name":"x"}`, func(context.Context, arguments) (any, error) { return nil, nil }, `{"content":[{"type":"text","text":"null"}]}`},
		{"an error", `{"name":"x"}`, func(context.Context, arguments) (any, error) { return nil, errors.New("no such thing") }, `{"content":[{"type":"text","text":"no such thing"}],"isError":true}`},
		{"a panic", `{"name":"x"}`, func(context.Context, arguments) (any, error) { panic("out of \x1b luck") }, `{"content":[{"type":"text","text":"echo failed: out of \\x1b luck"}],"isError":true}`},
		{"a value that cannot be written", `{"name":"x"}`, func(context.Context, arguments) (any, error) { return func() {}, nil }, `…write the answer of echo…`},
		{"a value that panics when it is written", `{"name":"x"}`, func(context.Context, arguments) (any, error) { return bomb{}, nil }, `…echo failed: boom…`},
		{"an unknown argument", `{"name":"x","other":1}`, same, `…the arguments of echo: …other…`},
		{"an argument in another case", `{"Name":"x"}`, same, `…the arguments of echo: …Name…`},
		{"a missing argument", `{}`, same, `…the arguments of echo: …name…`},
		{"no arguments", ``, same, `…the arguments of echo: …name…`},
		{"another type", `{"name":1}`, same, `…the arguments of echo: …`},
		{"repeated arguments", `{"name":"a","name":"b"}`, same, `…the arguments of echo: …`},
		{"no object", `[1]`, same, `…the arguments of echo: …`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := driver(c.do).Call(t.Context(), ref, json.RawMessage(c.argument))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(c.want, "…") {
				if string(got) != c.want {
					t.Errorf("Call: got %s, want %s", got, c.want)
				}
				return
			}
			rest := string(got)
			for part := range strings.SplitSeq(c.want, "…") {
				at := strings.Index(rest, part)
				if at < 0 {
					t.Fatalf("Call: got %s, want %s", got, c.want)
				}
				rest = rest[at+len(part):]
			}
			if !strings.HasSuffix(string(got), `"isError":true}`) {
				t.Errorf("Call: got %s, want it to say that it is an error", got)
			}
		})
	}
}

type bomb struct{}

func (bomb) MarshalJSON() ([]byte, error) { panic("boom") }

func TestCallOfNothing(t *testing.T) {
	d := driver(same)
	for _, r := range []ext.Ref{{Target: "acme", Name: "other"}, {Target: "other", Name: "echo"}, {}} {
		if got, err := d.Call(t.Context(), r, nil); err == nil {
			t.Errorf("Call(%+v): got %s, want an error", r, got)
		}
	}
}

// TestDescribe wants what an extension says of itself to go through the surfaces
// without a finding, as a tool with the arguments of its function, beside its
// own files.
func TestDescribe(t *testing.T) {
	x := &inproc.Extension{Name: "mortise", Tools: []inproc.Tool{inproc.NewTool("mortise", inproc.About{Name: "echo", Title: "Echo", Description: "Says it again.", ReadOnly: true}, same)}, Files: fstest.MapFS{
		"skills/a/SKILL.md": {Data: []byte("---\nname: a\ndescription: A skill.\n---\nDo.\n")},
	}}
	s := &builtin.Source{Extension: "mortise", Files: x.Describe(), Loose: bridge.Loose, Env: source.Env{Specs: spinetest.Specs, Limits: ext.DefaultLimits}}
	var trees []ext.Tree
	for tree, err := range s.Trees(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tree)
	}
	ds := admit.Decide(spinetest.Scan(t, trees, spinetest.Options{}), spinetest.Used())
	spinetest.Hold(t, ds)
	if len(ds) != 1 || len(ds[0].Findings()) > 0 || len(ds[0].Contributions()) != 2 {
		t.Fatalf("got\n%s\nwant the skill and the tool, and nothing found", spinetest.Decisions(ds))
	}
	c := ds[0].Contributions()[1]
	v, ok := c.Value.(tool.Tool)
	if !ok || len(c.Findings) > 0 || c.Status != admit.Active {
		t.Fatalf("the tool is %s with %v, want it active and nothing found", c.Status, c.Findings)
	}
	if want := (ext.Ref{Driver: inproc.Name, Target: "mortise", Name: "echo"}); v.Ref != want || c.Name != "echo" || c.Description != "Says it again." || v.Title != "Echo" {
		t.Errorf("the tool: got %s %+v, want echo, reached by %+v", c.Name, v, want)
	}
	properties := v.Input.Get("properties")
	if got := strings.Join(properties.Keys(), " "); got != "name count words" && got != "count name words" {
		t.Errorf("its arguments: got %s, want name, count and words", got)
	}
	if more := v.Input.Get("additionalProperties"); more == nil || !strings.Contains(string(v.Input.Raw), `"required"`) || properties.Get("name").Word("description") != "what it is called" {
		t.Errorf("its schema: got %s, want name required and described, and nothing else allowed", v.Input.Raw)
	}
	if hint := v.Annotations.Get("readOnlyHint"); hint == nil || hint.Text != "true" {
		t.Errorf("its hints: got %s, want that it only reads", v.Annotations.Raw)
	}
}

func TestNewToolWithoutASchema(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("NewTool of arguments that have no schema: want a panic")
		}
	}()
	inproc.NewTool("acme", inproc.About{Name: "bad"}, func(context.Context, struct{ F func() }) (any, error) { return nil, nil })
}
