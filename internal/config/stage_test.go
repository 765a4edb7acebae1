package config

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise/ext"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// place is a workspace with everything that a configuration depends on.
type place struct {
	dir string
	Inputs
}

// lay writes files, by their names below a new directory: ws/mortise.toml,
// home/config.toml, etc/managed.toml.
func lay(t testing.TB, files map[string]string) place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{dir: dir, Inputs: Inputs{
		Workspace: Workspace{Dir: filepath.Join(dir, "ws")},
		User:      filepath.Join(dir, "home", "config.toml"),
		Managed:   filepath.Join(dir, "etc", "managed.toml"),
	}}
	if err := os.MkdirAll(p.Workspace.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		p.write(t, name, text)
	}
	return p
}

func (p place) write(t testing.TB, name, text string) {
	t.Helper()
	name = filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (p place) load(t testing.TB) (*Config, ext.Findings) {
	t.Helper()
	c, findings, err := Load(p.Inputs)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return c, findings
}

// plain is text without the directory of this run.
func (p place) plain(s string) string {
	return strings.ReplaceAll(s, filepath.ToSlash(p.dir), "$WORK")
}

// TestLoad runs the stage on testdata/load: what the layers say, then what is
// found and what takes effect.
func TestLoad(t *testing.T) {
	files, err := filepath.Glob("testdata/load/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("Glob: got %d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			given, expected, _ := strings.Cut(string(data), "-- findings --\n")
			p := lay(t, nil)
			for name, text := range sections(given) {
				if name == "env" {
					p.Env = strings.Split(strings.TrimSpace(text), "\n")
					continue
				}
				p.write(t, name, text)
			}
			c, findings := p.load(t)
			got := p.plain(shown(findings) + "-- effective --\n" + effective(c))
			if *update {
				if err := os.WriteFile(file, []byte(given+"-- findings --\n"+got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(expected, got); diff != "" {
				t.Errorf("Load(%s) (-want +got):\n%s", file, diff)
			}
		})
	}
}

// sections are the files of an archive by name; what is before the first is
// the reason for the case.
func sections(archive string) map[string]string {
	files, name := map[string]string{}, ""
	for line := range strings.Lines(archive) {
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(n, " --") {
			name = strings.TrimSuffix(n, " --")
			files[name] = ""
		} else if name != "" {
			files[name] += line
		}
	}
	return files
}

func shown(findings ext.Findings) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s\n\tfix: %s\n", f, f.Fix())
	}
	return b.String()
}

// effective lists what is not the default, the plugins in load order, and the
// broken layers.
func effective(c *Config) string {
	var b strings.Builder
	for _, key := range c.Keys() {
		v, _ := c.Explain(key)
		if v.Layer == Default && len(v.Shadowed) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s = %s (%s %s)\n", key, v.Text, v.Layer, v.Origin)
		for _, s := range v.Shadowed {
			fmt.Fprintf(&b, "\t%s (%s %s) %s\n", s.Text, s.Layer, s.Origin, s.Ignored)
		}
	}
	for _, p := range c.Plugins {
		fmt.Fprintf(&b, "plugin %s in %s enabled=%t refused=%t format=%q settings=%s from %s\n",
			p.Name, filepath.ToSlash(p.Dir), p.Enabled, p.Refused, p.Format, spell(p.Settings), p.Origin)
	}
	if broken := c.Broken(); len(broken) > 0 {
		fmt.Fprintf(&b, "broken: %v\n", broken)
	}
	return b.String()
}
