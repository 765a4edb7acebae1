package roster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/state"
)

// Drift is one way in which what is installed is not what a lock file says.
type Drift struct {
	Name ext.Name
	Want *Locked          // nil: the lock file does not have it
	Is   *state.Installed // nil: it is not installed
	Lost bool             // it is installed, and its checkout is not there
}

// String says what differs.
func (d *Drift) String() string {
	switch {
	case d.Want == nil:
		return fmt.Sprintf("%s is installed for this workspace, and %s does not have it", d.Name, LockFile)
	case d.Is == nil:
		return fmt.Sprintf("%s is not installed, and %s wants it at %s", d.Name, LockFile, short(d.Want.Commit))
	case d.Lost:
		return fmt.Sprintf("the checkout of %s at %s is not there", d.Name, short(d.Want.Commit))
	case d.Is.Commit == d.Want.Commit && d.Is.Submodules != d.Want.Submodules:
		with := map[bool]string{true: "with", false: "without"}
		return fmt.Sprintf("%s is installed %s its submodules, and %s wants it %s them", d.Name, with[d.Is.Submodules], LockFile, with[d.Want.Submodules])
	case d.Is.Commit == d.Want.Commit:
		return fmt.Sprintf("%s has the digest %s, and %s wants %s", d.Name, d.Is.Digest.Short(), LockFile, d.Want.Digest.Short())
	}
	return fmt.Sprintf("%s is at %s, and %s wants %s", d.Name, cmp.Or(short(d.Is.Commit), "no commit"), LockFile, short(d.Want.Commit))
}

// Drifts are all ways in which what is installed in a workspace differs from its lock
// file. What is installed for all workspaces counts where it is just that.
func Drifts(locked []Locked, all []state.Installed, workspace string) []Drift {
	in := In(all, workspace)
	var out []Drift
	for n := range locked {
		l := &locked[n]
		at := slices.IndexFunc(in, func(i state.Installed) bool { return i.Name == l.Name })
		if at < 0 {
			out = append(out, Drift{Name: l.Name, Want: l})
		} else if i := in[at]; !l.as(&i) {
			out = append(out, Drift{Name: l.Name, Want: l, Is: &i})
		}
	}
	for _, i := range in {
		if i.Scope == workspace && i.Kind != state.Linked && !slices.ContainsFunc(locked, func(l Locked) bool { return l.Name == i.Name }) {
			out = append(out, Drift{Name: i.Name, Is: &i})
		}
	}
	return out
}

// Drifts are those of a workspace in this roster, checkouts that are lost among them.
func (r *Roster) Drifts(ctx context.Context, locked []Locked, workspace string) ([]Drift, error) {
	s, err := r.load(ctx)
	if err != nil {
		return nil, err
	}
	out := Drifts(locked, s.Roster, workspace)
	for _, i := range In(s.Roster, workspace) {
		at := slices.IndexFunc(locked, func(l Locked) bool { return l.Name == i.Name && l.Commit == i.Commit && l.Submodules == i.Submodules })
		if at >= 0 && r.lost(&i) {
			out = append(out, Drift{Name: i.Name, Want: &locked[at], Is: &i, Lost: true})
		}
	}
	slices.SortFunc(out, func(a, b Drift) int { return strings.Compare(string(a.Name), string(b.Name)) })
	return out, nil
}

// as reports whether a line is of what the lock file says.
func (l *Locked) as(i *state.Installed) bool {
	return i.Commit == l.Commit && i.Digest == l.Digest && i.Within == l.Within && i.Submodules == l.Submodules
}

// isThat refuses what is not as the lock file says.
func (l *Locked) isThat(i *state.Installed) error {
	if l.Name == "" || l.Commit == i.Commit && l.Digest == i.Digest {
		return nil
	}
	return ext.AsRefused(fmt.Errorf("%s at %s has the digest %s, and %s wants %s at %s", i.Name, short(i.Commit), i.Digest.Short(), LockFile, l.Digest.Short(), short(l.Commit)))
}

// Settle does away with one way in which a workspace differs from its lock file. Each is
// done by itself, and whole or not at all.
func (r *Roster) Settle(ctx context.Context, d Drift, workspace string, progress func(git.Progress)) error {
	if d.Want == nil {
		return r.put(ctx, "removed", d.Is, nil)
	}
	line := state.Installed{
		Name: d.Want.Name, Scope: workspace, Kind: d.Want.Kind, Source: d.Want.Source, Within: d.Want.Within,
		Ref: d.Want.Ref, Market: d.Want.Market, Commit: d.Want.Commit, Submodules: d.Want.Submodules, By: r.By, At: r.now(),
	}
	if d.Lost {
		line.Scope = d.Is.Scope
	}
	p, err := r.prove(&line, d.Want.Note)
	if err != nil {
		return err
	}
	if r.Taken != nil {
		if by := r.Taken(line.Name); by != "" {
			return ext.AsRefused(fmt.Errorf("the name %s is taken by %s, and %s has it, too", ext.Quote(string(line.Name)), by, LockFile))
		}
	}
	b := bringing{line: &line, proof: p, progress: progress}
	if line.Kind == state.Git {
		if b.from, err = r.exactly(ctx, &line); err != nil {
			return err
		}
	}
	known, err := r.known(ctx, &line)
	if err != nil {
		return err
	}
	c, err := r.again(ctx, &b, known)
	if err == nil {
		line.Digest, err = r.digest(ctx, &line, c)
	}
	if err == nil {
		err = errors.Join(d.Want.isThat(&line), p.noted(&line))
	}
	if err != nil || d.Lost {
		return err
	}
	if err := r.try(ctx, line); err != nil {
		return err
	}
	return r.settle(ctx, d, line)
}

// known reports whether what lies here under the key of a line came from its source: some
// line says so.
func (r *Roster) known(ctx context.Context, line *state.Installed) (bool, error) {
	s, err := r.load(ctx)
	if err != nil {
		return false, err
	}
	from, err := identity(line)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(s.Roster, func(i state.Installed) bool {
		is, err := identity(&i)
		return err == nil && Checkout(&i, i.Commit) == Checkout(line, line.Commit) && i.Kind == line.Kind && is == from
	}), nil
}

// settle writes the line that a lock file wants, in the place of the workspace's own.
func (r *Roster) settle(ctx context.Context, d Drift, line state.Installed) error {
	if d.Is == nil || d.Is.Scope != line.Scope {
		return r.begun(ctx, []state.Installed{line})
	}
	line.Order, line.Pinned = d.Is.Order, d.Is.Pinned
	was, _ := identity(d.Is)
	is, _ := identity(&line)
	// Else what was before is of another source, or is another part of it.
	if line.Commit != d.Is.Commit && was == is && line.Within == d.Is.Within && line.Submodules == d.Is.Submodules {
		line.Before, line.DigestBefore = d.Is.Commit, d.Is.Digest
	}
	return r.put(ctx, "updated", d.Is, &line)
}

// exactly is how to reach one commit. Where its reference still means it, that helps with
// hosts that do not give single commits.
func (r *Roster) exactly(ctx context.Context, line *state.Installed) (git.Found, error) {
	g, s, err := r.repository(line)
	if err != nil {
		return git.Found{}, err
	}
	if _, err := r.Checkouts.Open(Checkout(line, line.Commit)); err != nil {
		if found, err := g.Resolve(ctx, s, line.Ref); err == nil && found.Commit == line.Commit {
			return found, nil
		}
	}
	return git.Found{Commit: line.Commit, At: s}, nil
}
