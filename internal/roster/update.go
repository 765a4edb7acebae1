package roster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/state"
)

// News is what was found out about one plugin.
type News struct {
	Line  state.Installed // as it is
	Found string          // the commit that its source has now; "" where that is not known
	// Skipped says why the plugin is left alone: it is read where it lies, an archive,
	// pinned, or installed at one commit. "" is not skipped.
	Skipped string
	Lost    bool   // its checkout is not there any more: it is fetched again as it was
	Err     error  // it could not be found out
	Note    string // signed, about what is found; may be set before Fetch

	next  state.Installed // what it would be
	from  git.Found       // how it was found
	rules []Rule          // that want something signed
}

// Newer reports whether there is something to fetch.
func (n *News) Newer() bool {
	return n.Err == nil && n.Skipped == "" && (n.Lost || n.Found != n.Line.Commit || n.next.Within != n.Line.Within)
}

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
			all = append(all, r.news(&i, false))
		}
	}
	for _, name := range names {
		i, err := Find(s.Roster, name, scope)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(all, func(n News) bool { return n.Line.Name == i.Name }) {
			all = append(all, r.news(&i, true))
		}
	}
	return all, r.ask(ctx, all)
}

// news begins to find out about a plugin; named: it was asked for by its name.
func (r *Roster) news(i *state.Installed, named bool) News {
	n := News{Line: *i, next: *i, Lost: r.lost(i)}
	if !n.Lost {
		n.Skipped = alone(i, named)
	}
	return n
}

// lost reports whether the checkout of a plugin is not there as one of ours.
func (r *Roster) lost(i *state.Installed) bool {
	if i.Commit == "" {
		return false
	}
	_, err := r.Checkouts.Open(Checkout(i, i.Commit))
	return err != nil // also where something else is in its place: who makes it again says that
}

// alone says why a plugin is not updated; named: it was asked for by its name.
func alone(i *state.Installed, named bool) string {
	switch {
	case i.Kind == state.Linked && i.Market == "":
		return "it is read where it lies"
	case i.Pinned && !named:
		return "it is pinned"
	case i.Market != "":
		return "" // the marketplace says which one it is
	case i.Kind == state.Archive:
		return "it is an archive; install the new one in its place"
	case git.IsCommit(i.Ref):
		return "it is installed at one commit"
	}
	return ""
}

func (r *Roster) ask(ctx context.Context, all []News) error {
	var asks []git.Ask
	var at []int
	for i := range all {
		n := &all[i]
		if n.Skipped != "" {
			continue
		}
		a, needed := r.question(ctx, n)
		if needed {
			asks, at = append(asks, a), append(at, i)
		}
	}
	if len(asks) == 0 {
		return nil
	}
	g, err := r.Git()
	if err != nil {
		return err
	}
	for n, a := range g.ResolveAll(ctx, asks) {
		all[at[n]].found(a)
	}
	return nil
}

func (n *News) found(a git.Answer) {
	if n.Err = a.Err; n.Err == nil {
		n.from, n.Found, n.next.Commit = a.Found, a.Found.Commit, a.Found.Commit
	}
}

// question is what must be asked of a repository about a plugin; needed is false where
// nothing is. The rules about sources are asked before.
func (r *Roster) question(ctx context.Context, n *News) (a git.Ask, needed bool) {
	n.Err = r.offered(ctx, n)
	if n.Line.Kind == state.Linked { // nothing is fetched, whatever its marketplace says by now
		n.Skipped = "it is read where it lies"
		if n.Err != nil {
			n.Skipped, n.Err = n.Skipped+"; "+n.Err.Error(), nil
		}
		return a, false
	}
	if n.Err != nil {
		return a, false
	}
	if n.rules, n.Err = r.permit(&n.next); n.Err != nil {
		return a, false
	}
	if n.Line.Kind == state.Archive {
		n.Found = n.next.Commit
		return a, false
	}
	ref := n.next.Ref
	if n.Lost {
		ref = n.Line.Commit
	}
	if a.Source, _, n.Err = git.Parse(n.next.Source, git.Allow{Local: true}); n.Err != nil {
		return a, false
	}
	a.Ref = ref
	return a, true
}

// offered takes in what a plugin's marketplace says of it now. One that names another
// source than the one that its person saw is not followed.
func (r *Roster) offered(ctx context.Context, n *News) error {
	if n.Line.Market == "" || n.Lost {
		return nil
	}
	if r.Offers == nil {
		return fmt.Errorf("nobody knows the marketplace of %s", n.Line.Market)
	}
	o, err := r.Offers(ctx, n.Line.Market)
	if err != nil {
		return err
	}
	now, err := r.begin(Wish{Offer: o})
	if err != nil {
		return err
	}
	was, err := identity(&n.Line)
	if err != nil {
		return err
	}
	is, err := identity(&now)
	if err != nil {
		return err
	}
	moved := is != was
	if now.Kind == state.Archive { // the next one has another name, at the same host
		moved = hostOf(is) != hostOf(was)
	}
	if moved || now.Kind != n.Line.Kind {
		return ext.AsRefused(fmt.Errorf("%s comes from %s now, and was installed from %s; to have the other one, remove it and add it again", n.Line.Market, ext.Quote(is), ext.Quote(was)))
	}
	n.next.Source, n.next.Ref, n.next.Within = now.Source, now.Ref, now.Within
	if now.Kind == state.Archive {
		n.next.Commit = now.Commit
	}
	return nil
}

func hostOf(identity string) string {
	host, _, _ := strings.Cut(identity, "/")
	return host
}

// Fetch makes the checkout of what was found, which is not in use by that.
func (r *Roster) Fetch(ctx context.Context, n *News, progress func(git.Progress)) (checkout.Checkout, error) {
	p := proof{rules: n.rules, note: n.Note}
	if err := p.possible(&n.next); err != nil {
		return checkout.Checkout{}, err
	}
	return r.again(ctx, &bringing{line: &n.next, from: n.from, proof: &p, progress: progress}, true)
}

// Update has a plugin be what was fetched, once that is known to compose with all else.
// What was lost is what it was.
func (r *Roster) Update(ctx context.Context, n *News, c checkout.Checkout) (state.Installed, error) {
	now, err := r.Trial(ctx, n, c)
	if err != nil || n.Lost {
		return n.Line, err
	}
	return now, r.put(ctx, "updated", &n.Line, &now)
}

// Trial is what Update would make of a plugin. Nothing is changed.
func (r *Roster) Trial(ctx context.Context, n *News, c checkout.Checkout) (state.Installed, error) {
	now, err := r.become(ctx, n, c)
	if err != nil {
		return n.Line, fmt.Errorf("update %s: %w", n.Line.Name, err)
	}
	if n.Lost {
		return n.Line, nil
	}
	return now, r.try(ctx, now)
}

// become is the line that a plugin has once it is what was fetched.
func (r *Roster) become(ctx context.Context, n *News, c checkout.Checkout) (now state.Installed, err error) {
	now = n.next
	now.Before, now.DigestBefore = n.Line.Commit, n.Line.Digest
	if now.Within != n.Line.Within { // what was before lies elsewhere in it
		now.Before, now.DigestBefore = "", ext.Digest{}
	}
	now.By, now.At = r.By, r.now()
	if now.Digest, err = r.digest(ctx, &now, c); err != nil {
		return now, err
	}
	if n.Lost && now.Digest != n.Line.Digest {
		return now, ext.AsRefused(fmt.Errorf("what was fetched for %s has the digest %s, and %s was installed", short(now.Commit), now.Digest.Short(), n.Line.Digest.Short()))
	}
	p := proof{rules: n.rules, note: n.Note}
	return now, p.noted(&now)
}

// Changes are the files that differ between what is in use and another checkout of the
// plugin; with what was before it where no other is given.
func (r *Roster) Changes(ctx context.Context, i *state.Installed, other string) ([]checkout.Change, error) {
	if i.Kind == state.Linked {
		return nil, ext.AsRefused(fmt.Errorf("%s has no commits to compare: %s", i.Name, alone(i, true)))
	}
	from, to := i.Commit, other
	if other == "" {
		from, to = i.Before, i.Commit
	}
	if from == "" {
		return nil, ext.AsRefused(fmt.Errorf("%s was not updated since it was installed; there is nothing to compare", i.Name))
	}
	before, err := r.Checkouts.Open(Checkout(i, from))
	now, errNow := r.Checkouts.Open(Checkout(i, to))
	if err := errors.Join(err, errNow); err != nil {
		return nil, err
	}
	return checkout.Diff(ctx, before.Dir, now.Dir)
}

// History is what lay at paths in any commit of a plugin's repository. A plugin that comes
// from none has no history.
func (r *Roster) History(ctx context.Context, i *state.Installed, paths []string, progress func(git.Progress)) (map[string][]git.Files, error) {
	if i.Kind != state.Git {
		return nil, nil
	}
	if _, err := r.permit(i); err != nil {
		return nil, err
	}
	g, s, err := r.repository(i)
	if err != nil {
		return nil, err
	}
	return g.History(ctx, s, os.TempDir(), i.Commit, paths, progress)
}
