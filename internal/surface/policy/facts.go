package policy

import (
	"slices"

	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"github.com/mortise-dev/mortise/ext"
)

// offered are the functions that an expression may call.
var offered = map[string]bool{
	operators.Conditional: true, operators.LogicalAnd: true, operators.LogicalOr: true, operators.LogicalNot: true,
	operators.Equals: true, operators.NotEquals: true, operators.Less: true, operators.LessEquals: true,
	operators.Greater: true, operators.GreaterEquals: true, operators.In: true, operators.Index: true,
	operators.Add: true, operators.Subtract: true, operators.Multiply: true, operators.Divide: true,
	operators.Modulo: true, operators.Negate: true, operators.NotStrictlyFalse: true,
	"size": true, "type": true, "bool": true, "double": true, "dyn": true, "int": true, "string": true, "uint": true,
	"contains": true, "startsWith": true, "endsWith": true, "matches": true,
	"charAt": true, "lowerAscii": true, "upperAscii": true,
	"replace": true, "split": true, "substring": true, "trim": true,
}

// reader goes through a checked expression.
type reader struct {
	ast    *ast.AST
	reads  []string
	ranges map[int64]bool // what loops go through
	faults []fault
}

func (r *reader) fault(c *ext.Check, e ast.Expr, format string, args ...any) {
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, newFault(c, r.at(e), format, args...))
	}
}

func (r *reader) at(e ast.Expr) common.Location { return r.ast.SourceInfo().GetStartLocation(e.ID()) }

// read goes through one part, loops being how many it stands in.
func (r *reader) read(e ast.Expr, loops int) {
	switch e.Kind() {
	case ast.IdentKind:
		r.reads = append(r.reads, r.variable(e)...)
	case ast.SelectKind:
		s := e.AsSelect()
		if r.argument(s.Operand(), s.FieldName()) {
			return
		}
		r.read(s.Operand(), loops)
	case ast.CallKind:
		r.call(e, loops)
	case ast.ListKind:
		for _, x := range e.AsList().Elements() {
			r.read(x, loops)
		}
	case ast.MapKind:
		for _, x := range e.AsMap().Entries() {
			r.read(x.AsMapEntry().Key(), loops)
			r.read(x.AsMapEntry().Value(), loops)
		}
	case ast.ComprehensionKind:
		r.loop(e, loops)
	case ast.StructKind:
		r.fault(Expression, e, "values of the type %s are not offered here", e.AsStruct().TypeName())
	}
}

// variable is the variable that a name stands for. The variable of a loop that is
// called like one of ours counts as that: too much is read rather than too little.
func (r *reader) variable(e ast.Expr) []string {
	name := e.AsIdent()
	if ref := r.ast.ReferenceMap()[e.ID()]; ref != nil && ref.Name != "" {
		name = ref.Name
	}
	if len(name) > 1 && name[0] == '.' {
		name = name[1:]
	}
	if !slices.Contains(variables[:], name) {
		return nil
	}
	return []string{name}
}

// argument notes that one key of the arguments is read, where that is what the
// operand and the key come to.
func (r *reader) argument(operand ast.Expr, key string) bool {
	if operand.Kind() != ast.IdentKind || !slices.Equal(r.variable(operand), []string{"arguments"}) {
		return false
	}
	r.reads = append(r.reads, "arguments."+key)
	return true
}

func (r *reader) call(e ast.Expr, loops int) {
	c := e.AsCall()
	args := c.Args()
	switch name := c.FunctionName(); {
	case !offered[name]:
		r.fault(Expression, e, "the function %s is not offered here", name)
	case name == "matches":
		r.pattern(e, args[len(args)-1])
	case name == "replace":
		r.replacement(e, args)
	case (name == operators.Equals || name == operators.NotEquals || name == operators.Add) && !r.bounded(args[0]) && !r.bounded(args[1]):
		r.fault(Expression, e, "two values that may each be a whole list or object meet here; say what one of them is, as in string(arguments.a) == arguments.b")
	case name == operators.In && !r.bounded(args[0]) && !constant(args[1]) && r.ast.GetType(args[1].ID()).Kind() != types.MapKind:
		r.fault(Expression, e, "a value that may be a whole list or object is sought here; say what it is, as in string(arguments.a) in arguments.b")
	case name == operators.Index && r.literalArgument(args[0], args[1]), name == operators.In && r.literalArgument(args[1], args[0]):
		return
	}
	if c.IsMemberFunction() {
		r.read(c.Target(), loops)
	}
	for _, a := range args {
		r.read(a, loops)
	}
}

func (r *reader) literalArgument(operand, key ast.Expr) bool {
	k, ok := text(key)
	return ok && r.argument(operand, k)
}

// bounded reports whether comparing a value with any other, or adding it, takes
// time by its own size alone: a value that holds no others, or one that is written
// down. Comparing two lists that hold one value many times goes through it as
// often, which no count of steps would notice in time.
func (r *reader) bounded(e ast.Expr) bool {
	switch r.ast.GetType(e.ID()).Kind() {
	case types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind, types.StringKind, types.BytesKind, types.NullTypeKind, types.TypeKind:
		return true
	}
	return constant(e) || e.Kind() == ast.IdentKind && e.AsIdent()[0] == '@' // what filter collects
}

// constant reports whether an expression is a value that is written down.
func constant(e ast.Expr) bool {
	switch e.Kind() {
	case ast.LiteralKind:
		return true
	case ast.ListKind:
		return !slices.ContainsFunc(e.AsList().Elements(), func(x ast.Expr) bool { return !constant(x) })
	case ast.MapKind:
		return !slices.ContainsFunc(e.AsMap().Entries(), func(x ast.EntryExpr) bool {
			return !constant(x.AsMapEntry().Key()) || !constant(x.AsMapEntry().Value())
		})
	}
	return false
}

// pattern holds a regular expression to its bounds.
func (r *reader) pattern(e, p ast.Expr) {
	s, ok := text(p)
	if !ok {
		r.fault(Regex, e, "the pattern of matches is not a literal")
		return
	}
	size, err := types.RegexProgramSize(s)
	switch {
	case err != nil:
		r.fault(Regex, p, "%v", err)
	case size > maxRegex:
		r.fault(Regex, p, "the pattern compiles to %d instructions, at most %d are allowed", size, maxRegex)
	}
}

// replacement refuses one that makes text longer.
func (r *reader) replacement(e ast.Expr, args []ast.Expr) {
	from, ok := text(args[0])
	to, too := text(args[1])
	if !ok || !too || from == "" || len(to) > len(from) {
		r.fault(Expression, e, "replace takes two literals here, the second no longer than the first")
	}
}

// loop goes through what a macro was expanded to: what it ranges over stands
// outside, and the rest within it.
func (r *reader) loop(e ast.Expr, loops int) {
	if loops == maxLoops {
		r.fault(Cost, e, "more than %d loops stand one within the other", maxLoops)
		return
	}
	c := e.AsComprehension()
	if r.ranges == nil {
		r.ranges = map[int64]bool{}
	}
	r.ranges[c.IterRange().ID()] = true
	r.read(c.IterRange(), loops)
	for _, part := range []ast.Expr{c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
		r.read(part, loops+1)
	}
}

// facts are what was read; false when the expression cannot be true.
func (r *reader) facts() (facts, bool) {
	f := facts{Reads: sorted(r.reads), Loops: r.ranges != nil}
	d := r.demand(r.ast.Expr())
	for axis, ps := range d.names {
		if d.never = d.never || ps != nil && len(ps) == 0; len(ps) <= maxPatterns {
			f.Demands[axis] = ps
		}
	}
	return f, !d.never
}

// demand is what an expression is false without. It is sought where a false part
// makes the whole false and no failure elsewhere can change that: in CEL, false
// and a failure is false.
type demand struct {
	names [axes][]pattern // nil: nothing
	never bool
}

func (r *reader) demand(e ast.Expr) demand {
	if e.Kind() == ast.LiteralKind {
		return demand{never: e.AsLiteral() == types.False}
	}
	if e.Kind() != ast.CallKind {
		return demand{}
	}
	c := e.AsCall()
	args := c.Args()
	switch c.FunctionName() {
	case operators.LogicalAnd:
		return r.demand(args[0]).and(r.demand(args[1]))
	case operators.LogicalOr:
		return r.demand(args[0]).or(r.demand(args[1]))
	case operators.Equals:
		if _, ok := text(args[0]); ok {
			args = []ast.Expr{args[1], args[0]}
		}
		return r.named(args[0], exact, args[1])
	case operators.In:
		if args[1].Kind() == ast.ListKind {
			return r.named(args[0], exact, args[1].AsList().Elements()...)
		}
	case "startsWith":
		return r.named(c.Target(), prefix, args[0])
	case "endsWith":
		return r.named(c.Target(), suffix, args[0])
	}
	return demand{}
}

// named is the demand that one of the names on an axis has one of these forms.
func (r *reader) named(operand ast.Expr, f form, words ...ast.Expr) demand {
	var d demand
	if operand.Kind() != ast.IdentKind {
		return d
	}
	axis := slices.Index(axisNames[:], operand.AsIdent())
	if axis < 0 {
		return d
	}
	ps := make([]pattern, 0, len(words))
	for _, w := range words {
		s, ok := text(w)
		if !ok {
			return d
		}
		ps = append(ps, pattern{f, s})
	}
	d.names[axis] = ps
	return d
}

func (d demand) and(o demand) demand {
	d.never = d.never || o.never
	for axis := range d.names {
		switch a, b := d.names[axis], o.names[axis]; {
		case a == nil:
			d.names[axis] = b
		case b != nil:
			d.names[axis] = both(a, b)
		}
	}
	return d
}

func (d demand) or(o demand) demand {
	switch {
	case d.never:
		return o
	case o.never:
		return d
	}
	for axis := range d.names {
		if d.names[axis] == nil || o.names[axis] == nil {
			d.names[axis] = nil
			continue
		}
		d.names[axis] = slices.Concat(d.names[axis], o.names[axis])
	}
	return d
}

// text is a literal's.
func text(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}
