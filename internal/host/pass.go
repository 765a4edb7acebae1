package host

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/state"
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
		Fix: "mortise session shows what adoption would give. mortise init adopts a workspace that it begins; adopting one that is there already comes with a later version.",
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
	AdoptionLapsed = &ext.Check{
		Code: "adoption-lapsed", Severity: ext.Warning,
		Doc: "What runs, connects or guards in the workspace, or its configuration, changed since it was adopted. It counts as not adopted.",
		Fix: "Undo the change to have the adopted workspace back. Adopting it again comes with a later version.",
	}
)

// Checks lists what a pass can find.
var Checks = []*ext.Check{SourceFailed, StateUnreadable, OwnBroken, NotAdopted, AdoptionLapsed, IndexFailed}

// run makes one generation. It is a list of stages; state and configuration
// are read first and are values from then on.
func (h *Host) run(ctx context.Context) (*Generation, error) {
	p, findings, err := h.begin(ctx)
	if err != nil {
		return nil, err
	}
	g := &Generation{Config: p.config, specs: h.options.Specs, findings: findings}
	once := p.state.AdoptedOnce(p.config.Workspace().ID)
	candidates, err := p.scan(ctx, g, once)
	if err != nil {
		return nil, err
	}
	decisions := admit.Decide(candidates, p.rules(true))
	g.Effects = p.effects(decisions)
	if g.Adopted = p.known() && p.state.Adopted(p.config.Workspace().ID, g.Effects); g.Adopted {
		p.finish(g, candidates, decisions)
		return g, nil
	}
	told := NotAdopted
	if !p.known() {
		told = OwnBroken
	}
	if once { // as if it never had been: links that lead outside are not followed
		if told == NotAdopted {
			told = AdoptionLapsed
		}
		g.findings, g.unread = findings, nil
		if candidates, err = p.scan(ctx, g, false); err != nil {
			return nil, err
		}
	}
	g.findings.Add(notAdopted(told, candidates)...)
	p.finish(g, candidates, admit.Decide(candidates, p.rules(false)))
	return g, nil
}

// pass is what the stages of one pass depend on.
type pass struct {
	host   *Host
	config *config.Config
	state  state.Snapshot
	now    time.Time
}

// begin reads the configuration and the state. A host that only looks goes on
// without a state that it cannot read: then nothing counts as adopted or
// granted, and a finding says so.
func (h *Host) begin(ctx context.Context) (*pass, ext.Findings, error) {
	cfg, findings, err := h.options.Configure()
	if err != nil {
		return nil, nil, err
	}
	snap, err := h.options.Store.Load(ctx)
	if err != nil && !h.options.Look {
		return nil, nil, fmt.Errorf("load the state: %w", err)
	}
	if err != nil {
		snap = state.Snapshot{}
		findings = append(findings[:len(findings):len(findings)], StateUnreadable.At(ext.Origin{}, "%s", ext.Escape(err.Error())))
	}
	now := h.options.Clock()
	return &pass{host: h, config: cfg, state: snap.At(now), now: now}, findings, nil
}

// known reports whether everything that the person and the machine forbid is
// known: their own files could be read whole.
func (p *pass) known() bool {
	return !slices.ContainsFunc(p.config.Broken(), func(l config.Layer) bool { return l == config.User || l == config.Managed })
}

func notAdopted(c *ext.Check, candidates []discover.Candidate) ext.Findings {
	for i := range candidates {
		if admit.OfWorkspace(candidates[i].Tree()) {
			return ext.Findings{c.At(ext.Origin{}, "nothing of this workspace reaches an agent")}
		}
	}
	return nil
}

func (p *pass) rules(adopted bool) admit.Rules {
	_, personal := p.config.Personal()
	r := admit.Rules{
		Adopted:   adopted,
		Whole:     p.config.Trust.Whole,
		WholeOwn:  personal.Whole,
		State:     &p.state,
		Workspace: p.config.Workspace().ID,
		Now:       p.now,
		Off:       map[ext.Name]string{},
	}
	for _, plugin := range p.config.Plugins {
		if !plugin.Enabled {
			r.Off[plugin.Name] = "by the configuration"
		}
	}
	return r
}

// effects are what a person who adopts the workspace consents to: what its
// files decide, what in it runs, connects or guards, and where what is read
// really lies, so that no link can bring in what nobody was shown.
func (p *pass) effects(ds []admit.Decision) ext.Digest {
	w := p.config.Workspace()
	h := ext.NewHash("workspace effects").Text(w.Mark).Digest(p.config.Effects(), admit.Effects(ds))
	if owner := p.config.OwnerDir(); owner != w.Dir { // it may hold nothing yet
		if real, err := filepath.EvalSymlinks(owner); err == nil && real != owner {
			h.Text("owner", place(w.Dir, real))
		}
	}
	roots := map[[2]string]bool{}
	for i := range ds {
		t := ds[i].Tree()
		if !admit.OfWorkspace(t) {
			continue
		}
		root := [2]string{string(t.Extension), place(w.Dir, t.Leads)}
		if led := root[1] != place(w.Dir, t.Root); led && !roots[root] { // once for all trees of an extension
			roots[root] = true
			h.Text(root[:]...)
		}
		for j := range t.Places {
			if l := t.Places[j].Leads; l != "" {
				h.Text(t.Places[j].File, place(w.Dir, l))
			}
		}
	}
	return h.Sum()
}

// place is a directory or file as its workspace sees it: below it, so that all
// worktrees agree, or as the machine names it.
func place(workspace, name string) string {
	if rel, err := filepath.Rel(workspace, name); err == nil && filepath.IsLocal(rel) {
		return "./" + filepath.ToSlash(rel)
	}
	return filepath.ToSlash(name)
}

// finish composes what was admitted.
func (p *pass) finish(g *Generation, candidates []discover.Candidate, decisions []admit.Decision) {
	g.decisions = decisions
	g.Composition = p.compose(candidates, decisions, p.rules(g.Adopted))
	g.trial = sync.OnceValue(func() *compose.Composition {
		rules := p.rules(true)
		rules.Granted = true
		return p.compose(candidates, admit.Decide(candidates, rules), rules)
	})
}

// compose merges, or finds the composition of the same content.
func (p *pass) compose(candidates []discover.Candidate, decisions []admit.Decision, rules admit.Rules) *compose.Composition {
	roster := make([]ext.Name, len(p.config.Plugins))
	for i := range roster {
		roster[i] = p.config.Plugins[i].Name
	}
	return p.host.options.Cache.get(p.key(candidates, decisions, rules), func() *compose.Composition {
		return compose.Merge(p.host.options.Specs, compose.Order(admit.Extensions(decisions), roster))
	})
}

// key is the digest of all that a composition depends on.
func (p *pass) key(candidates []discover.Candidate, decisions []admit.Decision, rules admit.Rules) ext.Digest {
	h := ext.NewHash("registry").Digest(p.host.options.Catalogue, p.config.Digest(), p.state.Digest())
	h.Text(p.config.Workspace().ID, fmt.Sprint(rules.Adopted, rules.Granted, rules.Asked))
	for i := range candidates {
		h.Digest(candidates[i].Digest()).Int(int(decisions[i].Tree().Origin.Trust)).Int(int(decisions[i].Status()))
	}
	return h.Sum()
}

// scan reads every source. One that fails costs its own extensions only.
func (p *pass) scan(ctx context.Context, g *Generation, adopted bool) ([]discover.Candidate, error) {
	limits, _ := p.config.Personal()
	r := reading{
		options: discover.Options{Specs: p.host.options.Specs, Limits: p.config.Limits.Bounds(), Enabled: true},
		own:     limits.Bounds(),
		workers: p.host.options.Workers,
	}
	var out []discover.Candidate
	err := r.scan(ctx, p.host.options.Sources(p.config, adopted), func(s scanned) {
		switch {
		case s.err != nil:
			g.findings.Add(SourceFailed.At(ext.Origin{Source: s.source}, "%s", ext.Escape(s.err.Error())))
		case s.tree.Unread:
			g.unread = append(g.unread, s.tree)
			g.findings.Add(s.tree.Findings...)
		default:
			out = append(out, s.candidate)
		}
	})
	return out, err
}
