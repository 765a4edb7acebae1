// Package surfacetest holds every surface and hook to the contract of its
// definition: decoding is pure, tells everything it does not use, names a line
// and a way out for every fault, and survives any document.
package surfacetest

import (
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/frontmatter"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Run checks spec on the archives in testdata/ok and testdata/bad below the
// directory of the test. An archive holds documents at their canonical paths,
// the files they name, and the entries that are expected; a file "dialect"
// names the way the documents are written, a file "idle" says that the
// extension is not in use. In testdata/ok nothing is at fault; in testdata/bad
// something of each archive is.
func Run(t *testing.T, spec *surface.Spec) { RunIn(t, spec, "testdata") }

// RunIn is Run for a package that has several surfaces or hooks: the archives are in
// ok and bad below dir.
func RunIn(t *testing.T, spec *surface.Spec, dir string) {
	t.Run("definition", func(t *testing.T) { definition(t, spec) })
	var all [][]surface.Document
	for _, kind := range []string{"ok", "bad"} {
		t.Run(kind, func(t *testing.T) {
			golden.Run(t, dir+"/"+kind+"/*.txtar", []string{"entries"}, func(t *testing.T, in []txtar.File) []string {
				c := read(t, spec, in)
				all = append(all, c.docs)
				c.hold(t)
				if failed := c.failed(); failed != (kind == "bad") {
					t.Errorf("Decode: error findings are there: %v, want %v in %s/%s", failed, !failed, dir, kind)
				}
				return []string{c.show()}
			})
		})
	}
	t.Run("any document", func(t *testing.T) { mutate(t, spec, all) })
	t.Run("unknown fields", func(t *testing.T) { unknown(t, spec, all) })
}

// definition checks what a reader of the generated docs relies on.
func definition(t *testing.T, spec *surface.Spec) {
	seen := map[string]bool{}
	for _, c := range spec.Checks {
		if c.Code == "" || c.Doc == "" || c.Fix == "" || c.Severity == 0 || seen[c.Code] {
			t.Errorf("check %+v of %s: want a code of its own, a severity, a sentence and a fix", *c, spec.Name)
		}
		seen[c.Code] = true
	}
	if spec.Inert && (spec.Whole || spec.Runs || spec.Called || spec.Hook) {
		t.Errorf("%s: nothing uses it, and yet it runs or guards", spec.Name)
	}
	names := map[string]bool{}
	for _, f := range spec.Fields {
		if f.Name == "" || f.Doc == "" || f.Type == 0 || names[f.Name] {
			t.Errorf("field %+v of %s: want a name of its own, a type and a sentence", f, spec.Name)
		}
		names[f.Name] = true
	}
}

// aCase is one archive: its documents as a scan reads them, and its entries.
type aCase struct {
	spec    *surface.Spec
	lines   map[string]int // lines of each file
	docs    []surface.Document
	broken  []surface.Document
	layout  ext.Findings
	entries []surface.Entry[any]
}

func read(t *testing.T, spec *surface.Spec, in []txtar.File) *aCase {
	t.Helper()
	c := &aCase{spec: spec, lines: map[string]int{}}
	fsys, dialect, idle := fstest.MapFS{}, "", false
	for _, f := range in {
		switch f.Name {
		case "dialect":
			dialect = strings.TrimSpace(string(f.Data))
		case "idle":
			idle = true
		default:
			fsys[f.Name] = &fstest.MapFile{Data: f.Data}
			c.lines[f.Name] = max(strings.Count(string(f.Data), "\n"), 1)
		}
	}
	tree := ext.Tree{
		Extension: "acme", FS: fsys,
		Origin: ext.Origin{Extension: "acme", Source: "path:./acme", Trust: ext.Plugin},
	}
	env := source.Env{Specs: []*surface.Spec{spec}, Limits: ext.DefaultLimits}
	source.Into(&tree, spec, spec.Dir, env)
	for i := range tree.Places {
		tree.Places[i].Dialect = dialect
	}
	candidate, err := discover.Scan(t.Context(), tree, discover.Options{Specs: env.Specs, Limits: env.Limits, Enabled: !idle})
	if err != nil {
		t.Fatal(err)
	}
	c.layout = tree.Findings
	for _, f := range candidate.Found() {
		if f.Broken {
			c.broken = append(c.broken, f.Document)
		} else {
			c.docs = append(c.docs, f.Document)
		}
	}
	if len(c.docs)+len(c.broken) == 0 {
		t.Errorf("no document of %s in the archive, want one at %s/%s", spec.Name, spec.Dir, spec.Files)
	}
	c.entries = spec.Decode(c.docs)
	return c
}

func (c *aCase) failed() bool {
	failed := slices.ContainsFunc(c.broken, func(d surface.Document) bool { return d.Findings.Failed() })
	return failed || slices.ContainsFunc(c.entries, func(e surface.Entry[any]) bool { return e.Findings.Failed() })
}

// hold checks the entries of a case.
func (c *aCase) hold(t *testing.T) {
	t.Helper()
	pure(t, c.spec, c.docs)
	for _, d := range c.broken {
		c.findings(t, d.Path, d.Findings, reading)
	}
	for _, d := range c.docs {
		c.findings(t, d.Path, d.Findings, reading)
	}
	names := map[string]bool{}
	for i := range c.entries {
		e := &c.entries[i]
		if e.Name == "" || names[e.Name] {
			t.Errorf("entry at %s has the name %q, want one of its own", e.Origin, e.Name)
		}
		names[e.Name] = true
		if last, ok := c.lines[e.Origin.Path]; !ok || e.Origin.Line < 1 || e.Origin.Line > last {
			t.Errorf("entry %s has the origin %s, want a file of the archive and a line within its %d", e.Name, e.Origin, last)
		}
		if e.Digest == (ext.Digest{}) {
			t.Errorf("entry %s has no digest", e.Name)
		}
		if e.Value == nil {
			t.Errorf("entry %s has no value", e.Name)
		}
		c.findings(t, e.Name, e.Findings, decoding(c.spec))
	}
}

func (c *aCase) findings(t *testing.T, what string, fs ext.Findings, allowed []*ext.Check) {
	t.Helper()
	for _, f := range fs {
		if !slices.Contains(allowed, f.Check) {
			t.Errorf("%s: found %s, which is not among the checks of %s, of fields or of reading", what, f.Check.Code, c.spec.Name)
		}
		if last, ok := c.lines[f.Origin.Path]; ok && (f.Origin.Line > last || f.Origin.Line < 1 && f.Check.Severity >= ext.Error) {
			t.Errorf("%s: %s is at line %d of %s, which has %d", what, f.Check.Code, f.Origin.Line, f.Origin.Path, last)
		}
		plain(t, what, f)
	}
}

func plain(t *testing.T, what string, f ext.Finding) {
	t.Helper()
	if f.Fix() == "" || f.Message == "" {
		t.Errorf("%s: %s has message %q and fix %q, want both", what, f.Check.Code, f.Message, f.Fix())
	}
	if s := f.Message + f.Fix(); strings.ContainsFunc(s, ext.Hidden) || strings.ToValidUTF8(s, "") != s {
		t.Errorf("%s: the message of %s holds characters that do not show: %q", what, f.Check.Code, s)
	}
}

// reading are the checks of what comes before decoding.
var reading = slices.Concat(discover.Checks, doc.Checks, frontmatter.Checks)

func decoding(spec *surface.Spec) []*ext.Check {
	if spec.Holds != "" { // what reading tells of one entry of several
		return slices.Concat(spec.Checks, surface.FieldChecks, []*ext.Check{discover.TextHidden, discover.TextZeroWidth})
	}
	return slices.Concat(spec.Checks, surface.FieldChecks)
}

// pure checks that decoding gives the same twice and changes nothing it is
// given.
func pure(t *testing.T, spec *surface.Spec, docs []surface.Document) []surface.Entry[any] {
	t.Helper()
	before := clone(docs)
	first := spec.Decode(docs)
	if !reflect.DeepEqual(before, docs) {
		t.Error("Decode changed a document, want it left as it is")
	}
	if second := spec.Decode(before); !reflect.DeepEqual(first, second) {
		t.Errorf("Decode of the same documents: got %v, then %v", first, second)
	}
	return first
}

func clone(docs []surface.Document) []surface.Document {
	out := slices.Clone(docs)
	for i := range out {
		out[i].Doc = deep(out[i].Doc)
	}
	return out
}

func deep(d ext.Doc) ext.Doc {
	d.List, d.Map = slices.Clone(d.List), slices.Clone(d.Map)
	for i := range d.List {
		d.List[i] = deep(d.List[i])
	}
	for i := range d.Map {
		d.Map[i].Value = deep(d.Map[i].Value)
	}
	return d
}

// open reports whether documents of spec may hold any key.
func open(spec *surface.Spec) bool {
	return slices.ContainsFunc(spec.Fields, func(f surface.Field) bool { return f.Name == surface.Rest })
}

// unknown adds a key that nobody knows to each document that is right: it is
// named in a finding, unless the documents may hold any, and where that is no
// error the entry still holds it.
func unknown(t *testing.T, spec *surface.Spec, all [][]surface.Document) {
	const key = "x-of-another-host"
	for _, docs := range all {
		for i := range docs {
			was := spec.Decode(docs[i : i+1])
			if docs[i].Doc.Kind != ext.Map || slices.ContainsFunc(was, func(e surface.Entry[any]) bool { return e.Findings.Failed() }) {
				continue
			}
			d := docs[i]
			d.Doc = d.Doc.With(key, ext.Doc{Kind: ext.String, Text: "kept", File: d.Origin.Path, Line: d.Origin.Line})
			entries := spec.Decode([]surface.Document{d})
			if d.Dialect != "" && !told(entries, key) {
				continue // a bridge has told it
			}
			if !told(entries, key) && !open(spec) {
				t.Errorf("%s with the key %s: got no finding that names it, want one", d.Path, key)
			}
			for _, e := range entries {
				if !e.Findings.Failed() && !strings.Contains(dump(reflect.ValueOf(e.Value)), key) {
					t.Errorf("%s with the key %s: the entry %s does not hold it, want it kept", d.Path, key, e.Name)
				}
			}
		}
	}
}

func told(entries []surface.Entry[any], key string) bool {
	for _, e := range entries {
		for _, f := range e.Findings {
			if strings.Contains(f.Message, key) {
				return true
			}
		}
	}
	return false
}

// name is the last part of a path, for messages.
func name(p string) string { return path.Base(p) }
