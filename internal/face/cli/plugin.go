package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/state"
)

func (c *call) plugin() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Install, update and remove plugins",
		Long: `Install, update and remove plugins. What is fetched is kept by commit below the data of
this instance, and read from there; a directory of this machine is read where it lies.
Nothing is copied into a directory of yours, and nothing is started: what a plugin wants
to run waits for mortise trust, its set-up steps included.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("plugin command", args[0], commandNames(cmd), "there are "+enumerate(commandNames(cmd)))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(
		c.pluginAdd(), c.pluginList(), c.pluginShow(), c.pluginSwitch(true), c.pluginSwitch(false),
		c.pluginUpdate(), c.pluginPin(), c.pluginRollback(), c.pluginDiff(), c.pluginRemove(),
		c.pluginSetup(),
		c.pluginLock(), c.pluginSync(), c.pluginSign(),
	)
	return cmd
}

// plugins runs something with what is installed.
func (c *call) plugins(ctx context.Context, purpose host.Purpose, do func(p host.Place, r *roster.Roster) error) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	r, done, err := c.Roster(ctx, p, purpose)
	if err != nil {
		return err
	}
	r.By, r.Note = c.Person(), func(err error) { fmt.Fprintln(c.Err, "mortise: "+safe(err.Error())) }
	return errors.Join(do(p, r), done())
}

// aboutPlugin makes a command of one plugin, which is named.
func (c *call) aboutPlugin(cmd *cobra.Command, purpose host.Purpose, do func(ctx context.Context, p host.Place, r *roster.Roster, k roster.Key) error) *cobra.Command {
	cmd.Args, cmd.ValidArgsFunction = one("NAME"), c.completesPlugin()
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return c.plugins(cmd.Context(), purpose, func(p host.Place, r *roster.Roster) error {
			return do(cmd.Context(), p, r, roster.Key{Name: ext.Name(args[0]), Scope: p.Workspace.ID})
		})
	}
	return cmd
}

// tries has each line of a roster composed before it holds. into is told what came of it.
func (c *call) tries(p host.Place, r *roster.Roster, into **host.Listing) {
	r.Try = func(ctx context.Context, lines ...state.Installed) error {
		l, err := c.TryInstalled(ctx, p, r.Sums, lines...)
		if into != nil {
			*into = l
		}
		return err
	}
}

// pluginRow is one plugin as a document.
type pluginRow struct {
	Name   string `json:"name"`
	Status string `json:"status"` // admitted, refused, disabled, pending; shadowed, when the configuration uses the name
	Edited bool   `json:"edited"` // its files are not those that were fetched
	// Findings are what is wrong with it.
	Findings []string `json:"findings"`
	Reason   string   `json:"reason"` // why it is not in use, in a few words; ""
	Scope    string   `json:"scope"`  // user, workspace
	Kind     string   `json:"kind"`   // git, archive, directory
	Source   string   `json:"source"`
	Path     string   `json:"path"` // within the source; "" is all of it
	Ref      string   `json:"ref"`
	Market   string   `json:"market"` // PLUGIN@MARKETPLACE that offered it; "" is that its source was given
	Commit   string   `json:"commit"`
	Modules  bool     `json:"submodules"` // it was fetched with the submodules of its commits
	Digest   string   `json:"digest"`     // of the content; "" for a directory, which may change
	Before   string   `json:"before"`     // the commit that rollback goes to
	Pinned   bool     `json:"pinned"`
	Setup    string   `json:"setup"` // how its set-up steps stand: done, due, failed, waits; "" where it has none
	Root     string   `json:"root"`  // absolute
	By       string   `json:"by"`
	At       string   `json:"at"`
}

// row is a line of the roster; l is what is in use, nil where that is not known.
func (c *call) row(p host.Place, i *state.Installed, l *host.Listing) pluginRow {
	r := pluginRow{
		Name: string(i.Name), Scope: "user", Kind: i.Kind, Source: i.Source, Path: i.Within, Ref: i.Ref, Market: i.Market, Commit: i.Commit,
		Modules: i.Submodules, Before: i.Before, Pinned: i.Pinned, Root: roster.Dir(c.Checkouts(p), i), Findings: []string{}, By: i.By, At: i.At.UTC().Format("2006-01-02T15:04:05Z"),
	}
	if i.Scope != "" {
		r.Scope = "workspace"
	}
	if i.Digest != (ext.Digest{}) {
		r.Digest = i.Digest.String()
	}
	if l != nil {
		r.Status = "shadowed"
		for _, x := range l.Extensions {
			if x.Name == r.Name && (x.Root == r.Root || x.Root == "") {
				r.Status, r.Setup = x.Status, x.Setup
			}
		}
		for _, f := range l.Findings {
			if f.Extension == r.Name && f.Severity != ext.Info.String() {
				r.Edited = r.Edited || f.Code == host.EditedCode
				r.Findings = append(r.Findings, f.Message+". "+f.Fix)
			}
		}
	}
	return r
}

// rows are the plugins that hold in a workspace, with how they do.
func (c *call) rows(ctx context.Context, p host.Place, all []state.Installed) (rows []pluginRow, err error) {
	err = c.with(ctx, p, host.Looking, func(h *host.Host) error {
		g, err := h.Refresh(ctx)
		if err != nil {
			return err
		}
		l := g.Listing()
		for _, i := range roster.In(all, p.Workspace.ID) {
			row := c.row(p, &i, l)
			if row.Status != "shadowed" {
				row.Reason = g.Reason(i.Name)
			}
			rows = append(rows, row)
		}
		return nil
	})
	return rows, err
}

// short is the first digits of a commit.
func short(commit string) string { return commit[:min(12, len(commit))] }

// what is a plugin's content for people: its reference and the first digits of its
// commit.
func (r *pluginRow) what() string {
	switch {
	case r.Kind == state.Linked:
		return "where it lies"
	case r.Ref != "" && r.Ref != r.Commit:
		return r.Ref + " " + short(r.Commit)
	}
	return short(r.Commit)
}

func (c *call) pluginList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List what is installed",
		Long:    `List the plugins that are installed for all workspaces or for this one, in load order.`,
		Example: "mortise plugin list\nmortise plugin list --json",
		Args:    upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.plugins(cmd.Context(), host.Looking, func(p host.Place, r *roster.Roster) error {
				s, err := r.Store.Load(cmd.Context())
				if err != nil {
					return err
				}
				rows, err := c.rows(cmd.Context(), p, s.Roster)
				if err != nil {
					return err
				}
				if c.json {
					return c.document(map[string]any{"plugins": append([]pluginRow{}, rows...)})
				}
				c.page(nil).plugins(rows)
				return nil
			})
		},
	}
}

func (p *page) plugins(rows []pluginRow) {
	if len(rows) == 0 {
		p.line("No plugin is installed. mortise plugin add SOURCE installs one.")
		return
	}
	var t table
	for _, r := range rows {
		var notes []string
		if r.Scope == "workspace" {
			notes = append(notes, "this workspace")
		}
		if r.Pinned {
			notes = append(notes, "pinned")
		}
		if r.Modules {
			notes = append(notes, "with submodules")
		}
		if r.Edited {
			notes = append(notes, "edited")
		}
		t.row(cell{ext.Escape(r.Name), p.bold}, cell{r.Status, p.status}, cell{ext.Escape(r.what()), nil}, cell{strings.Join(notes, ", "), p.dim}, cell{ext.Escape(r.Source), p.dim})
	}
	t.write(p)
	p.gap()
	p.line("%s.", count(len(rows), "plugin"))
}

func (c *call) pluginShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show NAME",
		Short:   "Show one plugin: where it came from, and what it is now",
		Example: "mortise plugin show acme",
	}
	return c.aboutPlugin(cmd, host.Looking, func(ctx context.Context, p host.Place, r *roster.Roster, k roster.Key) error {
		i, err := r.Line(ctx, k)
		if err != nil {
			return err
		}
		rows, err := c.rows(ctx, p, []state.Installed{i})
		if err != nil {
			return err
		}
		if c.json {
			return c.document(rows[0])
		}
		c.page(nil).shownPlugin(&rows[0])
		return nil
	})
}

func (p *page) shownPlugin(r *pluginRow) {
	p.line("%s  %s", p.bold(ext.Escape(r.Name)), r.Status)
	field := func(name, value string) {
		if value != "" {
			p.line("  %s %s", p.dim(name+":"), ext.Escape(value))
		}
	}
	field("source", r.Source)
	field("path", r.Path)
	field("offered by", r.Market)
	field("ref", r.Ref)
	field("commit", r.Commit)
	if r.Modules {
		field("submodules", "they were fetched as well")
	}
	field("content", r.Digest)
	field("before", r.Before)
	if r.Pinned {
		field("pinned", "it is updated when it is named, and not with all others")
	}
	field("for", map[string]string{"user": "all workspaces", "workspace": "this workspace"}[r.Scope])
	field("read from", r.Root)
	field("by", strings.TrimSpace(r.By+" at "+r.At))
	field("reason", r.Reason)
	if r.Edited {
		field("edited", "its files are not those that were fetched")
	}
	for _, f := range r.Findings {
		field("finding", f)
	}
	p.line("mortise list shows what it contributes, mortise explain %s how it came to that.", word(r.Name))
}

// completesPlugin completes names of plugins.
func (c *call) completesPlugin() cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var names []string
		err := c.plugins(cmd.Context(), host.Looking, func(p host.Place, r *roster.Roster) error {
			s, err := r.Store.Load(cmd.Context())
			for _, i := range roster.In(s.Roster, p.Workspace.ID) {
				names = append(names, string(i.Name))
			}
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return typeable(names), cobra.ShellCompDirectiveNoFileComp
	}
}

// pluginSwitch is enable and disable for a plugin: what is off contributes nothing, at
// once, wherever it is used.
func (c *call) pluginSwitch(on bool) *cobra.Command {
	var reason string
	cmd := &cobra.Command{Use: "enable NAME", Short: "Take back what plugin disable switched off"}
	if !on {
		cmd.Use, cmd.Short = "disable NAME", "Switch a plugin off: it contributes nothing from the very next call on"
		cmd.Flags().StringVar(&reason, "reason", "", "why, as `TEXT`, for those who wonder later")
	}
	return c.aboutPlugin(cmd, host.Looking, func(ctx context.Context, p host.Place, r *roster.Roster, k roster.Key) error {
		i, err := r.Line(ctx, k)
		if err != nil {
			return err
		}
		change := host.Change{Subject: string(i.Name), Everywhere: i.Scope == "", Reason: cmp.Or(strings.TrimSpace(reason), "switched off with mortise plugin disable")}
		if on {
			if err := c.switchOn(ctx, change); err != nil {
				return err
			}
			return c.setUpAfter(ctx, p, nil, string(i.Name))
		}
		if err := c.switchOff(ctx, change); err != nil || c.json {
			return err
		}
		c.dependants(ctx, p, c.page(nil), string(i.Name))
		return nil
	})
}

// dependants names the extensions that are refused since they need one that is not in use.
// It is only told: a workspace that cannot be looked at is told elsewhere.
func (c *call) dependants(ctx context.Context, p host.Place, view *page, name string) {
	_ = c.with(ctx, p, host.Looking, func(h *host.Host) error {
		g, err := h.Refresh(ctx)
		if err != nil {
			return err
		}
		for _, f := range g.Listing().Findings {
			if f.Code == host.UnmetCode && strings.Contains(f.Message, "it needs "+name+",") {
				view.line("%s is refused from now on: %s.", view.bold(ext.Escape(f.Extension)), ext.Escape(f.Message))
			}
		}
		return nil
	})
}

func (c *call) pluginPin() *cobra.Command {
	var off bool
	cmd := &cobra.Command{
		Use:     "pin NAME",
		Short:   "Leave a plugin out when all are updated",
		Example: "mortise plugin pin acme\nmortise plugin pin acme --off",
	}
	cmd.Flags().BoolVar(&off, "off", false, "take that back")
	return c.aboutPlugin(cmd, host.Changing, func(ctx context.Context, p host.Place, r *roster.Roster, k roster.Key) error {
		i, changed, err := r.Pin(ctx, k, !off)
		if err != nil {
			return err
		}
		row := c.row(p, &i, nil)
		if c.json {
			return c.document(map[string]any{"plugin": row, "changed": changed})
		}
		word := map[bool]string{true: "pinned", false: "not pinned"}[!off]
		if !changed {
			word += " already"
		}
		c.page(nil).line("%s is %s, at %s.", ext.Escape(row.Name), word, ext.Escape(row.what()))
		return nil
	})
}

func (c *call) pluginRollback() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rollback NAME",
		Short: "Go back to what a plugin was before its last update",
		Long: `Go back to what a plugin was before its last update, which is still there. Another
rollback goes forward again.`,
		Example: "mortise plugin rollback acme",
	}
	return c.aboutPlugin(cmd, host.Changing, func(ctx context.Context, p host.Place, r *roster.Roster, k roster.Key) error {
		var l *host.Listing
		c.tries(p, r, &l)
		was, now, err := r.Rollback(ctx, k)
		if err != nil {
			return err
		}
		from, to := c.row(p, &was, nil), c.row(p, &now, l)
		if c.json {
			return c.document(map[string]any{"plugin": to, "from": from.Commit})
		}
		c.page(nil).line("%s is %s again; it was %s.", ext.Escape(to.Name), ext.Escape(to.what()), ext.Escape(from.what()))
		return c.setUpAfter(ctx, p, l, to.Name)
	})
}

func (c *call) pluginRemove() *cobra.Command {
	var purge bool
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Take a plugin out of use, and remove what was fetched of it",
		Long: `Take a plugin out of use, and remove what was fetched of it where nothing else uses
that. What it kept in its own data directory stays for the day when it is installed
again, unless --purge is given. A directory that was linked is left as it is.`,
		Example: "mortise plugin remove acme\nmortise plugin remove acme --purge",
	}
	cmd.Flags().BoolVar(&purge, "purge", false, "remove what it kept in its data directory, too")
	return c.aboutPlugin(cmd, host.Changing, func(ctx context.Context, p host.Place, r *roster.Roster, k roster.Key) error {
		var data func(*state.Installed) string
		if purge {
			data = func(i *state.Installed) string { return p.PluginData(i.Name, i.Scope == "") }
		}
		i, swept, removed, err := r.Remove(ctx, k, data)
		if !removed && ext.KindOf(err) == ext.Usage && (r.Left(k.Name) || purge && c.purgeLeft(ctx, p, k.Name)) {
			return c.removeLeft(ctx, r, k.Name)
		}
		if !removed {
			return err
		}
		if purge {
			err = errors.Join(err, p.Prepared().Purge(ctx, data(&i)))
		}
		row := c.row(p, &i, nil)
		if c.json {
			return errors.Join(c.document(map[string]any{"plugin": row, "purged": purge, "kept": append([]string{}, keptPaths(swept.Kept)...)}), err)
		}
		view := c.page(nil)
		view.line("%s is removed.", ext.Escape(row.Name))
		view.left(swept)
		c.dependants(ctx, p, view, row.Name)
		if err != nil {
			return errors.Join(c.flush(), fmt.Errorf("it is out of use, and what was fetched of it is not all away: %w; mortise plugin remove %s tries again", err, word(row.Name)))
		}
		return nil
	})
}

// purgeLeft removes what a plugin kept that is not installed any more, and reports whether
// there was something.
func (c *call) purgeLeft(ctx context.Context, p host.Place, name ext.Name) (there bool) {
	if n, err := ext.ParseName(string(name)); err != nil || n != name {
		return false
	}
	for _, own := range []bool{true, false} {
		data := p.PluginData(name, own)
		if _, err := os.Lstat(data); err == nil {
			there = errors.Join(roster.Purge(data), p.Prepared().Purge(ctx, data)) == nil || there
		}
	}
	return there
}

// removeLeft removes what lies here of a plugin that is not installed any more.
func (c *call) removeLeft(ctx context.Context, r *roster.Roster, name ext.Name) error {
	swept, err := r.Sweep(ctx)
	if err != nil {
		return err
	}
	if c.json {
		return c.document(map[string]any{"plugin": nil, "purged": false, "kept": append([]string{}, keptPaths(swept.Kept)...)})
	}
	view := c.page(nil)
	if r.Left(name) {
		view.line("%s is not installed here; something that was fetched of it is used elsewhere, or stays.", ext.Escape(string(name)))
	} else {
		view.line("%s is not installed; what was left of it is removed.", ext.Escape(string(name)))
	}
	view.left(swept)
	return nil
}

// left names what was not removed.
func (p *page) left(swept checkout.Swept) {
	for _, k := range swept.Kept {
		p.line("  %s %s: %s", p.dim("left:"), ext.Escape(k.Path), ext.Escape(k.Why))
	}
}

// scoped is the workspace that a scope means.
func scoped(p host.Place, scope string) (string, error) {
	switch scope {
	case "user":
		return "", nil
	case "workspace":
		return p.Workspace.ID, nil
	}
	return "", unknown("scope", scope, []string{"user", "workspace"}, "use user or workspace")
}
