package host_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/host"
)

// stalls are two marketplaces beside a workspace.
func stalls(t *testing.T) (base string, look host.MarketLook) {
	t.Helper()
	base = golden.Dir(t, append(golden.Files(
		"work/market/.claude-plugin/marketplace.json", `{"name": "team", "owner": {"name": "o"}, "plugins": [
			{"name": "tools", "source": "./tools", "description": "Mends code."},
			{"name": "hub", "source": {"source": "github", "repo": "acme/hub"}, "tags": ["code"]},
			{"name": "gone", "source": "./gone"},
			{"name": "mortise", "source": "./mortise"}],
			"renames": {"kit": "tools", "past": null}}`,
		"work/market/tools/readme.md", "text", "work/market/mortise/readme.md", "text",
		"else/.agents/plugins/marketplace.json", `{"name": "codex-one", "plugins": [{"name": "tools", "source": {"source": "local", "path": "./tools"}}]}`,
		"else/.agents/plugins/api_marketplace.json", `{"name": "codex-two", "plugins": [{"name": "only", "source": {"source": "local", "path": "./tools"}}]}`,
		"else/tools/readme.md", "text", "work/none/readme.md", "text",
	), txtar.File{Name: "work/same -> market"}))
	at := func(p string) string { return filepath.Join(base, filepath.FromSlash(p)) }
	return base, host.MarketLook{
		Workspace: at("work"), Limits: ext.DefaultLimits,
		Plugins: []config.Plugin{{Name: "tools", Dir: at("else/tools"), Path: "../else/tools"}},
		Places: []host.MarketPlace{
			{Dir: at("work/market"), Shown: "./market", From: "configuration"},
			{Dir: at("else"), Shown: "../else", From: "configuration"},
			{Dir: at("work/same"), Shown: "./same", From: "argument"},
			{Dir: at("work/none"), Shown: "./none", From: "argument"},
			{Dir: at("work/nowhere"), Shown: "./nowhere", From: "argument"},
			{Dir: at("work"), Shown: ".", From: "workspace", Maybe: true},
			{Dir: at("work/none"), Shown: "./none", Refused: true},
		},
	}
}

func looked(t *testing.T, look host.MarketLook) *host.MarketListing {
	t.Helper()
	l, err := look.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestMarketLook(t *testing.T) {
	_, look := stalls(t)
	l := looked(t, look)
	if len(l.Markets) != 2 || l.Markets[0].Name != "team" || l.Markets[1].Name != "codex-one" {
		t.Fatalf("Run: got %v, want team and codex-one, each once", l.MarketNames())
	}
	for _, m := range l.Markets {
		sum := m.InPlace + m.Broken
		for _, n := range m.Remote {
			sum += n
		}
		if sum != m.Entries {
			t.Errorf("%s: got %d entries = %d in place + %v remote + %d broken, want a sum", m.Name, m.Entries, m.InPlace, m.Remote, m.Broken)
		}
	}
	if m := l.Markets[0]; m.InPlace != 2 || m.Remote["github"] != 1 || m.Broken != 1 {
		t.Errorf("team: got %+v, want two in place, one of github and one broken", m)
	}
	missing := 0
	for _, f := range l.Findings {
		if f.Code == host.MarketMissing.Code {
			missing++
		}
	}
	if missing != 2 {
		t.Errorf("Run: got %v, want none and nowhere told as missing, and not the workspace", l.Findings)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := look.Run(ctx); err == nil {
		t.Error("Run after its end: got no error, want one")
	}
}

// Two marketplaces of one name are both there, and that is told.
func TestMarketNameTaken(t *testing.T) {
	base := golden.Dir(t, golden.Files("a/.plugin/marketplace.json", `{"name": "one", "plugins": [{"name": "x", "source": {"source": "npm", "package": "x"}}]}`, "b/.plugin/marketplace.json", `{"name": "One", "plugins": [{"name": "x", "source": {"source": "npm", "package": "x"}}]}`))
	l := looked(t, host.MarketLook{Limits: ext.DefaultLimits, Places: []host.MarketPlace{{Dir: filepath.Join(base, "a")}, {Dir: filepath.Join(base, "b")}}})
	if len(l.Markets) != 2 || len(l.Find("x@one").Entries) != 2 || len(l.Findings) != 1 || l.Findings[0].Code != host.MarketNameTaken.Code || l.Findings[0].Root != filepath.Join(base, "b") {
		t.Errorf("Run: got %v and %v, want both, and the second one told", l.MarketNames(), l.Findings)
	}
}

// What is to be written in mortise.toml names the plugin as it can be named
// there, leads to it, and says when it is there already.
func TestMarketPlugin(t *testing.T) {
	base, look := stalls(t)
	got := map[string]string{}
	for _, e := range looked(t, look).Entries {
		if e.Plugin != nil {
			got[e.Name+"@"+e.Market] = fmt.Sprintf("%s %s %v", e.Plugin.Name, strings.ReplaceAll(e.Plugin.Path, filepath.ToSlash(base), "$BASE"), e.Plugin.Configured)
		}
	}
	for name, want := range map[string]string{
		"tools@team": "tools-2 ./market/tools false", "mortise@team": "mortise-files ./market/mortise false",
		"tools@codex-one": "tools ../else/tools true", "hub@team": "", "gone@team": "",
	} {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
	look.Plugins = nil
	for _, e := range looked(t, look).Entries {
		if e.Market == "codex-one" && e.Name == "tools" && e.Plugin.Path != filepath.ToSlash(filepath.Join(base, "else/tools")) {
			t.Errorf("outside the workspace: got the path %s, want an absolute one", e.Plugin.Path)
		}
	}
}

func TestMarketFind(t *testing.T) {
	_, look := stalls(t)
	l := looked(t, look)
	for name, want := range map[string]string{
		"tools": "tools@team tools@codex-one", "TOOLS@Team": "tools@team", "tools@codex-one": "tools@codex-one",
		"tools@codex-two": "", "only@codex-two": "only@codex-one", "only@codex-one": "only@codex-one",
		"kit": "tools@team", "kit@team": "tools@team", "kit@codex-one": "", "past": "", "hub@": "", "@team": "", "nothing": "", "gone": "gone@team",
	} {
		var got []string
		found := l.Find(name)
		for _, e := range found.Entries {
			got = append(got, e.Name+"@"+e.Market)
			if (e.RenamedFrom != "") != strings.HasPrefix(name, "kit") {
				t.Errorf("Find(%q): got renamed from %q", name, e.RenamedFrom)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("Find(%q): got %q, want %q", name, got, want)
		}
		if failed := slices.ContainsFunc(found.Findings, func(f host.FindingRow) bool { return f.Severity == "error" }); failed != (name == "gone") {
			t.Errorf("Find(%q): got findings %v, want an error of the broken one alone", name, found.Findings)
		}
	}
	if from, gone := l.Gone("past"); !gone || from != "team" {
		t.Errorf("Gone(past): got %q, %v, want team", from, gone)
	}
	names := l.Names()
	for _, want := range []string{"tools", "tools@team", "tools@codex-one", "hub", "kit", "past"} {
		if !slices.Contains(names, want) {
			t.Errorf("Names: got %q, want %s among them", names, want)
		}
	}
	if slices.Contains(names, "hub@team") {
		t.Errorf("Names: got %q, want those with a marketplace only where several have them", names)
	}
}

func TestMarketSearch(t *testing.T) {
	_, look := stalls(t)
	l := looked(t, look)
	for words, want := range map[string]string{"code": "hub tools", "tool": "tools tools", "code mends": "tools", "never": "", "o": "only tools tools mortise hub gone"} {
		var got []string
		for _, e := range l.Search(strings.Fields(words)).Entries {
			got = append(got, e.Name)
		}
		if words == "o" {
			slices.Sort(got)
			want := strings.Fields(want)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("Search(%q): got %q, want %q in some order", words, got, want)
			}
			continue
		}
		if strings.Join(got, " ") != want {
			t.Errorf("Search(%q): got %q, want %q", words, got, want)
		}
	}
}
