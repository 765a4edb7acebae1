package hooktest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

// long is a text of a megabyte.
var long = strings.Repeat("mortise ", 1<<17)

// values are what nobody should answer for a member.
func values() []string {
	out := []string{
		`""`, `"\u0000"`, `"a\u0000b"`, `"\u001b[2J"`, `"\u202eevil"`, `"\ud800"`, `"../../etc/passwd"`, `"${WORKSPACE}/.."`, `"a\r\nb"`,
		"null", "true", "-1", "0", "65536", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1e400", "0.1", "-0",
		"[]", "[[]]", "[[[]]]", "[null]", "[[\"a\"], \"b\"]", "{}", `{"": ""}`, `{"a": {"a": {"a": []}}}`, `{"a": 1, "a": 2}`, `{"when": {}}`,
		strconv.Quote(long), `["` + long + `"]`, `{"` + long + `": "x"}`,
	}
	for _, deep := range []int{100, 9_000, 100_000} {
		out = append(out, strings.Repeat("[", deep)+strings.Repeat("]", deep), strings.Repeat(`{"a":`, deep)+"1"+strings.Repeat("}", deep))
	}
	return out
}

// whole are answers that are none at all.
func whole() []string {
	return []string{
		" ", "x", "[", "]", "{", "[{]", "[{}", "[}]", "3", `"x"`, "true", "[3]", `["x"]`, "[[]]", "[[{}]]", "[null]", "{}", "[{}, {}]", "[{}] []",
		`{"answers": []}`, `{"content": 3}`, `{"content": [], "isError": true}`, `{"content": [{"text": "it broke \u001b[2J"}], "isError": true}`, `{"content": [{"text": "[3]"}]}`,
		`{"content": [], "structuredContent": {"answers": {}}}`, `{"content": [], "content": []}`, "\x00", "[\x00]", "[\"\xff\"]", "\ufeff[]",
		strings.Repeat("[", 1<<20), strings.Repeat(`[{"a":`, 1<<17), strings.Repeat("9", 1<<20), "[" + strings.Repeat("{},", 1<<17) + "{}]",
	}
}

// most is how long anything that is answered may take to read, on a machine that is busy and
// looks for races.
const most = time.Minute

// hostile reads answers that are made to do harm: reading ends, does not panic, what is
// refused is refused in words that show as they are, and what is read is read again from
// how it is written.
func hostile(t *testing.T, spec *surface.Spec, all []sample) {
	for _, raw := range whole() {
		try(t, spec, raw)
	}
	if testing.Short() {
		all = all[:1]
	}
	for i := range all {
		s := &all[i]
		first := ""
		for _, name := range slices.Sorted(maps.Keys(s.members)) {
			first = name
			for _, value := range values() {
				try(t, spec, string(list(with(s, name, value))))
			}
		}
		doubled := strings.Replace(string(list(s.raw(t, nil))), "{", "{"+strconv.Quote(first)+":"+string(s.members[first])+",", 1)
		if _, err := spec.Answers.Read(json.RawMessage(doubled)); err == nil || !strings.Contains(err.Error(), first) {
			t.Errorf("Read(%s): got %v, want an error that names the member that is there twice", doubled, err)
		}
		try(t, spec, doubled)
	}
}

// with is a sample with one member's value in its place, whatever text that is.
func with(s *sample, name, value string) json.RawMessage {
	parts := []string{strconv.Quote(name) + ":" + value}
	for _, k := range slices.Sorted(maps.Keys(s.members)) {
		if k != name {
			parts = append(parts, strconv.Quote(k)+":"+string(s.members[k]))
		}
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

func try(t *testing.T, spec *surface.Spec, raw string) {
	t.Helper()
	began := time.Now()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("reading %s panicked with %v", ext.Quote(ext.Shorten(raw, 200)), p)
		}
		if took := time.Since(began); took > most {
			t.Errorf("reading %s took %s, want less than %s", ext.Quote(ext.Shorten(raw, 200)), took, most)
		}
	}()
	answers, err := spec.Answers.Read(json.RawMessage(raw))
	told(t, raw, err)
	for i := range answers {
		again(t, spec, raw, &answers[i])
	}
	d := surfacetest.Read("x.json", []byte(raw))
	if d.Findings.Failed() {
		return // no document
	}
	_, _, err = spec.Answers.ReadDoc(&d.Doc)
	told(t, raw, err)
}

// told checks the words of an error.
func told(t *testing.T, raw string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if s := err.Error(); len(s) > 4000 || strings.ContainsFunc(s, ext.Hidden) || strings.ToValidUTF8(s, "") != s {
		t.Errorf("reading %s: the error has %d bytes, %s; want it short, and nothing hidden in it", ext.Quote(ext.Shorten(raw, 200)), len(s), ext.Quote(ext.Shorten(s, 300)))
	}
}

// again reads an answer from how its value is written.
func again(t *testing.T, spec *surface.Spec, raw string, a *surface.Answer) {
	t.Helper()
	written, err := ext.EncodeJSON(a.Value)
	if err != nil {
		t.Errorf("%s was read, and cannot be written: %v", ext.Quote(ext.Shorten(raw, 200)), err)
		return
	}
	back, err := spec.Answers.Read(list(written))
	if err != nil || len(back) != 1 || back[0].Key != a.Key || !reflect.DeepEqual(plain(back[0].Value), plain(a.Value)) {
		t.Errorf("%s was read as %s, and that as %s, %v; want the same", ext.Quote(ext.Shorten(raw, 200)), ext.Shorten(string(written), 300), ext.Shorten(fmt.Sprint(back), 300), err)
	}
}

// plain is a value as JSON has it, in which an empty list is none.
func plain(v any) any {
	raw, err := ext.EncodeJSON(v)
	if err != nil {
		return err
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		return err
	}
	return out
}
