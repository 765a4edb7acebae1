package discover_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/source/dir"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// TestScan runs the stage on testdata: the tree, then what was read. A file
// "limits" sets limits: bytes, files, depth.
func TestScan(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", []string{"found"}, func(t *testing.T, in []txtar.File) []string {
		var o spinetest.Options
		if text := spinetest.Take(&in, "limits"); text != "" {
			if _, err := fmt.Sscan(text, &o.Limits.FileBytes, &o.Limits.Files, &o.Limits.Depth); err != nil {
				t.Fatal(err)
			}
		}
		dir := golden.Dir(t, in)
		return []string{spinetest.Candidates(spinetest.Scan(t, spinetest.Trees(t, dir, o), o))}
	})
}

// TestScanByManyWorkers wants the documents of a large tree, shared and broken ones
// among them, to be read by several as by one.
func TestScanByManyWorkers(t *testing.T) {
	files := []string{"a/.claude-plugin/plugin.json", `{"name": "a", "commands": ["./commands", "./more/c7.md"]}`}
	for i := range 60 {
		files = append(files, fmt.Sprintf("a/skills/s%d/SKILL.md", i), fmt.Sprintf("---\nname: s%d\ndescription: x: y\n---\n", i))
		files = append(files, fmt.Sprintf("a/commands/c%d.md", i), "\xff"[:i%2]+"text")
	}
	tree := spinetest.Trees(t, golden.Dir(t, golden.Files(files...)), spinetest.Options{})[0]
	of := func(workers int) discover.Candidate {
		c, err := discover.Scan(t.Context(), tree, discover.Options{Specs: spinetest.Specs, Limits: ext.DefaultLimits, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	one, many := of(1), of(4)
	if len(one.Found()) < 100 || one.Digest() != many.Digest() {
		t.Errorf("read by one: %d documents, digest %v; by several: %d, %v", len(one.Found()), one.Digest(), len(many.Found()), many.Digest())
	}
	if diff := cmp.Diff(spinetest.Candidates([]discover.Candidate{one}), spinetest.Candidates([]discover.Candidate{many})); diff != "" {
		t.Errorf("by one and by several (-one +several):\n%s", diff)
	}
}

// TestScanCancelled wants a scan to end with its context and with nothing else.
func TestScanCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	trees := spinetest.Trees(t, golden.Dir(t, golden.Files("a/skills/x/SKILL.md", "x")), spinetest.Options{})
	_, err := discover.Scan(ctx, trees[0], discover.Options{Specs: spinetest.Specs, Limits: ext.DefaultLimits})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Scan, cancelled: got %v, want context.Canceled", err)
	}
}

// TestScanDigest wants a candidate's digest to change with what was read, and
// with nothing else: not with the place of the directory, nor with the order in
// which files were made.
func TestScanDigest(t *testing.T) {
	base := golden.Files(
		"a/.claude-plugin/plugin.json", `{"name": "a"}`, "a/skills/x/SKILL.md", "x", "a/skills/y/SKILL.md", "y",
		"a/.mcp.json", `{"s": {"command": "./run"}}`, "a/other.txt", "o",
	)
	digest := func(files []txtar.File) ext.Digest {
		return spinetest.Scan(t, spinetest.Trees(t, golden.Dir(t, files), spinetest.Options{}), spinetest.Options{})[0].Digest()
	}
	with := func(name, text string) []txtar.File {
		out := golden.Files(name, text)
		for _, f := range base {
			if f.Name != name {
				out = append(out, f)
			}
		}
		return out
	}
	want := digest(base)
	for _, c := range []struct {
		name  string
		files []txtar.File
		same  bool
	}{
		{"the same elsewhere", base, true},
		{"made in another order", with("a/skills/x/SKILL.md", "x"), true},
		{"a file that is no document", with("a/other.txt", "changed"), true},
		{"another text", with("a/skills/x/SKILL.md", "X"), false},
		{"another manifest", with("a/.claude-plugin/plugin.json", `{"name": "a", "version": "2"}`), false},
		{"another skill", with("a/skills/z/SKILL.md", "z"), false},
		{"a program that is there now", with("a/run", "run"), false},
	} {
		if got := digest(c.files) == want; got != c.same {
			t.Errorf("Digest, %s: equal is %v, want %v", c.name, got, c.same)
		}
	}
}

// TestScanDigestOfADescription wants the same words of another server, or of
// the same one declared anew, to be another candidate.
func TestScanDigestOfADescription(t *testing.T) {
	digest := func(d *ext.Described) ext.Digest {
		c, err := discover.Scan(t.Context(), ext.Tree{Describes: d}, discover.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c.Digest()
	}
	base := ext.Described{Surface: "server", Entry: "a", Declaration: ext.Sum([]byte("1"))}
	entry, anew, ref := base, base, base
	entry.Entry, anew.Declaration, ref.Ref.Driver = "b", ext.Sum([]byte("2")), "mcp"
	for _, other := range []*ext.Described{nil, &entry, &anew, &ref} {
		if digest(other) == digest(&base) {
			t.Errorf("Digest of a tree that describes %+v: got that of one that describes %+v, want another", other, base)
		}
	}
}

// TestScanTakesOnlyWhatTheTreeNames wants a link that is changed after the tree
// was laid out to bring in nothing: an adoption is to where the tree says that
// links lead.
func TestScanTakesOnlyWhatTheTreeNames(t *testing.T) {
	base := golden.Dir(t, golden.Files("own/prompts/a.md", "in", "out/a.md", "one", "out/b.md", "two"))
	link := filepath.Join(base, "own/prompts/p.md")
	lead := func(target string) {
		t.Helper()
		if err := errors.Join(os.RemoveAll(link), os.Symlink(target, link)); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	for _, c := range []struct{ name, before, after, want string }{
		{"stays", "../../out/a.md", "../../out/a.md", "one"},
		{"leads elsewhere", "../../out/a.md", "../../out/b.md", ""},
		{"leads outside", "a.md", "../../out/b.md", ""},
		{"leads inside", "../../out/a.md", "a.md", ""},
	} {
		lead(c.before)
		owner := dir.Owner{Dir: filepath.Join(base, "own"), Shown: "./own", Adopted: true, Loose: bridge.Loose,
			Env: source.Env{Specs: spinetest.Specs, Limits: ext.DefaultLimits}}
		var trees []ext.Tree
		for tree := range owner.Trees(t.Context()) {
			trees = append(trees, tree)
		}
		lead(c.after)
		got := ""
		for _, f := range spinetest.Scan(t, trees, spinetest.Options{}) {
			for _, found := range f.Found() {
				if found.Document.Path == "prompts/p.md" && !found.Broken {
					got = found.Document.Body
				}
			}
		}
		if got != c.want {
			t.Errorf("a link that %s: read %q, want %q", c.name, got, c.want)
		}
	}
}

// TestScanRefusesCodeThatIsNotCompared wants no code to stand behind a bound,
// where it could change after it was adopted.
func TestScanRefusesCodeThatIsNotCompared(t *testing.T) {
	base := golden.Dir(t, golden.Files("a/.claude-plugin/plugin.json", `{"name": "a"}`,
		"a/.mcp.json", `{"s": {"command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/big", "${CLAUDE_PLUGIN_ROOT}/x.js"]}}`, "a/big", "", "a/x.js", ""))
	if err := os.Truncate(filepath.Join(base, "a/big"), 257<<20); err != nil {
		t.Fatal(err)
	}
	found := spinetest.Scan(t, spinetest.Trees(t, base, spinetest.Options{}), spinetest.Options{})[0].Found()
	if len(found) != 1 || !found[0].Broken || found[0].Document.Findings[0].Check != discover.TooMuchCode {
		t.Errorf("a server with more code than is compared: got %+v, want it broken by limit-code", found)
	}
}

// TestScanOfManyWords wants a document of nothing but words to cost no more
// than the bound on them.
func TestScanOfManyWords(t *testing.T) {
	var words strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&words, " w%d", i)
	}
	base := golden.Dir(t, golden.Files("a/tools/t.json", `{"description": "`+words.String()+`"}`))
	counted := &counting{opened: map[string]int{}}
	trees := spinetest.Trees(t, base, spinetest.Options{})
	counted.FS, trees[0].FS = trees[0].FS, counted
	found := spinetest.Scan(t, trees, spinetest.Options{})[0].Found()
	if !found[0].Broken || counted.looks > 25_000 {
		t.Errorf("100000 words: broken is %v after %d looks, want it broken after at most 25000", found[0].Broken, counted.looks)
	}
}

// TestScanReadsOnce wants a file that several places point into to be opened
// once, and one that is no document never.
func TestScanReadsOnce(t *testing.T) {
	dir := golden.Dir(t, golden.Files(
		"a/.claude-plugin/plugin.json", `{"name": "a", "mcpServers": {"x": {"command": "x"}}}`,
		"a/skills/x/SKILL.md", "---\ndescription: d\n---\n", "a/skills/x/secret.txt", "s", "a/README.md", "r",
	))
	tree := spinetest.Trees(t, dir, spinetest.Options{})[0]
	counted := &counting{FS: tree.FS, opened: map[string]int{}}
	tree.FS = counted
	if _, err := discover.Scan(t.Context(), tree, discover.Options{Specs: spinetest.Specs, Limits: ext.DefaultLimits, Enabled: true}); err != nil {
		t.Fatal(err)
	}
	for name, n := range counted.opened {
		if n > 1 || strings.HasSuffix(name, ".txt") || name == "README.md" {
			t.Errorf("Scan opened %s %d times, want documents alone, once each", name, n)
		}
	}
	if counted.opened["skills/x/SKILL.md"] != 1 {
		t.Errorf("Scan opened %v, want skills/x/SKILL.md once", counted.opened)
	}
}
