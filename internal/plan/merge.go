package plan

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// merge merges answers, given in load order, by the hook's rule.
func (g *Gathered) merge(hook *surface.Spec, all []Given) {
	if hook.Answers.Merge == surface.Append {
		g.Answers = all
		return
	}
	groups := make(map[string][]int, len(all))
	for i := range all {
		groups[fold(hook, all[i].Key)] = append(groups[fold(hook, all[i].Key)], i)
	}
	g.Answers = make([]Given, 0, len(groups))
	for i := range all {
		same := groups[fold(hook, all[i].Key)]
		switch {
		case len(same) == 1:
			g.Answers = append(g.Answers, all[i])
		case same[0] != i: // the group was dealt with
		case hook.Answers.Merge == surface.Exclusive:
			g.refuse(hook, all, same)
		default:
			g.settle(hook, all, same)
		}
	}
}

// fold is a key as it is compared. Names of axes and probes that differ in case alone
// would be one to people.
func fold(hook *surface.Spec, key string) string {
	if hook.Answers.Merge == surface.Exclusive {
		return surface.Fold(key)
	}
	return key
}

// refuse leaves out everybody who wants one key.
func (g *Gathered) refuse(hook *surface.Spec, all []Given, same []int) {
	names := make([]string, len(same))
	for i, at := range same {
		names[i] = all[at].by()
	}
	for _, at := range same {
		g.Findings.Add(AnswerTaken.At(all[at].Origin, "%s: %s is declared by %s; neither is in use", hook.Name, ext.Quote(all[at].Key), strings.Join(names, " and ")))
	}
}

// settle keeps, of those that share a key, one: of a union the first in load order, else
// the first in precedence. A difference between the others and it is told.
func (g *Gathered) settle(hook *surface.Spec, all []Given, same []int) {
	keep := same[0]
	if hook.Answers.Merge == surface.Overlay {
		for _, at := range same[1:] {
			if all[at].precedes < all[keep].precedes {
				keep = at
			}
		}
	}
	kept := all[keep]
	for _, at := range same {
		if at == keep {
			continue
		}
		if hook.Name == "secrets" && all[at].Extension != "" && kept.Extension == "" {
			kept.Value = completed(kept.Value, all[at].Value) // a row of the configuration says of it what it wants to
			g.Shadowed = append(g.Shadowed, Shadow{Lost: all[at], Kept: kept})
			continue
		}
		g.Shadowed = append(g.Shadowed, Shadow{Lost: all[at], Kept: kept})
		if hook.Answers.Merge == surface.Overlay && !equal(all[at].Value, kept.Value) {
			g.Findings.Add(AnswerConflict.At(all[at].Origin, "%s: %s is given by %s and by %s, and not the same; the latter holds", hook.Name, ext.Quote(all[at].Key), all[at].by(), kept.by()))
		}
	}
	g.Answers = append(g.Answers, kept)
}

// by names who gave an answer, and where.
func (a *Given) by() string {
	if a.Entry == "" {
		return "the configuration (" + ext.Escape(a.Origin.String()) + ")"
	}
	return ext.Escape(a.Entry) + " (" + ext.Escape(a.Origin.String()) + ")"
}
