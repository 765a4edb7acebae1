package market_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/mortise-dev/mortise/internal/golden"
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
