package plan

import (
	"context"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/env"
)

// Environment is what a plan has to say about the environment of a worktree's programs.
type Environment struct {
	Set   []Typed[env.Variable] // what is to be exported, by name
	Kept  []Typed[env.Variable] // what the person exported, which wins; by name
	Unset []string              // what was set here before and is not wanted any more, sorted
	// Mark is the value by which what was set here is known again; "" when nothing is set.
	Mark     string
	Findings ext.Findings
}

// Environment resolves the variables of a plan against an environment. A variable that the
// person exported wins, also when it is empty. mark is what an earlier Environment left:
// a variable of its that still has its value is not the person's, and may be replaced.
func (p *Plan) Environment(ctx context.Context, environ []string, mark string) *Environment {
	derived, defaults := p.Gather(ctx, env.Derived.Spec), p.Gather(ctx, env.Defaults.Spec)
	out := &Environment{Findings: append(slices.Clone(derived.Findings), defaults.Findings...)}
	wanted := typed[env.Variable](derived)
	for _, d := range typed[env.Variable](defaults) {
		if !slices.ContainsFunc(wanted, func(v Typed[env.Variable]) bool { return v.Value.Name == d.Value.Name }) {
			wanted = append(wanted, d)
		}
	}
	slices.SortFunc(wanted, func(a, b Typed[env.Variable]) int { return strings.Compare(a.Value.Name, b.Value.Name) })
	exported := exportedIn(environ)
	ours := ownIn(exported, mark)
	var marks []string
	for _, v := range wanted {
		name := v.Value.Name
		if _, given := exported[name]; given && !ours[name] {
			out.Kept = append(out.Kept, v)
			continue
		}
		out.Set = append(out.Set, v)
		marks = append(marks, name+":"+sumOf(v.Value.Value))
		delete(ours, name)
	}
	out.Unset = sortedKeys(ours)
	out.Mark = strings.Join(marks, " ")
	return out
}

// Undo is the environment as it was before an earlier Environment: what that set and
// nobody changed is to be unset.
func Undo(environ []string, mark string) *Environment {
	return &Environment{Unset: sortedKeys(ownIn(exportedIn(environ), mark))}
}

func sortedKeys(set map[string]bool) []string {
	var out []string
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// exportedIn are the variables of an environment; the last of several counts.
func exportedIn(environ []string) map[string]string {
	out := make(map[string]string, len(environ))
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok {
			out[name] = value
		}
	}
	return out
}

// ownIn are the variables that a mark names and that still have the value it was made of.
func ownIn(exported map[string]string, mark string) map[string]bool {
	out := map[string]bool{}
	for one := range strings.FieldsSeq(mark) {
		name, sum, ok := strings.Cut(one, ":")
		if value, given := exported[name]; ok && given && sumOf(value) == sum && env.Name(name) == nil {
			out[name] = true
		}
	}
	return out
}

// sumOf tells values apart without showing them.
func sumOf(value string) string { return ext.NewHash("variable").Text(value).Sum().Short() }
