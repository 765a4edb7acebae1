package host

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/spelling"
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
// or with Everywhere those that hold in all. An entry's short name takes back
// those of all surfaces. removed is what was taken back: nothing when the
// subject was not disabled, and then nothing is written. What nobody knows by
// that name, and what no switch names either, is a usage error.
func (h *Host) Enable(ctx context.Context, c Change) (removed []state.Switch, err error) {
	g, err := h.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	snap, err := h.options.Store.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load the state: %w", err)
	}
	s, unknown := g.subject(c)
	for _, was := range snap.Switches {
		if was.Workspace == s.Workspace && was.Extension == s.Extension && meansEntry(s.Entry, was.Entry) {
			removed = append(removed, was)
		}
	}
	switch _, off := snap.Disabled(s.Workspace, s.Extension, ""); {
	case len(removed) == 0 && unknown != nil:
		return nil, unknown
	case s.Entry != "" && off:
		return nil, ext.AsRefused(fmt.Errorf("%s is disabled whole; enable the extension first", s.Extension))
	case len(removed) == 0:
		return nil, nil
	}
	return removed, h.remember(ctx, "enabled", s, func(snap *state.Snapshot) {
		for _, was := range removed {
			snap.Remove(was)
		}
	})
}

// meansEntry reports whether what was asked for means the entry of a switch:
// the same name, or the short name of one that says its surface.
func meansEntry(asked, of string) bool {
	_, short, _ := strings.Cut(of, "/")
	return asked == of || asked != "" && asked == short
}

func (h *Host) remember(ctx context.Context, kind string, s state.Switch, edit func(*state.Snapshot)) error {
	return h.change(ctx, state.Event{Kind: kind, Subject: subjectOf(s), Text: s.Reason, By: s.By}, edit)
}

func subjectOf(s state.Switch) string {
	if s.Entry == "" {
		return string(s.Extension)
	}
	return ext.Qualified(s.Extension, s.Entry)
}

// subject finds what a change is about.
func (g *Generation) subject(c Change) (state.Switch, error) {
	s := state.Switch{Workspace: g.Config.Workspace().ID, By: c.By}
	if c.Everywhere {
		s.Workspace = ""
	}
	name, entry, _ := strings.Cut(c.Subject, ":")
	s.Extension, s.Entry = ext.Name(name), entry
	known := false
	for _, e := range g.extensions() {
		known = known || e == name
	}
	remembered := g.rememberedEntries(name)
	known = known || len(remembered) > 0
	switch {
	case name == string(ext.BuiltinName):
		return s, ext.AsRefused(fmt.Errorf("%s is built in; only its entries can be disabled: %s:NAME", name, name))
	case !known:
		return s, unknown("extension", name, g.extensions())
	case entry != "" && !slices.Contains(g.entries(name), entry) && !slices.Contains(remembered, entry):
		return s, unknown("entry of "+name, entry, g.entries(name))
	}
	return s, nil
}

func unknown(what, name string, known []string) error {
	err := fmt.Errorf("there is no %s %s", what, ext.Quote(ext.Shorten(name, 80)))
	if near := spelling.Nearest(name, known); near != "" {
		err = fmt.Errorf("%w; did you mean %s?", err, ext.Quote(near))
	}
	return ext.AsUsage(err)
}

func (g *Generation) extensions() []string {
	var out []string
	for i := range g.decisions {
		out = append(out, string(g.decisions[i].Tree().Extension))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// entries are the names of an extension's entries, short and with their
// surface.
func (g *Generation) entries(extension string) []string {
	var out []string
	for i := range g.decisions {
		d := &g.decisions[i]
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

// change edits the state and adds to its history what was done.
func (h *Host) change(ctx context.Context, e state.Event, edit func(*state.Snapshot)) error {
	err := h.options.Store.Update(ctx, func(snap *state.Snapshot) error {
		edit(snap)
		e.Revision = snap.Revision + 1
		return nil
	})
	if err != nil {
		return fmt.Errorf("remember that %s is %s: %w", ext.Escape(e.Subject), e.Kind, err)
	}
	e.At = h.options.Clock().UTC()
	if err := h.options.Store.Append(ctx, e); err != nil {
		return fmt.Errorf("%s is %s, but the history could not be written: %w", ext.Escape(e.Subject), e.Kind, err)
	}
	return nil
}
