package scaffold

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/colony/scribe"
	"github.com/mortise-dev/mortise/monorepo"
)

// The behaviours 108 to 118 of the system that design monorepos are from, by their numbers.

func (r *repo) discover() *monorepo.Snapshot {
	r.t.Helper()
	m, err := monorepo.Open(r.dir, monorepo.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	s, err := m.Discover(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// Each surface: written, and then found. Missions too, for which the reference has no action.
func TestColony_108_WrittenIsFound(t *testing.T) {
	r := newRepo(t)
	for _, s := range colony.Surfaces {
		r.make(r.options(s, "my-thing"))
	}
	s := r.discover()
	_, agent := s.Agents["MyThing"]
	_, deployed := s.Deployments["MyThing"]
	_, tool := s.Tools["my-thing"]
	_, profiled := s.Profiles["my-thing"]
	mission, sent := s.Missions["my-thing"]
	if len(s.Skills) != 1 || s.Skills[0].Value.Label != "my-thing" || !agent || !deployed || !tool || !profiled || !sent {
		t.Errorf("found %+v, want one of each surface", s)
	}
	if len(s.Refused) > 0 || len(s.Unresolved) > 0 {
		t.Errorf("refused %v, unresolved %v, want none", s.Refused, s.Unresolved)
	}
	if got := mission.Value.Coordinator(); got != "acme.lead.Lead" || mission.Value.Label != "my thing" {
		t.Errorf("the mission is led by %q and called %q", got, mission.Value.Label)
	}
}

// On purpose otherwise: the entry is no stub, since the class that is written with it has its
// capability; and both are in one commit.
func TestColony_109_ToolHasItsEntry(t *testing.T) {
	r := newRepo(t)
	m := r.make(r.options(colony.Tools, "my-tool"))
	e := r.discover().Tools["my-tool"].Value
	if e.Location != "subdir:.colony/tools/my_tool.py" || e.Class != "my_tool.MyTool" || e.Capability != "flow" || e.Purpose != "general" {
		t.Errorf("the entry is %+v", e)
	}
	if got := r.git("show", "--format=", "--name-only", m.Commit.Commit); got != ".colony/tool-registry.json\n.colony/tools/my_tool.py" {
		t.Errorf("the commit has %q, want the source and the catalogue", got)
	}
}

func TestColony_110_WhatIsThereIsRefused(t *testing.T) {
	for _, s := range colony.Surfaces {
		t.Run(string(s), func(t *testing.T) {
			r := newRepo(t)
			r.make(r.options(s, "my-thing"))
			r.refused(r.options(s, "my-thing"), "is there already")
			o := r.options(s, "my-thing")
			o.Said["description"] = []string{"another"}
			r.refused(o, "is there already")
			other := r.options(s, "my_thing") // upstream: two files, and one class of them is lost
			r.refused(other, "")
		})
	}
}

// A value cannot become a call here; what a template would import is judged.
func TestColony_111_NotAllowedIsRefused(t *testing.T) {
	r := newRepo(t)
	o := r.options(colony.Agents, "thief")
	o.Said["base"] = []string{"subprocess.Popen"}
	r.refused(o, `".colony/agents/thief.py" is not written; .colony/agents/thief.py:1:`)
}

func TestColony_112_Snippets(t *testing.T) {
	for _, c := range []struct {
		name, source string
		ok           bool
	}{
		{"subprocess", "import subprocess\nsubprocess.run(['ls'])\n", false},
		{"os.system", "import os\nos.system('ls')\n", false},
		{"from os", "from os import popen\n", false},
		{"eval", "eval('1')\n", false},
		{"exec", "exec('1')\n", false},
		{"__import__", "__import__('os')\n", false},
		{"pickle", "import pickle\npickle.loads(b'')\n", false},
		{"importlib", "import importlib\nimportlib.import_module('os')\n", false},
		{"os.path.join", "import os\nx = os.path.join('a', 'b')\n", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &making{files: []scribe.File{{Path: "a.py", Data: []byte(c.source)}}}
			err := m.allowed(t.Context())
			if (err == nil) != c.ok || err != nil && (ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), "a.py:")) {
				t.Errorf("got %v, want ok %v", err, c.ok)
			}
		})
	}
}

func TestColony_113_Templates(t *testing.T) {
	if err := valid(Templates); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ name, id, want string }{
		{"unknown", "nothing", `there is no template "nothing"; those for agents are agent`},
		{"mistyped", "agnet", "did you mean agent?"},
		{"another surface's", "script", `the template "script" is for plugins`},
	} {
		if _, err := Find(colony.Agents, c.id); err == nil || !strings.Contains(err.Error(), c.want) || ext.KindOf(err) != ext.Usage {
			t.Errorf("%s: got %v, want an error of usage with %q", c.name, err, c.want)
		}
	}
	one := Template{ID: "a", Surface: colony.Agents, files: []file{{"a.py", "agent.py"}}}
	bad := func(change func(*Template)) []Template {
		other := one
		change(&other)
		return []Template{other}
	}
	for _, c := range []struct {
		name string
		all  []Template
		want string
	}{
		{"twice", append(slices.Clone(Templates), Templates[0]), `"instructions" has a name that is missing, or another one's`},
		{"no surface", bad(func(t *Template) { t.Surface = "agent" }), `is for no surface: "agent"`},
		{"no file", bad(func(t *Template) { t.files = nil }), "has no file"},
		{"missing file", bad(func(t *Template) { t.files = []file{{"a", "b"}} }), `has the file "b", which is not there`},
		{"unknown variable", bad(func(t *Template) {}), "nothing is known to stand at ${base:module}"}, // upstream leaves it as it is
		{"unknown form", bad(func(t *Template) { t.files = []file{{"${name:raw}", "run.sh"}} }), "what stands at ${name:raw} has no such form"},
	} {
		if err := valid(c.all); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

func TestColony_114_Subject(t *testing.T) {
	r := newRepo(t)
	o := r.options(colony.Plugins, "my-skill")
	o.Template, o.As.Colony = "script", "c9"
	r.make(o)
	want := "New plugins/my-skill from the template script|agent:ada:builder|ada@c9.agent.colony.local|agent:ada:builder"
	if got := r.git("log", "-1", "--format=%s|%an|%ae|%cn"); got != want {
		t.Errorf("the commit is %q, want %q", got, want)
	}
	if got := r.git("show", "--format=", "--name-only"); got != ".colony/plugins/my-skill/SKILL.md\n.colony/plugins/my-skill/scripts/run.sh" {
		t.Errorf("the commit has %q", got)
	}
}

// On purpose otherwise: upstream commits a skill that nobody finds.
func TestColony_115_ColonInDescription(t *testing.T) {
	r := newRepo(t)
	o := r.options(colony.Plugins, "solver")
	o.Said["description"] = []string{"Solver: fast"}
	r.make(o)
	if s := r.discover(); len(s.Skills) != 1 || s.Skills[0].Description != "Solver: fast" {
		t.Errorf("found %+v, want the skill with its description", s.Skills)
	}
}

// On purpose otherwise: upstream writes it elsewhere.
func TestColony_116_NameThatLeadsOut(t *testing.T) {
	r := newRepo(t)
	for _, s := range colony.Surfaces {
		if err := r.refused(r.options(s, "../../x"), `has "." at its byte 1`); ext.KindOf(err) != ext.Usage {
			t.Errorf("%s: %v is no error of usage", s, err)
		}
	}
}

// On purpose otherwise: nobody is told by an event, whose key upstream takes apart at ":".
// What was made is in the commit and in the result, and no name has a ":".
func TestColony_117_NoEvent(t *testing.T) {
	r := newRepo(t)
	r.refused(r.options(colony.Agents, "a:b"), `has ":" at its byte 2`)
}

// On purpose otherwise: upstream commits all the same.
func TestColony_118_ProtectedBranch(t *testing.T) {
	r := newRepo(t)
	r.git("checkout", "-q", "-b", "main")
	var protected *scribe.ProtectedError
	if err := r.refused(r.options(colony.Agents, "x"), "name another with --branch"); !errors.As(err, &protected) || protected.Branch != "main" {
		t.Errorf("got %v, want a *scribe.ProtectedError for main", err)
	}
	o := r.options(colony.Agents, "x")
	o.Branch = "agents/x"
	m := r.make(o)
	if got := r.git("rev-parse", "agents/x"); got != m.Commit.Commit || r.git("status", "--porcelain") != "" {
		t.Errorf("agents/x is at %s, want %s, and nothing changed here", got, m.Commit.Commit)
	}
}
