package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/imports"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/state"
)

// importRow is one plugin of another client, as a document.
type importRow struct {
	Client string `json:"client"`
	ID     string `json:"id"`   // as the client calls it
	Root   string `json:"root"` // the directory that would be linked; ""
	On     bool   `json:"on"`   // it is in use there
	Scope  string `json:"scope"`
	Moves  bool   `json:"moves"` // the client puts its next update elsewhere
	Status string `json:"status"`
	Why    string `json:"why"`
	Name   string `json:"name"` // that it goes by here, once it is linked

	found *imports.Found
}

// What becomes of a plugin of another client.
const (
	importOffered = "offered"
	importThere   = "installed" // it is linked already
	importLeft    = "left"
	importLinked  = "linked"
	importFailed  = "failed"
)

func (c *call) imported() *cobra.Command {
	var yes, dry, all bool
	cmd := &cobra.Command{
		Use:   "import [CLIENT…]",
		Short: "Link the plugins that Claude Code, Codex and Gemini CLI have installed",
		Long: `Look at what Claude Code, Codex and Gemini CLI have installed, in their registries and
settings, and link those directories in place once you agree. Nothing is copied or run, and
nothing of the other clients is changed; no file of theirs that holds secrets is read.

What is off there is left, unless --all is given. Of some plugins the client puts each
update into another directory: a link to that ends with the next update, so that it is
better installed from its source (mortise plugin add); it is marked.`,
		Example: "mortise import --dry-run\nmortise import gemini-cli",
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, a := range args {
				if !slices.Contains(imports.Clients, a) {
					return unknown("client", a, imports.Clients, "there are "+enumerate(imports.Clients))
				}
			}
			purpose := host.Changing
			if dry {
				purpose = host.Looking
			}
			return c.plugins(cmd.Context(), purpose, func(p host.Place, r *roster.Roster) error {
				rows, err := c.importable(cmd.Context(), p, r, args, all)
				if err != nil {
					return err
				}
				return c.importAll(cmd.Context(), p, r, rows, yes, dry)
			})
		},
		ValidArgsFunction: cobra.FixedCompletions(imports.Clients, cobra.ShellCompDirectiveNoFileComp),
	}
	f := cmd.Flags()
	f.BoolVar(&dry, "dry-run", false, "only show what there is")
	f.BoolVar(&yes, "yes", false, "link without asking")
	f.BoolVar(&all, "all", false, "also what is off there")
	return cmd
}

// importable is what other clients have installed.
func (c *call) importable(ctx context.Context, p host.Place, r *roster.Roster, clients []string, all bool) ([]importRow, error) {
	s, err := r.Store.Load(ctx)
	if err != nil {
		return nil, err
	}
	if c.home() == "" {
		return nil, errors.New("no home is known, in which other clients keep what they have; set HOME")
	}
	found, faults := imports.Look(imports.Place{Env: c.Env, Home: c.home(), Workspace: p.Workspace.Dir}, clients)
	for _, err := range faults {
		fmt.Fprintf(c.Err, "mortise: %s\n", safe(err.Error()))
	}
	rows := make([]importRow, 0, len(found))
	seen := map[string]bool{}
	for n := range found {
		f := &found[n]
		row := importRow{Client: f.Client, ID: f.ID, Root: f.Dir, On: f.On, Scope: "user", Moves: f.Moves, Status: importOffered, Why: f.Why, found: f}
		if f.Local {
			row.Scope = "workspace"
		}
		if real, err := filepath.EvalSymlinks(f.Dir); err == nil && f.Dir != "" {
			row.Root = real
		}
		if i := linkedFrom(s.Roster, p.Workspace.ID, row.Root); i != nil {
			row.Status, row.Name = importThere, string(i.Name)
		} else if !f.Linkable() || !f.On && !all {
			row.Status = importLeft
		} else if seen[row.Root] {
			row.Status, row.Why = importLeft, "the same directory is linked once"
		}
		seen[row.Root] = seen[row.Root] || row.Status == importOffered
		rows = append(rows, row)
	}
	return rows, nil
}

// linkedFrom is the line of a directory; nil where none is.
func linkedFrom(all []state.Installed, workspace, dir string) *state.Installed {
	for _, i := range roster.In(all, workspace) {
		if i.Kind == state.Linked && filepath.Join(i.Source, filepath.FromSlash(i.Within)) == dir && dir != "" {
			return &i
		}
	}
	return nil
}

func (c *call) home() string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if h := c.getenv(name); filepath.IsAbs(h) {
			return h
		}
	}
	return ""
}

// importAll shows what there is, and links what is offered once its person agreed.
func (c *call) importAll(ctx context.Context, p host.Place, r *roster.Roster, rows []importRow, yes, dry bool) error {
	offers := 0
	for _, row := range rows {
		if row.Status == importOffered {
			offers++
		}
	}
	if !c.json {
		c.page(nil).imports(rows)
	}
	failed := false
	if offers > 0 && !dry {
		if err := c.agree(ctx, yes, fmt.Sprintf("Link %s? [y/N] ", count(offers, "directory"))); err != nil {
			return err
		}
		failed = c.linkAll(ctx, p, r, rows)
	}
	if c.json {
		if err := c.document(map[string]any{"plugins": rows}); err != nil {
			return err
		}
	}
	if failed {
		return errNo
	}
	return nil
}

// linkAll links what is offered, each by itself; failed is whether one could not be.
func (c *call) linkAll(ctx context.Context, p host.Place, r *roster.Roster, rows []importRow) (failed bool) {
	c.tries(p, r, nil)
	view := c.page(nil)
	for n := range rows {
		row := &rows[n]
		if row.Status != importOffered {
			continue
		}
		w := roster.Wish{Offer: roster.Offer{Source: row.Root, Name: row.found.Name}, Dir: c.Dir}
		if row.found.Local {
			w.Scope = p.Workspace.ID
		}
		i, err := r.Add(ctx, w)
		if err != nil {
			row.Status, row.Why, failed = importFailed, err.Error(), true
		} else {
			row.Status, row.Name = importLinked, string(i.Name)
		}
		switch {
		case c.json:
		case err != nil:
			view.line("%s  %s %s", view.bold(ext.Escape(row.ID)), view.red("failed:"), ext.Escape(row.Why))
		default:
			view.line("%s is linked.", view.bold(ext.Escape(row.Name)))
		}
	}
	if !failed && !c.json {
		view.line("Nothing of it is started: mortise trust shows what wants to run.")
	}
	return failed
}

// imports shows what other clients have installed.
func (p *page) imports(rows []importRow) {
	if len(rows) == 0 {
		p.line("Claude Code, Codex and Gemini CLI have nothing installed that is known of.")
		return
	}
	var t table
	for _, r := range rows {
		note := r.Why
		switch {
		case r.Status == importThere:
			note = "as " + r.Name
		case note == "" && r.Moves:
			note = "its next update lies elsewhere"
		}
		t.row(cell{r.Client, p.dim}, cell{ext.Escape(r.ID), p.bold}, cell{r.Status, p.status}, cell{ext.Escape(note), p.dim}, cell{ext.Escape(r.Root), p.dim})
	}
	t.write(p)
	p.gap()
}
