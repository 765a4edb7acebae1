package hooktest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/hook/axis"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/surface"
)

// switched is the axis that the suite's own conditions are on.
const switched = "hooktest-switch"

// levels are the axes that answers are about or have conditions on, each with its levels;
// the first is one that nobody names.
func levels(spec *surface.Spec, all []sample) map[string][]string {
	out := map[string][]string{}
	add := func(name string, levels ...string) {
		if out[name] == nil {
			out[name] = []string{"at-rest", "at-work"}
		}
		for _, l := range levels {
			if !slices.Contains(out[name], l) {
				out[name] = append(out[name], l)
			}
		}
	}
	add(switched)
	for i := range all {
		read, _, err := spec.Answers.ReadDoc(&all[i].doc)
		if err != nil {
			continue
		}
		for name, levels := range read[0].When {
			add(name, levels...)
		}
		if about := aboutAxis(&all[i]); about != "" && spec.Name != "axes" {
			add(about)
		}
	}
	return out
}

// aboutAxis is the axis that an answer is about; "" for none.
func aboutAxis(s *sample) (name string) {
	if json.Unmarshal(s.members["axis"], &name) != nil {
		return ""
	}
	return name
}

// axes are axes as an answer, and those of the samples where the hook is that of axes.
func axes(t *testing.T, spec *surface.Spec, all []sample) string {
	t.Helper()
	parts := []string{}
	known := levels(spec, all)
	for _, name := range slices.Sorted(maps.Keys(known)) {
		blurb := map[string]string{}
		for _, l := range known[name] {
			blurb[l] = "means " + l
		}
		raw, err := ext.EncodeJSON(axis.Axis{Name: name, Levels: known[name], Blurb: blurb})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, string(raw))
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// specs are the hooks of the world of a hook.
func specs(spec *surface.Spec) []*surface.Spec {
	if spec == axis.Axes.Spec {
		return []*surface.Spec{spec}
	}
	return []*surface.Spec{axis.Axes.Spec, spec}
}

// world is a registry in which the samples are answered, as data or by code.
func world(t *testing.T, spec *surface.Spec, all []sample, code func() any) *plan.Registry {
	t.Helper()
	in := plan.Inputs{Specs: specs(spec), Worktree: "/w"}
	worlds := []Extension{Data("axes", map[string]string{"axes": axes(t, spec, all)})}
	if code == nil {
		raw, err := json.Marshal(answered(t, all, nil))
		if err != nil {
			t.Fatal(err)
		}
		worlds = append(worlds, Data("answers", map[string]string{spec.Name: string(raw)}))
	} else {
		x := &inproc.Extension{Name: "answers", Hooks: []inproc.Hook{{Hook: spec.Name, Name: "count", Answer: func(context.Context, surface.Question) (any, error) { return code(), nil }}}}
		worlds = append(worlds, Extension{Name: x.Name, Files: x.Describe()})
		in.Caller = inproc.New(x)
	}
	in.Composition = Compose(t, in.Specs, nil, worlds...)
	return plan.New(t.Context(), in)
}

// answered are the samples as JSON, each with some members changed.
func answered(t *testing.T, all []sample, change map[string]string) []json.RawMessage {
	t.Helper()
	var out []json.RawMessage
	for i := range all {
		out = append(out, all[i].raw(t, change))
	}
	return out
}

// shown is what a hook is answered, in words. Who answered does not count.
func shown(g *plan.Gathered) string {
	var b strings.Builder
	for _, a := range g.Answers {
		if a.Extension == "axes" {
			continue
		}
		raw, err := ext.EncodeJSON(a.Value)
		fmt.Fprintln(&b, a.Key, a.When, string(raw), err)
	}
	for _, f := range g.Findings {
		fmt.Fprintln(&b, "finding", f.Check.Code)
	}
	return b.String()
}

// modes are all modes of axes that are not at their defaults alone, and all of them at
// each of their levels.
func modes(r *plan.Registry) []ext.Mode {
	out := []ext.Mode{nil}
	for n := range 5 {
		m := ext.Mode{}
		for _, a := range r.Axes() {
			m[a.Value.Name] = a.Value.Levels[n%len(a.Value.Levels)]
		}
		out = append(out, m)
	}
	for _, a := range r.Axes() {
		for _, l := range a.Value.Levels {
			out = append(out, ext.Mode{a.Value.Name: l})
		}
	}
	return append(out, ext.Mode{"nobody": "knows"})
}

// whatIf asks for modes that nobody set, again and again: what is answered is the same,
// and the same from data as from code, and the registry is what it was.
func whatIf(t *testing.T, spec *surface.Spec, all []sample) {
	var asked atomic.Int32
	code := world(t, spec, all, func() any { asked.Add(1); return answered(t, all, nil) })
	data := world(t, spec, all, nil)
	if code.Findings().Failed() || data.Findings().Failed() {
		t.Fatalf("findings: %v, %v; want no errors", code.Findings(), data.Findings())
	}
	digest, rest := code.Digest(), code.Default()
	var first []string
	for round := range 2 {
		for i, mode := range modes(code) {
			before := maps.Clone(mode)
			got := shown(code.Plan(mode).Gather(t.Context(), spec))
			if round == 0 {
				first = append(first, got)
			}
			if got != first[i] {
				t.Errorf("in the mode %v: got\n%s\nthe second time, want\n%s", mode, got, first[i])
			}
			if fromData := shown(data.Plan(mode).Gather(t.Context(), spec)); fromData != got {
				t.Errorf("in the mode %v: got\n%s\nfrom data, want what code answers:\n%s", mode, fromData, got)
			}
			if !maps.Equal(before, mode) {
				t.Errorf("asking changed the mode %v to %v", before, mode)
			}
		}
	}
	if code.Digest() != digest || !reflect.DeepEqual(code.Default(), rest) {
		t.Errorf("asking changed the registry")
	}
	if n := int(asked.Load()); spec.Answers.Fixed && n != 1 || !spec.Answers.Fixed && n < len(modes(code)) {
		t.Errorf("the code was asked %d times; want once for answers that are the same in every mode, else for each mode", n)
	}
}

// conditions gives every sample the condition that one axis is at one level: it holds
// there and nowhere else. Answers that are the same in every mode have none.
func conditions(t *testing.T, spec *surface.Spec, all []sample) {
	if spec.Answers.Fixed {
		for i := range all {
			for _, when := range []string{"{}", `{"x": "on"}`} {
				_, err := spec.Answers.Read(list(all[i].raw(t, map[string]string{"when": when})))
				if err == nil || !strings.Contains(err.Error(), "condition") {
					t.Errorf("a condition on an answer that is the same in every mode: got %v, want it refused", err)
				}
			}
		}
		return
	}
	for _, when := range []string{"3", `"on"`, "[]", `{"x": 3}`, `{"x": []}`, `{"x": [3]}`, `{"x": {"y": "z"}}`, `{"x": "a", "x": "b"}`} {
		if _, err := spec.Answers.Read(list(all[0].raw(t, map[string]string{"when": when}))); err == nil {
			t.Errorf("when %s: got no error, want it refused", when)
		}
	}
	for when, wants := range map[string]map[string]bool{
		`{"` + switched + `": "at-work"}`:                    {"at-rest": false, "at-work": true},
		`{"` + switched + `": ["at-rest"]}`:                  {"at-rest": true, "at-work": false},
		`{"` + switched + `": ["at-rest", "at-work"]}`:       {"at-rest": true, "at-work": true},
		`{"` + switched + `": "at-work", "nobody": "knows"}`: {"at-rest": false, "at-work": false},
	} {
		for i := range all {
			one := all[i : i+1]
			r := world(t, spec, one, func() any { return answered(t, one, map[string]string{"when": when}) })
			for level, want := range wants {
				mode := ext.Mode{"nobody": "knows"}
				for _, a := range r.Axes() { // what is about an axis is at rest with it
					mode[a.Value.Name] = "at-work"
				}
				mode[switched] = level
				if got := len(r.Plan(mode).Gather(t.Context(), spec).Answers) == 1; got != want {
					t.Errorf("%s with the condition %s at %s: it holds: %v, want %v", one[0].members, when, level, got, want)
				}
			}
		}
	}
}
