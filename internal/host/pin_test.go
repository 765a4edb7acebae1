package host_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/memstore"
)

// pinning is a workspace with a server of the owner's and one of a plugin's, a store,
// and what keeps definitions.
type pinning struct {
	*testing.T
	dir   string
	store *stubborn
	keep  host.Keep
}

// stubborn is a store that refuses to be written while it is told to.
type stubborn struct {
	*memstore.Store
	refuses bool
}

func (s *stubborn) Update(ctx context.Context, change func(*state.Snapshot) error) error {
	if s.refuses {
		return errors.New("the disk is full")
	}
	return s.Store.Update(ctx, change)
}

func newPinning(t *testing.T, files map[string]string) pinning {
	t.Helper()
	p := pinning{t, t.TempDir(), &stubborn{Store: memstore.New()}, host.KeepLooselyIn(t.TempDir())}
	const declared = `{"mcpServers": {"search": {"command": "s"}}}`
	write(t, p.dir, map[string]string{"mortise.toml": "plugins.acme.path = \"./acme\"\n", ".mortise/mcp.json": declared, "acme/mcp.json": declared})
	write(t, p.dir, files)
	return p
}

// host makes a host that serves, or one that does not.
func (p pinning) host(serves bool) *host.Host {
	p.Helper()
	ws, err := config.FindWorkspace(p.dir, "")
	if err != nil {
		p.Fatal(err)
	}
	o := optionsOf(host.Place{Workspace: ws}, p.store, nil, false)
	o.Definitions = p.keep
	if serves {
		o.Serve = func(host.Hooks) host.Servers { return nil }
	}
	return host.New(o)
}

// say has the servers describe themselves, as if they had run.
func (p pinning) say(content string) {
	p.Helper()
	h := p.host(false)
	g := refresh(p.T, h)
	s := g.Session(true)
	for _, e := range s.Servers {
		d := state.Description{
			Workspace: g.Config.Workspace().ID, Extension: e.Extension, Server: e.Name, Declaration: e.Digest, Content: content,
			At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		}
		if err := p.store.Store.Update(context.Background(), func(s *state.Snapshot) error { s.Put(d); return nil }); err != nil {
			p.Fatal(err)
		}
	}
}

// pins counts those that are written of an extension.
func (p pinning) pins(x ext.Name) int {
	p.Helper()
	snap, err := p.store.Load(context.Background())
	if err != nil {
		p.Fatal(err)
	}
	n := 0
	for _, r := range snap.Pins {
		if r.Extension == x {
			n++
		}
	}
	return n
}

// wants wants the tool find of the owner's server and of the plugin's to be so.
func (p pinning) wants(when string, g *host.Generation, owner, acme string) {
	p.Helper()
	l := g.Listing()
	if o, a := status(l, "owner:search/find"), status(l, "acme:search/find"); o != owner || a != acme {
		p.Errorf("%s: got the owner's %s and the plugin's %s, want %s and %s", when, o, a, owner, acme)
	}
}

const (
	findOnce  = `{"tools": [{"name": "find", "description": "Finds.", "inputSchema": {"type": "object"}}]}`
	findTwice = `{"tools": [{"name": "find", "description": "Finds, and tells.", "inputSchema": {"type": "object"}}]}`
)

// What a server of the owner's says first counts as approved, in every later run and
// process, and what it says later does not; what a plugin's server says waits.
func TestFirstDescriptionsArePinned(t *testing.T) {
	p := newPinning(t, nil)
	adopt(t, p.host(false))
	p.say(findOnce)
	p.wants("looked at", refresh(t, p.host(false)), "active", "pending")
	if n := p.pins("owner"); n != 0 {
		t.Errorf("a host that serves nothing wrote %d pins, want none", n)
	}
	h := p.host(true)
	p.wants("served", refresh(t, h), "active", "pending")
	if o, a := p.pins("owner"), p.pins("acme"); o != 2 || a != 0 {
		t.Errorf("got %d and %d pins, want those of the server and its tool, and none", o, a)
	}
	p.say(findTwice)
	p.wants("changed", refresh(t, h), "pending", "pending")
	p.wants("changed, in another process", refresh(t, p.host(true)), "pending", "pending")
	p.say(`{"tools": []}`)
	refresh(t, h)
	p.say(findOnce)
	p.wants("as it was", refresh(t, h), "active", "pending")
}

// A server that offers nothing at first, and something later, is asked about.
func TestAnEmptyFirstDescriptionIsOne(t *testing.T) {
	p := newPinning(t, nil)
	adopt(t, p.host(false))
	p.say(`{}`)
	h := p.host(true)
	refresh(t, h)
	p.say(findOnce)
	p.wants("a tool that came later", refresh(t, h), "pending", "pending")
}

// Any file of a workspace may have its person asked, and none takes that back.
func TestAskingForEveryDefinition(t *testing.T) {
	p := newPinning(t, map[string]string{
		"mortise.toml": "plugins.acme.path = \"./acme\"\ntrust.tools = \"ask\"\n", "mortise.local.toml": "trust.tools = \"first\"\n",
	})
	adopt(t, p.host(false))
	p.say(findOnce)
	g := refresh(t, p.host(true))
	p.wants("asked for", g, "pending", "pending")
	if n := p.pins("owner"); n != 0 || !strings.Contains(strings.Join(codes(g.Listing()), " "), "definition-unapproved") {
		t.Errorf("got %d pins and the findings %q, want none written, and told what waits", n, codes(g.Listing()))
	}
}

// What cannot be written down counts all the same in the host that saw it, so that a
// full disk is no way to have a change pass for a first description.
func TestFirstDescriptionsHoldWithoutADisk(t *testing.T) {
	p := newPinning(t, nil)
	adopt(t, p.host(false))
	p.say(findOnce)
	h := p.host(true)
	p.store.refuses = true
	p.wants("first", refresh(t, h), "active", "pending")
	if err := h.Fault(); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("got the fault %v, want that it could not be written", err)
	}
	p.say(findTwice)
	p.wants("changed", refresh(t, h), "pending", "pending")
	p.store.refuses = false
	p.wants("changed, and written", refresh(t, h), "pending", "pending")
	if n := p.pins("owner"); n != 2 || h.Fault() != nil {
		t.Errorf("got %d pins and the fault %v, want what was held written", n, h.Fault())
	}
	p.say(findOnce)
	p.wants("as it was, in another process", refresh(t, p.host(true)), "active", "pending")
}

// Who adopts a workspace for one process consents to what its servers offer first,
// plugins' too, and nothing of it is written.
func TestAdoptingOnceApprovesWhatIsOfferedFirst(t *testing.T) {
	p := newPinning(t, nil)
	h := p.host(true)
	if err := h.AdoptOnce(context.Background(), "tester", propose(t, h)); err != nil {
		t.Fatal(err)
	}
	refresh(t, h)
	p.say(findOnce)
	p.wants("first", refresh(t, h), "active", "active")
	p.wants("again", refresh(t, h), "active", "active")
	p.say(findTwice)
	p.wants("changed", refresh(t, h), "pending", "pending")
	if o, a := p.pins("owner"), p.pins("acme"); o != 0 || a != 0 {
		t.Errorf("got %d and %d pins written, want none", o, a)
	}
	strict := newPinning(t, map[string]string{"mortise.toml": "plugins.acme.path = \"./acme\"\ntrust.tools = \"ask\"\n"})
	h = strict.host(true)
	if err := h.AdoptOnce(context.Background(), "tester", propose(t, h)); err != nil {
		t.Fatal(err)
	}
	refresh(t, h)
	strict.say(findOnce)
	strict.wants("once, and asked for", refresh(t, h), "pending", "pending")
}

// From a change to its approval: what waits is named with what it was, what is another
// by the time it is approved is not, and what was approved can be taken back.
func TestApproveAndRevoke(t *testing.T) {
	ctx := context.Background()
	p := newPinning(t, nil)
	adopt(t, p.host(false))
	p.say(findOnce)
	refresh(t, p.host(true))
	p.say(findTwice)
	h := p.host(false)
	g := refresh(t, h)
	waiting := h.Awaiting(g)
	if len(waiting) != 2 || waiting[0].Name != "acme:search/find" || waiting[1].Name != "owner:search/find" {
		t.Fatalf("got %+v, want the plugin's and the owner's", waiting)
	}
	if w := waiting[1]; w.Was == nil || !strings.Contains(w.Difference(), "-description: \"Finds.\"\n+description: \"Finds, and tells.\"") {
		t.Errorf("the difference: got %q", w.Difference())
	}
	if w := waiting[0]; w.Was != nil || w.Difference() != "" || !strings.Contains(string(w.Now), "and tells") {
		t.Errorf("a new one: got %+v", w)
	}

	p.say(findOnce)
	if err := h.Approve(ctx, "tester", waiting); ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), "acme:search/find is not what was shown") {
		t.Errorf("approving what changed meanwhile: got %v, want a refusal", err)
	}
	p.say(findTwice)
	if err := h.Approve(ctx, "tester", waiting); err != nil {
		t.Fatal(err)
	}
	g = refresh(t, h)
	p.wants("approved", g, "active", "active")
	if left := h.Awaiting(g); len(left) != 0 {
		t.Errorf("got %d that wait, want none", len(left))
	}

	offers := g.Session(false).Offer(session.OfferOptions{})
	agent := h.Agent(session.OfferOptions{})
	if _, err := agent.View(ctx); err != nil {
		t.Fatal(err)
	}
	offer := offers.Tool("acme_search__find")
	if err := agent.Allowed(ctx, offer); err != nil {
		t.Fatal(err)
	}
	other := p.host(false)
	gone, err := other.Revoke(ctx, "acme:search", "tester")
	if err != nil || len(gone) != 1 || gone[0].Subject != "acme:tool/search/find" {
		t.Errorf("revoke: got %+v, %v, want the one pin of the server", gone, err)
	}
	if err := agent.Allowed(ctx, offer); ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), "its definition was not approved") {
		t.Errorf("the very next call: got %v, want a refusal that says why", err)
	}
	if _, err := other.Revoke(ctx, "owner:tool/search/find", "tester"); err != nil {
		t.Fatal(err)
	}
	p.wants("revoked, and served anew", refresh(t, p.host(true)), "pending", "pending")
	if _, err := other.Revoke(ctx, "acme", "tester"); err != nil { // its code
		t.Fatal(err)
	}
	if got := status(refresh(t, h).Listing(), "acme:search"); got != "pending" {
		t.Errorf("a server whose code's grant was revoked is %s, want it pending", got)
	}
	if _, err := other.Revoke(ctx, "acme:serach", "tester"); ext.KindOf(err) != ext.Usage {
		t.Errorf("revoke of what nobody granted: got %v, want a usage error", err)
	}
}

// Names mean what they say, and one that means nothing is told with the nearest.
func TestChoosingWhatToApprove(t *testing.T) {
	p := newPinning(t, map[string]string{"mortise.toml": "plugins.acme.path = \"./acme\"\ntrust.tools = \"ask\"\n"})
	adopt(t, p.host(false))
	p.say(`{"instructions": "Use find.", "tools": [{"name": "find", "inputSchema": {"type": "object"}}], "prompts": [{"name": "find"}, {"name": "ask"}]}`)
	h := p.host(false)
	g := refresh(t, h)
	all := h.Awaiting(g)
	for _, c := range []struct {
		names []string
		want  int
		fault string
	}{
		{nil, 8, ""},
		{[]string{"acme"}, 4, ""},
		{[]string{"acme:search"}, 4, ""},
		{[]string{"acme:search/find"}, 2, ""}, // a tool and a prompt
		{[]string{"acme:command/search/find"}, 1, ""},
		{[]string{"acme:tool/search/find", "owner:search", "owner"}, 5, ""},
		{[]string{"ask"}, 0, `"ask" could be acme:search/ask or owner:search/ask`},
		{[]string{"acme:search/fnd"}, 0, `did you mean "acme:search/find"`},
		{[]string{"nothing-like-it"}, 0, "there is no server"},
	} {
		got, err := g.Choose(all, c.names)
		if len(got) != c.want || (err != nil) != (c.fault != "") || err != nil && (ext.KindOf(err) != ext.Usage || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%q: got %d and %v, want %d and %q", c.names, len(got), err, c.want, c.fault)
		}
	}
	if err := h.Approve(context.Background(), "tester", all); err != nil {
		t.Fatal(err)
	}
	g = refresh(t, h)
	if got, err := g.Choose(h.Awaiting(g), []string{"acme:search/find"}); len(got) != 0 || err != nil {
		t.Errorf("what is approved already: got %v, %v, want nothing that waits", got, err)
	}
}
