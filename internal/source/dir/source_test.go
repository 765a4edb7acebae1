package dir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/source/dir"
	"github.com/mortise-dev/mortise/internal/source/sourcetest"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

var env = source.Env{Specs: spinetest.Specs, Limits: ext.DefaultLimits}

// plugin is a source over a directory.
func plugin(path string) *dir.Plugin {
	return &dir.Plugin{
		Extension: "acme", Dir: path, Shown: "./acme", Trust: ext.Plugin,
		Formats: bridge.Formats, Loose: bridge.Loose, Env: env,
	}
}

// owner is a source over the owner's directory.
func owner(path string, adopted bool) *dir.Owner {
	return &dir.Owner{Dir: path, Shown: "./.mortise", Adopted: adopted, Loose: bridge.Loose, Env: env}
}

func TestPlugin(t *testing.T) {
	sourcetest.Run(t, sourcetest.Case{
		Open: func(path string) ext.Source { return plugin(path) },
		Files: golden.Files(
			".claude-plugin/plugin.json", `{"name": "acme"}`,
			"skills/b/SKILL.md", "b", "skills/a/SKILL.md", "a", "skills/c/SKILL.md", "c",
			"agents/z.md", "z", "agents/d/y.md", "y", "commands/x.md", "x",
			"skills/gone -> nowhere", "",
		),
		Want: []string{"acme claude-code plugin skills/a/SKILL.md=skills/a/SKILL.md skills/b/SKILL.md=skills/b/SKILL.md " +
			"skills/c/SKILL.md=skills/c/SKILL.md skills/gone/SKILL.md=skills/gone/SKILL.md!link-dangling " +
			"agents/d/y.md=agents/d/y.md agents/z.md=agents/z.md commands/x.md=commands/x.md"},
		Missing: sourcetest.Refused,
	})
}

func TestOwner(t *testing.T) {
	sourcetest.Run(t, sourcetest.Case{
		Open: func(path string) ext.Source { return owner(path, true) },
		Files: golden.Files(
			"skills/b/SKILL.md", "b", "skills/a/SKILL.md", "a", "skills/empty/", "",
			"commands/x.md", "x", "prompts/tone.md", "t", "mcp.json", "{}",
		),
		Want: []string{
			"owner loose owner [directory-without-document skills/empty]",
			"owner loose owner skills/a/SKILL.md=skills/a/SKILL.md",
			"owner loose owner skills/b/SKILL.md=skills/b/SKILL.md",
			"owner loose owner commands/x.md=commands/x.md",
			"owner loose owner prompts/tone.md=prompts/tone.md",
			"owner loose owner mcp.json=mcp.json",
		},
		Missing: sourcetest.Nothing,
	})
}

// tell is what one tree says, by check and severity.
func tell(t *testing.T, s ext.Source) string {
	t.Helper()
	var out []string
	for tree, err := range s.Trees(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, sourcetest.Show(&tree))
		if tree.Close != nil {
			tree.Close()
		}
	}
	return strings.Join(out, "\n")
}

func TestPluginThatCannotBeRead(t *testing.T) {
	fault := source.NotThere.At(ext.Origin{Extension: "acme", Source: "mortise.toml"}, "no")
	for _, c := range []struct {
		name string
		lay  func(path string) *dir.Plugin
		want string
	}{
		{"a file", func(path string) *dir.Plugin { return plugin(filepath.Join(path, "file")) }, "acme  plugin [source-missing ]"},
		{"nothing that is an extension", plugin, "acme loose plugin [source-missing ]"},
		{"a format that is not there", func(path string) *dir.Plugin {
			p := plugin(path)
			p.Format = "claude-code"
			return p
		}, "acme claude-code plugin [source-missing ]"},
		{"a format that is not there where loose files are", func(path string) *dir.Plugin {
			p := plugin(filepath.Join(path, "loose"))
			p.Format = "claude-code"
			return p
		}, "acme claude-code plugin [source-missing ]"},
		{"a manifest that is not of the format it is said to be", func(path string) *dir.Plugin {
			p := plugin(filepath.Join(path, "other"))
			p.Format = "agent-plugins"
			return p
		}, "acme agent-plugins/1.0.0 plugin [manifest-field plugin.json] [plugin-name-differs ]"},
		{"at fault in the configuration", func(path string) *dir.Plugin {
			p := plugin(path)
			p.Fault = &fault
			return p
		}, "acme  plugin [source-missing ]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := golden.Dir(t, golden.Files("file", "x", "loose/skills/a/SKILL.md", "a", "other/plugin.json", `{"name": "other"}`, "other/skills/a/SKILL.md", "a"))
			if got := tell(t, c.lay(path)); got != c.want {
				t.Errorf("Trees: got %q, want %q", got, c.want)
			}
		})
	}
}

// TestPluginFormat pins a format where a directory is laid out in several: it is
// read alone, held against none of the others, and they are told.
func TestPluginFormat(t *testing.T) {
	path := golden.Dir(t, golden.Files(
		"plugin.json", `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "acme"}`,
		".claude-plugin/plugin.json", `{"name": "acme"}`,
		".codex-plugin/plugin.json", `{}`,
		"commands/x.md", "x",
	))
	for _, c := range []struct{ pin, want, also string }{
		{"", "acme agent-plugins/1.0.0 plugin [component-not-read commands] [format-several plugin.json] [formats-disagree .claude-plugin/plugin.json] [formats-disagree .codex-plugin/plugin.json]", "claude-code codex"},
		{"claude-code", "acme claude-code plugin commands/x.md=commands/x.md [format-several .claude-plugin/plugin.json]", "agent-plugins/1.0.0 codex"},
		{"agent-plugins", "acme agent-plugins/1.0.0 plugin [component-not-read commands] [format-several plugin.json]", "claude-code codex"},
		{"agent-plugins/1.0.0", "acme agent-plugins/1.0.0 plugin [component-not-read commands] [format-several plugin.json]", "claude-code codex"},
		{"loose", "acme loose plugin commands/x.md=commands/x.md [format-several ]", "agent-plugins/1.0.0 claude-code codex"},
	} {
		p := plugin(path)
		p.Format = c.pin
		if got := tell(t, p); got != c.want {
			t.Errorf("Trees, format %q: got %q, want %q", c.pin, got, c.want)
		}
		for tree := range p.Trees(t.Context()) {
			if got := strings.Join(tree.Also, " "); got != c.also {
				t.Errorf("Trees, format %q: also %s, want %s", c.pin, got, c.also)
			}
			tree.Close()
		}
	}
}

// TestPluginLabelled wants a directory that nobody named to go by what it calls
// itself, where that is a name.
func TestPluginLabelled(t *testing.T) {
	for _, c := range []struct{ label, want string }{{"tools", "tools"}, {"Not A Name", "acme"}} {
		p := plugin(golden.Dir(t, golden.Files(".claude-plugin/plugin.json", `{"name": "`+c.label+`", "odd": 1}`, "skills/x/", "")))
		p.Labelled = true
		for tree := range p.Trees(t.Context()) {
			if string(tree.Extension) != c.want || string(tree.Findings[0].Origin.Extension) != c.want {
				t.Errorf("a plugin that calls itself %q: got %s with findings at %s, want %s", c.label, tree.Extension, tree.Findings[0].Origin, c.want)
			}
			tree.Close()
		}
	}
}

// TestField_DIS02 is a skill behind a link: found in the owner's directory with
// the real path recorded, refused with a reason in an installed one; the same
// for a link that is SKILL.md and one that is its folder.
func TestField_DIS02(t *testing.T) {
	base := golden.Dir(t, golden.Files(
		"elsewhere/one.md", "---\nname: demo\ndescription: D.\n---\n", "elsewhere/two/SKILL.md", "---\nname: demo2\ndescription: D.\n---\n",
		"x/skills/demo/SKILL.md -> ../../../elsewhere/one.md", "", "x/skills/demo2 -> ../../elsewhere/two", "",
		"x/skills/near/SKILL.md", "---\nname: near\ndescription: D.\n---\n", "x/skills/alias -> near", "",
	))
	path := filepath.Join(base, "x")
	for _, c := range []struct {
		name string
		s    ext.Source
		want string
	}{
		{"the owner's", owner(path, true), `
owner loose owner skills/alias/SKILL.md=skills/alias/SKILL.md
owner loose owner skills/demo/SKILL.md=skills/demo/SKILL.md [link-followed skills/demo/SKILL.md]
owner loose owner skills/demo2/SKILL.md=skills/demo2/SKILL.md [link-followed skills/demo2/SKILL.md]
owner loose owner skills/near/SKILL.md=skills/near/SKILL.md`},
		{"one that nobody adopted", owner(path, false), `
owner loose owner skills/alias/SKILL.md=skills/alias/SKILL.md
owner loose owner skills/demo/SKILL.md=skills/demo/SKILL.md!link-escape
owner loose owner skills/demo2/SKILL.md=skills/demo2/SKILL.md!link-escape
owner loose owner skills/near/SKILL.md=skills/near/SKILL.md`},
		{"an installed one", plugin(path), `
acme loose plugin skills/alias/SKILL.md=skills/alias/SKILL.md skills/demo/SKILL.md=skills/demo/SKILL.md!link-escape ` +
			`skills/demo2/SKILL.md=skills/demo2/SKILL.md!link-escape skills/near/SKILL.md=skills/near/SKILL.md`},
	} {
		if got := tell(t, c.s); got != strings.TrimSpace(c.want) {
			t.Errorf("%s: got\n%s\nwant%s", c.name, got, c.want)
		}
	}
	for tree := range owner(path, true).Trees(t.Context()) {
		for _, f := range tree.Findings {
			if !strings.Contains(f.Message, filepath.ToSlash(filepath.Join(base, "elsewhere"))) {
				t.Errorf("%s: got %q, want the real path named", f.Origin, f.Message)
			}
		}
		tree.Close()
	}
}

// TestField_DIS03 is a link checked out as a plain file, and one that dangles:
// both are named, the second with where it leads.
func TestField_DIS03(t *testing.T) {
	path := golden.Dir(t, golden.Files(
		"skills/x", "../../.claude/skills/x", "skills/y -> ../gone/y", "", "skills/z/SKILL.md", "../../other/SKILL.md",
		"skills/ok/SKILL.md", "---\ndescription: D.\n---\n",
	))
	for _, s := range []ext.Source{owner(path, true), owner(path, false), plugin(path)} {
		got := tell(t, s)
		if !strings.Contains(got, "[link-as-file skills/x]") || !strings.Contains(got, "skills/y!link-dangling") && !strings.Contains(got, "skills/y/SKILL.md!link-dangling") {
			t.Errorf("%s: got\n%s\nwant skills/x named as a link checked out as a file, and skills/y as dangling", s.Name(), got)
		}
		for tree := range s.Trees(t.Context()) {
			for _, p := range tree.Places {
				if p.Fault != nil && !strings.Contains(p.Fault.Message, filepath.ToSlash(path)+"/gone/y") {
					t.Errorf("%s: got %q, want where the link leads", p.File, p.Fault.Message)
				}
			}
			tree.Close()
		}
	}
}

// TestOwnerUnreadable wants a directory that may not be read to be told.
func TestOwnerUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	path := golden.Dir(t, golden.Files("skills/x/SKILL.md", "x"))
	if err := os.Chmod(filepath.Join(path, "skills/x"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(path, "skills/x"), 0o777) })
	if got := tell(t, owner(path, true)); !strings.Contains(got, "skills/x/SKILL.md!file-unreadable") {
		t.Errorf("Trees with a directory nobody may read: got %q, want it told", got)
	}
}

// TestPluginPacked wants a packed bundle to be told and not opened.
func TestPluginPacked(t *testing.T) {
	base := golden.Dir(t, golden.Files("acme.mcpb", "PK"))
	if got, want := tell(t, plugin(filepath.Join(base, "acme.mcpb"))), "acme mcpb plugin [bundle-packed ]"; got != want {
		t.Errorf("Trees: got %q, want %q", got, want)
	}
	if got, want := tell(t, plugin(filepath.Join(base, "gone.mcpb"))), "acme  plugin [source-missing ]"; got != want {
		t.Errorf("Trees of one that is not there: got %q, want %q", got, want)
	}
}

// TestPluginFolder wants a project's folder to be read by its name, and nothing
// that lies beside it.
func TestPluginFolder(t *testing.T) {
	base := golden.Dir(t, golden.Files(
		".claude/skills/a/SKILL.md", "a", ".mcp.json", `{"s": {"command": "s"}}`, ".cursor/rules/a.mdc", "Always.", "other/.claude/agents/x.md", "x",
	))
	for _, c := range []struct{ dir, want string }{
		{".claude", "acme claude-project plugin skills/a/SKILL.md=skills/a/SKILL.md [component-not-read ]"},
		{"other/.claude", "acme claude-project plugin agents/x.md=agents/x.md"},
		{".cursor", "acme cursor-project plugin rules/a.md=rules/a.mdc"},
	} {
		if got := tell(t, plugin(filepath.Join(base, filepath.FromSlash(c.dir)))); got != c.want {
			t.Errorf("Trees of %s: got %q, want %q", c.dir, got, c.want)
		}
	}
	p := plugin(filepath.Join(base, ".cursor"))
	p.Format = "claude-project"
	if got, want := tell(t, p), "acme claude-project plugin [files-not-read rules] [format-several ] [component-not-read ]"; got != want {
		t.Errorf("Trees of .cursor as claude-project: got %q, want %q", got, want)
	}
}
