package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/spinetest"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/agent"
	"github.com/mortise-dev/mortise/internal/surface/command"
	"github.com/mortise-dev/mortise/internal/surface/server"
	"github.com/mortise-dev/mortise/internal/surface/skill"
)

// serverOf is the one server of an extension.
func serverOf(t *testing.T, s *session.Session, name ext.Name) server.Server {
	t.Helper()
	for _, e := range s.Servers {
		if e.Extension == name {
			return e.Value
		}
	}
	t.Fatalf("the session holds no server of %s", name)
	return server.Server{}
}

// TestAgentPlugins_24_Declared_values_stay_literal holds what a declaration can
// hold of requirement 24: nothing is replaced before a server is started, and
// where nothing may be replaced a placeholder is no placeholder.
func TestAgentPlugins_24_Declared_values_stay_literal(t *testing.T) {
	const text = "${PLUGIN_ROOT} $PLUGIN_DATA ${PLUGIN_DATA}/x ${OTHER} %PATH% ~ $${PLUGIN_ROOT} ${${PLUGIN_ROOT}}"
	dir := golden.Dir(t, golden.Files(
		"acme/plugin.json", `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "acme"}`,
		"acme/mcp.json", `{"$schema": "`+server.Schema+`", "mcpServers": {
			"s": {"type": "stdio", "command": "s", "args": ["`+text+`", ""], "env": {"${PLUGIN_ROOT}": "`+text+`"}, "cwd": "${PLUGIN_DATA}/x"},
			"h": {"type": "sse", "url": "https://example.com/${PLUGIN_ROOT}", "headers": {"X-A": "`+text+`"}},
			"c": {"type": "stdio", "command": "${PLUGIN_ROOT}"}
		}}`,
	))
	c, ds := spinetest.Compose(t, dir, nil, spinetest.Used(), spinetest.Options{})
	servers := compose.Of(c, server.Surface)
	if len(servers) != 2 || ds[0].Incomplete() != 1 {
		t.Fatalf("got %d servers, %d at fault, want s and h, and c at fault: a command is never expanded", len(servers), ds[0].Incomplete())
	}
	s, h := servers[0].Value, servers[1].Value
	for what, got := range map[string]string{"args": s.Args[0], "env": s.Env[0].Value, "headers": h.Headers[0].Value} {
		if got != text {
			t.Errorf("%s: got %q, want %q as it is written", what, got, text)
		}
	}
	if s.Cwd != "${PLUGIN_DATA}/x" || s.Env[0].Name != "${PLUGIN_ROOT}" || h.URL != "https://example.com/${PLUGIN_ROOT}" {
		t.Errorf("cwd %q, a variable's name %q, url %q: want them as they are written", s.Cwd, s.Env[0].Name, h.URL)
	}
}

// TestField_DIS04 is a plugin with two server files that disagree. One format is
// read, which one does not depend on anything but the order of preference, and
// it is said that there is another; an unknown word for a transport is a fault
// of its entry alone.
func TestField_DIS04(t *testing.T) {
	files := golden.Files(
		"acme/plugin.json", `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "acme"}`,
		"acme/mcp.json", `{"$schema": "`+server.Schema+`", "mcpServers": {
			"mail": {"type": "streamable-http", "url": "https://one.example.com/mcp"},
			"odd": {"type": "http", "url": "https://odd.example.com/mcp"}}}`,
		"acme/.claude-plugin/plugin.json", `{"name": "acme"}`,
		"acme/.mcp.json", `{"mcpServers": {"mail": {"type": "http", "url": "https://two.example.com/mcp"}}}`,
		"acme/skills/s/SKILL.md", "---\nname: s\ndescription: S.\n---\n",
	)
	reversed := slices.Clone(files)
	slices.Reverse(reversed)
	for _, in := range [][]txtar.File{files, reversed} {
		c, ds := spinetest.Compose(t, golden.Dir(t, in), nil, spinetest.Used(), spinetest.Options{})
		servers := compose.Of(c, server.Surface)
		if len(servers) != 1 || servers[0].Value.URL != "https://one.example.com/mcp" || servers[0].Value.Transport != server.HTTP {
			t.Errorf("servers: got %+v, want mail of mcp.json alone", servers)
		}
		if got := ds[0].Findings(); len(got) != 3 || !strings.Contains(got[0].Message, "server file of another client") || !strings.Contains(got[1].Message, "claude-code") || !strings.Contains(got[2].String(), "(formats-disagree)") {
			t.Errorf("findings of the plugin: got %v, want that its other server file is not read, that it is laid out as claude-code too, and where the two disagree", got)
		}
		for _, con := range ds[0].Contributions() {
			if odd := con.Name == "odd"; odd != con.Findings.Failed() {
				t.Errorf("%s: got %v, want an error for the unknown transport, on that entry only", con.Name, con.Findings)
			}
		}
	}
}

// TestField_PAR01 is a description with a colon and a blank in it, among twenty
// skills that are right: it is loaded, or listed as refused with file, line and
// reason, and the totals add up.
func TestField_PAR01(t *testing.T) {
	files := golden.Files("acme/skills/flags/SKILL.md", "---\nname: flags\ndescription: Runs checks. Flags: --all, --deep\n---\n")
	for i := range 20 {
		files = append(files, golden.Files(fmt.Sprintf("acme/skills/s%02d/SKILL.md", i), "---\ndescription: Right.\n---\n")...)
	}
	c, ds := spinetest.Compose(t, golden.Dir(t, files), nil, spinetest.Used(), spinetest.Options{})
	loaded, refused := len(compose.Of(c, skill.Surface)), ds[0].Incomplete()
	if all := len(ds[0].Contributions()); all != 21 || loaded+refused != all || loaded < 20 {
		t.Errorf("got %d entries, %d loaded and %d refused, want 21 in all and 20 loaded at least", all, loaded, refused)
	}
	for _, con := range ds[0].Contributions() {
		if con.Name == "flags" && con.Status == admit.EntryRefused {
			f := con.Findings[0]
			if f.Origin.Path != "skills/flags/SKILL.md" || f.Origin.Line != 3 || f.Check.Severity != ext.Error {
				t.Errorf("flags is refused with %s, want an error at line 3 of its file", f)
			}
		}
	}
}

// TestField_PAR02 is a plugin with five skills of which four have something the
// matter: one rule for a missing name (the folder's), the others each reported
// with their path, and the plugin is not shown as whole.
func TestField_PAR02(t *testing.T) {
	ds := spinetest.Decide(t, golden.Dir(t, golden.Files(
		"acme/skills/good/SKILL.md", "---\nname: good\ndescription: Good.\n---\n",
		"acme/skills/one/SKILL.md", "---\ndescription: No name.\n---\n", "acme/skills/two/SKILL.md", "---\ndescription: No name either.\n---\n",
		"acme/skills/title/SKILL.md", "# Title\n", "acme/skills/open/SKILL.md", "---\nname: open\ndescription: Open.\n",
	)), spinetest.Used(), spinetest.Options{})
	if d := &ds[0]; d.Status() != admit.Admitted || d.Incomplete() != 2 || len(d.Contributions()) != 5 {
		t.Fatalf("got %s with %d of %d at fault, want it admitted with 2 of 5", d.Status(), d.Incomplete(), len(d.Contributions()))
	}
	for _, con := range ds[0].Contributions() {
		bad := con.Name == "title" || con.Name == "open"
		if bad != con.Findings.Failed() || bad && con.Findings[0].Origin.Path != "skills/"+con.Name+"/SKILL.md" {
			t.Errorf("%s: got %v, want an error with its path for title and open alone", con.Name, con.Findings)
		}
		if !bad && con.Value.(skill.Skill).Label != con.Name {
			t.Errorf("%s calls itself %q, want the folder's name", con.Name, con.Value.(skill.Skill).Label)
		}
	}
}

// TestField_PAR04 is a description over the limit once it is folded, and one
// under it that is over three thousand bytes: the first is loaded with a
// warning, the second without.
func TestField_PAR04(t *testing.T) {
	folded := strings.Repeat("  "+strings.Repeat("x", 180)+"\n", 6)
	dir := golden.Dir(t, golden.Files(
		"acme/skills/folded/SKILL.md", "---\nname: folded\ndescription: >-\n"+folded+"---\n",
		"acme/skills/wide/SKILL.md", "---\nname: wide\ndescription: "+strings.Repeat("字", 1020)+"\n---\n",
		"acme/skills/most/SKILL.md", "---\nname: most\ndescription: "+strings.Repeat("字", 1024)+"\n---\n",
		"acme/skills/over/SKILL.md", "---\nname: over\ndescription: "+strings.Repeat("字", 1025)+"\n---\n",
	))
	c, ds := spinetest.Compose(t, dir, nil, spinetest.Used(), spinetest.Options{})
	if n := len(compose.Of(c, skill.Surface)); n != 4 {
		t.Errorf("got %d skills loaded, want all 4", n)
	}
	for _, con := range ds[0].Contributions() {
		want := con.Name == "folded" || con.Name == "over"
		if got := len(con.Findings) == 1 && con.Findings[0].Check == surface.FieldLength; got != want || len(con.Findings) > 1 {
			t.Errorf("%s: got %v, want a warning about its length: %v", con.Name, con.Findings, want)
		}
	}
}

// TestField_PAR05 is a manifest whose "skills" holds objects: the error names
// file, field, what was expected and what was found, and once it is corrected
// the next reading is clean.
func TestField_PAR05(t *testing.T) {
	dir := golden.Dir(t, golden.Files(
		"acme/.claude-plugin/plugin.json", "{\n  \"name\": \"acme\",\n  \"version\": \"1.0.0\",\n  \"skills\": [{\"path\": \"./skills/a\"}]\n}\n",
		"acme/skills/a/SKILL.md", "---\nname: a\ndescription: A.\n---\n", "acme/commands/go.md", "Go.",
	))
	ds := spinetest.Decide(t, dir, spinetest.Used(), spinetest.Options{})
	if ds[0].Status() != admit.Refused || len(ds[0].Findings()) != 1 {
		t.Fatalf("got %s with %v, want it refused with one error", ds[0].Status(), ds[0].Findings())
	}
	f := ds[0].Findings()[0]
	if f.Origin.Path != ".claude-plugin/plugin.json" || f.Origin.Line != 4 || !strings.Contains(f.Message, `"skills"`) ||
		!strings.Contains(f.Message, "string") || !strings.Contains(f.Message, "an object") {
		t.Errorf("got %s, want the file, line 4, the field, the expected and the found type", f)
	}
	fixed := "{\n  \"name\": \"acme\",\n  \"version\": \"1.0.0\",\n  \"skills\": [\"./skills/a\"]\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "acme/.claude-plugin/plugin.json"), []byte(fixed), 0o666); err != nil {
		t.Fatal(err)
	}
	ds = spinetest.Decide(t, dir, spinetest.Used(), spinetest.Options{})
	if ds[0].Status() != admit.Admitted || len(ds[0].Findings()) != 0 || len(ds[0].Contributions()) != 2 {
		t.Errorf("corrected at the same version: got %s with %v and %d entries, want it admitted with 2", ds[0].Status(), ds[0].Findings(), len(ds[0].Contributions()))
	}
}

// TestField_PAR08 is a folder of skills with ordinary documents and one flat
// file that has a skill's front matter: one hint, for that file.
func TestField_PAR08(t *testing.T) {
	ds := spinetest.Decide(t, golden.Dir(t, golden.Files(
		"acme/skills/README.md", "# Skills\n", "acme/skills/notes.md", "Notes.\n",
		"acme/skills/patterns.md", "---\nname: patterns\ndescription: A flat file.\n---\n", "acme/skills/ok/SKILL.md", "---\nname: ok\ndescription: OK.\n---\n",
	)), spinetest.Used(), spinetest.Options{})
	fs := ds[0].Findings()
	if len(fs) != 1 || fs[0].Origin.Path != "skills/patterns.md" || fs[0].Check.Severity != ext.Warning || !strings.Contains(fs[0].Fix(), "directory of its own") {
		t.Errorf("got %v, want one hint that skills/patterns.md needs its own directory", fs)
	}
}

// TestField_NAM02 is two plugins with an agent of one name: both are usable by
// their qualified names, the bare name is ambiguous and says so, and nothing
// else is the matter.
func TestField_NAM02(t *testing.T) {
	c, ds := spinetest.Compose(t, golden.Dir(t, golden.Files(
		"one/.claude-plugin/plugin.json", `{"name": "one"}`, "one/agents/code-reviewer.md", "---\nname: code-reviewer\ndescription: One.\nmodel: small\n---\nOne.",
		"two/.claude-plugin/plugin.json", `{"name": "two"}`, "two/agents/code-reviewer.md", "---\nname: code-reviewer\ndescription: Two.\nmodel: large\n---\nTwo.",
		"two/agents/other.md", "---\ndescription: Other.\n---\nOther.",
	)), nil, spinetest.Used(), spinetest.Options{})
	models := map[string]string{}
	for _, a := range compose.Of(c, agent.Surface) {
		models[a.Qualified] = a.Value.Model
	}
	if len(models) != 3 || models["one:code-reviewer"] != "small" || models["two:code-reviewer"] != "large" {
		t.Errorf("agents: got %v, want both reviewers and the other", models)
	}
	if got := c.Resolve(agent.Surface.Spec, "code-reviewer"); len(got) != 2 || got[0].Qualified != "one:code-reviewer" || got[1].Qualified != "two:code-reviewer" {
		t.Errorf("code-reviewer stands for %v, want both candidates", got)
	}
	if fs := c.Findings(); len(fs) != 1 || fs[0].Check != compose.Ambiguous || !strings.Contains(fs[0].Message, "one:code-reviewer and two:code-reviewer") {
		t.Errorf("findings: got %v, want one that names both", fs)
	}
	for i := range ds {
		if ds[i].Status() != admit.Admitted || ds[i].Incomplete() != 0 {
			t.Errorf("%s is %s, want it admitted whole", ds[i].Tree().Extension, ds[i].Status())
		}
	}
}

// TestField_NAM03 is two plugins with a skill and a command of one name: all
// four are there, each with its origin, in every view of them.
func TestField_NAM03(t *testing.T) {
	var files []txtar.File
	for _, name := range []string{"ci", "jira"} {
		files = append(files, golden.Files(name+"/.claude-plugin/plugin.json", `{"name": "`+name+`"}`,
			name+"/skills/analyze/SKILL.md", "---\nname: analyze\ndescription: Of "+name+".\n---\n", name+"/commands/analyze.md", "Of "+name+".")...)
	}
	c, _ := spinetest.Compose(t, golden.Dir(t, files), nil, spinetest.Used(), spinetest.Options{})
	for _, spec := range []*surface.Spec{skill.Surface.Spec, command.Surface.Spec} {
		var got []string
		for _, e := range c.Entries(spec) {
			got = append(got, e.Qualified+" "+e.Origin.Source+" "+e.Description)
		}
		if want := []string{"ci:analyze path:./ci Of ci.", "jira:analyze path:./jira Of jira."}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", spec.Name, got, want)
		}
	}
	v := session.Resolve(c).View()
	if len(v.Skills) != 2 || len(v.Commands) != 2 || v.Skills[0].Extension != "ci" || v.Commands[1].Extension != "jira" {
		t.Errorf("the session: got %v and %v, want both of each with their extensions", v.Skills, v.Commands)
	}
}

// TestField_NAM06 is two plugins with files of one base name, guards among
// them: all are there, in an order that does not depend on the order in which
// the files were made.
func TestField_NAM06(t *testing.T) {
	files := golden.Files(
		"b/hooks/before_tool_call/check.json", `{"ref": {"driver": "process", "target": "./b"}}`, "b/prompts/tone.md", "B.",
		"a/hooks/before_tool_call/check.json", `{"ref": {"driver": "process", "target": "./a"}}`, "a/prompts/tone.md", "A.",
		"a/hooks/before_tool_call/also.json", `{"ref": {"driver": "process", "target": "./a2"}}`,
	)
	reversed := slices.Clone(files)
	slices.Reverse(reversed)
	want := []string{"a:also", "a:check", "b:check", "a:tone", "b:tone"}
	for _, in := range [][]txtar.File{files, reversed} {
		c, _ := spinetest.Compose(t, golden.Dir(t, in), nil, spinetest.Used(), spinetest.Options{})
		s := session.Resolve(c)
		var got []string
		for _, g := range s.Guards {
			got = append(got, g.Qualified)
		}
		for _, f := range s.Prompt {
			got = append(got, f.Qualified)
		}
		if !slices.Equal(got, want) {
			t.Errorf("guards and fragments: got %v, want %v", got, want)
		}
	}
}
