package guard

import (
	"context"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/internal/surface/policy"
)

// Ruled is what policies alone have against a call.
func (s *Set) Ruled(ctx context.Context, c *Call) []Objection {
	if s.Empty() {
		return nil
	}
	return s.ruled(ctx, c)
}

// Ruling reports whether a guard is a policy, or is none that the set knows: what
// others say cannot be told from a policy.
func (s *Set) Ruling(name string) bool {
	for i := range s.hooks {
		if s.hooks[i].Name == name {
			return false
		}
	}
	return true
}

// Replay is what policies would come to about a call of which not everything is
// known: reads tells of a variable, or of a key of the arguments
// ("arguments.path"), whether its value is. decided is false where a policy that
// may be about the call reads what is not known, or names tools while the qualified
// name of this one is not known, unless another denies it in any case. by are the
// policies that make the verdict.
func (s *Set) Replay(ctx context.Context, c *Call, known func(reads string) bool) (v Verdict, by []string, decided bool) {
	if s.Empty() {
		return Pass, nil, true
	}
	decided = c.Qualified != "" || !slices.ContainsFunc(s.alone, func(r policy.Rule) bool { return len(r.Policy.Tools) > 0 })
	for _, r := range s.policies.Consulted(c.action()) {
		rule := s.alone[r.Index()]
		if !allKnown(rule.Policy, known) {
			decided = false
			continue
		}
		for _, o := range policy.NewSet([]policy.Rule{rule}).JudgeContext(ctx, c.action()) {
			switch is := verdictOf(o); {
			case is > v:
				v, by = is, []string{rule.Name}
			case is == v:
				by = append(by, rule.Name)
			}
		}
	}
	if v == Deny {
		decided = true
	}
	return v, by, decided
}

// allKnown reports whether all that a policy reads is known. Names of tools, servers
// and extensions are.
func allKnown(p policy.Policy, known func(string) bool) bool {
	if p.When == "" {
		return true
	}
	reads := p.Reads()
	if reads == nil {
		return true // it cannot be judged whatever is known, which denies
	}
	for _, r := range reads {
		variable, _, _ := strings.Cut(r, ".")
		switch variable {
		case "tool", "server", "extension":
		default:
			if !known(r) {
				return false
			}
		}
	}
	return true
}
