package mcp

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mortise-dev/mortise/internal/rpc"
)

// TestFramesPass wants a frame to reach the server with nothing else than its id
// and its token changed, or, where a server of 2026-07-28 is spoken to by who
// says nothing of itself, with that added.
func TestFramesPass(t *testing.T) {
	const intro = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}`
	for _, c := range []struct {
		name           string
		modern, peer   bool
		sent, received string // 1 is the server's id
	}{
		{"older", false, false,
			`{"params":{"name":"t","n":1.0e0,"_meta":{"traceparent":"x","progressToken":"p"},"\u0061":"\u00e9"} , "id":"a","jsonrpc":"2.0","method":"tools/call","more":[ ]}`,
			`{"params":{"name":"t","n":1.0e0,"_meta":{"traceparent":"x","progressToken":1},"\u0061":"\u00e9"} , "id":1,"jsonrpc":"2.0","method":"tools/call","more":[ ]}`},
		{"modern", true, true,
			`{"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":7},"name":"t"},"id":"a","method":"tools/call"}`,
			`{"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":1},"name":"t"},"id":1,"method":"tools/call"}`},
		{"modern, without a word of itself", true, true,
			`{"id":2,"method":"tools/list"}`,
			`{"id":1,"method":"tools/list","params":{"_meta":{` + intro + `}}}`},
		{"bridged, with _meta", true, false,
			`{"id":2,"method":"tools/call","params":{"name":"t","_meta": {"k":1}}}`,
			`{"id":1,"method":"tools/call","params":{"name":"t","_meta": {` + intro + `,"k":1}}}`},
		{"bridged, with an empty one", true, false,
			`{"id":2,"method":"tools/call","params":{"name":"t","_meta":{ }}}`,
			`{"id":1,"method":"tools/call","params":{"name":"t","_meta":{` + intro + ` }}}`},
		{"bridged, without", true, false,
			`{"id":2,"method":"prompts/get","params":{"name":"t"}}`,
			`{"id":1,"method":"prompts/get","params":{"_meta":{` + intro + `},"name":"t"}}`},
		{"bridged, with nothing", true, false,
			`{"id":2,"method":"tools/list","params":{}}`,
			`{"id":1,"method":"tools/list","params":{"_meta":{` + intro + `}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &deck{fickle: fickle{conn: newConn(&journal{})}}
				w.conn.wire, w.conn.client = w, Client{"c", "1"}
				w.conn.modern.Store(c.modern)
				lane, err := w.conn.lane(&Peer{ID: "p", Capabilities: json.RawMessage(`{"elicitation":{}}`), Modern: c.peer})
				if err != nil {
					t.Fatal(err)
				}
				l := NewTalk(lane)
				defer l.Close()
				if err := l.Say(c.sent); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if got := string(w.sent[0].raw); got != c.received {
					t.Errorf("the server got\n%s\nwant\n%s", got, c.received)
				}
				if _, err := rpc.Read(w.sent[0].raw); err != nil {
					t.Errorf("the server got no message: %v", err)
				}
				const answer = `,"jsonrpc" : "2.0","result":{"n":1.0e0,"content":[{"type":"hologram"}],"twice":1,"twice":2}}`
				w.conn.take([]byte(`{"id":1`+answer), 0)
				got, err := l.Next(t.Context())
				if want := `{"id":2` + answer; err != nil || got != want && got != strings.Replace(want, "2", `"a"`, 1) {
					t.Errorf("the peer got %s, %v, want %s", got, err, want)
				}
			})
		})
	}
}

// TestHeaderValues wants text that no header can hold to be written in another
// way, and arguments to be found where a tool's marks say.
func TestHeaderValues(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "": "", " x": "=?base64?IHg=?=", "é": "=?base64?w6k=?=", "a\nb": "=?base64?YQpi?=", "=?base64?x?=": "=?base64?PT9iYXNlNjQ/eD89?=",
	} {
		if got := headerText(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	marks, err := marksOf([]byte(`{"name":"t","inputSchema":{"properties":{"a":{"type":"string","x-mcp-header":"A"},"o":{"type":"object","properties":{"b":{"type":"integer","x-mcp-header":"B"}}},"t":true}}}`))
	if err != nil || len(marks) != 2 {
		t.Fatalf("marks: got %v, %v, want two", marks, err)
	}
	for arguments, want := range map[string]string{
		`{"a":"x","o":{"b":7.0}}`: "x 7", `{"a":null,"o":{"b":1.5}}`: " ", `{"a":true,"o":[]}`: "true ", `{}`: " ", `{"o":{"b":9007199254740993}}`: " ",
	} {
		a, _ := marks[0].value([]byte(arguments))
		b, _ := marks[1].value([]byte(arguments))
		if got := a + " " + b; got != want {
			t.Errorf("%s: got %q, want %q", arguments, got, want)
		}
	}
	for _, bad := range []string{
		`"a":{"type":"object","x-mcp-header":"A"}`, `"a":{"type":"number","x-mcp-header":"A"}`, `"a":{"type":"string","x-mcp-header":"A b"}`, `"a":{"type":"string","x-mcp-header":7}`,
		`"a":{"type":"string","x-mcp-header":""}`, `"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}`,
	} {
		if got, err := marksOf([]byte(`{"inputSchema":{"properties":{` + bad + `}}}`)); err == nil {
			t.Errorf("%s: got %v, want that it is not valid", bad, got)
		}
	}
}

// TestMirror wants the headers of a plugin that look like the protocol's own not
// to be sent beside them.
func TestMirror(t *testing.T) {
	c := newConn(&journal{})
	h := http.Header{"Mcp-Param-Region": {"mine"}, "Mcp-Name": {"mine"}}
	c.mirror(h, &letter{frame: rpc.Compose([]byte("1"), "tools/list", nil)})
	if len(h["Mcp-Param-Region"]) > 0 || h.Get("Mcp-Method") != "tools/list" {
		t.Errorf("got %v, want the protocol's own alone", h)
	}
}
