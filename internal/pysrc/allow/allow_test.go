package allow

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

func report(t *testing.T, src string) Report {
	t.Helper()
	r, err := Check(context.Background(), []byte(src), Default())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// said is all of a report in a line.
func said(r Report) string {
	if r.Fault != nil {
		return "fault " + string(r.Fault.Code)
	}
	var out []string
	for _, v := range r.Violations {
		out = append(out, fmt.Sprintf("%d:%d %s", v.Line, v.Column, v.Kind))
	}
	return strings.Join(out, ", ")
}

// TestColony_111_WhatIsNotOnTheList has every way past a list of what is forbidden: each is
// refused where it stands.
func TestColony_111_WhatIsNotOnTheList(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		// What the reference passes.
		{"an alias of a module", "import os as o\no.system('id')", "2:3 import"},
		{"a star import", "from os import *\nsystem('id')", "1:16 import, 2:1 builtin"},
		{"a function by another name", "import os\nf = os.system\nf('id')", "2:8 import"},
		{"a built-in by another name", "e = eval\ne('1')", "1:5 builtin"},
		{"getattr", "getattr(__builtins__, 'eval')('1')", "1:1 builtin, 1:9 builtin"},
		{"import builtins", "import builtins\nbuiltins.eval('1')", "1:8 import"},
		{"globals", "globals()['__builtins__']['eval']('1')", "1:1 builtin"},
		{"a decorator", "@exec\nclass A: pass", "1:2 builtin"},
		{"a relative import", "from . import subprocess", "1:6 import"},
		{"a relative import of a module", "from .subprocess import run", "1:6 import"},
		{"C modules", "import _ctypes, _pickle", "1:8 import, 1:17 import"},
		{"other loaders", "import dill, cloudpickle, runpy, pty, code", "1:8 import, 1:14 import, 1:27 import, 1:34 import, 1:39 import"},
		{"sockets and processes", "import socket, multiprocessing", "1:8 import, 1:16 import"},
		{"processes of a loop", "import asyncio\nasyncio.create_subprocess_exec('id')", "2:9 import"},
		{"files that go", "import shutil\nshutil.rmtree('/')", "1:8 import"},
		{"files that are written", "with open('x', 'w') as f: f.write('')", "1:6 builtin"},
		{"the debugger", "breakpoint()", "1:1 builtin"},
		{"from the module of built-ins", "from builtins import eval as e\ne('1')", "1:6 import"},
		// Modules as values.
		{"a module by another name", "import os\no = os", "2:5 module"},
		{"a module that is passed on", "import os\nf(os)\ndef f(m): m.system('id')", "2:3 module"},
		{"a module in a list", "import os\nx = [os][0]", "2:6 module"},
		{"a module behind a module", "import os\np = os.path", "2:5 module"},
		{"a module that a module imports", "import json\njson.decoder.re", "2:6 import"},
		{"modules behind a path", "import os.path\nos.path.os.system('id')", "2:9 import"},
		{"a module from a module", "from os import path\npath.genericpath.os", "2:6 import"},
		{"a module of two names", "import json as m, os as m\nm.dumps(1)", "2:3 import"},
		{"a module as a subject", "import os\nmatch os:\n  case object(system=f): f('id')", "2:7 module"},
		{"a module among a great many", "import " + strings.TrimSuffix(strings.Repeat("json as m, math as m, os.path as m, ", 1), ", ") + "\nm.join", "2:3 import, 2:3 import"},
		{"a module that is a default", "import os\ndef f(m=os): m.system('id')", "2:9 module"},
		{"a module that is yielded", "import os\ndef f(): yield os", "2:16 module"},
		{"a module in one function and a parameter of another", "def f(os): return os\ndef g():\n  import os", "1:19 module"},
		{"a module as a class", "import os as O", "1:14 binding"},
		{"a class of the standard library from the framework", "from polymathera.colony.agents import Popen", "1:39 import"},
		{"a module from the framework", "from polymathera.colony.agents.base import subprocess as s", "1:44 import"},
		{"a module behind the framework", "import polymathera.colony.agents.base as b\nb.os.system('id')", "2:3 import"},
		// Built-in functions.
		{"as a default", "def f(e=eval): e('1')", "1:9 builtin"},
		{"in a lambda", "f = lambda e=eval: e('1')", "1:14 builtin"},
		{"as a base", "class A(eval('object')): pass", "1:9 builtin"},
		{"as a metaclass", "class A(metaclass=exec): pass", "1:19 builtin"},
		{"in a comprehension", "[x('1') for x in [eval]]", "1:19 builtin"},
		{"in an f-string", "f'{eval(\"1\")}'", "1:4 builtin"},
		{"in the format of an f-string", "f'{1:{eval(\"1\")}}'", "1:7 builtin"},
		{"in a nested f-string", "f\"{f'{eval}'}\"", "1:7 builtin"},
		{"in a pattern's guard", "match 1:\n  case x if eval('1'): pass", "2:13 builtin"},
		{"in a slice", "x[eval('1'):]", "1:1 builtin, 1:3 builtin"},
		{"behind a walrus", "(e := eval)", "1:7 builtin"},
		{"hidden in another function", "def f():\n  eval = 1\ndef g(): eval('1')", "2:3 binding, 3:10 builtin"},
		{"written in other letters", "ｅｖａｌ('1')", "1:1 builtin"},
		{"a type that is made", "type('A', (), {})", "1:1 builtin"},
		{"a type that is passed on", "t = type", "1:5 builtin"},
		{"that raises through everything", "raise SystemExit", "1:7 builtin"},
		{"nobody's", "undefined()", "1:1 builtin"},
		{"by import", "__import__('os')", "1:1 builtin"},
		{"dunders of the module", "__loader__.load_module('os')", "1:1 builtin, 1:12 attribute"},
		// Attributes.
		{"subclasses", "().__class__.__base__.__subclasses__()", "1:14 attribute, 1:23 attribute"},
		{"globals of a function", "def f(): pass\nf.__globals__", "2:3 attribute"},
		{"the module of built-ins", "len.__self__", "1:5 attribute"},
		{"frames", "def g(): yield\ng().gi_frame.f_back.f_globals", "2:5 attribute, 2:14 attribute, 2:21 attribute"},
		{"frames of an exception", "try: pass\nexcept Exception as e: e.__traceback__.tb_frame", "2:26 attribute, 2:40 attribute"},
		{"in a pattern", "def f(): pass\nmatch f:\n  case object(__globals__=g): pass", "3:15 attribute"},
		{"by a function that reads any", "object.__getattribute__(1, 'x')", "1:8 attribute"},
		{"by a function of a module", "import operator\noperator.attrgetter('__globals__')", "2:10 import"},
		{"by a format of a module", "import string\nstring.Formatter()", "2:8 import"},
		{"by a copy", "import functools\nfunctools.update_wrapper(1, 2, ('x',))", "2:11 import"},
		{"by a copy that is a decorator", "from functools import wraps\nwraps(len, updated=('__globals__',))", "2:1 import"},
		{"the loop of a task", "import asyncio\nasyncio.create_task(1).get_loop().subprocess_exec(1)", "2:24 attribute, 2:35 attribute"},
		// What is set.
		{"the framework", "from polymathera.colony.agents.base import Agent\nAgent.run = 1", "2:1 binding"},
		{"a module", "import json\njson.loads = 1", "2:1 binding"},
		{"a built-in class", "str.x = 1", "1:1 binding"},
		{"a loop's target", "import json\nfor json.loads in []: pass", "2:5 binding"},
		{"where a class is from", "class A: __module__ = 'x'", "1:10 binding"},
		{"what a class is", "class A: pass\nA.__class__ = int", "2:3 binding"},
		{"what is deleted", "import json\ndel json.loads", "2:5 binding"},
		{"how attributes are read", "def __getattr__(name): pass", "1:5 binding"},
		{"how it is copied", "class A:\n  def __reduce__(self): return 1", "2:7 binding"},
		// Texts that are evaluated.
		{"an annotation", "x: \"__import__('os').system('id')\" = 1", "1:4 annotation"},
		{"an annotation in pieces", "x: '__imp' 'ort__' = 1", "1:4 annotation"},
		{"an annotation with escapes", "x: 'f\\x28\\x29' = 1", "1:4 annotation"},
		{"an annotation that is computed", "x: '%c' % 40", "1:4 annotation, 1:4 annotation"},
		{"an annotation that is a call", "x: str('f')", "1:4 annotation"},
		{"an annotation of a name", "T = 'f()'\nx: T", "1:5 annotation"},
		{"an annotation of a name of a name", "S = 'f()'\nT = S\nx: T", "1:5 annotation"},
		{"a parameter", "def f(x: 'g()') -> 'h()': pass", "1:10 annotation, 1:20 annotation"},
		{"in brackets", "from typing import Optional\nx = Optional['f()']", "2:14 annotation"},
		{"of a base", "from pydantic import RootModel\nclass A(RootModel['f()']): pass", "2:19 annotation"},
		{"of a type variable", "from typing import TypeVar\nT = TypeVar('T', bound='f()')", "2:24 annotation"},
		{"of a type statement", "type A = 'f()'", "1:10 annotation"},
		{"of a class of the file", "from pydantic import RootModel\nclass A(RootModel): pass\nA['f()']", "3:3 annotation"},
		{"evaluated by name", "import typing\ntyping.get_type_hints(1)", "2:8 import"},
		// Texts that are read otherwise than they look.
		{"another encoding", "# -*- coding: utf-7 -*-\n+AGkAbQ", "fault encoding"},
		{"a line that ends early", "# x\rimport subprocess", "2:8 import"},
		{"no Python", "import (", "fault syntax"},
		{"old Python", "print >>f, 'x'", "1:1 syntax, 1:7 syntax, 1:9 builtin"},
		{"a default of a type parameter", "class A[T = eval('1')]: pass", "1:8 syntax"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := said(report(t, c.src)); got != c.want {
				t.Errorf("Check(%s):\n got %q\nwant %q\n%v", c.src, got, c.want, report(t, c.src).Violations)
			}
		})
	}
}

// TestColony_112_TheListedSnippets are those that the reference refuses, and the one that it
// accepts.
func TestColony_112_TheListedSnippets(t *testing.T) {
	for _, src := range []string{
		"import subprocess\nsubprocess.run(['ls'])", "import os\nos.system('ls')", "from os import system\nsystem('ls')", "eval('1')", "exec('1')",
		"__import__('os')", "import pickle\npickle.loads(b'')", "import importlib\nimportlib.import_module('os')",
	} {
		if r := report(t, src); r.OK() || r.Err("x.py") == nil || ext.KindOf(r.Err("x.py")) != ext.Refused {
			t.Errorf("Check(%s): got it accepted, want it refused", src)
		}
	}
	for _, src := range []string{"import os\nos.path.join('a', 'b')", "import os.path as p\np.join('a', 'b')", "from os import path\npath.join('a')", "from os.path import join as j\nj('a')", ""} {
		if r := report(t, src); !r.OK() {
			t.Errorf("Check(%s): got %v, want it accepted", src, r.Err("x.py"))
		}
	}
}

const good = `"""An agent."""
from __future__ import annotations

import asyncio
import json
import logging
import os.path
import typing as t
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial, wraps
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, Optional, TypeVar

from pydantic import BaseModel, Field

from polymathera.colony.agents.base import Agent
from polymathera.colony.distributed.ray_utils import serving
if TYPE_CHECKING:
    from polymathera.colony.agents import AgentHandle

log = logging.getLogger(__name__)
T = TypeVar("T", bound="Base")
Maybe = Optional[int]
type Pairs[K] = list[tuple[K, int]]
__all__ = ["Solver"]


class Color(Enum):
    RED = "red (warm)"


class Base(BaseModel, Generic[T]):
    x: Maybe = None
    kind: Literal["a (b)", "c"] = "a (b)"
    y: Annotated["list[int]", Field(gt=0, description="so (many)")] = 1
    z: dict[str, Any] | None = Field(default_factory=dict)
    of: type[Agent] = Agent


@dataclass(frozen=True)
class Point[N: (int, float)]:
    x: N
    tags: t.List[str] = field(default_factory=list)

    def __add__(self, other: Point) -> "Point":
        return Point(self.x + other.x)


def traced(f):
    @wraps(f)
    def inner(*args, **kwargs):
        log.info("calling %s (%d)", f.__name__, len(args))
        return f(*args, **kwargs)
    return inner


@serving.deployment(name="solver")
class Solver(Agent):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.state = {"cell (m)": 1}

    @traced
    async def run(self, values: Sequence[float], *, key=lambda v, k=1: v * k) -> str | None:
        global counter
        counter = 0
        async with asyncio.timeout(3):
            await asyncio.gather(*[self.one(v) for v in values if v])
        match self.state:
            case {"cell (m)": int(n), **rest} if n:
                return f"{n!r:>{len(rest)}} {Color['RED'].value}"
            case [Point(x=0) as p, *_] | (p, _):
                return json.dumps(p.x)
            case Color.RED | None | -1:
                pass
        try:
            del self.state["cell (m)"]
        except (KeyError, ValueError) as e:
            raise RuntimeError(str(e)) from e
        finally:
            name = os.path.join("a", "b")
        if (n := len(name)) > 1 and type(n) is int:
            self.state[name] = partial(max, n)(2)
        return self.__class__.__name__
`

func TestWhatIsOnTheList(t *testing.T) {
	if r := report(t, good); !r.OK() {
		t.Errorf("Check: got %v, want it accepted", r.Err("good.py"))
	}
}

func TestRules(t *testing.T) {
	more, err := ParseRules("numpy: array\nnumpy.*: @classes\n  float64\nbuiltins: open/1\n. : x\n")
	if err == nil {
		t.Errorf("ParseRules: got %v, want the last line refused", more)
	}
	if more, err = ParseRules("# mine\nnumpy: array\n\nnumpy.*: @classes\n  float64\nbuiltins: open/1\n"); err != nil {
		t.Fatal(err)
	}
	all := Default().With(more)
	src := "import numpy as np\nfrom numpy.linalg import LinAlgError, norm\nnp.array(1)\nnp.float64(1)\nnp.load('x')\nopen('x')\nopen('x', 'w')\nf = open\nlen([])"
	r, err := Check(context.Background(), []byte(src), all)
	if got, want := said(r), "2:39 import, 5:4 import, 7:1 builtin, 8:5 builtin"; got != want || err != nil {
		t.Errorf("Check with more rules: got %q, %v, want %q", got, err, want)
	}
	if got := said(report(t, "import numpy")); got != "1:8 import" {
		t.Errorf("Check with the rules that are shipped: got %q, want them unchanged", got)
	}
	for _, text := range []string{"  goes on", "no names", "a b: c", "m: x/y", "m: a.b"} {
		if _, err := ParseRules(text); err == nil {
			t.Errorf("ParseRules(%q): got no error", text)
		}
	}
}

// TestMany wants a bounded report of a file with a great many violations.
func TestMany(t *testing.T) {
	r := report(t, strings.Repeat("eval(1)\n", 5000))
	if len(r.Violations) != MaxViolations || r.More != 5000-MaxViolations || len(r.Findings(ext.Origin{Path: "x.py"})) != MaxFindings+1 {
		t.Errorf("Check: got %d violations and %d more, want %d and the rest", len(r.Violations), r.More, MaxViolations)
	}
}

// FuzzCheck wants no text to make judging panic, and what is judged twice to be judged the
// same.
func FuzzCheck(f *testing.F) {
	f.Add(good)
	for _, s := range []string{"match x:\n case A(b=c.d, **e): pass", "type A[*T, **P] = B[*T]", "lambda *a, b=1, /, **k: 0", "class A[T](B[T], m=C): x: D.E[F] = 1", "def f[T: 'x'](a: 'b', *, c) -> d: global e", "import a.b, c as d\nfrom .e import f", "try: pass\nexcept* A as b: del c.d, e[f]", "[a for b, *c in d if (e := f)]", "f'{a!r:{b}}' 'c'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if a, b := said(report(t, src)), said(report(t, src)); a != b {
			t.Errorf("Check: got %q and then %q", a, b)
		}
	})
}

// TestBounded wants time that grows with the size of a file, whatever is in it.
func TestBounded(t *testing.T) {
	for name, one := range map[string][3]string{
		"attributes": {"a", ".b", ""}, "calls": {"a", "(1).b", ""}, "subscripts": {"a", "[0]", ""}, "assignments": {"", "a = ", "1"},
		"types": {"x: a", " | b", ""}, "aliases": {"", "T = U\nU = T\nx: T\n", ""}, "statements": {"", "import os\nos.system(1)\n", ""},
		"arguments": {"f(", "a, ", "b)"}, "nested": {"", "[", ""}, "imports": {"import json as m", ", json as m, os.path as m", "\nm.x"}, "generic": {"x: ", "list[", ""},
	} {
		t.Run(name, func(t *testing.T) {
			src := one[0] + strings.Repeat(one[1], 100_000/len(one[1])) + one[2]
			start := time.Now()
			report(t, src)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("Check of 100 kB took %s", took)
			}
		})
	}
}
