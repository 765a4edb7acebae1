package plan_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/hook/hooktest"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/surface"
)

// worlds is how many worlds a property is tried in.
const worlds = 150

// each tries a property in worlds of axes that need and exclude each other, whose rules
// meet, and of which code has more to say. They are the same in every run.
func each(t *testing.T, do func(t *testing.T, r *rand.Rand, g *plan.Registry)) {
	t.Helper()
	for seed := range uint64(worlds) {
		r := rand.New(rand.NewPCG(seed, 9))
		do(t, r, generated(t, r))
		if t.Failed() {
			t.Fatalf("in the world %d", seed)
		}
	}
}

// generated makes a world.
func generated(t *testing.T, r *rand.Rand) *plan.Registry {
	t.Helper()
	n := 2 + r.IntN(5)
	var b strings.Builder
	levels := make([][]string, n)
	for i := range n {
		levels[i] = []string{"off", "low", "high"}[:2+r.IntN(2)]
		shown := slices.Clone(levels[i])
		if r.IntN(3) == 0 {
			shown[len(shown)-1] += "!"
		}
		b.WriteString(axisRow(fmt.Sprintf("a%d", i), shown...))
	}
	for range r.IntN(2 * n) {
		i, j := r.IntN(n), r.IntN(n+1) // one of which may not be there
		other := "off"
		if j < n {
			other = levels[j][r.IntN(len(levels[j]))]
		}
		when := levels[i][r.IntN(len(levels[i]))]
		if r.IntN(4) > 0 && when == "off" {
			when = "low"
		}
		severity := []string{"error", "error", "warn"}[r.IntN(3)]
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "[[require]]\naxis = \"a%d\"\nwhen = %q\nneeds = \"a%d\"\naccepts = %q\nseverity = %q\n", i, when, j, other, severity)
		} else {
			fmt.Fprintf(&b, "[[conflict]]\naxis = \"a%d\"\nwhen = %q\nwith = \"a%d\"\nat = %q\nseverity = %q\n", i, when, j, other, severity)
		}
	}
	rules := []string{}
	for range r.IntN(3) {
		rules = append(rules, fmt.Sprintf(`{"axis": "a%d", "host": "h%d", "header": "X", "secret": "S", "when": {"a%d": ["low", "high"]}}`, r.IntN(n), r.IntN(2), r.IntN(n)))
	}
	w := world{rows: b.String(), data: []hooktest.Extension{hooktest.Data("acme", map[string]string{"proxy_rules": "[" + strings.Join(rules, ",") + "]"})}}
	if r.IntN(3) == 0 {
		odd := fmt.Sprintf("a%d", r.IntN(n))
		w.coded = []*inproc.Extension{coded("code", map[string]func(surface.Question) (any, error){"mode_issues": func(q surface.Question) (any, error) {
			on := 0
			for _, l := range q.Mode {
				if l != "off" {
					on++
				}
			}
			if q.Mode[odd] == "low" && on%2 == 1 {
				return []map[string]string{{"severity": "error", "message": "odd"}}, nil
			}
			return nil, nil
		}})}
	}
	return w.registry(t)
}

// someMode is a mode of a world.
func someMode(r *rand.Rand, g *plan.Registry) ext.Mode {
	m := ext.Mode{}
	for _, a := range g.Axes() {
		m[a.Value.Name] = a.Value.Levels[r.IntN(len(a.Value.Levels))]
	}
	return m
}

// errorsIn counts the errors of a mode; settled: without those that settling leaves to the
// proxy.
func errorsIn(t *testing.T, g *plan.Registry, m ext.Mode, settled bool) int {
	t.Helper()
	n := 0
	for _, i := range g.Issues(t.Context(), m) {
		if i.Fatal && !(settled && strings.Contains(i.Message, "both put a credential")) {
			n++
		}
	}
	return n
}

// Settling lowers axes to their defaults and nothing else, leaves no more errors than there
// were, leaves a mode without errors as it is, and does nothing the second time.
func TestSettleOnlyLowers(t *testing.T) {
	lowered, stuck := 0, 0
	each(t, func(t *testing.T, r *rand.Rand, g *plan.Registry) {
		for range 10 {
			before := someMode(r, g)
			after := maps.Clone(before)
			got := g.Settle(t.Context(), after)
			was, is := errorsIn(t, g, before, true), errorsIn(t, g, after, true)
			if is > was || was == 0 && len(got) > 0 {
				t.Errorf("Settle(%v): %d errors before, %d after, lowered %v; want no more, and nothing done where there were none", before, was, is, got)
			}
			for _, a := range g.Axes() {
				name := a.Value.Name
				changed := after[name] != before[name]
				if changed && (after[name] != a.Value.Default() || !slices.Contains(got, name)) || !changed && slices.Contains(got, name) {
					t.Errorf("Settle(%v): got %v, lowered %v; want what changed at its default, and named", before, after, got)
				}
			}
			again := maps.Clone(after)
			if more := g.Settle(t.Context(), again); len(more) > 0 || !maps.Equal(again, after) {
				t.Errorf("Settle(%v) of what was settled: lowered %v, want nothing", after, more)
			}
			if len(got) > 0 {
				lowered++
			} else if was > 0 {
				stuck++
			}
		}
	})
	if lowered < 100 || stuck == 0 {
		t.Errorf("%d modes were lowered and %d could not be; the worlds are too tame", lowered, stuck)
	}
}

// A mode that is set has no error, and differs from the one before in what was asked for
// alone. What a refusal names as the command is accepted, and does what was asked for.
func TestSetModeHasNoErrors(t *testing.T) {
	set, commands, without := 0, 0, 0
	each(t, func(t *testing.T, r *rand.Rand, g *plan.Registry) {
		from := rest(t, g)
		for range 10 {
			target := someMode(r, g)
			var c plan.Change
			for name, level := range target {
				if r.IntN(2) == 0 {
					c.Updates = append(c.Updates, plan.Update{Axis: name, Level: level})
				}
			}
			if len(c.Updates) == 0 {
				continue
			}
			slices.SortFunc(c.Updates, func(a, b plan.Update) int { return strings.Compare(a.Axis, b.Axis) })
			before := maps.Clone(from.Mode)
			to, _, err := g.Set(t.Context(), from, c, now)
			if refused := new(plan.Refused); errors.As(err, &refused) {
				if refused.Command == nil {
					without++
					continue
				}
				commands++
				to, _, err = g.Set(t.Context(), from, plan.Change{Updates: refused.Command}, now)
			}
			if err != nil {
				t.Errorf("from %v, %v: %v; want it set, or a command that is", before, c.Updates, err)
				continue
			}
			set++
			if n := errorsIn(t, g, to.Mode, false); n > 0 {
				t.Errorf("from %v, %v: the mode %v has %d errors, want none", before, c.Updates, to.Mode, n)
			}
			for _, u := range c.Updates {
				if to.Mode[u.Axis] != u.Level {
					t.Errorf("from %v, %v: got %v, want all of it done", before, c.Updates, to.Mode)
				}
			}
			if !maps.Equal(from.Mode, before) {
				t.Errorf("setting changed the mode it began from: %v, want %v", from.Mode, before)
			}
			for name := range to.Until {
				if !to.Until[name].After(now) || to.Until[name].After(now.Add(plan.MostTTL)) {
					t.Errorf("%s ends at %s, want within %s", name, to.Until[name], plan.MostTTL)
				}
			}
			from = to
		}
	})
	if set < 300 || commands < 50 {
		t.Errorf("%d modes were set, %d by the command of a refusal, %d had none; the worlds are too tame", set, commands, without)
	}
}

// Whatever modes are asked about, in whatever order, the registry answers the same.
func TestWhatIfChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, g *plan.Registry) {
		var asked []ext.Mode
		var answered []string
		for range 6 {
			asked = append(asked, someMode(r, g))
		}
		say := func(m ext.Mode) string {
			return fmt.Sprint(g.Issues(t.Context(), m), g.Settle(t.Context(), maps.Clone(m)), keys(t, g, m, "proxy_rules", "host"), g.Plan(m).Digest, g.Digest(), axesOf(g))
		}
		for _, m := range asked {
			answered = append(answered, say(m))
		}
		for _, i := range r.Perm(len(asked)) {
			if got := say(asked[i]); got != answered[i] {
				t.Errorf("in the mode %v: got\n%s\nthe second time, want\n%s", asked[i], got, answered[i])
			}
		}
	})
}

// Load order is that of trust and the roster, whatever order extensions are given in.
func TestLoadOrderWhateverIsGivenFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for range 40 {
		var all []hooktest.Extension
		var roster []ext.Name
		want := []string{}
		for i := range 2 + r.IntN(5) {
			name := ext.Name(fmt.Sprintf("x%d", (i*7+r.IntN(5))%97))
			if slices.Contains(roster, name) {
				continue
			}
			roster = append(roster, name)
			axis := "of-" + string(name)
			all = append(all, hooktest.Data(name, map[string]string{"axes": axisJSON(axis, "off", "on"), "compose_overlays": `{"file": "` + axis + `"}`}))
			want = append(want, axis)
		}
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		g := world{data: all, roster: roster}.registry(t)
		if got := axesOf(g); got != strings.Join(want, " ") {
			t.Errorf("the roster %v: got the axes %s, want %v", roster, got, want)
		}
		if got := keys(t, g, nil, "compose_overlays", "file"); got != strings.Join(want, " ") {
			t.Errorf("the roster %v: got the overlays %s, want %v", roster, got, want)
		}
	}
}
