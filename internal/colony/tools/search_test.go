package tools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

func entry(purpose, name, capability string) Entry {
	return Entry{Purpose: purpose, Name: name, Capability: capability, Location: "subdir:tools/" + purpose + "/" + name}
}

// found is the outcome of a search in a line.
func found(all []Match, _ int) string {
	var out []string
	for _, m := range all {
		name := m.Name
		if m.Remote != "" {
			name += "@" + m.Remote
		}
		out = append(out, fmt.Sprintf("%s %.2f", name, m.Score))
	}
	return strings.Join(out, ", ")
}

func TestColony_95_Scores(t *testing.T) {
	described := entry("cfd", "solver", "navier-stokes")
	described.Extra = &ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: "description", Value: ext.Doc{Kind: ext.String, Text: "Computes turbulent flow."}}}}
	for _, c := range []struct {
		name, query string
		e           Entry
		want        string
	}{
		{"equal, in another case", "Navier-Stokes", described, "solver 1.00"},
		{"the query begins it", "navier", described, "solver 0.85"},
		{"it begins the query", "navier-stokes 3d", described, "solver 0.85"},
		{"words", "turbulent flow", described, "solver 0.29"},
		{"all words are at most 0.7", "stokes navier", entry("", "", "navier-stokes"), " 0.70"},
		{"no word", "mesh", described, ""},
		{"below the least", "a b c d e f g h i j k l m n o p q r stokes 1", described, ""},
		{"blank", "  ", described, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := found(Search{Query: c.query}.In([]Entry{c.e})); got != c.want {
				t.Errorf("Search(%s): got %q, want %q", c.query, got, c.want)
			}
		})
	}
}

// TestColony_95_EmptyCapability differs on purpose: the reference has an empty capability
// begin every query, so that a stub scores 0.85 whatever is looked for.
func TestColony_95_EmptyCapability(t *testing.T) {
	all := []Entry{entry("cfd", "stub", ""), entry("cfd", "solver", "flow")}
	if got, want := found(Search{Query: "unrelated"}.In(all)), ""; got != want {
		t.Errorf("Search(unrelated): got %q, want nothing", got)
	}
	if got, want := found(Search{Query: "cfd stub"}.In(all)), "solver 0.25, stub 0.70"; got != want {
		t.Errorf("Search(cfd stub): got %q, want %q: the one that says nothing comes last", got, want)
	}
}

func TestColony_96_RequireWritable(t *testing.T) {
	remote := Imported("shared", &Catalogue{Entries: []Entry{entry("cfd", "solver", "flow")}})
	if got, want := remote[0].Location, "remote:shared:tools/cfd/solver"; got != want {
		t.Errorf("Imported: got location %q, want %q", got, want)
	}
	if l := remote[0].At(); l.Remote != "shared" || l.Dir != "tools/cfd/solver" || l.String() != remote[0].Location {
		t.Errorf("At: got %+v, want it taken apart", l)
	}
	all := append(remote, entry("cfd", "own", "flow"))
	if got, want := found(Search{Query: "flow"}.In(all)), "own 1.00, solver@shared 1.00"; got != want {
		t.Errorf("Search: got %q, want %q", got, want)
	}
	if got, want := found(Search{Query: "flow", Writable: true}.In(all)), "own 1.00"; got != want {
		t.Errorf("Search for writable ones: got %q, want %q", got, want)
	}
}

func TestColony_97_TiesAreByNameThenLocalFirst(t *testing.T) {
	all := append(Imported("r", &Catalogue{Entries: []Entry{entry("x", "b", "flow"), entry("x", "a", "flow")}}), entry("y", "b", "flow"), entry("x", "c", "flowing"))
	if got, want := found(Search{Query: "flow"}.In(all)), "a@r 1.00, b 1.00, b@r 1.00, c 0.85"; got != want {
		t.Errorf("Search: got %q, want %q", got, want)
	}
	if got, total := (Search{Query: "flow", Limit: 2}).In(all); len(got) != 2 || total != 4 {
		t.Errorf("Search with a limit of 2: got %d of %d, want 2 of 4", len(got), total)
	}
}

func TestLocation(t *testing.T) {
	for text, want := range map[string]Location{
		"subdir:tools/a": {Dir: "tools/a"}, "remote:r:tools/p/n": {Dir: "tools/p/n", Remote: "r"},
		"remote::x": {}, "remote:r": {}, "https://x": {}, "": {},
	} {
		if got := ParseLocation(text); got != want {
			t.Errorf("ParseLocation(%q): got %+v, want %+v", text, got, want)
		}
	}
}
