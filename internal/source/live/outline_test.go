package live_test

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/spinetest"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/tool"
)

// scanned is the candidate of what acme's server search says.
func scanned(t *testing.T, content string) discover.Candidate {
	t.Helper()
	c, err := discover.Scan(t.Context(), tree(t, content, 0), discover.Options{Specs: spinetest.Specs, Limits: ext.DefaultLimits, Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Of a tool's schemas a candidate holds outlines: every byte is in Raw, and what
// guards are asked with, the annotations, is there to its depths.
func TestSchemasAreOutlined(t *testing.T) {
	const definition = `{"name":"find","inputSchema":{"type":"object","properties":{"q":{"type":"string"}},"x":[{"y":1}]},"annotations":{"a":{"b":[{"c":true}]}}}`
	c := scanned(t, `{"tools":[`+definition+`]}`)
	v := decoded(t, &c)
	if got := string(v.Definition.Raw); got != definition {
		t.Errorf("the definition is %s, want it as it was sent", got)
	}
	if got := string(v.Input.Raw); !strings.Contains(definition, `"inputSchema":`+got) || v.Input.Word("type") != "object" || v.Input.Get("properties") != nil {
		t.Errorf("the schema is %+v, want all of its bytes, its type, and nothing of what is deeper", v.Input)
	}
	if v.Annotated().At("/a/b/0/c") == nil {
		t.Errorf("the annotations are %+v, want all of them", v.Annotated())
	}
	for _, p := range c.Tree().Places {
		if p.Doc.At("/inputSchema/properties") != nil {
			t.Error("the tree of the candidate holds on to the whole schema")
		}
	}
}

// What is not held is looked at before: text that does not show is found, and other
// content is another candidate.
func TestWhatIsOutlinedCounts(t *testing.T) {
	with := func(description string) discover.Candidate {
		return scanned(t, `{"tools":[{"name":"find","inputSchema":{"type":"object","properties":{"q":{"description":"`+description+`"}}}}]}`)
	}
	plain, other, hidden := with("a"), with("b"), with(`\u202e`)
	if plain.Digest() == other.Digest() {
		t.Error("schemas that differ deep inside: got one digest, want two")
	}
	if fs := hidden.Found()[0].Document.Findings; len(fs) == 0 || fs[0].Check != discover.TextHidden {
		t.Errorf("text that does not show deep in a schema: got %v, want it told", fs)
	}
}

func decoded(t *testing.T, c *discover.Candidate) tool.Tool {
	t.Helper()
	entries := tool.Surface.Spec.Decode([]surface.Document{c.Found()[0].Document})
	if len(entries) != 1 {
		t.Fatalf("got %d entries, want the tool", len(entries))
	}
	return entries[0].Value.(tool.Tool)
}
