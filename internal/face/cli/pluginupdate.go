package cli

import (
	"context"
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
	Lapses  []string `json:"lapses"`  // entries that were in use by a grant, which does not cover what is new
	Setup   string   `json:"setup"`   // how its set-up steps stand then, as plugin list has it; "" with --check
	Again   bool     `json:"again"`   // its checkout was not there any more, and is fetched again as it was

	err error
}

// updating is how plugins are updated.
type updating struct {
	place      host.Place
	roster     *roster.Roster
	now        *host.Listing // what is in use; nil as long as nobody had to know
	check, dry bool
	swept      error // what was before could not all be swept away
}

// change is one thing that differs.
type change struct {
	Name   string `json:"name"`   // a path, or SURFACE NAME
	Status string `json:"status"` // added, removed, changed, mode; pending
}

func (c *call) pluginUpdate() *cobra.Command {
	var o updating
	var note string
	var all bool
	cmd := &cobra.Command{
		Use:   "update [NAME…]",
		Short: "Fetch what the sources of plugins have now, and use that",
		Long: `Fetch what the sources of plugins have now, show what differs, and use it once it is
known to compose with all else. A failure at any moment leaves the old one in use, and
one plugin that fails costs the others nothing; the exit code is 1 then. What was
granted to a plugin lapses with its content: mortise trust shows what waits.

--all leaves out what is pinned, linked, or installed at one commit.`,
		Example: "mortise plugin update acme\nmortise plugin update --all --check",
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return usage("name the plugins to update, or give --all: mortise plugin update --all")
			}
			purpose := host.Changing
			if o.check {
				purpose = host.Looking
			}
			if note != "" && len(args) != 1 {
				return usage("--note is about one plugin: mortise plugin update NAME --note FILE")
			}
			text, err := c.note(note)
			if err != nil {
				return err
			}
			return c.plugins(cmd.Context(), purpose, func(p host.Place, r *roster.Roster) error {
				news, err := r.Look(cmd.Context(), p.Workspace.ID, args)
				if err != nil {
					return err
				}
				o.place, o.roster = p, r
				var done []updated
				for i := range news {
					news[i].Note = text
					u := c.update(cmd.Context(), &o, &news[i])
					if u.err != nil {
						u.Error = u.err.Error()
					}
					done = append(done, u)
				}
				if slices.ContainsFunc(done, func(u updated) bool { return u.Updated }) {
					_, o.swept = r.Sweep(cmd.Context())
				}
				answer := c.showUpdates(done, &o)
				if err := c.setUpUpdated(cmd.Context(), done, &o); err != nil {
					return err
				}
				return answer
			})
		},
		ValidArgsFunction: c.completesPlugin(),
	}
	cmd.Flags().BoolVar(&o.check, "check", false, "only look whether there is something newer")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "fetch and show what would change, and use none of it")
	cmd.Flags().StringVar(&note, "note", "", "a `FILE` with the signed note that a rule about the source wants")
	cmd.Flags().BoolVar(&all, "all", false, "all that are installed")
	return cmd
}

// update updates one plugin, or only tells whether it would.
func (c *call) update(ctx context.Context, o *updating, n *roster.News) (u updated) {
	r := o.roster
	u = updated{
		Name: string(n.Line.Name), From: n.Line.Commit, To: n.Found, Skipped: n.Skipped, Again: n.Lost, err: n.Err,
		Files: []change{}, Entries: []change{}, Lapses: []string{},
	}
	if o.check || !n.Newer() {
		return u
	}
	if o.now == nil {
		if o.now, u.err = c.TryInstalled(ctx, o.place, nil, n.Line); o.now == nil {
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
	c.tries(o.place, r, &after)
	do := r.Update
	if o.dry {
		do = r.Trial
	}
	if _, u.err = do(ctx, n, made); u.err != nil {
		return u
	}
	u.Updated, u.Setup = !o.dry, setupState(after, u.Name)
	if n.Lost {
		return u
	}
	if files, err := r.Changes(ctx, &n.Line, made.Commit); err == nil { // it is updated, whatever can be told of that
		u.Files = filesChanged(files)
	}
	u.Entries, u.Lapses = entriesChanged(o.now, after, u.Name), lapsed(o.now, after, u.Name)
	if !o.dry {
		o.now = after
	}
	return u
}

// setUpUpdated offers to run what is due of what was updated.
func (c *call) setUpUpdated(ctx context.Context, done []updated, o *updating) error {
	var names []string
	for i := range done {
		if done[i].Updated {
			names = append(names, done[i].Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return c.setUpAfter(ctx, o.place, o.now, names...)
}

// lapsed are the entries of an extension that were in use and wait for consent.
func lapsed(before, after *host.Listing, name string) []string {
	active := map[string]bool{}
	for _, e := range before.Entries {
		active[e.Surface+" "+e.Name] = e.Extension == name && e.Status == "active"
	}
	out := []string{}
	for _, e := range after.Entries {
		if key := e.Surface + " " + e.Name; e.Extension == name && e.Status == "pending" && active[key] {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
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

func (c *call) showUpdates(done []updated, o *updating) error {
	failed := slices.ContainsFunc(done, func(u updated) bool { return u.err != nil })
	if c.json {
		if err := c.document(map[string]any{"plugins": append([]updated{}, done...)}); err != nil || !failed {
			return err
		}
		return errNo
	}
	p := c.page(nil)
	newer := 0
	for i := range done {
		u := &done[i]
		if u.err == nil && u.Skipped == "" && (u.Again || u.From != u.To) {
			newer++
		}
		p.updatedOne(u, o)
	}
	if o.swept != nil {
		p.line("%s", p.dim("What is not needed any more could not all be removed: "+ext.Escape(o.swept.Error())))
	}
	switch {
	case len(done) == 0:
		p.line("No plugin is installed.")
	case o.check && newer > 0:
		p.line("%s can be updated: mortise plugin update --all.", count(newer, "plugin"))
	case newer == 0 && !failed:
		p.line("There is nothing newer.")
	}
	if failed {
		return errNo
	}
	return nil
}

func (p *page) updatedOne(u *updated, o *updating) {
	name := p.bold(ext.Escape(u.Name))
	switch {
	case u.err != nil:
		p.line("%s  %s %s", name, p.red("failed:"), ext.Escape(u.err.Error()))
	case u.Skipped != "":
		p.line("%s  %s", name, p.dim("left alone: "+ext.Escape(u.Skipped)))
	case u.Again && u.Updated:
		p.line("%s  %s was not there any more, and was fetched again", name, short(u.From))
	case u.Again:
		p.line("%s  %s is not there any more; mortise plugin update %s fetches it again", name, short(u.From), word(u.Name))
	case u.From == u.To:
		p.line("%s  %s", name, p.dim("nothing newer than "+short(u.From)))
	case o.check:
		p.line("%s  %s can be %s", name, short(u.From), short(u.To))
	default:
		verb := "is %s now"
		if o.dry {
			verb = "would be %s"
		}
		p.line("%s  %s "+verb, name, short(u.From), short(u.To))
		p.differing("file", u.Files)
		p.differing("entry", u.Entries)
		if len(u.Lapses) > 0 {
			p.line("  What was granted does not cover this: %s waits. mortise trust shows what wants to run.", ext.Escape(enumerate(u.Lapses)))
		}
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
