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

// Of two that have one name, it is told at the file that says it, or at the table
// that gives it.
func TestMarketNameTaken_where(t *testing.T) {
	base := golden.Dir(t, golden.Files(
		"a/.plugin/marketplace.json", `{"name": "one", "plugins": []}`,
		"b/.claude-plugin/marketplace.json", `{"owner": {"name": "o"}, "plugins": []}`, "b/.plugin/marketplace.json", "{\n\"name\": \"One\", \"plugins\": []}",
		"c/.plugin/marketplace.json", `{"name": "other", "plugins": []}`,
	))
	at := ext.Origin{Path: "mortise.toml", Line: 7}
	l := looked(t, host.MarketLook{Limits: ext.DefaultLimits, Places: []host.MarketPlace{
		{Dir: filepath.Join(base, "a")}, {Dir: filepath.Join(base, "b")}, {Dir: filepath.Join(base, "c"), Name: "one", NamedBy: at, Base: base},
	}})
	var got []string
	for _, f := range l.Findings {
		if f.Code == host.MarketNameTaken.Code {
			got = append(got, fmt.Sprintf("%s:%d", strings.TrimPrefix(filepath.ToSlash(filepath.Join(f.Root, f.Path)), filepath.ToSlash(base)), f.Line))
		}
	}
	if strings.Join(got, " ") != "/b/.plugin/marketplace.json:2 /mortise.toml:7" {
		t.Errorf("Run: got it told at %q, want where each name is given", got)
	}
}

// Two tables for one directory are one marketplace, and the second is told; a
// workspace that is named as well, and a directory that is given twice, are not.
func TestMarketTwice(t *testing.T) {
	base := golden.Dir(t, append(golden.Files("a/.plugin/marketplace.json", `{"name": "own", "plugins": []}`), txtar.File{Name: "lnk -> a"}))
	place := func(name, dir string, line int) host.MarketPlace {
		return host.MarketPlace{Name: ext.Name(name), Dir: filepath.Join(base, dir), Shown: "./" + dir, From: "configuration", NamedBy: ext.Origin{Path: "mortise.toml", Line: line}, Base: base}
	}
	l := looked(t, host.MarketLook{Limits: ext.DefaultLimits, Places: []host.MarketPlace{
		place("first", "a", 1), place("second", "lnk", 4), {Dir: filepath.Join(base, "a"), Shown: ".", From: "workspace", Maybe: true},
	}})
	i := slices.IndexFunc(l.Findings, func(f host.FindingRow) bool { return f.Code == host.MarketTwice.Code })
	if len(l.Markets) != 1 || l.Markets[0].Name != "first" || i < 0 {
		t.Fatalf("Run: got %v and %v, want first alone, and second told", l.MarketNames(), l.Findings)
	}
	if f := l.Findings[i]; f.Path != "mortise.toml" || f.Line != 4 || f.Root != base || !strings.Contains(f.Message, `"./lnk" is the directory of marketplace first`) {
		t.Errorf("Run: got %+v, want it at the table of second", f)
	}
	twice := slices.DeleteFunc(l.Findings, func(f host.FindingRow) bool { return f.Code != host.MarketTwice.Code })
	if len(twice) != 1 {
		t.Errorf("Run: got %v, want it told once", twice)
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

// A plugin is known by its directory, however its table leads there, and so is the
// workspace that a path starts from.
func TestMarketPlugin_linked(t *testing.T) {
	base := golden.Dir(t, append(golden.Files(
		"real/m/.plugin/marketplace.json", `{"name": "m", "plugins": [{"name": "a", "source": "a"}, {"name": "b", "source": "b"}]}`,
		"real/m/a/readme.md", "text", "real/m/b/readme.md", "text",
	), txtar.File{Name: "lnk -> real"}, txtar.File{Name: "real/kit -> m/a"}))
	at := func(p string) string { return filepath.Join(base, filepath.FromSlash(p)) }
	for _, workspace := range []string{at("real"), at("lnk")} {
		for _, dir := range []string{at("real/m/a"), at("lnk/m/a"), at("real/kit"), at("lnk/kit")} {
			l := looked(t, host.MarketLook{
				Workspace: workspace, Limits: ext.DefaultLimits, Places: []host.MarketPlace{{Dir: filepath.Join(workspace, "m")}},
				Plugins: []config.Plugin{{Name: "none", Path: "./none", Dir: at("none")}, {Name: "kit", Dir: dir, Path: "./as/written"}},
			})
			if p := l.Entries[0].Plugin; p == nil || *p != (host.MarketPlugin{Name: "kit", Path: "./as/written", Configured: true}) {
				t.Errorf("a of %s, configured as %s: got %+v, want kit", workspace, dir, p)
			}
			if p := l.Entries[1].Plugin; p == nil || *p != (host.MarketPlugin{Name: "b", Path: "./m/b"}) {
				t.Errorf("b of %s: got %+v, want ./m/b", workspace, p)
			}
		}
	}
}

// Whatever was asked for, it is told what could not be looked at: it may be there.
func TestMarketLost(t *testing.T) {
	base, look := stalls(t)
	golden.Write(t, base, golden.Files("broken/.plugin/marketplace.json", "{", "empty/.plugin/marketplace.json", `{"name": "e", "plugins": []}`))
	look.Places = append(look.Places, host.MarketPlace{Dir: filepath.Join(base, "broken"), Shown: "../broken", From: "argument"}, host.MarketPlace{Dir: filepath.Join(base, "empty"), Shown: "../empty", From: "argument"})
	l := looked(t, look)
	if l.Missing() != true || len(l.Lost()) != 3 {
		t.Fatalf("Run: lost %v, want none, nowhere and broken", l.Lost())
	}
	for name, of := range map[string]*host.MarketListing{
		"Search(tools)": l.Search([]string{"tools"}), "Search(nothing)": l.Search([]string{"zzz"}), "Find(tools)": l.Find("tools"), "Find(nothing)": l.Find("zzz"), "Find(nothing@team)": l.Find("zzz@team"),
	} {
		if !of.Missing() || len(of.Lost()) != 3 {
			t.Errorf("%s: lost %v, want what Run lost", name, of.Lost())
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
		if failed := slices.ContainsFunc(found.Findings, func(f host.FindingRow) bool { return f.Severity == "error" && f.Extension != "" }); failed != (name == "gone") {
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
