package discover

import (
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/unseen"
)

// Checks on text that a person does not see and an agent reads.
var (
	TextHidden    = unseen.Hidden
	TextZeroWidth = unseen.ZeroWidth
)

// hidden tells of text that does not show in a file as read.
func hidden(o ext.Origin, c *source.Content) ext.Findings {
	if c.Lost || c.Findings.Failed() { // nothing of it is used
		return nil
	}
	return unseen.InFile(o, c.Data, &c.Doc)
}

// hiddenIn is hidden for a node that a format has read already.
func hiddenIn(o ext.Origin, d *ext.Doc) ext.Findings { return unseen.InNode(o, d) }

// apart gives what does not show in one of the several entries of a document to
// that entry. What lies elsewhere in the document, or cannot be told to lie in an
// entry, stays with the whole.
func apart(d *surface.Document, holds string) {
	held := d.Doc.Get(holds)
	if !slices.ContainsFunc(d.Findings, unshown) || held == nil || held.Kind != ext.Map {
		return
	}
	within := map[string]ext.Findings{}
	for i := range held.Map {
		one := ext.Doc{Kind: ext.Map, Map: held.Map[i : i+1]}
		if fs := hiddenIn(d.Origin, &one); len(fs) > 0 {
			within[held.Map[i].Key] = fs
		}
	}
	if len(within) == 0 {
		return
	}
	rest := d.Doc.With(holds, ext.Doc{})
	d.Findings = append(slices.DeleteFunc(slices.Clone(d.Findings), unshown), hiddenIn(d.Origin, &rest)...)
	d.Within = within
}

func unshown(f ext.Finding) bool { return f.Check == TextHidden || f.Check == TextZeroWidth }

// hiddenInManifest tells of text that does not show in a tree's manifest, but for
// what is laid out as entries: they tell it themselves.
func hiddenInManifest(t *ext.Tree) ext.Findings {
	if t.Manifest == nil {
		return nil
	}
	var entries []*ext.Doc
	for i := range t.Places {
		if p := &t.Places[i]; p.Doc != nil && p.File == t.Manifest.File {
			entries = append(entries, p.Doc)
		}
	}
	return unseen.Besides(t.Origin.At(t.Manifest.File, 1), t.Manifest, entries)
}
