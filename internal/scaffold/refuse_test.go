package scaffold

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/colony/scribe"
	"github.com/mortise-dev/mortise/internal/colony/tools"
)

const solver = "from polymathera.colony.agents.base import Agent\n\n\nclass Solver(Agent):\n    pass\n"

// What is there refuses what could be taken for it, whichever file it lies in.
func TestClashes(t *testing.T) {
	r := newRepo(t,
		".colony/agents/a.py", solver, ".colony/agents/z.py", strings.ReplaceAll(solver, "Solver", "Mesher"), ".colony/agents/Cool_It.py", "x = 1\n",
		".colony/plugins/mesh/notes.md", "mine\n", ".colony/profiles/Heat.yaml", "a: 1\n",
		tools.Path, `{"schema_version": 2, "tools": [{"name": "Flow", "purpose": "cfd", "location": "subdir:x", "capability": "c"}]}`,
	)
	for _, c := range []struct {
		surface    colony.Surface
		name, want string
	}{
		{colony.Agents, "solver", `.colony/agents/a.py:4 has "Solver"`},
		{colony.Agents, "mesher", `.colony/agents/z.py:4 has "Mesher"`},
		{colony.Agents, "cool-it", `".colony/agents/Cool_It.py" is there`},
		{colony.Plugins, "mesh", `".colony/plugins/mesh/notes.md" is there already`},
		{colony.Plugins, "me-sh", `".colony/plugins/mesh" is there`},
		{colony.Profiles, "heat", `".colony/profiles/Heat.yaml" is there`},
		{colony.Tools, "flow", `has the tool "cfd/Flow"`},
		{colony.Agents, "agent", "the name of what its file imports; say another with --class"},
		{colony.Deployments, "x", ""},
	} {
		if c.want == "" {
			r.make(r.options(c.surface, c.name))
			continue
		}
		r.refused(r.options(c.surface, c.name), c.want)
	}
}

// A base in a file beside is known, and one that nothing is known of is told.
func TestBases(t *testing.T) {
	r := newRepo(t)
	o := r.options(colony.Agents, "x")
	o.Said["base"] = []string{"polymathera.colony.other.Thing"}
	err := r.refused(o, ".colony/agents/x.py:4: the class \"X\" may be one (agent) or not")
	var lost *NotFoundError
	if !errors.As(err, &lost) || lost.Name != "x" {
		t.Errorf("got %v, want a *NotFoundError", err)
	}
	o.Known.Agents = []string{"polymathera.colony.other.*"}
	if m := r.make(o); len(m.Notes) != 1 || m.Notes[0].Check.Code != "class-maybe" {
		t.Errorf("the notes are %v, want that nobody looked whether there is such a class", m.Notes)
	}
	for _, c := range [][2]string{{"Thing", "is written MODULE.CLASS"}, {"a..B", "empty"}, {"a b.C", "is no name of Python"}, {"a.B; import os", "is no name of Python"}, {"a.class", "a word of Python"}, {"a.__init__", "two underscores"}} {
		o := r.options(colony.Agents, "z")
		o.Said["base"] = []string{c[0]}
		r.refused(o, c[1])
	}
}

func TestValues(t *testing.T) {
	r := newRepo(t)
	for _, c := range []struct {
		name     string
		surface  colony.Surface
		variable string
		values   []string
		want     string
	}{
		{"none", colony.Agents, "description", nil, "must say what it is, as TEXT, with --description"},
		{"blank", colony.Agents, "description", []string{" \n "}, "must say what it is"},
		{"twice", colony.Agents, "description", []string{"a", "b"}, "said 2 times"},
		{"not UTF-8", colony.Agents, "description", []string{"a\xff"}, "is not UTF-8"},
		{"long", colony.Agents, "description", []string{strings.Repeat("a", 5000)}, "has 5000 bytes, and may have 4096"},
		{"another template's", colony.Agents, "tag", []string{"a"}, "the template agent takes no --tag; it takes --description"},
		{"mistyped", colony.Agents, "bsae", []string{"a"}, "did you mean --base?"},
		{"no class", colony.Agents, "class", []string{"A(object): pass\nimport os\nclass B"}, "is no name of Python"},
		{"no capability", colony.Tools, "capability", nil, "must say what it can do"},
		{"no coordinator", colony.Missions, "coordinator", nil, "must say the class that leads it"},
		{"an empty tag", colony.Profiles, "tag", []string{""}, "--tag says nothing"},
		{"no pair", colony.Deployments, "keyword", []string{"name"}, "it is written KEY=VALUE"},
		{"unknown", colony.Deployments, "keyword", []string{"num_replicas=2"}, "takes no such argument; it takes name, router_class"},
		{"a class", colony.Deployments, "keyword", []string{"router_class=a.B"}, "write it into the file yourself"},
		{"no JSON", colony.Deployments, "keyword", []string{"max_concurrency=os.getpid()"}, "is no JSON"},
		{"another type", colony.Deployments, "keyword", []string{"max_concurrency=\"1\""}, "it takes a number, and not a string"},
		{"again", colony.Deployments, "keyword", []string{"name=a", "name=b"}, "it is said twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &repo{t, r.dir}
			o := r.options(c.surface, "x")
			o.Said[c.variable] = c.values
			r.refused(o, c.want)
		})
	}
}

// Every kind of value that a decorator takes is read back as it was said.
func TestKeywords(t *testing.T) {
	r := newRepo(t)
	o := r.options(colony.Deployments, "pool")
	o.Said["keyword"] = []string{`name=a"b)\`, "max_concurrency=8", "enable_kafka_logs=false", `ray_actor_options={"a": [1, -2.5, 1e3, null, true], "b\"": {"c": "\n"}}`}
	r.make(o)
	if got := r.discover().Deployments["Pool"].Value.Arguments; len(got) != 4 || got[0].Value.Text != `a"b)\` {
		t.Errorf("the decorator has %+v", got)
	}
}

func TestPlaces(t *testing.T) {
	t.Run("ignored", func(t *testing.T) {
		r := newRepo(t, ".gitignore", ".colony/plugins/\n")
		for range 2 { // upstream leaves the file, and refuses the next try for it
			r.refused(r.options(colony.Plugins, "x"), "ignore")
		}
	})
	t.Run("no manifest", func(t *testing.T) {
		r := newRepo(t)
		r.git("rm", "-q", colony.Path)
		r.git("commit", "-q", "-m", "gone")
		err := r.refused(r.options(colony.Profiles, "x"), "there is no manifest; write one")
		var broken *colony.Error
		if !errors.As(err, &broken) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want a *colony.Error that matches fs.ErrNotExist", err)
		}
	})
	t.Run("broken catalogue", func(t *testing.T) {
		r := newRepo(t, tools.Path, "[]")
		r.refused(r.options(colony.Tools, "x"), "mend it first")
	})
	t.Run("changed catalogue", func(t *testing.T) {
		r := newRepo(t, tools.Path, `{"schema_version": 2, "tools": []}`)
		r.put(tools.Path, `{"schema_version": 2, "tools": [], "more": 1}`)
		var changed *scribe.ChangedError
		if err := r.refused(r.options(colony.Tools, "x"), "has changes that are not committed"); !errors.As(err, &changed) {
			t.Errorf("got %v, want a *scribe.ChangedError", err)
		}
	})
	t.Run("another directory", func(t *testing.T) {
		r := newRepo(t)
		r.put(colony.Path, manifest(`"extensions": {"agents": {"directory": "vendor/agents"}}`))
		r.git("commit", "-q", "-a", "-m", "other")
		if m := r.make(r.options(colony.Agents, "x")); m.Files[0].Path != "vendor/agents/x.py" {
			t.Errorf("it lies at %s", m.Files[0].Path)
		}
	})
	t.Run("a directory that leads out", func(t *testing.T) {
		r := newRepo(t)
		r.put(colony.Path, manifest(`"extensions": {"agents": {"directory": "../x"}}`))
		r.git("commit", "-q", "-a", "-m", "other")
		r.refused(r.options(colony.Agents, "x"), "leads upwards")
	})
	t.Run("a try that was ended", func(t *testing.T) {
		r := newRepo(t)
		o := r.options(colony.Plugins, "x")
		o.Dry, o.Template = true, "script"
		m := r.make(o)
		r.put(m.Files[0].Path, m.Files[0].Text)
		if o.Dry = false; r.make(o).Commit == nil || r.git("status", "--porcelain") != "" {
			t.Error("it was not finished")
		}
	})
	t.Run("below the top", func(t *testing.T) {
		r := newRepo(t, "design/.colony/manifest.json", manifest(), "design/.colony/agents/a.py", solver)
		below := &repo{t, filepath.Join(r.dir, "design")}
		o := below.options(colony.Agents, "solver")
		o.Branch = "other"
		below.refused(o, `.colony/agents/a.py:4 has "Solver"`)
		o.Name = "x"
		below.make(o)
		if got := r.git("show", "--format=", "--name-only", "other"); got != "design/.colony/agents/x.py" {
			t.Errorf("the commit has %q", got)
		}
	})
}

func TestLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	r := newRepo(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(r.dir, link); err != nil {
		t.Fatal(err)
	}
	o := r.options(colony.Agents, "x") // upstream writes the file, and then fails
	o.Dir = link
	r.make(o)
	if r.git("status", "--porcelain") != "" || !strings.Contains(r.text(".colony/agents/x.py"), "class X(Agent)") {
		t.Error("it is not written and committed")
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(r.dir, ".colony", "plugins")); err != nil {
		t.Fatal(err)
	}
	r.refused(r.options(colony.Plugins, "x"), "")
}
