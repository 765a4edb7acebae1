package host_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/builtin/claude"
	"github.com/mortise-dev/mortise/internal/builtin/inject"
	"github.com/mortise-dev/mortise/internal/builtin/rig"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/memstore"
)

// compiledIn reaches what is compiled in. Nothing links to it here.
type compiledIn struct{ *inproc.Driver }

func (compiledIn) Link(context.Context, ext.Ref, *call.Peer) (call.Link, error) { return nil, nil }

// clock is a time that a test sets.
type clock struct {
	now    time.Time
	boot   string        // "" cannot be told
	lasted time.Duration // of the boot
}

// planning makes a host whose hooks answer, of a workspace with these files.
func planning(t testing.TB, dir string, store state.Store, c *clock) *host.Host {
	t.Helper()
	ws, err := config.FindWorkspace(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	o := optionsOf(host.Place{Workspace: ws}, store, nil, false)
	o.Drivers = map[string]call.Driver{inproc.Name: compiledIn{inproc.New(&inproc.Extension{Name: ext.BuiltinName, Hooks: slices.Concat(claude.Hooks(), inject.Hooks())}, rig.Extension())}}
	for _, s := range catalog.Specs {
		if s.Answers != nil {
			o.Asked = append(o.Asked, s.Name)
		}
	}
	o.Refer = map[string]ext.Trust{inproc.Name: ext.Builtin}
	o.Clock = func() time.Time { return c.now }
	o.Uptime = func() (string, time.Duration) { return c.boot, c.lasted }
	return host.New(o)
}

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// planned is the generation of an adopted workspace with these files.
func planned(t *testing.T, files map[string]string) *host.Generation {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, files)
	h := planning(t, dir, memstore.New(), &clock{now: began})
	adopt(t, h)
	return refresh(t, h)
}

func axisNames(g *host.Generation) string {
	var out []string
	for _, a := range g.Registry(context.Background()).Axes() {
		out = append(out, a.Value.Name)
	}
	return strings.Join(out, " ")
}

const dataAxis = "[[axis]]\nname = \"data\"\nlevels = [\"fake\", \"real\"]\nblurb = { fake = \"made up\", real = \"of people\" }\n"

// A clock that is set back lengthens no emergency level: the machine knows how long it has
// run since, sleep included. After a reboot there is the clock alone, and a level that began
// in its future is none.
func TestLevelEndsWhateverTheClockSays(t *testing.T) {
	dir, store := t.TempDir(), memstore.New()
	write(t, dir, map[string]string{"mortise.toml": "[[axis]]\nname = \"net\"\nlevels = [\"shut\", \"open\"]\nemergency = [\"open\"]\nblurb = { shut = \"no\", open = \"yes\" }\n"})
	c := &clock{now: began, boot: "first", lasted: 40 * time.Hour}
	h := planning(t, dir, store, c)
	adopt(t, h)
	if _, err := h.SetMode(t.Context(), refresh(t, h), plan.Change{Updates: []plan.Update{{Axis: "net", Level: "open"}}}, "p"); err != nil {
		t.Fatal(err)
	}
	at := func() string {
		again := planning(t, dir, store, c) // another process
		return again.Mode(t.Context(), refresh(t, again)).Mode["net"]
	}
	for _, step := range []struct {
		name string
		c    clock
		want string
	}{
		{"half an hour later", clock{began.Add(30 * time.Minute), "first", 40*time.Hour + 30*time.Minute}, "open"},
		{"the clock set back by twenty minutes, in time", clock{began.Add(30 * time.Minute), "first", 40*time.Hour + 50*time.Minute}, "open"},
		{"the clock set back by half an hour, over", clock{began.Add(40 * time.Minute), "first", 41*time.Hour + 10*time.Minute}, "shut"},
		{"the clock set back to the day before", clock{began.Add(-24 * time.Hour), "first", 41*time.Hour + 10*time.Minute}, "shut"},
		{"the clock set forward", clock{began.Add(2 * time.Hour), "first", 40*time.Hour + time.Minute}, "shut"},
		{"another boot, in time by the clock", clock{began.Add(40 * time.Minute), "second", time.Minute}, "open"},
		{"another boot, over by the clock", clock{began.Add(time.Hour), "second", time.Minute}, "shut"},
	} {
		if *c = step.c; at() != step.want {
			t.Errorf("%s: got net at %s, want %s", step.name, at(), step.want)
		}
	}
	// Setting another thing does not begin it anew.
	*c = clock{began.Add(30 * time.Minute), "first", 40*time.Hour + 50*time.Minute}
	if _, err := h.SetMode(t.Context(), refresh(t, h), plan.Change{Updates: []plan.Update{{Axis: "net", Level: "open"}}, TTL: 25 * time.Minute}, "p"); err != nil {
		t.Fatal(err)
	}
	if *c = (clock{began.Add(40 * time.Minute), "first", 41*time.Hour + 14*time.Minute}); at() != "open" {
		t.Errorf("set again for 25 minutes: got net shut after 24")
	}
	if *c = (clock{began.Add(40 * time.Minute), "first", 41*time.Hour + 15*time.Minute}); at() != "shut" {
		t.Errorf("set again for 25 minutes: got net open after them")
	}
}

// A level that ended while the clock was set back can be written down, and others can be
// set: that was refused, as if somebody else changed the mode again and again.
func TestModeIsSetWhereTheClockWasSetBack(t *testing.T) {
	dir, store := t.TempDir(), memstore.New()
	write(t, dir, map[string]string{"mortise.toml": dataAxis + upAxis + strings.ReplaceAll(dataAxis, "data", "net")})
	for name, do := range map[string]func(*host.Host, *host.Generation) error{
		"written down": func(h *host.Host, g *host.Generation) error { _, err := h.SettleMode(t.Context(), g); return err },
		"set": func(h *host.Host, g *host.Generation) error {
			_, err := h.SetMode(t.Context(), g, plan.Change{Updates: []plan.Update{{Axis: "net", Level: "real"}}}, "p")
			return err
		},
	} {
		c := &clock{now: began, boot: "first", lasted: 40 * time.Hour}
		h := planning(t, dir, store, c)
		adopt(t, h)
		if _, err := h.SetMode(t.Context(), refresh(t, h), plan.Change{Updates: []plan.Update{{Axis: "up", Level: "on"}}}, "p"); err != nil {
			t.Fatal(err)
		}
		*c = clock{began.Add(20 * time.Minute), "first", 41*time.Hour + 10*time.Minute}
		if err := do(h, refresh(t, h)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		snap, err := store.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(snap.Levels, func(l state.Level) bool { return l.Axis == "up" }) {
			t.Errorf("%s: got %v, want the level that ended gone", name, snap.Levels)
		}
	}
}

// An empty configuration has no axis. What is built in is there, and says nothing.
func TestParity001_Empty_configuration(t *testing.T) {
	g := planned(t, map[string]string{"mortise.toml": ""})
	r := g.Registry(t.Context())
	if len(r.Axes()) != 0 || len(r.Findings()) != 0 {
		t.Errorf("got the axes %q and %v, want none", axisNames(g), r.Findings())
	}
	for _, s := range r.Hooks() {
		got := r.Plan(nil).Gather(t.Context(), s)
		if len(got.Answers) != 0 || len(got.Findings) != 0 {
			t.Errorf("%s: got %v, %v; want nothing", s.Name, got.Answers, got.Findings)
		}
	}
	if n := len(g.Composition.Entries(r.Hooks()[0])); n != 2 {
		t.Errorf("%d answer which axes there are, want both that are built in", n)
	}
}

// What is declared comes behind what is always there, and plugins behind both; rows of the
// configuration come first.
func TestParity002_Declared_behind_what_is_always_there(t *testing.T) {
	g := planned(t, map[string]string{
		"mortise.toml":           dataAxis + "[claude]\nkeyless = \"api-key\"\n[[inject]]\naxis = \"pen\"\nhost = \"h.example\"\n[plugins.acme]\npath = \"./acme\"\n[plugins.rig]\n",
		"acme/hooks/axes/a.json": `{"answer": {"name": "acme", "levels": ["off"], "blurb": {"off": "x"}}}`,
	})
	if got, want := axisNames(g), "data claude pen rig rig-dependent acme"; got != want {
		t.Errorf("axes: got %q, want %q; findings %v", got, want, g.Registry(t.Context()).Findings())
	}
}

// What is there and not configured offers no axis; what is declared and switched off is
// not there.
func TestParity003_There_and_not_configured(t *testing.T) {
	g := planned(t, map[string]string{"mortise.toml": "[claude]\nkeyless = \"off\"\n[plugins.rig]\nenabled = false\n"})
	if got := axisNames(g); got != "" {
		t.Errorf("axes: got %q, want none", got)
	}
}

// A plugin whose hook is no hook is refused and listed; all else is there. The reference
// says nothing.
func TestParity005_Plugin_that_is_broken(t *testing.T) {
	g := planned(t, map[string]string{
		"mortise.toml":           dataAxis + "[plugins.acme]\npath = \"./acme\"\n[plugins.good]\npath = \"./good\"\n",
		"acme/hooks/axes/a.json": `{"answer": {"name": "acme"}}`,
		"good/hooks/axes/a.json": `{"answer": {"name": "good", "levels": ["off"], "blurb": {"off": "x"}}}`,
	})
	if got := axisNames(g); got != "data good" || !slices.Contains(codes(g.Listing()), "hook-answer") {
		t.Errorf("axes %q, findings %v; want those of others, and the fault told", got, codes(g.Listing()))
	}
}

// Two worktrees of one repository in one process have their own axes and their own modes.
func TestWorktreesHaveTheirOwnModes(t *testing.T) {
	base := t.TempDir()
	main, other := filepath.Join(base, "main"), filepath.Join(base, "other")
	write(t, main, map[string]string{"mortise.toml": dataAxis})
	git(t, main, "init", "-q")
	git(t, main, "add", "-A")
	git(t, main, "commit", "-qm", "one")
	git(t, main, "worktree", "add", "-q", other)
	write(t, other, map[string]string{"mortise.toml": dataAxis + strings.ReplaceAll(dataAxis, "data", "net")})
	store, c := memstore.New(), &clock{now: began}
	a, b := planning(t, main, store, c), planning(t, other, store, c)
	adopt(t, a)
	adopt(t, b)
	ga, gb := refresh(t, a), refresh(t, b)
	if axisNames(ga) != "data" || axisNames(gb) != "data net" {
		t.Fatalf("axes: got %q and %q", axisNames(ga), axisNames(gb))
	}
	if _, err := b.SetMode(t.Context(), gb, change("data=real"), "tester"); err != nil {
		t.Fatal(err)
	}
	ga, gb = refresh(t, a), refresh(t, b)
	if got := a.Mode(t.Context(), ga).Mode["data"] + b.Mode(t.Context(), gb).Mode["data"]; got != "fakereal" {
		t.Errorf("modes: got %s, want that of the second worktree alone set", got)
	}
}

func change(text string) plan.Change {
	var c plan.Change
	for _, word := range strings.Fields(text) {
		axis, level, _ := strings.Cut(word, "=")
		c.Updates = append(c.Updates, plan.Update{Axis: axis, Level: level})
	}
	return c
}

const upAxis = "[[axis]]\nname = \"up\"\nlevels = [\"off\", \"on\"]\nemergency = [\"on\"]\nblurb = { off = \"x\", on = \"y\" }\n" +
	"[[require]]\naxis = \"data\"\nwhen = \"real\"\nneeds = \"up\"\naccepts = \"on\"\n"

// Setting is in the history, and so is what was refused and what ended. A level that stays
// keeps when it began, and one whose end was written down does not come back with the
// clock.
func TestModeIsRememberedAndEnds(t *testing.T) {
	dir, store, c := t.TempDir(), memstore.New(), &clock{now: began}
	write(t, dir, map[string]string{"mortise.toml": dataAxis + upAxis + strings.ReplaceAll(dataAxis, "data", "net")})
	h := planning(t, dir, store, c)
	adopt(t, h)
	g := refresh(t, h)
	if _, err := h.SetMode(t.Context(), g, change("data=real"), "tester"); ext.KindOf(err) != ext.Refused {
		t.Fatalf("without what it needs: got %v, want it refused", err)
	}
	if _, err := h.SetMode(t.Context(), g, change("data=real up=on"), "tester"); err != nil {
		t.Fatal(err)
	}
	c.now = began.Add(30 * time.Minute)
	if _, err := h.SetMode(t.Context(), refresh(t, h), change("net=real"), "tester"); err != nil {
		t.Fatal(err)
	}
	s, err := store.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range s.Levels {
		if want := map[string]time.Time{"data": began, "up": began, "net": c.now}[l.Axis]; !l.At.Equal(want) {
			t.Errorf("%s is remembered to have begun %s, want %s", l.Axis, l.At, want)
		}
	}
	c.now = began.Add(2 * time.Hour)
	g = refresh(t, h)
	if got := h.Mode(t.Context(), g).Mode; got["up"] != "off" || got["data"] != "fake" || got["net"] != "real" {
		t.Errorf("after the end: got %v, want up ended and data resting with it, though nothing was written", got)
	}
	if _, err := h.SettleMode(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	c.now = began.Add(time.Minute)
	if got := h.Mode(t.Context(), refresh(t, h)).Mode; got["up"] != "off" || got["data"] != "fake" {
		t.Errorf("the clock goes back: got %v, want what ended to stay ended", got)
	}
	var history []string
	events, err := store.Events(t.Context(), state.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Kind == "mode" {
			word, _, _ := strings.Cut(e.Text, ":")
			history = append(history, word+" "+e.By)
		}
	}
	slices.Sort(history)
	if got, want := strings.Join(history, ", "), "denied tester, ended time, set tester, set tester"; got != want {
		t.Errorf("history: got %s, want %s", got, want)
	}
}

// A level that has ended is in the history also where the next change is the first to
// notice, and nothing of it comes back when the clock does.
func TestWhatHasEndedIsWrittenDownByTheNextChange(t *testing.T) {
	dir, store, c := t.TempDir(), memstore.New(), &clock{now: began}
	write(t, dir, map[string]string{"mortise.toml": dataAxis + upAxis + strings.ReplaceAll(dataAxis, "data", "net")})
	h := planning(t, dir, store, c)
	adopt(t, h)
	if _, err := h.SetMode(t.Context(), refresh(t, h), change("up=on"), "tester"); err != nil {
		t.Fatal(err)
	}
	c.now = began.Add(2 * time.Hour)
	if _, err := h.SetMode(t.Context(), refresh(t, h), change("net=real"), "tester"); err != nil {
		t.Fatal(err)
	}
	c.now = began.Add(time.Minute)
	if got := h.Mode(t.Context(), refresh(t, h)).Mode["up"]; got != "off" {
		t.Errorf("the clock goes back: up is %s, want it to stay off", got)
	}
	events, err := store.Events(t.Context(), state.Query{Kinds: []string{"mode"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != 3 || events[1].Text != "ended: up" || events[1].By != "time" {
		t.Errorf("history: got %+v, want the end of up before the second change", events)
	}
}

// Nobody's configuration sets a mode before it is adopted, and none of it counts.
func TestNoModeBeforeAdoption(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"mortise.toml": dataAxis + "[claude]\nkeyless = \"api-key\"\n[plugins.rig]\n"})
	h := planning(t, dir, memstore.New(), &clock{now: began})
	g := refresh(t, h)
	if got := axisNames(g); got != "" {
		t.Errorf("axes: got %q, want none", got)
	}
	if _, err := h.SetMode(t.Context(), g, change("data=real"), "tester"); ext.KindOf(err) != ext.Refused {
		t.Errorf("SetMode: got %v, want it refused", err)
	}
}

// Whoever asks first for a registry and gives up does not take the axes from the others.
func TestRegistryOfAnAskerThatGaveUp(t *testing.T) {
	g := planned(t, map[string]string{"mortise.toml": "[[inject]]\naxis = \"pen\"\nhost = \"h.example\"\n"})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	g.Registry(gone)
	if got := axisNames(g); got != "pen" {
		t.Errorf("axes: got %q, want pen", got)
	}
}

// BenchmarkRegistryAgain gets the registry of a generation once more: 1 ms is promised.
func BenchmarkRegistryAgain(b *testing.B) {
	dir := b.TempDir()
	h := planning(b, dir, memstore.New(), &clock{now: began})
	g, err := h.Refresh(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	g.Registry(b.Context())
	for b.Loop() {
		if g.Registry(b.Context()).Digest() == (ext.Digest{}) {
			b.Fatal("no registry")
		}
	}
}

// elsewhere changes the mode while a change is being decided.
type elsewhere struct {
	state.Store
	times int
}

func (e *elsewhere) Update(ctx context.Context, change func(*state.Snapshot) error) error {
	if e.times > 0 {
		e.times--
		err := e.Store.Update(ctx, func(s *state.Snapshot) error {
			for _, l := range s.Levels {
				l.At = l.At.Add(time.Second)
				s.Put(l)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return e.Store.Update(ctx, change)
}

// Of two who set a mode at once the second sees what the first did, and whoever is always
// the second is told.
func TestModeThatSomebodyElseChanges(t *testing.T) {
	dir, store, c := t.TempDir(), &elsewhere{Store: memstore.New()}, &clock{now: began}
	write(t, dir, map[string]string{"mortise.toml": dataAxis + strings.ReplaceAll(dataAxis, "data", "net")})
	h := planning(t, dir, store, c)
	adopt(t, h)
	g := refresh(t, h)
	if _, err := h.SetMode(t.Context(), g, change("data=real"), "tester"); err != nil {
		t.Fatal(err)
	}
	store.times = 3
	if done, err := h.SetMode(t.Context(), g, change("net=real"), "tester"); err != nil || done.To.Mode["data"] != "real" || store.times != 0 {
		t.Errorf("three others first: got %+v, %v; want both set", done, err)
	}
	store.times = 100
	if _, err := h.SetMode(t.Context(), g, change("net=fake"), "tester"); err == nil || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("others all the time: got %v, want that told", err)
	}
}

// A change of the configuration that nobody adopted changes nothing that is in use: what
// it declares is not there, and neither is what it no longer forbids.
func TestParity098_Change_that_nobody_adopted(t *testing.T) {
	dir, c := t.TempDir(), &clock{now: began}
	write(t, dir, map[string]string{"mortise.toml": dataAxis + upAxis})
	h := planning(t, dir, memstore.New(), c)
	adopt(t, h)
	g := refresh(t, h)
	if _, err := h.SetMode(t.Context(), g, change("up=on data=real"), "tester"); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"mortise.toml": strings.Replace(dataAxis, "data", "evil", 1) + dataAxis + strings.SplitAfter(upAxis, "}\n")[0]})
	g = refresh(t, h)
	if axisNames(g) != "data up" {
		t.Errorf("axes: got %q, want those that were adopted", axisNames(g))
	}
	if _, err := h.SetMode(t.Context(), g, change("up=off"), "tester"); ext.KindOf(err) != ext.Refused {
		t.Errorf("what the adopted requirement forbids: got %v, want it refused", err)
	}
}
