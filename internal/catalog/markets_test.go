package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/conform"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/host"
)

// stalls are a marketplace alone, one that is an extension as well, one within a
// plugin, and one of which all lies elsewhere.
var stalls = append(golden.Files(
	"alone/.claude-plugin/marketplace.json", "{\"name\": \"alone\", \"owner\": {\"name\": \"o\"}, \"plugins\": [\n{\"name\": \"p\", \"source\": \"./p\"},\n{\"name\": \"gone\", \"source\": \"./gone\"}]}",
	"alone/p/.claude-plugin/plugin.json", `{"name": "other"}`, "alone/p/skills/s/SKILL.md", "---\nname: s\ndescription: D.\n---\n",
	"both/.agents/plugins/marketplace.json", "{\"name\": \"both\", \"plugins\": 3}", "both/skills/t/SKILL.md", "---\nname: t\ndescription: D.\n---\n",
	"alone/p/deep/.plugin/marketplace.json", "{\"plugins\": [{\"name\": \"x\",\n\"source\": 3}]}",
	"far/.cursor-plugin/marketplace.json", "{\"name\": \"far\", \"plugins\": [\n{\"name\": \"x\", \"source\": {\"source\": \"github\", \"repo\": \"a/b\"}}]}",
	"none/.claude-plugin/settings.json", "{}",
), txtar.File{Name: "linked -> alone"})

// told are the findings about marketplaces, each with its place below dir.
func told(t *testing.T, l *host.Listing, dir string) (out []string) {
	t.Helper()
	for i := range l.Findings {
		f := &l.Findings[i]
		rel, err := filepath.Rel(dir, l.File(f))
		if strings.HasPrefix(f.Code, "market-") && f.Path != "" && err == nil {
			out = append(out, fmt.Sprintf("%s:%d %s", filepath.ToSlash(rel), f.Line, f.Code))
		}
	}
	return out
}

func checked(t *testing.T, in host.Inspection) *host.Listing {
	t.Helper()
	in.Limits = ext.DefaultLimits
	l, err := catalog.Check(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if l.Found != len(l.Extensions) || l.Found != l.Admitted+l.Refused {
		t.Errorf("%q: got %d extensions = %d admitted + %d refused, and %d rows; want a sum", in.Dirs, l.Found, l.Admitted, l.Refused, len(l.Extensions))
	}
	return l
}

// A directory is judged as the marketplace that it is, whether or not it is an
// extension; only what is neither lacks an extension.
func TestCheckOneMarket(t *testing.T) {
	dir := golden.Dir(t, stalls)
	for name, c := range map[string]struct {
		found   int
		missing bool
		want    []string
	}{
		"alone": {0, false, []string{".claude-plugin/marketplace.json:2 market-manifest-name", ".claude-plugin/marketplace.json:3 market-source-missing"}},
		"both":  {1, false, []string{".agents/plugins/marketplace.json:1 market-field"}},
		"far":   {0, false, []string{".cursor-plugin/marketplace.json:2 market-source-foreign"}},
		"none":  {1, true, nil},
	} {
		at := filepath.Join(dir, name)
		l := checked(t, host.Inspection{Dirs: []string{at}})
		missing := slices.ContainsFunc(l.Findings, func(f host.FindingRow) bool { return f.Code == "source-missing" })
		alone := slices.ContainsFunc(l.Findings, func(f host.FindingRow) bool { return f.Code == host.MarketAlone.Code })
		if got := told(t, l, at); l.Found != c.found || missing != c.missing || alone != (c.found == 0) || !slices.Equal(got, c.want) {
			t.Errorf("Check(%s): got %d extensions, missing %v, alone %v and %q; want %d, %v and %q", name, l.Found, missing, alone, got, c.found, c.missing, c.want)
		}
	}
	profile, _ := conform.Named("claude")
	if l := checked(t, host.Inspection{Dirs: []string{filepath.Join(dir, "alone")}, Profile: profile}); len(told(t, l, dir)) != 0 || !l.Failed() {
		t.Errorf("Check(alone) as a format: got %v, want it judged as that alone, and not there", l.Findings)
	}
}

// below are the findings of all marketplaces of stalls.
var below = []string{
	"alone/.claude-plugin/marketplace.json:2 market-manifest-name", "alone/.claude-plugin/marketplace.json:3 market-source-missing",
	"alone/p/deep/.plugin/marketplace.json:1 market-incomplete", "alone/p/deep/.plugin/marketplace.json:2 market-source-kind",
	"both/.agents/plugins/marketplace.json:1 market-field", "far/.cursor-plugin/marketplace.json:2 market-source-foreign",
}

// Every marketplace that is met is judged, once, and no extension more or less is
// counted for it.
func TestCheckMarketsBelow(t *testing.T) {
	dir := golden.Dir(t, stalls)
	l := checked(t, host.Inspection{Dirs: []string{dir}, Recursive: true})
	if got := told(t, l, dir); !slices.Equal(got, below) {
		t.Errorf("Check: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(below, "\n"))
	}
	if l.Found != 2 {
		t.Errorf("Check: got %d extensions, want p and both", l.Found)
	}
	alone := checked(t, host.Inspection{Dirs: []string{filepath.Join(dir, "alone")}, Recursive: true})
	if got := told(t, alone, dir); !slices.Equal(got, below[:4]) {
		t.Errorf("Check(alone): got %q, want %q", got, below[:4])
	}
	profile, _ := conform.Named("claude")
	if got := told(t, checked(t, host.Inspection{Dirs: []string{dir}, Recursive: true, Profile: profile}), dir); len(got) != 0 {
		t.Errorf("Check as a format: got %q, want nothing about marketplaces", got)
	}
}

// What is remembered of a look holds for marketplaces as well, and no longer than
// their files and what these name stay as they are.
func TestCheckMarketsRemembered(t *testing.T) {
	dir, index := golden.Dir(t, stalls), t.TempDir()
	in := host.Inspection{Dirs: []string{dir}, Recursive: true, Index: index}
	for _, change := range []struct {
		name string
		do   func() error
		want []string
	}{
		{"nothing", func() error { return nil }, below},
		{"a plugin that comes", func() error { return os.MkdirAll(filepath.Join(dir, "alone/gone/x"), 0o777) }, slices.Delete(slices.Clone(below), 1, 2)},
		{"a manifest", func() error {
			return os.WriteFile(filepath.Join(dir, "alone/p/.claude-plugin/plugin.json"), []byte(`{"name": "p"}`), 0o666)
		}, below[2:]},
		{"a file", func() error {
			return os.WriteFile(filepath.Join(dir, "both/.agents/plugins/marketplace.json"), []byte("\n\n{}"), 0o666)
		}, append(slices.Clone(below[2:4]), "both/.agents/plugins/marketplace.json:3 market-field", "both/.agents/plugins/marketplace.json:3 market-incomplete", below[5])},
		{"a file that comes", func() error {
			return os.WriteFile(filepath.Join(dir, "none/.claude-plugin/marketplace.json"), []byte(`{"name": "n", "owner": {"name": "o"}}`), 0o666)
		}, append(slices.Clone(below[2:4]), "both/.agents/plugins/marketplace.json:3 market-field", "both/.agents/plugins/marketplace.json:3 market-incomplete", below[5], "none/.claude-plugin/marketplace.json:1 market-field")},
	} {
		if err := change.do(); err != nil {
			t.Fatal(err)
		}
		before := kept(t, index)
		for began := time.Now(); ; { // it is remembered once its files are old enough
			if got := told(t, checked(t, in), dir); !slices.Equal(got, change.want) {
				t.Fatalf("after %s: got\n%s\nwant\n%s", change.name, strings.Join(got, "\n"), strings.Join(change.want, "\n"))
			}
			if kept(t, index) != before {
				break
			}
			if time.Since(began) > time.Minute {
				t.Fatalf("after %s: got nothing remembered in a minute, want the look", change.name)
			}
		}
		if got := told(t, checked(t, in), dir); !slices.Equal(got, change.want) {
			t.Errorf("after %s, as remembered: got %q, want %q", change.name, got, change.want)
		}
	}
}

// kept says which looks an index holds.
func kept(t *testing.T, index string) string {
	t.Helper()
	files, err := os.ReadDir(index)
	if err != nil {
		t.Fatal(err)
	}
	s := ""
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		s += fmt.Sprintln(f.Name(), info.Size(), info.ModTime())
	}
	return s
}
