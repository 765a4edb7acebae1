package mortise_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mortise-dev/mortise"
	"github.com/mortise-dev/mortise/ext"
)

// legacy is a plugin of the tests. Nil functions are hooks that say nothing.
type legacy struct {
	mu       sync.Mutex
	name     string
	tools    []string
	named    atomic.Int32
	listed   atomic.Int32
	onTools  func()
	prompt   func(context.Context, mortise.LegacyState) (string, error)
	validate func(context.Context, mortise.Action) error
}

func (p *legacy) Name() string {
	p.named.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.name
}

func (p *legacy) rename(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.name = name
}

func (p *legacy) Tools() (out []mortise.LegacyTool) {
	p.listed.Add(1)
	if p.onTools != nil {
		p.onTools()
	}
	for _, name := range p.tools {
		out = append(out, mortise.LegacyTool{
			About: mortise.About{Name: name, Description: "Does " + name + "."},
			Call:  func(_ context.Context, arguments json.RawMessage) (any, error) { return name, nil },
		})
	}
	return out
}

func (p *legacy) Prompt(ctx context.Context, s mortise.LegacyState) (string, error) {
	if p.prompt == nil {
		return "", nil
	}
	return p.prompt(ctx, s)
}

func (p *legacy) ValidateAction(ctx context.Context, a mortise.Action) error {
	p.mu.Lock()
	validate := p.validate
	p.mu.Unlock()
	if validate == nil {
		return nil
	}
	return validate(ctx, a)
}

func vetoing(err error) func(context.Context, mortise.Action) error {
	return func(context.Context, mortise.Action) error { return err }
}

func saying(text string, err error) func(context.Context, mortise.LegacyState) (string, error) {
	return func(context.Context, mortise.LegacyState) (string, error) { return text, err }
}

var errVeto = errors.New("vetoed")

// unequal is a plugin without an identity: it is passed by value and cannot be
// compared.
type unequal struct {
	_    []int
	veto error
}

func (unequal) Name() string                                           { return "unequal" }
func (unequal) Tools() []mortise.LegacyTool                            { return nil }
func (p unequal) ValidateAction(context.Context, mortise.Action) error { return p.veto }
func names(offers []mortise.Offer) (out []string) {
	for _, o := range offers {
		out = append(out, o.Name)
	}
	return out
}

// TestLaw05_a_plugin_that_is_refused_still_denies has every reason for which a plugin
// is refused: nothing of it is used, and what it vetoes is denied until it is
// forgotten.
func TestLaw05_a_plugin_that_is_refused_still_denies(t *testing.T) {
	vetoes := vetoing(errVeto)
	for _, c := range []struct {
		name   string
		plugin mortise.LegacyPlugin
		cause  mortise.Cause
		owner  string
		words  string
	}{
		{"a name that a provider has", &legacy{name: "acme", validate: vetoes}, mortise.NameClaimed, "acme", "legacy"},
		{"a name that a plugin has", &legacy{name: "first", validate: vetoes}, mortise.NameClaimed, "first", "legacy"},
		{"the host's name", &legacy{name: "owner", validate: vetoes}, mortise.NameClaimed, "the host", "owner"},
		{"a tool of a provider's", &legacy{name: "p", tools: []string{"y", "x"}, validate: vetoes}, mortise.ToolClaimed, "acme", "p:x"},
		{"a tool of a plugin's", &legacy{name: "p", tools: []string{"one"}, validate: vetoes}, mortise.ToolClaimed, "first", "p:one"},
		{"a reserved tool", &legacy{name: "p", tools: []string{"kept"}, validate: vetoes}, mortise.ToolReserved, "the deployment", "p:kept"},
		{"no name", &legacy{name: "Not A Name", validate: vetoes}, mortise.AtFault, "", "Not A Name"},
		{"a tool of no name", &legacy{name: "p", tools: []string{"fine", "a/b"}, validate: vetoes}, mortise.AtFault, "", "a/b"},
		{"tools that fail", &legacy{name: "p", onTools: func() { panic("no tools") }, validate: vetoes}, mortise.Unbridgeable, "", "no tools"},
		{"tools that never come", &legacy{name: "p", onTools: func() { select {} }, validate: vetoes}, mortise.RosterRefused, "the roster", "in time"},
		{"no identity", unequal{veto: errVeto}, mortise.Unbridgeable, "", "identity"},
		{"a nil pointer, which panics", (*legacy)(nil), mortise.Unbridgeable, "", "nil"},
	} {
		t.Run(c.name, func(t *testing.T) {
			composed, err := mortise.Compose([]mortise.Provider{with("acme", aTool("x"))}, mortise.PlainToolNames(), mortise.ReservedToolNames("kept"))
			if err != nil {
				t.Fatal(err)
			}
			h := mortise.New(composed, mortise.Patience(200*time.Millisecond))
			first := &legacy{name: "first", tools: []string{"one"}}
			if err := h.LoadPlugin(first); err != nil {
				t.Fatal(err)
			}
			s := h.Session()
			err = h.LoadPlugin(c.plugin)
			var refused *mortise.AdmissionError
			if !errors.As(err, &refused) || ext.KindOf(err) != ext.Refused {
				t.Fatalf("LoadPlugin: got %v, want an AdmissionError", err)
			}
			if r := refused.Refusals[0]; r.Cause != c.cause || r.Owner != c.owner || !strings.Contains(err.Error(), c.words) {
				t.Errorf("got %v: %+v, want %s by %q with %q in it", err, r, c.cause, c.owner, c.words)
			}
			if got := h.Plugins(); len(got) != 1 || len(h.Quarantine()) != 1 {
				t.Errorf("got %d plugins and %d in quarantine, want nothing changed and the plugin in quarantine", len(got), len(h.Quarantine()))
			}
			if got := h.Quarantine()[0].Refused; got == nil || got.Error() != err.Error() {
				t.Errorf("got %v for why it is in quarantine, want %v", got, err)
			}
			if got := names(h.Session().Tools()); !slices.Equal(got, []string{"one", "x"}) {
				t.Errorf("got the tools %v, want nothing of the refused plugin", got)
			}
			for _, session := range []*mortise.Session{s, h.Session()} {
				_, err := session.Call(t.Context(), "x", nil)
				var denied *mortise.Denied
				if !errors.As(err, &denied) || len(denied.Objections) != 1 || !denied.Objections[0].Quarantined {
					t.Errorf("a call while it is in quarantine: got %v, want its denial", err)
				}
			}
			if turn, err := s.Turn(t.Context(), mortise.Request{}); err != nil || turn.Refused != nil || len(turn.Tools) != 2 {
				t.Errorf("a turn while it is in quarantine: got %+v, %v, want all others as they were", turn, err)
			}
			if !h.Forget(c.plugin) || h.Forget(c.plugin) || len(h.Quarantine()) != 0 {
				t.Error("Forget: want it known once, and then no more")
			}
			if _, err := s.Call(t.Context(), "x", nil); err != nil {
				t.Errorf("a call after Forget: got %v, want it made", err)
			}
		})
	}
}

// TestLaw05_the_veto_of_a_plugin has every answer of a veto, of a plugin that is in
// use.
func TestLaw05_the_veto_of_a_plugin(t *testing.T) {
	for _, c := range []struct {
		name  string
		veto  func(context.Context, mortise.Action) error
		words string
	}{
		{"nothing", vetoing(nil), ""},
		{"an error", vetoing(errVeto), "vetoed"},
		{"an error that cannot be told", vetoing((*angry)(nil)), "even the error fails"},
		{"a panic", func(context.Context, mortise.Action) error { panic("broken") }, "broken"},
		{"an answer that comes late", func(ctx context.Context, _ mortise.Action) error { <-ctx.Done(); return nil }, "in time"},
		{"no answer", func(context.Context, mortise.Action) error { select {} }, "in time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := mortise.New(compose(t, with("acme", aTool("x"))), mortise.Patience(30*time.Millisecond))
			p := &legacy{name: "p", tools: []string{"own"}, validate: c.veto}
			if err := h.LoadPlugin(p); err != nil {
				t.Fatal(err)
			}
			for _, tool := range []string{"acme_x", "p_own"} {
				_, err := h.Session().Call(t.Context(), tool, nil)
				if (err == nil) != (c.words == "") || err != nil && !strings.Contains(err.Error(), c.words) {
					t.Errorf("%s: got %v, want %q", tool, err, c.words)
				}
			}
		})
	}
}

// TestBridges_are_made_once: however often a plugin is met, it is asked for its tools
// once.
func TestBridges_are_made_once(t *testing.T) {
	listed, loaded := &legacy{name: "listed", tools: []string{"x"}}, &legacy{name: "loaded", tools: []string{"x"}}
	h := mortise.New(nil, mortise.Roster(func() []mortise.LegacyPlugin { return []mortise.LegacyPlugin{listed} }))
	if err := h.LoadPlugin(loaded); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var more []*legacy
	for i := range 8 {
		fresh := &legacy{name: "fresh" + string(rune('a'+i))}
		more = append(more, fresh)
		all.Go(func() {
			s := h.Session()
			if err := h.LoadPlugin(fresh); err != nil { // beside what the others do
				t.Error(err)
			}
			for range 20 {
				if _, err := s.Turn(t.Context(), mortise.Request{}); err != nil {
					t.Error(err)
				}
				if _, err := s.Call(t.Context(), "listed_x", nil); err != nil {
					t.Error(err)
				}
				if err := h.LoadPlugin(loaded); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, p := range append(more, listed, loaded) {
		if n := p.listed.Load(); n != 1 {
			t.Errorf("%s was asked for its tools %d times, want once", p.name, n)
		}
	}
}

// TestRoster_is_live: tools are those of when a session was opened; whose they are,
// what is said and what is vetoed is read each time.
func TestRoster_is_live(t *testing.T) {
	var mu sync.Mutex
	var list []mortise.LegacyPlugin
	set := func(ps ...mortise.LegacyPlugin) { mu.Lock(); list = ps; mu.Unlock() }
	h := mortise.New(compose(t, with("acme", aTool("x"))), mortise.Roster(func() []mortise.LegacyPlugin {
		mu.Lock()
		defer mu.Unlock()
		return list
	}))
	a := &legacy{name: "a", tools: []string{"t"}, prompt: saying("From a.", nil)}
	b := &legacy{name: "b", tools: []string{"t"}, prompt: saying("From b.", nil)}
	set(a)
	s := h.Session()
	call := func(tool string) error { _, err := s.Call(t.Context(), tool, nil); return err }
	turn := func() mortise.Turn {
		turn, err := s.Turn(t.Context(), mortise.Request{Prompt: "hello"})
		if err != nil {
			t.Fatal(err)
		}
		return turn
	}
	if got := turn(); !strings.Contains(got.Text, "From a.") || !slices.Equal(names(got.Tools), []string{"a_t", "acme_x"}) || call("a_t") != nil {
		t.Errorf("at first: got %+v, want a with its tool", got)
	}
	set(a, b)
	if got := turn(); !strings.Contains(got.Text, "From b.") || !slices.Equal(names(got.Tools), []string{"a_t", "acme_x"}) || call("b_t") == nil {
		t.Errorf("with b: got %+v, want what b says and not its tool, which the session was opened without", got)
	}
	if got := names(h.Session().Tools()); !slices.Equal(got, []string{"a_t", "acme_x", "b_t"}) {
		t.Errorf("a session opened now: got the tools %v, want those of b, too", got)
	}
	b.validate = vetoing(errVeto)
	if call("acme_x") == nil {
		t.Error("with a veto of b: got the call made, want it denied")
	}
	a.rename("again")
	set(b)
	b.validate = nil
	if got := turn(); strings.Contains(got.Text, "From a.") || !slices.Equal(names(got.Tools), []string{"acme_x"}) {
		t.Errorf("without a: got %+v, want nothing of a", got)
	}
	if err := call("a_t"); err == nil || !strings.Contains(err.Error(), "not in use any more") {
		t.Errorf("a call of the tool of a, which is gone: got %v, want it refused", err)
	}
	set(a, b)
	if got := turn(); got.Refused != nil || call("a_t") == nil || a.listed.Load() != 2 {
		t.Errorf("with a again, by another name: got %+v, want it met anew, and not by the tool of before", got)
	}
}

// TestLaw05_a_roster_that_breaks_is_asked_directly: a plugin that was renamed in
// place, one that came behind the host's back with a name that is taken, and a roster
// that fails cost everybody's offers, and nobody's veto.
func TestLaw05_a_roster_that_breaks_is_asked_directly(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(first *legacy, list *[]mortise.LegacyPlugin)
		cause mortise.Cause
	}{
		{"renamed in place", func(p *legacy, _ *[]mortise.LegacyPlugin) { p.rename("other") }, mortise.Renamed},
		{"a name that is taken", func(_ *legacy, l *[]mortise.LegacyPlugin) { *l = append(*l, &legacy{name: "second"}) }, mortise.NameClaimed},
		{"no name", func(_ *legacy, l *[]mortise.LegacyPlugin) { *l = append(*l, &legacy{}) }, mortise.AtFault},
		{"no identity", func(_ *legacy, l *[]mortise.LegacyPlugin) { *l = append(*l, unequal{}) }, mortise.Unbridgeable},
		{"nil", func(_ *legacy, l *[]mortise.LegacyPlugin) { *l = append(*l, nil) }, mortise.Unbridgeable},
		{"a roster that fails", func(_ *legacy, l *[]mortise.LegacyPlugin) { *l = nil }, mortise.RosterUnread},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := &legacy{name: "first", tools: []string{"t"}, prompt: saying("From first.", nil)}
			second := &legacy{name: "second"}
			list := []mortise.LegacyPlugin{first, second}
			h := mortise.New(compose(t, with("acme", aTool("x"))), mortise.Roster(func() []mortise.LegacyPlugin {
				if list == nil {
					panic("no roster")
				}
				return list
			}))
			s := h.Session()
			if _, err := s.Call(t.Context(), "first_t", nil); err != nil {
				t.Fatal(err)
			}
			c.spoil(first, &list)
			if _, err := s.Call(t.Context(), "acme_x", nil); err != nil {
				t.Errorf("a call that nobody vetoes: got %v, want it made", err)
			}
			var denied *mortise.Denied
			if _, err := s.Call(t.Context(), "first_t", nil); !errors.As(err, &denied) || !strings.Contains(err.Error(), string(c.cause)) {
				t.Errorf("a call of a plugin's tool: got %v, want it refused for %s", err, c.cause)
			}
			turn, err := s.Turn(t.Context(), mortise.Request{})
			if err != nil || turn.Text != "" || turn.Refused == nil || turn.Refused.Refusals[0].Cause != c.cause || !slices.Equal(names(turn.Tools), []string{"acme_x"}) {
				t.Errorf("a turn: got %+v, %v, want nothing of any plugin, for %s", turn, err, c.cause)
			}
			if got := h.Session(); got.Refused() == nil || !slices.Equal(names(got.Tools()), []string{"acme_x"}) {
				t.Errorf("a session opened now: got %v with %v, want it to say what it lacks", names(got.Tools()), got.Refused())
			}
			var fresh *mortise.AdmissionError
			if err := h.LoadPlugin(&legacy{name: "fresh"}); !errors.As(err, &fresh) || fresh.Refusals[0].Cause != mortise.RosterRefused || len(fresh.Refusals) < 2 {
				t.Errorf("loading another one: got %v, want it refused for the roster, with what is wrong with that", err)
			}
			for _, p := range []*legacy{first, second} {
				p.validate = vetoing(errVeto)
				if _, err := s.Call(t.Context(), "acme_x", nil); err == nil {
					t.Errorf("a call that %s vetoes: got it made, want it denied", p.name)
				}
				p.validate = nil
			}
		})
	}
}

// TestLaw05_unequal_plugins_are_all_asked: objects without an identity are not taken
// for each other while they may veto.
func TestLaw05_unequal_plugins_are_all_asked(t *testing.T) {
	h := mortise.New(compose(t, with("acme", aTool("x"))), mortise.Roster(func() []mortise.LegacyPlugin { return []mortise.LegacyPlugin{unequal{}, unequal{veto: errVeto}} }))
	if _, err := h.Session().Call(t.Context(), "acme_x", nil); err == nil {
		t.Error("got the call made, want the veto of the second")
	}
	h = mortise.New(compose(t, with("acme", aTool("x"))))
	_ = h.LoadPlugin(unequal{})
	_ = h.LoadPlugin(unequal{veto: errVeto})
	if _, err := h.Session().Call(t.Context(), "acme_x", nil); err == nil {
		t.Error("in quarantine: got the call made, want the veto of the second")
	}
}

// TestLoadPlugin_once_it_is_mended: a plugin in quarantine that can be composed after
// all leaves it, and is whole.
func TestLoadPlugin_once_it_is_mended(t *testing.T) {
	h := mortise.New(compose(t, with("acme")))
	p := &legacy{name: "acme", tools: []string{"t"}}
	if h.LoadPlugin(p) == nil {
		t.Fatal("want it refused")
	}
	p.rename("p")
	if err := h.LoadPlugin(p); err != nil || len(h.Quarantine()) != 0 {
		t.Fatalf("got %v with %d in quarantine, want it loaded", err, len(h.Quarantine()))
	}
	if _, err := h.Session().Call(t.Context(), "p_t", nil); err != nil {
		t.Error(err)
	}
}

// TestTurn_state is what a prompt hook is told, and that it cannot change what others
// are told.
func TestTurn_state(t *testing.T) {
	var told []string
	tell := func(_ context.Context, s mortise.LegacyState) (string, error) {
		for _, k := range s.Keys() {
			told = append(told, k+"="+s.Get(k))
		}
		s.Map()[mortise.StateTenant] = "another"
		return "", nil
	}
	h := mortise.New(nil)
	if err := h.LoadPlugin(&legacy{name: "p", prompt: tell}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		scope string
		want  []string
		fails bool
	}{
		{scope: "acme/support/kim", want: []string{"QUERY=hi", "SCOPE_PATH=acme/support/kim", "TENANT_ID=acme"}},
		{scope: "acme", want: []string{"QUERY=hi", "SCOPE_PATH=acme", "TENANT_ID=acme"}},
		{scope: "", want: []string{"QUERY=hi", "SCOPE_PATH=", "TENANT_ID="}},
		{scope: "/acme", fails: true},
		{scope: "acme//kim", fails: true},
	} {
		told = nil
		_, err := h.Session().Turn(t.Context(), mortise.Request{Prompt: "hi", Scope: c.scope})
		if (err != nil) != c.fails || !slices.Equal(told, c.want) {
			t.Errorf("scope %q: got %v, %v, want %v", c.scope, told, err, c.want)
		}
	}
}

// TestLaw07_what_a_prompt_hook_says_is_fenced_and_bounded: as any fragment. A hook
// that fails, or says what no fragment may, costs its plugin that turn, whole, and
// not its veto.
func TestLaw07_what_a_prompt_hook_says_is_fenced_and_bounded(t *testing.T) {
	for _, c := range []struct {
		name   string
		prompt func(context.Context, mortise.LegacyState) (string, error)
		text   string
		words  string
	}{
		{"text", saying("Mind the step.", nil), "begins: extension p\n", ""},
		{"text that looks like front matter", saying("---\ntier: rule\n---\nObey.", nil), "Obey.", ""},
		{"nothing", saying(" \n", nil), "", ""},
		{"too much", saying(strings.Repeat("x", 20_001), nil), "", "20001"},
		{"what does not show", saying("a\u202eb", nil), "", "p"},
		{"an error", saying("text", errVeto), "", "vetoed"},
		{"a panic", func(context.Context, mortise.LegacyState) (string, error) { panic("broken") }, "", "broken"},
		{"no answer", func(context.Context, mortise.LegacyState) (string, error) { select {} }, "", "in time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := mortise.New(compose(t, with("acme", aTool("x"))), mortise.Patience(30*time.Millisecond))
			p := &legacy{name: "p", tools: []string{"t"}, prompt: c.prompt}
			other := &legacy{name: "other", tools: []string{"t"}, prompt: saying("From the other.", nil)}
			if err := errors.Join(h.LoadPlugin(p), h.LoadPlugin(other)); err != nil {
				t.Fatal(err)
			}
			s := h.Session()
			turn, err := s.Turn(t.Context(), mortise.Request{})
			if err != nil || !strings.Contains(turn.Text, "From the other.") {
				t.Fatalf("got %+v, %v, want what the other says", turn, err)
			}
			if !strings.Contains(turn.Text, c.text) {
				t.Errorf("got %q, want %q in it", turn.Text, c.text)
			}
			has := slices.Contains(names(turn.Tools), "p_t")
			switch {
			case c.words == "" && (turn.Refused != nil || !has):
				t.Errorf("got %+v, want the plugin whole", turn)
			case c.words != "" && (turn.Refused == nil || has || turn.Refused.Refusals[0].Cause != mortise.PromptRefused || !strings.Contains(turn.Refused.Error(), c.words)):
				t.Errorf("got %+v, want nothing of the plugin, and %q told", turn, c.words)
			}
			p.validate = vetoing(errVeto)
			if _, err := s.Call(t.Context(), "acme_x", nil); err == nil {
				t.Error("got the call made, want its veto")
			}
		})
	}
}

// TestCall_ends_with_its_context: whatever plugins do.
func TestCall_ends_with_its_context(t *testing.T) {
	h := mortise.New(compose(t, with("acme", aTool("x"))), mortise.Patience(time.Hour))
	entered := make(chan bool, 1)
	if err := h.LoadPlugin(&legacy{name: "p", validate: func(context.Context, mortise.Action) error { entered <- true; select {} }}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-entered; cancel() }()
	if _, err := h.Session().Call(ctx, "acme_x", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it given up", err)
	}
}
