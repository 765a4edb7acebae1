//go:build linux && amd64

package interop

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

// The revisions that are asked for: the last one with a handshake, and the one
// without.
const legacy, modern = "2025-11-25", "2026-07-28"

// fields are the members of an object.
type fields = map[string]any

// answer is a result or an error, as it came.
type answer struct{ Result, Error json.RawMessage }

// peer is who answers: a server over pipes, or Mortise over HTTP.
type peer interface {
	// ask sends a request and waits for its answer.
	ask(t *testing.T, method string, params fields) answer
}

// request is a request of a revision.
func request(revision string, id int, method string, params fields) []byte {
	params = maps.Clone(params)
	if params == nil {
		params = fields{}
	}
	if revision == modern {
		params["_meta"] = fields{
			"io.modelcontextprotocol/protocolVersion":    modern,
			"io.modelcontextprotocol/clientCapabilities": fields{},
			"io.modelcontextprotocol/clientInfo":         fields{"name": "interop", "version": "1"},
		}
	}
	raw, err := json.Marshal(fields{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		panic(err) // texts and numbers
	}
	return raw
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

var handshake = fields{"protocolVersion": legacy, "capabilities": fields{}, "clientInfo": fields{"name": "interop", "version": "1"}}

// all lists all pages.
func all(t *testing.T, p peer, method, key string) ([]json.RawMessage, error) {
	t.Helper()
	var list []json.RawMessage
	for params := (fields{}); ; {
		a := p.ask(t, method, params)
		if a.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, a.Error)
		}
		var page map[string]json.RawMessage
		var some []json.RawMessage
		var next string
		decode(t, a.Result, &page)
		decode(t, page[key], &some)
		if list = append(list, some...); page["nextCursor"] == nil {
			return list, nil
		}
		decode(t, page["nextCursor"], &next)
		params["cursor"] = next
	}
}

// must is all of a peer that has the method.
func must(t *testing.T, p peer, method, key string) []json.RawMessage {
	t.Helper()
	list, err := all(t, p, method, key)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func decode(t *testing.T, raw json.RawMessage, v any) {
	t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%v: %.300s", err, raw)
	}
}

// piped is a server that was started and is spoken to over its pipes.
type piped struct {
	in       io.Writer
	out      *bufio.Reader
	last     int
	revision string // that it speaks
}

// direct starts a server as Mortise does, until the test ends, and finds out what
// it speaks.
func (s server) direct(t *testing.T) *piped {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	argv := s.argv()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = s.home, []string{"PATH=" + s.path}
	for name, value := range s.environment() {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = cmd.Wait() }) // several do not end by themselves
	p := &piped{in: in, out: bufio.NewReader(out), revision: modern}
	if p.ask(t, "server/discover", nil).Error == nil {
		return p
	}
	p.revision = legacy
	var said struct{ ProtocolVersion string }
	decode(t, p.ask(t, "initialize", handshake).Result, &said)
	p.revision = said.ProtocolVersion
	p.send(t, []byte(initialized))
	return p
}

func (p *piped) send(t *testing.T, raw []byte) {
	t.Helper()
	if _, err := p.in.Write(append(raw, '\n')); err != nil {
		t.Fatal(err)
	}
}

func (p *piped) ask(t *testing.T, method string, params fields) answer {
	t.Helper()
	p.last++
	p.send(t, request(p.revision, p.last, method, params))
	for {
		line, err := p.out.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%s: %v, want an answer", method, err)
		}
		if a, ok := answerIn(line, p.last); ok {
			return a
		}
	}
}

// answerIn is the answer to a request among messages, and whatever else is there.
func answerIn(body []byte, id int) (a answer, ok bool) {
	messages, _ := rig.Messages(body) // some servers write what is no message
	for _, m := range messages {
		if m.Method == "" && string(m.ID) == strconv.Itoa(id) {
			return answer{m.Result, m.Error}, true
		}
	}
	return a, false
}

// web is a client of Mortise.
type web struct {
	url, revision, session string
	last                   int
}

// peer is a client of a revision.
func (s served) peer(t *testing.T, revision string) *web {
	t.Helper()
	w := &web{url: s.url, revision: revision}
	if revision == modern {
		return w
	}
	if a := w.ask(t, "initialize", handshake); a.Error != nil {
		t.Fatalf("initialize: %s", a.Error)
	}
	w.post(t, []byte(initialized), nil)
	return w
}

func (w *web) ask(t *testing.T, method string, params fields) answer {
	t.Helper()
	header := map[string]string{}
	if w.revision == modern {
		header["Mcp-Method"] = method
		for _, key := range []string{"name", "uri"} {
			if name, ok := params[key].(string); ok {
				header["Mcp-Name"] = name
			}
		}
	}
	w.last++
	body := w.post(t, request(w.revision, w.last, method, params), header)
	a, ok := answerIn(body, w.last)
	if !ok {
		t.Fatalf("%s: got %.500s, want an answer", method, body)
	}
	return a
}

func (w *web) post(t *testing.T, body []byte, header map[string]string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", w.revision)
	if w.session != "" {
		req.Header.Set("Mcp-Session-Id", w.session)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		w.session = id
	}
	return raw
}

// text is a JSON text in quotes.
func text(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a text
	}
	return strings.TrimSpace(b.String())
}
