package mcp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

// TestDescriptionKeepsBytes wants each part of a description to be the bytes
// that the server sent.
func TestDescriptionKeepsBytes(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	d, raw := b.describe(s)
	for _, want := range []string{
		oddTool, `"protocolVersion":"2025-06-18"`, `"instructions":"Ask \u0041 me."`,
		`"capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{}}`,
	} {
		if !strings.Contains(raw, want) {
			t.Errorf("description: got %s, want %s in it", raw, want)
		}
	}
	if len(d.Resources) != 1 || len(d.Prompts) != 1 || d.ResourceTemplates != nil {
		t.Errorf("description: got %d resources, %d prompts, want one each and no templates", len(d.Resources), len(d.Prompts))
	}
	notes := strings.Join(d.Notes, "\n")
	if len(d.Notes) != 2 || !strings.Contains(notes, "1 entries with a uri") || !strings.Contains(notes, "has no resources/templates/list") {
		t.Errorf("notes: got %q, want one on the resource that came twice and one on the templates", d.Notes)
	}
	st := b.until(s.Name, "ready", state(mcp.Ready))
	if st.Tools != 1 || st.Prompts != 1 || st.Resources != 1 || st.Pid == 0 || st.Starts != 1 || st.Error != "" {
		t.Errorf("status: got %+v, want what was described, and a process", st)
	}
}

// TestCallKeepsBytes wants arguments and results to pass byte for byte.
func TestCallKeepsBytes(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	const arg = `{"n":1.0e+2, "big":12345678901234567890.10,"x":{"b":1,"a":null},"half":"\ud800"}`
	if got, want := b.must(s, "echo", arg), `{"content":[],"got":`+arg+`}`; got != want {
		t.Errorf("echo: got %s, want %s", got, want)
	}
	if got, want := b.must(s, "echo", "{\n \"a\":\r\n 1}"), `{"content":[],"got":{  "a":   1}}`; got != want {
		t.Errorf("echo of several lines: got %q, want %q", got, want)
	}
	const odd = `{"content":[{"type":"hologram","depth":1.0e+2}], "n":12345678901234567890.10, "half":"\ud800","twice":1,"twice":2, "isError" : false}`
	if got := b.must(s, "odd", ""); got != odd {
		t.Errorf("odd: got %s, want %s", got, odd)
	}
	if got := b.must(s, "broken-text", ""); got != `{"content":"caf`+"\uFFFD"+`"}` {
		t.Errorf("a result that is no UTF-8: got %q, want the broken byte replaced", got)
	}
	for _, bad := range []string{`[]`, `{`, `1`, `{} {}`} {
		if got, err := b.call(s, "echo", bad); err == nil {
			t.Errorf("call with %s: got %s, want an error", bad, got)
		}
	}
}

// TestServerError wants an error of the server to arrive as it was sent, and
// its text to be safe to print.
func TestServerError(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	_, err := b.call(s, "fault", "")
	var e *mcp.Error
	if !errors.As(err, &e) || string(e.JSON) != `{"code":-32050,"message":"no\nway","data":{"n":1.0}}` {
		t.Fatalf("fault: got %v, want the server's error with every byte", err)
	}
	if !strings.Contains(err.Error(), `no\nway (-32050)`) {
		t.Errorf("fault: got %q, want its message escaped and its code", err)
	}
}

// TestServerAsks wants a ping to be answered and all else to be turned down.
func TestServerAsks(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	got := b.must(s, "ask", "")
	if !strings.Contains(got, `"id":"p","result":{}`) || !strings.Contains(got, `-32601`) || !strings.Contains(got, `"id":7`) {
		t.Errorf("what the server was answered: got %s, want an empty result for p and -32601 for 7", got)
	}
}

// TestRepeatedKeys wants a message whose id comes twice to be noise.
func TestRepeatedKeys(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	if got := b.must(s, "repeat", ""); got != `{"content":[]}` {
		t.Errorf("repeat: got %s, want the answer with one id", got)
	}
	if st := b.until(s.Name, "ready", state(mcp.Ready)); st.Noise != 1 {
		t.Errorf("noise: got %d lines, want 1", st.Noise)
	}
}

// TestBatch wants the batches of older servers to be taken apart.
func TestBatch(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "batch")
	b.Run([]mcp.Target{s})
	if got := b.must(s, "echo", `{"a":1}`); got != `{"content":[],"got":{"a":1}}` {
		t.Errorf("echo: got %s", got)
	}
}

// TestListChanged wants a server that says so to be asked again, and who cares
// to hear of it when the lists did change.
func TestListChanged(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	b.must(s, "grow", "")
	b.until(s.Name, "two tools", func(st mcp.Status) bool { return st.Tools == 2 })
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.joined) != 2 || !strings.Contains(string(b.joined[1].JSON), `{"name":"new0"}`) {
		t.Errorf("joined: got %d descriptions, want two, the second with the new tool", len(b.joined))
	}
}

// TestToolsFail wants a server whose tools cannot be listed to be ready, with
// the reason as its last error.
func TestToolsFail(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "toolless")
	b.Run([]mcp.Target{s})
	st := b.until(s.Name, "ready", state(mcp.Ready))
	if !strings.Contains(st.Error, "list its tools: disk is full") || st.Prompts != 1 {
		t.Errorf("status: got %+v, want the reason and the prompt", st)
	}
}

// TestUnknownRevision wants a server that speaks something else to be told so.
func TestUnknownRevision(t *testing.T) {
	b, s := newBench(t, func(o *mcp.Options) { o.Tries = 1 }), fixtureTarget(t, "future")
	b.Run([]mcp.Target{s})
	st := b.until(s.Name, "failed", state(mcp.Failed))
	if !strings.Contains(st.Error, `"2031-01-01"`) || !strings.Contains(st.Error, "2025-11-25") {
		t.Errorf("error: got %q, want its revision and ours", st.Error)
	}
}
