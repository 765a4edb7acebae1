package market_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/market"
)

// TestField_SEC03_sources_stay_in_the_marketplace wants no text of a source to lead
// to what lies beside the marketplace, however it is written.
func TestField_SEC03_sources_stay_in_the_marketplace(t *testing.T) {
	for _, source := range []string{"../market-evil/p", "./a/../../etc", "/etc", `..\\p`, `.\\..\\market-evil\\p`, "", "./a/../../market-evil/p", "./link"} {
		base := golden.Dir(t, golden.Files(
			"market/.claude-plugin/marketplace.json", fmt.Sprintf(`{"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "p", "source": "%s"}]}`, source),
			"market/a/.claude-plugin/plugin.json", `{"name": "a"}`,
			"market-evil/p/.claude-plugin/plugin.json", `{"name": "evil"}`, "p/.claude-plugin/plugin.json", `{"name": "evil"}`,
		))
		if err := os.Symlink(filepath.Join(base, "market-evil/p"), filepath.Join(base, "market/link")); err != nil {
			t.Skip(err)
		}
		m := read(t, filepath.Join(base, "market"))
		if len(m.Entries) != 1 {
			t.Fatalf("source %q: got %d entries, want one", source, len(m.Entries))
		}
		e := &m.Entries[0]
		if e.Place != nil && e.Place.There || !e.Findings.Failed() && !m.Findings.Failed() {
			t.Errorf("source %q: got the place %+v and the findings %v, want it refused", source, e.Place, e.Findings)
		}
	}
}

// TestField_INS13_an_entry_and_its_manifest is a marketplace in which entry and manifest
// both say what plugins hold: the same, more, and something else; and in which three
// entries share one directory. Elsewhere all of its plugins failed to load. What an entry
// says of itself comes before what the manifest says, what the two declare stands beside
// one another, and one that contradicts (strict is false, which makes the entry the whole
// of it) is refused alone, with why.
func TestField_INS13_an_entry_and_its_manifest(t *testing.T) {
	m := files(t,
		".claude-plugin/marketplace.json", `{"name": "m", "owner": {"name": "o"}, "plugins": [
			{"name": "same", "source": "./same", "description": "From the entry.", "commands": ["./commands"]},
			{"name": "shared", "source": "./shared", "agents": ["./agents"], "commands": ["./commands", "./agents"]},
			{"name": "against", "source": "./shared", "strict": false, "agents": ["./agents"]},
			{"name": "twin", "source": "./shared"},
			{"name": "alone", "source": "./alone", "strict": false, "commands": ["./commands"]}]}`,
		"same/.claude-plugin/plugin.json", `{"name": "same", "version": "1.0.0", "description": "From the manifest.", "commands": ["./commands"]}`, "same/commands/build.md", "Build.",
		"shared/.claude-plugin/plugin.json", `{"name": "shared", "description": "From the manifest.", "commands": ["./commands"]}`, "shared/commands/build.md", "Build.", "shared/agents/reviewer.md", "Review.",
		"alone/commands/build.md", "Build.",
	)
	hold(t, m)
	if len(m.Entries) != 5 || m.Files[0].Refused || len(m.Findings) > 0 {
		t.Fatalf("got %s, want five entries and nothing against the marketplace", show(m))
	}
	for i, want := range []struct{ version, description, declares string }{
		{"1.0.0", "From the entry.", "commands"}, {"", "From the manifest.", "agents commands"}, {}, {"", "From the manifest.", ""}, {"", "", "commands"},
	} {
		e := &m.Entries[i]
		refused := e.Name == "against"
		if e.Refused != refused || refused != e.Findings.Failed() {
			t.Errorf("%s: refused is %v with %v, want %v", e.Name, e.Refused, e.Findings, refused)
		}
		if refused {
			if f := e.Findings[len(e.Findings)-1]; f.Check != market.Conflict || f.Origin.Line != 4 || !strings.Contains(f.Message, "shared/.claude-plugin/plugin.json declares commands") {
				t.Errorf("%s: got %s, want what contradicts it, and where", e.Name, f)
			}
			continue
		}
		var declares []string
		for _, c := range e.Declares {
			declares = append(declares, c.Key)
		}
		if e.Version != want.version || e.Description != want.description || strings.Join(declares, " ") != want.declares {
			t.Errorf("%s: got version %q, %q and %q declared, want %+v", e.Name, e.Version, e.Description, declares, want)
		}
	}
}
