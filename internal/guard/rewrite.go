package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/dialect"
)

// rewritten is the judgement of a call that guards rewrite. Each after the first is
// asked about what the ones before it made of the arguments. Then all guards are
// asked again about what came of it, and that is what counts. Two that give one
// argument different values, and one that is never content, deny the call: which
// of them is right cannot be told here.
func (s *Set) rewritten(ctx context.Context, c *Call, m Means, first round) Judgement {
	chain := chain{call: c, now: c.Arguments, by: map[string]string{}}
	for i := range first.rewrites {
		a := first.rewrites[i]
		if i > 0 {
			next := *c
			next.Arguments = chain.now
			a = asked(ctx, next.event(), []*handler{a.handler}, m)[0]
			if first.hear(&a); Prevails(first.Objections) == Deny {
				return first.Judgement
			}
		}
		if why := chain.take(&a); why != "" {
			first.object(a.Guard, Deny, why, true)
			return first.Judgement
		}
	}
	if len(chain.rewrote) == 0 { // each said what was there already
		first.Arguments = c.Arguments
		return first.Judgement
	}
	final := *c
	final.Arguments = chain.now
	last := s.round(ctx, &final, m)
	for i := range last.rewrites {
		if a := &last.rewrites[i]; !dialect.Equal(a.Input, chain.now) {
			last.object(a.Guard, Deny, "it rewrites the arguments once more, after all that rewrite them were asked", true)
		}
	}
	last.Arguments, last.Rewrote, last.Ran = chain.now, chain.rewrote, true
	return last.Judgement
}

// chain are arguments on their way through those that rewrite them.
type chain struct {
	call    *Call
	now     json.RawMessage
	by      map[string]string // the arguments that were rewritten, to who did that
	rewrote []string
}

// take takes what a guard made of the arguments, or says why it cannot be taken.
func (c *chain) take(a *heard) string {
	switch {
	case a.err != nil:
		return a.err.Error()
	case a.Input == nil || dialect.Equal(a.Input, c.now):
		return ""
	}
	was, ok := members(c.now)
	is, valid := members(a.Input)
	if !ok || !valid {
		return "it rewrites the arguments to what is no object, or names a key twice"
	}
	for _, key := range differing(was, is) {
		if other, taken := c.by[key]; taken {
			return fmt.Sprintf("it rewrites the argument %s, which %s rewrote otherwise", ext.Quote(ext.Shorten(key, 80)), ext.Escape(other))
		}
		c.by[key] = a.Name
	}
	c.now, c.rewrote = a.Input, append(c.rewrote, a.Name)
	return ""
}

// members are the members of an object that names no key twice.
func members(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	if v := jsontext.Value(raw); !v.IsValid() || v.Kind() != jsontext.KindBeginObject {
		return nil, false
	}
	var out map[string]json.RawMessage
	return out, json.Unmarshal(raw, &out) == nil
}

// differing are the keys that two objects do not share with one value, sorted.
func differing(a, b map[string]json.RawMessage) (out []string) {
	for _, key := range slices.Sorted(maps.Keys(a)) {
		if v, there := b[key]; !there || !dialect.Equal(a[key], v) {
			out = append(out, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b)) {
		if _, there := a[key]; !there {
			out = append(out, key)
		}
	}
	return out
}
