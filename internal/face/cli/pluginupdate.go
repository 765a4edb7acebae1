package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/roster"
)

// updated is what became of one plugin, as a document.
type updated struct {
	Name    string   `json:"name"`
	From    string   `json:"from"`              // the commit that it is, or was
	To      string   `json:"to"`                // the commit that its source has; "" where that is not known
	Updated bool     `json:"updated"`           // it is that now
	Skipped string   `json:"skipped,omitempty"` // why it was left alone
	Error   string   `json:"error,omitempty"`
	Files   []change `json:"files"`   // that differ; none with --check
	Entries []change `json:"entries"` // that came, went or wait for consent; none with --check

	err error
}

// change is one thing that differs.
type change struct {
	Name   string `json:"name"`   // a path, or SURFACE NAME
	Status string `json:"status"` // added, removed, changed, mode; pending
}

func (c *call) pluginUpdate() *cobra.Command {
	var check, all bool
	cmd := &cobra.Command{
		Use:   "update [NAME…]",
		Short: "Fetch what the sources of plugins have now, and use that",
		Long: `Fetch what the sources of plugins have now, show what differs, and use it once it is
known to compose with all else. A failure at any moment leaves the old one in use, and
one plugin that fails costs the others nothing; the exit code is 1 then. What was
granted to a plugin lapses with its content: mortise approve shows what waits.

--all leaves out what is pinned, linked, or installed at one commit.`,
		Example: "mortise plugin update acme\nmortise plugin update --all --check",
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return usage("name the plugins to update, or give --all: mortise plugin update --all")
			}
			purpose := host.Changing
			if check {
				purpose = host.Looking
			}
			return c.plugins(cmd.Context(), purpose, func(p host.Place, r *roster.Roster) error {
				news, err := r.Look(cmd.Context(), p.Workspace.ID, args)
				if err != nil {
					return err
				}
				var done []updated
				var now *host.Listing
				for i := range news {
					u := c.update(cmd.Context(), p, r, &news[i], &now, check)
					if u.err != nil {
						u.Error = u.err.Error()
					}
					done = append(done, u)
				}
				return c.showUpdates(done, check)
			})
		},
		ValidArgsFunction: c.completesPlugin(),
	}
	cmd.Flags().BoolVar(&check, "check", false, "only look whether there is something newer")
	cmd.Flags().BoolVar(&all, "all", false, "all that are installed")
	return cmd
}

// update updates one plugin, or only tells whether it would. now is what is in use, nil
// as long as nobody had to know.
func (c *call) update(ctx context.Context, p host.Place, r *roster.Roster, n *roster.News, now **host.Listing, check bool) (u updated) {
	u = updated{Name: string(n.Line.Name), From: n.Line.Commit, To: n.Found, Skipped: n.Skipped, err: n.Err, Files: []change{}, Entries: []change{}}
	if check || !n.Newer() {
		return u
	}
	if *now == nil {
		if *now, u.err = c.TryInstalled(ctx, p, n.Line); *now == nil {
			return u
		}
	}
	progress, clear := c.fetching()
	made, err := r.Fetch(ctx, n, progress)
	clear()
	if err != nil {
		u.err = err
		return u
	}
	var after *host.Listing
	c.tries(p, r, &after)
	if _, u.err = r.Update(ctx, n, made); u.err != nil {
		return u
	}
	u.Updated = true
	if files, err := r.Changes(ctx, &n.Line, made.Commit); err == nil { // it is updated, whatever can be told of that
		u.Files = filesChanged(files)
	}
	u.Entries = entriesChanged(*now, after, u.Name)
	*now = after
	return u
}

func filesChanged(files []checkout.Change) []change {
	out := make([]change, 0, len(files))
	for _, f := range files {
		out = append(out, change{f.Path, string(f.Status)})
	}
	return out
}

// entriesChanged is what differs between two listings of one extension.
func entriesChanged(before, after *host.Listing, name string) []change {
	of := func(l *host.Listing) map[string]string {
		out := map[string]string{}
		for _, e := range l.Entries {
			if e.Extension == name {
				out[e.Surface+" "+e.Name] = e.Status
			}
		}
		return out
	}
	was, is := of(before), of(after)
	out := []change{}
	for key, status := range is {
		switch old, there := was[key]; {
		case !there:
			out = append(out, change{key, "added"})
		case status != old:
			out = append(out, change{key, status})
		}
	}
	for key := range was {
		if _, there := is[key]; !there {
			out = append(out, change{key, "removed"})
		}
	}
	slices.SortFunc(out, func(a, b change) int { return slices.Compare([]string{a.Name}, []string{b.Name}) })
	return out
}

// errNotAll is an update in which something failed, which was told.
var errNotAll = errors.New("not all plugins could be looked at or updated")

func (c *call) showUpdates(done []updated, check bool) error {
	failed := slices.ContainsFunc(done, func(u updated) bool { return u.err != nil })
	if c.json {
		if err := c.document(map[string]any{"plugins": append([]updated{}, done...)}); err != nil || !failed {
			return err
		}
		return ext.AsRefused(errNotAll)
	}
	p := c.page(nil)
	newer := 0
	for i := range done {
		if u := &done[i]; u.err == nil && u.Skipped == "" && u.From != u.To {
			newer++
		}
		p.updatedOne(&done[i])
	}
	switch {
	case len(done) == 0:
		p.line("No plugin is installed.")
	case check && newer > 0:
		p.line("%s can be updated: mortise plugin update --all.", count(newer, "plugin"))
	case newer == 0 && !failed:
		p.line("There is nothing newer.")
	}
	if failed {
		return ext.AsRefused(errNotAll)
	}
	return nil
}

func (p *page) updatedOne(u *updated) {
	name := p.bold(ext.Escape(u.Name))
	switch {
	case u.err != nil:
		p.line("%s  %s %s", name, p.red("failed:"), ext.Escape(u.err.Error()))
	case u.Skipped != "":
		p.line("%s  %s", name, p.dim("left alone: "+u.Skipped))
	case u.From == u.To:
		p.line("%s  %s", name, p.dim("nothing newer than "+short(u.From)))
	case !u.Updated:
		p.line("%s  %s can be %s", name, short(u.From), short(u.To))
	default:
		p.line("%s  %s is %s now", name, short(u.From), short(u.To))
		p.differing("file", u.Files)
		p.differing("entry", u.Entries)
	}
}

// differing shows changes, the first of many.
func (p *page) differing(what string, all []change) {
	const most = 10
	for _, c := range all[:min(most, len(all))] {
		p.line("  %s %s", p.dim(c.Status), ext.Escape(c.Name))
	}
	if more := len(all) - most; more > 0 {
		p.line("  %s", p.dim(fmt.Sprintf("and %s more; mortise plugin diff shows all", count(more, what))))
	}
}

func (c *call) pluginDiff() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "diff NAME",
		Short:   "Show which files the last update of a plugin changed",
		Example: "mortise plugin diff acme",
	}
	return c.aboutPlugin(cmd, host.Looking, func(ctx context.Context, _ host.Place, r *roster.Roster, k roster.Key) error {
		i, err := r.Line(ctx, k)
		if err != nil {
			return err
		}
		files, err := r.Changes(ctx, &i, "")
		if err != nil {
			return err
		}
		if c.json {
			return c.document(map[string]any{"name": i.Name, "from": i.Before, "to": i.Commit, "files": filesChanged(files)})
		}
		view := c.page(nil)
		for _, f := range files {
			view.line("%s %s", view.dim(string(f.Status)), ext.Escape(f.Path))
		}
		view.line("%s between %s and %s.", count(len(files), "change"), short(i.Before), short(i.Commit))
		return nil
	})
}
