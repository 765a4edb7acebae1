package spinetest

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Hold checks what must hold of every decision: each entry and each finding
// has an origin (law 9), what is refused says why, and no text that comes from
// an extension can change how a line is shown.
func Hold(t testing.TB, ds []admit.Decision) {
	t.Helper()
	for i := range ds {
		d := &ds[i]
		tree := d.Tree()
		where := tree.Origin.String()
		findings(t, where, d.Findings())
		refusedHere := d.Findings().Failed()
		faults := 0
		for j := range d.Contributions() {
			c := &d.Contributions()[j]
			at := where + ": " + c.Spec.Name + " " + ext.Quote(c.Name)
			if c.Origin.Source == "" || c.Origin.Path == "" || c.Origin.Extension != tree.Extension || c.Origin.Trust != tree.Origin.Trust {
				t.Errorf("%s: origin is %+v, want source, path, extension and trust of its tree", at, c.Origin)
			}
			if c.Origin.Line < 1 {
				t.Errorf("%s: origin has line %d, want the line it begins at", at, c.Origin.Line)
			}
			findings(t, at, c.Findings)
			if (c.Status == admit.Active) != (c.Reason == "") {
				t.Errorf("%s is %s with reason %q, want a reason exactly when it is not active", at, c.Status, c.Reason)
			}
			if c.Findings.Failed() {
				faults++
				if c.Status == admit.Active || c.Status == admit.EntryPending {
					t.Errorf("%s has an error and is %s, want it refused or disabled", at, c.Status)
				}
			}
			if c.Status == admit.EntryRefused && !c.Findings.Failed() && d.Status() != admit.Refused && !dangling(c.Findings) {
				t.Errorf("%s is refused with the findings %v, want an error that says why", at, c.Findings)
			}
			if d.Status() != admit.Admitted && c.Status == admit.Active {
				t.Errorf("%s is active in a tree that is %s", at, d.Status())
			}
		}
		if d.Incomplete() < faults {
			t.Errorf("%s: Incomplete() is %d, want the %d entries at fault counted", where, d.Incomplete(), faults)
		}
		if d.Status() == admit.Refused && !refusedHere && tree.Describes == nil { // what describes is refused with what it describes
			t.Errorf("%s is refused with the findings %v, want an error that says why", where, d.Findings())
		}
		if (d.Status() == admit.Admitted) != (d.Reason() == "") {
			t.Errorf("%s is %s with reason %q, want a reason exactly when it was not admitted", where, d.Status(), d.Reason())
		}
	}
}

func dangling(fs ext.Findings) bool {
	for _, f := range fs {
		if f.Check == source.Dangling {
			return true
		}
	}
	return false
}

func findings(t testing.TB, where string, fs ext.Findings) {
	t.Helper()
	for _, f := range fs {
		if f.Origin.Source == "" || f.Origin.Extension == "" || f.Origin.Trust == 0 {
			t.Errorf("%s: finding %s has the origin %+v, want source, extension and trust", where, f.Check.Code, f.Origin)
		}
		if f.Fix() == "" || f.Message == "" {
			t.Errorf("%s: finding %s has message %q and fix %q, want both", where, f.Check.Code, f.Message, f.Fix())
		}
		if shown := f.Message + f.Fix(); strings.ContainsFunc(shown, ext.Hidden) || strings.ToValidUTF8(shown, "") != shown {
			t.Errorf("%s: finding %s holds characters that do not show: %q", where, f.Check.Code, shown)
		}
	}
}

// Total checks that a composition loses nothing (law 10): every active
// contribution of what was admitted is in exactly one of the entries, the
// shadowed and the refused extensions.
func Total(t testing.TB, specs []*surface.Spec, ds []admit.Decision, c *compose.Composition) {
	t.Helper()
	refused := map[ext.Name]bool{}
	for _, r := range c.Refused() {
		refused[r.Extension] = true
		if !r.Findings.Failed() {
			t.Errorf("%s is refused at composition with %v, want an error that says why", r.Extension, r.Findings)
		}
	}
	seen := map[string]int{}
	key := func(spec *surface.Spec, x ext.Name, o ext.Origin, name string) string {
		return spec.Name + "\x00" + string(x) + "\x00" + o.Source + "\x00" + o.Path + "\x00" + name
	}
	for _, s := range specs {
		for _, e := range c.Entries(s) {
			seen[key(s, e.Extension, e.Origin, e.Name)]++
		}
	}
	for _, s := range c.Shadowed() {
		seen[key(s.Lost.Spec, s.Lost.Extension, s.Lost.Origin, s.Lost.Name)]++
		if s.Kept.Origin.Source == "" || s.Kept.Origin.Path == "" {
			t.Errorf("%s is shadowed by something at %+v, want source and path", s.Lost.Qualified, s.Kept.Origin)
		}
	}
	for i := range ds {
		x, ok := ds[i].Extension()
		if !ok {
			continue
		}
		for _, a := range x.Active() {
			k := key(a.Spec, x.Name(), a.Origin, a.Name)
			want := 1
			if refused[x.Name()] {
				want = 0
			}
			if seen[k] != want {
				t.Errorf("%s %s of %s is %d times among entries and shadowed, want %d", a.Spec.Name, ext.Quote(a.Name), x.Name(), seen[k], want)
			}
			delete(seen, k)
		}
	}
	for k := range seen {
		t.Errorf("the composition holds %q, which nothing admitted contributed", k)
	}
}
