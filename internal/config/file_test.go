package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

// TestUnreadable holds that a file which is there and cannot be read is told,
// and never waited for.
func TestUnreadable(t *testing.T) {
	for name, spoil := range map[string]func(file string) error{
		"a directory":            func(f string) error { return os.Mkdir(f, 0o777) },
		"a link to nowhere":      func(f string) error { return os.Symlink("nowhere", f) },
		"a link to itself":       func(f string) error { return os.Symlink(f, f) },
		"larger than the limit":  func(f string) error { return os.WriteFile(f, make([]byte, maxFile+1), 0o666) },
		"a link to a named pipe": pipe,
	} {
		t.Run(name, func(t *testing.T) {
			for _, file := range []string{"ws/mortise.toml", "ws/mortise.local.toml", "etc/managed.toml"} {
				p := lay(t, map[string]string{"home/config.toml": "limits.depth = 99", "etc/x": ""})
				if err := spoil(filepath.Join(p.dir, filepath.FromSlash(file))); err != nil {
					t.Skip(err)
				}
				if file == "etc/managed.toml" && name == "a link to nowhere" {
					continue // as good as no file
				}
				c, findings := p.load(t)
				if !told(findings, Unreadable) {
					t.Errorf("Load with %s as %s: got %v, want it told", file, name, findings)
				}
				if managed := file == "etc/managed.toml"; managed != told(findings, ManagedBroken) || managed != (c.Limits.Depth == 16) {
					t.Errorf("Load with %s as %s: got depth %d and %v", file, name, c.Limits.Depth, findings)
				}
			}
		})
	}
}

func told(findings ext.Findings, check *ext.Check) bool {
	return slices.ContainsFunc(findings, func(f ext.Finding) bool { return f.Check == check })
}

// TestLinkOutOfWorkspace holds that a workspace cannot have a file of its
// person's read, and its lines shown, as configuration.
func TestLinkOutOfWorkspace(t *testing.T) {
	p := lay(t, map[string]string{"home/secret": "a secret\n"})
	if err := os.Symlink("../home/secret", filepath.Join(p.Workspace.Dir, SharedFile)); err != nil {
		t.Skip(err)
	}
	_, findings := p.load(t)
	if len(findings) != 1 || findings[0].Check != Unreadable || strings.Contains(findings[0].String(), "a secret") {
		t.Errorf("Load with a link out of the workspace: got %v, want it told and not read", findings)
	}
	if want := "it is a link that leads out of the workspace"; len(findings) == 1 && !strings.Contains(findings[0].Message, want) {
		t.Errorf("Load with a link out of the workspace: got %q, want %q in it", findings[0].Message, want)
	}
}

// TestTooLarge holds that a file which is too large is told with its size.
func TestTooLarge(t *testing.T) {
	p := lay(t, map[string]string{"ws/mortise.toml": strings.Repeat("#", maxFile+4)})
	_, findings := p.load(t)
	if want := `"mortise.toml" has 262148 bytes, and at most 262144 are read`; len(findings) != 1 || findings[0].Message != want {
		t.Errorf("Load of a file over the limit: got %v, want %s", findings, want)
	}
}

func TestLoadErrors(t *testing.T) {
	for name, in := range map[string]Inputs{
		"no workspace":          {},
		"relative workspace":    {Workspace: Workspace{Dir: "ws"}},
		"relative user file":    {Workspace: Workspace{Dir: t.TempDir()}, User: "config.toml"},
		"relative managed file": {Workspace: Workspace{Dir: t.TempDir()}, Managed: "managed.toml"},
	} {
		if c, _, err := Load(in); err == nil {
			t.Errorf("Load(%s): got %v, want an error", name, c)
		}
	}
}
