package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/axis"
	"github.com/mortise-dev/mortise/internal/hook/proxy"
)

// Issue is something that is wrong with a mode.
type Issue struct {
	Fatal   bool // no mode with it is set; else it is said
	Message string
	Axes    []string // that it is about
	Origin  ext.Origin
	overlap bool     // the proxy deals with it by putting in neither credential
	ways    []Update // each might mend it, the better ones first
}

// Issues are what is wrong with a mode: what axes require of each other, in the order of
// the axes, what does not go with what, rules that would put two credentials into one
// request, and what hooks say.
func (r *Registry) Issues(ctx context.Context, mode ext.Mode) []Issue {
	var out []Issue
	for i := range r.relations {
		if issue, wrong := r.relations[i].issue(r, mode); wrong {
			out = append(out, issue)
		}
	}
	p := r.Plan(mode)
	out = append(out, r.overlaps(ctx, Of(ctx, p, proxy.Rules))...)
	for _, i := range Of(ctx, p, axis.Issues) {
		out = append(out, Issue{Fatal: i.Value.Severity == axis.Error, Message: ext.Escape(i.Value.Message), Origin: i.Origin})
	}
	return out
}

// issue is what is wrong with a mode by one relation. An axis that the mode does not name
// is at its default.
func (x *relation) issue(r *Registry, mode ext.Mode) (Issue, bool) {
	level := r.level(mode, x.owner)
	if x.requires != nil {
		return x.unmet(r, mode, level)
	}
	c := x.conflict
	if !slices.Contains(c.When, level) || !slices.Contains(c.At, r.level(mode, c.Axis)) {
		return Issue{}, false
	}
	i := Issue{Fatal: c.Severity == axis.Error, Axes: []string{x.owner, c.Axis}, Origin: x.origin}
	for _, name := range []string{c.Axis, x.owner} {
		if a := r.Axis(name); a != nil {
			i.ways = append(i.ways, Update{name, a.Value.Default()})
		}
	}
	i.Message = ext.Escape(c.Message)
	if i.Message == "" {
		i.Message = fmt.Sprintf("%s=%s does not go with %s=%s", x.owner, level, c.Axis, r.level(mode, c.Axis))
	}
	return i, true
}

// unmet is what is wrong where what a level requires is not so.
func (x *relation) unmet(r *Registry, mode ext.Mode, level string) (Issue, bool) {
	q := x.requires
	needed := r.Axis(q.Axis)
	if !slices.Contains(q.When, level) || needed != nil && slices.Contains(q.Accepts, r.level(mode, q.Axis)) {
		return Issue{}, false
	}
	i := Issue{Fatal: q.Severity == axis.Error, Axes: []string{x.owner, q.Axis}, Origin: x.origin}
	if needed != nil {
		for _, accepted := range q.Accepts { // without an end in time, if one does
			if slices.Contains(needed.Value.Levels, accepted) && !slices.Contains(needed.Value.Emergency, accepted) {
				i.ways = append(i.ways, Update{q.Axis, accepted})
			}
		}
		for _, accepted := range q.Accepts {
			if slices.Contains(needed.Value.Emergency, accepted) {
				i.ways = append(i.ways, Update{q.Axis, accepted})
			}
		}
	}
	i.ways = append(i.ways, Update{x.owner, r.Axis(x.owner).Value.Default()})
	if i.Message = ext.Escape(q.Message); i.Message != "" {
		return i, true
	}
	what := ext.Escape(q.Reason)
	if what == "" {
		what = q.Axis + "=" + strings.Join(q.Accepts, " or ")
	}
	i.Message = fmt.Sprintf("%s=%s needs %s", x.owner, level, what)
	switch {
	case needed == nil:
		i.Message += fmt.Sprintf(", and there is no axis %s here", ext.Quote(q.Axis))
	case len(q.Accepts) > 0:
		i.Message += fmt.Sprintf(" (%s is at %s)", q.Axis, r.level(mode, q.Axis))
	}
	return i, true
}

// level is the level of an axis in a mode; "" where there is no such axis.
func (r *Registry) level(mode ext.Mode, name string) string {
	a := r.Axis(name)
	if a == nil {
		return ""
	}
	if l, ok := mode[name]; ok {
		return l
	}
	return a.Value.Default()
}

// overlaps are the pairs of axes whose rules would put two credentials into one request.
// Every place where they meet is named. An axis may have as many rules for a host as it
// likes.
func (r *Registry) overlaps(ctx context.Context, rules []Typed[proxy.Rule]) []Issue {
	const named = 8 // places of one pair
	var out []Issue
	at, places := map[[2]string]int{}, map[[2]string]int{}
	hosts := map[string][]int{}
	for i := range rules {
		host := proxy.Fold(rules[i].Value.Host)
		for _, j := range hosts[host] {
			a, b := &rules[j], &rules[i]
			pair := [2]string{a.Value.Axis, b.Value.Axis}
			if pair[0] == pair[1] || !proxy.Overlap(a.Value, b.Value) {
				continue
			}
			if r.place(pair[0]) > r.place(pair[1]) {
				pair[0], pair[1] = pair[1], pair[0]
			}
			n, known := at[pair]
			if places[pair]++; places[pair] > named {
				continue
			}
			place := where(&a.Value) + " (" + a.by() + ") and " + where(&b.Value) + " (" + b.by() + ")"
			if known {
				out[n].Message += "; " + place
				continue
			}
			at[pair] = len(out)
			issue := Issue{Fatal: true, overlap: true, Axes: []string{pair[0], pair[1]}, Origin: b.Origin}
			for _, name := range pair {
				issue.ways = append(issue.ways, Update{name, r.Axis(name).Value.Default()})
			}
			issue.Message = fmt.Sprintf("%s and %s both put a credential into the same requests: %s", pair[0], pair[1], place)
			out = append(out, issue)
		}
		hosts[host] = append(hosts[host], i)
		if ctx.Err() != nil {
			break
		}
	}
	for pair, n := range at {
		if more := places[pair] - named; more > 0 {
			out[n].Message += fmt.Sprintf("; and %d more", more)
		}
	}
	return out
}

// where is the part of the network that a rule is about.
func where(r *proxy.Rule) string { return proxy.Fold(r.Host) + ext.Escape(r.PathPrefix) }

// Settle lowers axes of a mode until no level is in force whose needs are not met, and
// returns those it lowered, in their order. It only ever sets axes to their defaults: the
// first in order that leaves fewer errors, again and again; where no single one does, all
// of them, if that leaves none; else nothing. A mode without errors stays as it is.
func (r *Registry) Settle(ctx context.Context, mode ext.Mode) []string {
	before := make(map[string]string, len(mode))
	for k, v := range mode {
		before[k] = v
	}
	for n := r.wrong(ctx, mode); n > 0; {
		better := r.lower(ctx, mode, n)
		if better < 0 {
			break
		}
		n = better
	}
	var lowered []string
	for i := range r.axes {
		if name := r.axes[i].Value.Name; mode[name] != before[name] {
			lowered = append(lowered, name)
		}
	}
	return lowered
}

// lower makes one step, and returns how many errors are left; -1 when there is no step.
func (r *Registry) lower(ctx context.Context, mode ext.Mode, errs int) int {
	active := false
	for i := range r.axes {
		a := &r.axes[i].Value
		was := mode[a.Name]
		if was == a.Default() {
			continue
		}
		active = true
		mode[a.Name] = a.Default()
		if n := r.wrong(ctx, mode); n < errs {
			return n
		}
		mode[a.Name] = was
	}
	rest := r.Default()
	if !active || r.wrong(ctx, rest) > 0 {
		return -1
	}
	for name, level := range rest {
		mode[name] = level
	}
	return 0
}

// wrong counts the errors of a mode, but for credentials that meet in a request: those
// the proxy deals with.
func (r *Registry) wrong(ctx context.Context, mode ext.Mode) int {
	n := 0
	for _, i := range r.Issues(ctx, mode) {
		if i.Fatal && !i.overlap {
			n++
		}
	}
	return n
}
