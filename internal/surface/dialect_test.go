package surface_test

import (
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// TestUnfolded wants the text of a document that another client keeps as a value
// to be its body, and every other document to stay as it is.
func TestUnfolded(t *testing.T) {
	d := surface.Document{Dialect: surface.DialectInline, Doc: ext.Doc{Kind: ext.Map, Line: 2, Map: []ext.Pair{
		{Key: "description", Value: ext.Doc{Kind: ext.String, Text: "D."}},
		{Key: surface.InlineText, Line: 3, Value: ext.Doc{Kind: ext.String, Text: "Look.", Line: 3}},
	}}}
	if got := d.Unfolded(); got.Body != "Look." || got.BodyLine != 3 || got.Doc.Get(surface.InlineText) != nil || got.Doc.Word("description") != "D." {
		t.Errorf("got %+v, want the text as the body", got)
	}
	if len(d.Doc.Map) != 2 {
		t.Errorf("got %+v, want the document unchanged", d.Doc)
	}
	d.Dialect = ""
	if got := d.Unfolded(); got.Body != "" || got.Doc.Get(surface.InlineText) == nil {
		t.Errorf("got %+v, want a document of another dialect as it is", got)
	}
	d.Dialect, d.Doc.Map[1].Value.Kind = surface.DialectInline, ext.List
	if got := d.Unfolded(); got.Body != "" {
		t.Errorf("got the body %q of a list, want none", got.Body)
	}
}
