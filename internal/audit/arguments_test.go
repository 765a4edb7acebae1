package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSummarize(t *testing.T) {
	s := &salt{1}
	h := func(v string) string { return hidden(s, v) }
	for _, c := range []struct {
		name, raw string
		want      Arguments
	}{
		{"none", "", Arguments{}},
		{"an object", ` {"b": "x", "a" : [1, {"z":1,"y":2.50}]} `, Arguments{
			Type: "object", Size: 41, Hash: h(`{"a":[1,{"y":2.50,"z":1}],"b":"x"}`), Keys: []Argument{
				{Key: "a", Type: "array", Size: 20, Hash: h(`[1,{"y":2.50,"z":1}]`)}, {Key: "b", Type: "string", Size: 3, Hash: h(`"x"`)},
			},
		}},
		{"every type", `{"a":null,"b":true,"c":-1e3,"d":{}}`, Arguments{
			Type: "object", Size: 35, Hash: h(`{"a":null,"b":true,"c":-1e3,"d":{}}`), Keys: []Argument{
				{Key: "a", Type: "null", Size: 4, Hash: h("null")}, {Key: "b", Type: "boolean", Size: 4, Hash: h("true")},
				{Key: "c", Type: "number", Size: 4, Hash: h("-1e3")}, {Key: "d", Type: "object", Size: 2, Hash: h("{}")},
			},
		}},
		{"one name twice: neither value hides the other", `{"a":1,"a":2}`, Arguments{
			Type: "object", Size: 13, Hash: h(`{"a":1,"a":2}`), Keys: []Argument{
				{Key: "a", Type: "number", Size: 1, Hash: h("1")}, {Key: "a", Type: "number", Size: 1, Hash: h("2")},
			},
		}},
		{"escapes are one spelling of many", `{"\u0061":"\u00e9\/\n"}`, Arguments{
			Type: "object", Size: 23, Hash: h("{\"a\":\"é/\\u000a\"}"), Keys: []Argument{{Key: "a", Type: "string", Size: 11, Hash: h("\"é/\\u000a\"")}},
		}},
		{"no object", `[1]`, Arguments{Type: "array", Size: 3, Hash: h("[1]")}},
		{"no JSON", `{"a":`, Arguments{Type: "invalid", Size: 5, Hash: h(`{"a":`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, summarize([]byte(c.raw), s, 0)); d != "" {
				t.Errorf("summarize (-want +got):\n%s", d)
			}
		})
	}
}

// What is too much is counted, so that a record stays small whatever a call brings.
func TestSummarizeBounds(t *testing.T) {
	s := &salt{1}
	many := map[string]int{}
	for i := range 100 {
		many[fmt.Sprintf("k%03d", i)] = i
	}
	raw, _ := json.Marshal(many)
	if a := summarize(raw, s, 0); len(a.Keys) != keysMax || a.More != 100-keysMax {
		t.Errorf("100 keys: got %d and %d more, want %d and %d", len(a.Keys), a.More, keysMax, 100-keysMax)
	}
	key := strings.Repeat("k", 200)
	if a := summarize([]byte(`{"`+key+`":1}`), s, 0); a.Keys[0].Key != key[:keyMax] || a.Keys[0].Cut != 200 {
		t.Errorf("a long key: got %+v, want it cut and its length told", a.Keys[0])
	}
	large := []byte(`{"a":"` + strings.Repeat("x", argumentsMax) + `"}`)
	if a := summarize(large, s, 1<<30); !a.Large || a.Type != "object" || len(a.Keys) != 0 || a.Raw != nil || a.Hash != hidden(s, large) {
		t.Errorf("large arguments: got %+v, want their size and hash alone", a)
	}
	deep := []byte(strings.Repeat(`{"a":`, 9000) + `"` + strings.Repeat("x", 900<<10) + `"` + strings.Repeat("}", 9000))
	if a := summarize(deep, s, 0); a.Keys[0].Type != "object" || a.Keys[0].Size != len(deep)-6 {
		t.Errorf("deep arguments: got %+v", a.Keys[0])
	}
}

// Values are the person's: only their own setting puts them into the log.
func TestFullDetail(t *testing.T) {
	raw := json.RawMessage("{ \"token\":\n \"hunter2\xff\" }")
	secret := "hunter2"
	for _, c := range []struct {
		name string
		o    Options
		kept string
	}{
		{"by default", Options{}, ""},
		{"a size without the setting", Options{FullSize: 1000}, ""},
		{"where it is asked for", Options{Full: true}, "{\"token\":\"hunter2\ufffd\"}"},
		{"longer than it may be", Options{Full: true, FullSize: 10}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := open(t, logDir(t), c.o)
			e := written(t, Record{Kind: KindCall, Arguments: l.Summarize(raw)}, c.o)
			if got := string(e.Arguments.Raw); got != c.kept {
				t.Errorf("raw: got %q, want %q", got, c.kept)
			}
			if got := strings.Contains(string(e.Line), secret); got != (c.kept != "") {
				t.Errorf("the secret is in the line: got %v, want %v", got, c.kept != "")
			}
		})
	}
}

// Two installations hash alike nowhere; one does everywhere.
func TestSaltIsTheInstallations(t *testing.T) {
	raw, dir := json.RawMessage(`{"pin":1234}`), logDir(t)
	a, b, other := open(t, dir, Options{}), open(t, dir, Options{}), open(t, logDir(t), Options{})
	if a.Summarize(raw).Hash != b.Summarize(raw).Hash {
		t.Error("two processes of one installation hash differently")
	}
	if a.Summarize(raw).Hash == other.Summarize(raw).Hash {
		t.Error("two installations hash alike")
	}
}

// The canonical form is one for every spelling of the same members.
func TestCanonicalAgrees(t *testing.T) {
	value := rapid.Custom(func(t *rapid.T) any { return anyJSON(t, 4) })
	rapid.Check(t, func(t *rapid.T) {
		v := value.Draw(t, "value")
		plain, _ := json.Marshal(v)
		indented, _ := json.MarshalIndent(v, " ", "\t")
		one := (&canon{in: plain}).value(nil)
		two := (&canon{in: indented}).value(nil)
		if string(one) != string(two) {
			t.Fatalf("%s and its indented form: got %s and %s", plain, one, two)
		}
		if again := (&canon{in: one}).value(nil); string(again) != string(one) || !json.Valid(one) {
			t.Fatalf("canonical of %s: got %s, want itself", one, again)
		}
	})
}

func anyJSON(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		return rapid.String().Draw(t, "text")
	case 1:
		return rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
	case 2:
		return rapid.Bool().Draw(t, "flag")
	case 3:
		return nil
	case 4:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, anyJSON(t, depth-1))
		}
		return list
	default:
		object := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			object[rapid.String().Draw(t, "name")] = anyJSON(t, depth-1)
		}
		return object
	}
}
