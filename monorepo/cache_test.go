package monorepo

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
)

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestCache are behaviours 101 to 107: what the reference remembers, and what it misses.
func TestCache(t *testing.T) {
	elsewhere := strings.Replace(manifest, "}", `, "extensions": {"agents": {"directory": "vendor"}}}`, 1)
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   func(s *Snapshot) bool
	}{
		{"102 a file is added", func(t *testing.T, dir string) {
			write(t, dir+"/.colony/agents/b.py", agentBase+"class B(Agent): pass\n")
		}, func(s *Snapshot) bool { return len(s.Agents) == 2 }},
		{"102 a file is deleted", func(t *testing.T, dir string) { must(t, os.Remove(dir+"/.colony/agents/a.py")) }, func(s *Snapshot) bool { return len(s.Agents) == 0 }},
		{"102 a file is renamed", func(t *testing.T, dir string) {
			must(t, os.Rename(dir+"/.colony/profiles/p.yaml", dir+"/.colony/profiles/q.yaml"))
		}, func(s *Snapshot) bool { return s.Profiles["q"].Name == "q" }},
		{"103 a file is edited in place", func(t *testing.T, dir string) {
			write(t, dir+"/.colony/agents/a.py", agentBase+"class B(Agent): pass\n")
		}, func(s *Snapshot) bool { return s.Agents["B"].Name == "B" }},
		{"104 the catalogue is written anew", func(t *testing.T, dir string) {
			write(t, dir+"/.colony/tool-registry.json", `{"schema_version": 2, "tools": [{"name": "mesh", "purpose": "cad", "location": "subdir:t", "capability": "mesh", "capability_fqn": "t.M"}]}`)
		}, func(s *Snapshot) bool { return s.Tools["mesh"].Value.Class == "t.M" }},
		{"105 a SKILL.md in a directory that is there", func(t *testing.T, dir string) {
			write(t, dir+"/.colony/plugins/none/SKILL.md", "---\nname: none\n---\n")
		}, func(s *Snapshot) bool { return len(s.Skills) == 2 }},
		{"105 a SKILL.md is edited", func(t *testing.T, dir string) {
			write(t, dir+"/.colony/plugins/s/SKILL.md", "---\nname: s\ntimeout_seconds: 7\n---\n")
		}, func(s *Snapshot) bool { return s.Skills[0].Value.Run.Timeout == 7 }},
		{"106 the manifest names another directory", func(t *testing.T, dir string) { write(t, dir+"/.colony/manifest.json", elsewhere) }, func(s *Snapshot) bool { return s.Agents["V"].Name == "V" }},
		{"107 the manifest is broken", func(t *testing.T, dir string) { write(t, dir+"/.colony/manifest.json", `{"a": 1}`) }, func(s *Snapshot) bool {
			return slices.ContainsFunc(s.Findings, func(f ext.Finding) bool { return f.Check.Code == "monorepo-manifest" }) && len(s.Agents) == 1
		}},
		{"the target of a link is edited", func(t *testing.T, dir string) { write(t, dir+"/src/l.py", agentBase+"class M(Agent): pass\n") }, func(s *Snapshot) bool { return s.Agents["M"].Name == "M" }},
		{"its times are restored", func(t *testing.T, dir string) {
			name := dir + "/.colony/agents/a.py"
			was, err := os.Stat(name)
			must(t, err)
			write(t, name, agentBase+"class C(Agent): pass\n")
			must(t, os.Chtimes(name, was.ModTime(), was.ModTime()))
		}, func(s *Snapshot) bool { return s.Agents["C"].Name == "C" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := open(t, files(".colony/plugins/none/x", "", "vendor/v.py", agentBase+"class V(Agent): pass\n")...)
			if strings.HasPrefix(c.name, "the target") {
				write(t, m.Dir()+"/src/l.py", agentBase+"class L(Agent): pass\n")
				must(t, os.Symlink("../../src/l.py", m.Dir()+"/.colony/agents/l.py"))
			}
			was := settled(t, m) // behaviour 101
			c.change(t, m.Dir())
			now := read(t, m)
			if now == was || !c.want(now) {
				t.Errorf("Discover after it: got the same snapshot %v, and\n%s\nwant what is there now", now == was, now.names())
			}
			if c.name != "107 the manifest is broken" {
				return
			}
			if again := read(t, m); !same(again, now) {
				t.Error("Discover again: got another answer, want the same")
			}
		})
	}
	m := open(t, files()...)
	was := settled(t, m)
	m.Invalidate()
	if now := read(t, m); now == was || !same(was, now) {
		t.Error("Discover after Invalidate: want another snapshot of the same")
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same(a, b *Snapshot) bool { return reflect.DeepEqual(a, b) }

// TestAnyMutation changes one thing of a working tree whose snapshot is remembered, in every
// way there is, and wants Discover to answer as one that remembers nothing.
func TestAnyMutation(t *testing.T) {
	texts := []string{
		agentBase + "class A(Agent): pass\n", agentBase + "class B(Agent): pass\n", "class A: pass\n", "x = 1\n", "class (\n", factory,
		"dense: on\n", "- x\n", "---\nname: s\n---\nX.\n", "---\nname: t\n---\nX.\n", manifest, "{}", `{"tools": []}`, "",
		strings.Replace(manifest, "}", `, "extensions": {"agents": {"directory": "src"}}}`, 1),
	}
	places := []string{
		".colony/manifest.json", ".colony/tool-registry.json", ".colony/agents/a.py", ".colony/agents/b.py", ".colony/agents/l.py", ".colony/agents/sub/x.py", ".colony/deployments/d.py",
		".colony/plugins/s/SKILL.md", ".colony/plugins/s/scripts/run.sh", ".colony/plugins/t/SKILL.md", ".colony/profiles/p.yaml", ".colony/profiles/q.yaml", ".colony/missions/m.py", "src/l.py", "src/k.py", "README.md",
	}
	rapid.Check(t, func(r *rapid.T) {
		dir := t.TempDir()
		golden.Write(t, dir, golden.Files(files("src/l.py", agentBase+"class L(Agent): pass\n", "src/k.py", agentBase+"class K(Agent): pass\n", ".colony/plugins/s/scripts/run.sh", "true\n", "README.md", "x")...))
		must(t, os.Symlink("../../src/l.py", filepath.Join(dir, ".colony/agents/l.py")))
		m, err := Open(dir, Options{})
		must(t, err)
		settled(t, m)
		what := mutate(r, dir, rapid.SampledFrom(places).Draw(r, "place"), rapid.SampledFrom(texts).Draw(r, "text"))
		got, err := m.Discover(t.Context())
		must(t, err)
		anew, err := Open(dir, Options{})
		must(t, err)
		if want := read(t, anew); !same(got, want) {
			r.Fatalf("Discover after %s: got\n%s\n%v\nwant\n%s\n%v", what, got.names(), got.Refused, want.names(), want.Refused)
		}
	})
}

// mutate makes one change at a place, as far as it can be made, and says what it did.
func mutate(r *rapid.T, dir, place, text string) string {
	name := filepath.Join(dir, filepath.FromSlash(place))
	info, statErr := os.Lstat(name)
	_ = os.MkdirAll(filepath.Dir(name), 0o700)
	how := rapid.SampledFrom([]string{"write in place", "write a part in place", "write and restore the times", "replace", "replace and restore the times", "retarget", "delete", "rename", "chmod", "make a directory", "touch"}).Draw(r, "how")
	restore := func() {
		if statErr == nil {
			_ = os.Chtimes(name, info.ModTime(), info.ModTime())
		}
	}
	switch how {
	case "write in place":
		_ = os.WriteFile(name, []byte(text), 0o600)
	case "write a part in place": // of the same size
		if f, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
			_, _ = f.WriteAt([]byte("#"), 0)
			_ = f.Close()
			restore()
		}
	case "write and restore the times":
		_ = os.WriteFile(name, []byte(text), 0o600)
		restore()
	case "replace", "replace and restore the times":
		_ = os.WriteFile(dir+"/new", []byte(text), 0o600)
		_ = os.Rename(dir+"/new", name)
		if how != "replace" {
			restore()
		}
	case "retarget":
		to := rapid.SampledFrom([]string{"../../src/k.py", "../../src/l.py", "gone", "../../../outside", "../../README.md"}).Draw(r, "to")
		_ = os.RemoveAll(name)
		_ = os.Symlink(to, name)
		how += " to " + to
	case "delete":
		_ = os.RemoveAll(name)
	case "rename":
		_ = os.Rename(name, filepath.Join(filepath.Dir(name), "zz"+filepath.Base(name)))
	case "chmod":
		_ = os.Chmod(name, 0)
		defer func() { _ = os.Chmod(name, 0o600) }() // it is seen as it was left
	case "make a directory":
		_ = os.RemoveAll(name)
		_ = os.MkdirAll(name, 0o700)
	case "touch":
		now := time.Now().Add(-time.Hour)
		_ = os.Chtimes(name, now, now)
	}
	return fmt.Sprintf("%s of %s with %q", how, place, text)
}
