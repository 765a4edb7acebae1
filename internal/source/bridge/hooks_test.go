package bridge_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// locked is a file system with a directory that nobody may look into.
type locked struct {
	fstest.MapFS
	dir string
}

func (l locked) deny(op, name string) error {
	if name == l.dir || strings.HasPrefix(name, l.dir+"/") {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrPermission}
	}
	return nil
}

func (l locked) Open(name string) (fs.File, error) {
	if err := l.deny("open", name); err != nil {
		return nil, err
	}
	return l.MapFS.Open(name)
}

func (l locked) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := l.deny("readdir", name); err != nil {
		return nil, err
	}
	return l.MapFS.ReadDir(name)
}

func (l locked) Stat(name string) (fs.FileInfo, error) {
	if err := l.deny("stat", name); err != nil && name != l.dir {
		return nil, err
	}
	return l.MapFS.Stat(name)
}

func (l locked) Lstat(name string) (fs.FileInfo, error) {
	if err := l.deny("lstat", name); err != nil && name != l.dir {
		return nil, err
	}
	return l.MapFS.Lstat(name)
}

// TestHooksBehindALock wants hooks and policies that nobody may look at to be a
// fault that is named, in every format: there may be guards among them.
func TestHooksBehindALock(t *testing.T) {
	for _, c := range []struct{ format, root, manifest, dir string }{
		{"claude-code", "/x", ".claude-plugin/plugin.json", "hooks"},
		{"codex", "/x", ".codex-plugin/plugin.json", "hooks"},
		{"cursor", "/x", ".cursor-plugin/plugin.json", "hooks"},
		{"copilot", "/x", ".plugin/plugin.json", "hooks"},
		{"gemini-cli", "/x", "gemini-extension.json", "hooks"},
		{"gemini-cli", "/x", "gemini-extension.json", "policies"},
		{"github-project", "/.github", "x", "hooks"},
		{"github-project", "/.github", "x", "copilot"},
		{"gemini-project", "/.gemini", "x", "policies"},
	} {
		t.Run(c.format+" "+c.dir, func(t *testing.T) {
			file := &fstest.MapFile{Data: []byte(`{"name": "x", "version": "1"}`)}
			fsys := locked{fstest.MapFS{c.manifest: file, c.dir + "/hooks.json": file, c.dir + "/settings.json": file}, c.dir}
			tree := ext.Tree{Extension: "x", Root: c.root, FS: fsys, Origin: ext.Origin{Extension: "x", Source: "path:x", Trust: ext.Plugin}}
			source.Lay(bridge.Formats, bridge.Loose, &tree, "", source.Env{Specs: spinetest.Specs, Limits: ext.DefaultLimits})
			if tree.Format != c.format {
				t.Fatalf("got the format %s", tree.Format)
			}
			for i := range tree.Places {
				if p := &tree.Places[i]; p.Surface == "client_event" && p.Fault != nil && strings.HasPrefix(p.File, c.dir) && p.Fault.Message == "permission denied" {
					return
				}
			}
			t.Errorf("got %+v with %v, want an entry of client_event in %s that cannot be read", tree.Places, tree.Findings, c.dir)
		})
	}
}

// TestGroupsOfHooks wants what a group says to cost no more for many handlers than
// a megabyte of it: a long remark goes to the first alone, and what says when a
// handler is asked is never so long.
func TestGroupsOfHooks(t *testing.T) {
	handlers := strings.Repeat(`{"command": "x"},`, 2000) + `{"command": "x"}`
	for key, want := range map[string]string{"description": "", "matcher": "client-hooks-form", "if": "client-hooks-form", "command": ""} {
		file := fmt.Sprintf(`{"hooks": {"Stop": [{%q: %q, "hooks": [%s]}]}}`, key, strings.Repeat("long ", 10_000), handlers)
		tree := lay(bridge.ClaudeCode, fstest.MapFS{
			".claude-plugin/plugin.json": {Data: []byte(`{"name": "x"}`)},
			"hooks/hooks.json":           {Data: []byte(file)},
		})
		size, fault := 0, ""
		for i := range tree.Places {
			if p := &tree.Places[i]; p.Fault != nil {
				fault = p.Fault.Check.Code
			} else {
				size += len(plain(p.Doc))
			}
		}
		if fault != want || size > 1<<20 {
			t.Errorf("%s: got %d places of %d bytes and the fault %q, want at most a megabyte and %q", key, len(tree.Places), size, fault, want)
		}
	}
}

// TestHooksOfOneName wants two events whose names are one to a path, or differ
// by capitals alone, to be told apart and neither to be refused for its name.
func TestHooksOfOneName(t *testing.T) {
	odd(t, claude(`{"name": "acme"}`, "hooks/hooks.json", `{"hooks": {"a/b": [{"command": "one"}], "a-b": [{"command": "two"}], "A-B": [{"command": "three"}]}}`),
		"acme: claude-code: admitted\n", `client_event "a-b-1"`, `client_event "a-b-2"`, `client_event "A-B-3"`, "!hook-field")
}

// TestEventInOtherCapitals wants an event that is mistyped to be told although
// the right one is there as well.
func TestEventInOtherCapitals(t *testing.T) {
	odd(t, claude(`{"name": "acme"}`, "hooks/hooks.json", `{"hooks": {"PreToolUse": [{"command": "one"}], "preToolUse": [{"command": "two"}]}}`),
		`claude-code has no event "preToolUse" that is known here (client-event-unknown)`)
}

// TestFilesOfHooksBeyondNumber wants a directory with more files than anybody
// keeps hooks in to be told as such, and not read through.
func TestFilesOfHooksBeyondNumber(t *testing.T) {
	files := []string{".claude-plugin/plugin.json", `{"name": "acme"}`}
	for i := range 80 {
		files = append(files, fmt.Sprintf("hooks/%d.json", i), `{"name": "a"}`)
	}
	got := decided(t, golden.Dir(t, golden.Files(prefix("acme/", files)...)))
	if want := "of more than 64 files here it is not known whether they hold hooks"; !strings.Contains(got, want) {
		t.Errorf("got %s, want %q", got, want)
	}
}
