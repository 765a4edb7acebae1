package mortise_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise"
	"github.com/mortise-dev/mortise/ext"
)

// What follows plays sequences of all that may happen to a host with plugins, beside
// a model that knows nothing of how a host does it: who is asked about a call, and
// what composes, is said once more, in sets and names.

// says is what a plugin's veto does.
type says int

const (
	passes says = iota
	denies
	panics
	isLate // it answers, without an objection, when its time is over
	deniesX
	endOfSays
)

func (s says) vetoes(tool string) bool { return s != passes && (s != deniesX || tool == "x") }

func (s says) validate(ctx context.Context, a mortise.Action) error {
	switch {
	case s == panics:
		panic("as the model says")
	case s == isLate:
		<-ctx.Done()
	case s.vetoes(a.Tool):
		return errVeto
	}
	return nil
}

// step is one thing that happens.
type step struct {
	Do      string
	Plugin  int
	Session int
	Name    string
	Says    says
	Tool    string
}

var (
	deeds      = []string{"load", "load", "load", "forget", "list", "unlist", "rename", "say", "open", "call", "call", "call"}
	playNames  = []string{"a", "b", "acme", "Not A Name"}
	toolsOf    = [][]string{{"t"}, {"u"}, {"t"}, {"kept"}, nil}
	playTools  = []string{"x", "w", "q", "t", "u", "kept"}
	playBroken = []bool{false, false, false, false, true}
)

// drawn is a sequence: how plugins begin, and what happens, the latter at times while
// a call is in flight.
type drawn struct {
	Names []string
	Says  []says
	Steps []step
	Races []bool
}

func draw(t *rapid.T) (d drawn) {
	for range toolsOf {
		d.Names = append(d.Names, rapid.SampledFrom(playNames).Draw(t, "name"))
		d.Says = append(d.Says, says(rapid.IntRange(0, int(endOfSays)-1).Draw(t, "says")))
		if rapid.Bool().Draw(t, "harmless") {
			d.Says[len(d.Says)-1] = passes
		}
	}
	for range rapid.IntRange(1, 16).Draw(t, "steps") {
		d.Steps = append(d.Steps, step{
			rapid.SampledFrom(deeds).Draw(t, "do"), rapid.SampledFrom([]int{0, 0, 0, 1, 1, 2, 3, 4}).Draw(t, "plugin"), rapid.IntRange(0, 3).Draw(t, "session"),
			rapid.SampledFrom(playNames).Draw(t, "new name"), says(rapid.IntRange(0, int(endOfSays)-1).Draw(t, "new says")), rapid.SampledFrom(playTools).Draw(t, "tool"),
		})
		d.Races = append(d.Races, rapid.IntRange(0, 3).Draw(t, "race") == 0)
	}
	return d
}

// memo is what was learned of a plugin when it was first met.
type memo struct{ name string }

type plays struct {
	plugins []*legacy
	names   []string
	says    []says
	// The model.
	list, loaded, quarantine []int
	memos                    map[int]*memo
	sealed                   []map[string]sealedTool
	// What is held to it.
	mu       sync.Mutex
	roster   []mortise.LegacyPlugin
	host     *mortise.Host
	sessions []*mortise.Session
}

// sealedTool is whose a tool of a session is; memo nil: a provider's.
type sealedTool struct {
	plugin int
	memo   *memo
}

func (p *plays) live(more ...int) (out []int) {
	for _, i := range slices.Concat(p.list, p.loaded, more) {
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// meet is a reading of the roster: what is new is learned, what is gone is forgotten.
func (p *plays) meet(live []int) {
	for i := range p.memos {
		if !slices.Contains(live, i) {
			delete(p.memos, i)
		}
	}
	for _, i := range live {
		if p.memos[i] == nil {
			p.memos[i] = &memo{p.names[i]}
		}
	}
}

// composes reports whether plugins can be composed with the providers, whole.
func (p *plays) composes(live []int) bool {
	names, tools := []string{"acme", "rules"}, []string{"x", "w", "q", "kept"}
	for _, i := range live {
		name := p.memos[i].name
		if playBroken[i] || p.names[i] != name || name == "Not A Name" || slices.Contains(names, name) {
			return false
		}
		names = append(names, name)
		for _, t := range toolsOf[i] {
			if slices.Contains(tools, t) {
				return false
			}
			tools = append(tools, t)
		}
	}
	return true
}

// allows is what the model has to say to a call; known is false for a tool that the
// session does not have.
func (p *plays) allows(session int, tool string) (allowed, known bool) {
	of, known := p.sealed[session][tool]
	if !known {
		return false, false
	}
	live := p.live()
	if of.memo != nil && (!p.composes(live) || p.memos[of.plugin] != of.memo || !slices.Contains(live, of.plugin)) {
		return false, true
	}
	for _, i := range append(live, p.quarantine...) {
		if p.says[i].vetoes(tool) {
			return false, true
		}
	}
	return tool != "w", true // a policy denies that one; of q the person is asked, who consents
}

// do does a step, to the host and to the model. It returns what differs.
func (p *plays) do(s step) string {
	i := s.Plugin
	x := p.plugins[i]
	switch s.Do {
	case "load":
		if wrong := p.load(i); wrong != "" {
			return wrong
		}
	case "forget":
		before := len(p.loaded) + len(p.quarantine)
		is := func(q int) bool { return q == i }
		p.loaded, p.quarantine = slices.DeleteFunc(p.loaded, is), slices.DeleteFunc(p.quarantine, is)
		delete(p.memos, i)
		if got, want := p.host.Forget(x), len(p.loaded)+len(p.quarantine) < before; got != want {
			return fmt.Sprintf("Forget: got %v, want %v", got, want)
		}
	case "list":
		p.list = append(p.list, i)
		p.mu.Lock()
		p.roster = append(slices.Clip(p.roster), x)
		p.mu.Unlock()
	case "unlist":
		p.list = slices.DeleteFunc(p.list, func(q int) bool { return q == i })
		p.mu.Lock()
		p.roster = slices.DeleteFunc(slices.Clone(p.roster), func(q mortise.LegacyPlugin) bool { return q == x })
		p.mu.Unlock()
	case "rename":
		p.names[i] = s.Name
		x.rename(s.Name)
	case "say":
		p.say(i, s.Says)
	case "open":
		p.open()
	}
	return p.look()
}

func (p *plays) load(i int) string {
	if p.memos[i] == nil || playBroken[i] || p.memos[i].name == "Not A Name" || slices.Contains(p.quarantine, i) {
		p.memos[i] = &memo{p.names[i]}
	}
	want := p.composes(p.live(i))
	switch {
	case slices.Contains(p.loaded, i):
	case want:
		p.quarantine = slices.DeleteFunc(p.quarantine, func(q int) bool { return q == i })
		p.loaded = append(p.loaded, i)
	case !slices.Contains(p.quarantine, i):
		p.quarantine = append(p.quarantine, i)
	}
	err := p.host.LoadPlugin(p.plugins[i])
	var refused *mortise.AdmissionError
	if (err == nil) != want || err != nil && (!errors.As(err, &refused) || len(refused.Refusals) == 0 || refused.Refusals[0].Cause == "" || refused.Refusals[0].Reason == "") {
		return fmt.Sprintf("LoadPlugin: got %v, want it loaded: %v", err, want)
	}
	return ""
}

func (p *plays) say(i int, s says) {
	p.says[i] = s
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plugins[i].mu.Lock()
	defer p.plugins[i].mu.Unlock()
	p.plugins[i].validate = s.validate
}

func (p *plays) open() {
	live := p.live()
	p.meet(live)
	tools := map[string]sealedTool{"x": {}, "w": {}, "q": {}}
	if p.composes(live) {
		for _, i := range live {
			for _, t := range toolsOf[i] {
				tools[t] = sealedTool{i, p.memos[i]}
			}
		}
	}
	p.sealed = append(p.sealed, tools)
	p.sessions = append(p.sessions, p.host.Session())
}

// look is a turn of the first session: all of the roster is offered, or nothing.
func (p *plays) look() string {
	live := p.live()
	p.meet(live)
	turn, err := p.sessions[0].Turn(context.Background(), mortise.Request{})
	if want := p.composes(live); err != nil || (turn.Refused == nil) != want {
		return fmt.Sprintf("a turn: got %+v, %v, want all plugins in use: %v", turn, err, want)
	}
	if got, want := len(p.host.Quarantine()), len(p.quarantine); got != want {
		return fmt.Sprintf("got %d plugins in quarantine, want %d", got, want)
	}
	if got, want := len(p.host.Plugins()), len(p.loaded); got != want {
		return fmt.Sprintf("got %d plugins loaded, want %d", got, want)
	}
	for n, s := range p.sessions {
		var want []string
		for tool := range p.sealed[n] {
			want = append(want, tool)
		}
		slices.Sort(want)
		if got := names(s.Tools()); !slices.Equal(got, want) {
			return fmt.Sprintf("session %d: got the tools %v, want them sealed: %v", n, got, want)
		}
	}
	return ""
}

// play plays a sequence. It returns what differs, "" where nothing does.
func (d drawn) play(composed *mortise.Composed) string {
	p := &plays{names: slices.Clone(d.Names), says: slices.Clone(d.Says), memos: map[int]*memo{}}
	for i := range toolsOf {
		x := &legacy{name: d.Names[i], tools: toolsOf[i]}
		if playBroken[i] {
			x.onTools = func() { panic("as the model says") }
		}
		p.plugins = append(p.plugins, x)
		p.say(i, d.Says[i])
	}
	p.host = mortise.New(composed, mortise.Roster(func() []mortise.LegacyPlugin {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.roster
	}), mortise.AskPerson(func(context.Context, mortise.Question) (bool, error) { return true, nil }))
	defer p.host.Close()
	p.open()
	for n, s := range d.Steps {
		session := s.Session % len(p.sessions)
		was, _ := p.allows(session, s.Tool)
		var made chan error
		if d.Races[n] {
			made = make(chan error, 1)
			of := p.sessions[session]
			go func() { _, err := of.Call(context.Background(), s.Tool, nil); made <- err }()
		}
		if wrong := p.do(s); wrong != "" {
			return fmt.Sprintf("step %d, %+v: %s", n, s, wrong)
		}
		is, known := p.allows(session, s.Tool)
		if made != nil {
			if err := <-made; err == nil && !was && !is {
				return fmt.Sprintf("step %d, %+v: a call in flight was made, and neither before nor after the model allows it", n, s)
			}
		}
		_, err := p.sessions[session].Call(context.Background(), s.Tool, nil)
		var denied *mortise.Denied
		switch {
		case (err == nil) != is:
			return fmt.Sprintf("step %d, %+v: got %v, want an allow: %v", n, s, err, is)
		case err != nil && known != errors.As(err, &denied), err != nil && !known && ext.KindOf(err) != ext.Usage:
			return fmt.Sprintf("step %d, %+v: got %v, want a denial of a tool that is there: %v", n, s, err, known)
		}
	}
	return ""
}

// providersOfPlay has a tool that nobody guards, one that a policy denies, and one
// that a guard asks about.
func providersOfPlay(t testing.TB) *mortise.Composed {
	c, err := mortise.Compose([]mortise.Provider{with("acme", aTool("x"), aTool("w"), aTool("q")), mortise.Contribution{
		Extension: "rules",
		Policies:  []mortise.Policy{{Name: "no-w", Outcome: mortise.Deny, Message: "no", Tools: []string{"w"}}},
		Guards:    []mortise.Guard{{Name: "ask-q", Tools: []string{"q"}, Judge: judging(mortise.Opinion{Verdict: mortise.Ask, Reason: "sure?"}, nil)}},
	}}, mortise.PlainToolNames(), mortise.ReservedToolNames("kept"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// inBubble plays a sequence where time passes as soon as everybody waits.
func inBubble(t *testing.T, rt *rapid.T, composed *mortise.Composed) {
	d, wrong := draw(rt), ""
	synctest.Test(t, func(*testing.T) { wrong = d.play(composed) })
	if wrong != "" {
		rt.Fatalf("%s\nof %+v", wrong, d)
	}
}

// TestLaw05_no_path_from_a_refusal_to_an_allow plays random rosters, renames, loads,
// what is forgotten, vetoes that deny, panic and are late, and loads while calls are
// in flight, and wants each call as the model has it: never allowed where that denies.
func TestLaw05_no_path_from_a_refusal_to_an_allow(t *testing.T) {
	composed := providersOfPlay(t)
	for range 20 { // of a hundred each
		rapid.Check(t, func(rt *rapid.T) { inBubble(t, rt, composed) })
	}
}

func FuzzRosters(f *testing.F) {
	composed := providersOfPlay(f)
	f.Fuzz(func(t *testing.T, input []byte) {
		rapid.MakeFuzz(func(rt *rapid.T) { inBubble(t, rt, composed) })(t, input)
	})
}

// TestLoadPlugin_of_two_with_one_name_admits_one: trials that run beside each other
// do not admit what cannot be composed together.
func TestLoadPlugin_of_two_with_one_name_admits_one(t *testing.T) {
	h := mortise.New(nil)
	var both, all sync.WaitGroup
	both.Add(2)
	errs := make([]error, 2)
	for i := range errs {
		all.Go(func() {
			errs[i] = h.LoadPlugin(&legacy{name: "a", onTools: func() { both.Done(); both.Wait() }})
		})
	}
	all.Wait()
	if (errs[0] == nil) == (errs[1] == nil) || len(h.Plugins()) != 1 || len(h.Quarantine()) != 1 {
		t.Errorf("got %v with %d loaded and %d in quarantine, want one of each", errs, len(h.Plugins()), len(h.Quarantine()))
	}
}

// TestLaw05_loads_beside_calls_lose_no_veto has one plugin in quarantine that denies,
// while others are loaded, renamed, listed and forgotten by everybody at once: no call
// is ever made.
func TestLaw05_loads_beside_calls_lose_no_veto(t *testing.T) {
	var mu sync.Mutex
	var list []mortise.LegacyPlugin
	h := mortise.New(providersOfPlay(t), mortise.Roster(func() []mortise.LegacyPlugin {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(list)
	}))
	if h.LoadPlugin(&legacy{name: "acme", validate: vetoing(errVeto)}) == nil {
		t.Fatal("want it refused")
	}
	plugins := []*legacy{{name: "a", tools: []string{"t"}}, {name: "b", tools: []string{"u"}}, {name: "a"}, {name: "c", tools: []string{"kept"}}}
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := range 60 {
				p := plugins[(n+i)%len(plugins)]
				switch (n*7 + i) % 5 {
				case 0, 1:
					_ = h.LoadPlugin(p)
				case 2:
					h.Forget(p)
				case 3:
					p.rename([]string{"a", "b", "d"}[i%3])
				case 4:
					mu.Lock()
					list = []mortise.LegacyPlugin{p}
					mu.Unlock()
				}
			}
		})
		all.Go(func() {
			for range 60 {
				s := h.Session()
				for _, tool := range names(s.Tools()) {
					if _, err := s.Call(t.Context(), tool, nil); err == nil {
						t.Errorf("%s was called although it is vetoed", tool)
					}
				}
			}
		})
	}
	all.Wait()
}
