package allow

import (
	"strings"

	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// clause is one case of a match statement.
func (j *judge) clause(n syntax.Node) {
	for c := range n.Children() {
		if c.Kind() == syntax.KindCasePattern {
			j.pattern(c)
		} else {
			j.node(c)
		}
	}
}

// pattern is a pattern: names that are bound, values that are compared, and attributes
// that are read.
func (j *judge) pattern(n syntax.Node) {
	switch n.Kind() {
	case syntax.KindDottedName:
		j.captured(n)
	case syntax.KindIdentifier:
		j.bind(n).other = true
	case syntax.KindClassPattern:
		first := true
		for c := range n.Children() {
			if first {
				j.path(c)
			} else {
				j.pattern(c)
			}
			first = false
		}
	case syntax.KindKeywordPattern:
		first := true
		for c := range n.Children() {
			if first {
				j.attribute(c)
			} else {
				j.pattern(c)
			}
			first = false
		}
	case syntax.KindAsPattern:
		j.as(n, j.pattern)
	case syntax.KindCasePattern, syntax.KindUnionPattern, syntax.KindDictPattern, syntax.KindSplatPattern, syntax.KindTuplePattern, syntax.KindListPattern, syntax.KindComplexPattern:
		for c := range n.Children() {
			j.pattern(c)
		}
	default:
		j.node(n)
	}
}

// captured is a name of a pattern: one alone is bound, one with dots is a value.
func (j *judge) captured(n syntax.Node) {
	if c := n.First(); dotted(n) == c.Identifier() {
		j.bind(c).other = true
		return
	}
	j.path(n)
}

// path is a dotted name that is read.
func (j *judge) path(n syntax.Node) {
	var all []syntax.Node
	for c := range n.Children() {
		all = append(all, c)
	}
	switch {
	case n.Kind() == syntax.KindIdentifier:
		j.use(n)
	case len(all) == 1:
		j.use(all[0])
	case len(all) > 1:
		j.names(all[0], all[1:], nil)
	}
}

// typeParameters are "[T: int]" behind a name. What grammars leave out of them is refused.
func (j *judge) typeParameters(n syntax.Node) {
	if !n.OK() {
		return
	}
	if strings.Contains(n.Text(), "=") {
		j.refuse(n, Syntax, "a parameter of a type has a default")
	}
	for c := range n.Children() {
		j.typeParameter(c)
	}
}

func (j *judge) typeParameter(n syntax.Node) {
	switch n.Kind() {
	case syntax.KindIdentifier:
		j.bind(n).typed = true
	case syntax.KindConstrainedType:
		first := true
		for c := range n.Children() {
			if first {
				j.typeParameter(c)
			} else {
				j.annotation(c)
			}
			first = false
		}
	case syntax.KindType, syntax.KindSplatType:
		for c := range n.Children() {
			j.typeParameter(c)
		}
	default:
		j.refuse(n, Syntax, "this parameter of a type is not on the list")
	}
}

// alias is "type A[T] = B".
func (j *judge) alias(n syntax.Node) {
	left := n.Child(syntax.FieldLeft)
	for left.Kind() == syntax.KindType {
		left = left.First()
	}
	if left.Kind() == syntax.KindGenericType {
		for c := range left.Children() {
			if c.Kind() == syntax.KindTypeParameter {
				j.typeParameters(c)
			} else {
				j.bind(c).typed = true
			}
		}
	} else if left.Kind() == syntax.KindIdentifier {
		j.bind(left).typed = true
	} else {
		j.refuse(n, Syntax, "this statement is not on the list")
	}
	j.annotation(n.Child(syntax.FieldRight))
}

// annotation is a type, or what stands where one should. Libraries evaluate the texts in
// it, so that a text is one only where it could not call anything.
func (j *judge) annotation(n syntax.Node) {
	switch n.Kind() {
	case syntax.KindIdentifier:
		if n.Identifier() == "type" && j.binds["type"] == nil {
			return // the type of types
		}
		j.use(n)
		j.typeName(n)
	case syntax.KindAttribute, syntax.KindMemberType:
		j.memberType(n)
	case syntax.KindSubscript, syntax.KindGenericType:
		j.generic(n)
	case syntax.KindString, syntax.KindConcatenatedString:
		j.text(n)
	case syntax.KindBinaryOperator:
		if n.Child(syntax.FieldOperator).Text() != "|" {
			j.refuse(n, Annotation, "an annotation is more than types")
		}
		j.annotation(n.Child(syntax.FieldLeft))
		j.annotation(n.Child(syntax.FieldRight))
	case syntax.KindType, syntax.KindUnionType, syntax.KindList, syntax.KindTuple, syntax.KindExpressionList, syntax.KindParenthesizedExpression,
		syntax.KindSplatType, syntax.KindListSplat, syntax.KindTypeParameter:
		for c := range n.Children() {
			j.annotation(c)
		}
	case syntax.KindDictionary:
		for c := range n.Children() {
			j.node(c.Child(syntax.FieldKey))
			j.annotation(c.Child(syntax.FieldValue))
		}
	case syntax.KindNone, syntax.KindEllipsis, syntax.KindInteger, syntax.KindTrue, syntax.KindFalse, syntax.KindSlice, syntax.KindUnaryOperator:
		j.rest(n)
	default:
		j.refuse(n, Annotation, "an annotation is more than types")
		j.node(n)
	}
}

func (j *judge) memberType(n syntax.Node) {
	if n.Kind() == syntax.KindAttribute {
		j.reach(n, nil)
		return
	}
	var last syntax.Node
	for c := range n.Children() {
		if last = c; c.Kind() != syntax.KindIdentifier {
			j.annotation(c)
		}
	}
	j.attribute(last)
}

// generic is a type with types in brackets.
func (j *judge) generic(n syntax.Node) {
	base, rest := n.First(), []syntax.Node(nil)
	for c := range n.Children() {
		switch {
		case c == base:
		case c.Kind() == syntax.KindTypeParameter:
			for t := range c.Children() {
				rest = append(rest, t)
			}
		default:
			rest = append(rest, c)
		}
	}
	if base.Kind() == syntax.KindAttribute {
		j.reach(base, nil)
	} else {
		j.annotation(base)
	}
	if len(rest) == 1 && rest[0].Kind() == syntax.KindTuple {
		tuple := rest[0]
		rest = nil
		for c := range tuple.Children() {
			rest = append(rest, c)
		}
	}
	plain, beside := false, false
	if j.judging {
		plain, beside = j.is(base, "Literal"), j.is(base, "Annotated")
	}
	for i, c := range rest {
		if plain || beside && i > 0 {
			j.value(c)
		} else {
			j.annotation(c)
		}
	}
}

// value is an expression that stands among types.
func (j *judge) value(n syntax.Node) {
	if n.Kind() == syntax.KindType {
		n = n.First()
	}
	j.node(n)
}

// text is a text that could be evaluated.
func (j *judge) text(n syntax.Node) {
	for c := range n.All() {
		switch {
		case c.Kind() == syntax.KindInterpolation, c.Kind() == syntax.KindEscapeSequence, c.Kind() == syntax.KindEscapeInterpolation:
			j.refuse(n, Annotation, "a text among types is not written plainly")
			return
		case c.Kind() == syntax.KindStringContent && !harmless(c.Text()):
			j.refuse(n, Annotation, "a text among types is more than types")
			return
		case c.Kind() == syntax.KindStringStart && strings.ContainsAny(c.Text(), "fFtT"):
			j.refuse(n, Annotation, "a text among types is not written plainly")
			return
		}
	}
}

// harmless reports whether a text calls nothing and reads nothing of the interpreter
// when it is evaluated.
func harmless(text string) bool {
	for _, r := range text {
		if r > 127 || strings.ContainsRune("(){}\\@:;=`%", r) {
			return false
		}
	}
	return !strings.Contains(text, "__")
}

// typeName is a name that stands for a type: what is assigned to it is judged as one.
func (j *judge) typeName(n syntax.Node) {
	name := n.Identifier()
	b := j.binds[name]
	if !j.judging || b == nil || j.judged[name] {
		return
	}
	j.judged[name] = true
	if b.other {
		j.refuse(n, Annotation, "%s stands for a type here, and for something else elsewhere in the file", quoted(name))
	}
	for _, v := range b.values {
		if v.Kind() == syntax.KindCall && j.makesTypes(v.Child(syntax.FieldFunction)) {
			continue // judged where it stands
		}
		j.annotation(v)
	}
}

// makesTypes reports whether a function makes types of its arguments.
func (j *judge) makesTypes(f syntax.Node) bool {
	return j.judging && j.is(f, "TypeVar", "ParamSpec", "TypeVarTuple", "NewType", "NamedTuple", "TypedDict", "TypeAliasType")
}

// typeArguments are the arguments of a function that makes types; the first is a name.
func (j *judge) typeArguments(args syntax.Node) {
	first := true
	for c := range args.Children() {
		switch {
		case c.Kind() == syntax.KindKeywordArgument:
			j.annotation(c.Child(syntax.FieldValue))
		case first:
			j.node(c)
		default:
			j.annotation(c)
		}
		first = false
	}
}

// subscript is a[b]. Behind a type the brackets hold types.
func (j *judge) subscript(n syntax.Node) {
	if j.judging && j.isType(n.Child(syntax.FieldValue)) {
		j.generic(n)
		return
	}
	for c := range n.Children() {
		j.node(c)
	}
}

// isType reports whether an expression could be a type that evaluates texts.
func (j *judge) isType(n syntax.Node) bool {
	root, names := n, []syntax.Node(nil)
	if n.Kind() == syntax.KindAttribute {
		root, names = chain(n)
	}
	if root.Kind() != syntax.KindIdentifier {
		return false
	}
	name := root.Identifier()
	b := j.binds[name]
	switch {
	case b == nil:
		return contains([]string{"list", "dict", "tuple", "set", "frozenset", "type"}, name)
	case b.class && len(names) == 0:
		return !b.enum
	case len(b.from) > 0 && len(names) == 0:
		return isClass(name) || isClass(last(b.from[0]))
	case len(b.modules) > 0:
		return isClass(names[len(names)-1].Identifier())
	}
	return false
}

func last(dotted string) string { return dotted[strings.LastIndexByte(dotted, '.')+1:] }
