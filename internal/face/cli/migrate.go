package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/copies"
	"github.com/mortise-dev/mortise/internal/file"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/state"
)

func (c *call) migrate() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Leave behind what was done in another way before",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("migrate command", args[0], commandNames(cmd), "there are "+enumerate(commandNames(cmd)))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(c.migrateManifest(), c.migrateCopies())
	return cmd
}

// migrating is how copies are moved away.
type migrating struct {
	dry, tracked, yes bool
	list, restore     string
}

func (c *call) migrateCopies() *cobra.Command {
	var o migrating
	cmd := &cobra.Command{
		Use:   "copies",
		Short: "Move away what was copied from plugins into the owner's directory",
		Long: `Find skills, tasks, affordances and notifications in the owner's directory that are
copies of what an installed plugin has: to the byte what it has, or had at any commit; or
that a publisher lists (--published). The history of each installed plugin is fetched for
that, also with --dry-run. They are shown by plugin, and moved into the trash once you
agree. Nothing is deleted: --restore puts back what lies in a directory of the
trash.

What differs by a byte stays, and so does what you copied with mortise task copy, what is
empty or a licence alone, and what your git tracks, unless --include-tracked is given:
then each of those is asked for.`,
		Example: "mortise migrate copies --dry-run\nmortise migrate copies --published ./published.txt",
		Args:    upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return c.plugins(ctx, host.Looking, func(p host.Place, r *roster.Roster) error {
				cfg, _, err := p.Configure(nil)
				if err != nil {
					return err
				}
				if o.restore != "" {
					return c.restoreCopies(ctx, filepath.Join(p.Paths.Data, "trash"), o.restore)
				}
				units, err := c.copied(ctx, p, r, cfg.OwnerDir(), o.list)
				if err != nil {
					return err
				}
				return c.moveCopies(ctx, filepath.Join(p.Paths.Data, "trash"), cfg.OwnerDir(), units, &o)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.dry, "dry-run", false, "only show what would be moved")
	f.BoolVar(&o.tracked, "include-tracked", false, "also what git tracks, each once you agree")
	f.BoolVar(&o.yes, "yes", false, "move what git does not track without asking")
	f.StringVar(&o.list, "published", "", "a `FILE` in which a publisher lists what it copied: a path below the owner's directory a line, and the plugin behind a tab")
	f.StringVar(&o.restore, "restore", "", "put back what lies in this directory `DIR` of the trash")
	return cmd
}

// copied are the units of the owner's directory of which something is known.
func (c *call) copied(ctx context.Context, p host.Place, r *roster.Roster, owner, list string) ([]copies.Unit, error) {
	published, err := c.published(list)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(owner)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look at the owner's directory: %w", err)
	}
	defer root.Close()
	paths, err := copies.Candidates(root, published)
	if err != nil || len(paths) == 0 {
		return nil, err
	}
	look := copies.Look{Owner: root, Published: published}
	if look.Copied, err = copiedByOwner(ctx, r.Store, owner); err != nil {
		return nil, err
	}
	if look.Plugins, err = c.hadByPlugins(ctx, p, r, paths); err != nil {
		return nil, err
	}
	units, err := look.Judge(ctx, paths)
	if err != nil || len(units) == 0 {
		return units, err
	}
	return units, trackedUnits(ctx, r, owner, units)
}

// trackedUnits says of units whether git tracks them.
func trackedUnits(ctx context.Context, r *roster.Roster, owner string, units []copies.Unit) error {
	g, err := r.Git()
	if err != nil {
		return fmt.Errorf("it cannot be told what git tracks: %w", err)
	}
	in := map[string][]*copies.Unit{} // by where they really lie, which may be in another repository
	for n := range units {
		dir, err := filepath.EvalSymlinks(filepath.Dir(filepath.Join(owner, filepath.FromSlash(units[n].Path))))
		if err != nil {
			return err
		}
		in[dir] = append(in[dir], &units[n])
	}
	for dir, there := range in {
		names := make([]string, len(there))
		for n, u := range there {
			names[n] = path.Base(u.Path)
		}
		tracked, err := g.Tracked(ctx, dir, names)
		if err != nil {
			return err
		}
		for n, u := range there {
			u.Tracked = tracked[names[n]]
		}
	}
	return nil
}

func (c *call) published(list string) (map[string]string, error) {
	if list == "" {
		return nil, nil
	}
	at, err := c.from(list)
	if err != nil {
		return nil, err
	}
	const most = 4 << 20
	text, err := file.ReadAtMost(at, most)
	if err != nil {
		return nil, fmt.Errorf("read the publisher's list: %w", err)
	}
	return copies.ReadPublished(string(text))
}

// copiedByOwner are the paths that the owner copied by a command of ours.
func copiedByOwner(ctx context.Context, s state.Store, owner string) (map[string]bool, error) {
	events, err := s.Events(ctx, state.Query{Kinds: []string{host.TaskCopied}})
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	out := map[string]bool{}
	for _, e := range events {
		var told host.Copied
		if json.Unmarshal([]byte(e.Text), &told) != nil {
			continue
		}
		if below, err := filepath.Rel(owner, told.Place); err == nil && filepath.IsLocal(below) {
			out[filepath.ToSlash(below)] = true
		}
	}
	return out, nil
}

// hadByPlugins is what plugins have, and had at any commit. One whose source cannot be
// reached is known by what lies here.
func (c *call) hadByPlugins(ctx context.Context, p host.Place, r *roster.Roster, paths []string) ([]copies.Plugin, error) {
	cfg, _, err := p.Configure(nil)
	if err != nil {
		return nil, err
	}
	s, err := r.Store.Load(ctx)
	if err != nil {
		return nil, err
	}
	var out []copies.Plugin
	for _, x := range cfg.Plugins {
		had, err := copies.Present(x.Dir, paths, namespace)
		if err == nil {
			out = append(out, copies.Plugin{Name: string(x.Name), Had: had})
		}
	}
	for _, i := range roster.In(s.Roster, p.Workspace.ID) {
		x := copies.Plugin{Name: string(i.Name), Had: map[string][]git.Files{}}
		had, err := copies.Present(roster.Dir(c.Checkouts(p), &i), paths, namespace)
		if err != nil {
			x.Unknown = err.Error()
		}
		maps.Copy(x.Had, had)
		progress, clear := c.fetching()
		past, err := r.History(ctx, &i, paths, progress)
		clear()
		if err != nil {
			x.Unknown = err.Error()
			fmt.Fprintf(c.Err, "mortise: what %s had at other commits is not known: %s\n", i.Name, ext.Escape(err.Error()))
		}
		for at, states := range past {
			x.Had[at] = append(x.Had[at], states...)
		}
		out = append(out, x)
	}
	return out, nil
}

// namespace is the directory of a plugin in which what this host alone knows lies.
const namespace = "dev.mortise"

// copyRow is one unit, as a document.
type copyRow struct {
	Path    string `json:"path"`
	Plugin  string `json:"plugin"` // "" where it is not known
	Tracked bool   `json:"tracked"`
	Moved   bool   `json:"moved"`
	Would   bool   `json:"would"` // it would be moved
	Why     string `json:"why"`
}

// moveCopies shows what is a copy and what is not, and moves the copies.
func (c *call) moveCopies(ctx context.Context, trash, owner string, units []copies.Unit, o *migrating) error {
	slices.SortStableFunc(units, func(a, b copies.Unit) int {
		return cmp.Or(cmp.Compare(a.Plugin, b.Plugin), cmp.Compare(a.Path, b.Path))
	})
	rows := make([]copyRow, len(units))
	moves := 0
	for n, u := range units {
		rows[n] = copyRow{Path: u.Path, Plugin: u.Plugin, Tracked: u.Tracked, Would: u.Move && (!u.Tracked || o.tracked), Why: u.Why}
		if u.Move && u.Tracked && !o.tracked {
			rows[n].Why = "git tracks it; --include-tracked asks for it"
		}
		if rows[n].Would {
			moves++
		}
	}
	if !c.json {
		c.page(nil).copies(rows)
	}
	in := ""
	if moves > 0 && !o.dry {
		if err := c.agree(ctx, o.yes, fmt.Sprintf("Move %s to the trash? [y/N] ", count(moves, "unit"))); err != nil {
			return err
		}
		t := copies.NewTrash(trash, owner, time.Now())
		if err := c.take(ctx, t, units, rows); err != nil {
			return errors.Join(c.flush(), err)
		}
		if slices.ContainsFunc(rows, func(r copyRow) bool { return r.Moved }) {
			in = t.Dir
		}
	}
	if c.json {
		return c.document(map[string]any{"units": rows, "trash": in})
	}
	if in != "" {
		c.page(nil).line("Moved to %s; mortise migrate copies --restore %s puts it back.", ext.Quote(in), word(in))
	}
	return nil
}

// take moves what would be moved. Each that git tracks is asked for.
func (c *call) take(ctx context.Context, t *copies.Trash, units []copies.Unit, rows []copyRow) error {
	for n := range rows {
		row := &rows[n]
		if !row.Would {
			continue
		}
		if row.Tracked {
			if !c.Asked || c.json {
				row.Would, row.Why = false, "git tracks it, and nobody can be asked here"
				continue
			}
			answer, err := c.answer(ctx, fmt.Sprintf("Move %s, which git tracks? [y/N] ", ext.Escape(row.Path)))
			if err != nil {
				return err
			}
			if answer != "y" {
				row.Would, row.Why = false, "you left it"
				continue
			}
		}
		err := t.Take(ctx, &units[n])
		if errors.Is(err, copies.ErrChanged) {
			row.Would, row.Why = false, err.Error()
			fmt.Fprintf(c.Err, "mortise: %s: %s\n", ext.Escape(row.Path), err)
			continue
		}
		if err != nil {
			return fmt.Errorf("move %s: %w; what was moved before lies in %s", ext.Quote(row.Path), err, ext.Quote(t.Dir))
		}
		row.Moved = true
	}
	return nil
}

func (c *call) restoreCopies(ctx context.Context, trash, dir string) error {
	at, err := c.from(dir)
	if err != nil {
		return err
	}
	owner, back, left, err := copies.Restore(ctx, trash, at)
	if err != nil {
		return err
	}
	if c.json {
		return c.document(map[string]any{"restored": append([]string{}, back...), "left": append([]string{}, left...)})
	}
	view := c.page(nil)
	view.line("%s back in %s.", count(len(back), "unit"), ext.Quote(owner))
	for _, p := range left {
		view.line("  %s %s, since something is in its place", view.dim("left:"), ext.Escape(p))
	}
	return nil
}

// copies shows units by plugin.
func (p *page) copies(rows []copyRow) {
	if len(rows) == 0 {
		p.line("Nothing in the owner's directory is a copy of what a plugin has.")
		return
	}
	last := "\x00"
	for _, r := range rows {
		if r.Plugin != last {
			last = r.Plugin
			p.line("%s", p.bold(cmp.Or(ext.Escape(last), "of a publisher that does not say which plugin")))
		}
		verb := "left:"
		if r.Would {
			verb = "copy:"
		}
		p.line("  %s  %s  %s", p.dim(verb), ext.Escape(r.Path), p.dim(ext.Escape(r.Why)))
	}
}
