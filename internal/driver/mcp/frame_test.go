package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestReadFrame(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		kind      kind // 0: no message
		method    string
		id        string
	}{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, request, "ping", `1`},
		{"id last, spaces", ` { "method" : "ping" , "id" : "a\"b" } `, request, "ping", `"a\"b"`},
		{"notification", `{"method":"notifications/x","params":[1]}`, notification, "notifications/x", ``},
		{"id null on a method", `{"method":"x","id":null}`, notification, "x", ``},
		{"result", `{"id":1.0,"result":{}}`, response, "", `1.0`},
		{"result null", `{"id":1,"result":null}`, response, "", `1`},
		{"error without id", `{"id":null,"error":{"code":1}}`, response, "", ``},
		{"escaped keys", `{"\u0069d":5,"meth\u006fd":"x"}`, request, "x", `5`},
		{"repeated key deep inside", `{"id":1,"result":{"a":1,"a":2}}`, response, "", `1`},
		{"half a character deep inside", `{"id":1,"result":"\ud800"}`, response, "", `1`},
		{"both result and error", `{"id":1,"result":{},"error":{}}`, 0, "", ""},
		{"method and result", `{"id":1,"method":"x","result":{}}`, 0, "", ""},
		{"neither", `{"id":1}`, 0, "", ""},
		{"repeated id", `{"id":1,"id":1,"method":"x"}`, 0, "", ""},
		{"repeated id, escaped", `{"id":1,"\u0069d":2,"method":"x"}`, 0, "", ""},
		{"repeated method", `{"method":"x","method":"y"}`, 0, "", ""},
		{"repeated params", `{"method":"x","params":{},"params":{}}`, 0, "", ""},
		{"repeated _meta", `{"method":"x","params":{"_meta":{},"_meta":{}}}`, 0, "", ""},
		{"repeated token", `{"method":"x","params":{"_meta":{"progressToken":1,"progressToken":2}}}`, 0, "", ""},
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
			f, err := readFrame([]byte(c.raw))
			if c.kind == 0 {
				if !errors.Is(err, errNoMessage) && !errors.Is(err, errRepeated) {
					t.Fatalf("got %v, want that it is no message", err)
				}
				return
			}
			if err != nil || f.kind != c.kind || f.method != c.method || string(f.bytes(f.id)) != c.id {
				t.Errorf("got kind %d, method %q, id %q, %v; want %d, %q, %q", f.kind, f.method, f.bytes(f.id), err, c.kind, c.method, c.id)
			}
		})
	}
}

func TestNumber(t *testing.T) {
	for raw, want := range map[string]uint64{`7`: 7, `7.0`: 7, `70e-1`: 7, `0.7e1`: 7, `0`: 0} {
		if got, ok := number([]byte(raw)); !ok || got != want {
			t.Errorf("%s: got %d, %v; want %d", raw, got, ok, want)
		}
	}
	for _, raw := range []string{``, `"7"`, `-1`, `1.5`, `1e300`, `null`, `NaN`, `Inf`, `0x1p3`} {
		if got, ok := number([]byte(raw)); ok && raw != `0x1p3` {
			t.Errorf("%s: got %d, want no number", raw, got)
		}
	}
}

func TestSplice(t *testing.T) {
	raw := []byte(`0123456789`)
	got := splice(raw, edit{span{7, 9}, []byte("B")}, edit{span{}, []byte("no")}, edit{span{2, 3}, []byte("AAA")})
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
		items, err := unbatch(legible(data))
		if err != nil {
			return
		}
		for _, item := range items {
			before := slices.Clone(item)
			m, err := readFrame(item)
			if !bytes.Equal(before, item) {
				t.Fatal("reading changed the bytes")
			}
			if err != nil {
				continue
			}
			if !json.Valid(item) {
				t.Fatalf("%q is a message and no JSON", item)
			}
			again, err := readFrame(oneLine(splice(item, edit{m.id, []byte("77")}, edit{m.metaToken, []byte("78")})))
			if err != nil || again.kind != m.kind || again.method != m.method || m.id.there() && string(again.bytes(again.id)) != "77" || m.metaToken.there() && string(again.bytes(again.metaToken)) != "78" {
				t.Fatalf("%q with another id: got %q, %v", item, again.raw, err)
			}
			back := splice(again.raw, edit{again.id, m.bytes(m.id)}, edit{again.metaToken, m.bytes(m.metaToken)})
			if !bytes.Equal(back, oneLine(item)) {
				t.Fatalf("%q came back as %q", item, back)
			}
		}
	})
}

// TestEventIDs wants a stream to be taken up again after the last id, and after
// none that would be no header.
func TestEventIDs(t *testing.T) {
	for _, c := range []struct{ name, stream, want string }{
		{"the last", "id: a\ndata: 1\n\nid: b\ndata: 2\n\n", "b"},
		{"kept", "id: a\ndata: 1\n\ndata: 2\n\n", "a"},
		{"a zero byte", "id: a\ndata: 1\n\nid: b\x00\ndata: 2\n\n", "a"},
		{"at most", "id: " + strings.Repeat("x", mostID) + "\ndata: 2\n\n", strings.Repeat("x", mostID)},
		{"too long", "id: a\nid: " + strings.Repeat("x", mostID+1) + "\ndata: 2\n\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, got := newEvents(strings.NewReader(c.stream), 2*mostID), "none"
			for e, err := s.next(); err == nil; e, err = s.next() {
				got = e.id
			}
			if got != c.want {
				t.Errorf("got %.20q of %d bytes, want %.20q of %d", got, len(got), c.want, len(c.want))
			}
		})
	}
}

func TestEvents(t *testing.T) {
	for _, c := range []struct{ name, stream, want string }{
		{"one", "data: a\n\n", "a|"},
		{"no space", "data:a\n\n", "a|"},
		{"two spaces", "data:  a\n\n", " a|"},
		{"lines", "data: a\ndata\ndata: b\n\n", "a\n\nb|"},
		{"line ends", "data: a\r\n\r\ndata: b\r\rdata: c\n\r\n", "a|b|c|"},
		{"comments", ": x\n\n:\ndata: a\n:y\n\n", "a|"},
		{"unknown fields", "dat: x\nfoo\ndata: a\n\n", "a|"},
		{"unfinished", "data: a\n\ndata: b\n", "a|"},
		{"no line end", "data: a\n\ndata: b", "a|"},
		{"byte order mark", "\uFEFFdata: a\n\n", "a|"},
		{"empty data", "data\n\ndata: b\n\n", "|b|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, got := newEvents(strings.NewReader(c.stream), 100), ""
			for {
				e, err := s.next()
				if err != nil {
					if !errors.Is(err, io.EOF) {
						t.Error(err)
					}
					break
				}
				got += string(e.data) + "|"
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	s := newEvents(strings.NewReader("id: 7\nretry: 30\nevent: x\ndata: a\n\nid: \x00\nretry: -1\ndata: b\n\n"), 100)
	one, _ := s.next()
	two, _ := s.next()
	if one.id != "7" || one.named != "x" || one.retry.Milliseconds() != 30 || two.id != "7" || two.named != "" || two.retry != one.retry {
		t.Errorf("fields: got %+v and %+v", one, two)
	}
	for _, long := range []string{"data: " + strings.Repeat("x", 200), strings.Repeat("data: 0123456789\n", 20)} {
		if _, err := newEvents(strings.NewReader(long+"\n\n"), 100).next(); !errors.Is(err, errTooLong) {
			t.Errorf("%.20q…: got %v, want that it is too long", long, err)
		}
	}
}

// FuzzEvents wants any stream to be read to its end, with no event above the
// limit, and its lines' ends not to matter.
func FuzzEvents(f *testing.F) {
	f.Add("data: a\n\n: b\nid: 1\ndata: c\ndata\n\n")
	f.Add("data: a\r\r\ndata\r\n\r\n")
	f.Fuzz(func(t *testing.T, stream string) {
		all := func(stream string) (out []string) {
			s := newEvents(strings.NewReader(stream), 64)
			for {
				e, err := s.next()
				if err != nil {
					return out
				}
				if len(e.data) > 64 {
					t.Fatalf("an event of %d bytes", len(e.data))
				}
				out = append(out, string(e.data))
			}
		}
		plain := strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n")
		if got, want := all(stream), all(plain); !slices.Equal(got, want) {
			t.Fatalf("%q: got %q, with line feeds alone %q", stream, got, want)
		}
	})
}

func BenchmarkReadFrame(b *testing.B) {
	raw := []byte(`{"jsonrpc":"2.0","id":12,"result":{"content":[{"type":"text","text":"` + strings.Repeat("hello ", 100) + `"}],"isError":false}}`)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readFrame(raw); err != nil {
			b.Fatal(err)
		}
	}
}
