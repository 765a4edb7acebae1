package host

import (
	"context"
	"fmt"
	"sync"

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
		Fix: "Look at it with mortise list and mortise session, then adopt it.",
	}
	AdoptionLapsed = &ext.Check{
		Code: "adoption-lapsed", Severity: ext.Warning,
		Doc: "What runs, connects or guards in the workspace, or its configuration, changed since it was adopted. It counts as not adopted.",
		Fix: "Look at what changed, then adopt it again.",
	}
)

// Checks lists what a pass can find.
var Checks = []*ext.Check{SourceFailed, NotAdopted, AdoptionLapsed, IndexFailed}

// found is one candidate and what was decided about it.
type found struct {
	candidate discover.Candidate
	decision  admit.Decision
}

// run makes one generation. It is a list of stages; state and configuration
// are read first and are values from then on.
func (h *Host) run(ctx context.Context) (*Generation, error) {
	cfg, findings, err := h.options.Configure()
	if err != nil {
		return nil, err
	}
	snap, err := h.options.Store.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load the state: %w", err)
	}
	p := pass{host: h, config: cfg, state: snap.At(h.options.Clock())}
	g := &Generation{Config: cfg, specs: h.options.Specs, findings: findings}
	adoption, adopted := snap.Adopted(cfg.Workspace().ID)

	candidates, err := p.scan(ctx, g, adopted)
	if err != nil {
		return nil, err
	}
	decisions := admit.Decide(candidates, p.rules(true))
	g.Effects = p.effects(decisions)
	if adopted && adoption.Digest != g.Effects {
		return p.lapsed(ctx, g, findings)
	}
	g.Adopted = adopted
	if !adopted {
		decisions = admit.Decide(candidates, p.rules(false))
		g.findings.Add(notAdopted(NotAdopted, candidates)...)
	}
	p.finish(g, candidates, decisions)
	return g, nil
}

// pass is what the stages of one pass depend on.
type pass struct {
	host   *Host
	config *config.Config
	state  state.Snapshot
}

// lapsed makes the generation of a workspace that is no longer what its person
// adopted: as if it never had been, links that lead outside included.
func (p *pass) lapsed(ctx context.Context, g *Generation, findings ext.Findings) (*Generation, error) {
	g.findings, g.unread = findings, nil
	candidates, err := p.scan(ctx, g, false)
	if err != nil {
		return nil, err
	}
	g.findings.Add(notAdopted(AdoptionLapsed, candidates)...)
	p.finish(g, candidates, admit.Decide(candidates, p.rules(false)))
	return g, nil
}

func notAdopted(c *ext.Check, candidates []discover.Candidate) ext.Findings {
	for i := range candidates {
		if candidates[i].Tree().Origin.Trust < ext.Builtin {
			return ext.Findings{c.At(ext.Origin{}, "nothing of this workspace reaches an agent")}
		}
	}
	return nil
}

func (p *pass) rules(adopted bool) admit.Rules {
	r := admit.Rules{
		Adopted:   adopted,
		Whole:     p.config.Trust.Whole,
		State:     &p.state,
		Workspace: p.config.Workspace().ID,
		Now:       p.host.options.Clock(),
		Off:       map[ext.Name]string{},
	}
	for _, plugin := range p.config.Plugins {
		if !plugin.Enabled {
			r.Off[plugin.Name] = "by the configuration"
		}
	}
	return r
}

// effects are what runs, connects or guards, and the configuration that brings
// it here.
func (p *pass) effects(ds []admit.Decision) ext.Digest {
	h := ext.NewHash("workspace effects").Text(p.config.Owner.Path).Digest(admit.Effects(ds))
	for _, plugin := range p.config.Plugins {
		h.Text(string(plugin.Name), plugin.Path, plugin.Format).Digest(plugin.Settings.Digest())
	}
	return h.Sum()
}

// finish composes what was admitted.
func (p *pass) finish(g *Generation, candidates []discover.Candidate, decisions []admit.Decision) {
	g.found = make([]found, len(candidates))
	for i := range candidates {
		g.found[i] = found{candidates[i], decisions[i]}
	}
	g.Composition = p.compose(candidates, decisions, g.Adopted)
	g.trial = sync.OnceValue(func() *compose.Composition {
		rules := p.rules(true)
		rules.Granted = true
		return p.compose(candidates, admit.Decide(candidates, rules), true)
	})
}

// compose merges, or finds the composition of the same content.
func (p *pass) compose(candidates []discover.Candidate, decisions []admit.Decision, adopted bool) *compose.Composition {
	roster := make([]ext.Name, len(p.config.Plugins))
	for i := range roster {
		roster[i] = p.config.Plugins[i].Name
	}
	return p.host.options.Cache.get(p.key(candidates, decisions, adopted), func() *compose.Composition {
		return compose.Merge(p.host.options.Specs, compose.Order(admit.Extensions(decisions), roster))
	})
}

// key is the digest of all that a composition depends on.
func (p *pass) key(candidates []discover.Candidate, decisions []admit.Decision, adopted bool) ext.Digest {
	h := ext.NewHash("registry").Digest(p.host.options.Catalogue, p.config.Digest(), p.state.Digest())
	h.Text(p.config.Workspace().ID)
	if adopted {
		h.Int(1)
	}
	for i := range candidates {
		h.Digest(candidates[i].Digest()).Int(int(decisions[i].Tree().Origin.Trust)).Int(int(decisions[i].Status()))
	}
	return h.Sum()
}

// scan reads every source. One that fails costs its own extensions only.
func (p *pass) scan(ctx context.Context, g *Generation, adopted bool) ([]discover.Candidate, error) {
	r := reading{
		options: discover.Options{Specs: p.host.options.Specs, Limits: limits(p.config), Enabled: true},
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

func limits(c *config.Config) ext.Limits {
	return ext.Limits{FileBytes: int64(c.Limits.FileBytes), Files: c.Limits.Files, Depth: c.Limits.Depth}
}
