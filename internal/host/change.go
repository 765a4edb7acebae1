package host

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/state"
)

// Change is a person's wish to switch something off or on.
type Change struct {
	Subject    string // "extension", "extension:entry" or "extension:surface/entry"
	Reason     string
	By         string
	Everywhere bool // in every workspace, not in this one alone
}

// Disable switches an extension or one of its entries off. What nobody knows
// by that name is a usage error that names the nearest; what is disabled
// already stays so, with the new reason.
func (h *Host) Disable(ctx context.Context, c Change) (state.Switch, error) {
	g, err := h.Refresh(ctx)
	if err != nil {
		return state.Switch{}, err
	}
	s, err := g.subject(c)
	if err != nil {
		return s, err
	}
	s.Reason, s.By, s.At = c.Reason, c.By, h.options.Clock().UTC()
	return s, h.remember(ctx, "disabled", s, func(snap *state.Snapshot) { snap.Put(s) })
}

// Enable takes back every Disable of the subject that holds in this workspace,
// or with Everywhere those that hold in all. removed counts them: 0 means that
// it was not disabled.
func (h *Host) Enable(ctx context.Context, c Change) (s state.Switch, removed int, err error) {
	g, err := h.Refresh(ctx)
	if err != nil {
		return s, 0, err
	}
	snap, err := h.options.Store.Load(ctx)
	if err != nil {
		return s, 0, fmt.Errorf("load the state: %w", err)
	}
	s, err = g.subject(c)
	if err != nil && !slices.ContainsFunc(snap.Switches, func(was state.Switch) bool { return was.Extension == s.Extension }) {
		return s, 0, err
	}
	if _, off := snap.Disabled(s.Workspace, s.Extension, ""); s.Entry != "" && off {
		return s, 0, ext.AsRefused(fmt.Errorf("%s is disabled whole; enable it first: mortise enable %s", s.Extension, s.Extension))
	}
	err = h.remember(ctx, "enabled", s, func(snap *state.Snapshot) { removed = snap.Remove(s) })
	return s, removed, err
}

func (h *Host) remember(ctx context.Context, kind string, s state.Switch, change func(*state.Snapshot)) error {
	var revision uint64
	err := h.options.Store.Update(ctx, func(snap *state.Snapshot) error {
		change(snap)
		revision = snap.Revision + 1
		return nil
	})
	if err != nil {
		return fmt.Errorf("remember that %s is %s: %w", subjectOf(s), kind, err)
	}
	err = h.options.Store.Append(ctx, state.Event{
		Kind: kind, Subject: subjectOf(s), Text: s.Reason, By: s.By, At: h.options.Clock().UTC(), Revision: revision,
	})
	if err != nil {
		return fmt.Errorf("record that %s is %s: %w", subjectOf(s), kind, err)
	}
	return nil
}

func subjectOf(s state.Switch) string {
	if s.Entry == "" {
		return string(s.Extension)
	}
	return ext.Qualified(s.Extension, s.Entry)
}

// subject finds what a change is about.
func (g *Generation) subject(c Change) (state.Switch, error) {
	s := state.Switch{Workspace: g.Config.Workspace().ID}
	if c.Everywhere {
		s.Workspace = ""
	}
	name, entry, _ := strings.Cut(c.Subject, ":")
	s.Extension, s.Entry = ext.Name(name), entry
	known := false
	for _, e := range g.extensions() {
		known = known || e == name
	}
	switch {
	case name == string(ext.BuiltinName):
		return s, ext.AsRefused(fmt.Errorf("%s is built in; only its entries can be disabled: %s:NAME", name, name))
	case !known:
		return s, unknown("extension", name, g.extensions())
	case entry != "" && !slices.Contains(g.entries(name), entry):
		return s, unknown("entry of "+name, entry, g.entries(name))
	}
	return s, nil
}

func unknown(what, name string, known []string) error {
	err := fmt.Errorf("there is no %s %s", what, ext.Quote(name))
	if near := config.Nearest(name, known); near != "" {
		err = fmt.Errorf("%w; did you mean %s?", err, ext.Quote(near))
	}
	return ext.AsUsage(err)
}

func (g *Generation) extensions() []string {
	var out []string
	for i := range g.found {
		out = append(out, string(g.found[i].decision.Tree().Extension))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// entries are the names of an extension's entries, short and with their
// surface.
func (g *Generation) entries(extension string) []string {
	var out []string
	for i := range g.found {
		d := &g.found[i].decision
		if string(d.Tree().Extension) != extension {
			continue
		}
		for j := range d.Contributions() {
			c := &d.Contributions()[j]
			out = append(out, c.Name, state.EntryName(c.Spec.Name, c.Name))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Adopt records that the workspace's person adopted what is here now: its
// configuration and everything in it that runs, connects or guards.
func (h *Host) Adopt(ctx context.Context, by string) error {
	g, err := h.Refresh(ctx)
	if err != nil {
		return err
	}
	a := state.Adoption{Workspace: g.Config.Workspace().ID, Digest: g.Effects, By: by, At: h.options.Clock().UTC()}
	var revision uint64
	err = h.options.Store.Update(ctx, func(s *state.Snapshot) error {
		s.Put(a)
		revision = s.Revision + 1
		return nil
	})
	if err != nil {
		return fmt.Errorf("remember the adoption: %w", err)
	}
	err = h.options.Store.Append(ctx, state.Event{Kind: "adopted", Subject: a.Workspace, By: by, At: a.At, Revision: revision})
	if err != nil {
		return fmt.Errorf("record the adoption: %w", err)
	}
	return nil
}
