package doctor

import (
	"context"
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/plan"
)

// Asked are the checks that extensions have, as a plan gathered them: what came of them,
// or what is to be tried. left is how many of them are made with --deep alone, and were
// not.
func Asked(g *plan.Gathered, t *Tester) (checks []Check, left int) {
	for i := range g.Answers {
		a := &g.Answers[i]
		c, ok := a.Value.(check.Check)
		switch {
		case !ok:
		case c.Deep && !t.Deep:
			left++
		default:
			checks = append(checks, asked(a, c, t))
		}
	}
	return append(checks, faults(g, "checks")...), left
}

func asked(a *plan.Given, c check.Check, t *Tester) Check {
	return Check{Name: c.Name, From: a.Extension, At: at(a.Origin), Limit: t.limit() + usualLimit, Do: func(ctx context.Context, say func(Row)) error {
		r := Row{Status: c.Status, Name: c.Name, Detail: c.Detail}
		if c.Try != nil {
			r.Status, r.Detail, r.Fix = tried(t.Try(ctx, c.Try), &c)
		}
		say(r)
		return nil
	}}
}

// tried is what a test comes to in a check.
func tried(o Outcome, c *check.Check) (status check.Status, detail, fix string) {
	if o.Good {
		return check.OK, c.Good, ""
	}
	status = c.Else
	if status == "" {
		status = check.Fail
	}
	if c.Bad == "" {
		return status, o.Why, ""
	}
	if c.Try.Command == nil && !o.Moot { // it says the same
		return status, c.Bad, ""
	}
	return status, c.Bad + " (" + o.Why + ")", ""
}

// faults are rows about extensions that could not be asked.
func faults(g *plan.Gathered, what string) []Check {
	var out []Check
	for _, f := range g.Findings {
		if f.Check.Severity == ext.Info {
			continue
		}
		out = append(out, Check{Name: what, From: f.Origin.Extension, At: at(f.Origin), Do: func(_ context.Context, say func(Row)) error {
			say(Row{Status: check.Fail, Name: what, Detail: f.Message, Fix: f.Fix()})
			return nil
		}})
	}
	return out
}

func at(o ext.Origin) string {
	if o.Path == "" || o.Line == 0 {
		return o.Path
	}
	return o.Path + ":" + strconv.Itoa(o.Line)
}

// Claimed are the claims that extensions make, as a plan gathered them.
func Claimed(g *plan.Gathered, t *Tester) []Claim {
	var out []Claim
	for i := range g.Answers {
		a := &g.Answers[i]
		c, ok := a.Value.(check.Claim)
		if !ok {
			continue
		}
		claim := Claim{Name: c.Name, From: a.Extension, At: at(a.Origin), Limit: 2*t.limit() + usualLimit}
		if c.Attempt == nil {
			claim.Known = &Verdict{Status: VerdictStatus(c.Status), Detail: c.Detail}
		} else {
			claim.Control = func(ctx context.Context) error { return t.succeeds(ctx, c.Control) }
			claim.Attempt = func(ctx context.Context) (string, error) { return t.breaks(ctx, c.Attempt) }
		}
		out = append(out, claim)
	}
	for _, f := range faults(g, "claims") {
		out = append(out, Claim{Name: f.Name, From: f.From, At: f.At, Known: &Verdict{Status: Broken, Detail: "its claims could not be asked for, so that they are unproven"}})
	}
	return out
}

// Redactor takes the values of variables out of texts.
func Redactor(env []string, secret func(name string) bool) func(string) string {
	const least = 6 // a shorter one stands in other words, and keeps nothing secret
	var pairs []string
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if len(value) >= least && secret(name) {
			pairs = append(pairs, value, "(the value of "+name+")")
		}
	}
	if pairs == nil {
		return func(text string) string { return text }
	}
	return strings.NewReplacer(pairs...).Replace
}
