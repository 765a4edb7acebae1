package state_test

import (
	"slices"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/state"
)

var (
	now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	d1  = ext.Sum([]byte("one"))
	d2  = ext.Sum([]byte("two"))
)

func TestDisabled(t *testing.T) {
	everywhere := state.Switch{Extension: "acme", Reason: "everywhere"}
	here := state.Switch{Workspace: "w", Extension: "acme", Reason: "here"}
	short := state.Switch{Workspace: "w", Extension: "acme", Entry: "deploy", Reason: "short"}
	full := state.Switch{Extension: "acme", Entry: "skill/deploy", Reason: "full"}
	for _, c := range []struct {
		name                        string
		switches                    []state.Switch
		workspace, extension, entry string
		want                        string // the reason of the switch; "" is none
	}{
		{"nothing is disabled", nil, "w", "acme", "skill/deploy", ""},
		{"a switch for every workspace", []state.Switch{everywhere}, "w", "acme", "", "everywhere"},
		{"a switch for this workspace", []state.Switch{here}, "w", "acme", "", "here"},
		{"a switch for another workspace", []state.Switch{here}, "other", "acme", "", ""},
		{"a switch for one workspace, asked for none", []state.Switch{here}, "", "acme", "", ""},
		{"a switch for another extension", []state.Switch{everywhere, here}, "w", "acme2", "", ""},
		{"the whole extension disables its entries", []state.Switch{here}, "w", "acme", "skill/deploy", "here"},
		{"an entry does not disable its extension", []state.Switch{short, full}, "w", "acme", "", ""},
		{"a short name disables on every surface", []state.Switch{short}, "w", "acme", "command/deploy", "short"},
		{"a surface's name disables there", []state.Switch{full}, "w", "acme", "skill/deploy", "full"},
		{"a surface's name disables only there", []state.Switch{full}, "w", "acme", "command/deploy", ""},
		{"a surface's name does not disable the short one", []state.Switch{full}, "w", "acme", "deploy", ""},
		{"a short name disables the short one", []state.Switch{short}, "w", "acme", "deploy", "short"},
		{"another entry", []state.Switch{short, full}, "w", "acme", "skill/build", ""},
		{"the widest of several", []state.Switch{full, short, here, everywhere}, "w", "acme", "skill/deploy", "everywhere"},
		{"the extension before the entry", []state.Switch{full, short, here}, "w", "acme", "skill/deploy", "here"},
	} {
		s := state.Snapshot{Switches: c.switches}
		got, ok := s.Disabled(c.workspace, ext.Name(c.extension), c.entry)
		if got.Reason != c.want || ok != (c.want != "") {
			t.Errorf("Disabled(%s): got %q, %v, want %q", c.name, got.Reason, ok, c.want)
		}
	}
}

func TestEntryNameIsWhatDisabledSplits(t *testing.T) {
	s := state.Snapshot{Switches: []state.Switch{{Extension: "acme", Entry: "git/commit"}}}
	if _, ok := s.Disabled("", "acme", state.EntryName("command", "git/commit")); !ok {
		t.Error("Disabled of a name that holds a slash: got false, want true by its short name")
	}
}

func TestAdopted(t *testing.T) {
	s := state.Snapshot{Adoptions: []state.Adoption{{Workspace: "w", Digest: d1, Place: "/a"}}}
	if !s.Adopted("w", d1) || !s.AdoptedOnce("w") {
		t.Error("Adopted(an adopted workspace, its effects): got false, want true")
	}
	if s.Adopted("w", d2) || s.Adopted("w", ext.Digest{}) {
		t.Error("Adopted(an adopted workspace, other effects): got true, want false: nobody consented to these")
	}
	for _, w := range []string{"", "other"} {
		if s.Adopted(w, d1) || s.AdoptedOnce(w) {
			t.Errorf("Adopted(%q): got true, want false", w)
		}
	}
}

func TestLastAdoption(t *testing.T) {
	at := func(hours int, d ext.Digest, place, shown string) state.Adoption {
		return state.Adoption{Workspace: "w", Digest: d, Place: place, Snapshot: shown, At: now.Add(time.Duration(hours) * time.Hour)}
	}
	d3 := ext.Sum([]byte("three"))
	foreign := at(9, d1, "/a", "foreign")
	foreign.Workspace = "other"
	for _, c := range []struct {
		name      string
		adoptions []state.Adoption
		place     string
		want      string // what was shown; "" is none
		own       bool   // and it is the place's own
	}{
		{"nothing", nil, "/a", "", false},
		{"one", []state.Adoption{at(0, d1, "/a", "one")}, "/a", "one", true},
		{"of another workspace", []state.Adoption{foreign}, "/a", "", false},
		{"the newest, listed last", []state.Adoption{at(0, d1, "/a", "one"), at(1, d2, "/a", "two"), foreign}, "/a", "two", true},
		{"the newest, listed first", []state.Adoption{at(1, d1, "/a", "one"), at(0, d2, "/a", "two")}, "/a", "one", true},
		{"its own, older than one elsewhere listed after", []state.Adoption{at(0, d1, "/a", "one"), at(1, d2, "/b", "two")}, "/a", "one", true},
		{"its own, older than one elsewhere listed before", []state.Adoption{at(1, d2, "/b", "two"), at(0, d1, "/c", "one")}, "/c", "one", true},
		{"its own, of the effects of another place", []state.Adoption{at(0, d1, "/a", "one"), at(1, d1, "/b", "two")}, "/a", "one", true},
		{"the newest of those that can be shown", []state.Adoption{at(0, d1, "/a", "one"), at(1, d2, "/a", ""), at(-1, d3, "/a", "three")}, "/a", "one", true},
		{"two of its own of one time, the first", []state.Adoption{at(0, d1, "/a", "one"), at(0, d2, "/a", "two")}, "/a", "one", true},
		{"none here, one elsewhere", []state.Adoption{at(0, d1, "/a", "one")}, "/b", "one", false},
		{"none here, the newest elsewhere", []state.Adoption{at(0, d1, "/a", "one"), at(2, d2, "/c", "two"), at(1, d3, "/a", "three")}, "/b", "two", false},
		{"none here, two elsewhere of one time, the first", []state.Adoption{at(0, d1, "/c", "one"), at(0, d2, "/a", "two")}, "/b", "one", false},
		{"none here that can be shown, one elsewhere", []state.Adoption{at(1, d1, "/a", ""), at(0, d2, "/b", "two")}, "/a", "two", false},
		{"none here, none elsewhere that can be shown", []state.Adoption{at(0, d1, "/a", "")}, "/b", "", false},
		{"of an older version", []state.Adoption{at(0, d1, "", "")}, "/a", "", false},
		{"at no place", []state.Adoption{at(0, d1, "", "one")}, "/a", "", false},
		{"at no place, asked for none", []state.Adoption{at(0, d1, "", "one")}, "", "", false},
	} {
		s := state.Snapshot{Adoptions: c.adoptions}
		got, own, ok := s.LastAdoption("w", c.place)
		if got.Snapshot != c.want || own != c.own || ok != (c.want != "") {
			t.Errorf("LastAdoption(%s): got %q, own %v, %v, want %q, own %v", c.name, got.Snapshot, own, ok, c.want, c.own)
		}
	}
}

// Worktrees that adopt the same effects overwrote each other's place, so that
// only the last of them had something to be fallen back to.
func TestAdoptingElsewhereLeavesThePlace(t *testing.T) {
	var s state.Snapshot
	one := state.Adoption{Workspace: "w", Digest: d1, Place: "/a", Snapshot: "one", At: now}
	two := state.Adoption{Workspace: "w", Digest: d1, Place: "/b", Snapshot: "two", At: now}
	s.Put(one, two)
	for _, want := range []state.Adoption{one, two} {
		if got, own, ok := s.LastAdoption("w", want.Place); got != want || !own || !ok {
			t.Errorf("LastAdoption at %s: got %+v, own %v, %v, want its own", want.Place, got, own, ok)
		}
	}
	again := one
	again.Snapshot, again.At = "again", now.Add(time.Hour)
	s.Put(again)
	if got, _, _ := s.LastAdoption("w", "/a"); got != again || len(s.Adoptions) != 2 {
		t.Errorf("LastAdoption once adopted again: got %+v of %d, want the one put last, of two", got, len(s.Adoptions))
	}
	if n := s.Remove(state.Adoption{Workspace: "w", Digest: d1, Place: "/b"}); n != 1 || len(s.Adoptions) != 1 || !s.Adopted("w", d1) {
		t.Errorf("Remove of one place's: got %d removed and %d left, want one of both, and its effects still adopted", n, len(s.Adoptions))
	}
	if n := s.Remove(state.Adoption{Workspace: "w", Digest: d1}); n != 0 {
		t.Errorf("Remove of one at no place: got %d, want none", n)
	}
}

func TestDescribed(t *testing.T) {
	s := state.Snapshot{Descriptions: []state.Description{
		described("w", "b", d1), described("other", "a", d1), described("w", "a", d2), described("w", "c", d1),
	}}
	s.Descriptions[3].Extension = "aaa"
	if err := s.Tidy(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range s.Described("w") {
		names = append(names, ext.Qualified(d.Extension, d.Server))
	}
	if want := []string{"aaa:c", "acme:a", "acme:b"}; !slices.Equal(names, want) {
		t.Errorf("Described: got %v, want %v", names, want)
	}
	if got := s.Described("none"); got != nil {
		t.Errorf("Described of another workspace: got %v, want none", got)
	}
	s.Described("w")[0].Content = "scribble"
	if s.Descriptions[1].Content != "" {
		t.Error("snapshot after changing what Described returned: got changed, want it unchanged")
	}
}

func TestGranted(t *testing.T) {
	s := state.Snapshot{Grants: []state.Grant{
		{Kind: "code", Subject: "acme:guard", Digest: d1, At: now},
		{Kind: "server", Subject: "acme:search", Digest: d1, Until: now},
		{Kind: "odd", Subject: "acme"}, // no store keeps one without a digest
	}}
	for _, c := range []struct {
		name, kind, subject string
		digest              ext.Digest
		now                 time.Time
		want                bool
	}{
		{"granted without end", "code", "acme:guard", d1, now.AddDate(50, 0, 0), true},
		{"other content", "code", "acme:guard", d2, now, false},
		{"no digest", "code", "acme:guard", ext.Digest{}, now, false},
		{"no digest in the grant either", "odd", "acme", ext.Digest{}, now, false},
		{"another kind", "server", "acme:guard", d1, now, false},
		{"another subject", "code", "acme:other", d1, now, false},
		{"before its end", "server", "acme:search", d1, now.Add(-time.Nanosecond), true},
		{"at its end", "server", "acme:search", d1, now, false},
		{"after its end", "server", "acme:search", d1, now.Add(time.Hour), false},
	} {
		if got := s.Granted(c.kind, c.subject, c.digest, c.now); got != c.want {
			t.Errorf("Granted(%s): got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestAt(t *testing.T) {
	s := state.Snapshot{Revision: 7, Grants: []state.Grant{
		{Kind: "a", Digest: d1, Until: now},
		{Kind: "b", Digest: d1},
		{Kind: "c", Digest: d1, Until: now.Add(time.Hour)},
	}}
	got := s.At(now)
	if len(got.Grants) != 2 || got.Grants[0].Kind != "b" || got.Grants[1].Kind != "c" || got.Revision != 7 {
		t.Errorf("At(the end of grant a): got %+v, want grants b and c of revision 7", got)
	}
	if s.Grants[0].Kind != "a" || len(s.Grants) != 3 {
		t.Errorf("snapshot after At: got %+v, want it unchanged", s)
	}
	if s.Digest() == got.Digest() {
		t.Error("Digest after a grant lapsed: got the same, want another")
	}
	if got, ok := s.NextLapse(now); !ok || !got.Equal(now.Add(time.Hour)) {
		t.Errorf("NextLapse(now): got %v, %v, want in an hour", got, ok)
	}
	if got, ok := s.NextLapse(now.Add(time.Hour)); ok {
		t.Errorf("NextLapse(in an hour): got %v, want none", got)
	}
}
