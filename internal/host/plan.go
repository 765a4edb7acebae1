package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
)

// drivers reach what answers hooks.
type drivers map[string]call.Driver

// Call asks what a reference names, by its driver.
func (d drivers) Call(ctx context.Context, ref ext.Ref, argument json.RawMessage) (json.RawMessage, error) {
	driver, ok := d[ref.Driver]
	if !ok {
		return nil, fmt.Errorf("nothing here reaches the driver %s", ext.Quote(ref.Driver))
	}
	return driver.Call(ctx, ref, argument)
}

// Registry is what the hooks of the generation answer. It is that of what is adopted: of a
// workspace that nobody adopted only what its person's own configuration says is in it.
func (g *Generation) Registry(ctx context.Context) *plan.Registry {
	// Who asks first may stop waiting; the registry is that of all who ask later.
	g.planning.Do(func() { g.planned = g.plans.of(context.WithoutCancel(ctx), g.planInputs()) })
	return g.planned
}

// Quiet is the registry as it is without the programs of extensions: making it and asking
// it starts nothing. It is for who looks for something in passing.
func (g *Generation) Quiet(ctx context.Context) *plan.Registry {
	in := g.planInputs()
	in.Caller = g.caller
	return plan.New(ctx, in)
}

// registries keeps the last registry of a host, for generations in which nothing that it
// depends on changed.
type registries struct {
	mu   sync.Mutex
	last *plan.Registry
}

// of is the registry of some inputs. One in which something did not answer is made anew.
func (k *registries) of(ctx context.Context, in plan.Inputs) *plan.Registry {
	k.mu.Lock()
	last := k.last
	k.mu.Unlock()
	if last != nil && last.Unanswered() == "" && last.Digest() == in.Digest() {
		return last
	}
	made := plan.New(ctx, in)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = made
	return made
}

// Plan resolves what should be in a mode.
func (g *Generation) Plan(ctx context.Context, mode ext.Mode) *plan.Plan {
	return g.Registry(ctx).Plan(mode)
}

func (g *Generation) planInputs() plan.Inputs {
	in := plan.Inputs{
		Composition: g.Composition, Specs: g.specs, Worktree: g.Config.Workspace().Dir, Caller: g.caller,
		Tables: map[string]json.RawMessage{}, Settings: map[ext.Name]json.RawMessage{}, Dirs: map[ext.Name]plan.Dirs{},
	}
	for _, r := range g.Config.Rows() {
		if g.Adopted || r.Layer == config.User || r.Layer == config.Managed {
			in.Rows = append(in.Rows, plan.Row{Table: r.Table, Doc: r.Doc, Origin: r.Origin})
		}
	}
	claude, _ := g.Config.Explain("claude.keyless")
	if g.Adopted || claude.Layer == config.User || claude.Layer == config.Managed {
		in.Tables["claude"], _ = json.Marshal(map[string]string{"keyless": claude.Text}) // text always has a form
	}
	for _, p := range slices.Concat(g.Config.Plugins, g.Config.Unplaced(), g.Config.Declared()) {
		if len(p.Settings.Map) > 0 && (g.Adopted || p.Own) {
			in.Settings[p.Name] = surface.JSON(&p.Settings)
		}
	}
	for i := range g.decisions {
		d := &g.decisions[i]
		t := d.Tree()
		if d.Status() != admit.Admitted || t.Root == "" || t.Describes != nil {
			continue
		}
		dirs := plan.Dirs{Root: t.Root}
		if g.dirs != nil {
			dirs.Data = g.dirs(t)
		}
		in.Dirs[t.Extension] = dirs
	}
	in.Caller = programs{dirs: in.Dirs, worktree: in.Worktree, run: g.run, next: g.caller}
	return in
}

// Mode is the mode that the worktree is in now. A level that has ended is in it no more,
// whether or not anything took note of that.
func (h *Host) Mode(ctx context.Context, g *Generation) *plan.Current {
	return g.modeAt(ctx, h.options.Clock())
}

func (g *Generation) modeAt(ctx context.Context, now time.Time) *plan.Current {
	return g.Registry(ctx).Current(ctx, lasting(g.state.LevelsOf(g.Config.Workspace().Dir), now, g.uptime), now)
}

// timedMode is a mode, and until when it holds.
type timedMode struct {
	mode        ext.Mode
	from, until time.Time // until zero: as long as the generation
	boot        string
	lasts       time.Duration // of the boot, when it ends at the latest
}

// modeNow is the mode for who asks at every call. It is found out anew when a level ends,
// or the clock goes back. It is not changed by who gets it.
func (g *Generation) modeNow(ctx context.Context, now time.Time) ext.Mode {
	if known := g.mode.Load(); known != nil && !now.Before(known.from) && (known.until.IsZero() || now.Before(known.until) && g.within(known)) {
		return known.mode
	}
	c := g.modeAt(ctx, now)
	next := &timedMode{mode: c.Mode, from: now}
	for _, until := range c.Until {
		if next.until.IsZero() || until.Before(next.until) {
			next.until = until
		}
	}
	if !next.until.IsZero() {
		next.boot, next.lasts = ending(g.state.LevelsOf(g.Config.Workspace().Dir), next.until.Sub(now), g.uptime)
	}
	if ctx.Err() == nil {
		g.mode.Store(next)
	}
	return c.Mode
}

// modeOf finds out the mode for a policy that reads it: no other call waits for what it
// takes. While something that may declare axes does not answer, the mode is not known.
func (a *Agent) modeOf(ctx context.Context, g *Generation) func() (ext.Mode, error) {
	return func() (ext.Mode, error) {
		if why := g.Registry(ctx).Unanswered(); why != "" {
			return nil, fmt.Errorf("the mode is not known: %s", why)
		}
		return g.modeNow(ctx, a.host.options.Clock()), ctx.Err()
	}
}

// within reports whether a mode that ends has not yet, by how long the machine has run.
func (g *Generation) within(m *timedMode) bool {
	boot, lasted := g.uptime()
	return boot == m.boot && lasted < m.lasts
}

// AnswerMeaning is an answer to a hook that has a name for its key: a variable, a daemon,
// an axis, a service, a secret.
type AnswerMeaning struct {
	Hook      string          `json:"hook"`
	Key       string          `json:"key"`
	Value     json.RawMessage `json:"value"`
	Extension string          `json:"extension"` // "": the configuration
	Entry     string          `json:"entry"`     // what answered; "": the configuration
	Path      string          `json:"path"`
	Line      int             `json:"line"`
	Rule      string          `json:"rule"` // the word of the rule by which answers merge
	RuleDoc   string          `json:"rule_doc"`
	Lost      bool            `json:"lost"`    // another one has the key
	LostTo    string          `json:"lost_to"` // which; "" with lost: the configuration
}

// ExplainAnswers are the answers to hooks that have a name for their key, in the mode that
// the worktree was in when the generation was made.
//
// Programs of extensions are asked only where ask is set; else what they would answer is
// missing.
func (g *Generation) ExplainAnswers(ctx context.Context, name string, ask bool) []AnswerMeaning {
	out := []AnswerMeaning{}
	registry := g.Quiet
	if ask {
		registry = g.Registry
	}
	r := registry(ctx)
	p := r.Plan(r.Current(ctx, lasting(g.state.LevelsOf(g.Config.Workspace().Dir), g.at, g.uptime), g.at).Mode)
	add := func(s *surface.Spec, a *plan.Given, lost bool, to string) {
		value, err := ext.EncodeJSON(a.Value)
		if a.Key == name && err == nil {
			out = append(out, AnswerMeaning{s.Name, a.Key, value, string(a.Extension), a.Entry, a.Origin.Path, a.Origin.Line, s.Answers.Merge.String(), s.Answers.Merge.Doc(), lost, to})
		}
	}
	for _, s := range r.Hooks() {
		if s.Answers.Merge == surface.Append {
			continue
		}
		gathered := p.Gather(ctx, s)
		for i := range gathered.Answers {
			add(s, &gathered.Answers[i], false, "")
		}
		for i := range gathered.Shadowed {
			add(s, &gathered.Shadowed[i].Lost, true, gathered.Shadowed[i].Kept.Entry)
		}
	}
	return out
}

// ModeChange is the outcome of setting a mode.
type ModeChange struct {
	From, To *plan.Current
	Warnings []plan.Issue
	// Gone are worktrees that are not there any more and whose levels were forgotten.
	Gone []string
}

// SetMode sets axes of the worktree, all at once or none. Of two at once the second sees
// what the first did. The change is written into the history.
func (h *Host) SetMode(ctx context.Context, g *Generation, c plan.Change, by string) (*ModeChange, error) {
	if err := g.settable(); err != nil {
		return nil, err
	}
	r, w := g.Registry(ctx), g.Config.Workspace().Dir
	var out ModeChange
	now := h.options.Clock()
	gone, err := h.changeLevels(ctx, w, func(was []state.Level) ([]state.Level, error) {
		out.From = r.Current(ctx, lasting(was, now, h.options.Uptime), now)
		to, warnings, err := r.Set(ctx, out.From, c, now)
		if err != nil {
			return nil, err
		}
		out.To, out.Warnings = to, warnings
		return h.sinceBefore(was, slices.Concat(r.Levels(to, w, by, now), unheard(r, was))), nil
	})
	out.Gone = gone
	if refused := new(plan.Refused); errors.As(err, &refused) {
		asked := plan.Arguments(c.Updates) + ": " + refused.Error()
		if noting := h.noteMode(ctx, g, "denied", asked, by); noting != nil {
			err = fmt.Errorf("%w; and %w", err, noting)
		}
	}
	if err != nil {
		return nil, err
	}
	if ended := slices.Concat(out.From.Lapsed, out.From.Lowered); len(ended) > 0 { // nobody wrote that down yet
		if err := h.noteMode(ctx, g, "ended", strings.Join(ended, ", "), "time"); err != nil {
			return nil, fmt.Errorf("the mode is set, but %w", err)
		}
	}
	if err := h.noteMode(ctx, g, "set", changeText(out.From, out.To, r), by); err != nil {
		return nil, fmt.Errorf("the mode is set, but %w", err)
	}
	return &out, nil
}

// settable is why no mode is set here, whatever it is.
func (g *Generation) settable() error {
	switch {
	case !g.Adopted:
		return ext.AsRefused(errors.New("the workspace is not adopted, so that it has no mode: mortise trust shows what would run, and adopts it"))
	case len(g.Config.Broken()) > 0:
		return ext.AsRefused(errors.New("the configuration could not be read whole, so that it is not known what it forbids; mend it first (mortise list names the file and the line)"))
	}
	return nil
}

// TryMode is SetMode that sets nothing.
func (h *Host) TryMode(ctx context.Context, g *Generation, c plan.Change) (*ModeChange, error) {
	if err := g.settable(); err != nil {
		return nil, err
	}
	from := h.Mode(ctx, g)
	to, warnings, err := g.Registry(ctx).Set(ctx, from, c, h.options.Clock())
	if err != nil {
		return nil, err
	}
	return &ModeChange{From: from, To: to, Warnings: warnings}, nil
}

// Borrow is the mode that a change would lead to, for something that has it for itself
// alone. An emergency level cannot be borrowed: nothing would end it.
func (h *Host) Borrow(ctx context.Context, g *Generation, c plan.Change) (*plan.Current, error) {
	done, err := h.TryMode(ctx, g, c)
	if err != nil {
		return nil, err
	}
	for _, u := range c.Updates {
		if _, ends := done.To.Until[u.Axis]; ends {
			return nil, ext.AsRefused(fmt.Errorf("%s=%s is an emergency level, which has to be set so that it ends: mortise mode %s=%s --ttl 30m", u.Axis, u.Level, u.Axis, u.Level))
		}
	}
	return done.To, nil
}

// noteMode writes what became of a mode into the history and the log of calls.
func (h *Host) noteMode(ctx context.Context, g *Generation, outcome, text, by string) error {
	w, now := g.Config.Workspace(), h.options.Clock()
	event := state.Event{Kind: "mode", Subject: ext.Shorten(w.Dir, 300), Text: ext.Shorten(outcome+": "+text, 500), By: by, At: now.UTC()}
	if err := h.options.Store.Append(ctx, event); err != nil {
		return fmt.Errorf("the history could not be written: %w", err)
	}
	if h.options.Note == nil {
		return nil
	}
	err := h.options.Note(ctx, Logged{Time: now, Kind: "mode", Outcome: outcome, Digest: g.Digest(), Number: g.Number, Workspace: w.ID, By: []string{by}, Reason: text})
	if err != nil {
		return fmt.Errorf("the log of calls could not be written: %w", err)
	}
	return nil
}

// SettleMode writes down that levels have ended and what rests because of it, if any did.
// Nothing depends on it: what has ended is in force for nobody.
func (h *Host) SettleMode(ctx context.Context, g *Generation) (*plan.Current, error) {
	r, w := g.Registry(ctx), g.Config.Workspace().Dir
	now := h.options.Clock()
	c := g.modeAt(ctx, now)
	if len(c.Lapsed)+len(c.Lowered) == 0 {
		return c, nil
	}
	_, err := h.changeLevels(ctx, w, func(was []state.Level) ([]state.Level, error) {
		c = r.Current(ctx, lasting(was, now, h.options.Uptime), now)
		return h.sinceBefore(was, slices.Concat(r.Levels(c, w, "time", now), unheard(r, was))), nil
	})
	if err != nil {
		return c, fmt.Errorf("write down that levels have ended: %w", err)
	}
	return c, h.noteMode(ctx, g, "ended", strings.Join(slices.Concat(c.Lapsed, c.Lowered), ", "), "time")
}

// errMoved says that what is remembered is another by now.
var errMoved = errors.New("the mode was changed by somebody else again and again; try once more")

// changeLevels has a worktree be at what decide makes of what it is at. Deciding asks code,
// which may take its time, so that nobody waits for it: where somebody else changed
// something meanwhile, it is decided anew. gone are worktrees that are not there and were
// forgotten.
func (h *Host) changeLevels(ctx context.Context, worktree string, decide func(was []state.Level) ([]state.Level, error)) (gone []string, err error) {
	for range 10 {
		before, err := h.options.Store.Load(ctx)
		if err != nil {
			return nil, err
		}
		was := before.LevelsOf(worktree)
		is, err := decide(was)
		if err != nil {
			return nil, err
		}
		err = h.options.Store.Update(ctx, func(s *state.Snapshot) error {
			if !slices.EqualFunc(s.LevelsOf(worktree), was, sameLevel) {
				return errMoved
			}
			for _, l := range was {
				s.Remove(l)
			}
			for _, l := range is {
				s.Put(l)
			}
			gone = forgetGone(s)
			return nil
		})
		if !errors.Is(err, errMoved) {
			return gone, err
		}
	}
	return nil, errMoved
}

func sameLevel(a, b state.Level) bool {
	return a.Axis == b.Axis && a.Level == b.Level && a.Until.Equal(b.Until) && a.At.Equal(b.At) && a.By == b.By
}

// sinceBefore is what is to be remembered of a mode. A level that stays keeps when it began:
// reading it again must not lengthen it.
func (h *Host) sinceBefore(was, is []state.Level) []state.Level {
	boot, lasted := h.options.Uptime()
	for i := range is {
		l := &is[i]
		if at := slices.IndexFunc(was, func(w state.Level) bool { return w.Axis == l.Axis && w.Level == l.Level && w.Until.Equal(l.Until) }); at >= 0 {
			l.At, l.By, l.Boot, l.Uptime = was[at].At, was[at].By, was[at].Boot, was[at].Uptime
		} else if !l.Until.IsZero() {
			l.Boot, l.Uptime = boot, lasted
		}
	}
	return is
}

// unheard are the levels of axes that there are not because something that may declare them
// did not answer: one late answer is no reason to forget what a person set.
func unheard(r *plan.Registry, was []state.Level) []state.Level {
	if r.Unanswered() == "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(was), func(l state.Level) bool { return r.Axis(l.Axis) != nil })
}

// forgetGone forgets the levels of worktrees whose directory is not there: they would be
// those of whatever comes to lie there.
func forgetGone(s *state.Snapshot) []string {
	var gone []string
	for _, l := range slices.Clone(s.Levels) {
		if !slices.Contains(gone, l.Worktree) {
			if _, err := os.Lstat(l.Worktree); !errors.Is(err, fs.ErrNotExist) {
				continue
			}
			gone = append(gone, l.Worktree)
		}
		s.Remove(l)
	}
	return gone
}

// changeText says what a change did, for the history.
func changeText(from, to *plan.Current, r *plan.Registry) string {
	var all []plan.Update
	ends := ""
	for _, a := range r.Axes() {
		name := a.Value.Name
		if from.Mode[name] != to.Mode[name] || !from.Until[name].Equal(to.Until[name]) {
			all = append(all, plan.Update{Axis: name, Level: to.Mode[name]})
			if until := to.Until[name]; !until.IsZero() {
				ends = " until " + until.Format(time.RFC3339)
			}
		}
	}
	if len(all) == 0 {
		return "nothing changed"
	}
	return plan.Arguments(all) + ends
}
