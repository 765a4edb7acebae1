package syntax

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// valid are pieces of modern Python; each has to be read without a fault.
var valid = []string{
	"", "\n", "# only a comment", "x = 1", "x = 1;\n", "\fclass A: pass\n", "class A: x = 1; y = 2\n",
	"class A[T = int](B): pass\n", "def f[T: (int, str) = int, *Ts = *tuple[int], **P = [int, str]](): pass\n",
	"type X[T = int] = list[T]\n", "type = 3\n", "match = 4\nmatch[1]\nprint(match)\n",
	"try:\n    pass\nexcept* ValueError as e:\n    pass\n", "try:\n    pass\nexcept A, B:\n    pass\n",
	"match x:\n    case A(b=1) | [1, *_] if y:\n        pass\n    case {'a': 1, **r}:\n        pass\n",
	"x = t'{a}'\n", "f'{x:{\"a\"}}'\n", "f\"{x[\"a\"]!r:>{w}.{p}}\"\n", "print(f'{a=}')\n", "x = f'''{\n  a  # b\n}'''\n",
	"f'{{}}{x}'\n", "f'\\N{BULLET}{x}'\n", "rf'\\{x}'\n", "f'{f\"{f'{1}'}\"}'\n", "f'''a\"{b}''\"'''\n",
	"print >> f, 'x'\n", "print('a' if x else 'b', sep='')\n", "exec('x')\n",
	"async def f():\n    async with a as b, c:\n        await x\n", "with (a as b, c as d):\n    pass\n",
	"@(lambda c: c)\nclass A: pass\n", "lambda *a, b=1, **k: 0\n", "def f(a, /, b, *, c): pass\n", "x: int\n",
	"for x in *a, *b: pass\n", "class A(*b, metaclass=M, **k): pass\n", "class A(x := B): pass\n",
	"if (a := f()) is not None and b not in c: pass\n", "*a, b = c\n", "a[1:2, ::3] = ...\n", "from .a.b import (c as d, e,)\n",
	"x = b'a' rb'\\x'\n", "class \ufb01: pass\n", "\u5909\u6570 = 1\n", "if x:\n  pass\n # c\n  # d\nelse:\n  pass\n",
	"if x:\n\ty\n\tif z:\n\t\tw\n", "x = [i async for i in a if b]\n", "x = 1 if a else(2)\n", "x = 1if a else 2\n",
	"class A:\n    def f():\n        (b.\n    c)\n        (b. # d\n  c(\n))\n",
	"a = \\\n  b\n", "x = (\n# c\n  1,\n)\n", "x = 'a\\\nb'\n", "x = '''a\r\nb'''\r\n", "if x:\r    y\r", "x = '\\'' \"\\\"\"\n",
}

// invalid are pieces that Python refuses, or refuses by now, and the line that is told.
var invalid = []struct {
	source string
	code   Code
	line   int
}{
	{"x = 1\nclass A:\n", Syntax, 3}, {"class A:\n\nx=1\n", Syntax, 2},
	{"if x:\n    a\n  class B(Agent): pass\n", Syntax, 3}, {"x = 1\n    y = 2\n", Syntax, 2},
	{"if True:\n\tx\n        y\n", Syntax, 3}, {"print 'x'\n", Syntax, 1}, {"exec 'x'\n", Syntax, 1}, {"a <> b\n", Syntax, 1},
	{"x = `a`\n", Syntax, 1}, {"x = a ? b\n", Syntax, 1}, {"\u00a0x = 1\n", Syntax, 1}, {"x =\v1\n", Syntax, 1}, {"x\u200b = 1\n", Syntax, 1},
	{"x = 'a\n", Syntax, 1}, {"x = '''a\n\n", Syntax, 1}, {"\nx = (1\n", Syntax, 2}, {"x = 1)\n", Syntax, 1}, {"x = (1]\n", Syntax, 1},
	{"x = f'{a'\n", Syntax, 1}, {"x = f'}'\n", Syntax, 1}, {"x = bu'a'\n", Syntax, 1}, {"x = a \\ b\n", Syntax, 1},
	{"x = a !\n", Syntax, 1}, {"else: pass\n", Syntax, 1}, {"a = 1\na b\n", Syntax, 2}, {"def f(a b): pass\n", Syntax, 1},
	{"\ufeffx = 1\n", BOM, 1}, {"x = 1\n\x00", NUL, 2}, {"x = '\xff'\n", Encoding, 1},
	{strings.Repeat("(", 300), Depth, 1}, {"x = " + strings.Repeat("-", 5000) + "1\n", Depth, 1},
	{strings.Repeat("x", MaxSize+1), Size, 1},
}

func TestParse(t *testing.T) {
	for _, src := range valid {
		tree, f, err := Parse(context.Background(), []byte(src))
		if f != nil || err != nil {
			t.Errorf("%q: %v, %v", src, f, err)
			continue
		}
		checkTree(t, tree)
	}
	for _, c := range invalid {
		_, f, err := Parse(context.Background(), []byte(c.source))
		if err != nil || f == nil || f.Code != c.code || f.Line != c.line {
			t.Errorf("%.60q: got %v, %v, want %s in line %d", c.source, f, err, c.code, c.line)
		}
	}
}

// TestTabError holds the scan to Python's two measures of indentation.
func TestTabError(t *testing.T) {
	for source, ok := range map[string]bool{
		"if x:\n\ta\n\tb\n":                true,
		"if x:\n        a\n\tb\n":          false,
		"if x:\n \ta\n \tb\n":              true,
		"if x:\n  a\n  if y:\n  \tb\n":     true,
		"if x:\n\tif y:\n\t  a\n\tb\n":     true,
		"if x:\n\tif y:\n\t\ta\n        b": false,
	} {
		if f := Scan([]byte(source), nil).Fault; (f == nil) != ok {
			t.Errorf("%q: got %v, want it read: %v", source, f, ok)
		}
	}
}

func parsed(t *testing.T, src string) *Tree {
	t.Helper()
	tree, f, err := Parse(context.Background(), []byte(src))
	if f != nil || err != nil {
		t.Fatal(f, err)
	}
	return tree
}

// checkTree holds a tree to what a tree is: children within their parents, in order.
func checkTree(t *testing.T, tree *Tree) {
	t.Helper()
	for n := range tree.Root().All() {
		start, end := n.Span()
		if start > end || end > len(tree.Source()) {
			t.Fatalf("%v at %d to %d of %d", n.Kind(), start, end, len(tree.Source()))
		}
		at := start
		for c := range n.Children() {
			s, e := c.Span()
			if s < at || e > end && n.Kind() != KindModule {
				t.Fatalf("%v at %d to %d has %v at %d to %d", n.Kind(), start, end, c.Kind(), s, e)
			}
			if !c.Within(n) {
				t.Fatalf("%v is not within its parent", c.Kind())
			}
			at = e
		}
		if n.Line() < 1 || n.Column() < 1 {
			t.Fatalf("%v at line %d, column %d", n.Kind(), n.Line(), n.Column())
		}
	}
}

// lay is a tree as lines, for comparisons.
func lay(tree *Tree) string {
	var b strings.Builder
	for n := range tree.Root().All() {
		s, e := n.Span()
		fmt.Fprintln(&b, n.Kind(), n.Field(), s, e, n.Error(), n.Missing(), n.Size())
	}
	return b.String()
}

func TestNodes(t *testing.T) {
	src := "# c\r\nx = 1\r\n@dec(1)\r\nclass \ufb01(A, k=B):\r\n    async def f(self): return -1\r\n"
	tree := parsed(t, src)
	var class, op, async Node
	for n := range tree.Root().All() {
		switch {
		case n.Is(KindClassDefinition):
			class = n
		case n.Field() == FieldOperator:
			op = n
		case n.Kind() == 0:
			async = n
		}
	}
	name := class.Child(FieldName)
	if class.Line() != 4 || class.Column() != 1 || name.Column() != 7 || name.Identifier() != "fi" || name.Text() != "\ufb01" {
		t.Errorf("class %q (%q) at %d:%d, name at column %d", name.Text(), name.Identifier(), class.Line(), class.Column(), name.Column())
	}
	if op.Text() != "-" || async.Text() != "async" {
		t.Errorf("operator %q, word %q", op.Text(), async.Text())
	}
	if class.Child(FieldCause).OK() || (Node{}).Line() != 0 || (Node{}).Text() != "" || (Node{}).First().OK() {
		t.Error("what is not there is there")
	}
	visited := 0
	tree.Root().Walk(func(n Node) bool { visited++; return !n.Is(KindClassDefinition) })
	if visited >= tree.Root().Size() {
		t.Errorf("visited %d of %d nodes, want those of the class left out", visited, tree.Root().Size())
	}
	if KindClassDefinition.String() != "class_definition" || KindError.String() != "ERROR" {
		t.Error("kinds have other names")
	}
}

// TestDefaultsOfTypeParametersAreLeftOut keeps everything else where it was.
func TestDefaultsOfTypeParametersAreLeftOut(t *testing.T) {
	src := "class A[T = dict[str, int], *Ts = *tuple[int]](Agent): x = 1\n"
	tree := parsed(t, src)
	plain := parsed(t, "class A[T                 , *Ts              ](Agent): x = 1\n")
	if lay(tree) != lay(plain) || string(tree.Source()) != src {
		t.Errorf("got\n%s, want\n%s", lay(tree), lay(plain))
	}
}

func TestContextEndsAParse(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Parse(ctx, []byte("x = 1\n")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

// TestParsersAreAlike parses in several goroutines, with parsers that were used for other
// texts before: a tree depends on its text alone.
func TestParsersAreAlike(t *testing.T) {
	want := make([]string, len(valid))
	for i, src := range valid {
		want[i] = lay(parsed(t, src))
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range valid {
				i = (i*7 + g*13) % len(valid)
				_, _, _ = Parse(context.Background(), []byte(invalid[i%(len(invalid)-1)].source))
				tree, f, err := Parse(context.Background(), []byte(valid[i]))
				if f != nil || err != nil || lay(tree) != want[i] {
					t.Errorf("%q: another tree, or %v, %v", valid[i], f, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestScan(t *testing.T) {
	for _, c := range []struct {
		source  string
		classes int
		found   bool
		imports string
	}{
		{"class A: pass\nif x:\n  class B: pass\n", 2, false, ""},
		{"x = 'class A: Agent'\n# class B Agent\n\"\"\"\nclass C: Agent\n\"\"\"\n", 0, false, ""},
		{"x = f'{Agent}'\n", 0, true, ""},
		{"x = f'Agent{x:Agent}'\n", 0, false, ""},
		{"class A(b.Agent): pass\n", 1, true, ""},
		{"class A(Agents, MyAgent): pass\n", 1, false, ""},
		{"class A(\uff21gent): pass\n", 1, true, ""},
		{"import a.b as c, d\nfrom .x import y; import z\nif q: import w\nfrom . import v\nfrom a import (b as e, # f\n c)\nx = yield\n", 0, false, "a.b d .x .x.y z w . .v a a.c"},
		{"raise A from b\nx.from_ = 1\n", 0, false, ""},
		{"r'\\' + Agent\n", 0, false, ""},
	} {
		o := Scan([]byte(c.source), NewWords("Agent"))
		if o.Classes != c.classes || o.Found != c.found || strings.Join(o.Imports, " ") != c.imports {
			t.Errorf("%q: got %d classes, found %v, imports %v; want %d, %v, %s", c.source, o.Classes, o.Found, o.Imports, c.classes, c.found, c.imports)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, src := range valid {
		f.Add([]byte(src))
	}
	for _, c := range invalid {
		if len(c.source) < 1000 {
			f.Add([]byte(c.source))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		o := Scan(src, NewWords("Agent"))
		tree, fault, err := Parse(context.Background(), src)
		if err != nil {
			t.Fatal(err)
		}
		if fault != nil && (fault.Line < 1 || fault.Line > 1+len(src) || fault.Reason == "") {
			t.Fatalf("a fault without a place or a reason: %+v", fault)
		}
		if o.Fault != nil && fault == nil {
			t.Fatalf("the scan says %v, the parser nothing", o.Fault)
		}
		if tree == nil {
			return
		}
		checkTree(t, tree)
		again, _, _ := Parse(context.Background(), src)
		if lay(tree) != lay(again) {
			t.Fatal("two parses give two trees")
		}
		if fault == nil {
			classes := 0
			for n := range tree.Root().All() {
				if n.Is(KindClassDefinition) {
					classes++
				}
			}
			if classes != o.Classes {
				t.Fatalf("the scan counts %d classes, the tree has %d", o.Classes, classes)
			}
		}
	})
}
