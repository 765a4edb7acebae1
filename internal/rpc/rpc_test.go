package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		kind      Kind // 0: no message
		method    string
		id        string
	}{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, Request, "ping", `1`},
		{"id last, spaces", ` { "method" : "ping" , "id" : "a\"b" } `, Request, "ping", `"a\"b"`},
		{"notification", `{"method":"notifications/x","params":[1]}`, Notification, "notifications/x", ``},
		{"id null on a method", `{"method":"x","id":null}`, Notification, "x", ``},
		{"result", `{"id":1.0,"result":{}}`, Response, "", `1.0`},
		{"result null", `{"id":1,"result":null}`, Response, "", `1`},
		{"error without id", `{"id":null,"error":{"code":1}}`, Response, "", ``},
		{"escaped keys", `{"\u0069d":5,"meth\u006fd":"x"}`, Request, "x", `5`},
		{"repeated key deep inside", `{"id":1,"result":{"a":1,"a":2}}`, Response, "", `1`},
		{"half a character deep inside", `{"id":1,"result":"\ud800"}`, Response, "", `1`},
		{"both result and error", `{"id":1,"result":{},"error":{}}`, 0, "", ""},
		{"method and result", `{"id":1,"method":"x","result":{}}`, 0, "", ""},
		{"neither", `{"id":1}`, 0, "", ""},
		{"repeated id", `{"id":1,"id":1,"method":"x"}`, 0, "", ""},
		{"repeated id, escaped", `{"id":1,"\u0069d":2,"method":"x"}`, 0, "", ""},
		{"repeated method", `{"method":"x","method":"y"}`, 0, "", ""},
		{"repeated params", `{"method":"x","params":{},"params":{}}`, 0, "", ""},
		{"repeated _meta", `{"method":"x","params":{"_meta":{},"_meta":{}}}`, 0, "", ""},
		{"repeated token", `{"method":"x","params":{"_meta":{"progressToken":1,"progressToken":2}}}`, 0, "", ""},
		{"repeated id, null", `{"id":1,"id":null,"method":"x"}`, 0, "", ""},
		{"repeated token, null", `{"id":1,"method":"x","params":{"_meta":{"progressToken":1,"progressToken":null}}}`, 0, "", ""},
		{"id in another case", `{"id":1,"method":"x","ID":2}`, 0, "", ""},
		{"method in another case", `{"id":1,"method":"x","M\u0065thod":"y"}`, 0, "", ""},
		{"params that fold", `{"id":1,"method":"x","param\u017f":{}}`, 0, "", ""},
		{"name in another case", `{"id":1,"method":"x","params":{"name":"a","NAME":"b"}}`, 0, "", ""},
		{"arguments in another case alone", `{"id":1,"method":"x","params":{"Arguments":{}}}`, 0, "", ""},
		{"token in another case", `{"id":1,"method":"x","params":{"_meta":{"ProgressToken":1}}}`, 0, "", ""},
		{"other keys in other cases", `{"id":1,"method":"x","params":{"A":1,"a":2,"arguments":{"name":1,"Name":2}}}`, Request, "x", `1`},
		{"id of another kind", `{"id":{},"method":"x"}`, 0, "", ""},
		{"method of another kind", `{"id":1,"method":1}`, 0, "", ""},
		{"empty method", `{"id":1,"method":""}`, 0, "", ""},
		{"array", `[]`, 0, "", ""}, {"text", `"x"`, 0, "", ""}, {"nothing", ``, 0, "", ""},
		{"cut off", `{"id":1,"method":"x"`, 0, "", ""},
		{"more behind", `{"id":1,"method":"x"}{}`, 0, "", ""},
		{"not JSON", `{id:1}`, 0, "", ""},
		{"deep", strings.Repeat("[", 100_000), 0, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Read([]byte(c.raw))
			if c.kind == 0 {
				if !errors.Is(err, ErrNoMessage) && !errors.Is(err, errRepeated) {
					t.Fatalf("got %v, want that it is no message", err)
				}
				return
			}
			if err != nil || f.Kind != c.kind || f.Method != c.method || string(f.Bytes(f.ID)) != c.id {
				t.Errorf("got kind %d, method %q, id %q, %v; want %d, %q, %q", f.Kind, f.Method, f.Bytes(f.ID), err, c.kind, c.method, c.id)
			}
		})
	}
}

func TestNumber(t *testing.T) {
	for raw, want := range map[string]uint64{`7`: 7, `7.0`: 7, `70e-1`: 7, `0.7e1`: 7, `0`: 0} {
		if got, ok := Number([]byte(raw)); !ok || got != want {
			t.Errorf("%s: got %d, %v; want %d", raw, got, ok, want)
		}
	}
	for _, raw := range []string{``, `"7"`, `-1`, `1.5`, `1e300`, `null`, `NaN`, `Inf`, `0x1p3`} {
		if got, ok := Number([]byte(raw)); ok && raw != `0x1p3` {
			t.Errorf("%s: got %d, want no number", raw, got)
		}
	}
}

func TestSplice(t *testing.T) {
	raw := []byte(`0123456789`)
	got := Splice(raw, Edit{Span{7, 9}, []byte("B")}, Edit{Span{}, []byte("no")}, Edit{Span{2, 3}, []byte("AAA")})
	if string(got) != `01AAA3456B9` || string(raw) != `0123456789` {
		t.Errorf("got %s of %s", got, raw)
	}
}

// FuzzFrame wants any bytes to be a message with its parts where they are said
// to be, or none; and one whose id and token were replaced to be the same
// message but for these.
func FuzzFrame(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"t"},"name":"x"}}`,
		`{"method":"notifications/progress","params":{"progressToken":1.0,"progress":1}}`,
		`{"method":"notifications/cancelled","params":{"requestId":"a"}}`,
		`[{"id":1,"result":{}},{"id":2,"error":{"code":1,"message":"\ud800"}}]`, "\uFEFF{}", "{\"id\":\n1,\"result\":1e5}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		items, err := Unbatch(Legible(data))
		if err != nil {
			return
		}
		for _, item := range items {
			before := slices.Clone(item)
			m, err := Read(item)
			if !bytes.Equal(before, item) {
				t.Fatal("reading changed the bytes")
			}
			if err != nil {
				continue
			}
			if !json.Valid(item) {
				t.Fatalf("%q is a message and no JSON", item)
			}
			again, err := Read(OneLine(Splice(item, Edit{m.ID, []byte("77")}, Edit{m.MetaToken, []byte("78")})))
			if err != nil || again.Kind != m.Kind || again.Method != m.Method || m.ID.There() && string(again.Bytes(again.ID)) != "77" || m.MetaToken.There() && string(again.Bytes(again.MetaToken)) != "78" {
				t.Fatalf("%q with another id: got %q, %v", item, again.Raw, err)
			}
			back := Splice(again.Raw, Edit{again.ID, m.Bytes(m.ID)}, Edit{again.MetaToken, m.Bytes(m.MetaToken)})
			if !bytes.Equal(back, OneLine(item)) {
				t.Fatalf("%q came back as %q", item, back)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	raw := []byte(`{"jsonrpc":"2.0","id":12,"result":{"content":[{"type":"text","text":"` + strings.Repeat("hello ", 100) + `"}],"isError":false}}`)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(raw); err != nil {
			b.Fatal(err)
		}
	}
}
