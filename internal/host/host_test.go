package host_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/memstore"
)

const skill = "---\nname: %NAME%\ndescription: Does %NAME%.\n---\nDo it.\n"

func skillText(name string) string { return strings.ReplaceAll(skill, "%NAME%", name) }

// write writes files below dir, by path.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// open makes a host of a workspace with a store and a cache of the test's.
func open(t *testing.T, dir string, store state.Store, cache *host.Cache) *host.Host {
	t.Helper()
	ws, err := config.FindWorkspace(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return openPlace(t, host.Place{Workspace: ws}, store, cache)
}

func openPlace(t *testing.T, place host.Place, store state.Store, cache *host.Cache) *host.Host {
	t.Helper()
	return host.New(optionsOf(place, store, cache, false))
}

func optionsOf(place host.Place, store state.Store, cache *host.Cache, look bool) host.Options {
	return host.Options{
		Specs: catalog.Specs, Catalogue: catalog.Digest(), Configure: place.Configure, Sources: catalog.Sources,
		Store: store, Look: look, Cache: cache, Workers: 2, Asked: []string{"before_tool_call", "tool_call"},
		Clock: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	}
}

func refresh(t *testing.T, h *host.Host) *host.Generation {
	t.Helper()
	g, err := h.Refresh(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// adopt adopts what a person would be shown now.
func adopt(t *testing.T, h *host.Host) {
	t.Helper()
	if err := h.Adopt(context.Background(), "tester", propose(t, h)); err != nil {
		t.Fatal(err)
	}
}

// propose is what a person would be shown now.
func propose(t *testing.T, h *host.Host) *host.Proposal {
	t.Helper()
	p, _, err := h.Propose(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func status(l *host.Listing, qualified string) string {
	for _, e := range l.Entries {
		if e.Qualified == qualified {
			return e.Status
		}
	}
	return "absent"
}

func codes(l *host.Listing) []string {
	var out []string
	for _, f := range l.Findings {
		out = append(out, f.Code)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// Two worktrees of one repository live in one process: with different
// configurations they have different registries, with the same content they
// share one.
func TestTwoWorktreesTwoRegistries(t *testing.T) {
	base := t.TempDir()
	main, same, other := filepath.Join(base, "main"), filepath.Join(base, "same"), filepath.Join(base, "other")
	write(t, main, map[string]string{
		"mortise.toml":                    "[plugins.acme]\npath = \"./acme\"\n",
		".mortise/skills/review/SKILL.md": skillText("review"),
		"acme/.claude-plugin/plugin.json": `{"name":"acme"}`,
		"acme/skills/deploy/SKILL.md":     skillText("deploy"),
	})
	git(t, main, "init", "-q")
	git(t, main, "add", "-A")
	git(t, main, "commit", "-qm", "one")
	git(t, main, "worktree", "add", "-q", same)
	git(t, main, "worktree", "add", "-q", other)
	write(t, other, map[string]string{"mortise.toml": "[plugins.acme]\npath = \"./acme\"\nenabled = false\n"})

	store, cache := memstore.New(), new(host.Cache)
	a, b, c := open(t, main, store, cache), open(t, same, store, cache), open(t, other, store, cache)
	adopt(t, a)
	adopt(t, c)
	ga := refresh(t, a)
	hits := cache.Hits()
	gb, gc := refresh(t, b), refresh(t, c)

	if ga.Composition != gb.Composition || cache.Hits() <= hits {
		t.Errorf("worktrees with the same content have two registries, want one from the cache")
	}
	if !gb.Adopted {
		t.Errorf("a worktree of an adopted repository is not adopted")
	}
	if ga.Digest() == gc.Digest() {
		t.Errorf("worktrees with different configurations have one registry, want two")
	}
	if got := status(ga.Listing(), "acme:deploy"); got != "active" {
		t.Errorf("in the first worktree acme:deploy is %s, want active", got)
	}
	if got := status(gc.Listing(), "acme:deploy"); got != "disabled" {
		t.Errorf("in the other worktree acme:deploy is %s, want disabled", got)
	}
	if root := gb.Listing().Extensions[1].Root; !strings.HasPrefix(root, same) {
		t.Errorf("the second worktree's roots lie in %s, want its own directory", root)
	}
}

// Until its person adopts it, a workspace is listed and nothing of it reaches
// an agent; what adoption would give can be seen.
func TestNothingReachesAnAgentBeforeAdoption(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"mortise.toml":                    "",
		".mortise/skills/review/SKILL.md": skillText("review"),
	})
	h := open(t, dir, memstore.New(), nil)
	g := refresh(t, h)
	l := g.Listing()
	if got := status(l, "owner:review"); got != "pending" {
		t.Errorf("owner:review is %s, want pending", got)
	}
	if l.Pending != 1 || l.Found != l.Admitted+l.Refused+l.Disabled+l.Pending {
		t.Errorf("totals do not add up: %+v", l)
	}
	for _, s := range g.Session(false).Skills {
		if s.Extension != ext.BuiltinName {
			t.Errorf("%s reaches an agent", s.Qualified)
		}
	}
	if n := len(g.Session(true).Skills); n != 2 {
		t.Errorf("adoption would give %d skills, want 2: the built-in and the owner's", n)
	}
	if !slices.Contains(codes(l), "workspace-not-adopted") {
		t.Errorf("nothing says that the workspace is not adopted: %v", codes(l))
	}
}

// Adoption holds while text is edited and lapses when something that runs is
// added: its person has not seen that.
func TestAdoptionHoldsForTextAndLapsesForEffects(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"mortise.toml":                    "",
		".mortise/skills/review/SKILL.md": skillText("review"),
	})
	h := open(t, dir, memstore.New(), nil)
	adopt(t, h)
	write(t, dir, map[string]string{".mortise/skills/review/SKILL.md": skillText("review") + "More.\n"})
	if g := refresh(t, h); !g.Adopted || status(g.Listing(), "owner:review") != "active" {
		t.Errorf("editing text ended the adoption")
	}
	write(t, dir, map[string]string{".mortise/mcp.json": `{"mcpServers":{"x":{"command":"touch","args":["MARK"]}}}`})
	g := refresh(t, h)
	if status(g.Listing(), "owner:x") != "pending" {
		t.Errorf("owner:x is %s, want pending: nobody consented to it", status(g.Listing(), "owner:x"))
	}
	if status(g.Listing(), "owner:review") != "active" {
		t.Errorf("owner:review is %s, want active: what was adopted goes on", status(g.Listing(), "owner:review"))
	}
	if len(g.Lapsed) != 1 || g.Lapsed[0].Change != "new" || g.Lapsed[0].About().Name != "owner:x" {
		t.Errorf("the difference is %+v, want owner:x as new", g.Lapsed)
	}
	if !slices.Contains(codes(g.Listing()), "adoption-lapsed") {
		t.Errorf("nothing says that the adoption lapsed: %v", codes(g.Listing()))
	}
}

// TestLaw08_A_failed_pass_leaves_the_old_generation holds that what is in use
// stays in use when the state cannot be read.
func TestLaw08_A_failed_pass_leaves_the_old_generation(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{".mortise/skills/review/SKILL.md": skillText("review")})
	store := &failing{Store: memstore.New()}
	h := open(t, dir, store, nil)
	g := refresh(t, h)
	store.fail = true
	if _, err := h.Refresh(context.Background()); err == nil {
		t.Fatal("a pass without state succeeded")
	}
	if h.Now() != g {
		t.Error("the failed pass replaced the generation")
	}
	store.fail = false
	if next := refresh(t, h); next.Number != g.Number+1 || next.Digest() != g.Digest() {
		t.Errorf("the next pass has number %d and another digest, want %d and the same", next.Number, g.Number+1)
	}
}

type failing struct {
	state.Store
	fail bool
}

func (f *failing) Load(ctx context.Context) (state.Snapshot, error) {
	if f.fail {
		return state.Snapshot{}, os.ErrPermission
	}
	return f.Store.Load(ctx)
}

// A switch holds for the very next pass, of an extension or of one entry, and
// only for what exists.
func TestSwitches(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"mortise.toml":                    "[plugins.acme]\npath = \"./acme\"\n",
		".mortise/skills/review/SKILL.md": skillText("review"),
		"acme/.claude-plugin/plugin.json": `{"name":"acme"}`,
		"acme/skills/deploy/SKILL.md":     skillText("deploy"),
		"acme/skills/build/SKILL.md":      skillText("build"),
	})
	store := memstore.New()
	h := open(t, dir, store, nil)
	adopt(t, h)
	if _, err := h.Disable(ctx, host.Change{Subject: "acme:deploy", Reason: "too eager", By: "tester"}); err != nil {
		t.Fatal(err)
	}
	l := refresh(t, h).Listing()
	if status(l, "acme:deploy") != "disabled" || status(l, "acme:build") != "active" {
		t.Errorf("disabling one entry: deploy is %s, build is %s", status(l, "acme:deploy"), status(l, "acme:build"))
	}
	if _, err := h.Disable(ctx, host.Change{Subject: "acme", By: "tester"}); err != nil {
		t.Fatal(err)
	}
	if l = refresh(t, h).Listing(); l.Disabled != 1 || status(l, "acme:build") != "disabled" {
		t.Errorf("disabling the extension: %d disabled, build is %s", l.Disabled, status(l, "acme:build"))
	}
	if _, err := h.Enable(ctx, host.Change{Subject: "acme:deploy"}); ext.KindOf(err) != ext.Refused {
		t.Errorf("enabling an entry of a disabled extension: %v, want a refusal that names the extension", err)
	}
	if was, err := h.Enable(ctx, host.Change{Subject: "acme"}); err != nil || len(was) != 1 {
		t.Errorf("enabling the extension took back %v, %v", was, err)
	}
	if l = refresh(t, h).Listing(); status(l, "acme:build") != "active" || status(l, "acme:deploy") != "disabled" {
		t.Errorf("after enabling: build is %s, deploy is %s", status(l, "acme:build"), status(l, "acme:deploy"))
	}
	for _, subject := range []string{"acmee", "acme:deply", ""} {
		_, err := h.Disable(ctx, host.Change{Subject: subject})
		if ext.KindOf(err) != ext.Usage {
			t.Errorf("disabling %q: %v, want a usage error", subject, err)
		}
	}
	_, err := h.Disable(ctx, host.Change{Subject: "acme:deply"})
	if err == nil || !strings.Contains(err.Error(), `"deploy"`) {
		t.Errorf("a mistyped name gives %v, want the nearest named", err)
	}
	events, err := store.Events(ctx, state.Query{})
	if err != nil || len(events) != 4 {
		t.Errorf("the history has %d events (%v), want 4: an adoption, two switches off, one on", len(events), err)
	}
}

// TestLaw06_A_guard_that_no_door_asks_is_told holds that a guard which would
// not be consulted is listed as unasked, with a warning, and never as active.
func TestLaw06_A_guard_that_no_door_asks_is_told(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"mortise.toml":                "[plugins.acme]\npath = \"./acme\"\n",
		"acme/plugin.json":            `{"$schema":"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json","name":"acme"}`,
		"acme/skills/deploy/SKILL.md": skillText("deploy"),
		"acme/dev.mortise/hooks/before_tool_call/no-prod.json": `{"answer": {"verdict": "deny"}, "matches": ["deploy"]}`,
	})
	ws, err := config.FindWorkspace(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	o := optionsOf(host.Place{Workspace: ws}, memstore.New(), nil, false)
	o.Asked = []string{"tool_call"} // policies are asked, and hooks are not
	h := host.New(o)
	adopt(t, h)
	g := refresh(t, h)
	l := g.Listing()
	if got := status(l, "acme:no-prod"); got != "unasked" {
		t.Errorf("acme:no-prod is %s, want unasked", got)
	}
	if !slices.Contains(codes(l), "guard-unasked") {
		t.Errorf("nothing says that the guard is not asked: %v", codes(l))
	}
	if n := len(g.Session(true).Guards); n != 0 {
		t.Errorf("a session shows %d guards, want none: a guard that is not asked is a false check", n)
	}
	if got := status(l, "acme:deploy"); got != "pending" {
		t.Errorf("acme:deploy is %s, want pending: its author meant it to be guarded", got)
	}
	if _, err := h.Disable(context.Background(), host.Change{Subject: "acme:before_tool_call/no-prod", Reason: "accepted"}); err != nil {
		t.Fatal(err)
	}
	if got := status(refresh(t, h).Listing(), "acme:deploy"); got != "active" {
		t.Errorf("acme:deploy is %s, want active: its owner accepted that the guard is not asked", got)
	}
}

// A file of the configuration that is broken costs what it says and nothing
// else: listing always runs.
func TestLaw08_Listing_runs_whatever_is_broken(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"mortise.toml":                    "[plugins.acme\npath = 1\n",
		".mortise/skills/review/SKILL.md": skillText("review"),
		".mortise/skills/bad/SKILL.md":    "---\nname: bad\n",
		".mortise/tools/x.json":           "{",
	})
	l := refresh(t, open(t, dir, memstore.New(), nil)).Listing()
	if got := status(l, "owner:review"); got != "pending" {
		t.Errorf("owner:review is %s, want it listed", got)
	}
	for _, code := range []string{"toml-syntax", "frontmatter-unclosed", "json-syntax"} {
		if !slices.Contains(codes(l), code) {
			t.Errorf("%s is not told: %v", code, codes(l))
		}
	}
}
