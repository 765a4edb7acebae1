package pysrc

import (
	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// eval says what an expression stands for.
func (r *reader) eval(n syntax.Node) Value {
	if !r.spend() {
		return Value{Kind: Unknown, Line: n.Line(), Why: "the file takes too much"}
	}
	switch n.Kind() {
	case syntax.KindIdentifier:
		return r.lookup(n.Identifier(), n.Line())
	case syntax.KindAttribute:
		return r.attribute(r.eval(n.Child(syntax.FieldObject)), n.Child(syntax.FieldAttribute).Identifier(), n)
	case syntax.KindSubscript:
		return r.subscript(n)
	case syntax.KindParenthesizedExpression:
		return r.eval(n.First())
	case syntax.KindNamedExpression:
		v := r.eval(n.Child(syntax.FieldValue))
		name := n.Child(syntax.FieldName)
		r.scope.set(name.Identifier(), held{Value: v, at: n.Line(), node: n.Child(syntax.FieldValue)})
		return v
	case syntax.KindConditionalExpression:
		return r.conditional(n)
	case syntax.KindBooleanOperator:
		return oneOf([]Value{r.eval(n.Child(syntax.FieldLeft)), r.eval(n.Child(syntax.FieldRight))}, where(n, n.Child(syntax.FieldOperator).Text()))
	case syntax.KindCall:
		return r.call(n)
	case syntax.KindLambda:
		return r.function(n, "lambda")
	case syntax.KindTrue, syntax.KindFalse, syntax.KindNone, syntax.KindInteger:
		return Value{Kind: Literal, Name: n.Text(), Line: n.Line()}
	case syntax.KindString, syntax.KindConcatenatedString, syntax.KindFloat, syntax.KindEllipsis,
		syntax.KindList, syntax.KindTuple, syntax.KindDictionary, syntax.KindSet, syntax.KindExpressionList,
		syntax.KindListComprehension, syntax.KindDictionaryComprehension, syntax.KindSetComprehension,
		syntax.KindGeneratorExpression, syntax.KindComparisonOperator, syntax.KindNotOperator:
		return Value{Kind: Literal, Line: n.Line()}
	}
	return Value{Kind: Unknown, Line: n.Line(), Why: "the value of an expression"}
}

// mostName is how long a dotted name may be.
const mostName = 400

// attribute is v.name.
func (r *reader) attribute(v Value, name string, n syntax.Node) Value {
	switch v.Kind {
	case Imported:
		if len(v.Name) > mostName {
			return Value{Kind: Unknown, Line: n.Line(), Why: "a name of too many parts"}
		}
		v.Name = member(v.Name, name)
		return v
	case Local:
		for _, a := range r.m.Classes[v.Class].Attributes {
			if a.Name == name && a.Class > 0 {
				return Value{Kind: Local, Class: a.Class - 1, Line: a.Line}
			}
		}
	case Absent:
		return v
	case OneOf:
		parts := make([]Value, len(v.Of))
		for i, part := range v.Of {
			parts[i] = r.attribute(part, name, n)
		}
		return oneOf(parts, v.Why)
	}
	return Value{Kind: Unknown, Line: n.Line(), Why: "an attribute of a value"}
}

// subscript is a generic class with its parameters, which is the class.
func (r *reader) subscript(n syntax.Node) Value {
	v := r.eval(n.Child(syntax.FieldValue))
	if v.Kind == Literal || v.Kind == Called || v.Kind == Function {
		return Value{Kind: Unknown, Line: n.Line(), Why: "an item of a value"}
	}
	return v
}

func (r *reader) conditional(n syntax.Node) Value {
	var parts []syntax.Node
	for c := range n.Named() {
		parts = append(parts, c)
	}
	if len(parts) != 3 {
		return Value{Kind: Unknown, Line: n.Line(), Why: "the value of an expression"}
	}
	if value, known, _ := r.fold(parts[1]); known {
		if value {
			return r.eval(parts[0])
		}
		return r.eval(parts[2])
	}
	return oneOf([]Value{r.eval(parts[0]), r.eval(parts[2])}, where(n, "condition"))
}

// call is the value of a call.
func (r *reader) call(n syntax.Node) Value {
	f := r.eval(n.Child(syntax.FieldFunction))
	v := Value{Kind: Called, Line: n.Line(), Of: []Value{f}, Why: brief(n.Child(syntax.FieldFunction))}
	for a := range n.Child(syntax.FieldArguments).Named() {
		switch a.Kind() {
		case syntax.KindKeywordArgument:
			v.Arguments = append(v.Arguments, argument(a.Child(syntax.FieldName).Identifier(), a.Child(syntax.FieldValue)))
		case syntax.KindDictionarySplat:
			v.Arguments = append(v.Arguments, Argument{Name: "**", Line: a.Line(), Reason: "arguments that are unpacked"})
		case syntax.KindListSplat:
			v.Arguments = append(v.Arguments, Argument{Name: "*", Line: a.Line(), Reason: "arguments that are unpacked"})
		default:
			v.Of = append(v.Of, r.eval(a))
		}
	}
	if f.Kind == Imported && f.Name == "typing.cast" && len(v.Of) == 3 {
		return v.Of[2]
	}
	if f.Kind == Builtin && f.Name == "type" && len(v.Of) == 4 {
		r.made(&v, n)
	}
	return v.bounded()
}

// made makes of a call of type(name, bases, names) what it says: the name, and the bases
// as what is called with.
func (r *reader) made(v *Value, call syntax.Node) {
	var args []syntax.Node
	for a := range call.Child(syntax.FieldArguments).Named() {
		args = append(args, a)
	}
	if len(args) != 3 || !args[0].Is(syntax.KindString) || !args[1].Is(syntax.KindTuple) {
		return
	}
	v.Name, _ = unquote(args[0].Text())
	v.Of = v.Of[:1]
	for b := range args[1].Named() {
		v.Of = append(v.Of, r.eval(b))
	}
}

// brief is the text of a node, short enough to be told.
func brief(n syntax.Node) string { return n.Brief(80) }

// walruses binds the names of assignment expressions anywhere in a statement's own
// expressions. One may not be reached, so that the name may hold what it held before.
func (r *reader) walruses(n syntax.Node) {
	n.Walk(func(n syntax.Node) bool {
		if !r.spend() {
			return false
		}
		switch n.Kind() {
		case syntax.KindLambda, syntax.KindBlock, syntax.KindFunctionDefinition, syntax.KindClassDefinition:
			return false
		case syntax.KindNamedExpression:
			name := n.Child(syntax.FieldName)
			a := r.try(func() bool {
				r.bind(name, r.eval(n.Child(syntax.FieldValue)), n.Child(syntax.FieldValue))
				return false
			})
			r.scope.merge([]arm{a}, false, where(n, "expression"))
		}
		return true
	})
}
