package market_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/market"
)

// codes are what was found about an entry.
func codes(fs ext.Findings) []string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Check.Code)
	}
	return out
}

// 51 entries whose source is a Markdown file, beside one whose directory calls
// itself otherwise: each of the 51 is refused by itself, the other is offered.
func TestOddFile_11_sources_that_are_files(t *testing.T) {
	var entries []string
	in := golden.Files("bundle/.claude-plugin/plugin.json", `{"name": "another"}`)
	for i := range 51 {
		name := fmt.Sprintf("agents/agent-%02d.md", i)
		in = append(in, golden.Files(name, "---\nname: a\n---\n")...)
		entries = append(entries, fmt.Sprintf(`{"name": "agent-%02d", "source": "./%s"}`, i, name))
	}
	entries = append(entries, `{"name": "bundle", "source": "./bundle"}`)
	in = append(in, golden.Files(".claude-plugin/marketplace.json", `{"name": "m", "owner": {"name": "o"}, "plugins": [`+strings.Join(entries, ",\n")+`]}`)...)
	m := read(t, golden.Dir(t, in))
	hold(t, m)
	if len(m.Entries) != 52 || len(m.Findings) != 0 {
		t.Fatalf("Read: got %d entries and %v, want 52 and no finding of the marketplace's", len(m.Entries), m.Findings)
	}
	for i := range 51 {
		if e := m.Entries[i]; !e.Refused || !slices.Equal(codes(e.Findings), []string{"market-source-file"}) || e.Origin.Line != i+1 {
			t.Errorf("%s at line %d: refused %v with %v, want refused as a file", e.Name, e.Origin.Line, e.Refused, codes(e.Findings))
		}
	}
	if e := m.Entries[51]; e.Refused || !slices.Equal(codes(e.Findings), []string{"market-manifest-name"}) {
		t.Errorf("bundle: refused %v with %v, want it offered, and its other name told", e.Refused, codes(e.Findings))
	}
}

// A submodule that is not checked out is an empty directory.
func TestOddFile_12_source_is_a_submodule(t *testing.T) {
	m := read(t, golden.Dir(t, append(golden.Files(
		".claude-plugin/marketplace.json", `{"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "axiom", "source": "./plugins/axiom"}]}`,
		".gitmodules", "[submodule \"plugins/axiom\"]\n\tpath = plugins/axiom\n\turl = https://example.com/axiom.git\n",
	), txtar.File{Name: "plugins/axiom/"})))
	e := m.Entries[0]
	if !e.Refused || len(e.Findings) != 1 || e.Findings[0].Check != market.Empty || !strings.Contains(e.Findings[0].Message, "git submodule that is not checked out") {
		t.Errorf("axiom: refused %v with %v, want it refused as a submodule", e.Refused, e.Findings)
	}
}

// A marketplace of which no source is there is listed whole, each entry refused.
func TestOddFile_18_no_source_is_there(t *testing.T) {
	var entries []string
	for i := range 107 {
		entries = append(entries, fmt.Sprintf(`{"name": "skill-%d", "source": "./skill-%d", "description": "text"}`, i, i))
	}
	m := files(t, ".claude-plugin/marketplace.json", `{"name": "m", "owner": {"name": "o"}, "plugins": [`+strings.Join(entries, ",")+`]}`)
	for _, e := range m.Entries {
		if !e.Refused || !slices.Equal(codes(e.Findings), []string{"market-source-missing"}) {
			t.Errorf("%s: refused %v with %v, want refused as missing", e.Name, e.Refused, codes(e.Findings))
		}
	}
	if len(m.Entries) != 107 || len(m.Findings) != 0 {
		t.Errorf("Read: got %d entries and %v, want all 107 and nothing about the marketplace", len(m.Entries), m.Findings)
	}
}

// A file with agents and no plugins offers nothing and says what it holds.
func TestOddFile_20_no_plugins_key(t *testing.T) {
	m := files(t, ".claude-plugin/marketplace.json", `{"agents": [{"name": "a"}, {"name": "b"}]}`)
	i := slices.IndexFunc(m.Findings, func(f ext.Finding) bool { return f.Check == market.Field })
	if len(m.Entries) != 0 || i < 0 || !strings.Contains(m.Findings[i].Message, `"agents"`) {
		t.Errorf("Read: got %s, want no entry and an error that names the list", show(m))
	}
}

// A marketplace within a plugin, whose source is ".": the directory itself.
func TestOddFile_32_source_is_a_dot(t *testing.T) {
	m := files(t,
		".claude-plugin/marketplace.json", `{"name": "brand-voice", "owner": {"name": "o"}, "plugins": [{"name": "brand-voice", "source": "."}]}`,
		".claude-plugin/plugin.json", `{"name": "brand-voice"}`,
	)
	e := m.Entries[0]
	if e.Refused || e.Place == nil || e.Place.Dir != "." || !slices.Equal(e.Place.Formats, []string{"claude-code"}) || !slices.Equal(codes(e.Findings), []string{"market-source-prefix"}) {
		t.Errorf("brand-voice: got %s, want it in the directory itself, with a warning", show(m))
	}
}

// A marketplace file that is a link to another client's is read once, where it
// lies, and one that leads outside is not read.
func TestOddFile_41_the_file_is_a_link(t *testing.T) {
	in := append(golden.Files("secret.json", `{"name": "secret", "plugins": []}`, "market/.github/plugin/marketplace.json", `{"name": "m", "plugins": [{"name": "p", "source": "plugins/p"}]}`, "market/plugins/p/readme.md", "text"),
		txtar.File{Name: "market/.claude-plugin/marketplace.json -> ../.github/plugin/marketplace.json"},
		txtar.File{Name: "market/.plugin/marketplace.json -> ../../secret.json"})
	m := read(t, golden.Dir(t, in)+"/market")
	hold(t, m)
	if len(m.Entries) != 1 || m.Entries[0].Refused || m.Entries[0].Origin.Path != ".github/plugin/marketplace.json" || len(m.Entries[0].Declarations) != 1 {
		t.Errorf("Read: got %s, want p once, from the file that is no link", show(m))
	}
	if got := codes(m.Findings); !slices.Equal(got, []string{"market-file-link", "link-escape"}) {
		t.Errorf("Read: found %v, want the link told and the other one refused", got)
	}
}

// One plugin in two files, in one of them as an address that is a path.
func TestOddFile_42_an_address_that_is_a_path(t *testing.T) {
	m := files(t,
		".claude-plugin/marketplace.json", `{"name": "dev", "owner": {"name": "o"}, "plugins": [{"name": "powers", "source": "./", "version": "6.2.0"}]}`,
		".agents/plugins/marketplace.json", `{"name": "dev", "interface": {"displayName": "Dev"}, "plugins": [{"name": "powers", "source": {"source": "url", "url": "./"}, "policy": {"installation": "AVAILABLE"}}]}`,
		".codex-plugin/plugin.json", `{"name": "powers", "hooks": {}}`,
	)
	hold(t, m)
	e := m.Entries[0]
	if len(m.Entries) != 1 || e.Refused || e.Place == nil || e.Place.Dir != "." || len(e.Declarations) != 2 || !slices.Equal(codes(e.Findings), []string{"market-source-local"}) {
		t.Errorf("powers: got %s, want one entry in place with both its declarations", show(m))
	}
}
