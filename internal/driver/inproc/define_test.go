package inproc_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
)

// TestDefine: a tool that an adopter compiled in describes itself with what it
// promises and nothing more, and is called with its arguments as they come.
func TestDefine(t *testing.T) {
	raw, err := inproc.Define("acme", inproc.Definition{Name: "echo", Description: "Says it again."}, nil, func(_ context.Context, a json.RawMessage) (any, error) { return a, nil })
	if err != nil {
		t.Fatal(err)
	}
	type in struct {
		N int `json:"n"`
	}
	typed, err := inproc.DefineTyped("acme", inproc.Definition{Name: "twice", Title: "Twice", Description: "Doubles.", Promises: inproc.Promises{ReadOnly: true, Idempotent: true, Closed: true}}, func(_ context.Context, i in) (any, error) { return 2 * i.N, nil })
	if err != nil {
		t.Fatal(err)
	}
	x := &inproc.Extension{Name: "acme", Tools: []inproc.Tool{raw, typed}}
	for name, want := range map[string]string{
		"echo":  `{"description":"Says it again.","inputSchema":{"type":"object"},"ref":{"driver":"inproc","target":"acme","name":"echo"}}`,
		"twice": `"annotations":{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,"readOnlyHint":true}`,
	} {
		file, err := fs.ReadFile(x.Describe(), "tools/"+name+".json")
		if err != nil {
			t.Fatal(err)
		}
		if got := compact(t, file); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s in it", name, got, want)
		}
	}
	d := inproc.New(x)
	for _, c := range []struct{ tool, arguments, want string }{
		{"echo", `{"a":1}`, `"structuredContent":{"a":1}`},
		{"twice", `{"n":2}`, `"text":"4"`},
		{"twice", `{"m":2}`, `"isError":true`},
	} {
		got, err := d.Call(t.Context(), ext.Ref{Target: "acme", Name: c.tool}, json.RawMessage(c.arguments))
		if err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%s %s: got %s, %v, want %s in it", c.tool, c.arguments, got, err, c.want)
		}
	}
}

// TestDefine_refuses what has no schema, with the name of the tool.
func TestDefine_refuses(t *testing.T) {
	if _, err := inproc.Define("acme", inproc.Definition{Name: "odd"}, json.RawMessage(`{`), nil); err == nil || !strings.Contains(err.Error(), "odd") {
		t.Errorf("a schema that is no JSON: got %v, want an error that names the tool", err)
	}
	if _, err := inproc.DefineTyped("acme", inproc.Definition{Name: "odd"}, func(context.Context, struct{ C chan int }) (any, error) { return nil, nil }); err == nil || !strings.Contains(err.Error(), "odd") {
		t.Errorf("arguments without a schema: got %v, want an error that names the tool", err)
	}
}

func compact(t *testing.T, raw []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	if m, ok := v.(map[string]any); ok && m["ref"] != nil { // in the order in which a reference is written
		m["ref"] = ext.Ref{Driver: "inproc", Target: "acme", Name: m["ref"].(map[string]any)["name"].(string)}
	}
	out, err := ext.EncodeJSON(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
