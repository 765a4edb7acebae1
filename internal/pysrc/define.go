package pysrc

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// marker is the attribute that makes a class a deployment.
const marker = "__deployment_config__"

// definition interprets a class or a function, with its decorators.
func (r *reader) definition(n syntax.Node) {
	def := n
	var decorators []Base
	if n.Is(syntax.KindDecoratedDefinition) {
		def = n.Child(syntax.FieldDefinition)
		for d := range n.Named() {
			if d.Is(syntax.KindDecorator) {
				e := d.First()
				r.walruses(e)
				decorators = append(decorators, Base{brief(e), e.Line(), r.eval(e)})
			}
		}
	}
	name := def.Child(syntax.FieldName)
	if def.Is(syntax.KindClassDefinition) {
		at := r.classStatement(def, decorators)
		r.bind(name, Value{Kind: Local, Class: at, Line: def.Line()}, def)
		return
	}
	v := r.function(def, name.Identifier())
	if len(decorators) > 0 {
		if r.scope == r.global {
			r.m.Functions = append(r.m.Functions, FunctionStmt{name.Identifier(), def.Line(), decorators})
		}
		for _, d := range slices.Backward(decorators) {
			v = Value{Kind: Called, Line: d.Line, Of: []Value{d.Value, v}, Why: d.Text}.bounded()
		}
	}
	r.bind(name, v, def)
}

// classStatement interprets a class, whose position it returns.
func (r *reader) classStatement(n syntax.Node, decorators []Base) int {
	c := ClassStmt{Name: n.Child(syntax.FieldName).Identifier(), Line: n.Line(), Column: n.Column(), Decorators: decorators}
	supers := n.Child(syntax.FieldSuperclasses)
	r.walruses(supers)
	c.Bases = r.bases(supers)
	at := len(r.m.Classes)
	r.m.Classes = append(r.m.Classes, c)

	scope, class, depth := r.scope, r.class, r.depth
	r.scope, r.class, r.depth = newScope(), at, 0
	r.block(n.Child(syntax.FieldBody))
	body := r.scope
	r.scope, r.class, r.depth = scope, class, depth
	r.attributes(at, body)
	return at
}

// bases are the bases in the parentheses of a class.
func (r *reader) bases(n syntax.Node) (bases []Base) {
	for a := range n.Named() {
		switch a.Kind() {
		case syntax.KindKeywordArgument:
		case syntax.KindDictionarySplat:
		case syntax.KindListSplat:
			bases = append(bases, Base{brief(a), a.Line(), Value{Kind: Unknown, Line: a.Line(), Why: "bases that are unpacked"}})
		default:
			bases = append(bases, Base{brief(a), a.Line(), r.eval(a)})
		}
	}
	return bases
}

// attributes keeps what the body of a class is left with.
func (r *reader) attributes(at int, body *scope) {
	c := &r.m.Classes[at]
	for name, h := range body.names {
		if h.Kind == Absent {
			continue
		}
		c.Attributes = append(c.Attributes, r.classAttribute(name, h))
		switch name {
		case marker:
			c.Marker, c.MarkerMaybe = h.at, h.Kind == OneOf
		case "__module__":
			if h.node.Text() != "__name__" {
				c.Foreign = h.at
			}
		}
	}
	slices.SortFunc(c.Attributes, func(a, b Attribute) int { return cmp.Compare(a.Name, b.Name) })
}

func (r *reader) classAttribute(name string, h held) Attribute {
	a := Attribute{Name: name, Line: h.at}
	switch {
	case h.Kind == OneOf:
		a.Reason = "it depends on " + firstOf(h.Why, "a condition")
	case h.Kind == Local:
		a.Class = h.Class + 1
	case h.Kind == Function || h.node.Is(syntax.KindFunctionDefinition):
		a.Reason = "a function"
	case h.Kind == Called && h.node.Is(syntax.KindCall):
		a.Call = called(h.Value)
		a.Arguments = h.Arguments
		r.positional(&a, h.node)
	case !isExpression(h.node):
		a.Reason = firstOf(h.Why, "no literal")
	default:
		a.Value, a.Reason, _ = literal(h.node)
	}
	return a
}

// isExpression reports whether a node that bound a name is the value itself.
func isExpression(n syntax.Node) bool {
	return n.OK() && !n.Is(syntax.KindImportStatement, syntax.KindImportFromStatement, syntax.KindAugmentedAssignment,
		syntax.KindForStatement, syntax.KindWithStatement, syntax.KindCasePattern, syntax.KindTypeAliasStatement)
}

// called is the name of what a call calls.
func called(v Value) string {
	if f := v.Of[0]; f.Kind == Imported || f.Kind == Builtin {
		return f.Name
	}
	return v.Why
}

// positional adds the positional arguments of a call to an attribute.
func (r *reader) positional(a *Attribute, call syntax.Node) {
	n := 0
	for arg := range call.Child(syntax.FieldArguments).Named() {
		if !arg.Is(syntax.KindKeywordArgument, syntax.KindListSplat, syntax.KindDictionarySplat) {
			a.Arguments = append(a.Arguments, argument(fmt.Sprint(n), arg))
			n++
		}
	}
}

func argument(name string, value syntax.Node) Argument {
	a := Argument{Name: name, Line: value.Line()}
	a.Value, a.Reason, _ = literal(value)
	return a
}

// mostMentions is how many names in a function's body are kept.
const mostMentions = 16

// function is what a function, or a lambda, is known for: whether it returns its only
// argument, which names in it the Index has words for, which classes it defines.
func (r *reader) function(n syntax.Node, name string) Value {
	v := Value{Kind: Function, Name: name, Line: n.Line(), Same: returnsSame(n)}
	at := spot{name, v.Line}
	if was, ok := r.bodies[at]; ok && was != n {
		r.bodies[at] = syntax.Node{}
	} else {
		r.bodies[at] = n
	}
	body := n.Child(syntax.FieldBody)
	body.Walk(func(n syntax.Node) bool {
		if !r.spend() {
			return false
		}
		switch n.Kind() {
		case syntax.KindGlobalStatement:
			for id := range n.Named() {
				r.globals[id.Identifier()] = n.Line()
			}
		case syntax.KindAssignment:
			if left := n.Child(syntax.FieldLeft); left.Is(syntax.KindSubscript) && left.Child(syntax.FieldValue).Text() == "globals()" {
				r.dynamic(left, "binds a name that reading does not tell")
			}
		case syntax.KindClassDefinition:
			if r.class < 0 {
				v.Makes = append(v.Makes, r.inner(n, name, v.Makes))
			}
		case syntax.KindAttribute, syntax.KindIdentifier:
			if r.class < 0 {
				r.mention(&v, n)
			}
			return false
		}
		return true
	})
	return v
}

// mention keeps what a name in a function leads to, where the Index has a word for it.
func (r *reader) mention(v *Value, n syntax.Node) {
	last := n
	if n.Is(syntax.KindAttribute) {
		last = n.Child(syntax.FieldAttribute)
	}
	if len(v.Of) >= mostMentions {
		return
	}
	m := r.eval(n)
	if m.Kind == Called || m.Kind == Function && len(m.Of) > 0 || m.Kind == Imported && r.words[last.Identifier()] ||
		m.Kind == Imported && r.words[m.Name[1+lastDot(m.Name):]] {
		if !slices.ContainsFunc(v.Of, m.same) {
			if v.Of = append(v.Of, m); v.weigh(mostParts) < 0 {
				v.Of = v.Of[:len(v.Of)-1]
			}
		}
	}
}

func lastDot(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '.' {
			return i
		}
	}
	return -1
}

// inner notes a class that a function makes. Its bases are others that it makes, else what
// their names mean at module level.
func (r *reader) inner(n syntax.Node, in string, made []int) int {
	c := ClassStmt{Name: n.Child(syntax.FieldName).Identifier(), Line: n.Line(), Column: n.Column(), In: in}
	c.Bases = r.bases(n.Child(syntax.FieldSuperclasses))
	for i, b := range c.Bases {
		for _, at := range made[max(0, len(made)-mostMentions):] {
			if r.m.Classes[at].Name == b.Text {
				c.Bases[i].Value = Value{Kind: Local, Class: at, Line: r.m.Classes[at].Line}
			}
		}
	}
	r.m.Classes = append(r.m.Classes, c)
	return len(r.m.Classes) - 1
}

// returnsSame reports whether a function takes one argument and returns it.
func returnsSame(n syntax.Node) bool {
	var param, value syntax.Node
	count := 0
	for p := range n.Child(syntax.FieldParameters).Named() {
		param = p
		count++
	}
	if param.Is(syntax.KindTypedParameter) {
		param = param.First()
	}
	if count != 1 || !param.Is(syntax.KindIdentifier) {
		return false
	}
	body := n.Child(syntax.FieldBody)
	if n.Is(syntax.KindLambda) {
		value = body
	} else {
		for s := range body.Named() {
			if s.Is(syntax.KindExpressionStatement) && s.First().Is(syntax.KindString) {
				continue
			}
			if value.OK() || !s.Is(syntax.KindReturnStatement) {
				return false
			}
			value = s.First()
		}
	}
	return value.Is(syntax.KindIdentifier) && value.Identifier() == param.Identifier()
}
