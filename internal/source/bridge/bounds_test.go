package bridge_test

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
)

// calls counts what a file system is asked for.
type calls struct {
	fs.FS
	n int
}

func (c *calls) Open(name string) (fs.File, error) {
	c.n++
	return c.FS.Open(name)
}

func (c *calls) ReadDir(name string) ([]fs.DirEntry, error) {
	c.n++
	return fs.ReadDir(c.FS, name)
}

func (c *calls) Stat(name string) (fs.FileInfo, error) {
	c.n++
	return fs.Stat(c.FS, name)
}

func (c *calls) Lstat(name string) (fs.FileInfo, error) {
	c.n++
	return fs.Lstat(c.FS, name)
}

func (c *calls) ReadLink(name string) (string, error) {
	c.n++
	return fs.ReadLink(c.FS, name)
}

func (c *calls) Real(name string) (string, bool, error) {
	c.n++
	if r, ok := c.FS.(interface {
		Real(name string) (string, bool, error)
	}); ok {
		return r.Real(name)
	}
	return name, false, errors.ErrUnsupported
}

// work is what laying a tree out took.
type work struct {
	places, entries, calls int
	allocations, bytes     uint64
}

func workOf(format source.Format, fsys fs.FS, limits ext.Limits) (ext.Tree, work) {
	c := &calls{FS: fsys}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	t := layWithin(format, c, limits)
	runtime.ReadMemStats(&after)
	return t, work{len(t.Places), entries(&t), c.n, after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc}
}

// entries is how many entries the places of a tree declare.
func entries(t *ext.Tree) (n int) {
	for i := range t.Places {
		n += max(1, len(t.Places[i].Doc.Get("mcpServers").Keys()), len(t.Places[i].Doc.Get("lspServers").Keys()))
	}
	return n
}

// list is a JSON list of n values, object an object of n members; %d in one is
// its number.
func list(n int, format string) string   { return "[" + members(n, format) + "]" }
func object(n int, format string) string { return "{" + members(n, format) + "}" }

func members(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(format, "%d", strconv.Itoa(i))
	}
	return strings.Join(parts, ",")
}

// TestBounds lays out what one manifest of less than a megabyte can hold to
// exhaust a host: names, paths and patterns that it repeats. What that takes in
// memory, and in questions to the file system, is some small number for each
// byte that was read, and no more is laid than limits.files says. Each of these
// took more than ten seconds, some of them minutes, and up to 3 GB.
func TestBounds(t *testing.T) {
	const claude, cursor, copilot, gemini = ".claude-plugin/plugin.json", ".cursor-plugin/plugin.json", ".plugin/plugin.json", "gemini-extension.json"
	deep := "s" + strings.Repeat("/a", 14) + "/SKILL.md"
	hook := `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "c"}]}]}}`
	for _, c := range []struct {
		name   string
		format source.Format
		files  []string
	}{
		{"a file of servers, 800 times", bridge.ClaudeCode, []string{claude, `{"name": "p", "mcpServers": ` + list(800, `"./h.json"`) + `}`, "h.json", `{"mcpServers": ` + object(1000, `"a%d": {"command": "c"}`) + `}`}},
		{"a file of servers, 50,000 times", bridge.ClaudeCode, []string{claude, `{"name": "p", "mcpServers": ` + list(50_000, `"./h.json"`) + `}`, "h.json", `{"mcpServers": ` + object(100, `"a%d": {"command": "c"}`) + `}`}},
		{"servers in the manifest", bridge.ClaudeCode, []string{claude, `{"name": "p", "mcpServers": ` + list(800, object(40, `"a%d": {"command": "c"}`)) + `}`}},
		{"servers that are switched off", bridge.ClaudeCode, []string{claude, `{"name": "p", "mcpServers": ` + list(800, object(40, `"a%d": {"disabled": true}`)) + `}`}},
		{"a file of language servers", bridge.Copilot, []string{copilot, `{"name": "p", "lspServers": ` + list(50_000, `"./h.json"`) + `}`, "h.json", object(100, `"a%d": {"command": "c"}`)}},
		{"language servers in the manifest", bridge.Copilot, []string{copilot, `{"name": "p", "lspServers": ` + list(800, object(40, `"a%d": {"command": "c"}`)) + `}`}},
		{"monitors of one name", bridge.ClaudeCode, []string{claude, `{"name": "p"}`, "monitors/monitors.json", list(25_000, `{"name": "a", "command": "c"}`)}},
		{"dependencies of one name", bridge.ClaudeCode, []string{claude, `{"name": "p", "dependencies": ` + list(25_000, `"a"`) + `}`}},
		{"dependencies, each with the number of the next", bridge.ClaudeCode, []string{claude, `{"name": "p", "dependencies": [` + members(12_000, `"a-%d"`) + `,` + members(12_000, `"a"`) + `]}`}},
		{"inputs of one name", bridge.ClaudeCode, []string{claude, `{"name": "p"}`, ".mcp.json", `{"servers": {}, "inputs": ` + list(25_000, `{"id": "a"}`) + `}`}},
		{"commands that are not there", bridge.ClaudeCode, []string{claude, `{"name": "p", "commands": ` + list(60_000, `"./a%d.md"`) + `}`}},
		{"commands of one file", bridge.ClaudeCode, []string{claude, `{"name": "p", "commands": ` + object(25_000, `"a%d": {"source": "./c/a.md"}`) + `}`, "c/a.md", "x"}},
		{"a directory of commands, 100,000 times", bridge.ClaudeCode, []string{claude, `{"name": "p", "commands": ` + list(100_000, `"./c"`) + `}`, "c/a.md", "x"}},
		{"a file of hooks, 50,000 times", bridge.ClaudeCode, []string{claude, `{"name": "p", "hooks": ` + list(50_000, `"./h.json"`) + `}`, "h.json", hook}},
		{"hooks of no form", bridge.ClaudeCode, []string{claude, `{"name": "p"}`, "hooks/hooks.json", `{"hooks": {"Stop": ` + list(50_000, `1`) + `}}`}},
		{"themes of one name", bridge.Gemini, []string{gemini, `{"name": "p", "themes": ` + list(25_000, `{"name": "a"}`) + `}`}},
		{"settings of one name", bridge.Gemini, []string{gemini, `{"name": "p", "settings": ` + list(25_000, `{"name": "a"}`) + `}`}},
		{"a context file, 50,000 times", bridge.Gemini, []string{gemini, `{"name": "p", "contextFileName": ` + list(50_000, `"A.md"`) + `}`, "A.md", "x"}},
		{"any directories, 14 times", bridge.Cursor, []string{cursor, `{"name": "p", "skills": "./` + strings.Repeat("**/", 14) + `x"}`, deep, "x"}},
		{"a directory below any, 7 times", bridge.Cursor, []string{cursor, `{"name": "p", "skills": "./` + strings.Repeat("**/*/", 7) + `x"}`, deep, "x"}},
		{"any directories, 300 times", bridge.Cursor, []string{cursor, `{"name": "p", "rules": "./` + strings.Repeat("**/", 300) + `*.md"}`, deep, "x"}},
		{"a pattern that no path has", bridge.Cursor, []string{cursor, `{"name": "p", "rules": "./` + strings.Repeat("*a", 400_000) + `"}`, deep, "x"}},
		{"patterns", bridge.Cursor, []string{cursor, `{"name": "p", "rules": ` + list(30_000, `"./**/x%d"`) + `}`, deep, "x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, size := fstest.MapFS{}, 0
			for i := 0; i < len(c.files); i += 2 {
				files[c.files[i]] = &fstest.MapFile{Data: []byte(c.files[i+1])}
				size += len(c.files[i+1])
			}
			_, w := workOf(c.format, files, ext.DefaultLimits)
			if w.entries > ext.DefaultLimits.Files || w.places > w.entries {
				t.Errorf("got %d entries in %d places, want at most %d", w.entries, w.places, ext.DefaultLimits.Files)
			}
			if most := 100 + size/2; w.calls > most {
				t.Errorf("got %d questions to the file system for %d bytes, want at most %d", w.calls, size, most)
			}
			if most := 20_000 + 10*size; w.allocations > uint64(most) {
				t.Errorf("got %d allocations for %d bytes, want at most %d", w.allocations, size, most)
			}
			if most := 10<<20 + 1000*size; w.bytes > uint64(most) {
				t.Errorf("got %d bytes allocated for %d bytes, want at most %d", w.bytes, size, most)
			}
		})
	}
}

// TestBoundsOfLinks lays out directories in which a few links stand for many
// names: eight levels of ten links each for a hundred million.
func TestBoundsOfLinks(t *testing.T) {
	limits := ext.Limits{FileBytes: 1 << 20, Files: 200, Depth: 16}
	const claude = ".claude-plugin/plugin.json"
	fan := []string{"x/8/a.txt", ""}
	for level := range 8 {
		for n := range 10 {
			fan = append(fan, fmt.Sprintf("x/%d/%d -> ../%d", level, n, level+1), "")
		}
	}
	var same, files, policies, here []string
	for n := range 300 {
		same = append(same, fmt.Sprintf("l%d -> c", n), "")
		files = append(files, fmt.Sprintf("l%d.json -> h.json", n), "")
		policies = append(policies, fmt.Sprintf("policies/%d.toml -> ../h.toml", n), "")
		here = append(here, fmt.Sprintf("l%d -> .", n), "")
	}
	for n := range 300 {
		same = append(same, fmt.Sprintf("c/%d.txt", n), "")
	}
	for _, c := range []struct {
		name   string
		format source.Format
		files  []string
	}{
		{"deep skills", bridge.Codex, append(fan[:len(fan):len(fan)], ".codex-plugin/plugin.json", `{"name": "p", "skills": "./x/0"}`)},
		{"commands", bridge.ClaudeCode, append(fan[:len(fan):len(fan)], claude, `{"name": "p", "commands": "./x/0"}`)},
		{"a pattern", bridge.Cursor, append(fan[:len(fan):len(fan)], ".cursor-plugin/plugin.json", `{"name": "p", "rules": "./x/**/y.md"}`)},
		{"a directory by many names", bridge.ClaudeCode, append(same, claude, `{"name": "p", "commands": `+list(300, `"./l%d"`)+`}`)},
		{"hooks by many names", bridge.ClaudeCode, append(files[:len(files):len(files)], claude, `{"name": "p", "hooks": `+list(300, `"./l%d.json"`)+`}`, "h.json", `{"hooks": {"Stop": `+list(1000, `{"command": "c"}`)+`}}`)},
		{"policies by many names", bridge.Gemini, append(policies, "gemini-extension.json", `{"name": "p"}`, "h.toml", strings.Repeat("[[rule]]\ntoolName = \"x\"\ndecision = \"deny\"\n", 1000))},
		{"rules by many names", bridge.Gemini, append(here, "gemini-extension.json", `{"name": "p", "contextFileName": `+list(300, `"l%d/l%d/A.md"`)+`}`, "A.md", "x")},
		{"a file by many names", bridge.ClaudeCode, append(files, claude, `{"name": "p", "mcpServers": `+list(300, `"./l%d.json"`)+`}`, "h.json", object(1000, `"a%d": {"command": "c"}`))},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := root.Open(golden.Dir(t, golden.Files(c.files...)), root.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			tree, w := workOf(c.format, r, limits)
			if w.calls > 20_000 || w.entries > limits.Files || w.bytes > 64<<20 {
				t.Errorf("got %+v, want at most 20,000 questions to the file system, %d entries and 64 MB", w, limits.Files)
			}
			if !slices.ContainsFunc(tree.Findings, func(f ext.Finding) bool { return f.Check == source.TooMany }) {
				t.Errorf("got %d findings, none of them %s, want it told that a limit was passed", len(tree.Findings), source.TooMany.Code)
			}
		})
	}
}
