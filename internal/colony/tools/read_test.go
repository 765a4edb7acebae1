package tools

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mortise-dev/mortise/ext"
)

var here = ext.Origin{Extension: "repo", Source: "monorepo", Path: Path}

const one = `{
  "schema_version": 2,
  "maintainer": "who",
  "tools": [
    {
      "name": "solver", "purpose": "cfd", "location": "subdir:tools/cfd/solver",
      "capability": "navier-stokes", "capability_fqn": "", "extra": {"description": "Löst <b>Strömungen</b>."},
      "vendor": {"z": 1.50, "a": [ ]}
    }
  ]
}
`

func mustRead(t *testing.T, text string) *Catalogue {
	t.Helper()
	c, err := Read(here, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func encoded(t *testing.T, c *Catalogue) string {
	t.Helper()
	out, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestColony_86_MissingCatalogueIsEmpty(t *testing.T) {
	c, err := Load(fstest.MapFS{}, ext.Origin{})
	if err != nil || len(c.Entries)+len(c.Refused)+len(c.Findings) != 0 {
		t.Errorf("Load of nothing: got %+v, %v, want an empty catalogue", c, err)
	}
	if got, want := encoded(t, c), "{\n  \"schema_version\": 2,\n  \"tools\": []\n}\n"; got != want {
		t.Errorf("Encode: got %q, want %q", got, want)
	}
}

func TestColony_91_ToolsMustBeAList(t *testing.T) {
	for _, text := range []string{`{"tools": {}}`, `{"tools": null}`, `{"tools": 3}`, `[]`, `""`, ``, `{`, `{"tools": [}`, `{"tools": [], "tools": []}`} {
		var b *Broken
		if _, err := Read(here, []byte(text)); !errors.As(err, &b) {
			t.Errorf("Read(%s): got %v, want a *Broken", text, err)
		}
	}
}

func TestColony_87_RoundTripOfOneEntry(t *testing.T) {
	e := Entry{Name: "solver", Purpose: "cfd", Location: "subdir:tools/x", Capability: "flow", Class: "a.B",
		Extra: &ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: "n", Value: ext.Doc{Kind: ext.Number, Text: "1.50"}}}}}
	c, replaced := (&Catalogue{}).With(e)
	if replaced {
		t.Error("With: got an entry replaced in an empty catalogue")
	}
	text := encoded(t, c)
	back := mustRead(t, text)
	got := back.Entries[0]
	if got.Key() != e.Key() || got.Location != e.Location || got.Capability != e.Capability || got.Class != e.Class || got.Extra.Get("n").Text != "1.50" || got.Line != 4 {
		t.Errorf("Read of what was written: got %+v, want %+v", got, e)
	}
	if again := encoded(t, back); again != text {
		t.Errorf("Encode of what was read: got %s, want %s", again, text)
	}
}

func TestColony_88_UpsertReplacesInPlaceOrAppends(t *testing.T) {
	c := mustRead(t, `{"tools": [
		{"name": "a", "purpose": "p", "location": "", "capability": "x", "vendor": 1, "extra": {"k": 2}},
		{"name": "b", "purpose": "p", "location": "", "capability": "x"}]}`)
	c, replaced := c.With(Entry{Name: "a", Purpose: "p", Capability: "y"})
	if !replaced {
		t.Error("With of the same purpose and name: got an entry more, want the old one replaced")
	}
	c, replaced = c.With(Entry{Name: "a", Purpose: "q", Capability: "z"})
	if replaced {
		t.Error("With of another purpose: got an entry replaced, want one more")
	}
	c = mustRead(t, encoded(t, c))
	got := ""
	for _, e := range c.Entries {
		got += e.Key().String() + "=" + e.Capability + " "
	}
	if want := "p/a=y p/b=x q/a=z "; got != want {
		t.Errorf("entries: got %s, want %s", got, want)
	}
	// The reference loses both.
	if e := &c.Entries[0]; e.Doc.Get("vendor") == nil || e.Extra.Get("k") == nil {
		t.Errorf("the entry that was replaced: got %s, want the keys that are not known kept", encoded(t, c))
	}
}

func TestColony_89_RetiredFieldsOfVersion1(t *testing.T) {
	c := mustRead(t, `{"schema_version": 1, "tools": [{"name": "a", "purpose": "p", "location": "", "capability": "x",
		"version": "1", "license": "MIT", "container_image": null, "headless": true, "kept": 1}]}`)
	if len(c.Entries) != 1 || len(c.Findings) != 1 || c.Findings[0].Check != Retired {
		t.Fatalf("Read: got %d entries and %v, want one entry and a note", len(c.Entries), c.Findings)
	}
	text := encoded(t, c)
	for _, key := range retired {
		if back := mustRead(t, text); back.Entries[0].Doc.Get(key) != nil || back.Entries[0].Doc.Get("kept") == nil || back.Version != 2 {
			t.Errorf("written anew: got %s, want version 2 without %s", text, key)
		}
	}
	two := mustRead(t, `{"schema_version": 2, "tools": [{"name": "a", "purpose": "p", "location": "", "capability": "x", "license": "MIT"}]}`)
	if two.Entries[0].Doc.Get("license") == nil || len(two.Findings) > 0 {
		t.Error("version 2: got a key of it taken for a retired one")
	}
}

func TestColony_90_Versions(t *testing.T) {
	for text, ok := range map[string]bool{
		`{"tools": []}`: true, `{"schema_version": 1}`: true, `{"schema_version": 2.0}`: true, `{"schema_version": -1}`: true,
		`{"schema_version": 3}`: false, `{"schema_version": 1e99}`: false, `{"schema_version": 1.5}`: false,
		// In the reference a bare type error escapes for these.
		`{"schema_version": "2"}`: false, `{"schema_version": null}`: false, `{"schema_version": [2]}`: false,
	} {
		_, err := Read(here, []byte(text))
		if (err == nil) != ok || err != nil && !errors.As(err, new(*Broken)) {
			t.Errorf("Read(%s): got %v, want it to be read: %t", text, err, ok)
		}
	}
}

// TestColony_92_OneBadEntry differs on purpose: in the reference the whole file fails.
func TestColony_92_OneBadEntry(t *testing.T) {
	c := mustRead(t, `{"tools": [
  {"name": "good", "purpose": "p", "location": "l", "capability": "c"},
  {"name": "nothing", "purpose": "p", "location": "l"},
  {"name": 5, "purpose": "p", "location": "l", "capability": "c"},
  {"name": "null", "purpose": "p", "location": "l", "capability": "c", "extra": null},
  {"name": "twice", "name": "again", "purpose": "p", "location": "l", "capability": "c"},
  "text", null, [],
  {"name": "", "purpose": "p", "location": "l", "capability": "c"},
  {"name": "last", "purpose": "", "location": "", "capability": ""},
  {"name": "good", "purpose": "p", "location": "other", "capability": "c"}
]}`)
	got := ""
	for _, e := range c.Entries {
		got += e.Name + " "
	}
	if want := "last good "; got != want {
		t.Errorf("entries: got %q, want %q", got, want)
	}
	want := []struct {
		line int
		code string
	}{
		{2, "catalogue-twice"}, {3, "catalogue-entry"}, {4, "catalogue-entry"}, {5, "catalogue-entry"}, {6, "json-duplicate-key"},
		{7, "catalogue-entry"}, {7, "catalogue-entry"}, {7, "catalogue-entry"}, {8, "catalogue-entry"},
	}
	if len(c.Refused) != len(want) {
		t.Fatalf("Refused: got %d, want %d", len(c.Refused), len(want))
	}
	for i, r := range c.Refused {
		if f := r.Findings[0]; r.Line != want[i].line || f.Origin.Line != want[i].line || f.Check.Code != want[i].code {
			t.Errorf("Refused[%d]: got %d %s, want line %d and %s", i, r.Line, f, want[i].line, want[i].code)
		}
	}
	back := mustRead(t, encoded(t, c))
	if len(back.Refused) != len(want) || len(back.Entries) != 2 {
		t.Errorf("written anew: got %d entries and %d refused, want all as they were", len(back.Entries), len(back.Refused))
	}
	c, _ = c.With(Entry{Name: "good", Purpose: "p"})
	if back = mustRead(t, encoded(t, c)); len(back.Refused) != len(want)-1 {
		t.Errorf("With of a key that is there twice: got %d refused, want the other one gone", len(back.Refused))
	}
}

// TestColony_98_FilesWithoutEntries differs on purpose in one thing: in the reference a lone
// .gitkeep is told as well.
func TestColony_98_FilesWithoutEntries(t *testing.T) {
	for _, c := range []struct {
		text  string
		names []string
		told  bool
	}{
		{`{"tools": []}`, []string{".gitkeep", "solver.py"}, true},
		{`{"tools": []}`, []string{".gitkeep"}, false},
		{`{"tools": []}`, nil, false},
		{`{"tools": [1]}`, []string{"solver.py"}, false},
	} {
		got := mustRead(t, c.text).Empty(".colony/tools", c.names)
		if told := len(got) == 1 && got[0].Check == Unlisted; told != c.told || len(got) > 1 {
			t.Errorf("Empty(%s, %v): got %v, want it told: %t", c.text, c.names, got, c.told)
		}
	}
}

// TestColony_99_OneNameTwoPurposes differs on purpose: in the reference the later one wins
// and nobody is told.
func TestColony_99_OneNameTwoPurposes(t *testing.T) {
	c := mustRead(t, `{"tools": [{"name": "a", "purpose": "p", "location": "", "capability": ""},
{"name": "a", "purpose": "q", "location": "", "capability": ""}]}`)
	if len(c.Entries) != 2 || len(c.Findings) != 1 || c.Findings[0].Check != Clash || c.Findings[0].Origin.Line != 2 {
		t.Errorf("Read: got %d entries and %v, want both, and the second told on its line", len(c.Entries), c.Findings)
	}
}

func TestEncode(t *testing.T) {
	const want = `{
  "maintainer": "who",
  "schema_version": 2,
  "tools": [
    {
      "capability": "navier-stokes",
      "capability_fqn": "",
      "extra": {
        "description": "Löst <b>Strömungen</b>."
      },
      "location": "subdir:tools/cfd/solver",
      "name": "solver",
      "purpose": "cfd",
      "vendor": {
        "a": [],
        "z": 1.50
      }
    }
  ]
}
`
	if got := encoded(t, mustRead(t, one)); got != want {
		t.Errorf("Encode: got %s, want %s", got, want)
	}
}

func TestLimits(t *testing.T) {
	many := `{"tools": [` + strings.Repeat("0,", MaxEntries) + `0]}`
	long := `{"tools": [{"name": "` + strings.Repeat("a", MaxText+1) + `", "purpose": "", "location": "", "capability": ""}]}`
	if _, err := Read(here, []byte(many)); err == nil || !strings.Contains(err.Error(), "10000 entries") {
		t.Errorf("Read of too many entries: got %v", err)
	}
	if _, err := Read(here, make([]byte, MaxBytes+1)); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("Read of too many bytes: got %v", err)
	}
	if c := mustRead(t, long); len(c.Refused) != 1 || c.Refused[0].Findings[0].Check != EntryLimit {
		t.Errorf("Read of a long text: got %+v, want that entry refused", c.Refused)
	}
}

// FuzzRead wants no text to make reading panic, what was read to be written as what is
// read again, and to be written the same from then on.
func FuzzRead(f *testing.F) {
	for _, s := range []string{one, `{"tools": [1, {"name": "a", "name": "b"}, [[[]]]], "x": "\u2028\ud83d\ude00\u0007"}`, `{"schema_version": 1, "tools": [{"version": {}}]}`, "\ufeff{}", "{\"tools\":\r[\r\n{}]}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Read(here, data)
		if err != nil {
			if !errors.As(err, new(*Broken)) {
				t.Fatalf("Read: got %v, want a *Broken", err)
			}
			return
		}
		lines := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")) + 1
		for _, e := range c.Entries {
			if e.Line < 1 || e.Line > lines {
				t.Fatalf("an entry is on line %d of %d", e.Line, lines)
			}
		}
		text, err := c.Encode()
		if err != nil {
			t.Fatalf("Encode: %v", err)
		}
		back, err := Read(here, text)
		if err != nil {
			t.Fatalf("Read of what was written: %v\n%s", err, text)
		}
		if len(back.Entries) != len(c.Entries) || len(back.Refused) != len(c.Refused) {
			t.Fatalf("written and read: got %d and %d, want %d and %d\n%s", len(back.Entries), len(back.Refused), len(c.Entries), len(c.Refused), text)
		}
		if again, err := back.Encode(); err != nil || !bytes.Equal(again, text) {
			t.Fatalf("written again: got %s, %v, want %s", again, err, text)
		}
	})
}
