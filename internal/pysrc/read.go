package pysrc

import (
	"cmp"
	"context"
	"slices"

	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// File is one file to be read. Path is slash-separated and only told, except that the
// names of siblings are taken from it: "x/a.py" is the module "a" to other files below "x".
type File struct {
	Path   string
	Source []byte
}

// Read reads one file. It never fails for what is in the file, which the module's Fault
// tells; the error is that of ctx. A file that has no class, or in whose code the Index has
// no root (see Words), is passed over, which the module's Skipped says. With all, it is
// read whole nevertheless: a base that comes from elsewhere is then told as unresolved.
func Read(ctx context.Context, f File, x *Index, all bool) (*Module, error) {
	m, _, err := ReadTree(ctx, f, x, all)
	return m, err
}

// ReadTree is Read, and the syntax tree of a file that was read whole, for who has to look
// at more of it; nil for any other.
func ReadTree(ctx context.Context, f File, x *Index, all bool) (*Module, *syntax.Tree, error) {
	x.build()
	o := syntax.Scan(f.Source, x.roots)
	m := &Module{Path: f.Path, Fault: o.Fault, Statements: o.Classes, Imports: o.Imports}
	switch {
	case m.Fault != nil:
		return m, nil, nil
	case all:
	case o.Classes == 0:
		m.Skipped = "it has no class"
	case !o.Found:
		m.Skipped = "it names nothing that is known"
	}
	if m.Skipped != "" {
		return m, nil, nil
	}
	tree, fault, err := syntax.Parse(ctx, f.Source)
	if err != nil {
		return nil, nil, err
	}
	if m.Fault = fault; fault != nil {
		return m, nil, nil
	}
	newReader(tree, m, x.ends).module(tree.Root())
	if m.Fault != nil {
		return m, nil, nil
	}
	return m, tree, nil
}

// reader interprets the statements of a file.
type reader struct {
	tree   *syntax.Tree
	m      *Module
	words  map[string]bool // the last parts of names that the Index knows
	global *scope          // the module's
	scope  *scope          // where names are bound: the module's or a class's
	// class is the class whose body is interpreted, -1 outside.
	class int
	depth int // of conditions
	// globals are the names that functions say they bind, and where.
	globals map[string]int
	// bodies are the functions, by where they stand; none where two stand in one line.
	bodies map[spot]syntax.Node
	// left is how many expressions may still be looked at; below zero the file is given up.
	left int
}

// A file may take effort looks at expressions for each of its nodes, and some more. What
// people write takes fewer than three.
const (
	effort     = 30
	baseEffort = 10_000
)

// spend reports whether there is still effort to spend, and spends it.
func (r *reader) spend() bool {
	r.left--
	return r.left >= 0
}

// spot is where a function stands, as far as its value tells.
type spot struct {
	name string
	line int
}

func newReader(t *syntax.Tree, m *Module, words map[string]bool) *reader {
	r := &reader{tree: t, m: m, words: words, class: -1, global: newScope(), globals: map[string]int{}, bodies: map[spot]syntax.Node{}}
	r.scope = r.global
	return r
}

// module interprets the file and keeps what its names hold in the end.
func (r *reader) module(root syntax.Node) {
	r.left = baseEffort + effort*root.Size()
	r.block(root)
	if r.left < 0 {
		*r.m = Module{Path: r.m.Path, Statements: r.m.Statements, Imports: r.m.Imports,
			Fault: &syntax.Fault{Code: syntax.Effort, Line: 1, Reason: "its expressions take more looks than a file of its size may"}}
		return
	}
	for name, h := range r.global.names {
		if h.Kind == Absent && !h.Typing {
			continue
		}
		r.m.Bindings = append(r.m.Bindings, Binding{Name: name, Line: h.at, Value: r.overlaid(name, h), Global: r.globals[name]})
	}
	slices.SortFunc(r.m.Bindings, func(a, b Binding) int { return cmp.Compare(a.Name, b.Name) })
}
