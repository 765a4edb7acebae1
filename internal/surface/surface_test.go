package surface_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

func read(surface.Document, *surface.Entry[string]) {}

// complete is a definition with nothing missing.
func complete() surface.Def[string] {
	return surface.Def[string]{Name: "x", Doc: "X.", Dir: "xs", Files: "*.md", Needs: ext.Project, Merge: surface.Unique, Read: read}
}

// TestDefineIncomplete wants a definition that lacks something to be refused
// when the program starts.
func TestDefineIncomplete(t *testing.T) {
	for name, change := range map[string]func(*surface.Def[string]){
		"name": func(d *surface.Def[string]) { d.Name = "" }, "sentence": func(d *surface.Def[string]) { d.Doc = "" },
		"directory": func(d *surface.Def[string]) { d.Dir = "" }, "files": func(d *surface.Def[string]) { d.Files = "" },
		"trust": func(d *surface.Def[string]) { d.Needs = 0 }, "rule": func(d *surface.Def[string]) { d.Merge = 0 },
		"reader": func(d *surface.Def[string]) { d.Read = nil },
		"key of its entries": func(d *surface.Def[string]) {
			d.Read, d.Decode = nil, func([]surface.Document) []surface.Entry[string] { return nil }
		},
		"one reader alone": func(d *surface.Def[string]) {
			d.Decode = func([]surface.Document) []surface.Entry[string] { return nil }
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Errorf("Define without a %s: got a surface, want a panic", name)
				}
			}()
			d := complete()
			change(&d)
			surface.Define(d)
		})
	}
}

// TestDefineInert wants a surface that nothing uses to say so in its spec, and
// one that nothing uses and that runs, guards or is called to be refused.
func TestDefineInert(t *testing.T) {
	d := complete()
	d.Inert = true
	if s := surface.Define(d); !s.Inert {
		t.Error("Define: the spec of an inert surface is not inert")
	}
	for name, change := range map[string]func(*surface.Def[string]){
		"runs": func(d *surface.Def[string]) { d.Runs = true }, "is code": func(d *surface.Def[string]) { d.Whole = true },
		"is called": func(d *surface.Def[string]) { d.Called = true },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Errorf("Define of an inert surface that %s: got a surface, want a panic", name)
				}
			}()
			d := d
			change(&d)
			surface.Define(d)
		})
	}
}

// TestRest wants a surface whose documents may hold any key to tell none as
// unknown, and the named ones to be read as ever.
func TestRest(t *testing.T) {
	open := []surface.Field{{Name: "text", Type: surface.Text}, {Name: surface.Rest, Type: surface.Any}}
	list := ext.Doc{Kind: ext.List, Line: 1}
	for _, c := range []struct {
		key   string
		value ext.Doc
		text  string
		found int
	}{
		{"text", scalar("x"), "x", 0}, {"text", list, "", 1}, {"other", scalar("x"), "", 0}, {"other", list, "", 0}, {surface.Rest, scalar("x"), "", 0},
	} {
		var e surface.Entry[string]
		if got := surface.ReadFields(document(c.key, c.value), open, &e).Text("text"); got != c.text || len(e.Findings) != c.found {
			t.Errorf("key %s with %s: got text %q and %v, want %q and %d findings", c.key, c.value.Kind, got, e.Findings, c.text, c.found)
		}
	}
}

// TestReadObject wants what is no object to be one error and no values.
func TestReadObject(t *testing.T) {
	required := []surface.Field{{Name: "text", Type: surface.Text, Required: true}}
	for _, d := range []ext.Doc{{}, scalar("x"), {Kind: ext.List}} {
		e := surface.Entry[string]{Origin: ext.Origin{Path: "f", Line: 1}}
		v := surface.ReadObject(surface.Document{Origin: e.Origin, Doc: d}, required, &e)
		if v != nil || len(e.Findings) != 1 || e.Findings[0].Check != surface.NotAnObject || e.Findings[0].Origin.Line < 1 {
			t.Errorf("%s: got %v with %v, want one error and no values", d.Kind, v, e.Findings)
		}
	}
	var e surface.Entry[string]
	if v := surface.ReadObject(document("text", scalar("x")), required, &e); v.Text("text") != "x" || len(e.Findings) != 0 {
		t.Errorf("an object: got %v with %v, want its field", v, e.Findings)
	}
}

func TestEntryName(t *testing.T) {
	for _, c := range []struct{ dir, files, path, want string }{
		{"skills", "*/SKILL.md", "skills/deploy/SKILL.md", "deploy"},
		{"agents", "**/*.md", "agents/deep/er.md", "deep:er"},
		{"agents", "**/*.md", "agents/a.b.md", "a.b"},
		{"agents", "**/*.md", "agents/.md", ".md"},
		{"agents", "**/*.md", "agents/d.d/none", "d.d:none"},
		{"tools", "*.json", "tools/t.json", "t"},
		{".", "mcp.json", "mcp.json", "mcp.json"},
	} {
		d := complete()
		d.Dir, d.Files = c.dir, c.files
		if got := surface.Define(d).EntryName(c.path); got != c.want {
			t.Errorf("EntryName(%s) of %s/%s: got %q, want %q", c.path, c.dir, c.files, got, c.want)
		}
	}
}

// TestFold wants names that look alike to people to have one key.
func TestFold(t *testing.T) {
	for _, alike := range [][]string{
		{"deploy", "Deploy", "DEPLOY", "dep\u200bloy", "ｄｅｐｌｏｙ", "deploy\ufe0f"},
		{"straße", "STRASSE", "Strasse"},
		{"é", "e\u0301", "É"},
		{"ﬁx", "FIX"},
		{"Ꭰ", "ꭰ"},
		{"ΟΔΟΣ", "οδος", "οδοσ"},
	} {
		for _, s := range alike {
			if surface.Fold(s) != surface.Fold(alike[0]) {
				t.Errorf("Fold(%q) is %q, want that of %q, %q", s, surface.Fold(s), alike[0], surface.Fold(alike[0]))
			}
		}
	}
	for _, pair := range [][2]string{{"a-b", "a_b"}, {"a", "b"}, {"部署", "部门"}} {
		if surface.Fold(pair[0]) == surface.Fold(pair[1]) {
			t.Errorf("Fold of %q and %q: got one key, want two", pair[0], pair[1])
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		s := rapid.String().Draw(r, "name")
		if once := surface.Fold(s); surface.Fold(once) != once {
			r.Fatalf("Fold(Fold(%q)): got %q, want %q", s, surface.Fold(once), once)
		}
	})
}

func TestMergeWords(t *testing.T) {
	for m := surface.Unique; m <= surface.Exclusive; m++ {
		if m.String() == "" || m.Doc() == "" {
			t.Errorf("rule %d: want a word and a sentence", m)
		}
	}
	if got := surface.Merge(99).String(); got != "merge(99)" || surface.Merge(99).Doc() != "" {
		t.Errorf("an unknown rule: got %q", got)
	}
}

// fields of every type.
var fields = []surface.Field{
	{Name: "text", Type: surface.Text, Max: 3}, {Name: "words", Type: surface.Words}, {Name: "flag", Type: surface.Flag},
	{Name: "integer", Type: surface.Integer}, {Name: "object", Type: surface.Object}, {Name: "any", Type: surface.Any},
}

func scalar(s string) ext.Doc { return ext.Doc{Kind: ext.String, Text: s, Line: 1} }

func document(key string, v ext.Doc) surface.Document {
	return surface.Document{Origin: ext.Origin{Path: "f", Line: 1}, Doc: ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: key, Line: 1, Value: v}}}}
}

func TestReadFieldsTypes(t *testing.T) {
	list := ext.Doc{Kind: ext.List, List: []ext.Doc{scalar("a"), scalar("b")}}
	nested := ext.Doc{Kind: ext.List, List: []ext.Doc{list}}
	object := ext.Doc{Kind: ext.Map}
	for _, c := range []struct {
		field string
		value ext.Doc
		ok    bool
	}{
		{"text", scalar("x"), true}, {"text", ext.Doc{Kind: ext.Number, Text: "1.0"}, true}, {"text", list, false}, {"text", object, false},
		{"words", scalar("x"), true}, {"words", list, true}, {"words", nested, false}, {"words", object, false},
		{"flag", scalar("Yes"), true}, {"flag", ext.Doc{Kind: ext.Bool, Text: "true"}, true}, {"flag", scalar("maybe"), false}, {"flag", list, false},
		{"integer", ext.Doc{Kind: ext.Number, Text: "7"}, true}, {"integer", scalar("7"), true}, {"integer", ext.Doc{Kind: ext.Number, Text: "7.5"}, false},
		{"object", object, true}, {"object", scalar("x"), false}, {"any", nested, true}, {"any", object, true},
	} {
		var e surface.Entry[string]
		v := surface.ReadFields(document(c.field, c.value), fields, &e)
		if got := v.Doc(c.field) != nil; got != c.ok || (len(e.Findings) == 0) != c.ok {
			t.Errorf("field %s of %s %q: accepted is %v with %v, want %v", c.field, c.value.Kind, c.value.Text, got, e.Findings, c.ok)
		}
		required := slices.Clone(fields)
		for i := range required {
			required[i].Required = required[i].Name == c.field
		}
		var strict surface.Entry[string]
		surface.ReadFields(document(c.field, c.value), required, &strict)
		if strict.Findings.Failed() == c.ok || len(strict.Findings) > 1 {
			t.Errorf("required field %s of %s %q: got %v, want an error exactly when it is of the wrong type", c.field, c.value.Kind, c.value.Text, strict.Findings)
		}
	}
	var e surface.Entry[string]
	surface.ReadFields(document("text", scalar("ÄÖÜß")), fields, &e)
	if len(e.Findings) != 1 || e.Findings[0].Check != surface.FieldLength {
		t.Errorf("a text of four characters where three are allowed: got %v, want one warning", e.Findings)
	}
	e = surface.Entry[string]{}
	if v := surface.ReadFields(document("text", ext.Doc{Kind: ext.Null}), fields, &e); v.Doc("text") != nil || len(e.Findings) != 0 {
		t.Errorf("a field without a value: got %v, want it absent", e.Findings)
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"Read, Grep", []string{"Read", "Grep"}}, {"Read Grep", []string{"Read", "Grep"}}, {"Read\tGrep\nGlob", []string{"Read", "Grep", "Glob"}},
		{"Bash(git add, git rm), Read", []string{"Bash(git add, git rm)", "Read"}}, {"Bash(git add, git rm) Read", []string{"Bash(git add, git rm)", "Read"}},
		{"a b, c", []string{"a b", "c"}}, {"a,,b,", []string{"a", "b"}}, {"", nil}, {" ", nil}, {"a) b", []string{"a)", "b"}}, {"a(b c", []string{"a(b c"}},
	} {
		var e surface.Entry[string]
		if got := surface.ReadFields(document("words", scalar(c.in)), fields, &e).Words("words"); !slices.Equal(got, c.want) {
			t.Errorf("Words(%q): got %q, want %q", c.in, got, c.want)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		in := rapid.StringOf(rapid.SampledFrom([]rune("ab ,()[]{}\t\n"))).Draw(r, "in")
		var e surface.Entry[string]
		got := strings.Join(surface.ReadFields(document("words", scalar(in)), fields, &e).Words("words"), "")
		bare := func(s string) string { return strings.NewReplacer(" ", "", ",", "", "\t", "", "\n", "").Replace(s) }
		if bare(got) != bare(in) {
			r.Fatalf("Words(%q): got %q together, want nothing lost", in, got)
		}
	})
}

func TestSummary(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"One\ntwo.\n\nThree.", 99, "One two."}, {"# Title\n\nText.", 99, "Title"}, {"\n\n\nLate.", 99, "Late."},
		{"> quoted", 99, "quoted"}, {"部署部署", 3, "部署…"}, {"", 9, ""}, {"###\n\nAfter.", 9, "After."},
	} {
		if got := surface.Summary(c.in, c.n); got != c.want {
			t.Errorf("Summary(%q, %d): got %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

// TestHookWithoutGuards wants a hook that decides nothing to refuse what calls
// itself a guard: nobody would heed it (law 6).
func TestHookWithoutGuards(t *testing.T) {
	h := surface.DefineHook(surface.HookDef[string, string]{Name: "after", Doc: "A hook.", Needs: ext.Project})
	for _, c := range []struct {
		role string
		ok   bool
	}{{"", true}, {"observer", true}, {"guard", false}} {
		d := document("answer", scalar("x"))
		if c.role != "" {
			d.Doc = d.Doc.With("role", scalar(c.role))
		}
		e := h.Decode([]surface.Document{d})[0]
		if e.Findings.Failed() == c.ok || c.ok && e.Value.(surface.Implementation).Role != surface.Observer {
			t.Errorf("role %q: got %+v with %v, want an observer or, for a guard, an error", c.role, e.Value, e.Findings)
		}
	}
	if !h.Hook || !h.Whole || !h.Runs || h.Dir != "hooks/after" {
		t.Errorf("a hook's surface: got %+v, want code that runs, in a directory of the hook's name", *h.Spec)
	}
}

// TestHookOptions wants the further keys that a hook knows to be kept in the
// order of the document and told to who consents, and others to be errors.
func TestHookOptions(t *testing.T) {
	h := surface.DefineHook(surface.HookDef[string, string]{
		Name: "on", Doc: "A hook.", Needs: ext.Project, Guards: true,
		Options: []surface.Field{{Name: "event", Type: surface.Text, Required: true, Doc: "D."}, {Name: "more", Type: surface.Any, Doc: "D."}},
	})
	d := document("answer", scalar("x"))
	d.Doc = d.Doc.With("more", ext.Doc{Kind: ext.List}).With("event", scalar("Stop"))
	e := h.Decode([]surface.Document{d})[0]
	im, ok := e.Value.(surface.Implementation)
	if !ok || len(e.Findings) > 0 || len(im.Options) != 2 || im.Options[0].Key != "more" || im.Option("event") != "Stop" || im.Option("more") != "" || im.Option("none") != "" {
		t.Errorf("got %+v with %v, want both keys in their order", e.Value, e.Findings)
	}
	if got := im.Consents(); !strings.Contains(got, "event: Stop") || strings.Contains(got, "more") {
		t.Errorf("Consents: got %q, want the event and nothing that is no text", got)
	}
	for name, d := range map[string]surface.Document{"a required one is missing": document("answer", scalar("x")), "an unknown one": {Doc: d.Doc.With("other", scalar("x"))}} {
		if e := h.Decode([]surface.Document{d})[0]; !e.Findings.Failed() {
			t.Errorf("%s: got %v, want an error", name, e.Findings)
		}
	}
	if without := surface.DefineHook(surface.HookDef[string, string]{Name: "on", Doc: "A hook.", Needs: ext.Project}); len(without.Fields) != len(h.Fields)-2 {
		t.Errorf("fields: got %d without options and %d with two", len(without.Fields), len(h.Fields))
	}
}

// TestWithin wants what reading noticed about one of several entries to be that
// entry's, and to be nobody else's unless the entry is not there.
func TestWithin(t *testing.T) {
	noticed := &ext.Check{Code: "noticed", Severity: ext.Error}
	other := surface.Document{Origin: ext.Origin{Path: "other.json"}, Path: "x.json"}
	d := surface.Document{Origin: ext.Origin{Path: "x.json"}, Path: "x.json", Within: map[string]ext.Findings{"b": {noticed.At(ext.Origin{}, "of b")}}}
	for _, c := range []struct {
		name, entries string
		want          string
	}{
		{"that entry", "ab", "x.json b"},
		{"one that is not there", "ac", "x.json a"},
		{"none", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			def := complete()
			def.Read, def.Holds, def.Files = nil, "xs", "x.json"
			def.Decode = func(docs []surface.Document) (out []surface.Entry[string]) {
				for _, d := range docs {
					for _, name := range strings.Split(c.entries, "") {
						out = append(out, surface.Entry[string]{Name: name, Origin: d.Origin})
					}
				}
				return out
			}
			got := ""
			for _, e := range surface.Define(def).Decode([]surface.Document{other, d}) {
				if e.Findings.Failed() {
					got += e.Origin.Path + " " + e.Name
				}
			}
			if got != c.want {
				t.Errorf("the findings are those of %q, want %q", got, c.want)
			}
		})
	}
}
