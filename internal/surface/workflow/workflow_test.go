package workflow_test

import (
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/workflow"
)

// TestFile wants a workflow of another kind than Markdown to be the file that a
// format names.
func TestFile(t *testing.T) {
	for _, c := range []struct {
		name, file string
		ok         bool
	}{{"a file", "workflows/nightly.js", true}, {"no file", "", false}} {
		t.Run(c.name, func(t *testing.T) {
			d := surface.Document{
				Origin: ext.Origin{Extension: "acme", Source: "path:./acme", Trust: ext.Plugin, Path: "workflows/nightly.js", Line: 1},
				Path:   "workflows/nightly.md",
				Doc:    ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: "file", Line: 1, Value: ext.Doc{Kind: ext.String, Text: c.file, Line: 1}}}},
			}
			e := workflow.Surface.Decode([]surface.Document{d})[0]
			w, isOne := e.Value.(workflow.Workflow)
			if !isOne || e.Name != "nightly" || w.Label != "nightly" || w.File != c.file || e.Findings.Failed() == c.ok {
				t.Errorf("got %s, %+v with %v, want the file %q and, without one, an error", e.Name, e.Value, e.Findings, c.file)
			}
		})
	}
}
