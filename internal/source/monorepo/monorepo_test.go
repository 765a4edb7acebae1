package monorepo_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/monorepo"
	"github.com/mortise-dev/mortise/internal/source/sourcetest"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

var env = source.Env{Specs: spinetest.Specs, Limits: ext.DefaultLimits}

// at is a source over a working tree that must be there.
func at(dir string) *monorepo.Source {
	return &monorepo.Source{Dir: dir, Shown: "./design", Named: true, Env: env, Workers: 2}
}

const (
	agentBase = "from polymathera.colony.agents.base import Agent\n"
	serving   = "from polymathera.colony.distributed.ray_utils import serving\n"
	whole     = `{"schema_version": 2, "tenant": "t", "colony": "c", "program": "p", "target_system": "s", "design_repo_url": "u"}`
	factory   = "def mission_entry():\n    return {\"label\": \"L\", \"description\": \"D.\", \"coordinator_v1\": \"\", \"coordinator_v2\": \"a.B\", \"self_concept\": {\"description\": \"S\"}}\n"
	catalogue = `{"schema_version": 2, "tools": [
  {"name": "mesh", "purpose": "cad", "location": "subdir:tools/mesh", "capability": "mesh"},
  {"name": "solve", "purpose": "fea", "location": "subdir:tools/solve", "capability": "solve"}
]}`
)

func TestSource(t *testing.T) {
	sourcetest.Run(t, sourcetest.Case{
		Open: func(dir string) ext.Source { return at(dir) },
		Files: golden.Files(
			".colony/manifest.json", whole,
			".colony/plugins/b/SKILL.md", "---\nname: b\n---\n", ".colony/plugins/a/SKILL.md", "---\nname: a\n---\n", ".colony/plugins/none/x.md", "x",
			".colony/agents/z.py", agentBase+"class Z(Agent): pass\nclass Y(Z): pass\n", ".colony/agents/a.py", agentBase+"class A(Agent): pass\n",
			".colony/agents/broken.py", "class (:\n", ".colony/agents/c.PY", "", ".colony/agents/sub/d.py", "",
			".colony/deployments/d.py", serving+"@serving.deployment\nclass D: pass\n",
			".colony/tool-registry.json", catalogue,
			".colony/profiles/a.b.yaml", "k: on\n", ".colony/profiles/list.yml", "- x\n", ".colony/profiles/bad.yaml", "a: [\n",
			".colony/missions/m.py", factory, ".colony/missions/helper.py", "x = 1\n",
		),
		Want: []string{
			"monorepo monorepo project [directory-without-document .colony/plugins/none] [monorepo-not-read .colony/agents] [monorepo-not-read .colony/profiles] [mission-missing .colony/missions/helper.py]",
			"monorepo monorepo project skills/a/SKILL.md=.colony/plugins/a/SKILL.md",
			"monorepo monorepo project skills/b/SKILL.md=.colony/plugins/b/SKILL.md",
			"monorepo monorepo project agentclasses/A.json=.colony/agents/a.py",
			"monorepo monorepo project agentclasses/broken.json=.colony/agents/broken.py!python-unreadable",
			"monorepo monorepo project agentclasses/Z.json=.colony/agents/z.py agentclasses/Y.json=.colony/agents/z.py",
			"monorepo monorepo project deployments/D.json=.colony/deployments/d.py",
			"monorepo monorepo project toolspecs/mesh.json=.colony/tool-registry.json",
			"monorepo monorepo project toolspecs/solve.json=.colony/tool-registry.json",
			"monorepo monorepo project profiles/a.b.yaml=.colony/profiles/a.b.yaml",
			"monorepo monorepo project profiles/bad.yaml=.colony/profiles/bad.yaml!yaml-syntax",
			"monorepo monorepo project missions/m.json=.colony/missions/m.py",
		},
		Missing: sourcetest.Refused,
	})
}

// tell is what a source says of a working tree, a line for each tree.
func tell(t *testing.T, s ext.Source) string {
	t.Helper()
	var out []string
	for tree, err := range s.Trees(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, strings.TrimPrefix(sourcetest.Show(&tree), "monorepo monorepo project "))
		if tree.Close != nil {
			tree.Close()
		}
	}
	return strings.Join(out, "\n")
}

// found are the findings of a source, each in a line.
func found(t *testing.T, s ext.Source) (out []string) {
	t.Helper()
	for tree, err := range s.Trees(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range tree.Findings {
			out = append(out, f.String())
		}
		for _, p := range tree.Places {
			if p.Fault != nil {
				out = append(out, p.Fault.String())
			}
		}
		if tree.Close != nil {
			tree.Close()
		}
	}
	return out
}

// TestWalking are the rules of what is read in which directory (behaviours 28 to 33, 46, 50,
// 98): flat, by exact endings, in the order of the names' bytes.
func TestWalking(t *testing.T) {
	agent := func(name string) string { return agentBase + "class " + name + "(Agent): pass\n" }
	for _, c := range []struct {
		name  string
		files []string
		want  string
	}{
		{"28 no .colony", []string{"README", "x"}, "monorepo monorepo project"},
		{"29 empty directories", []string{".colony/plugins/", "", ".colony/agents/", "", ".colony/deployments/", "", ".colony/tools/", "", ".colony/profiles/", "", ".colony/missions/", ""}, "monorepo monorepo project"},
		{"30 another directory", []string{
			".colony/manifest.json", strings.Replace(whole, "}", `, "extensions": {"agents": {"directory": "vendor/agents/"}}}`, 1),
			"vendor/agents/a.py", agent("A"), ".colony/agents/b.py", agent("B"),
		}, "agentclasses/A.json=vendor/agents/a.py"},
		{"31 names", []string{
			".colony/agents/.h.py", agent("H"), ".colony/agents/__init__.py", agent("I"), ".colony/agents/_p.py", agent("P"), ".colony/agents/.py", agent("E"),
			".colony/agents/c.PY", agent("C"), ".colony/agents/d.pyi", agent("D"), ".colony/agents/sub/x.py", agent("X"), ".colony/agents/__pycache__/p.py", "",
		}, "[monorepo-not-read .colony/agents]\nagentclasses/H.json=.colony/agents/.h.py\nagentclasses/E.json=.colony/agents/.py\nagentclasses/I.json=.colony/agents/__init__.py\nagentclasses/P.json=.colony/agents/_p.py"},
		{"32 a class twice", []string{".colony/agents/b.py", agent("A"), ".colony/agents/b-x.py", agent("A"), ".colony/agents/B.py", agent("A")},
			"agentclasses/A.json=.colony/agents/B.py!monorepo-name-twice\nagentclasses/A.json=.colony/agents/b-x.py!monorepo-name-twice\nagentclasses/A.json=.colony/agents/b.py"},
		{"33 a file", []string{".colony/agents", "x"}, "[monorepo-directory-file .colony/manifest.json]"},
		{"directories and links that are called like files", []string{".colony/agents/x.py/y", "", ".colony/agents/gone.py -> nowhere", "", ".colony/agents/out.py -> ../../../outside.py", ""},
			"agentclasses/gone.json=.colony/agents/gone.py!link-dangling\nagentclasses/out.json=.colony/agents/out.py!link-escape\nagentclasses/x.json=.colony/agents/x.py!location-kind"},
		{"46 50 profiles", []string{".colony/profiles/a.b.yaml", "x: 1", ".colony/profiles/.yaml", "x: 1", ".colony/profiles/c.yml", "x: 1", ".colony/profiles/D.YAML", "x: 1"},
			"[monorepo-not-read .colony/profiles]\nprofiles/.yaml=.colony/profiles/.yaml\nprofiles/a.b.yaml=.colony/profiles/a.b.yaml"},
		{"skills that are none", []string{
			".colony/plugins/SKILL.md", "x", ".colony/plugins/a/skill.md", "x", ".colony/plugins/b/c/SKILL.md", "x",
			".colony/plugins/p/.claude-plugin/plugin.json", "[]", ".colony/plugins/p/skills/s/SKILL.md", "x", ".colony/plugins/.dot/SKILL.md", "---\nname: d\n---\n",
		}, "[monorepo-not-read .colony/plugins/a] [monorepo-not-read .colony/plugins/b] [monorepo-packaged .colony/plugins/p] [monorepo-not-read .colony/plugins]\nskills/.dot/SKILL.md=.colony/plugins/.dot/SKILL.md"},
		{"98 tools without entries", []string{".colony/tools/x.py", "x"}, "[catalogue-unlisted .colony/tool-registry.json]"},
		{"99 a tool twice", []string{".colony/tool-registry.json", `{"tools": [{"name": "a", "purpose": "x", "location": "", "capability": ""}, {"name": "a", "purpose": "y", "location": "", "capability": ""}]}`},
			"toolspecs/a.json=.colony/tool-registry.json!monorepo-name-twice\ntoolspecs/a.json=.colony/tool-registry.json"},
		{"92 an entry that is none", []string{".colony/tool-registry.json", `{"schema_version": 2, "tools": [{"name": "a", "purpose": "x", "location": "", "capability": ""}, {"name": "b"}, 3]}`},
			"toolspecs/a.json=.colony/tool-registry.json\ntoolspecs/b.json=.colony/tool-registry.json!catalogue-entry\ntoolspecs/line-1.json=.colony/tool-registry.json!catalogue-entry"},
		{"90 a catalogue of a later version", []string{".colony/tool-registry.json", `{"schema_version": 3, "tools": []}`}, "[catalogue-file .colony/tool-registry.json]"},
		{"91 tools that are no list", []string{".colony/tool-registry.json", `{"schema_version": 2, "tools": {}}`}, "[catalogue-file .colony/tool-registry.json]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := golden.Dir(t, golden.Files(c.files...))
			if got := tell(t, at(dir)); got != c.want {
				t.Errorf("Trees: got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestManifest wants one that is broken to be one error finding, the same each time, and
// the defaults to be in force (behaviour 107).
func TestManifest(t *testing.T) {
	agent := agentBase + "class A(Agent): pass\n"
	for _, c := range []struct{ name, manifest, want string }{
		{"no JSON", "{", "monorepo:.colony/manifest.json:1: error:"},
		{"a list", "[]", "monorepo:.colony/manifest.json:1: error:"},
		{"another key", strings.Replace(whole, "{", `{"a": 1, `, 1), "monorepo:.colony/manifest.json:1: error:"},
		{"a version that is text", strings.Replace(whole, "2", `"2"`, 1), "monorepo:.colony/manifest.json:1: error:"},
		{"a later version", strings.Replace(whole, "2", "101", 1), "newer than this build"},
		{"several faults", "{\n\"a\": 1,\n\"b\": 2}", "monorepo:.colony/manifest.json:2: error:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := at(golden.Dir(t, golden.Files(".colony/manifest.json", c.manifest, ".colony/agents/a.py", agent)))
			first, again := found(t, s), found(t, s)
			if len(first) != 1 || !strings.Contains(first[0], c.want) || !slices.Equal(first, again) {
				t.Errorf("findings: got %q, then %q, want one that has %q, twice", first, again, c.want)
			}
			if got := tell(t, s); !strings.HasSuffix(got, "agentclasses/A.json=.colony/agents/a.py") {
				t.Errorf("Trees: got\n%s\nwant the agent of the default directory", got)
			}
		})
	}
}

// TestDirectoriesThatLeave wants a directory that leaves the repository refused, by its name
// and through links, and the other surfaces read.
func TestDirectoriesThatLeave(t *testing.T) {
	for _, c := range []struct{ name, directory, link, want string }{
		{"upwards", "../outside", "", "leads upwards"},
		{"upwards and back", "x/../../design/.colony/agents", "", "leads upwards"},
		{"absolute", "/tmp", "", "is absolute"},
		{"the repository", "", "", "names the repository itself"},
		{"git's", ".git/hooks", "", "lies in git's own directory"},
		{"git's through a link", "x/g/agents", "design/x/g -> ../.git", "lies in git's own directory"},
		{"through a link", "out", "design/out -> ../outside", "leads out of the repository through a link"},
		{"through a link on the way", "out/agents", "design/out -> ../outside", "leads out of the repository through a link"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := golden.Files(
				"outside/agents/a.py", agentBase+"class A(Agent): pass\n", "outside/a.py", agentBase+"class A(Agent): pass\n",
				"design/.colony/manifest.json", strings.Replace(whole, "}", `, "extensions": {"agents": {"directory": "`+c.directory+`"}}}`, 1),
				"design/.colony/profiles/p.yaml", "a: 1\n", "design/.git/agents/a.py", agentBase+"class A(Agent): pass\n",
			)
			if c.link != "" {
				files = append(files, golden.Files(c.link, "")...)
			}
			s := at(filepath.Join(golden.Dir(t, files), "design"))
			if got := found(t, s); len(got) != 1 || !strings.Contains(got[0], c.want) || !strings.Contains(got[0], "error") {
				t.Errorf("findings: got %q, want one error that says that it %s", got, c.want)
			}
			if got := tell(t, s); !strings.HasSuffix(got, "\nprofiles/p.yaml=.colony/profiles/p.yaml") || strings.Contains(got, "A.json") {
				t.Errorf("Trees: got\n%s\nwant the profile and no agent", got)
			}
		})
	}
	base := golden.Dir(t, golden.Files("outside/agents/a.py", agentBase+"class A(Agent): pass\n", "design/x", "", "design/.colony -> ../outside", ""))
	if got := tell(t, at(filepath.Join(base, "design"))); got != "[link-escape .colony]" {
		t.Errorf("Trees of a .colony that is a link to the outside: got %s, want it refused", got)
	}
}

// TestLinksIntoGit wants nothing read of what lies in git's own directory, whichever link
// leads there: nobody commits it, and it would be served.
func TestLinksIntoGit(t *testing.T) {
	s := at(filepath.Join(golden.Dir(t, golden.Files(
		"design/.git/a.py", agentBase+"class A(Agent): pass\n", "design/.git/p.yaml", "a: 1\n", "design/.git/s/SKILL.md", "---\nname: s\n---\n",
		"design/.colony/agents/a.py -> ../../.git/a.py", "", "design/.colony/profiles/p.yaml -> ../../.git/p.yaml", "",
		"design/.colony/plugins/s -> ../../.git/s", "", "design/.colony/plugins/k/SKILL.md -> ../../../.git/s/SKILL.md", "",
		"design/.colony/profiles/q.yaml", "a: 1\n",
	)), "design"))
	got := tell(t, s)
	if n := strings.Count(got, "!link-escape"); n != 4 || !strings.Contains(got, "profiles/q.yaml=.colony/profiles/q.yaml") || strings.Contains(got, "A.json") {
		t.Errorf("Trees: got\n%s\nwant four refused, and the profile that is no link", got)
	}
}

// TestUnavailable wants a working tree that is named and not checked out to be told, and
// never taken for an empty one; one that nobody named is no monorepo.
func TestUnavailable(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
	}{
		{"missing", []string{"x", ""}},
		{"a file", []string{"design", "x"}},
		{"empty", []string{"design/", ""}},
		{"not checked out", []string{"design/.git/HEAD", "ref: refs/heads/main\n"}},
		{"a link to nothing", []string{"design -> gone", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := at(filepath.Join(golden.Dir(t, golden.Files(c.files...)), "design"))
			if got := tell(t, s); got != "[monorepo-unavailable ]" {
				t.Errorf("Trees: got %q, want it unavailable", got)
			}
			for tree := range s.Trees(t.Context()) {
				if tree.Root != "" || !tree.Findings.Failed() {
					t.Errorf("tree: got the root %q and findings %v, want no root, so that nobody keeps it, and an error", tree.Root, tree.Findings)
				}
			}
			if s.Named = false; c.name != "a file" && c.name != "a link to nothing" && tell(t, s) != "" {
				t.Errorf("Trees, not named: got %q, want nothing", tell(t, s))
			}
		})
	}
}

// TestWatch wants what is watched to be less than the working tree, unless links may lead
// anywhere in it.
func TestWatch(t *testing.T) {
	dir := golden.Dir(t, golden.Files(".colony/manifest.json", strings.Replace(whole, "}", `, "extensions": {"agents": {"directory": "vendor/agents"}}}`, 1), "vendor/agents/a.py", "", "big/x", ""))
	watched := func() (out []string) {
		for tree := range at(dir).Trees(t.Context()) {
			out = tree.Watch
			tree.Close()
		}
		return out
	}
	want := []string{filepath.Join(dir, ".colony"), filepath.Join(dir, "vendor", "agents")}
	if got := watched(); !slices.Equal(got, want) {
		t.Errorf("Watch: got %q, want %q", got, want)
	}
	if err := os.Symlink("../../big/x", filepath.Join(dir, "vendor/agents/l.py")); err != nil {
		t.Fatal(err)
	}
	if got := watched(); got != nil {
		t.Errorf("Watch with a link: got %q, want all of the working tree", got)
	}
}

// TestLaw02_Nothing_of_a_monorepo_runs lays files that would write a marker when they are
// run, imported or expanded.
func TestLaw02_Nothing_of_a_monorepo_runs(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "ran")
	python := "import os, sys\nopen(" + `"` + filepath.ToSlash(marker) + `", "w").write("x")` + "\nos.system('touch " + filepath.ToSlash(marker) + "')\n"
	dir := golden.Dir(t, golden.Files(
		".colony/agents/a.py", agentBase+python+"class A(Agent): pass\nsys.exit(1)\n",
		".colony/deployments/d.py", serving+python+"@serving.deployment(name=open('"+filepath.ToSlash(marker)+"', 'w'))\nclass D: pass\n",
		".colony/missions/m.py", python+factory, ".colony/missions/n.py", "def mission_entry():\n    import sys\n    sys.exit(1)\n",
		".colony/profiles/p.yaml", "a: !!python/object/apply:os.system ['touch "+filepath.ToSlash(marker)+"']\n",
		".colony/plugins/s/SKILL.md", "---\nname: s\nscript: \"$(touch "+filepath.ToSlash(marker)+")\"\n---\n!`touch "+filepath.ToSlash(marker)+"`\n",
		".colony/__init__.py", python, ".colony/agents/__init__.py", python, "conftest.py", python,
	))
	got := tell(t, at(dir))
	for _, want := range []string{"agentclasses/A.json=", "deployments/D.json=", "missions/m.json=", "profiles/p.yaml=.colony/profiles/p.yaml!yaml-tag-unknown", "[mission-unresolved .colony/missions/n.py]"} {
		if !strings.Contains(got, want) {
			t.Errorf("Trees: got\n%s\nwant %s", got, want)
		}
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("something of the monorepo was run")
	}
}
