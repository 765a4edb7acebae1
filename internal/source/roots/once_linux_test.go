package roots_test

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// TestReadOnce searches a directory that holds extensions of every kind, and reads
// every document of what it found: no file is opened twice, neither to know what
// a directory is, nor since several formats lead to it.
func TestReadOnce(t *testing.T) {
	const skill = "---\nname: a\ndescription: d\n---\n"
	base := golden.Dir(t, golden.Files(
		"bundle/manifest.json", `{"manifest_version": "0.3", "name": "b", "version": "1.0.0", "description": "d", "author": {"name": "a"}, "server": {"type": "node", "entry_point": "i.js", "mcp_config": {"command": "node"}}}`,
		"page/manifest.json", `{"name": "A page"}`, "page/skills/a/SKILL.md", skill,
		"plug/.claude-plugin/plugin.json", `{"name": "plug", "mcpServers": "./.mcp.json"}`, "plug/.codex-plugin/plugin.json", `{"name": "plug"}`,
		"plug/.mcp.json", `{"s": {"command": "s"}}`, "plug/skills/a/SKILL.md", skill, "plug/SKILL.md", skill,
		"plug/hooks/hooks.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "c"}]}]}}`,
		"sole/.claude-plugin/plugin.json", `{"name": "sole"}`, "sole/SKILL.md", skill,
		"copilot/plugin.json", `{"name": "c", "skills": "./skills"}`, "copilot/skills/a/SKILL.md", skill,
		"app/.claude/settings.json", `{"hooks": {}}`, "app/.claude/agents/a.md", skill, "app/.mcp.json", `{"s": {"command": "s"}}`,
		"loose/agents/a.md", skill, "loose/rules/r.md", "r", "loose/mcp.json", `{"mcpServers": {"s": {"command": "s"}}}`,
		"loose/hooks/hooks.json", `{"version": 1, "hooks": {"stop": [{"command": "c"}]}}`, "loose/hooks/deny/hooks.json", `{}`,
		"folder/one/SKILL.md", skill, "folder/two/SKILL.md", skill, "folder/flat.md", skill,
		"alone/.mcp.json", `{"s": {"command": "s"}}`, "down/x.mcpb", "PK",
	))
	seen := watch(t, base)
	found := 0
	for tree, err := range below(base).Trees(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if !tree.Unread {
			found++
			if _, err := discover.Scan(t.Context(), tree, discover.Options{Specs: spinetest.Specs, Limits: ext.DefaultLimits}); err != nil {
				t.Fatal(err)
			}
		}
		if tree.Close != nil {
			tree.Close()
		}
	}
	opens := seen.opens(t)
	if found < 8 || opens["bundle/manifest.json"] == 0 {
		t.Fatalf("got %d extensions and the openings %v, want at least eight, and a bundle among them", found, opens)
	}
	for name, n := range opens {
		if n > 1 {
			t.Errorf("%s: got opened %d times, want once", name, n)
		}
	}
	for _, name := range []string{"alone/.mcp.json", "down/x.mcpb"} {
		if opens[name] > 0 {
			t.Errorf("%s: got opened, want it told and not opened", name)
		}
	}
}

// watched counts how often each file below a directory is opened.
type watched struct {
	fd   int
	dirs map[int32]string
}

// watch asks for openings and closings: of two openings that follow each other the
// system would tell one.
func watch(t *testing.T, dir string) *watched {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Skip("no inotify here: ", err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	w := &watched{fd, map[int32]string{}}
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		id, err := unix.InotifyAddWatch(fd, name, unix.IN_OPEN|unix.IN_CLOSE)
		rel, _ := filepath.Rel(dir, name)
		w.dirs[int32(id)] = filepath.ToSlash(rel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// opens are how often files were opened since the watch began, by path.
func (w *watched) opens(t *testing.T) map[string]int {
	t.Helper()
	out := map[string]int{}
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(w.fd, buf)
		if err == unix.EAGAIN {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		for rest := buf[:n]; len(rest) > 0; {
			id, mask := int32(binary.NativeEndian.Uint32(rest)), binary.NativeEndian.Uint32(rest[4:])
			size := binary.NativeEndian.Uint32(rest[12:])
			name, _, _ := bytes.Cut(rest[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+size], []byte{0})
			if mask&unix.IN_Q_OVERFLOW != 0 {
				t.Fatal("more was opened than can be told")
			}
			if mask&unix.IN_OPEN != 0 && mask&unix.IN_ISDIR == 0 {
				out[w.dirs[id]+"/"+string(name)]++
			}
			rest = rest[unix.SizeofInotifyEvent+size:]
		}
	}
}
