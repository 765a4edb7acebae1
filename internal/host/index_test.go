package host_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/source/roots"
)

// plant makes a directory with two plugins and loose skills, old enough for
// what is read of it to be remembered.
func plant(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"a/.claude-plugin/plugin.json": `{"name":"a"}`,
		"a/skills/one/SKILL.md":        skillText("one"),
		"a/skills/one/references/x.md": "x\n",
		"a/agents/helper.md":           "---\nname: helper\ndescription: Helps.\n---\nHelp.\n",
		"b/plugin.json":                `{"$schema":"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json","name":"b"}`,
		"b/skills/two/SKILL.md":        skillText("two"),
		"b/mcp.json":                   `{"$schema":"https://agent-plugins.org/schemas/1.0.0/mcp.schema.json","mcpServers":{"s":{"type":"stdio","command":"./bin/s"}}}`,
		"loose/skills/three/SKILL.md":  skillText("three"),
		"shared/four.md":               skillText("four"),
	})
	if err := os.Symlink("../../../shared/four.md", filepath.Join(dir, "loose/skills/three/more.md")); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "a/skills/one/gone.md")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// later is a clock far enough ahead for every file to count as settled.
func later() time.Time { return time.Now().Add(time.Hour) }

func look(t *testing.T, dir string, index host.Index, clock func() time.Time) *host.Listing {
	t.Helper()
	s := &roots.Source{
		Dir: dir, Formats: bridge.Formats, Folders: bridge.Folders, Components: bridge.FolderSurfaces,
		Env:     source.Env{Specs: catalog.Specs, Limits: ext.DefaultLimits},
		Workers: 2, Open: root.Options{Trace: index.Dir != "", Clock: clock},
	}
	l, err := host.Look{Specs: catalog.Specs, Limits: ext.DefaultLimits, Workers: 2, Index: index}.Run(context.Background(), []ext.Source{s})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Whatever is done to a directory, a look that remembers says the same as one
// that does not.
func TestIndexSeesEveryChange(t *testing.T) {
	rewrite := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { write(t, dir, map[string]string{name: text}) }
	}
	do := func(f func(dir string) error) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := f(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name   string
		change func(*testing.T, string)
	}{
		{"nothing", func(*testing.T, string) {}},
		{"a longer file", rewrite("a/skills/one/SKILL.md", skillText("one")+"more\n")},
		{"a file of the same length", rewrite("a/skills/one/SKILL.md", skillText("eno"))},
		{"a file of the same length with its times restored", do(func(dir string) error {
			name := filepath.Join(dir, "a/skills/one/SKILL.md")
			info, err := os.Stat(name)
			if err != nil {
				return err
			}
			if err := os.WriteFile(name, []byte(skillText("eno")), 0o644); err != nil {
				return err
			}
			return os.Chtimes(name, info.ModTime(), info.ModTime())
		})},
		{"a manifest", rewrite("a/.claude-plugin/plugin.json", `{"name":"a","author":"x"}`)},
		{"a new skill", rewrite("b/skills/five/SKILL.md", skillText("five"))},
		{"a new plugin", rewrite("c/.claude-plugin/plugin.json", `{"name":"c"}`)},
		{"a file that was missing", rewrite("b/bin/s", "#!/bin/sh\n")},
		{"a component that was missing", rewrite("a/hooks/hooks.json", "{}")},
		{"a removed skill", do(func(dir string) error { return os.RemoveAll(filepath.Join(dir, "loose/skills/three")) })},
		{"a renamed directory", do(func(dir string) error {
			return os.Rename(filepath.Join(dir, "b/skills/two"), filepath.Join(dir, "b/skills/zwei"))
		})},
		{"a file behind a link", do(func(dir string) error { return os.Remove(filepath.Join(dir, "shared/four.md")) })},
		{"a link that leads elsewhere", do(func(dir string) error {
			link := filepath.Join(dir, "loose/skills/three/more.md")
			if err := os.Remove(link); err != nil {
				return err
			}
			return os.Symlink("absent", link)
		})},
		{"what a dangling link led to", rewrite("a/skills/one/nowhere", "here now\n")},
		{"a directory in place of a file", do(func(dir string) error {
			name := filepath.Join(dir, "b/mcp.json")
			if err := os.Remove(name); err != nil {
				return err
			}
			return os.Mkdir(name, 0o755)
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := plant(t)
			index := host.Index{Dir: t.TempDir()}
			before := look(t, dir, index, later)
			if again := look(t, dir, index, later); !cmp.Equal(before, again) {
				t.Fatalf("a second look at the same directory differs:\n%s", cmp.Diff(before, again))
			}
			c.change(t, dir)
			want := look(t, dir, host.Index{}, nil)
			if got := look(t, dir, index, later); !cmp.Equal(want, got) {
				t.Errorf("the change was not seen:\n%s", cmp.Diff(want, got))
			}
		})
	}
}

// A look that nobody asks for costs estimates none, and what it remembers serves
// no look that is asked for them; what that one remembers serves both.
func TestIndexKnowsWhetherCostsWereEstimated(t *testing.T) {
	dir := plant(t)
	index := host.Index{Dir: t.TempDir()}
	of := func(index host.Index, uncosted bool) *host.Listing {
		t.Helper()
		s := catalog.Below(dir, ext.DefaultLimits, 2, index.Dir != "").(*roots.Source)
		s.Open.Clock = later
		l, err := host.Look{Specs: catalog.Specs, Limits: ext.DefaultLimits, Workers: 2, Index: index, Uncosted: uncosted}.Run(t.Context(), []ext.Source{s})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	want := of(host.Index{}, false)
	if want.Cost == (session.Cost{}) {
		t.Fatal("a look estimates no costs")
	}
	if got := of(index, true).Cost; got != (session.Cost{}) {
		t.Errorf("nobody asks for costs: got %+v, want none estimated", got)
	}
	if got := of(index, false); !cmp.Equal(want, got) {
		t.Errorf("costs are asked for after that:\n%s", cmp.Diff(want, got))
	}
	if got := of(index, true); !cmp.Equal(want, got) {
		t.Errorf("nobody asks for the costs that are remembered:\n%s", cmp.Diff(want, got))
	}
}

// What was written a moment ago could be written again without a trace, so it
// is not remembered.
func TestIndexDoesNotTrustTheLastMoment(t *testing.T) {
	dir := plant(t)
	index := host.Index{Dir: filepath.Join(t.TempDir(), "index")}
	now := time.Now() // not a moment after the files were written, as far as times can tell
	look(t, dir, index, func() time.Time { return now })
	if entries, _ := os.ReadDir(index.Dir); len(entries) != 0 {
		t.Errorf("files written just now were remembered: %v", entries)
	}
	look(t, dir, index, later)
	if entries, _ := os.ReadDir(index.Dir); len(entries) != 1 {
		t.Errorf("settled files were not remembered: %v", entries)
	}
}

// An index that is damaged, of another program, or not writable is no index.
func TestIndexThatIsNoIndex(t *testing.T) {
	dir := plant(t)
	want := look(t, dir, host.Index{}, nil)
	index := host.Index{Dir: t.TempDir()}
	look(t, dir, index, later)
	entries, err := os.ReadDir(index.Dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v; want one file", entries, err)
	}
	name := filepath.Join(index.Dir, entries[0].Name())
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i, damage := range [][]byte{nil, good[:len(good)/2], append(slices.Clone(good), 'x'), flipped(good, len(good)/2), flipped(good, 20)} {
		if err := os.WriteFile(name, damage, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := look(t, dir, index, later); !cmp.Equal(want, got) {
			t.Errorf("damage %d changed the answer:\n%s", i, cmp.Diff(want, got))
		}
	}
	index.Build = ext.Sum([]byte("another program"))
	if got := look(t, dir, index, later); !cmp.Equal(want, got) {
		t.Errorf("an index of another program changed the answer")
	}
	blocked := host.Index{Dir: filepath.Join(name, "below a file")}
	got := look(t, dir, blocked, later)
	if !slices.Contains(codes(got), "index-not-kept") || got.Found != want.Found {
		t.Errorf("an index that cannot be kept gives %v, want the answer and a note", codes(got))
	}
}

func flipped(b []byte, at int) []byte {
	b = slices.Clone(b)
	b[at] ^= 0x55
	return b
}
