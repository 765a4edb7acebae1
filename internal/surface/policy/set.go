package policy

import (
	"context"
	"fmt"
)

// Rule is a policy under the name it goes by.
type Rule struct {
	Name   string // qualified
	Policy Policy

	index int
}

// Index is the position of r among the rules that its set was made of.
func (r *Rule) Index() int { return r.index }

// Opinion is what one rule has against a call.
type Opinion struct {
	Rule    *Rule
	Outcome Outcome
	Message string // the policy's own; foreign text
	Reason  string // which rule it was, and of a failure what failed; fit to be printed
	Failed  bool   // it could not be judged, which denies
}

// Set is rules, ready to judge by. It is not changed once it is made, and safe for
// concurrent use. A nil Set has no rules.
type Set struct {
	rules []prepared
	index *index
}

// prepared is a rule taken apart.
type prepared struct {
	rule      *Rule
	names     [axes][]pattern // of its fields
	condition *condition      // nil: always
	applies   string          // the reason where it applies
}

// NewSet prepares rules. Nothing is compiled that Remembered knows already. A rule
// whose expression is at fault is kept and fails whenever it is asked.
func NewSet(rules []Rule) *Set {
	s := &Set{rules: make([]prepared, len(rules))}
	own := append([]Rule(nil), rules...)
	choices := make([][]anchors, len(rules))
	for i := range own {
		r := &own[i]
		r.index = i
		p := &s.rules[i]
		p.rule, p.applies = r, "policy "+r.Name
		p.names = [axes][]pattern{parseAll(r.Policy.Tools), parseAll(r.Policy.Servers), parseAll(r.Policy.Extensions)}
		if r.Policy.When != "" {
			p.condition = Remembered.condition(r.Policy.When)
		}
		choices[i] = p.choices()
	}
	s.index = newIndex(choices)
	return s
}

// choices are all that a rule can be looked up by.
func (p *prepared) choices() []anchors {
	var out []anchors
	for axis := range axes {
		if a, ok := anchored(axis, p.names[axis]); ok {
			out = append(out, a)
		}
		if p.condition == nil {
			continue
		}
		if a, ok := anchored(axis, p.condition.facts.Demands[axis]); ok {
			out = append(out, a)
		}
	}
	return out
}

// about reports whether a rule may be about a call: its fields name it, and its
// expression is not false from the names alone.
func (p *prepared) about(a *Action) bool {
	for axis := range axes {
		names := a.names(axis)
		if !anyMatches(p.names[axis], names[0]) && !anyMatches(p.names[axis], names[1]) && !anyMatches(p.names[axis], names[2]) {
			return false
		}
		if p.condition != nil && !anyMatches(p.condition.facts.Demands[axis], names[0]) {
			return false
		}
	}
	return true
}

// Consulted are the rules that may be about a call, in their order: those that
// Judge evaluates.
func (s *Set) Consulted(a *Action) []*Rule {
	if s == nil || len(s.rules) == 0 {
		return nil
	}
	var out []*Rule
	for _, i := range s.index.find(a, nil) {
		if p := &s.rules[i]; p.about(a) {
			out = append(out, p.rule)
		}
	}
	return out
}

// Judge is JudgeContext without a time at which to give up. It ends all the same:
// what one rule may cost is bounded.
func (s *Set) Judge(a *Action) []Opinion { return s.JudgeContext(context.Background(), a) }

// JudgeContext is what the rules have against a call, in the order of the rules;
// none have nothing against it. A rule that applies says its outcome. A rule that
// cannot be judged denies, whatever its outcome is: where it reads what is not
// there, fails, takes too long, or the context has ended. What comes of several
// opinions does not depend on their order; that is decided elsewhere.
func (s *Set) JudgeContext(ctx context.Context, a *Action) []Opinion {
	if s == nil || len(s.rules) == 0 {
		return nil
	}
	var near [32]int32
	found := s.index.find(a, near[:0])
	if len(found) == 0 {
		return nil
	}
	q := questions.Get().(*question)
	q.action = a
	defer q.free()
	var out []Opinion
	for n, i := range found {
		p := &s.rules[i]
		if !p.about(a) {
			continue
		}
		o, has := p.ask(ctx, q)
		if !has {
			continue
		}
		if out == nil {
			out = make([]Opinion, 0, min(len(found)-n, 16))
		}
		out = append(out, o)
	}
	return out
}

// ask is what one rule has against a call that it may be about.
func (p *prepared) ask(ctx context.Context, q *question) (Opinion, bool) {
	o := Opinion{Rule: p.rule, Outcome: p.rule.Policy.Outcome, Message: p.rule.Policy.Message, Reason: p.applies}
	holds, err := true, error(nil)
	if p.condition != nil {
		holds, err = p.condition.holds(ctx, q)
	}
	if err == nil && o.Outcome != Deny && o.Outcome != Ask {
		err = fmt.Errorf("its outcome is %q", string(o.Outcome))
	}
	if err != nil {
		o.Outcome, o.Failed, o.Reason = Deny, true, reason(p.rule.Name, err)
	}
	return o, holds || err != nil
}
