package monorepo

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
)

const (
	agentBase = "from polymathera.colony.agents.base import Agent\n"
	manifest  = `{"schema_version": 2, "tenant": "t", "colony": "c", "program": "p", "target_system": "s", "design_repo_url": "u"}`
	factory   = "def mission_entry():\n    return {\"label\": \"L\", \"description\": \"D.\", \"coordinator_v1\": \"\", \"coordinator_v2\": \"a.B\", \"self_concept\": {\"description\": \"S\"}}\n"
)

// files are one of each.
func files(more ...string) []string {
	return append([]string{
		".colony/plugins/s/SKILL.md", "---\nname: s\ntimeout_seconds: 5\n---\nDo it.\n",
		".colony/agents/a.py", agentBase + "class A(Agent): pass\n",
		".colony/deployments/d.py", "from polymathera.colony.distributed.ray_utils import serving\n@serving.deployment(name=\"Svc\")\nclass D: pass\n",
		".colony/tool-registry.json", `{"schema_version": 2, "tools": [{"name": "mesh", "purpose": "cad", "location": "subdir:t", "capability": "mesh"}]}`,
		".colony/profiles/p.yaml", "dense: on\nlimit: 1:30\n",
		".colony/missions/m.py", factory,
	}, more...)
}

// open is a working tree of files.
func open(t testing.TB, named ...string) *Monorepo {
	t.Helper()
	m, err := Open(golden.Dir(t, golden.Files(named...)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func read(t testing.TB, m *Monorepo) *Snapshot {
	t.Helper()
	s, err := m.Discover(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// settled is the snapshot once it is remembered, which what was written a moment ago is not.
func settled(t testing.TB, m *Monorepo) *Snapshot {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		if s := read(t, m); s == read(t, m) {
			return s
		}
	}
	t.Fatal("Discover twice without a change: got two snapshots for 30 seconds, want one")
	return nil
}

func (s *Snapshot) names() string {
	var out []string
	add := func(kind string, names []string) { out = append(out, kind+": "+strings.Join(names, " ")) }
	var skills []string
	for _, k := range s.Skills {
		skills = append(skills, k.Name)
	}
	add("skills", skills)
	add("agents", slices.Sorted(maps.Keys(s.Agents)))
	add("deployments", slices.Sorted(maps.Keys(s.Deployments)))
	add("tools", slices.Sorted(maps.Keys(s.Tools)))
	add("profiles", slices.Sorted(maps.Keys(s.Profiles)))
	add("missions", slices.Sorted(maps.Keys(s.Missions)))
	return strings.Join(out, "\n")
}

// TestDiscover reads one of each surface as typed values.
func TestDiscover(t *testing.T) {
	m := open(t, files()...)
	s := read(t, m)
	if got, want := s.names(), "skills: s\nagents: A\ndeployments: D\ntools: mesh\nprofiles: p\nmissions: m"; got != want {
		t.Errorf("Discover: got\n%s\nwant\n%s", got, want)
	}
	if len(s.Refused)+len(s.Unresolved)+len(s.Findings) != 0 {
		t.Errorf("Discover: got %v, %v, %v, want nothing refused, unresolved or found", s.Refused, s.Unresolved, s.Findings)
	}
	if k := s.Skills[0].Value; k.Label != "s" || k.Body != "Do it.\n" || k.Run.Timeout != 5 {
		t.Errorf("skill: got %+v, want what its front matter says", k)
	}
	if a := s.Agents["A"]; a.File != ".colony/agents/a.py" || a.Line != 2 || a.Value.Certainty != "certain" || len(a.Value.Evidence) == 0 || !slices.Equal(a.Value.Bases, []string{"Agent"}) {
		t.Errorf("agent: got %+v, want its place, its base and its evidence", a)
	}
	if d := s.Deployments["D"].Value; len(d.Arguments) != 1 || d.Arguments[0].Name != "name" || d.Arguments[0].Value.Text != "Svc" {
		t.Errorf("deployment: got %+v, want the argument of its decorator", d)
	}
	if got := s.Tools["mesh"].Value; got.Purpose != "cad" || !got.Stub() {
		t.Errorf("tool: got %+v, want the stub for cad", got)
	}
	p := s.Profiles["p"].Value
	if v := p.Values(); v["dense"] != true || v["limit"] != int64(90) {
		t.Errorf("profile: got %v, want the types of YAML 1.1", v)
	}
	if got := s.Missions["m"].Value; got.Label != "L" || got.Coordinator() != "a.B" || got.Policy != nil {
		t.Errorf("mission: got %+v, want what the factory returns", got)
	}
	if _, err := ParseSurface("agentz"); err == nil {
		t.Error("ParseSurface(agentz): got no error, want one (behaviour 34)")
	}
}

// TestIsolation wants whatever is wrong with one thing to cost itself alone: what makes the
// reference lose a surface, or all six, is one refused entry here, with its reason.
func TestIsolation(t *testing.T) {
	all := "skills: s\nagents: A\ndeployments: D\ntools: mesh\nprofiles: p\nmissions: m"
	for _, c := range []struct {
		name  string
		files []string
		code  string // of what is refused, or found
	}{
		{"a file that ends the program", []string{".colony/agents/x.py", "import sys\nsys.exit()\nclass X(\n"}, "python-unreadable"},
		{"a mission that ends the program", []string{".colony/missions/x.py", "def mission_entry():\n    raise SystemExit\n"}, "mission-unresolved"},
		{"a mission with a key that is misspelt", []string{".colony/missions/x.py", strings.Replace(factory, "label", "lable", 1)}, "mission-key"},
		{"a time-out of null", []string{".colony/plugins/x/SKILL.md", "---\nname: x\ntimeout_seconds: null\n---\n"}, "skill-run-form"},
		{"a time-out without end", []string{".colony/plugins/x/SKILL.md", "---\nname: x\ntimeout_seconds: .inf\n---\n"}, "skill-run-form"},
		{"a package whose manifest is a list", []string{".colony/plugins/x/.claude-plugin/plugin.json", "[]"}, "monorepo-packaged"},
		{"a skill without a name", []string{".colony/plugins/x/SKILL.md", "---\ndescription: D.\n---\n"}, "field-missing"},
		{"a skill without an end of its front matter", []string{".colony/plugins/x/SKILL.md", "---\nname: x\n"}, ""},
		{"a profile with a tag of Python's", []string{".colony/profiles/x.yaml", "a: !!python/name:os.system\n"}, "yaml-tag-unknown"},
		{"a profile that stands for itself", []string{".colony/profiles/x.yaml", "&a [*a]\n"}, "yaml-alias-limit"},
		{"a manifest that is no text", []string{".colony/manifest.json", "\xff\xfe"}, "monorepo-manifest"},
		{"a manifest of a version that is text", []string{".colony/manifest.json", strings.Replace(manifest, "2", `"2"`, 1)}, "monorepo-manifest"},
		{"an agent of another directory's name", []string{".colony/agents/x.py", agentBase + "class A(Agent): pass\n"}, "monorepo-name-twice"},
		{"deep nesting", []string{".colony/agents/x.py", agentBase + "class X(Agent): pass\nx = " + strings.Repeat("(", 5000) + strings.Repeat(")", 5000) + "\n"}, "python-unreadable"},
		{"a text without end", []string{".colony/agents/x.py", agentBase + "class X(Agent):\n    \"\"\"\n"}, "python-unreadable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, open(t, files(c.files...)...))
			got := strings.Replace(s.names(), "skills: s x", "skills: s", 1)
			if got != all {
				t.Errorf("Discover: got\n%s\nwant\n%s", got, all)
			}
			var codes []string
			for _, f := range slices.Concat(s.Unresolved, s.Findings) {
				codes = append(codes, f.Check.Code)
			}
			for _, r := range s.Refused {
				for _, f := range r.Findings {
					codes = append(codes, f.Check.Code)
				}
			}
			if c.code != "" && !slices.Contains(codes, c.code) {
				t.Errorf("Discover: got the findings %q, want %s among them", codes, c.code)
			}
		})
	}
}

// TestColony_45_ProfilesThatAreNoMapping wants each refused, with the reason, and the good
// one read.
func TestColony_45_ProfilesThatAreNoMapping(t *testing.T) {
	s := read(t, open(t, files(".colony/profiles/list.yaml", "- a\n", ".colony/profiles/scalar.yaml", "a\n", ".colony/profiles/empty.yaml", "", ".colony/profiles/note.yaml", "# a\n")...))
	var refused []string
	for _, r := range s.Refused {
		if len(r.Findings) > 0 {
			refused = append(refused, r.Name)
		}
	}
	if want := []string{"empty", "list", "note", "scalar"}; !slices.Equal(refused, want) || len(s.Profiles) != 1 {
		t.Errorf("Discover: got %q refused and the profiles %v, want %q and one", refused, s.Profiles, want)
	}
}

// TestLabels wants two skills that call themselves the same both to be there, and told
// (behaviour 78: the reference keeps the first).
func TestLabels(t *testing.T) {
	s := read(t, open(t, ".colony/plugins/a/SKILL.md", "---\nname: x\n---\n", ".colony/plugins/b/SKILL.md", "---\nname: x\n---\n"))
	if len(s.Skills) != 2 || !slices.ContainsFunc(s.Skills[1].Findings, func(f ext.Finding) bool { return f.Check == LabelTwice }) {
		t.Errorf("Skills: got %+v, want both, and the second told", s.Skills)
	}
}

// TestManifests wants a loaded manifest, the defaults, or the working tree's own to say
// where surfaces lie.
func TestManifests(t *testing.T) {
	elsewhere := strings.Replace(manifest, "}", `, "extensions": {"agents": {"directory": "vendor"}}}`, 1)
	dir := golden.Dir(t, golden.Files(".colony/manifest.json", elsewhere, ".colony/agents/a.py", agentBase+"class A(Agent): pass\n", "vendor/b.py", agentBase+"class B(Agent): pass\n"))
	loaded, err := LoadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LoadManifest(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("LoadManifest of none: got %v, want fs.ErrNotExist", err)
	}
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{{"its own", Options{}, "B"}, {"a loaded one", Options{Manifest: loaded}, "B"}, {"the defaults", Options{Defaults: true}, "A"}} {
		m, err := Open(dir, c.o)
		if err != nil {
			t.Fatal(err)
		}
		agents, err := m.Agents(t.Context())
		if got := slices.Collect(maps.Keys(agents)); err != nil || !slices.Equal(got, []string{c.want}) {
			t.Errorf("Agents by %s: got %q and error %v, want %s", c.name, got, err, c.want)
		}
	}
}

// TestUnavailable wants a working tree that is not there to be an error, which nobody
// remembers, and never an empty snapshot.
func TestUnavailable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "design")
	m, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := m.Discover(t.Context()); !errors.Is(err, ErrUnavailable) || s != nil {
		t.Errorf("Discover of what is not there: got %v and %v, want ErrUnavailable", s, err)
	}
	golden.Write(t, dir, golden.Files(files()...))
	if s := read(t, m); len(s.Agents) != 1 {
		t.Errorf("Discover once it is there: got\n%s\nwant what it declares", s.names())
	}
	settled(t, m)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Agents(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("Agents once it is gone: got %v, want ErrUnavailable", err)
	}
}
