package tools

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mortise-dev/mortise/ext"
)

// files is a repository of these files: name, content, name, content.
func files(pairs ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		fsys[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return fsys
}

const head = `from polymathera.colony.agents.patterns.capabilities.tool import ToolCapability
from polymathera.colony.tools.spec import ToolSpec
`

// checked is the outcome for a tool "flow" with the class a.Solver of a.py.
func checked(t *testing.T, source string, more ...string) Outcome {
	t.Helper()
	return checkedAs(t, Entry{Name: "solver", Class: "a.Solver", Capability: "flow"}, files(append([]string{"a.py", source}, more...)...))
}

func checkedAs(t *testing.T, e Entry, fsys fstest.MapFS) Outcome {
	t.Helper()
	o, err := NewRepository(fsys, ".colony/tools").Check(context.Background(), &e)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestColony_93_ClassPaths differs on purpose: the reference imports the module, which runs
// it, and fails where it cannot. Here a module that is no file of the repository is
// unresolved, since it may be installed.
func TestColony_93_ClassPaths(t *testing.T) {
	for _, c := range []struct{ name, class, want string }{
		{"no dot", "Solver", `mismatch "Solver" is no class: it is written module.Class`},
		{"a leading dot", ".Solver", `mismatch ".Solver" is no class: it is written module.Class`},
		{"a path", "../x.Solver", `mismatch "../x.Solver" is no class: it is written module.Class`},
		{"elsewhere", "numpy.linalg.Solver", `unresolved no file of this repository is the module "numpy.linalg"`},
		{"not in the module", "a.Solvr", `mismatch a.py: it has no "Solvr"; there is "Solver"`},
		{"no spec", "a.Plain", `mismatch a.py:4: the class "Plain" has no spec, nor has any base of it`},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := checkedAs(t, Entry{Class: c.class, Capability: "flow"}, files("a.py", head+"class Solver: pass\nclass Plain: pass\n"))
			if got := o.Verdict.String() + " " + o.String(); got != c.want {
				t.Errorf("Check(%s): got %s, want %s", c.class, got, c.want)
			}
		})
	}
}

func TestColony_94_Capability(t *testing.T) {
	own := func(capabilities string) string {
		return head + "class Solver(ToolCapability):\n    spec = ToolSpec(name='s', capabilities=" + capabilities + ")\n"
	}
	for _, c := range []struct{ name, source, want string }{
		{"contained", own(`["mesh", "flow"]`), `ok a.py:4: spec has "mesh", "flow"`},
		{"one text", own(`"flow"`), `ok a.py:4: spec has "flow"`},
		{"another", own(`["mesh"]`), `mismatch a.py:4: spec has "mesh", and not "flow"`},
		{"none", own(`None`), `mismatch a.py:4: spec has no capabilities, and so not "flow"`},
		{"computed", own(`[x for x in "flow"]`), "unresolved a.py:4: the capabilities of spec are not told by reading"},
		{"a name", "C = ['flow']\n" + own("C"), "unresolved a.py:5: the capabilities of spec are not told by reading"},
		{"not among the arguments", head + "class Solver(ToolCapability):\n    spec = ToolSpec(name='s')\n", "mismatch a.py:4: spec has no capabilities"},
		{"unpacked", head + "class Solver(ToolCapability):\n    spec = ToolSpec(**{})\n", "unresolved a.py:4: spec has arguments without a name"},
		{"null", head + "class Solver(ToolCapability):\n    spec = None\n", "mismatch a.py:4: spec is null, and no ToolSpec"},
		{"the value of another call", head + "class Solver(ToolCapability):\n    spec = make()\n", `unresolved a.py:4: spec is the value of "make(…)", which is not known here`},
		{"a ToolSpec of the file", "class ToolSpec: pass\nclass Solver:\n    spec = ToolSpec(capabilities=['flow'])\n", "unresolved a.py:3: spec is the value of"},
		{"the last one counts", head + "class Solver(ToolCapability):\n    spec = ToolSpec(capabilities=['flow'])\n    spec = ToolSpec(capabilities=['mesh'])\n", `mismatch a.py:5: spec has "mesh"`},
		{"of a base of the file", strings.ReplaceAll(own(`["flow"]`), "Solver", "Base") + "class Solver(Base): pass\n", `ok a.py:4: spec has "flow"`},
		{"of the last class of the name", own(`["flow"]`) + "class Solver: pass\n", `mismatch a.py:5: the class "Solver" has no spec`},
		{"not bound in the end", own(`["flow"]`) + "del Solver\n", `mismatch a.py: it has no "Solver", and is left with no class at all`},
		{"under a condition", "import sys\n" + head + "if sys.argv:\n    class Solver:\n        spec = ToolSpec(capabilities=['flow'])\n", "unresolved a.py:"},
		{"under a decorator", head + "@register\nclass Solver:\n    spec = ToolSpec(capabilities=['flow'])\n", `unresolved a.py:3: the decorator "register" could change the class "Solver"`},
		{"under one that is known", "from dataclasses import dataclass\n" + head + "@dataclass(frozen=True)\nclass Solver:\n    spec = ToolSpec(capabilities=['flow'])\n", `ok a.py:6: spec has "flow"`},
		{"a base that nobody knows", "from x import Y\nclass Solver(Y): pass\n", `unresolved a.py:2: the base "Y" is imported as "x.Y", which is no file of this repository`},
		{"with a spec of its own before it", "from x import Y\n" + head + "class Solver(Y):\n    spec = ToolSpec(capabilities=['flow'])\n", `ok a.py:5: spec has "flow"`},
		{"a function", "def Solver(): pass\n", `unresolved a.py:1: "Solver" is a function, and no class`},
		{"a number", "Solver = 1\n", `mismatch a.py:1: "Solver" is a literal, and no class`},
		{"no Python", "class Solver(:\n", "unresolved a.py:1: the file cannot be read: "},
		{"a star import", "from x import *\n", `unresolved a.py:1: "Solver" could come from "x", of which everything is imported`},
		{"for type checking only", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from b import Solver\n", `mismatch a.py: it has no "Solver", and is left with no class at all`},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := checked(t, c.source)
			if got := o.Verdict.String() + " " + o.String(); !strings.HasPrefix(got, c.want) {
				t.Errorf("Check: got %s, want %s", got, c.want)
			}
		})
	}
	if o := checkedAs(t, Entry{Capability: "flow"}, files()); o.Verdict != Unchecked {
		t.Errorf("Check of a stub: got %s, want it unchecked", o.Verdict)
	}
}

// TestBases follows bases through the files of the repository.
func TestBases(t *testing.T) {
	base := head + "class Base(ToolCapability):\n    spec = ToolSpec(capabilities=['flow'])\n"
	mesh := strings.ReplaceAll(strings.ReplaceAll(base, "flow", "mesh"), "Base", "Mesh")
	for _, c := range []struct {
		name, source, want string
		more               []string
	}{
		{"imported by name", "from pkg.base import Base\nclass Solver(Base): pass\n", "ok pkg/base.py:4: ", []string{"pkg/base.py", base}},
		{"through a package", "import pkg as p\nclass Solver(p.Base): pass\n", "ok pkg/base.py:4: ", []string{"pkg/base.py", base, "pkg/__init__.py", "from .base import Base\n"}},
		{"re-exported", "from b import Base as Solver\n", "ok b.py:4: ", []string{"b.py", base}},
		{"two levels up", "from pkg.sub.c import Solver\n", "ok pkg/base.py:4: ", []string{"pkg/sub/c.py", "from ..base import Base\nclass Solver(Base): pass\n", "pkg/base.py", base}},
		{"above the repository", "from ...b import Base\nclass Solver(Base): pass\n", "unresolved a.py:2: ", []string{"b.py", base}},
		{"in a circle", "from b import Solver\n", "unresolved ", []string{"b.py", "from a import Solver\n"}},
		{"the first base counts", "from b import Base\nfrom x import Y\nclass Solver(Base, Y): pass\n", "ok b.py:4: ", []string{"b.py", base}},
		{"behind one that nobody knows", "from b import Base\nfrom x import Y\nclass Solver(Y, Base): pass\n", "unresolved a.py:3: ", []string{"b.py", base}},
		{"two that differ", "from b import Base\nfrom c import Mesh\nclass L(Base): pass\nclass R(Mesh): pass\nclass Solver(L, R): pass\n", "unresolved a.py:5: several bases", []string{"b.py", base, "c.py", mesh}},
		{"in the directory of tools", "from t import Base\nclass Solver(Base): pass\n", "ok .colony/tools/t.py:4: ", []string{".colony/tools/t.py", base}},
		{"in two places", "from t import Base\nclass Solver(Base): pass\n", "unresolved a.py:2: ", []string{".colony/tools/t.py", base, "t.py", base}},
		{"a base that is wrong is no fault of the entry", "from b import Nobody\nclass Solver(Nobody): pass\n", "unresolved b.py: ", []string{"b.py", base}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := checked(t, c.source, c.more...)
			if got := o.Verdict.String() + " " + o.String(); !strings.HasPrefix(got, c.want) {
				t.Errorf("Check: got %s, want %s", got, c.want)
			}
		})
	}
}

// TestWhereAnEntryLies wants modules to be found below the place of the tool.
func TestWhereAnEntryLies(t *testing.T) {
	source := head + "class Solver(ToolCapability):\n    spec = ToolSpec(capabilities=['flow'])\n"
	for _, location := range []string{"subdir:tools/cfd/solver", "subdir:tools/cfd/solver/cap.py"} {
		e := Entry{Class: "cap.Solver", Capability: "flow", Location: location}
		if o := checkedAs(t, e, files("tools/cfd/solver/cap.py", source)); o.Verdict != Contained {
			t.Errorf("Check of one at %s: got %s %s, want it found", location, o.Verdict, &o)
		}
	}
	e := Entry{Class: "cap.Solver", Capability: "flow", Location: "subdir:../out"}
	if o := checkedAs(t, e, files("cap.py", source)); o.Verdict != Contained {
		t.Errorf("Check of one that lies outside: got %s %s, want the repository looked through", o.Verdict, &o)
	}
}

func TestFinding(t *testing.T) {
	c := mustRead(t, `{"tools": [{"name": "solver", "purpose": "p", "location": "", "capability": "flow",
"capability_fqn": "a.Solver"}]}`)
	e := &c.Entries[0]
	for source, want := range map[string]*ext.Check{
		head + "class Solver:\n  spec = ToolSpec(capabilities=['flow'])\n": nil, "Solver = f()\n": SpecUnresolved, "class Solver: pass\n": SpecMismatch,
	} {
		o := checkedAs(t, *e, files("a.py", source))
		f, ok := o.Finding(here, e)
		if ok != (want != nil) || f.Check != want || ok && (f.Origin.Line != 2 || f.Origin.Path != Path || f.Field != "capability_fqn") {
			t.Errorf("Finding(%s): got %v, %t, want %v on line 2", source, f, ok, want)
		}
	}
}

func TestColony_100_Lookup(t *testing.T) {
	r := NewRepository(files("x.py", "class Foo: pass\n", "pkg/__init__.py", "from x import Foo as Bar\n", "near.py", "class Fo: pass\n"))
	known := map[string]Found{"Foo": {File: ".colony/agents/foo.py", Line: 3, Name: "Foo"}}
	for _, c := range []struct{ class, want string }{
		{"x.Foo", "x.py:1"}, {"pkg.Bar", "x.py:1"},
		{"y.Foo", `.colony/agents/foo.py:3 by name: "y.Foo" was not found (no file of this repository is the module "y"); "Foo" of ".colony/agents/foo.py" has that name and is taken instead`},
		{"y.Nobody", `error find the class "y.Nobody": no file of this repository is the module "y"`},
		{"near.Foo", `.colony/agents/foo.py:3 by name: "near.Foo" was not found (it has no "Foo"; there is "Fo"); "Foo" of ".colony/agents/foo.py" has that name and is taken instead`},
		{"Foo", `error "Foo" is no class: it is written module.Class`}, {"", `error "" is no class: it is written module.Class`},
	} {
		f, err := r.Lookup(context.Background(), c.class, known)
		got := f.File + ":" + string(rune('0'+f.Line))
		switch {
		case err != nil:
			got = "error " + err.Error()
		case f.ByName:
			got += " by name: " + f.Note
		}
		if got != c.want {
			t.Errorf("Lookup(%s):\n got %s\nwant %s", c.class, got, c.want)
		}
	}
}

// TestMemory wants what is remembered to change no answer.
func TestMemory(t *testing.T) {
	e := Entry{Class: "a.Solver", Capability: "flow"}
	source := head + "class Solver:\n    spec = ToolSpec(capabilities=['flow'])\n"
	var m Memory
	for _, s := range []string{source, source, strings.ReplaceAll(source, "flow", "mesh"), source} {
		r := NewRepository(files("a.py", s))
		want, _ := r.Check(context.Background(), &e)
		again := NewRepository(files("a.py", s))
		again.Memory = &m
		if got, err := again.Check(context.Background(), &e); got != want || err != nil {
			t.Errorf("Check with a memory: got %v, %v, want %v", got, err, want)
		}
	}
}
