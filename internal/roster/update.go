package roster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/state"
)

// News is what was found out about one plugin.
type News struct {
	Line  state.Installed // as it is
	Found string          // the commit that its source has now; "" where that is not known
	From  git.Found       // how it was found
	// Skipped says why the plugin is left alone: it is read where it lies, an archive,
	// pinned, or installed at one commit. "" is not skipped.
	Skipped string
	Err     error // it could not be found out
}

// Newer reports whether there is something to update to.
func (n *News) Newer() bool { return n.Err == nil && n.Skipped == "" && n.Found != n.Line.Commit }

// Look asks the sources of plugins what they have now, many at once; without names those
// of all that hold in the workspace. One that cannot be reached costs itself alone.
func (r *Roster) Look(ctx context.Context, scope string, names []string) ([]News, error) {
	s, err := r.load(ctx)
	if err != nil {
		return nil, err
	}
	var all []News
	if len(names) == 0 {
		for _, i := range In(s.Roster, scope) {
			all = append(all, News{Line: i, Skipped: alone(&i, false)})
		}
	}
	for _, name := range names {
		i, err := Find(s.Roster, name, scope)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(all, func(n News) bool { return n.Line.Name == i.Name }) {
			all = append(all, News{Line: i, Skipped: alone(&i, true)})
		}
	}
	return all, r.ask(ctx, all)
}

// alone says why a plugin is not updated; named: it was asked for by its name.
func alone(i *state.Installed, named bool) string {
	switch {
	case i.Kind == state.Linked:
		return "it is read where it lies"
	case i.Kind == state.Archive:
		return "it is an archive; install the new one in its place"
	case git.IsCommit(i.Ref):
		return "it is installed at one commit"
	case i.Pinned && !named:
		return "it is pinned"
	}
	return ""
}

func (r *Roster) ask(ctx context.Context, all []News) error {
	var asks []git.Ask
	var at []int
	for i := range all {
		if all[i].Skipped != "" {
			continue
		}
		s, _, err := git.Parse(all[i].Line.Source, git.Allow{Local: true})
		if err != nil {
			all[i].Err = err
			continue
		}
		asks, at = append(asks, git.Ask{Source: s, Ref: all[i].Line.Ref}), append(at, i)
	}
	if len(asks) == 0 {
		return nil
	}
	g, err := r.Git()
	if err != nil {
		return err
	}
	for n, a := range g.ResolveAll(ctx, asks) {
		all[at[n]].From, all[at[n]].Found, all[at[n]].Err = a.Found, a.Found.Commit, a.Err
	}
	return nil
}

// Fetch makes the checkout of what was found, which is not in use by that.
func (r *Roster) Fetch(ctx context.Context, n *News, progress func(git.Progress)) (checkout.Checkout, error) {
	g, err := r.Git()
	if err != nil {
		return checkout.Checkout{}, err
	}
	k := checkout.Key{Name: n.Line.Name, Commit: n.Found}
	return r.Checkouts.Make(ctx, k, func(ctx context.Context, dir string) error {
		_, err := g.Fetch(ctx, n.From.At, n.Found, dir, git.Fetching{Ref: n.From.Ref, Progress: progress})
		return err
	})
}

// Update has a plugin be what was fetched, once that is known to compose with all else.
func (r *Roster) Update(ctx context.Context, n *News, c checkout.Checkout) (state.Installed, error) {
	now := n.Line
	now.Commit, now.Digest, now.Before, now.DigestBefore = c.Commit, c.Digest, n.Line.Commit, n.Line.Digest
	now.By, now.At = r.By, r.now()
	if err := r.try(ctx, now); err != nil {
		return n.Line, err
	}
	return now, r.put(ctx, "updated", &n.Line, &now)
}

// Changes are the files that differ between what is in use and another checkout of the
// plugin; with what was before it where no other is given.
func (r *Roster) Changes(ctx context.Context, i *state.Installed, other string) ([]checkout.Change, error) {
	if i.Kind != state.Git {
		return nil, ext.AsRefused(fmt.Errorf("%s has no commits to compare: %s", i.Name, alone(i, true)))
	}
	from, to := i.Commit, other
	if other == "" {
		from, to = i.Before, i.Commit
	}
	if from == "" {
		return nil, ext.AsRefused(fmt.Errorf("%s was not updated since it was installed; there is nothing to compare", i.Name))
	}
	before, err := r.Checkouts.Open(checkout.Key{Name: i.Name, Commit: from})
	now, errNow := r.Checkouts.Open(checkout.Key{Name: i.Name, Commit: to})
	if err := errors.Join(err, errNow); err != nil {
		return nil, err
	}
	return checkout.Diff(ctx, before.Dir, now.Dir)
}
