package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
)

// clouds are axes that need each other: llm=record needs a service account or more.
func clouds(t testing.TB) *plan.Registry {
	t.Helper()
	return world{rows: axisRow("gcp", "off", "sa", "user!") + axisRow("llm", "off", "record", "live") + axisRow("storage", "local", "staging") +
		"[[require]]\naxis = \"llm\"\nwhen = \"record\"\nneeds = \"gcp\"\naccepts = [\"sa\", \"user\"]\n" +
		"[[require]]\naxis = \"storage\"\nwhen = \"staging\"\nneeds = \"gcp\"\naccepts = \"sa\"\nseverity = \"warn\"\nreason = \"a service account\"\n"}.registry(t)
}

func TestParity021_Every_axis_at_its_own_default(t *testing.T) {
	if got := rest(t, clouds(t)); got.Mode["gcp"] != "off" || got.Mode["storage"] != "local" || len(got.Mode) != 3 || len(got.Findings) != 0 {
		t.Errorf("nothing is remembered: got %+v, want each axis at its first level", got)
	}
}

// What is remembered and cannot be counts as the default, and is told.
func TestParity022_Memory_that_makes_no_sense(t *testing.T) {
	r := clouds(t)
	c := r.Current(t.Context(), []state.Level{level("ghost", "on", now, time.Time{}), level("gcp", "bad", now, time.Time{}), level("llm", "live", now, time.Time{})}, now)
	if c.Mode["gcp"] != "off" || c.Mode["llm"] != "live" || len(c.Mode) != 3 || messages(c.Findings, plan.ModeLeft) == "" || !strings.Contains(messages(c.Findings, plan.ModeOdd), `"bad"`) {
		t.Errorf("got %v, %v; want the axis that is not there left out, the level that is none at its default, and both told", c.Mode, c.Findings)
	}
}

func TestParity023_How_long_an_emergency_level_holds(t *testing.T) {
	r := clouds(t)
	for text, want := range map[string]time.Duration{"gcp=user": time.Hour, "gcp=user ttl=100h": 8 * time.Hour, "gcp=user ttl=90s": 90 * time.Second, "gcp=user llm=record ttl=30m": 30 * time.Minute} {
		if c := at(t, r, text); !c.Until["gcp"].Equal(now.Add(want)) || len(c.Until) != 1 {
			t.Errorf("Set(%s): ends %v, want in %s", text, c.Until, want)
		}
	}
	for _, text := range []string{"gcp=user ttl=0s", "gcp=user ttl=-1m"} {
		if c, _, err := r.Set(t.Context(), rest(t, r), updates(text), now); ext.KindOf(err) != ext.Usage || c != nil {
			t.Errorf("Set(%s): got %v, %v; want a usage error", text, c, err)
		}
	}
}

func TestParity024_Time_for_no_emergency_level(t *testing.T) {
	r := clouds(t)
	c, _, err := r.Set(t.Context(), rest(t, r), updates("gcp=sa ttl=30m"), now)
	if ext.KindOf(err) != ext.Usage || c != nil || !strings.Contains(err.Error(), "gcp=user") {
		t.Errorf("got %v, %v; want a usage error that lists the levels which end with time", c, err)
	}
}

func TestParity025_Time_alone(t *testing.T) {
	r := clouds(t)
	for _, text := range []string{"ttl=30m", ""} {
		if c, _, err := r.Set(t.Context(), rest(t, r), updates(text), now); ext.KindOf(err) != ext.Usage || c != nil || !strings.Contains(err.Error(), "nothing") {
			t.Errorf("Set(%q): got %v, %v; want that nothing is to be set", text, c, err)
		}
	}
}

// A level that has ended is in force for nobody, before anything took note of it. An end
// that cannot be read is one that is not there.
func TestParity026_Ended_level_is_not_in_force(t *testing.T) {
	r := clouds(t)
	c := at(t, r, "gcp=user ttl=30m")
	for by, want := range map[time.Duration]string{0: "user", 30*time.Minute - 1: "user", 30 * time.Minute: "off", 24 * time.Hour: "off"} {
		if got := later(t, r, c, by); got.Mode["gcp"] != want || (len(got.Lapsed) == 1) != (want == "off") {
			t.Errorf("after %s: got %s, lapsed %v, want %s", by, got.Mode["gcp"], got.Lapsed, want)
		}
	}
}

func TestParity027_Level_that_needs_another(t *testing.T) {
	r := clouds(t)
	refused := refusal(t, r, rest(t, r), "llm=record")
	if plan.Arguments(refused.Command) != "gcp=sa llm=record" || !strings.Contains(refused.Error(), "gcp=sa") {
		t.Errorf("refused with %q and the command %q, want gcp=sa llm=record", refused, plan.Arguments(refused.Command))
	}
	if c := at(t, r, "gcp=sa llm=record"); c.Mode["llm"] != "record" || c.Mode["gcp"] != "sa" {
		t.Errorf("both at once: got %v, want both set", c.Mode)
	}
}

func TestParity028_Lowering_what_another_needs(t *testing.T) {
	r := clouds(t)
	from := at(t, r, "gcp=sa llm=record")
	if refused := refusal(t, r, from, "gcp=off"); plan.Arguments(refused.Command) != "llm=off gcp=off" {
		t.Errorf("the command is %q, want llm=off gcp=off", plan.Arguments(refused.Command))
	}
	if c, _, err := r.Set(t.Context(), from, updates("gcp=off llm=off"), now); err != nil || c.Mode["gcp"] != "off" {
		t.Errorf("both at once: got %v, %v; want both set", c, err)
	}
}

func TestParity029_Warning_sets_and_says(t *testing.T) {
	r := clouds(t)
	c, warnings, err := r.Set(t.Context(), rest(t, r), updates("storage=staging"), now)
	if err != nil || c.Mode["storage"] != "staging" || len(warnings) != 1 || warnings[0].Fatal || !strings.Contains(warnings[0].Message, "a service account") {
		t.Errorf("got %v, %v, %v; want it set, and the reason said", c, warnings, err)
	}
}

func TestParity030_Needed_axis_is_not_there(t *testing.T) {
	r := world{rows: axisRow("llm", "off", "record") + "[[require]]\naxis = \"llm\"\nwhen = \"record\"\nneeds = \"gcp\"\naccepts = \"sa\"\n"}.registry(t)
	refused := refusal(t, r, rest(t, r), "llm=record")
	if !strings.Contains(refused.Error(), "no axis") || refused.Command != nil {
		t.Errorf("got %q and the command %v, want that there is no such axis, and no command", refused, refused.Command)
	}
}

// An axis that a mode does not name is at its default, and an axis whose owner a mode does
// not name has no issue.
func TestParity031_Axis_that_a_mode_does_not_name(t *testing.T) {
	r := clouds(t)
	if issues := r.Issues(t.Context(), ext.Mode{"gcp": "off"}); len(issues) != 0 {
		t.Errorf("got %v, want no issues", issues)
	}
	if issues := r.Issues(t.Context(), ext.Mode{"llm": "record"}); len(issues) != 1 {
		t.Errorf("got %v, want one: what it needs is at its default", issues)
	}
}

func TestParity032_Own_requirement_before_a_row(t *testing.T) {
	r := world{
		coded: []*inproc.Extension{coded("acme", map[string]func(surface.Question) (any, error){
			"axes": says(`[{"name": "a", "levels": ["off", "on"], "blurb": {"off": "x", "on": "y"}, "requires": [{"when": "on", "axis": "b", "accepts": "on", "message": "first"}]}]`),
			"mode_issues": func(q surface.Question) (any, error) {
				if q.Mode["a"] != "on" {
					return nil, nil
				}
				return []map[string]string{{"severity": "warn", "message": "third"}}, nil
			},
		})},
		rows: axisRow("b", "off", "on") + "[[require]]\naxis = \"a\"\nwhen = [\"on\"]\nneeds = \"b\"\naccepts = [\"on\"]\nmessage = \"second\"\n",
	}.registry(t)
	var got []string
	for _, i := range r.Issues(t.Context(), ext.Mode{"a": "on"}) {
		got = append(got, i.Message)
	}
	if strings.Join(got, " ") != "first second third" {
		t.Errorf("issues: got %v, want the axis's own, the row's, then what hooks say", got)
	}
}

// A requirement of nobody forbids something that is not known: no mode is set until it is
// mended. The reference refuses every command; here looking goes on.
func TestParity033_Requirement_of_nobody(t *testing.T) {
	for _, row := range []string{
		"[[require]]\naxis = \"ghost\"\nwhen = \"on\"\nneeds = \"a\"\n", "[[conflict]]\naxis = \"ghost\"\nwhen = \"on\"\nwith = \"a\"\nat = \"on\"\n",
		"[[require]]\naxis = \"a\"\nwhen = \"up\"\nneeds = \"b\"\n", "[[require]]\naxis = \"a\"\nwhen = []\nneeds = \"b\"\n", "[[require]]\naxis = \"a\"\nwhen = \"on\"\n",
		"[[require]]\naxis = \"a\"\nwhen = \"on\"\nneeds = \"b\"\nunless = \"c\"\n", "[[require]]\naxis = \"a\"\nwhen = \"on\"\nneeds = \"b\"\nseverity = \"fatal\"\n",
	} {
		r := world{rows: axisRow("a", "off", "on") + row}.faulty(t)
		told := messages(r.Findings(), plan.RelationFault)
		if told == "" || strings.Contains(row, "ghost") && !strings.Contains(told, "there are a") || axesOf(r) != "a" {
			t.Errorf("%s: findings %v, want it told with the axes that there are", row, r.Findings())
		}
		if c, _, err := r.Set(t.Context(), rest(t, r), updates("a=on"), now); ext.KindOf(err) != ext.Refused || c != nil {
			t.Errorf("%s: Set got %v, %v; want it refused", row, c, err)
		}
	}
}

// Nothing sets a mode that is wrong. One that became so, because a row was added, stays
// as it is and is told: only an end in time lowers anything by itself. The reference has a
// forced set, which its supervisor alone uses for that.
func TestParity035_Mode_that_became_wrong(t *testing.T) {
	r := clouds(t)
	c := r.Current(t.Context(), []state.Level{level("llm", "record", now, time.Time{})}, now)
	if c.Mode["llm"] != "record" || len(c.Lowered) != 0 {
		t.Errorf("got %v, lowered %v; want it kept", c.Mode, c.Lowered)
	}
	if issues := r.Issues(t.Context(), c.Mode); len(issues) != 1 || !issues[0].Fatal {
		t.Errorf("got the issues %v, want the one that stands", issues)
	}
}

// What needs a level that has ended rests with it, at once.
func TestParity036_Dependent_rests_with_what_it_needs(t *testing.T) {
	r := clouds(t)
	got := later(t, r, at(t, r, "gcp=user llm=record storage=staging"), 2*time.Hour)
	if got.Mode["gcp"] != "off" || got.Mode["llm"] != "off" || got.Mode["storage"] != "staging" || strings.Join(got.Lapsed, " ") != "gcp" || strings.Join(got.Lowered, " ") != "llm" {
		t.Errorf("got %v, lapsed %v, lowered %v; want gcp ended, llm resting, and storage, which is warned about alone, as it was", got.Mode, got.Lapsed, got.Lowered)
	}
	if left := r.Levels(got, "/w", "time", now); len(left) != 1 || left[0].Axis != "storage" {
		t.Errorf("what is to be remembered is %v, want storage alone", left)
	}
}

// Two levels that are wrong until both rest are both lowered, unless that leaves an error
// too: then nothing is.
func TestParity037_Dependents_that_rest_together(t *testing.T) {
	pair := axisRow("a", "off", "on") + axisRow("b", "off", "on") + axisRow("p", "off", "on!") +
		"[[require]]\naxis = \"a\"\nwhen = \"on\"\nneeds = \"p\"\naccepts = \"on\"\n" +
		"[[require]]\naxis = \"b\"\nwhen = \"off\"\nneeds = \"a\"\naccepts = \"off\"\n" +
		"[[require]]\naxis = \"a\"\nwhen = \"off\"\nneeds = \"b\"\naccepts = \"off\"\n"
	r := world{rows: pair}.registry(t)
	if got := later(t, r, at(t, r, "p=on a=on b=on"), 2*time.Hour); strings.Join(got.Lowered, " ") != "a b" {
		t.Errorf("got %v, lowered %v; want a and b", got.Mode, got.Lowered)
	}
	stuck := world{rows: pair + "[[require]]\naxis = \"p\"\nwhen = \"off\"\nneeds = \"ghost\"\naccepts = \"on\"\n"}.registry(t)
	mode := ext.Mode{"p": "off", "a": "on", "b": "on"}
	if lowered := stuck.Settle(t.Context(), mode); len(lowered) != 0 || mode["a"] != "on" {
		t.Errorf("where rest is wrong too: lowered %v, want nothing", lowered)
	}
}

func TestParity038_Settling_twice(t *testing.T) {
	r := clouds(t)
	mode := ext.Mode{"gcp": "off", "llm": "record", "storage": "staging"}
	first, second := r.Settle(t.Context(), mode), r.Settle(t.Context(), mode)
	if strings.Join(first, " ") != "llm" || len(second) != 0 {
		t.Errorf("lowered %v, then %v; want llm, then nothing", first, second)
	}
}

// Names do not retire here. One that is not known is told with those that are, and the
// one that was perhaps meant.
func TestParity041_Axis_that_is_not_known(t *testing.T) {
	r := clouds(t)
	for text, want := range map[string]string{"gpc=sa": "gcp", "gcp=user2": "user", "x=y": "gcp, llm, storage"} {
		if c, _, err := r.Set(t.Context(), rest(t, r), updates(text), now); ext.KindOf(err) != ext.Usage || c != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Set(%s): got %v, %v; want a usage error with %q", text, c, err, want)
		}
	}
}

// A clock that goes past the end has the level ended by the next look at it. What is set
// again counts from then.
func TestParity044_Clock_past_the_end(t *testing.T) {
	r := clouds(t)
	c := at(t, r, "gcp=user llm=record")
	if got := later(t, r, c, 10*365*24*time.Hour); got.Mode["gcp"] != "off" || got.Mode["llm"] != "off" {
		t.Errorf("ten years later: got %v, want defaults", got.Mode)
	}
}

func TestParity103_Setting_again_begins_anew(t *testing.T) {
	r := clouds(t)
	c := later(t, r, at(t, r, "gcp=user"), 40*time.Minute)
	again, _, err := r.Set(t.Context(), c, updates("gcp=user"), now.Add(40*time.Minute))
	if err != nil || !again.Until["gcp"].Equal(now.Add(100*time.Minute)) {
		t.Errorf("got %v, %v; want an hour from when it was set again", again, err)
	}
	other, _, err := r.Set(t.Context(), c, updates("storage=staging"), now.Add(40*time.Minute))
	if err != nil || !other.Until["gcp"].Equal(now.Add(time.Hour)) {
		t.Errorf("setting another axis: got %v, %v; want the end as it was", other, err)
	}
}

// An emergency level without an end is one that nothing would end. The reference keeps it.
func TestParity104_Emergency_level_without_an_end(t *testing.T) {
	r := clouds(t)
	c := r.Current(t.Context(), []state.Level{level("gcp", "user", now, time.Time{}), level("llm", "record", now, time.Time{})}, now)
	if c.Mode["gcp"] != "off" || c.Mode["llm"] != "off" || messages(c.Findings, plan.ModeOdd) == "" {
		t.Errorf("got %v, %v; want gcp at its default, with a finding, and what needs it resting", c.Mode, c.Findings)
	}
}
