package pysrc

import (
	"context"
	"strings"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// Entry is the name of the function that a mission is made by.
const Entry = "mission_entry"

var entryWords = sync.OnceValue(func() *syntax.Words { return syntax.NewWords(Entry) })

// Mission is what reading tells of the mission of a file. Exactly one of Value, Reason and
// Fault is set.
type Mission struct {
	// Value is the dictionary that the factory returns: keys in order, each with its line.
	// Tuples are lists. A key that stands twice is there once, with the last value, and
	// there is a note.
	Value *ext.Doc
	// Line is where the factory is bound; 0 when there is none.
	Line int
	// Reason says why there is no value, and ReasonLine where.
	Reason     string
	ReasonLine int
	// Missing says that the file has no factory; Wrong that whatever it returns is no
	// dictionary, so that the reference system would refuse it as well. A reason with
	// neither is unresolved: running the file might give a mission, reading does not.
	Missing, Wrong bool
	Fault          *syntax.Fault
	Notes          []Step
}

// ReadMission finds the mission of a file: the function mission_entry that the module is
// left with, whose body is one return of a literal dictionary, after a docstring or none.
// It depends on the file alone. The error is that of ctx.
func ReadMission(ctx context.Context, f File) (*Mission, error) {
	m, _, err := ReadMissionTree(ctx, f)
	return m, err
}

// ReadMissionTree is ReadMission, and the syntax tree of a file that has a factory; nil
// for any other.
func ReadMissionTree(ctx context.Context, f File) (*Mission, *syntax.Tree, error) {
	o := syntax.Scan(f.Source, entryWords())
	if o.Fault != nil {
		return &Mission{Fault: o.Fault}, nil, nil
	}
	if !o.Found {
		return missing(), nil, nil
	}
	tree, fault, err := syntax.Parse(ctx, f.Source)
	if err != nil {
		return nil, nil, err
	}
	if fault != nil {
		return &Mission{Fault: fault}, nil, nil
	}
	module := &Module{Path: f.Path}
	r := newReader(tree, module, nil)
	r.module(tree.Root())
	if module.Fault != nil {
		return &Mission{Fault: module.Fault}, nil, nil
	}
	m := r.mission()
	m.Notes = append(m.Notes, module.Notes...)
	for i := range m.Notes {
		m.Notes[i].File = f.Path
	}
	inFile(m.Value, f.Path)
	if m.Missing {
		tree = nil
	}
	return m, tree, nil
}

// inFile says of a value and all in it which file they are in.
func inFile(d *ext.Doc, file string) {
	if d == nil {
		return
	}
	d.File = file
	for i := range d.List {
		inFile(&d.List[i], file)
	}
	for i := range d.Map {
		inFile(&d.Map[i].Value, file)
	}
}

func missing() *Mission {
	return &Mission{Missing: true, Reason: "there is no " + Entry, ReasonLine: 1}
}

// mission is that of the file that was interpreted.
func (r *reader) mission() *Mission {
	h, ok := r.global.names[Entry]
	if !ok || h.Kind == Absent {
		m := missing()
		if ok {
			m.Reason, m.ReasonLine = Entry+" is not bound in the end", h.at
		}
		return m
	}
	m := &Mission{Line: h.at, ReasonLine: h.at}
	switch {
	case r.m.Ends > 0:
		m.Reason, m.ReasonLine, m.Wrong = "the file ends with an exception whatever happens", r.m.Ends, true
	case r.m.Dynamic > 0:
		m.Reason, m.ReasonLine = "the file may bind names in ways that reading does not see", r.m.Dynamic
	case r.globals[Entry] > 0:
		m.Reason, m.ReasonLine = "a function may bind "+Entry+" anew", r.globals[Entry]
	default:
		r.factory(m, r.overlaid(Entry, h), h.node)
	}
	return m
}

// factory reads what the factory is bound to.
func (r *reader) factory(m *Mission, v Value, n syntax.Node) {
	switch v.Kind {
	case Function:
		if n = r.bodies[spot{v.Name, v.Line}]; !n.OK() {
			m.Reason = "two functions in one line"
			return
		}
		r.returned(m, n)
	case Local:
		m.Reason, m.Wrong = "it is a class, which returns an instance and no dictionary", true
	case Literal:
		m.Reason, m.Wrong = "it cannot be called", true
	case Imported:
		m.Reason = "it is imported: " + v.Name
	case OneOf:
		m.Reason = "it depends on " + firstOf(v.Why, "a condition")
	case Called:
		m.Reason = "it is the value of a call of " + v.Why
		if n.Is(syntax.KindFunctionDefinition) {
			m.Reason = "it has the decorator " + v.Why
		}
	default:
		m.Reason = "it is " + firstOf(v.Why, "a value that reading does not tell")
	}
}

// returned reads the one return of a function.
func (r *reader) returned(m *Mission, n syntax.Node) {
	if n.Is(syntax.KindFunctionDefinition) && strings.HasPrefix(n.Text(), "async") {
		m.Reason, m.Wrong = "it is asynchronous, and returns a coroutine", true
		return
	}
	if p := required(n.Child(syntax.FieldParameters)); p.OK() {
		m.Reason, m.ReasonLine, m.Wrong = "it takes an argument, "+brief(p), p.Line(), true
		return
	}
	value := n.Child(syntax.FieldBody)
	if !n.Is(syntax.KindLambda) {
		var other syntax.Node
		if value, other = onlyReturn(value); other.OK() {
			m.Reason, m.ReasonLine = "more than one literal return: "+brief(other), other.Line()
			return
		}
	}
	if !value.OK() {
		m.Reason, m.Wrong = "it returns nothing", true
		return
	}
	l := literals{}
	d := l.value(value)
	m.Notes = l.twice
	switch {
	case l.reason != "":
		m.Reason, m.ReasonLine = l.reason, l.line
	case d.Kind != ext.Map:
		m.Reason, m.ReasonLine, m.Wrong = "it returns "+d.Kind.String()+" and no dictionary", d.Line, true
	default:
		m.Value = &d
	}
}

// required is the first parameter without a default; none where there is none.
func required(params syntax.Node) syntax.Node {
	for p := range params.Named() {
		if p.Is(syntax.KindIdentifier) || p.Is(syntax.KindTypedParameter) && p.First().Is(syntax.KindIdentifier) {
			return p
		}
	}
	return syntax.Node{}
}

// onlyReturn is the value of the one return that a body is, after a docstring; or what
// else stands in it.
func onlyReturn(body syntax.Node) (value, other syntax.Node) {
	for s := range body.Named() {
		switch {
		case s.Is(syntax.KindExpressionStatement) && s.First().Is(syntax.KindString, syntax.KindConcatenatedString, syntax.KindEllipsis),
			s.Is(syntax.KindPassStatement):
		case s.Is(syntax.KindReturnStatement):
			return s.First(), syntax.Node{}
		default:
			return syntax.Node{}, s
		}
	}
	return syntax.Node{}, syntax.Node{}
}
