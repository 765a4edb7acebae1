package plan_test

import (
	"maps"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/state"
)

// A machine that sleeps past the end wakes to a level that has ended, though nothing ran
// meanwhile.
func TestSleepEndsLevels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := clouds(t)
		c, _, err := r.Set(t.Context(), r.Current(t.Context(), nil, time.Now()), updates("gcp=user llm=record"), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		kept := r.Levels(c, "/w", "tester", time.Now())
		time.Sleep(time.Hour - time.Nanosecond)
		if got := r.Current(t.Context(), kept, time.Now()); got.Mode["gcp"] != "user" {
			t.Errorf("just before the end: got %v, want it in force", got.Mode)
		}
		time.Sleep(time.Nanosecond)
		if got := r.Current(t.Context(), kept, time.Now()); got.Mode["gcp"] != "off" || got.Mode["llm"] != "off" {
			t.Errorf("at the end: got %v, want defaults", got.Mode)
		}
	})
}

// Whatever the clock does between looks, an emergency level is in force between when it
// was set and eight hours later and at no other time; and reading what is remembered, and
// remembering it again, never lengthens it.
func TestClockThatJumps(t *testing.T) {
	r := world{rows: axisRow("a", "off", "on", "up!")}.registry(t)
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		clock, set := now, now
		c, _, err := r.Set(t.Context(), rest(t, r), plan.Change{Updates: updates("a=up").Updates, TTL: time.Duration(rnd.Int64N(int64(20 * time.Hour)))}, clock)
		if err != nil {
			t.Fatal(err)
		}
		end := c.Until["a"]
		if end.After(set.Add(plan.MostTTL)) {
			t.Fatalf("set to end at %s, want within %s", end, plan.MostTTL)
		}
		kept := r.Levels(c, "/w", "tester", clock)
		ended := false
		for range 30 {
			clock = clock.Add(time.Duration(rnd.Int64N(int64(6*time.Hour))) - 2*time.Hour)
			got := r.Current(t.Context(), kept, clock)
			within := !clock.Before(set.Add(-time.Minute)) && clock.Before(end)
			if on := got.Mode["a"] == "up"; on != (within && !ended) {
				t.Fatalf("world %d: set %s, ends %s, at %s: in force is %v", seed, set, end, clock, on)
			}
			if until, ok := got.Until["a"]; ok && !until.Equal(end) {
				t.Fatalf("world %d: it ends at %s by now, want %s", seed, until, end)
			}
			if rnd.IntN(3) == 0 { // somebody writes down what is in force now
				kept = keep(kept, r.Levels(got, "/w", "time", clock))
				ended = len(kept) == 0
			}
		}
	}
}

// keep is how a host remembers levels again: what stays keeps when it began.
func keep(was, is []state.Level) []state.Level {
	for i := range is {
		for _, w := range was {
			if w.Axis == is[i].Axis && w.Level == is[i].Level && w.Until.Equal(is[i].Until) {
				is[i].At = w.At
			}
		}
	}
	return is
}

// What is remembered and cannot be so is the default, and is told.
func TestDamagedMemoryIsTheDefault(t *testing.T) {
	r := world{rows: axisRow("a", "off", "on", "up!")}.registry(t)
	for name, l := range map[string]state.Level{
		"without an end":                  level("a", "up", now, time.Time{}),
		"without a beginning":             level("a", "up", time.Time{}, now.Add(time.Hour)),
		"with an end too far":             level("a", "up", now, now.Add(plan.MostTTL+time.Second)),
		"with an end ages away":           level("a", "up", now, now.AddDate(9000, 0, 0)),
		"set in the future":               level("a", "up", now.Add(2*time.Minute), now.Add(time.Hour)),
		"of a level that there is not":    level("a", "UP", now, now.Add(time.Hour)),
		"of a level that no axis spells":  level("a", "\x00", now, time.Time{}),
		"of an axis that is spelled else": level("A", "up", now, now.Add(time.Hour)),
	} {
		if c := r.Current(t.Context(), []state.Level{l}, now); c.Mode["a"] != "off" || len(c.Until) != 0 || len(c.Findings) != 1 {
			t.Errorf("%s: got %v until %v, findings %v; want the default and one finding", name, c.Mode, c.Until, c.Findings)
		}
	}
	// An end holds whatever the axis says of the level by now.
	calm := world{rows: axisRow("a", "off", "on", "up")}.registry(t)
	set := level("a", "up", now, now.Add(time.Hour))
	if c := calm.Current(t.Context(), []state.Level{set}, now.Add(30*time.Minute)); c.Mode["a"] != "up" || !c.Until["a"].Equal(set.Until) {
		t.Errorf("of a level that is no emergency any more: got %v until %v, want it with its end", c.Mode, c.Until)
	}
	if c := calm.Current(t.Context(), []state.Level{set}, now.Add(time.Hour)); c.Mode["a"] != "off" || len(c.Lapsed) != 1 {
		t.Errorf("and after its end: got %v, want the default", c.Mode)
	}
}

// TestField_MOD03_Use_lengthens_nothing: a grant that each use refreshed never ended. Here
// an end is a time of day, looking at it changes nothing, and a person who sets the level
// again has at most eight hours more.
func TestField_MOD03_Use_lengthens_nothing(t *testing.T) {
	r := world{rows: axisRow("a", "off", "up!") + axisRow("b", "off", "on")}.registry(t)
	c, _, err := r.Set(t.Context(), rest(t, r), updates("a=up ttl=15m"), now)
	if err != nil {
		t.Fatal(err)
	}
	kept := r.Levels(c, "/w", "tester", now)
	clock := now
	for range 100 { // used every 14 minutes for a day, each time with another axis set
		clock = clock.Add(14 * time.Minute)
		c = r.Current(t.Context(), kept, clock)
		if on := c.Mode["a"] == "up"; on != clock.Before(now.Add(15*time.Minute)) {
			t.Fatalf("after %s: got %v", clock.Sub(now), c.Mode)
		}
		to, _, err := r.Set(t.Context(), c, updates("b="+map[bool]string{true: "off", false: "on"}[c.Mode["b"] == "on"]), clock)
		if err != nil {
			t.Fatal(err)
		}
		kept = keep(kept, r.Levels(to, "/w", "tester", clock))
	}
	again, _, err := r.Set(t.Context(), c, updates("a=up ttl=24h"), clock)
	if err != nil || !again.Until["a"].Equal(clock.Add(plan.MostTTL)) {
		t.Errorf("set again: got %v, %v; want eight hours from then", again, err)
	}
}

// TestField_MOD07_Leaving_a_level_leads_to_the_default: on each way out the axis is at its
// default and all else where it was, and what has ended comes back by itself on none.
func TestField_MOD07_Leaving_a_level_leads_to_the_default(t *testing.T) {
	r := world{rows: axisRow("a", "off", "on", "up!") + axisRow("b", "off", "on")}.registry(t)
	want := ext.Mode{"a": "off", "b": "on"}
	from := at(t, r, "a=on b=on")
	up, _, err := r.Set(t.Context(), from, updates("a=up ttl=30m"), now)
	if err != nil {
		t.Fatal(err)
	}
	left, _, err := r.Set(t.Context(), up, updates("a=off"), now)
	if err != nil || !maps.Equal(left.Mode, want) || len(left.Until) != 0 {
		t.Errorf("by command: got %+v, %v; want %v", left, err, want)
	}
	ended := later(t, r, up, time.Hour)
	if !maps.Equal(ended.Mode, want) {
		t.Errorf("by its end: got %v, want %v", ended.Mode, want)
	}
	// It was written down that it ended, and the clock goes back.
	for name, c := range map[string]*plan.Current{"by command": left, "by its end": ended} {
		if got := r.Current(t.Context(), r.Levels(c, "/w", "time", now.Add(time.Hour)), now.Add(time.Minute)); !maps.Equal(got.Mode, want) {
			t.Errorf("%s, and the clock goes back: got %v, want %v", name, got.Mode, want)
		}
	}
}

// TestField_MOD09_Limit_without_anybody_who_ends_it: reading ends a level, whether or not
// anything runs, and what has ended is not there for another change to lengthen.
func TestField_MOD09_Limit_without_anybody_who_ends_it(t *testing.T) {
	r := world{rows: axisRow("a", "off", "up!") + axisRow("b", "off", "on") + "[[require]]\naxis = \"b\"\nwhen = \"on\"\nneeds = \"a\"\naccepts = \"up\"\n"}.registry(t)
	c := later(t, r, at(t, r, "a=up b=on"), 61*time.Minute)
	if c.Mode["a"] != "off" || c.Mode["b"] != "off" || len(c.Until) != 0 {
		t.Fatalf("after its end: got %v until %v, want defaults", c.Mode, c.Until)
	}
	if refused := refusal(t, r, c, "b=on"); len(refused.Issues) != 1 {
		t.Errorf("what needs it: got %v, want it refused", refused)
	}
	if to, _, err := r.Set(t.Context(), c, updates("a=off"), now.Add(61*time.Minute)); err != nil || len(to.Until) != 0 || len(r.Levels(to, "/w", "tester", now)) != 0 {
		t.Errorf("another change: got %v, %v; want nothing of it remembered", to, err)
	}
}
