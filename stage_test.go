package mortise

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

func oneTool(t testing.TB, more ...Provider) *Session {
	t.Helper()
	tool := NewTool(About{Name: "x", Description: "Does x."}, func(context.Context, struct{}) (any, error) { return "x", nil })
	c, err := Compose(append(more, Contribution{Extension: "acme", Tools: []Tool{tool}}))
	if err != nil {
		t.Fatal(err)
	}
	return New(c).Session()
}

func rulesOf(n int) (out []Policy) {
	for i := range n {
		out = append(out, Policy{Name: "p" + string(rune('a'+i)), Outcome: Deny, Message: "no", When: `session == "none"`})
	}
	return out
}

// TestWithoutPoliciesNoStageIsPaidFor: a deployment without policies, guards and
// plugins pays for no judging of calls, with no allocation.
func TestWithoutPoliciesNoStageIsPaidFor(t *testing.T) {
	s, arguments := oneTool(t), json.RawMessage(`{}`)
	if n := testing.AllocsPerRun(1000, func() {
		if err := s.decide(t.Context(), &s.offers[0], arguments); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("judging a call to which nobody could object: got %v allocations, want 0", n)
	}
}

func BenchmarkDecide(b *testing.B) {
	for _, c := range []struct {
		name string
		with []Provider
	}{
		{"nobody", nil},
		{"policies=3", []Provider{Contribution{Extension: "rules", Policies: rulesOf(3)}}},
		{"guard", []Provider{Contribution{Extension: "rules", Guards: []Guard{{Name: "g", Judge: func(context.Context, Action) (Opinion, error) { return Opinion{}, nil }}}}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s, arguments := oneTool(b, c.with...), json.RawMessage(`{}`)
			b.ReportAllocs()
			for b.Loop() {
				if err := s.decide(b.Context(), &s.offers[0], arguments); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCall is a whole call beside that of the bare driver.
func BenchmarkCall(b *testing.B) {
	s, arguments := oneTool(b), json.RawMessage(`{}`)
	o := &s.offers[0]
	b.Run("driver", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := o.owner.driver.Call(b.Context(), o.ref, arguments); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("session", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Call(b.Context(), "acme_x", arguments); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TestLaw05_a_late_answer_is_none: an answer that comes when the time is over counts
// as none, although it is there to be read.
func TestLaw05_a_late_answer_is_none(t *testing.T) {
	for range 5000 { // which of two ready channels is read is chance
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := within(ctx, 0, func(context.Context) (bool, error) { cancel(); return true, nil }); err == nil {
			t.Fatal("got an answer, want none that came too late")
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ref := ext.Ref{Name: "g"}
	code := caller{ref: Guard{Judge: func(context.Context, Action) (Opinion, error) { return Opinion{}, nil }}}
	if raw, err := code.Call(ctx, ref, json.RawMessage(`{}`)); err == nil {
		t.Errorf("a guard that answers late: got %s, want an error, which denies", raw)
	}
}
