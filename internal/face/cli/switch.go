package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/state"
)

const subjectLong = `SUBJECT is an extension, or one of its entries: EXTENSION:NAME, or
EXTENSION:SURFACE/NAME where one name is on several surfaces.`

func (c *call) disable() *cobra.Command {
	var change host.Change
	cmd := &cobra.Command{
		Use:   "disable SUBJECT --reason TEXT",
		Short: "Switch an extension or one of its entries off",
		Long: `Switch an extension or one of its entries off, in this workspace or everywhere. It
holds for the very next command and call.

` + subjectLong,
		Example: "mortise disable acme --reason \"asks for too much\"\nmortise disable acme:deploy --reason \"ours is better\" --everywhere",
		Args:    one("SUBJECT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(change.Reason) == "" {
				return usage("say why, so that others can read it: mortise %sdisable %s --reason TEXT%s", c.placeFlag(), word(args[0]), everywhere(change))
			}
			change.Subject = args[0]
			return c.switchOff(cmd.Context(), change)
		},
		ValidArgsFunction: c.completes(subjects),
	}
	cmd.Flags().StringVar(&change.Reason, "reason", "", "why, as `TEXT`, for those who wonder later")
	everywhereFlag(cmd, &change)
	return cmd
}

func (c *call) enable() *cobra.Command {
	var change host.Change
	cmd := &cobra.Command{
		Use:   "enable SUBJECT",
		Short: "Take back what disable switched off",
		Long: `Take back what disable switched off, in this workspace or everywhere. It holds for
the very next command and call.

` + subjectLong,
		Example: "mortise enable acme\nmortise enable acme:deploy --everywhere",
		Args:    one("SUBJECT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			change.Subject = args[0]
			return c.switchOn(cmd.Context(), change)
		},
		ValidArgsFunction: c.completes(subjects),
	}
	everywhereFlag(cmd, &change)
	return cmd
}

func everywhereFlag(cmd *cobra.Command, change *host.Change) {
	cmd.Flags().BoolVar(&change.Everywhere, "everywhere", false, "in every workspace, not in this one alone")
}

// switched is the JSON document of enable and disable.
type switched struct {
	Subject   string `json:"subject"`
	Extension string `json:"extension"`
	Entry     string `json:"entry"` // "" is the whole extension
	Disabled  bool   `json:"disabled"`
	Scope     string `json:"scope"`     // workspace, everywhere
	Workspace string `json:"workspace"` // its directory; "" for everywhere
	Reason    string `json:"reason"`
	Changed   bool   `json:"changed"` // false: it was so before
}

func (c *call) switchOff(ctx context.Context, change host.Change) error {
	change.By = c.Person()
	p, err := c.place()
	if err != nil {
		return err
	}
	var s state.Switch
	var now *host.Generation // as it was before, which is all that is asked of it
	err = c.with(ctx, p, host.Changing, func(h *host.Host) (err error) {
		s, err = h.Disable(ctx, change)
		now = h.Now()
		return err
	})
	if err != nil {
		return err
	}
	if c.json {
		return c.document(c.switched(change, s, p, true, true))
	}
	view := c.page(now.Config)
	view.line("Disabled %s %s.", view.bold(ext.Escape(change.Subject)), c.scope(change, p))
	if on := surfacesOf(now, s); len(on) > 1 {
		view.line("  %s %s", view.dim("on several surfaces:"), enumerate(on))
	}
	view.line("  %s %s", view.dim("reason:"), line(s.Reason))
	flag := c.nextFlag(p.Workspace.Dir)
	if change.Everywhere {
		flag = "" // it can be taken back from anywhere
	}
	view.line("  %s mortise %senable %s%s", view.dim("to take it back:"), flag, word(change.Subject), everywhere(change))
	return nil
}

func (c *call) switchOn(ctx context.Context, change host.Change) error {
	change.By = c.Person()
	p, err := c.place()
	if err != nil {
		return err
	}
	var removed []state.Switch
	var now *host.Generation
	err = c.with(ctx, p, host.Changing, func(h *host.Host) (err error) {
		if removed, err = h.Enable(ctx, change); err != nil {
			return err
		}
		if now, err = h.Refresh(ctx); err != nil {
			return err
		}
		more, err := c.enableShort(ctx, h, change)
		removed, now = append(removed, more...), h.Now()
		return err
	})
	if err != nil {
		return err
	}
	s := subjectOf(change)
	if err := c.stillOff(now, s, change, p); err != nil {
		return err
	}
	if c.json {
		return c.document(c.switched(change, s, p, false, len(removed) > 0))
	}
	view := c.page(now.Config)
	if len(removed) == 0 {
		view.line("%s is not disabled %s; there is nothing to take back.", view.bold(ext.Escape(change.Subject)), c.scope(change, p))
		return nil
	}
	view.line("Enabled %s %s.", view.bold(ext.Escape(change.Subject)), c.scope(change, p))
	return nil
}

// enableShort takes back what was switched off by the short name of an entry
// that was asked for with its surface, where that means this entry alone.
func (c *call) enableShort(ctx context.Context, h *host.Host, change host.Change) (removed []state.Switch, err error) {
	asked := subjectOf(change)
	s := c.short(asked)
	if s == asked || len(surfacesOf(h.Now(), s)) != 1 || !disabledNow(h.Now(), s) {
		return nil, nil
	}
	change.Subject = ext.Qualified(s.Extension, s.Entry)
	if removed, err = h.Enable(ctx, change); err == nil {
		_, err = h.Refresh(ctx)
	}
	return removed, err
}

// short is s without the surface before the entry's name.
func (c *call) short(s state.Switch) state.Switch {
	if surface, name, ok := strings.Cut(s.Entry, "/"); ok && slices.Contains(c.surfaces(), surface) {
		s.Entry = name
	}
	return s
}

// surfacesOf are the surfaces that a switch is about.
func surfacesOf(g *host.Generation, s state.Switch) []string {
	var out []string
	for _, e := range g.Listing().Entries {
		if means(s, e) && !slices.Contains(out, e.Surface) {
			out = append(out, e.Surface)
		}
	}
	return out
}

// means reports whether a switch of an entry is about e.
func means(s state.Switch, e host.EntryRow) bool {
	return e.Extension == string(s.Extension) && (e.Name == s.Entry || state.EntryName(e.Surface, e.Name) == s.Entry)
}

// subjectOf is what a change is about, as a switch would say it.
func subjectOf(change host.Change) state.Switch {
	name, entry, _ := strings.Cut(change.Subject, ":")
	return state.Switch{Extension: ext.Name(name), Entry: entry}
}

// stillOff says what else keeps a subject off after it was enabled: the
// configuration, or a switch of the other scope.
func (c *call) stillOff(g *host.Generation, s state.Switch, change host.Change, p host.Place) error {
	subject, flag := ext.Escape(change.Subject), c.nextFlag(p.Workspace.Dir)
	for _, plugin := range g.Config.Plugins {
		if plugin.Name == s.Extension && !plugin.Enabled {
			return refuse("%s is disabled by the configuration: mortise %sexplain %s says where", subject, flag, word(enabledKey(plugin.Name)))
		}
	}
	whole := c.short(s)
	switch {
	case !disabledNow(g, s):
		return nil
	case whole != s && len(surfacesOf(g, whole)) > 1 && allDisabled(g, whole):
		name := ext.Qualified(s.Extension, whole.Entry)
		return refuse("%s is disabled together with all that is called %s, %s: mortise %senable %s%s",
			subject, ext.Escape(name), enumerate(surfacesOf(g, whole)), flag, word(name), everywhere(change))
	case change.Everywhere:
		return refuse("%s is disabled in this workspace: mortise %senable %s", subject, flag, word(change.Subject))
	}
	return refuse("%s is disabled in every workspace: mortise enable %s --everywhere", subject, word(change.Subject))
}

// enabledKey is the key of the configuration that switches a plugin off.
func enabledKey(name ext.Name) string {
	if strings.Contains(string(name), ".") {
		return `plugins."` + string(name) + `".enabled`
	}
	return "plugins." + string(name) + ".enabled"
}

// disabledNow reports whether the listing shows the subject as disabled.
func disabledNow(g *host.Generation, s state.Switch) bool {
	l := g.Listing()
	for _, x := range l.Extensions {
		if s.Entry == "" && x.Name == string(s.Extension) {
			return x.Status == "disabled"
		}
	}
	return slices.ContainsFunc(l.Entries, func(e host.EntryRow) bool { return means(s, e) && e.Status == "disabled" })
}

// allDisabled reports whether nothing that a switch of an entry is about is on.
func allDisabled(g *host.Generation, s state.Switch) bool {
	return !slices.ContainsFunc(g.Listing().Entries, func(e host.EntryRow) bool { return means(s, e) && e.Status != "disabled" })
}

func (c *call) switched(change host.Change, s state.Switch, p host.Place, off, changed bool) switched {
	out := switched{
		Subject: change.Subject, Extension: string(s.Extension), Entry: s.Entry, Disabled: off, Changed: changed,
		Scope: "workspace", Workspace: p.Workspace.Dir, Reason: s.Reason,
	}
	if change.Everywhere {
		out.Scope, out.Workspace = "everywhere", ""
	}
	return out
}

// scope says where a change holds.
func (c *call) scope(change host.Change, p host.Place) string {
	if change.Everywhere {
		return "in every workspace"
	}
	return "in this workspace (" + c.directoryShown(p.Workspace.Dir) + ")"
}

func everywhere(change host.Change) string {
	if change.Everywhere {
		return " --everywhere"
	}
	return ""
}
