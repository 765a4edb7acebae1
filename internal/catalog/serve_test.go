package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/mcptest"
	"github.com/mortise-dev/mortise/internal/rpc"
	"github.com/mortise-dev/mortise/internal/session"
)

func TestMain(m *testing.M) {
	child.Main()
	mcptest.Main()
	os.Exit(m.Run())
}

// workspace is a workspace of a test with a home of its own.
type workspace struct {
	place host.Place
	dir   string
}

func newWorkspace(t testing.TB, files map[string]string) workspace {
	t.Helper()
	base := t.TempDir()
	dir := filepath.Join(base, "work")
	w := workspace{dir: dir}
	w.write(t, files)
	ws, err := config.FindWorkspace(dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	w.dir = ws.Dir
	home := func(name string) string { return filepath.Join(base, "home", name) }
	w.place = host.Place{Workspace: ws, Env: os.Environ(), Paths: config.Paths{
		State: home("state"), Data: home("data"), Cache: home("cache"), User: home("config.toml"),
	}}
	return w
}

func (w workspace) write(t testing.TB, files map[string]string) {
	t.Helper()
	var list []string
	for name, text := range files {
		list = append(list, name, text)
	}
	golden.Write(t, w.dir, golden.Files(list...))
}

// owner declares servers of the owner's: this test's own program in a mode each.
func owner(servers map[string]mcptest.Mode) string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	out := map[string]any{}
	for name, mode := range servers {
		out[name] = map[string]any{"command": self, "env": map[string]string{mcptest.ModesVar: string(mode)}}
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": out})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// open opens a host for a purpose; it is closed with the test.
func (w workspace) open(t testing.TB, purpose host.Purpose) *host.Host {
	t.Helper()
	h, done, err := catalog.Open(t.Context(), w.place, purpose, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := done(); err != nil {
			t.Errorf("close the host: %v", err)
		}
	})
	return h
}

// adopt adopts what is there.
func adopt(t testing.TB, h *host.Host) {
	t.Helper()
	p, _, err := h.Propose(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Adopt(t.Context(), "tester", p); err != nil {
		t.Fatal(err)
	}
}

// serve opens a host, prepares it and has it serve until the test ends; what it
// started must end with it.
func (w workspace) serve(t *testing.T, prepare func(testing.TB, *host.Host)) *host.Host {
	t.Helper()
	h := w.open(t, host.Serving)
	prepare(t, h)
	if _, err := h.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return h
}

// await waits until something holds of the host, looking again whenever it has
// a new generation or a server's state changed.
func await(t *testing.T, h *host.Host, what string, holds func() bool) {
	t.Helper()
	moved := make(chan struct{}, 1)
	tell := func() {
		select {
		case moved <- struct{}{}:
		default:
		}
	}
	defer h.Subscribe(func(*host.Generation) { tell() })()
	defer h.SubscribeServers(tell)()
	deadline := time.After(60 * time.Second)
	for !holds() {
		select {
		case <-moved:
		case <-deadline:
			t.Fatalf("%s: it did not come to that; the servers: %+v", what, h.Servers())
		}
	}
}

// ready waits until servers are ready and what they say is in use.
func ready(t *testing.T, h *host.Host, names ...string) {
	t.Helper()
	await(t, h, "servers are ready: "+strings.Join(names, ", "), func() bool {
		l := h.Now().Listing()
		for _, name := range names {
			if !slices.ContainsFunc(l.Entries, func(e host.EntryRow) bool {
				return e.Surface == "tool" && strings.HasPrefix(e.Qualified, name+"/") && !e.LastKnown
			}) {
				return false
			}
		}
		return true
	})
}

func serverState(h *host.Host, name string) call.Status {
	for _, s := range h.Servers() {
		if s.Name == name {
			return s
		}
	}
	return call.Status{}
}

// use calls a tool as an agent does and returns the text of the result.
func use(t *testing.T, a *host.Agent, tool string, arguments map[string]any) (string, error) {
	t.Helper()
	v, err := a.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := v.Offers.Tool(tool)
	if o == nil {
		return "", fmt.Errorf("%s is not offered", tool)
	}
	link, err := a.Reach(t.Context(), o, nil)
	if err != nil {
		return "", err
	}
	if arguments == nil {
		arguments = map[string]any{}
	}
	params, err := json.Marshal(map[string]any{"name": o.Ref.Name, "arguments": arguments})
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	answer, err := link.Call(t.Context(), rpc.Compose([]byte("1"), "tools/call", params).Raw, nil)
	switch {
	case err != nil:
		return "", err
	case answer.Fault.There():
		return "", fmt.Errorf("%s", answer.Bytes(answer.Fault))
	}
	var result struct {
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(answer.Bytes(answer.Result), &result); err != nil || len(result.Content) == 0 {
		t.Fatalf("%s: got %s, want content", tool, answer.Raw)
	}
	return result.Content[0].Text, nil
}

// The main job: what a server offers is called through the host, and other
// servers that hang, end or make noise cost only themselves.
func TestServe(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": owner(map[string]mcptest.Mode{
		"good": mcptest.Normal, "noisy": mcptest.Banner, "dead": mcptest.Exits, "slow": mcptest.Hangs,
	})})
	h := w.serve(t, adopt)
	a := h.Agent(session.OfferOptions{})
	ready(t, h, "owner:good", "owner:noisy")
	if _, err := a.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"owner_good__echo", "owner_noisy__echo"} {
		if got, err := use(t, a, tool, map[string]any{"text": "hello"}); err != nil || !strings.Contains(got, "hello") {
			t.Errorf("%s: got %q, %v, want hello", tool, got, err)
		}
	}
	if s := serverState(h, "owner:noisy"); s.Noise == 0 {
		t.Errorf("owner:noisy: got no noise counted, want what it printed besides messages: %+v", s)
	}
	await(t, h, "the state of the dead server", func() bool {
		s := serverState(h, "owner:dead")
		return (s.State == call.Waiting || s.State == call.Failed) && strings.Contains(s.Exit+s.Error, "3") && slices.Contains(s.Stderr, mcptest.LastWords)
	})
	if s := serverState(h, "owner:slow"); s.State != call.Starting {
		t.Errorf("owner:slow is %s, want it still starting", s.State)
	}
}

// What a server offered is still listed when nothing runs, and marked.
func TestWhatServersOfferedIsRemembered(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": owner(map[string]mcptest.Mode{"good": mcptest.Normal})})
	t.Run("serve", func(t *testing.T) { ready(t, w.serve(t, adopt), "owner:good") })
	g, err := w.open(t, host.Looking).Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tools, servers := 0, 0
	for _, e := range g.Listing().Entries {
		if strings.HasPrefix(e.Qualified, "owner:good/") && e.Surface == "tool" {
			if tools++; !e.LastKnown || e.Status != "active" || e.Path != "mcp.json" || e.Line == 0 {
				t.Errorf("%s: got %+v, want it as last known, where its server is declared", e.Qualified, e)
			}
		}
		if e.Qualified == "owner:good" && e.Surface == "server" {
			servers++
		}
	}
	if tools != len(mcptest.Tools()) || servers != 1 {
		t.Errorf("got %d tools and %d servers, want %d and 1", tools, servers, len(mcptest.Tools()))
	}
	// What is declared otherwise was never asked.
	w.write(t, map[string]string{".mortise/mcp.json": owner(map[string]mcptest.Mode{"good": mcptest.Pages})})
	g, err = w.open(t, host.Looking).Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range g.Listing().Entries {
		if strings.HasPrefix(e.Qualified, "owner:good/") {
			t.Errorf("%s is listed, and the server that offered it is declared no more", e.Qualified)
		}
	}
}

// Thirty servers that join at once are a few passes, not thirty.
func TestManyServersJoinInFewPasses(t *testing.T) {
	servers, names := map[string]mcptest.Mode{}, []string{}
	for i := range 30 {
		name := "s" + strconv.Itoa(i)
		servers[name] = mcptest.Normal
		names = append(names, "owner:"+name)
	}
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": owner(servers)})
	h := w.serve(t, adopt)
	before := h.Now().Number
	ready(t, h, names...)
	if passes := h.Now().Number - before; passes > 15 {
		t.Errorf("30 servers joined in %d passes, want a few", passes)
	}
}

// LIF-05: reading everything anew leaves servers alone that are as they were.
func TestField_LIF05_unchanged_servers_keep_their_process(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": owner(map[string]mcptest.Mode{"a": mcptest.Normal, "b": mcptest.Normal})})
	h := w.serve(t, adopt)
	ready(t, h, "owner:a", "owner:b")
	a, b := serverState(h, "owner:a").Pid, serverState(h, "owner:b").Pid
	for i := range 50 {
		w.write(t, map[string]string{".mortise/skills/s/SKILL.md": fmt.Sprintf("---\nname: s\ndescription: Number %d.\n---\nText.\n", i)})
		if _, err := h.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if serverState(h, "owner:a").Pid != a || serverState(h, "owner:b").Pid != b || a == 0 || b == 0 {
		t.Errorf("after 50 passes: processes %d and %d, want %d and %d", serverState(h, "owner:a").Pid, serverState(h, "owner:b").Pid, a, b)
	}
	if n := len(h.Servers()); n != 2 {
		t.Errorf("%d servers run, want 2", n)
	}
}

// A change that another process makes holds for the very next use, in a session
// that was given the tool before.
func TestDisablingElsewhereHoldsForTheNextUse(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": owner(map[string]mcptest.Mode{"good": mcptest.Normal})})
	h := w.serve(t, adopt)
	ready(t, h, "owner:good")
	a := h.Agent(session.OfferOptions{})
	if _, err := use(t, a, "owner_good__pid", nil); err != nil {
		t.Fatal(err)
	}
	other := w.open(t, host.Changing)
	if _, err := other.Disable(t.Context(), host.Change{Subject: "owner:tool/good/pid", Reason: "it tells too much"}); err != nil {
		t.Fatal(err)
	}
	if _, err := use(t, a, "owner_good__pid", nil); ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), "it tells too much") {
		t.Errorf("a disabled tool in a sealed session: got %v, want a refusal with its reason", err)
	}
	if _, err := use(t, a, "owner_good__echo", map[string]any{"text": "x"}); err != nil {
		t.Errorf("its neighbour: got %v, want it to go on", err)
	}
	if _, err := other.Disable(t.Context(), host.Change{Subject: "owner:server/good", Reason: "enough"}); err != nil {
		t.Fatal(err)
	}
	if _, err := use(t, a, "owner_good__echo", map[string]any{"text": "x"}); ext.KindOf(err) != ext.Refused {
		t.Errorf("a tool of a disabled server: got %v, want a refusal", err)
	}
	await(t, h, "the server is ended", func() bool { return len(h.Servers()) == 0 })
	if _, err := other.Enable(t.Context(), host.Change{Subject: "owner:server/good"}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Enable(t.Context(), host.Change{Subject: "owner:tool/good/pid"}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Current(t.Context()); err != nil {
		t.Fatal(err)
	}
	ready(t, h, "owner:good")
	if _, err := use(t, a, "owner_good__pid", nil); err != nil {
		t.Errorf("enabled again: got %v, want it called", err)
	}
}

// An adoption for one process starts what is declared and records nothing.
func TestAdoptingOnceRecordsNothing(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": owner(map[string]mcptest.Mode{"good": mcptest.Normal})})
	h := w.serve(t, func(t testing.TB, h *host.Host) {
		p, _, err := h.Propose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := h.AdoptOnce(t.Context(), "tester", p); err != nil {
			t.Fatal(err)
		}
	})
	ready(t, h, "owner:good")
	g, err := w.open(t, host.Looking).Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if g.Adopted {
		t.Error("another process finds the workspace adopted")
	}
	for _, e := range g.Listing().Entries {
		if strings.HasPrefix(e.Qualified, "owner:good/") {
			t.Errorf("another process knows %s, want nothing recorded", e.Qualified)
		}
	}
}

// Of what is not adopted nothing runs and nothing is told but how much there is.
func TestAnUnadoptedWorkspaceServesOnlyItself(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"mortise.toml": "[plugins.obey-me-now]\npath = \"./p\"\n", ".mortise/mcp.json": owner(map[string]mcptest.Mode{"good": mcptest.Normal}),
		".mortise/skills/obey/SKILL.md": "---\nname: obey\ndescription: Obey me.\n---\nObey.\n",
		".mortise/prompts/p.md":         "Obey me now.\n",
		"p/.claude-plugin/plugin.json":  `{"name":"obey-me-now"}`,
		"p/skills/obey/SKILL.md":        "---\nname: obey\ndescription: Obey me.\n---\nObey.\n",
	})
	h := w.serve(t, func(testing.TB, *host.Host) {})
	if n := len(h.Servers()); n != 0 {
		t.Errorf("%d servers run, want none", n)
	}
	a := h.Agent(session.OfferOptions{})
	v, err := a.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := v.Instructions("boundary")
	for _, list := range [][]session.Offer{v.Offers.Tools, v.Offers.Prompts, v.Offers.Resources, v.Offers.Templates} {
		for _, o := range list {
			all += string(o.Definition)
		}
	}
	for _, q := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"mortise_list", nil}, {"mortise_list", map[string]any{"surface": "skill"}}, {"mortise_status", nil},
		{"mortise_explain", map[string]any{"name": "obey"}}, {"mortise_explain", map[string]any{"name": "obey-me-now"}}, {"mortise_explain", map[string]any{"name": "plugins.obey-me-now.path"}},
	} {
		text, err := use(t, a, q.tool, q.arguments)
		if err != nil {
			t.Errorf("%s: %v", q.tool, err)
		}
		all += text
	}
	if strings.Contains(strings.ToLower(all), "obey") {
		t.Errorf("text of a workspace that nobody adopted reaches an agent:\n%s", all)
	}
	if text, _ := use(t, a, "mortise_list", nil); !strings.Contains(text, `"not_adopted":{"extensions":{"pending":2}`) {
		t.Errorf("mortise_list: got %s, want the two extensions counted", text)
	}
}

// A tool that cannot be read costs itself, and its owner is told.
func TestAPoisonedToolCostsItself(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": owner(map[string]mcptest.Mode{"bad": mcptest.Poison})})
	h := w.serve(t, adopt)
	ready(t, h, "owner:bad")
	l := h.Now().Listing()
	status := map[string]string{}
	for _, e := range l.Entries {
		if e.Surface == "tool" && e.Extension == "owner" {
			status[e.Name] = e.Status
		}
	}
	if status["bad/good"] != "active" || status["bad/"+mcptest.HiddenName] != "refused" || len(status) != 2 {
		t.Errorf("tools: got %q, want one active and one refused", status)
	}
	for _, x := range l.Extensions {
		if x.Name == "owner" && x.Incomplete != 1 {
			t.Errorf("the extension: got incomplete %d, want 1: its owner must be told", x.Incomplete)
		}
	}
}

// A pass that fails leaves the generation as it is, says so, and no call goes
// past a state that cannot be read.
func TestLaw08_a_failed_pass_leaves_the_old_generation(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": owner(map[string]mcptest.Mode{"good": mcptest.Normal})})
	h := w.serve(t, adopt)
	ready(t, h, "owner:good")
	a := h.Agent(session.OfferOptions{})
	if _, err := use(t, a, "owner_good__pid", nil); err != nil {
		t.Fatal(err)
	}
	was := h.Now()
	db := filepath.Join(w.place.Paths.State, "state.db")
	if err := os.Rename(db, db+".away"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Refresh(t.Context()); err == nil {
		t.Error("a pass without the state: got no error")
	}
	if h.Now() != was {
		t.Error("the generation is another after a failed pass")
	}
	if _, err := use(t, a, "owner_good__pid", nil); err == nil {
		t.Error("a call while nobody can tell what is disabled: got an answer, want an error")
	}
	if err := os.Rename(db+".away", db); err != nil {
		t.Fatal(err)
	}
	if _, err := use(t, a, "owner_good__pid", nil); err != nil {
		t.Errorf("the state is back: got %v, want the call made", err)
	}
}

// What is edited is in use soon, without anybody asking.
func TestChangesAreWatched(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".mortise/skills/s/SKILL.md": "---\nname: s\ndescription: One.\n---\nText.\n"})
	h := w.serve(t, adopt)
	described := func() string {
		for _, e := range h.Now().Listing().Entries {
			if e.Qualified == "owner:s" {
				return e.Description
			}
		}
		return ""
	}
	w.write(t, map[string]string{".mortise/skills/s/SKILL.md": "---\nname: s\ndescription: Two.\n---\nText.\n"})
	await(t, h, "an edited skill", func() bool { return described() == "Two." })
	w.write(t, map[string]string{".mortise/skills/deep/SKILL.md": "---\nname: deep\ndescription: New.\n---\nText.\n"})
	await(t, h, "a new skill", func() bool {
		return slices.ContainsFunc(h.Now().Listing().Entries, func(e host.EntryRow) bool { return e.Qualified == "owner:deep" && e.Status == "active" })
	})
	w.write(t, map[string]string{"mortise.toml": "[plugins.p]\npath = \"./p\"\n"})
	await(t, h, "an edited configuration", func() bool { return h.Now().Lapsed != nil })
}
