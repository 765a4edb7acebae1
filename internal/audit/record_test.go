package audit

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise/ext"
)

// only is the one record of a log.
func only(t *testing.T, dir string) Entry {
	t.Helper()
	var all []Entry
	for e, err := range Read(dir, Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	if len(all) != 1 {
		t.Fatalf("Read: got %d records, want 1", len(all))
	}
	return all[0]
}

func written(t *testing.T, r Record, o Options) Entry {
	t.Helper()
	dir := logDir(t)
	l := open(t, dir, o)
	if err := l.Append(context.Background(), r, Durable); err != nil {
		t.Fatal(err)
	}
	closeLog(t, l)
	checkOK(t, dir)
	return only(t, dir)
}

// A record that nobody can read back, or whose fields change their places from
// version to version, is no evidence.
func TestRecordIsReadBack(t *testing.T) {
	c := newClock()
	l := open(t, logDir(t), Options{})
	want := Record{
		Time: c.Now(), Kind: KindDeny, ID: "d-1", Generation: 3, GenerationDigest: ext.Sum([]byte("g")), Workspace: "w", Session: "s", Client: "c",
		Agent: "a", Tool: "t", Extension: "e", Server: "v", Arguments: l.Summarize(json.RawMessage(`{"q":"x","n":[1,2]}`)), Outcome: Denied,
		By: []string{"one", "two"}, Reason: "no\n\"<b>\" \\ é \u2028 \x00", Duration: time.Second, ResultSize: 9, Error: "e",
	}
	for i, v := 0, reflect.ValueOf(want); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("this test gives no %s", v.Type().Field(i).Name)
		}
	}
	got := written(t, want, Options{Now: c.Now})
	if d := cmp.Diff(want, got.Record); d != "" {
		t.Errorf("the record (-written +read):\n%s", d)
	}
	if len(got.Altered) != 0 {
		t.Errorf("altered: got %v, want nothing", got.Altered)
	}
	at := 0
	for i, typ := 0, reflect.TypeFor[Record](); i < typ.NumField(); i++ {
		name := `"` + typ.Field(i).Tag.Get("json") + `":`
		next := strings.Index(string(got.Line), name)
		if next < at {
			t.Errorf("field %s is at %d of the line, want it behind %d: the order of the struct", name, next, at)
		}
		at = next
	}
}

// Foreign text is bounded and safe, and the log says what it lacks.
func TestForeignText(t *testing.T) {
	long := strings.Repeat("é", 5000)
	for _, c := range []struct {
		name   string
		record Record
		field  string
		size   int
		got    func(Entry) string
		want   string
	}{
		{"a long reason", Record{Reason: long}, "reason", 10000, func(e Entry) string { return e.Reason }, strings.Repeat("é", textMax/2)},
		{"a long name, cut in no character", Record{Tool: "x" + long}, "tool", 10001, func(e Entry) string { return e.Tool }, "x" + strings.Repeat("é", 127)},
		{"bytes that are not UTF-8", Record{Error: "a\xffb"}, "error", 3, func(e Entry) string { return e.Error }, "a\ufffdb"},
		{"nothing but bytes that are not UTF-8", Record{Client: strings.Repeat("\x80", 300)}, "client", 300, func(e Entry) string { return e.Client }, strings.Repeat("\ufffd", nameMax)},
		{"a long guard", Record{By: []string{"one", long}}, "by", 10000, func(e Entry) string { return e.By[1] }, strings.Repeat("é", nameMax/2)},
		{"many guards", Record{By: make([]string, 40)}, byMore, 8, func(e Entry) string { return strings.Join(e.By, ",") }, strings.Repeat(",", 31)},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.record.Kind = KindCall
			e := written(t, c.record, Options{})
			if got := c.got(e); got != c.want {
				t.Errorf("kept: got %q, want %q", got, c.want)
			}
			if len(e.Altered) != 1 || e.Altered[0].Field != c.field || e.Altered[0].Size != c.size || len(e.Altered[0].Hash) != 64 {
				t.Errorf("altered: got %+v, want %s of %d", e.Altered, c.field, c.size)
			}
		})
	}
}

// What looks like the log's own text is a value like any other.
func TestTextCannotEndItsLine(t *testing.T) {
	e := written(t, Record{Kind: KindCall, Reason: "\"}\n{\"seq\":9,\"kind\":\"grant\"}"}, Options{})
	if strings.ContainsRune(string(e.Line), '\n') || e.Kind != KindCall {
		t.Errorf("got line %s", e.Line)
	}
}

func TestAppendRefuses(t *testing.T) {
	l := open(t, logDir(t), Options{})
	for _, c := range []struct {
		name string
		r    Record
		want string
	}{
		{"no kind", Record{}, "kind"},
		{"a kind that would break its line", Record{Kind: `a","x`}, "kind"},
		{"a checkpoint of somebody else's making", Record{Kind: KindCheckpoint}, "the log itself"},
		{"an outcome of other characters", Record{Kind: KindCall, Outcome: "Allowed!"}, "outcome"},
		{"raw arguments on two lines", Record{Kind: KindCall, Arguments: Arguments{Type: "object", Raw: []byte("{\n}")}}, "raw arguments"},
		{"raw arguments that are no JSON", Record{Kind: KindCall, Arguments: Arguments{Type: "object", Raw: []byte("{")}}, "raw arguments"},
	} {
		if err := l.Append(context.Background(), c.r, Written); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", c.name, err, c.want)
		}
	}
	if got := files(t, l.dir); len(got) != 0 {
		t.Errorf("files: got %v, want none before the first record", got)
	}
}
