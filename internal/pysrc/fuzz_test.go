package pysrc

import (
	"context"
	"reflect"
	"testing"
)

// FuzzRead holds reading to its contract for any text: it ends, says the same twice, and
// lists nothing without evidence, and nothing doubtful without a reason.
func FuzzRead(f *testing.F) {
	for _, src := range []string{
		"A*\nclass A(Agent): pass\n", "S*\n@serving.deployment(name='x')\nclass D: pass\nE = f(D)\n",
		"try:\n A*\nexcept E as e:\n raise\nelse: pass\nfinally: x = 1\nclass A(Agent): __module__ = 'x'\n",
		"A*\nfrom m import *\nwhile x:\n class A(Agent[T], (b := C)): y: int = 3\nelse: del A\n",
		"A*\nwith a as (b, c): pass\nfor i, *j in k: pass\nmatch x:\n case [p, *q] | C(d=e) as g if h: A = Agent\nclass B(A): pass\n",
		"def mission_entry(a=1):\n 'doc'\n return {'a': [1, -2.5, None, (True,)], 'b': {'c': \"x\" 'y'}}\n",
		"A*\ndef f():\n global A\n class A(Agent): pass\n return A\nX = f()\nglobals()['Y'] = X\nA.__name__ = 'Z'\nsetattr(A, '__deployment_config__', 1)\n",
		"A*\nBase = Agent if x else (Agent or y)\nimport a.b as c, d.e\nclass A(c.X, d.e.Y, Base, *z, k=1, **w): spec = T(n=1, *a, **b)\nexec('x')\nraise A\n",
	} {
		f.Add([]byte(shorthands.Replace(src)))
	}
	x := Reference()
	f.Fuzz(func(t *testing.T, src []byte) {
		file := File{"d/x.py", src}
		m, err := Read(context.Background(), file, x, true)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := Read(context.Background(), file, x, true)
		if !reflect.DeepEqual(m, again) {
			t.Fatal("two readings give two modules")
		}
		other := &Module{Path: "d/y.py", Skipped: "it has no class", Imports: []string{"x"}}
		set, twice := Link([]*Module{m, other}, x), Link([]*Module{other, m}, x)
		if !reflect.DeepEqual(set.Classes, twice.Classes) || !reflect.DeepEqual(set.Wanted, twice.Wanted) {
			t.Fatal("the order of the modules changes what is found")
		}
		for _, c := range set.Classes {
			if len(c.Evidence) == 0 || c.Line < 1 || (c.Certainty == Certain) != (c.Reason == "") {
				t.Fatalf("without evidence, place or reason: %+v", c)
			}
			set.Attribute(c.File, c.Name, "spec")
		}
		if m.Fault != nil && len(set.Classes) > 0 {
			t.Fatal("a file that is not Python has classes")
		}
		mission, err := ReadMission(context.Background(), file)
		if err != nil {
			t.Fatal(err)
		}
		said := 0
		for _, one := range []bool{mission.Value != nil, mission.Reason != "", mission.Fault != nil} {
			if one {
				said++
			}
		}
		if said != 1 {
			t.Fatalf("not one of value, reason and fault: %+v", mission)
		}
	})
}
