package state

import (
	"slices"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// Disabled returns the widest switch that disables entry of extension x in
// workspace: one for the whole extension before one for the entry, and of
// these one for every workspace before one for this workspace. With entry ""
// only switches for the whole extension count. An entry asked for by
// EntryName's name is also disabled by its short name; asked for by a short
// name it is disabled by that alone, so ask with EntryName's.
func (s *Snapshot) Disabled(workspace string, x ext.Name, entry string) (Switch, bool) {
	entries := []string{""}
	if entry != "" {
		if _, short, ok := strings.Cut(entry, "/"); ok {
			entries = append(entries, short)
		}
		entries = append(entries, entry)
	}
	for _, e := range entries {
		for _, w := range []string{"", workspace} {
			if i := find(s.Switches, Switch{Workspace: w, Extension: x, Entry: e}); i >= 0 {
				return s.Switches[i], true
			}
		}
	}
	return Switch{}, false
}

// Adopted reports whether workspace was adopted with exactly these effects, at
// whatever place.
func (s *Snapshot) Adopted(workspace string, effects ext.Digest) bool {
	return effects != (ext.Digest{}) && slices.ContainsFunc(s.Adoptions, func(a Adoption) bool {
		return a.Workspace == workspace && a.Digest == effects
	})
}

// AdoptedOnce reports whether workspace was ever adopted, whatever its effects
// were then.
func (s *Snapshot) AdoptedOnce(workspace string) bool {
	return slices.ContainsFunc(s.Adoptions, func(a Adoption) bool { return a.Workspace == workspace })
}

// LastAdoption is the newest adoption of workspace at place that remembers what
// was shown; where place has none of its own, the newest at any other, since
// worktrees of one repository share what their person adopted. own tells which.
// Of two of one time the first in the list is it. ok is false when there is
// none: one of an older version names no place, and is none of any.
func (s *Snapshot) LastAdoption(workspace, place string) (last Adoption, own, ok bool) {
	for _, a := range s.Adoptions {
		if a.Workspace != workspace || a.Place == "" || a.Snapshot == "" {
			continue
		}
		here := a.Place == place
		if !ok || here && !own || here == own && a.At.After(last.At) {
			last, own, ok = a, here, true
		}
	}
	return last, own, ok
}

// Described is the descriptions of the servers of workspace, in the order of
// the list: once Tidy has sorted it, by extension and server. It is a copy.
func (s *Snapshot) Described(workspace string) (found []Description) {
	for _, d := range s.Descriptions {
		if d.Workspace == workspace {
			found = append(found, d)
		}
	}
	return found
}

// Granted reports whether subject with exactly this content is granted and the
// grant has not lapsed at now. Content without a digest is never granted.
func (s *Snapshot) Granted(kind, subject string, digest ext.Digest, now time.Time) bool {
	if digest == (ext.Digest{}) {
		return false
	}
	i := find(s.Grants, Grant{Kind: kind, Subject: subject, Digest: digest})
	return i >= 0 && !s.Grants[i].lapsed(now)
}

// At is s as it holds at now: without the grants that have lapsed. What
// depends on what is granted depends on the digest of this.
func (s *Snapshot) At(now time.Time) Snapshot {
	c := s.Clone()
	c.Grants = slices.DeleteFunc(c.Grants, func(g Grant) bool { return g.lapsed(now) })
	return c
}

// NextLapse is when, after now, the next grant lapses: until then At returns
// the same. ok is false when none does.
func (s *Snapshot) NextLapse(now time.Time) (next time.Time, ok bool) {
	for _, g := range s.Grants {
		if !g.Until.IsZero() && !g.lapsed(now) && (!ok || g.Until.Before(next)) {
			next, ok = g.Until, true
		}
	}
	return next, ok
}

// lapsed grants have reached their Until: at that very moment they are over.
func (r Grant) lapsed(now time.Time) bool { return !r.Until.IsZero() && !now.Before(r.Until) }

// LevelsOf are what a worktree is at, by its absolute directory.
func (s *Snapshot) LevelsOf(worktree string) []Level {
	var out []Level
	for _, l := range s.Levels {
		if l.Worktree == worktree {
			out = append(out, l)
		}
	}
	return out
}
