package catalog

import (
	"context"
	"maps"
	"path"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/hook/secret"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/substrate/doctor"
)

// wanted looks for the secrets of levels: one that is missing is a failure where its level
// is on, and a warning where it rests.
func (x *examined) wanted() []doctor.Check {
	if x.g == nil {
		return nil
	}
	return []doctor.Check{{Name: "secrets", Limit: askLimit, Do: func(ctx context.Context, say func(doctor.Row)) error {
		seen := map[string]bool{}
		for _, s := range x.secrets {
			x.holds(&s, check.Fail, "", seen, say)
		}
		r := x.g.Registry(ctx)
		for _, a := range r.Axes() {
			for _, level := range a.Value.Levels {
				mode := maps.Clone(x.current.Mode)
				if mode[a.Value.Name] == level {
					continue
				}
				mode[a.Value.Name] = level
				for _, s := range plan.Of(ctx, r.Plan(mode), secret.Wanted) {
					x.holds(&s, check.Warn, a.Value.Name+"="+level+" needs it: ", seen, say)
				}
			}
		}
		return ctx.Err()
	}}}
}

// holds looks at one secret, once. What a check of Mortise's own tries is left to that.
func (x *examined) holds(s *plan.Typed[secret.Secret], missing check.Status, why string, seen map[string]bool, say func(doctor.Row)) {
	v := &s.Value
	if seen[v.Variable] {
		return
	}
	seen[v.Variable] = true
	row := doctor.Row{Name: "secret " + v.Variable, From: s.Extension, At: where(s.Origin.Path, s.Origin.Line), Fix: v.How}
	if row.Fix == "" {
		row.Fix = "export it where Mortise is started"
	}
	switch value := x.variable(v.Variable); {
	case value == "" && x.triedByUs(v.Variable):
		return
	case value == "":
		row.Status, row.Detail = missing, why+"the variable is not set"
	case !shaped(v.Pattern, value):
		row.Status, row.Detail = missing, why+"the variable does not look like "+v.Pattern
	case x.triedByUs(v.Variable):
		return
	default:
		row.Status, row.Detail, row.Fix = check.OK, "it is there", ""
	}
	if row.Status != check.OK && v.Label != "" {
		row.Detail += " (" + v.Label + ")"
	}
	say(row)
}

// triedByUs reports whether what is compiled in has a row for a variable.
func (x *examined) triedByUs(name string) bool {
	for _, a := range x.checks.Answers {
		if c, ok := a.Value.(check.Check); ok && a.Extension == ext.BuiltinName && c.Try != nil && c.Try.Variable == name {
			return true
		}
	}
	return false
}

func (x *examined) variable(name string) (value string) {
	for _, kv := range x.place.Env {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			value = v
		}
	}
	return value
}

// shaped reports whether a value looks like a pattern, in which a slash is nothing
// special.
func shaped(pattern, value string) bool {
	if pattern == "" {
		return true
	}
	flat := strings.NewReplacer("/", "\x01")
	ok, err := path.Match(flat.Replace(pattern), flat.Replace(value))
	return ok && err == nil
}

// slow is for what waits for other programs.
const slow = time.Minute
