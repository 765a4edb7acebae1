package host

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Checks on a pass.
var (
	SourceFailed = &ext.Check{
		Code: "source-failed", Severity: ext.Error,
		Doc: "A source could not be read. What it offers is missing.",
		Fix: "Mend what the message names.",
	}
	NotAdopted = &ext.Check{
		Code: "workspace-not-adopted", Severity: ext.Warning,
		Doc: "The workspace is not adopted: it is listed and checked, and nothing of it reaches an agent.",
		Fix: "mortise session shows what adoption would give. mortise trust shows what would run, and adopts it.",
	}
	StateUnreadable = &ext.Check{
		Code: "state-unreadable", Severity: ext.Error,
		Doc: "What is remembered cannot be read, so nothing counts as adopted, granted or disabled, and nothing of the workspace reaches an agent.",
		Fix: "Mend what the message names. Nothing is reset by itself.",
	}
	OwnBroken = &ext.Check{
		Code: "own-configuration-broken", Severity: ext.Error,
		Doc: "The person's own configuration, or the machine's, could not be read whole. What it forbids is not known, so nothing of the workspace reaches an agent.",
		Fix: "Mend the file that the other finding names.",
	}
	FolderUnnamed = &ext.Check{
		Code: "project-folder-unnamed", Severity: ext.Info,
		Doc: "A folder in which the project keeps entries for another client is not named in mortise.toml, or a file of the project's lies beside such a folder, which no name brings in. Nothing of it is in use here.",
		Fix: "Name it in mortise.toml as a plugin, or leave it to its client.",
	}
	AdoptionLapsed = &ext.Check{
		Code: "adoption-lapsed", Severity: ext.Warning,
		Doc: "What runs, connects or guards in the workspace, or its configuration, changed since it was adopted. What was adopted goes on, with the configuration as it was; what is new or changed waits.",
		Fix: "mortise trust --diff shows what changed; mortise trust adopts it.",
	}
)

// Checks lists what a pass can find.
var Checks = []*ext.Check{LockBroken, LockDrift, SourceFailed, StateUnreadable, OwnBroken, NotAdopted, AdoptionLapsed, FolderUnnamed, NameTaken, Quarantined, OverBudget, Unjudged, IndexFailed, SetupDue, SetupUndeclared}

// run makes one generation. It is a list of stages; state and configuration
// are read first and are values from then on.
//
// The workspace is read as if it were adopted. If what that has of effects was
// adopted, this is the outcome. Else what was adopted here last goes on: its
// configuration, and of its effects those that are as they were. Else nothing
// of the workspace is in use.
//
// vouched: links of the owner's that lead outside are followed although nobody
// adopted the workspace yet, to show what adopting it would give.
func (h *Host) run(ctx context.Context, vouched bool) (*Generation, error) {
	p, err := h.begin(ctx)
	if err != nil {
		return nil, err
	}
	p.unnamed()
	p.locked()
	p.unplaced()
	vouched = vouched || p.state.AdoptedOnce(p.id())
	now, err := p.read(ctx, p.config, vouched, p.rules(p.config, true))
	if err != nil {
		return nil, err
	}
	g := &Generation{specs: h.options.Specs, alive: h.alive, caller: drivers(h.options.Drivers), run: h.options.answering(), uptime: h.options.Uptime, plans: &h.plans, dirs: h.options.Data, now: p.config, known: p.known(), effects: p.effects(now.config, now.decisions), proposed: now.decisions}
	g.Effects = sum(g.effects)
	g.trial = sync.OnceValue(func() *compose.Composition { return p.trial(now) })
	g.consents = admit.Consents(now.decisions)
	use := now
	if g.Adopted = p.known() && p.adoptedAs(g.Effects); !g.Adopted {
		if use, err = p.withoutAdoption(ctx, g, now, vouched); err != nil {
			return nil, err
		}
	}
	g.Config, g.decisions, g.unread, g.read = use.config, use.decisions, use.unread, use.read
	g.setups = h.setupsOf(g.decisions)
	g.findings = slices.Concat(p.findings, g.findings, use.findings, p.prepared(g), p.undeclared(g.decisions))
	g.Composition = p.compose(use)
	g.state, g.kept = p.state, h.keptOf(g)
	g.guarding = sync.OnceValue(func() *guard.Set {
		m := p.members(g)
		m.Composition = g.Composition
		return guard.New(m)
	})
	g.revision, g.lapses, g.unanswered, g.at = p.state.Revision, p.lapses, p.unanswered, p.now
	return g, nil
}

// withoutAdoption is the workspace when what it is now was not adopted.
func (p *pass) withoutAdoption(ctx context.Context, g *Generation, now *reading, vouched bool) (*reading, error) {
	told := NotAdopted
	if !p.known() {
		told = OwnBroken
	}
	if was, ok := p.adopted(); ok && p.known() {
		return p.fallBack(ctx, g, was)
	}
	r, err := p.again(ctx, now, vouched)
	if err == nil && slices.ContainsFunc(r.candidates, func(c discover.Candidate) bool { return admit.OfWorkspace(c.Tree()) }) {
		g.findings.Add(told.At(ext.Origin{}, "nothing of this workspace reaches an agent"))
	}
	return r, err
}

// again is what was read, judged as nobody adopted it. Where links that lead
// outside were followed it is read anew without.
func (p *pass) again(ctx context.Context, now *reading, vouched bool) (*reading, error) {
	rules := p.rules(p.config, false)
	if vouched {
		return p.read(ctx, p.config, false, rules)
	}
	r := *now
	r.rules, r.decisions = rules, admit.Decide(now.candidates, rules)
	return &r, nil
}

// adoptedAs reports whether the workspace was adopted with exactly these effects.
// In a directory that was adopted the last time counts alone, since who can put
// the workspace back to an earlier one could take a guard away with it.
func (p *pass) adoptedAs(effects ext.Digest) bool {
	w := p.config.Workspace()
	if last, own, ok := p.state.LastAdoption(w.ID, w.Dir); ok && own {
		return last.Digest == effects
	}
	return p.state.Adopted(w.ID, effects)
}

// adopted is what was last adopted in this very directory, or else in another
// worktree of the repository.
func (p *pass) adopted() (adopted, bool) {
	w := p.config.Workspace()
	last, _, ok := p.state.LastAdoption(w.ID, w.Dir)
	if !ok {
		return adopted{}, false
	}
	was, ok := readAdopted(last.Snapshot)
	// Another directory that took this one's place was not adopted.
	return was, ok && slices.Contains(was.Effects, effect(kindIdentity, w.Mark, "", ext.Origin{}))
}

// fallBack reads the workspace as it was adopted.
func (p *pass) fallBack(ctx context.Context, g *Generation, was adopted) (*reading, error) {
	cfg, _, err := p.host.options.Configure(&was.Files)
	if err != nil {
		return nil, err
	}
	if err := cfg.Unanswered(); err != nil {
		p.note(err, root.Device(err))
	}
	g.Adopted, g.Lapsed = true, difference(was.Effects, g.effects)
	g.findings.Add(AdoptionLapsed.At(ext.Origin{}, "since it was adopted: %s", summary(g.Lapsed)))
	rules := p.rules(cfg, true)
	rules.Consented = was.consented()
	r, err := p.read(ctx, cfg, false, rules) // links that lead outside are not followed
	if err != nil {
		return nil, err
	}
	for i := range r.candidates {
		t := r.candidates[i].Tree()
		if e, led := ledRoot(cfg.Workspace().Dir, t); led && admit.OfWorkspace(t) && !rules.Consented[e.Key] {
			if r.rules.Held == nil {
				r.rules.Held = map[ext.Name]string{}
			}
			r.rules.Held[t.Extension] = "its directory leads elsewhere than when the workspace was adopted"
		}
	}
	if r.rules.Held != nil {
		r.decisions = admit.Decide(r.candidates, r.rules)
	}
	return r, nil
}

// pass is what the stages of one pass depend on.
type pass struct {
	host     *Host
	config   *config.Config
	state    state.Snapshot
	now      time.Time
	lapses   time.Time // when the next grant ends; zero: none does
	findings ext.Findings
	unanswered
}

// begin reads the configuration and the state. A host that only looks goes on
// without a state that it cannot read: then nothing counts as adopted or
// granted, and a finding says so.
func (h *Host) begin(ctx context.Context) (*pass, error) {
	cfg, findings, err := h.options.Configure(nil)
	if err != nil {
		return nil, err
	}
	snap, err := h.options.Store.Load(ctx)
	if err != nil && !h.options.Look {
		return nil, fmt.Errorf("load the state: %w", err)
	}
	if err != nil {
		snap = state.Snapshot{}
		findings = append(findings[:len(findings):len(findings)], StateUnreadable.At(ext.Origin{}, "%s", ext.Escape(err.Error())))
	}
	if was := h.Now(); was != nil {
		share(&snap, &was.state)
	}
	now := h.options.Clock()
	p := &pass{host: h, config: cfg, now: now, findings: findings}
	p.lapses, _ = snap.NextLapse(now)
	p.state = snap.At(now)
	if err := cfg.Unanswered(); err != nil {
		p.note(err, root.Device(err))
	}
	h.addTo(&p.state)
	return p, nil
}

// share has a state hold what servers said of themselves in the same strings as the
// one before where it is the same. It is by far the most of what is remembered, and
// what was read of it is kept.
func share(now, was *state.Snapshot) {
	for i := range now.Descriptions {
		for j := range was.Descriptions {
			if now.Descriptions[i].Content == was.Descriptions[j].Content {
				now.Descriptions[i].Content = was.Descriptions[j].Content
				break
			}
		}
	}
}

// unnamed tells of folders that the configuration could name, and of the files
// beside them, which no name brings in.
func (p *pass) unnamed() {
	if p.host.options.Unnamed == nil {
		return
	}
	for _, f := range p.host.options.Unnamed(p.config) {
		if f.Name == "" {
			p.findings.Add(FolderUnnamed.At(ext.Origin{Path: f.Beside}, "%s is a file of the format %s that declares something, and is not read in a workspace", ext.Quote(f.Beside), f.Format).
				With("%s", source.OwnServers))
			continue
		}
		what := fmt.Sprintf("%s is a folder of the format %s with entries of %s, and mortise.toml does not name it", ext.Quote(f.Name), f.Format, strings.Join(f.Surfaces, ", "))
		todo := fmt.Sprintf("To use it here, write in mortise.toml [plugins.%s] and below it path = %q.", f.Format, "./"+f.Name)
		if f.Beside != "" {
			what += fmt.Sprintf("; %s beside it is not read in a workspace", ext.Quote(f.Beside))
			todo += " " + source.OwnServers
		}
		p.findings.Add(FolderUnnamed.At(ext.Origin{Path: f.Name}, "%s", what).With("%s", todo))
	}
}

func (p *pass) id() string { return p.config.Workspace().ID }

// known reports whether everything that the person and the machine forbid is
// known: their own files could be read whole.
func (p *pass) known() bool {
	return !slices.ContainsFunc(p.config.Broken(), func(l config.Layer) bool { return l == config.User || l == config.Managed })
}

func (p *pass) rules(c *config.Config, adopted bool) admit.Rules {
	_, personal := c.Personal()
	r := admit.Rules{
		Adopted:   adopted,
		Whole:     c.Trust.Whole,
		WholeOwn:  personal.Whole,
		State:     &p.state,
		Workspace: p.id(),
		Now:       p.now,
		Off:       map[ext.Name]string{},
		Drivers:   p.host.drivers(),
		Asked:     map[string]bool{},
	}
	r.First = p.host.first(c)
	r.Called = func(x ext.Name, server, tool string) string {
		return session.Called(x, server, tool, c.Gateway.NameLimit)
	}
	for _, what := range p.host.options.Asked {
		r.Asked[what] = true
	}
	for _, k := range p.state.Connections {
		if k.Workspace == p.id() && p.host.options.Question != nil {
			for _, q := range p.host.options.Question(k.Client, k.Event) {
				r.Asked[q] = true
			}
		}
	}
	for _, x := range c.Declared() {
		if !adopted && !x.Own {
			r.Held = map[ext.Name]string{x.Name: "the workspace that declares it is not adopted"}
		}
		if !x.Enabled {
			r.Off[x.Name] = "by the configuration"
		}
	}
	for _, plugin := range c.Plugins {
		if !plugin.Enabled {
			r.Off[plugin.Name] = "by the configuration"
		}
	}
	return r
}

// reading is the workspace as it was read with a configuration, and judged.
type reading struct {
	config     *config.Config
	rules      admit.Rules
	candidates []discover.Candidate
	decisions  []admit.Decision
	unread     []ext.Tree
	findings   ext.Findings
	read       map[string]time.Time // by root: when it was read
}

// read scans every source and decides. A source that fails costs its own
// extensions only. vouched: links of the owner's that lead outside are followed.
func (p *pass) read(ctx context.Context, c *config.Config, vouched bool, rules admit.Rules) (*reading, error) {
	limits, _ := c.Personal()
	r := &reading{config: c, rules: rules, read: map[string]time.Time{}}
	s := scanning{
		options: discover.Options{Specs: p.host.options.Specs, Limits: c.Limits.Bounds(), Enabled: true, Whole: p.host.whole, Memory: p.host.options.Memory},
		own:     limits.Bounds(),
		workers: p.host.options.Workers,
	}
	sources, err := p.sources(ctx, s, c, vouched)
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		r.take(s)
		for i := range s.trees {
			if f := s.trees[i].unanswered(); f != nil {
				p.note(fmt.Errorf("%s in %s: %s", f.Origin, ext.Quote(s.trees[i].tree.Root), f.Message), f.Check == source.Device)
			}
		}
	}
	r.decisions = admit.Decide(r.candidates, rules)
	return r, nil
}

// take adds what was read of a source.
func (r *reading) take(from keptSource) {
	for _, s := range from.trees {
		if s.tree.Root != "" {
			r.read[s.tree.Root] = from.read
		}
		switch {
		case root.Transient(s.err):
			r.findings.Add(source.FaultOf(s.err, ext.Origin{Source: s.source}))
		case s.err != nil:
			r.findings.Add(SourceFailed.At(ext.Origin{Source: s.source}, "%s", ext.Escape(s.err.Error())))
		case s.tree.Unread:
			r.unread = append(r.unread, s.tree)
			r.findings.Add(s.tree.Findings...)
		default:
			r.candidates = append(r.candidates, s.candidate)
		}
	}
}

// sources reads every source of a configuration, but for those of which it is
// known that reading them again would give the same.
func (p *pass) sources(ctx context.Context, s scanning, c *config.Config, vouched bool) ([]keptSource, error) {
	all := p.host.options.Sources(c, vouched, p.state.Described(p.id()))
	installed := roster.In(p.state.Roster, p.id())
	if p.host.options.Installed != nil {
		all = append(all, p.host.options.Installed(c, installed)...)
	}
	key := sourcesKey(c, vouched, installed)
	out, missing := p.host.kept.reuse(key, all)
	read := make([]ext.Source, len(missing))
	for i, at := range missing {
		read[i] = all[at]
		out[at].trees, out[at].read = []scanned{}, time.Now()
	}
	err := s.scan(ctx, read, func(t scanned) {
		of := &out[missing[t.at]]
		of.trees = append(of.trees, t)
	})
	if err == nil {
		p.host.kept.keep(key, out)
	}
	return out, err
}

// sourcesKey is the digest of all that the sources of a configuration are made
// of on this machine.
func sourcesKey(c *config.Config, vouched bool, installed []state.Installed) ext.Digest {
	h := ext.NewHash("sources").Digest(c.Digest()).Text(c.OwnerDir(), fmt.Sprint(vouched)).Int(len(c.Plugins))
	dir, named := c.MonorepoDir()
	h.Text(dir, fmt.Sprint(named))
	for _, p := range c.Plugins {
		h.Text(string(p.Name), p.Dir, p.Format, fmt.Sprint(p.Own, p.Refused), p.Origin.String())
	}
	h.Int(len(installed))
	for _, i := range installed {
		h.Text(string(i.Name), i.Kind, i.Source, i.Within, i.Commit, fmt.Sprint(i.Submodules)).Digest(i.Digest)
	}
	return h.Sum()
}

// whole reports whether all that lies in a tree counts: it is a plugin's that has
// something that runs, so that a grant to it covers the whole of it, or it should be
// what it was when it was fetched.
func (h *Host) whole(t ext.Tree) bool {
	if t.Origin.Trust != ext.Plugin || t.Describes != nil {
		return false
	}
	return t.Sealed != (ext.Digest{}) || slices.ContainsFunc(t.Places, func(p ext.Place) bool {
		return slices.ContainsFunc(h.options.Specs, func(s *surface.Spec) bool { return s.Runs && s.Name == p.Surface })
	})
}

// trial is the composition that adopting what is here now would give.
func (p *pass) trial(now *reading) *compose.Composition {
	granted := *now
	granted.rules.Granted = true
	granted.decisions = admit.Decide(now.candidates, granted.rules)
	return p.compose(&granted)
}

// compose merges, or finds the composition of the same content.
func (p *pass) compose(r *reading) *compose.Composition {
	roster := make([]ext.Name, len(r.config.Plugins))
	for i := range roster {
		roster[i] = r.config.Plugins[i].Name
	}
	return p.host.options.Cache.get(p.key(r), func() *compose.Composition {
		return compose.Merge(p.host.options.Specs, compose.Order(admit.Extensions(r.decisions), roster))
	})
}

// key is the digest of all that a composition depends on.
func (p *pass) key(r *reading) ext.Digest {
	h := ext.NewHash("registry").Digest(p.host.options.Catalogue, r.config.Digest(), p.state.Digest())
	h.Text(p.id(), fmt.Sprint(r.rules.Adopted, r.rules.Granted, r.rules.Asked, r.rules.Held, r.rules.First)).Int(len(r.rules.Consented))
	for i := range r.candidates {
		d := &r.decisions[i]
		h.Digest(r.candidates[i].Digest(), r.candidates[i].Content()).Int(int(d.Tree().Origin.Trust)).Int(int(d.Status()))
		if r.rules.Consented != nil { // which effects wait, and which do not
			for j := range d.Contributions() {
				h.Int(int(d.Contributions()[j].Status))
			}
		}
	}
	return h.Sum()
}
