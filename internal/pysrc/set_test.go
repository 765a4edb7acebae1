package pysrc

import (
	"fmt"
	"strings"
	"testing"
)

const agentImport = "from polymathera.colony.agents.base import Agent\n"

func file(path, source string) File { return File{path, []byte(shorthands.Replace(source))} }

// TestCase15 is a base in a sibling file: the reference skips the file, reading follows
// the import and says that the reference cannot.
func TestCase15(t *testing.T) {
	a, b := file("agents/a.py", "A*\nclass A(Agent): pass\n"), file("agents/b.py", "from a import A\nclass C(A): pass\n")
	_, set := readFiles(t, []File{b, a}, Options{})
	if got := found(set, "agents/b.py", Agent); got != "C" {
		t.Fatalf("got %q, want C: %+v", got, set.Classes)
	}
	for _, c := range set.Classes {
		if c.Name == "C" && (len(c.Notes) != 1 || !strings.Contains(c.Notes[0].Why, "cannot load")) {
			t.Errorf("notes of C: got %v, want one that says it cannot be loaded", c.Notes)
		}
	}
	if got := found(readAll(t, b), "agents/b.py", Agent); got != "C?unresolved" {
		t.Errorf("without the sibling: got %q, want C unresolved", got)
	}
}

// TestAcrossFiles follows names from file to file, however they are imported.
func TestAcrossFiles(t *testing.T) {
	for _, c := range []struct{ name, user, want string }{
		{"relative", "from .a import A\nclass C(A): pass\n", "C"},
		{"relative module", "from . import a\nclass C(a.A): pass\n", "C"},
		{"module", "import a\nclass C(a.A): pass\n", "C"},
		{"module alias", "import a as x\nclass C(x.A): pass\n", "C"},
		{"alias", "from a import Other as O\nclass C(O): pass\n", "C"},
		{"re-export", "from b import A\nclass C(A): pass\n", "C"},
		{"re-export of the base", "from b import Base\nclass C(Base): pass\n", "C"},
		{"star", "from a import *\nclass C(A): pass\n", "C?maybe"},
		{"star does not bring it", "from a import *\nclass C(Nope): pass\n", ""},
		{"from a package", "from pkg.deep import D\nclass C(D): pass\n", "C"},
		{"from a package itself", "import pkg\nclass C(pkg.D): pass\n", "C"},
		{"nested class", "from a import Outer\nclass C(Outer.Inner): pass\n", "C"},
		{"in a circle", "from e import E\nclass C(E): pass\n", "C?unresolved"},
		{"not Python", "from broken import A\nclass C(A): pass\n", "C?unresolved"},
		{"not there", "from a import Nope\nclass C(Nope): pass\n", "C?unresolved"},
		{"its own name, of another place", "from x import A\nclass C(A): pass\n", "C?unresolved"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := readAll(t, file("s/x.py", c.user),
				file("s/a.py", "A*\nclass A(Agent): pass\nOther = A\nclass Outer:\n  class Inner(A): pass\n"),
				file("s/b.py", "from a import A\nfrom polymathera.colony.agents import Agent as Base\n"),
				file("s/pkg/__init__.py", "from .deep import D\n"), file("s/pkg/deep.py", "from a import A\nclass D(A): pass\n"),
				file("s/e.py", "from f import E\n"), file("s/f.py", "from e import E\n"),
				file("s/broken.py", "A*\nclass A(Agent) pass\n"))
			if got := found(set, "s/x.py", Agent); got != c.want {
				t.Errorf("got %q, want %q\n%+v", got, c.want, set.Classes)
			}
		})
	}
}

// TestSkippedFilesAreWanted reads files whose own text names nothing that is known, where
// others show that they matter.
func TestSkippedFilesAreWanted(t *testing.T) {
	files := []File{
		file("c.py", "from . import b\nclass C(b.B): pass\n"),
		file("b.py", "from a import A as B\n"), // no class
		file("a.py", "A*\nclass A(Agent): pass\n"),
		file("other.py", "class X: pass\n"),
		file("empty.py", "x = 1\n"),
	}
	modules, set := readFiles(t, files, Options{Workers: 2})
	if got := found(set, "c.py", Agent); got != "C" {
		t.Errorf("got %q, want C", got)
	}
	for i, want := range []string{"", "", "", "it names nothing that is known", "it has no class"} {
		if modules[i].Skipped != want {
			t.Errorf("%s: skipped %q, want %q", modules[i].Path, modules[i].Skipped, want)
		}
	}
}

// TestShapesOfChains are chains that are long, wide or round.
func TestShapesOfChains(t *testing.T) {
	var deep, wide, across strings.Builder
	deep.WriteString(agentImport + "class C0(Agent): pass\n")
	for i := range 20000 {
		fmt.Fprintf(&deep, "class C%d(C%d): pass\n", i+1, i)
	}
	wide.WriteString(agentImport + "class D0(Agent): pass\nclass E0(Agent): pass\n")
	for i := range 200 {
		fmt.Fprintf(&wide, "class D%d(D%d, E%d): pass\nclass E%d(D%d, E%d): pass\n", i+1, i, i, i+1, i, i)
	}
	set := readAll(t, File{"x.py", []byte(deep.String())})
	if got := len(set.Classes); got != 20001 {
		t.Errorf("a chain of 20,001 classes: got %d agents", got)
	}
	if last := set.Classes[20000]; last.Certainty != Certain || len(last.Evidence) > mostSteps+1 {
		t.Errorf("its end is %s with %d steps, want certain with %d at most", last.Certainty, len(last.Evidence), mostSteps+1)
	}
	if got := len(readAll(t, File{"x.py", []byte(wide.String())}).Classes); got != 402 {
		t.Errorf("diamonds: got %d agents, want 402", got)
	}
	files := []File{{"m0.py", []byte(agentImport + "class C0(Agent): pass\n")}}
	for i := range 1000 {
		across.Reset()
		fmt.Fprintf(&across, "from m%d import C%d\nclass C%d(C%d): pass\n", i, i, i+1, i)
		files = append(files, File{fmt.Sprintf("m%d.py", i+1), []byte(across.String())})
	}
	set = readAll(t, files...)
	unsure := 0
	for _, c := range set.Classes {
		if c.Kind == Agent && c.Certainty != Certain {
			unsure++
			if !strings.Contains(c.Reason, "names lead on") {
				t.Fatalf("%s: %s, want what bounds the chain", c.Name, c.Reason)
			}
		}
	}
	t.Logf("of a chain through 1,001 files, %d are beyond the bound", unsure)
}

// TestBehaviours are the behaviours of the reference's surfaces that concern
// reading Python, by their numbers.
func TestBehaviours(t *testing.T) {
	for _, c := range []struct{ name, source, agents, deployments, fault, note string }{
		{name: "35 broken", source: "A*\nclass A(Agent:\n pass\n", fault: "syntax"},
		{name: "36 raises afterwards", source: "A*\nclass A(Agent): pass\nraise ValueError\n", agents: "A?unresolved"},
		{name: "37 the base itself", source: "A*\nX = Agent\n"},
		{name: "38 BOM", source: "\ufeffA*\nclass A(Agent): pass\n", fault: "bom"},
		{name: "38 NUL", source: "A*\nclass A(Agent): pass\n\x00", fault: "nul"},
		{name: "38 Latin-1 with a cookie", source: "# coding: latin-1\nA*\nclass A(Agent): x = '\xe9'\n", fault: "encoding"},
		{name: "39 CRLF", source: "A*\r\nclass A(Agent):\r\n    x = '''a\r\nb'''\r\n", agents: "A"},
		{name: "39 CR alone", source: "A*\rclass A(Agent):\r    pass\r", agents: "A"},
		{name: "39 form feed", source: "\fA*\n\f\nclass A(Agent): pass\n", agents: "A"},
		// The reference ends with its caller; ours runs nothing, and lists.
		{name: "40 exits", source: "A*\nimport sys\nsys.exit()\nclass A(Agent): pass\n", agents: "A"},
		{name: "41 two decorated and one plain", source: "S*\n@serving.deployment\nclass D: pass\n@serving.deployment(name='e')\nclass E: pass\nclass F: pass\n", deployments: "D E"},
		// The reference skips the file; ours says that a function is no deployment.
		{name: "42 a decorated function", source: "S*\n@serving.deployment\ndef d(): pass\n", note: "is a function"},
		// The reference skips the file, for a fault of its own.
		{name: "43 a dataclass beside", source: "A*\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n  x: int\nclass A(Agent): pass\n", agents: "A"},
	} {
		t.Run(c.name, func(t *testing.T) {
			modules, set := readFiles(t, []File{file("x.py", c.source), file("y.py", "A*\nclass Good(Agent): pass\n")}, Options{All: true})
			fault := ""
			if f := modules[0].Fault; f != nil {
				fault = string(f.Code)
			}
			notes := fmt.Sprint(set.Notes)
			if a, d := found(set, "x.py", Agent), found(set, "x.py", Deployment); a != c.agents || d != c.deployments || fault != c.fault || !strings.Contains(notes, c.note) {
				t.Errorf("got agents %q, deployments %q, fault %q, notes %s; want %+v", a, d, fault, notes, c)
			}
			if got := found(set, "y.py", Agent); got != "Good" {
				t.Errorf("the file beside it: got %q, want Good", got)
			}
		})
	}
}
