// Package hooktest holds every hook of a plan to the contract of its definition: what it
// takes is documented, data and code are read alike, what is no answer is refused by the
// name of what is wrong, conditions hold as they say, nothing that is answered does harm,
// and asking what a mode would mean changes nothing.
package hooktest

import (
	"encoding/json"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

// Run checks the hook of spec on the archives in ok and bad below dir, as surfacetest
// does, and on the answers that stand in those of ok: of every member that an answer may
// have, one has it.
func Run(t *testing.T, spec *surface.Spec, dir string) {
	if spec.Answers == nil {
		t.Fatalf("%s is no hook of a plan", spec.Name)
	}
	surfacetest.RunIn(t, spec, dir)
	all := samples(t, spec, dir)
	t.Run("answers", func(t *testing.T) { documented(t, spec, all) })
	t.Run("data and code", func(t *testing.T) { alike(t, spec, all) })
	t.Run("members", func(t *testing.T) { members(t, spec, all) })
	t.Run("condition", func(t *testing.T) { conditions(t, spec, all) })
	t.Run("hostile", func(t *testing.T) { hostile(t, spec, all) })
	t.Run("what if", func(t *testing.T) { whatIf(t, spec, all) })
}

// sample is one answer that is in order, as data and as JSON.
type sample struct {
	doc     ext.Doc
	members map[string]json.RawMessage
}

// raw is the sample as JSON, with some members changed: null takes one away.
func (s *sample) raw(t testing.TB, change map[string]string) json.RawMessage {
	t.Helper()
	out := map[string]json.RawMessage{}
	for k, v := range s.members {
		out[k] = v
	}
	for k, v := range change {
		if out[k] = json.RawMessage(v); v == "" {
			delete(out, k)
		}
	}
	raw, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// list is a list of one answer.
func list(raw json.RawMessage) json.RawMessage {
	return json.RawMessage("[" + string(raw) + "]")
}

// samples are the answers in the archives of ok.
func samples(t *testing.T, spec *surface.Spec, dir string) []sample {
	t.Helper()
	names, err := filepath.Glob(dir + "/ok/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var out []sample
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if path.Dir(f.Name) != spec.Dir {
				continue
			}
			d := surfacetest.Read(f.Name, f.Data)
			for _, item := range d.Doc.Get("answer").Items() {
				s := sample{doc: *item}
				if err := json.Unmarshal(surface.JSON(item), &s.members); err != nil {
					t.Fatalf("%s: %v", f.Name, err)
				}
				out = append(out, s)
			}
		}
	}
	if len(out) == 0 {
		t.Fatalf("no answer of %s in %s/ok, want one at least", spec.Name, dir)
	}
	return out
}

// documented checks what a reader of the generated docs relies on.
func documented(t *testing.T, spec *surface.Spec, all []sample) {
	a := spec.Answers
	if a.Merge.String() == "" || a.Merge.Doc() == "" || a.Merge == surface.Namespaced {
		t.Errorf("answers of %s merge by %s, want a word of the rules of answers", spec.Name, a.Merge)
	}
	if len(a.Fields) == 0 || slices.Contains(a.Reads, spec.Name) {
		t.Errorf("%s: got %d members and reads %v, want members, and that it does not read itself", spec.Name, len(a.Fields), a.Reads)
	}
	seen := map[string]bool{"when": true, "from_row": true}
	for _, f := range a.Fields {
		if f.Type == 0 || !strings.HasSuffix(f.Doc, ".") || seen[f.Name] {
			t.Errorf("member %+v of an answer to %s: want a name of its own, a type and a sentence", f, spec.Name)
		}
		seen[f.Name] = true
		if !slices.ContainsFunc(all, func(s sample) bool { return s.members[f.Name] != nil }) {
			t.Errorf("no answer in the archives has the member %s, want each in one", f.Name)
		}
		for i := range all {
			if f.Required && all[i].members[f.Name] == nil {
				t.Errorf("answer %d of the archives has no %s, which is required", i+1, f.Name)
			}
		}
	}
}

// alike reads each answer as data, as what code answers, and as a result of MCP.
func alike(t *testing.T, spec *surface.Spec, all []sample) {
	a := spec.Answers
	for i := range all {
		s := &all[i]
		data, _, err := a.ReadDoc(&s.doc)
		if err != nil || len(data) != 1 {
			t.Fatalf("ReadDoc(%s): %v, %v", surface.JSON(&s.doc), data, err)
		}
		raw := list(s.raw(t, nil))
		text, err := json.Marshal(string(raw))
		if err != nil {
			t.Fatal(err)
		}
		for form, answered := range map[string]string{
			"a list": string(raw), "a list with blanks": "\n " + string(raw) + " ",
			"structured content": `{"content": [], "structuredContent": {"answers": ` + string(raw) + `}}`,
			"text content":       `{"content": [{"type": "text", "text": ` + string(text) + `}]}`,
		} {
			code, err := a.Read(json.RawMessage(answered))
			if err != nil || len(code) != 1 {
				t.Errorf("Read of %s: got %v, %v; want one answer", form, code, err)
				continue
			}
			if !same(code[0], data[0]) {
				t.Errorf("an answer as %s: got %+v, want %+v as from data", form, code[0], data[0])
			}
			again, err := a.Read(json.RawMessage(answered))
			if err != nil || !same(again[0], code[0]) {
				t.Errorf("the same read twice: got %+v, %v, then %+v", code, err, again)
			}
		}
	}
	for _, none := range []string{"", "null", "[]", `{"content": [{"type": "text", "text": "null"}]}`, `{"content": [], "structuredContent": {"answers": null}}`} {
		if got, err := a.Read(json.RawMessage(none)); err != nil || len(got) != 0 {
			t.Errorf("Read(%q): got %v, %v; want no answers", none, got, err)
		}
	}
}

func same(a, b surface.Answer) bool {
	return a.Key == b.Key && reflect.DeepEqual(a.When, b.When) && reflect.DeepEqual(a.Value, b.Value)
}

// wrong are values that a member of a type does not hold.
var wrong = map[surface.Type][]string{
	surface.Text:    {"3", "true", `["x"]`, `{"x": "y"}`},
	surface.Flag:    {`"yes"`, "1", "[true]", "{}"},
	surface.Integer: {`"1"`, "true", "1.5", "1e30", "9223372036854775808", "[1]"},
	surface.Words:   {"3", "{}", "[3]", `[["x"]]`, `[{}]`},
	surface.Object:  {`"x"`, "3", "true", `["x"]`},
}

// members changes one member at a time: one that is not known, is of another type, or is
// missing although it must be there is refused by its name.
func members(t *testing.T, spec *surface.Spec, all []sample) {
	a := spec.Answers
	refused := func(s *sample, name, value string) {
		t.Helper()
		raw := list(s.raw(t, map[string]string{name: value}))
		_, err := a.Read(raw)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Read(%s): got %v, want an error that names %s", ext.Shorten(string(raw), 300), err, name)
		}
		d := surfacetest.Read("x.json", raw)
		if _, line, inData := a.ReadDoc(&d.Doc); inData == nil || !strings.Contains(inData.Error(), name) || line != 1 {
			t.Errorf("ReadDoc(%s): got %v in line %d, want an error that names %s, in line 1", ext.Shorten(string(raw), 300), inData, line, name)
		}
	}
	for i := range all {
		s := &all[i]
		refused(s, "surely_unknown", "true")
		refused(s, "When", "{}")
		for _, f := range a.Fields {
			if f.Required {
				refused(s, f.Name, "")
				refused(s, f.Name, "null")
			}
			for _, value := range wrong[f.Type] {
				refused(s, f.Name, value)
			}
			if name := strings.ToUpper(f.Name); s.members[f.Name] != nil {
				refused(s, name, string(s.members[f.Name])) // names know case
			}
		}
	}
}
