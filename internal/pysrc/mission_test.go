package pysrc

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

// show is a value as one line, keys with their lines.
func show(d *ext.Doc) string {
	switch d.Kind {
	case ext.Null:
		return "null"
	case ext.String:
		return fmt.Sprintf("%q", d.Text)
	case ext.List:
		parts := make([]string, len(d.List))
		for i := range d.List {
			parts[i] = show(&d.List[i])
		}
		return "[" + strings.Join(parts, ",") + "]"
	case ext.Map:
		parts := make([]string, len(d.Map))
		for i := range d.Map {
			parts[i] = fmt.Sprintf("%s@%d:%s", d.Map[i].Key, d.Map[i].Line, show(&d.Map[i].Value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return d.Text
}

// TestMissions are the behaviours of missions that concern reading, by their numbers: the
// reference runs the factory, reading takes a literal or says why there is none.
func TestMissions(t *testing.T) {
	for _, c := range []struct{ name, source, value, reason string }{
		{"53 valid", "def mission_entry():\n  '''Doc.'''\n  return {\n    'label': 'a' \"b\",\n    'n': -1, 'f': 1.5, 't': (True, None),\n    'd': {'k': [1_000, 0x10]},\n  }\n",
			`{label@4:"ab",n@5:-1,f@5:1.5,t@5:[true,null],d@6:{k@6:[1000,16]}}`, ""},
		{"53 a lambda", "mission_entry = lambda: {'a': 1}\n", "{a@1:1}", ""},
		{"53 another name", "def make():\n  return {'a': 1}\nmission_entry = make\n", "{a@2:1}", ""},
		{"53 optional arguments", "def mission_entry(a=1, *b, **c):\n  return {}\n", "{}", ""},
		{"53 the last counts", "def mission_entry():\n  return 1\ndef mission_entry():\n  return {'a': 1, 'b': 2, 'a': 3}\n", "{a@4:3,b@4:2}", ""},
		{"54 no factory", "x = 1\n", "", "1 missing: there is no mission_entry"},
		{"54 only named", "x = mission_entry\n", "", "1 missing: there is no mission_entry"},
		{"54 deleted", "def mission_entry(): return {}\ndel mission_entry\n", "", "2 missing: mission_entry is not bound in the end"},
		{"54 not callable", "mission_entry = {'a': 1}\n", "", "1 wrong: it cannot be called"},
		{"55 raises", "def mission_entry():\n  raise ValueError\n", "", "2 unresolved: more than one literal return: raise ValueError"},
		{"55 the file raises", "def mission_entry():\n  return {}\nraise ValueError\n", "", "3 wrong: the file ends with an exception whatever happens"},
		// What is in the dictionary is not judged here: 56 to 61 only have to come through.
		{"56 an unknown key", "def mission_entry():\n  return {'lable': 'x'}\n", `{lable@2:"x"}`, ""},
		{"57 no worker", "def mission_entry():\n  return {'label': 'x'}\n", `{label@2:"x"}`, ""},
		{"58 a scope", "def mission_entry():\n  return {'caller_parameters': [{'name': 'a', 'scope': 'colony'}]}\n", `{caller_parameters@2:[{name@2:"a",scope@2:"colony"}]}`, ""},
		{"59 zero", "def mission_entry():\n  return {'execution_policy': {'max_iterations': 0}}\n", "{execution_policy@2:{max_iterations@2:0}}", ""},
		{"60 two flags", "def mission_entry():\n  return {'pure': True, 'mutates_remote': True}\n", "{pure@2:true,mutates_remote@2:true}", ""},
		{"61 an integer", "def mission_entry():\n  return {'label': 5}\n", "{label@2:5}", ""},
		{"62 asynchronous", "async def mission_entry():\n  return {}\n", "", "1 wrong: it is asynchronous, and returns a coroutine"},
		{"62 an instance", "class mission_entry:\n  pass\n", "", "1 wrong: it is a class, which returns an instance and no dictionary"},
		{"62 a list", "def mission_entry():\n  return [1]\n", "", "2 wrong: it returns a list and no dictionary"},
		{"62 nothing", "def mission_entry():\n  'doc'\n", "", "1 wrong: it returns nothing"},
		{"an argument", "def mission_entry(x):\n  return {}\n", "", "1 wrong: it takes an argument, x"},
		{"computed", "def mission_entry():\n  return {'a': f'{x}'}\n", "", "2 unresolved: a string with fields"},
		{"a name", "X = 'y'\ndef mission_entry():\n  return {\n    'a': X}\n", "", "4 unresolved: not a literal: X"},
		{"unpacked", "def mission_entry():\n  return {**base}\n", "", "2 unresolved: not a literal: **base"},
		{"a call", "def mission_entry():\n  return dict(a=1)\n", "", "2 unresolved: not a literal: dict(a=1)"},
		{"a key", "def mission_entry():\n  return {1: 2}\n", "", "2 unresolved: a key that is no string: 1"},
		{"statements", "def mission_entry():\n  x = {}\n  return x\n", "", "2 unresolved: more than one literal return: x = {}"},
		{"decorated", "@cache\ndef mission_entry():\n  return {}\n", "", "2 unresolved: it has the decorator cache"},
		{"imported", "from x import mission_entry\n", "", "1 unresolved: it is imported: x.mission_entry"},
		{"conditional", "if x:\n  def mission_entry(): return {}\n", "", "2 unresolved: it depends on the if at line 1"},
		{"a fault", "def mission_entry(:\n", "", "fault syntax"},
		{"escapes", `def mission_entry(): return {'a': 'x\n\x41\u00e9\101\'\q', 'b': r'\n', 'c': u"z"}` + "\n", `{a@1:"x\nAéA'\\q",b@1:"\\n",c@1:"z"}`, ""},
		{"a character by name", `def mission_entry(): return {'a': '\N{BULLET}'}` + "\n", "", "1 unresolved: a character by its name"},
		{"too large", "def mission_entry(): return {'a': 1e999}\n", "", "1 unresolved: a number that is not read: 1e999"},
		{"complex", "def mission_entry(): return {'a': 1j}\n", "", "1 unresolved: a number that is not read: 1j"},
		{"bytes", "def mission_entry(): return {'a': b'x'}\n", "", "1 unresolved: bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := ReadMission(context.Background(), File{"m.py", []byte(c.source)})
			if err != nil {
				t.Fatal(err)
			}
			var value, reason string
			switch word := "unresolved"; {
			case m.Fault != nil:
				reason = "fault " + string(m.Fault.Code)
			case m.Value != nil:
				value = show(m.Value)
			default:
				if m.Missing {
					word = "missing"
				} else if m.Wrong {
					word = "wrong"
				}
				reason = fmt.Sprintf("%d %s: %s", m.ReasonLine, word, m.Reason)
			}
			if value != c.value || reason != c.reason {
				t.Errorf("got value %s, reason %q; want %s, %q", value, reason, c.value, c.reason)
			}
		})
	}
}

// TestAttributes reads the specification of a tool off its class.
func TestAttributes(t *testing.T) {
	lib := file("lib.py", "from colony.tools import ToolSpec\nclass Base:\n  spec = ToolSpec('p', name='base', capabilities=['a', 'b'])\nclass Other:\n  spec = ToolSpec(name='other')\n")
	for _, c := range []struct{ name, source, call, want string }{
		{"own", "from colony.tools import ToolSpec as T\nclass X(Unknown):\n  spec = T(name='x', capabilities=['c'])\n", "colony.tools.ToolSpec", `name="x" capabilities=["c"]`},
		{"inherited", "from lib import Base\nclass X(Base): pass\n", "colony.tools.ToolSpec", `name="base" capabilities=["a","b"] 0="p"`},
		{"in Python's order", "from lib import Base, Other\nclass M(Base): pass\nclass N(Base):\n  spec = S(name='n')\nclass X(M, N, Other): pass\n", "S", `name="n"`},
		{"nested", "class X(): \n  class spec: pass\n", "", ""},
		{"an unknown base before", "from lib import Base\nfrom ext import U\nclass X(U, Base): pass\n", "", "reason: ext.U, which is not read, may have it"},
		{"a mixin of the standard library before", "from lib import Base\nfrom abc import ABC\nclass X(ABC, Base): pass\n", "colony.tools.ToolSpec", `name="base" capabilities=["a","b"] 0="p"`},
		{"not a literal", "class X:\n  spec = S(name=N, **more)\n", "S", "name?not a literal: N **?arguments that are unpacked"},
		{"conditional", "class X:\n  if a:\n    spec = S(name='x')\n", "", "reason: it depends on the if at line 2"},
		{"none", "class X: pass\n", "", "reason: the class has no spec"},
		{"a literal", "class X:\n  spec = {'a': 1}\n", "", `{a@2:1}`},
		{"no order", "class A: pass\nclass B(A): pass\nclass X(A, B): pass\n", "", "reason: the bases cannot be put in order"},
		{"the class is conditional", "if a:\n  class X:\n    spec = S()\n", "S", "reason: the class depends on the if at line 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := readAll(t, lib, file("x.py", c.source))
			a, evidence, ok := set.Attribute("x.py", "X", "spec")
			if !ok || len(evidence) == 0 {
				t.Fatalf("no class X, or no evidence: %v", evidence)
			}
			var parts []string
			if a.Reason != "" {
				parts = append(parts, "reason: "+a.Reason)
			}
			if a.Value != nil {
				parts = append(parts, show(a.Value))
			}
			for _, arg := range a.Arguments {
				if arg.Value != nil {
					parts = append(parts, arg.Name+"="+show(arg.Value))
				} else {
					parts = append(parts, arg.Name+"?"+arg.Reason)
				}
			}
			if got := strings.Join(parts, " "); got != c.want || a.Call != c.call {
				t.Errorf("got %s of %q, want %s of %q", got, a.Call, c.want, c.call)
			}
		})
	}
	set := readAll(t, lib, file("x.py", "from lib import Base\nclass X(Base): pass\n"))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if a, _, ok := set.Attribute("x.py", "X", "spec"); !ok || a.Reason != "" {
				t.Errorf("of several goroutines: %v, %+v", ok, a)
			}
		})
	}
	wg.Wait()
	if _, _, ok := set.Attribute("lib.py", "Nope", "spec"); ok {
		t.Error("a class that is not there: found")
	}
}
