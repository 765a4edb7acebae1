//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/mcptest"
)

// generation is the number of what is served now.
func (s served) generation(t testing.TB) uint64 {
	t.Helper()
	res, err := http.Get(strings.TrimSuffix(s.url, "/mcp") + "/api/generation") //nolint:noctx // loopback, and the program ends with the test
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var l struct{ Generation uint64 }
	if err := json.NewDecoder(res.Body).Decode(&l); err != nil {
		t.Fatal(err)
	}
	return l.Generation
}

// What one process disables, another refuses in its very next call, with the
// reason; its other tools go on.
func TestDisabledElsewhereIsRefusedInTheNextCall(t *testing.T) {
	t.Parallel()
	p := adoptable(t)
	p.must("trust", "--yes")
	s := p.serve()
	c := connect(t, s.url, nil)
	c.has("owner_good__echo", "owner_good__pid")
	c.answers("owner_good__pid", nil, "")
	for range 5 {
		p.must("disable", "owner:tool/good/pid", "--reason", "it tells too much")
		if got, err := c.ask("owner_good__pid", nil); err == nil || !strings.Contains(err.Error(), "it tells too much") {
			t.Fatalf("the call after mortise disable: got %q, %v, want a refusal with its reason", got, err)
		}
		c.answers("owner_good__echo", map[string]any{"text": "hello"}, "hello")
		p.must("enable", "owner:tool/good/pid")
		c.answers("owner_good__pid", nil, "")
	}
	p.must("disable", "owner", "--reason", "enough")
	if got, err := c.ask("owner_good__echo", map[string]any{"text": "hello"}); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("a call after its extension was disabled: got %q, %v, want a refusal with its reason", got, err)
	}
	if got := c.tools(); !slices.Equal(got, ours) {
		t.Errorf("tools/list: got %q, want %q", got, ours)
	}
	c.answers("mortise_status", nil, `"generation"`)
}

// generationIn is the number of the generation that a text speaks of.
func generationIn(t *testing.T, text string) (n uint64) {
	t.Helper()
	_, rest, _ := strings.Cut(text, "generation ")
	if _, err := fmt.Sscanf(rest, "%d,", &n); err != nil {
		t.Fatalf("%q speaks of no generation: %v", text, err)
	}
	return n
}

// Refreshing is done when the command ends, and what it says is so; a hangup
// does the same.
func TestRefreshFromOutside(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	s := p.serve()
	was := s.generation(t)
	out := p.must("refresh")
	read := generationIn(t, out)
	if now := s.generation(t); read <= was || read > now { // what is watched may have been read once more since
		t.Errorf("mortise refresh after generation %d: got %q, want one up to %d", was, out, now)
	}
	was = s.generation(t)
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "SIGHUP makes a generation", func() bool { return s.generation(t) > was })
	s.ends(t, syscall.SIGINT)
}

const skill = "---\nname: tidy\ndescription: %s\n---\nTidy up.\n"

// A skill that is edited is told of, and is new when it is listed again.
func TestAnEditedSkillReachesAClient(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": "", ".mortise/skills/tidy/SKILL.md": fmt.Sprintf(skill, "The first.")})
	p.must("trust", "--yes")
	s := p.serve()
	changed := make(chan struct{}, 100)
	c := connect(t, s.url, &mcp.ClientOptions{ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { changed <- struct{}{} }})
	described := func() string { return c.described("tidy") }
	if got := described(); !strings.Contains(got, "The first.") {
		t.Fatalf("resources/list: got %q, want the skill", got)
	}
	p.write(map[string]string{".mortise/skills/tidy/SKILL.md": fmt.Sprintf(skill, "The second.")})
	for !strings.Contains(described(), "The second.") { // there may be a notice too many, none too few
		select {
		case <-changed:
		case <-c.Done():
			t.Fatal("an edited skill: nobody told of it")
		}
	}
	s.ends(t, syscall.SIGINT)
}

// A client that deletes its session while a call is in flight is done at once,
// and the server hears that nobody waits any more.
func TestDeletedSessionCancelsAtTheServer(t *testing.T) {
	t.Parallel()
	p := adoptable(t)
	p.must("trust", "--yes")
	s := p.serve()
	connect(t, s.url, nil).has("owner_good__sleep")
	eventually(t, "the server is told", func() bool { // nobody tells when a call is there to be cancelled
		c := connect(t, s.url, nil)
		c.has("owner_good__sleep")
		ended := make(chan error, 1)
		go func() {
			_, err := c.CallTool(c.Context, &mcp.CallToolParams{Name: "owner_good__sleep", Arguments: map[string]any{"ms": 600000}})
			ended <- err
		}()
		c.answers("owner_good__echo", map[string]any{"text": "hello"}, "hello")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, s.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Mcp-Session-Id", c.ID())
		res, err := (&http.Client{Timeout: patience / 2}).Do(req)
		if err != nil {
			t.Fatalf("DELETE with a call in flight: %v", err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusNoContent {
			t.Fatalf("DELETE: got %s, want 204", res.Status)
		}
		if err := <-ended; err == nil {
			t.Fatal("the call was answered, want it given up")
		}
		return strings.Contains(p.must("server", "logs", "good"), "mcptest: cancelled ")
	})
	s.ends(t, syscall.SIGINT)
}

// Two hosts of one workspace, one over HTTP and one of a client: both hear of a
// change, and both are asked to look again.
func TestEveryHostIsRefreshed(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": one("good", mcptest.Normal)})
	p.must("trust", "--yes")
	s := p.serve()
	transport, run, _ := over(t, p.command(context.Background(), "serve", "--stdio"))
	c := join(t, transport, nil)
	c.has("owner_good__pid")
	if n := len(regexp.MustCompile(`(?m)^Process [0-9]+ read everything anew`).FindAllString(p.must("refresh"), -1)); n != 2 {
		t.Errorf("mortise refresh: %d hosts did, want 2", n)
	}
	p.must("disable", "owner:good", "--reason", "enough")
	if got, err := c.ask("owner_good__pid", nil); err == nil {
		t.Errorf("the host of the client: got %q, want a refusal", got)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if code, err := run.end(0); code != 0 || err != nil {
		t.Errorf("after its client: got exit code %d, %v, want 0", code, err)
	}
	s.ends(t, syscall.SIGINT)
}

// TRA-01: servers that refuse and that never answer cost themselves alone, and
// one that comes later is told of.
func TestField_TRA01_other_servers_are_listed_at_once(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	gate := filepath.Join(filepath.Dir(p.dir), "gate")
	nobody := httptest.NewServer(http.NotFoundHandler())
	nobody.Close()
	var all map[string]map[string]map[string]any
	if err := json.Unmarshal([]byte(servers(map[string]fixture{
		"good": {mode: mcptest.Normal}, "silent": {mode: mcptest.Hangs}, "late": {mcptest.Gated, map[string]string{mcptest.GateVar: gate}},
	})), &all); err != nil {
		t.Fatal(err)
	}
	all["mcpServers"]["gone"] = map[string]any{"type": "streamable-http", "url": nobody.URL}
	all["mcpServers"]["there"] = map[string]any{"type": "streamable-http", "url": mcptest.HTTP(t)}
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	p.write(map[string]string{".mortise/mcp.json": string(raw)})
	p.must("trust", "--yes")
	s := p.serve()
	changed := make(chan struct{}, 100)
	c := connect(t, s.url, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }})
	c.has("owner_good__echo", "owner_there__echo")
	c.answers("owner_there__echo", map[string]any{"text": "hello"}, "hello")
	eventually(t, "the one that refuses is said to", func() bool {
		return regexp.MustCompile(`(?m)^  owner:gone +(waiting|failed) `).MatchString(p.must("server", "list"))
	})
	lines(t, p.must("server", "list"), `  owner:silent +starting .*`, `  owner:late +starting .*`, `  owner:good +ready .*`, `  owner:there +ready .*`)
	write(t, gate, "")
	for !slices.Contains(c.tools(), "owner_late__echo") {
		select {
		case <-changed:
		case <-c.Done():
			t.Fatal("a server that joined late: nobody told of it")
		}
	}
	s.ends(t, syscall.SIGINT)
}
