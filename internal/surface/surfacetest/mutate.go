package surfacetest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// rounds is how often each document is changed.
const rounds = 300

// mutate decodes documents that were changed at random, from a fixed seed:
// their nodes, and the bytes they are read from. Whatever comes, decoding ends,
// does not panic, is pure, and what it finds has an origin and a fix.
func mutate(t *testing.T, spec *surface.Spec, all [][]surface.Document) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, docs := range all {
		for i := range docs {
			for range rounds {
				d := docs[i]
				d.Doc = deep(d.Doc)
				for range 1 + r.IntN(3) {
					node(r, nth(&d.Doc, r))
				}
				d.Body = string(bytes(r, []byte(d.Body)))
				try(t, spec, d)
			}
		}
	}
}

func try(t *testing.T, spec *surface.Spec, d surface.Document) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("Decode panicked with %v on %s", p, compact(&d.Doc))
		}
	}()
	for _, e := range pure(t, spec, []surface.Document{d}) {
		if e.Origin.Path != d.Origin.Path || e.Origin.Extension == "" {
			t.Errorf("entry %q of a changed %s has the origin %s", e.Name, name(d.Path), e.Origin)
		}
		for _, f := range e.Findings {
			if f.Origin.Path != d.Origin.Path || f.Origin.Line < 1 {
				t.Errorf("%s in a changed %s is at %s, want a line of it", f.Check.Code, name(d.Path), f.Origin)
			}
			if !slices.Contains(decoding(spec), f.Check) {
				t.Errorf("a changed %s: found %s, which is not among the checks of %s", name(d.Path), f.Check.Code, spec.Name)
			}
			plain(t, e.Name, f)
		}
	}
}

// Read is what reading data as a document at path gives.
func Read(p string, data []byte) surface.Document {
	o := ext.Origin{Extension: "acme", Source: "path:./acme", Trust: ext.Plugin, Path: p, Line: 1}
	c := source.Parse(o, data)
	return surface.Document{Origin: o, Path: p, Doc: c.Doc, Body: c.Body, BodyLine: c.BodyLine, Digest: ext.Sum(data), Findings: c.Findings}
}

// Fuzz decodes whatever data makes at path: every entry has a name or a fault,
// and every fault an origin and a fix.
func Fuzz(t *testing.T, spec *surface.Spec, p, dialect string, data []byte) {
	d := Read(p, data)
	d.Dialect, d.Enabled = dialect, len(data)%2 == 0
	if d.Findings.Failed() {
		for _, f := range d.Findings {
			plain(t, p, f)
		}
		return
	}
	try(t, spec, d)
}

// nth picks one node.
func nth(d *ext.Doc, r *rand.Rand) *ext.Doc {
	for {
		n := len(d.List) + len(d.Map)
		if n == 0 || r.IntN(4) == 0 {
			return d
		}
		if i := r.IntN(n); i < len(d.List) {
			d = &d.List[i]
		} else {
			d = &d.Map[i-len(d.List)].Value
		}
	}
}

var texts = []string{"", " ", "\x00", "../../x", "./x", "${PLUGIN_ROOT}/..", "http://[::1", "https://u:p@h/#f", "\u202e", "\xff", "1e99", "-1", "a,b (c", "A=\x1b[0m"}

// node changes one node: its kind, its text, its children.
func node(r *rand.Rand, d *ext.Doc) {
	switch r.IntN(8) {
	case 0:
		d.Kind = ext.Kind(r.IntN(6))
	case 1:
		*d = ext.Doc{Kind: ext.String, Text: texts[r.IntN(len(texts))], File: d.File, Line: d.Line}
	case 2:
		*d = ext.Doc{Kind: ext.Null, File: d.File, Line: d.Line}
	case 3:
		*d = ext.Doc{Kind: ext.List, List: []ext.Doc{*d, *d}, File: d.File, Line: d.Line}
	case 4:
		*d = ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: texts[r.IntN(len(texts))], Line: d.Line, Value: *d}}, File: d.File, Line: d.Line}
	case 5:
		if len(d.Map) > 0 {
			d.Map = slices.Delete(d.Map, 0, 1)
		}
	case 6:
		if len(d.Map) > 1 {
			d.Map[0].Value, d.Map[1].Value = d.Map[1].Value, d.Map[0].Value
		}
	case 7:
		d.Text = string(bytes(r, []byte(d.Text)))
	}
}

// bytes cuts or changes text.
func bytes(r *rand.Rand, b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	switch r.IntN(4) {
	case 0:
		return b[:r.IntN(len(b))]
	case 1:
		b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
	}
	return b
}
