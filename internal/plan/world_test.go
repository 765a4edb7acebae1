package plan_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/builtin/claude"
	"github.com/mortise-dev/mortise/internal/builtin/inject"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/hook/hooktest"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
)

// now is when tests take place.
var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// hooks are the hooks of plans of this build.
var hooks = slices.DeleteFunc(slices.Clone(catalog.Specs), func(s *surface.Spec) bool { return s.Answers == nil })

// world is what a registry is made of: rows of the configuration, as they are written,
// extensions that are data, and some that are compiled in. What mortise itself answers is
// always among them.
type world struct {
	rows     string
	keyless  string // claude.keyless
	worktree string
	data     []hooktest.Extension
	coded    []*inproc.Extension
	roster   []ext.Name
	specs    []*surface.Spec
	caller   call.Caller // nil: what is compiled in
	patience time.Duration
	settings map[ext.Name]json.RawMessage
}

// own is what mortise itself answers.
func own() *inproc.Extension {
	return &inproc.Extension{Name: ext.BuiltinName, Hooks: slices.Concat(claude.Hooks(), inject.Hooks())}
}

func (w world) inputs(t testing.TB) plan.Inputs {
	t.Helper()
	specs := w.specs
	if specs == nil {
		specs = hooks
	}
	all := []hooktest.Extension{{Name: ext.BuiltinName, Trust: ext.Builtin, Files: own().Describe()}}
	for _, x := range w.coded {
		all = append(all, hooktest.Extension{Name: x.Name, Files: x.Describe()})
	}
	all = append(all, w.data...)
	in := plan.Inputs{
		Composition: hooktest.Compose(t, specs, w.roster, all...), Specs: specs, Worktree: cmp.Or(w.worktree, "/w"), Rows: rows(t, w.rows),
		Caller: w.caller, Patience: w.patience, Tables: map[string]json.RawMessage{}, Settings: w.settings,
	}
	if w.caller == nil {
		in.Caller = inproc.New(append([]*inproc.Extension{own()}, w.coded...)...)
	}
	if w.keyless != "" {
		in.Tables["claude"] = json.RawMessage(`{"keyless": "` + w.keyless + `"}`)
	}
	return in
}

// registry makes the registry, in which nothing is wrong.
func (w world) registry(t testing.TB) *plan.Registry {
	t.Helper()
	r := w.faulty(t)
	if r.Findings().Failed() {
		t.Fatalf("the registry has the findings %v, want no errors", r.Findings())
	}
	return r
}

// faulty makes the registry, whatever is wrong in it.
func (w world) faulty(t testing.TB) *plan.Registry {
	t.Helper()
	return plan.New(t.Context(), w.inputs(t))
}

// rows reads arrays of tables.
func rows(t testing.TB, text string) []plan.Row {
	t.Helper()
	o := ext.Origin{Trust: ext.Project, Path: "mortise.toml", Source: "mortise.toml"}
	d, findings := doc.TOML(o, []byte(text))
	if findings.Failed() {
		t.Fatalf("%v in\n%s", findings, text)
	}
	var out []plan.Row
	for _, p := range d.Map {
		for _, item := range p.Value.Items() {
			at := o
			at.Line = item.Line
			out = append(out, plan.Row{Table: p.Key, Doc: *item, Origin: at})
		}
	}
	return out
}

// axisRow is a row [[axis]] whose levels say what they are.
func axisRow(name string, levels ...string) string {
	blurb := make([]string, len(levels))
	var emergency []string
	for i, l := range levels {
		levels[i] = strings.TrimSuffix(l, "!")
		if levels[i] != l {
			emergency = append(emergency, `"`+levels[i]+`"`)
		}
		blurb[i] = levels[i] + ` = "means ` + levels[i] + `"`
	}
	return "[[axis]]\nname = \"" + name + "\"\nlevels = [\"" + strings.Join(levels, `", "`) + "\"]\nemergency = [" + strings.Join(emergency, ", ") + "]\nblurb = { " + strings.Join(blurb, ", ") + " }\n"
}

// axisJSON is an axis as an answer.
func axisJSON(name string, levels ...string) string {
	blurb := make([]string, len(levels))
	for i, l := range levels {
		blurb[i] = `"` + l + `": "means ` + l + `"`
	}
	return `{"name": "` + name + `", "levels": ["` + strings.Join(levels, `", "`) + `"], "blurb": {` + strings.Join(blurb, ", ") + `}}`
}

// coded is an extension that answers in code.
func coded(name ext.Name, answers map[string]func(surface.Question) (any, error)) *inproc.Extension {
	x := &inproc.Extension{Name: name}
	for hook, answer := range answers {
		x.Hooks = append(x.Hooks, inproc.Hook{Hook: hook, Name: "code", Answer: func(_ context.Context, q surface.Question) (any, error) { return answer(q) }})
	}
	slices.SortFunc(x.Hooks, func(a, b inproc.Hook) int { return cmp.Compare(a.Hook, b.Hook) })
	return x
}

// says answers the same always.
func says(answer string) func(surface.Question) (any, error) {
	return func(surface.Question) (any, error) { return json.RawMessage(answer), nil }
}

// files is an extension of documents.
func files(name ext.Name, namesAndTexts ...string) hooktest.Extension {
	fsys := fstest.MapFS{}
	for i := 0; i+1 < len(namesAndTexts); i += 2 {
		fsys[namesAndTexts[i]] = &fstest.MapFile{Data: []byte(namesAndTexts[i+1])}
	}
	return hooktest.Extension{Name: name, Files: fsys}
}

// axesOf are the names of a registry's axes, in order.
func axesOf(r *plan.Registry) string {
	var out []string
	for _, a := range r.Axes() {
		out = append(out, a.Value.Name)
	}
	return strings.Join(out, " ")
}

// hookOf is a hook by its name.
func hookOf(t testing.TB, name string) *surface.Spec {
	t.Helper()
	for _, s := range hooks {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no hook %s", name)
	return nil
}

// keys are what a hook is answered in a mode, by one member of each answer.
func keys(t testing.TB, r *plan.Registry, mode ext.Mode, hook, member string) string {
	t.Helper()
	var out []string
	for _, a := range r.Plan(mode).Gather(t.Context(), hookOf(t, hook)).Answers {
		raw, err := ext.EncodeJSON(a.Value)
		members := map[string]any{}
		if err == nil {
			err = json.Unmarshal(raw, &members)
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _ := members[member].(string)
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// messages are those of a check's findings.
func messages(fs ext.Findings, c *ext.Check) string {
	var out []string
	for _, f := range fs {
		if f.Check == c {
			out = append(out, f.Message)
		}
	}
	return strings.Join(out, "\n")
}

// updates are settings as they are typed.
func updates(text string) plan.Change {
	var c plan.Change
	for _, word := range strings.Fields(text) {
		axis, level, _ := strings.Cut(word, "=")
		if axis == "ttl" {
			d, err := time.ParseDuration(level)
			if err != nil {
				panic(err)
			}
			c.TTL, c.Limited = d, true
			continue
		}
		c.Updates = append(c.Updates, plan.Update{Axis: axis, Level: level})
	}
	return c
}

// rest is the mode of a worktree that nobody set.
func rest(t testing.TB, r *plan.Registry) *plan.Current {
	t.Helper()
	return r.Current(t.Context(), nil, now)
}

// at is a mode that is set from rest.
func at(t testing.TB, r *plan.Registry, text string) *plan.Current {
	t.Helper()
	c, _, err := r.Set(t.Context(), rest(t, r), updates(text), now)
	if err != nil {
		t.Fatalf("Set(%s): %v", text, err)
	}
	return c
}

// refusal is why a change is refused.
func refusal(t testing.TB, r *plan.Registry, from *plan.Current, text string) *plan.Refused {
	t.Helper()
	to, _, err := r.Set(t.Context(), from, updates(text), now)
	refused := new(plan.Refused)
	if !errors.As(err, &refused) || to != nil || ext.KindOf(err) != ext.Refused {
		t.Fatalf("Set(%s): got %v, %v; want it refused", text, to, err)
	}
	return refused
}

// later is what a worktree is at when a mode was remembered and some time has gone by.
func later(t testing.TB, r *plan.Registry, c *plan.Current, by time.Duration) *plan.Current {
	t.Helper()
	return r.Current(t.Context(), r.Levels(c, "/w", "tester", now), now.Add(by))
}

func level(axis, level string, at, until time.Time) state.Level {
	return state.Level{Worktree: "/w", Axis: axis, Level: level, At: at, Until: until, By: "tester"}
}
