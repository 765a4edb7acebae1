package roots_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/source/dir"
	"github.com/mortise-dev/mortise/internal/source/roots"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// TestLooseIsAsNamed looks at directories without a manifest in two ways: by a
// search, and as one that somebody named. Both find the same, or the search says
// in one finding what it left out.
func TestLooseIsAsNamed(t *testing.T) {
	const skill, hooks = "---\nname: a\ndescription: d\n---\n", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "c"}]}]}}`
	for _, c := range []struct {
		name  string
		files []string
		left  string // what the search says that it left out; "" for nothing
	}{
		{"text", []string{"x/skills/a/SKILL.md", skill, "x/agents/b.md", skill, "x/rules/r.md", "r", "x/prompts/p.md", "p"}, ""},
		{"servers", []string{"x/commands/c.md", "c", "x/mcp.json", `{"mcpServers": {"s": {"command": "s"}}}`}, ""},
		{"a client's servers", []string{"x/skills/a/SKILL.md", skill, "x/.mcp.json", `{"s": {"command": "s"}}`}, ""},
		{"hooks", []string{"x/skills/a/SKILL.md", skill, "x/hooks/hooks.json", hooks, "x/hooks/run.sh", "x"}, ""},
		{"hooks that are at fault", []string{"x/skills/a/SKILL.md", skill, "x/hooks/hooks.json", "{"}, ""},
		{"a folder of skills", []string{"x/a/SKILL.md", skill, "x/b/SKILL.md", skill, "x/notes/n.md", "n"}, ""},
		{"a folder of skills that are called as components are", []string{"x/hooks/SKILL.md", skill, "x/hooks/run.py", "x", "x/tools/SKILL.md", skill, "x/rules/SKILL.md", skill}, ""},
		{"one skill", []string{"x/SKILL.md", skill, "x/scripts/run.py", "x"}, ""},
		{"hooks of another layout", []string{"x/skills/a/SKILL.md", skill, "x/hooks/log/hooks.json", hooks, "x/hooks/deny/hooks.json", hooks, "x/hooks/deny/README.md", "r"},
			`a search leaves out "hooks" (2 documents)`},
		{"hooks of both", []string{"x/skills/a/SKILL.md", skill, "x/hooks/hooks.json", hooks, "x/hooks/before_tool_call/g.json", "{}"}, `a search leaves out "hooks" (1 document)`},
		{"the hooks of a web page", []string{"x/skills/a/SKILL.md", skill, "x/hooks/useThing.ts", "x"}, `a search leaves out "hooks"`},
		{"tools of any project", []string{"x/agents/b.md", skill, "x/tools/build.py", "x", "x/resources/logo.png", "x", "x/resources/r.json", "{}"},
			`a search leaves out "resources" (1 document), "tools"`},
		{"components of other formats", []string{"x/agents/b.md", skill, "x/instructions/i.instructions.md", "i", "x/workflows/w.md", "w", "x/workflows/ci.yml", "on: push", "x/hooks.json", hooks},
			`a search leaves out "hooks.json", "instructions" (1 document), "workflows" (1 document)`},
		{"a guard", []string{"x/skills/a/SKILL.md", skill, "x/hooks/before_tool_call/g.json", "{}"}, `a search leaves out "hooks" (1 document)`},
		{"parts of a skill", []string{"x/SKILL.md", skill, "x/rules/r.md", "r", "x/resources/r.md", "r"}, `a search leaves out "resources" (1 document), "rules" (1 document)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(golden.Dir(t, golden.Files(c.files...)), "x")
			named := one(t, &dir.Plugin{
				Extension: "x", Dir: path, Shown: "./x", Trust: ext.Plugin, Formats: bridge.Formats, Loose: bridge.Loose,
				Env: source.Env{Specs: spinetest.Specs, Limits: ext.DefaultLimits},
			})
			found := one(t, below(path))
			left := said(&found, source.Unsearched)
			if left != c.left {
				t.Errorf("left out: got %q, want %q", left, c.left)
			}
			if found.Findings.Failed() {
				t.Errorf("Trees: got the findings %v, want no error", found.Findings)
			}
			for _, p := range places(&found) {
				if !slices.Contains(places(&named), p) {
					t.Errorf("the search finds %s, and the directory that is named does not hold it", p)
				}
			}
			for _, p := range places(&named) {
				if !slices.Contains(places(&found), p) && !strings.Contains(left, ext.Quote(top(p))) {
					t.Errorf("the directory that is named holds %s; the search neither finds nor tells it: %q", p, left)
				}
			}
			if left == "" && codes(&found) != codes(&named) {
				t.Errorf("the search tells %s, and of the directory that is named is told %s", codes(&found), codes(&named))
			}
		})
	}
}

// one is the only tree of a source.
func one(t *testing.T, s ext.Source) (out ext.Tree) {
	t.Helper()
	n := 0
	for tree, err := range s.Trees(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if tree.Close != nil {
			t.Cleanup(tree.Close)
		}
		out = tree
		n++
	}
	if n != 1 {
		t.Fatalf("Trees of %s: got %d trees, want one", s.Name(), n)
	}
	return out
}

// places are what a tree holds, each as its file and what it is.
func places(tree *ext.Tree) (out []string) {
	for i := range tree.Places {
		p := &tree.Places[i]
		fault := ""
		if p.Fault != nil {
			fault = " at fault: " + p.Fault.Check.Code
		}
		out = append(out, p.File+" as "+p.Surface+" "+p.Dialect+fault)
	}
	return out
}

func top(place string) string {
	first, _, _ := strings.Cut(place, " ")
	first, _, _ = strings.Cut(first, "/")
	return first
}

// said is the message of a check; "" when it found nothing, or more than one thing.
func said(tree *ext.Tree, check *ext.Check) (message string) {
	n := 0
	for _, f := range tree.Findings {
		if f.Check == check {
			message = f.Message
			n++
		}
	}
	if n != 1 {
		return ""
	}
	return message
}

func codes(tree *ext.Tree) string {
	var out []string
	for _, f := range tree.Findings {
		out = append(out, f.Check.Code+" "+f.Origin.Path)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// TestPluginIsNoSkillOfItsParent has plugins that are a skill each. The directory
// around them is none for their sake, and beside a skill of its own it leaves
// them out.
func TestPluginIsNoSkillOfItsParent(t *testing.T) {
	const skill, manifest = "---\nname: a\ndescription: d\n---\n", `{"name": "sole"}`
	for _, c := range []struct {
		name  string
		files []string
		want  []string
	}{
		{"nothing else", []string{"sole/.claude-plugin/plugin.json", manifest, "sole/SKILL.md", skill},
			[]string{"sole claude-code plugin skills/sole/SKILL.md=SKILL.md"}},
		{"a skill beside it", []string{"sole/.claude-plugin/plugin.json", manifest, "sole/SKILL.md", skill, "other/SKILL.md", skill},
			[]string{"r loose plugin skills/other/SKILL.md=other/SKILL.md", "sole claude-code plugin skills/sole/SKILL.md=SKILL.md"}},
		{"one in skills/, where it says that it is one", []string{"skills/sole/.claude-plugin/plugin.json", manifest, "skills/sole/SKILL.md", skill},
			[]string{"r loose plugin skills/sole/SKILL.md=skills/sole/SKILL.md", "sole claude-code plugin skills/sole/SKILL.md=SKILL.md"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := 0; i < len(c.files); i += 2 {
				c.files[i] = "r/" + c.files[i]
			}
			if got := shown(t, golden.Dir(t, golden.Files(c.files...))+"/r"); !slices.Equal(got, c.want) {
				t.Errorf("Trees: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// TestSkillsByTheNamesOfComponents wants what lies in a skill to be the skill's,
// whatever the skill is called.
func TestSkillsByTheNamesOfComponents(t *testing.T) {
	const skill = "---\nname: a\ndescription: d\n---\n"
	base := golden.Dir(t, golden.Files(
		"x/hooks/SKILL.md", skill, "x/hooks/run.py", "x", "x/rule/SKILL.md", skill, "x/rules/SKILL.md", skill, "x/rules/more.md", "m", "x/tools/SKILL.md", skill,
	))
	want := []string{"x loose plugin skills/hooks/SKILL.md=hooks/SKILL.md skills/rule/SKILL.md=rule/SKILL.md skills/rules/SKILL.md=rules/SKILL.md skills/tools/SKILL.md=tools/SKILL.md"}
	if got := shown(t, base+"/x"); !slices.Equal(got, want) {
		t.Errorf("Trees: got %q, want %q", got, want)
	}
}

// TestLooseBesideFolders wants a directory of skills to say nothing of the folders
// that clients have there, and of the file that is read with one: each is found
// for itself.
func TestLooseBesideFolders(t *testing.T) {
	base := golden.Dir(t, golden.Files(
		"x/skills/a/SKILL.md", "a", "x/.agents/skills/b/SKILL.md", "b", "x/.claude/agents/c.md", "c", "x/.mcp.json", `{"s": {"command": "s"}}`,
	))
	want := []string{
		"x loose plugin skills/a/SKILL.md=skills/a/SKILL.md",
		"agents agents-project plugin skills/b/SKILL.md=skills/b/SKILL.md",
		"claude claude-project plugin agents/c.md=agents/c.md ../.mcp.json=../.mcp.json",
	}
	if got := shown(t, base+"/x"); !slices.Equal(got, want) {
		t.Errorf("Trees: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestFileWithoutItsFolder has a project that declares servers for a client, and
// keeps no folder for it: nothing is read, and that is told. In an extension such
// a file is anybody's.
func TestFileWithoutItsFolder(t *testing.T) {
	const servers = `{"mcpServers": {"s": {"command": "s"}}}`
	base := golden.Dir(t, golden.Files(
		".mcp.json", servers, "AGENTS.md", "x", "go/.mcp.json", servers, "full/.mcp.json", servers, "full/.claude/agents/a.md", "x",
		"plug/.claude-plugin/plugin.json", `{"name": "plug"}`, "plug/examples/.mcp.json", servers,
	))
	got := shown(t, base)
	want := []string{
		"claude claude-project plugin agents/a.md=agents/a.md ../.mcp.json=../.mcp.json",
		"plug claude-code plugin",
		string(source.NameOf("", base)) + " claude-project plugin [project-file-alone .mcp.json]",
		"go claude-project plugin [project-file-alone .mcp.json]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("Trees: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestBesideTheBase searches a project's folder itself. What lies beside it is not
// read, as where the folder is named; and since it is told, a search that is
// remembered holds only while it is as it was.
func TestBesideTheBase(t *testing.T) {
	dir := golden.Dir(t, golden.Files("with/.claude/agents/a.md", "x", "with/.mcp.json", "{}", "without/.claude/agents/a.md", "x"))
	for _, c := range []struct{ dir, want string }{
		{"with", "claude claude-project plugin agents/a.md=agents/a.md [component-not-read ]"},
		{"without", "claude claude-project plugin agents/a.md=agents/a.md"},
	} {
		s := below(filepath.Join(dir, c.dir, ".claude")).(*roots.Source)
		s.Open.Trace = true
		tree := one(t, s)
		if got := show(&tree); got != c.want {
			t.Errorf("Trees of %s/.claude: got %q, want %q", c.dir, got, c.want)
		}
		around, err := filepath.EvalSymlinks(filepath.Join(dir, c.dir))
		if err != nil {
			t.Fatal(err)
		}
		looked := false
		for _, stamp := range s.Trace() {
			looked = looked || stamp.Path == filepath.Join(around, ".mcp.json")
		}
		if !looked {
			t.Errorf("Trace of %s/.claude: got %v, want the file beside it among them", c.dir, s.Trace())
		}
	}
}

// TestLinkForManifest has a manifest that is a link checked out as a plain file:
// that is what is told, and not that it is no JSON.
func TestLinkForManifest(t *testing.T) {
	base := golden.Dir(t, golden.Files("a/skills/x/plugin.json", "../../.claude-plugin/plugin.json\n", "a/skills/x/SKILL.md", "x", "b/.claude-plugin/plugin.json", "{ ../.."))
	want := []string{
		"a loose plugin skills/x/SKILL.md=skills/x/SKILL.md",
		"x agent-plugins/1.0.0 plugin [link-for-document plugin.json]",
		"b claude-code plugin [json-syntax .claude-plugin/plugin.json]",
	}
	if got := shown(t, base); !slices.Equal(got, want) {
		t.Errorf("Trees: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
