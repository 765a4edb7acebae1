package mortise_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise"
	"github.com/mortise-dev/mortise/ext"
)

type object = map[string]any

func answering(hook string, do func(q mortise.Asked) any) mortise.Hook {
	return mortise.Hook{Hook: hook, Name: "main", Answer: func(_ context.Context, q mortise.Asked) (any, error) { return do(q), nil }}
}

// metered is a mechanism whose axis, variables and rule about another axis are code.
func metered() mortise.Contribution {
	return mortise.Contribution{Extension: "metered", Hooks: []mortise.Hook{
		answering("axes", func(mortise.Asked) any {
			return []object{{"name": "meter", "levels": []string{"off", "on"}, "blurb": object{"off": "at rest", "on": "counted"}}}
		}),
		answering("derive_env", func(q mortise.Asked) any {
			return []object{{"name": "METER_LEVEL", "value": q.Mode["meter"]}, {"name": "METER_SITE", "value": string(q.Settings)}}
		}),
		answering("mode_issues", func(q mortise.Asked) any {
			if q.Mode["meter"] == "on" && q.Settings == nil {
				return []object{{"message": "nobody says where to count", "severity": "error"}}
			}
			return nil
		}),
	}}
}

func composed(t *testing.T, providers ...mortise.Provider) *mortise.Composed {
	t.Helper()
	c, err := mortise.Compose(providers)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPlan: what is compiled into a program answers hooks as everything else does, in a
// mode that nobody has set, and exported variables win.
func TestPlan(t *testing.T) {
	c, dir := composed(t, metered()), t.TempDir()
	bare, err := c.Plan(t.Context(), mortise.Worktree{Dir: dir, Mode: map[string]string{"meter": "on"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(bare.Issues) != 1 || !bare.Issues[0].Fatal || bare.Issues[0].Message != "nobody says where to count" {
		t.Errorf("on without settings: got issues %+v, want the one that its hook has", bare.Issues)
	}
	p, err := c.Plan(t.Context(), mortise.Worktree{Dir: dir, Mode: map[string]string{"meter": "on"}, Settings: map[string]json.RawMessage{"metered": json.RawMessage(`{"at":"x"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Issues) != 0 || len(p.Axes) != 1 || p.Axes[0].Extension != "metered" || p.Axes[0].Meanings["on"] != "counted" {
		t.Errorf("got axes %+v with issues %+v, want the axis of metered and none", p.Axes, p.Issues)
	}
	set, findings := p.Environment(t.Context(), []string{"METER_SITE="})
	if len(findings) > 0 || len(set) != 1 || set["METER_LEVEL"] != "on" {
		t.Errorf("Environment: got %v with %v, want METER_LEVEL=on alone, since METER_SITE is exported", set, findings)
	}
}

// TestPlan_answers merges by the rule of the hook: an answer that lost its key says to what,
// and who does not answer costs nothing but its own answers.
func TestPlan_answers(t *testing.T) {
	hook := func(name string, do func(context.Context) (any, error)) mortise.Contribution {
		return mortise.Contribution{Extension: name, Hooks: []mortise.Hook{{
			Hook: "derive_env", Name: "main", Timeout: 20 * time.Millisecond,
			Answer: func(ctx context.Context, _ mortise.Asked) (any, error) { return do(ctx) },
		}}}
	}
	site := func(value string) func(context.Context) (any, error) {
		return func(context.Context) (any, error) {
			return []object{{"name": "ACME_SITE", "value": value}}, nil
		}
	}
	c := composed(t,
		hook("first", site("a")), hook("second", site("b")),
		hook("failing", func(context.Context) (any, error) { return nil, errors.New("no site") }),
		hook("panicking", func(context.Context) (any, error) { panic("off") }),
		hook("late", func(ctx context.Context) (any, error) { <-ctx.Done(); return site("c")(ctx) }),
		hook("odd", func(context.Context) (any, error) { return []object{{"nome": "X_Y"}}, nil }),
	)
	p, err := c.Plan(t.Context(), mortise.Worktree{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	answers, findings, err := p.Answers(t.Context(), "derive_env", false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range answers {
		got = append(got, fmt.Sprintf("%s %s lost to %q", a.Extension, a.Value, a.LostTo))
	}
	want := `first {"name":"ACME_SITE","value":"a"} lost to "", second {"name":"ACME_SITE","value":"b"} lost to "first:main"`
	if strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
	var told strings.Builder
	for _, f := range findings {
		fmt.Fprintln(&told, f)
	}
	for _, words := range []string{"failing:main does not answer derive_env: no site", "panicking:main does not answer", "late:main does not answer", "odd:main does not answer", "second:main"} {
		if !strings.Contains(told.String(), words) {
			t.Errorf("got the findings %s, want %q in them", told.String(), words)
		}
	}
	again, _, err := p.Answers(t.Context(), "derive_env", false)
	if err != nil || len(again) != len(answers) {
		t.Errorf("asked again: got %v, %v, want the same", again, err)
	}
}

// TestPlan_refuses what cannot be asked for, with words that say what there is.
func TestPlan_refuses(t *testing.T) {
	c, dir := composed(t, metered()), t.TempDir()
	for _, bad := range []struct {
		where mortise.Worktree
		words string
	}{
		{mortise.Worktree{Dir: "here"}, "no absolute directory"},
		{mortise.Worktree{Dir: dir, Mode: map[string]string{"nometer": "on"}}, `no axis "nometer"`},
		{mortise.Worktree{Dir: dir, Mode: map[string]string{"meter": "loud"}}, "it has off, on"},
	} {
		if _, err := c.Plan(t.Context(), bad.where); err == nil || ext.KindOf(err) != ext.Usage || !strings.Contains(err.Error(), bad.words) {
			t.Errorf("%+v: got %v, want a usage error with %q", bad.where, err, bad.words)
		}
	}
	broken := composed(t, mortise.Contribution{Extension: "acme", Hooks: []mortise.Hook{answering("axes", func(mortise.Asked) any { return []object{{"name": "meter", "levels": []string{"off"}}} })}})
	if _, err := broken.Plan(t.Context(), mortise.Worktree{Dir: dir, Mode: map[string]string{"meter": "off"}}); err == nil || !strings.Contains(err.Error(), "acme:main does not answer axes") {
		t.Errorf("an axis whose extension does not answer: got %v, want why it is not there", err)
	}
	p, err := c.Plan(t.Context(), mortise.Worktree{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Answers(t.Context(), "derived_env", false); err == nil || !strings.Contains(err.Error(), `did you mean "derive_env"`) {
		t.Errorf("an unknown hook: got %v, want what was perhaps meant", err)
	}
	for words, hook := range map[string]mortise.Hook{
		`did you mean "axes"`:    answering("axis", func(mortise.Asked) any { return nil }),
		"has no function Answer": {Hook: "axes", Name: "main"},
		"1 to 64 letters":        {Hook: "axes", Name: "../main", Answer: answering("", nil).Answer},
	} {
		_, err := mortise.Compose([]mortise.Provider{mortise.Contribution{Extension: "acme", Hooks: []mortise.Hook{hook}}})
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("Compose of %+v: got %v, want %q in it", hook, err, words)
		}
	}
}

// TestPlan_provider: a provider with hooks is held to the contract of providers, and which
// hooks it answers is a part of what it is.
func TestPlan_provider(t *testing.T) {
	mortise.CheckProvider(t, metered())
	less := metered()
	less.Hooks = less.Hooks[:2]
	if a, b := composed(t, metered()).Digest(), composed(t, less).Digest(); a == b {
		t.Errorf("with one hook less: got the same digest %s", a)
	}
}

// TestPlan_isItsCallers: nothing that is changed in a plan changes what it is asked later,
// and one that nobody waited for is an error rather than a plan without axes.
func TestPlan_isItsCallers(t *testing.T) {
	c, where := composed(t, metered()), mortise.Worktree{Dir: t.TempDir(), Mode: map[string]string{"meter": "on"}}
	p, err := c.Plan(t.Context(), where)
	if err != nil {
		t.Fatal(err)
	}
	p.Mode["meter"], p.Axes[0].Levels[1], p.Axes[0].Meanings["on"] = "off", "loud", ""
	if set, _ := p.Environment(t.Context(), nil); set["METER_LEVEL"] != "on" {
		t.Errorf("after a change of the plan's mode: got %v, want METER_LEVEL=on", set)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Plan(gone, where); !errors.Is(err, context.Canceled) {
		t.Errorf("of a context that has ended: got %v, want that it has", err)
	}
}
