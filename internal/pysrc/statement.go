package pysrc

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// block interprets the statements of a block, and reports whether one of them ends the
// file.
func (r *reader) block(n syntax.Node) bool {
	for s := range n.Named() {
		if r.statement(s) {
			if r.scope == r.global && r.depth == 0 && r.m.Ends == 0 {
				r.m.Ends = s.Line()
			}
			return true
		}
	}
	return false
}

// statement interprets one statement.
func (r *reader) statement(n syntax.Node) (ends bool) {
	switch n.Kind() {
	case syntax.KindImportStatement, syntax.KindImportFromStatement, syntax.KindFutureImportStatement:
		r.imports(n)
	case syntax.KindExpressionStatement:
		for e := range n.Named() {
			r.expression(e)
		}
	case syntax.KindClassDefinition, syntax.KindFunctionDefinition, syntax.KindDecoratedDefinition:
		r.definition(n)
	case syntax.KindDeleteStatement:
		for e := range n.Named() {
			r.targets(e, func(name syntax.Node) { r.bind(name, Value{Kind: Absent, Line: n.Line()}, n) })
		}
	case syntax.KindTypeAliasStatement:
		for id := range n.Child(syntax.FieldLeft).All() {
			if id.Is(syntax.KindIdentifier) {
				r.bind(id, Value{Kind: Literal, Line: n.Line()}, n)
				break
			}
		}
	case syntax.KindRaiseStatement:
		return true
	case syntax.KindIfStatement:
		return r.ifs(n)
	case syntax.KindTryStatement:
		return r.tries(n)
	case syntax.KindWithStatement, syntax.KindForStatement, syntax.KindWhileStatement:
		return r.loop(n)
	case syntax.KindMatchStatement:
		return r.match(n)
	default:
		r.walruses(n)
	}
	return false
}

// bind gives a name a value.
func (r *reader) bind(name syntax.Node, v Value, from syntax.Node) {
	r.bindName(name.Identifier(), v, name.Line(), from)
}

func (r *reader) bindName(name string, v Value, line int, from syntax.Node) {
	r.scope.set(name, held{Value: v, at: line, node: from})
}

// lookup is what a name stands for.
func (r *reader) lookup(name string, line int) Value {
	if r.scope != r.global {
		if h, ok := r.scope.names[name]; ok && h.Kind != Absent {
			return h.Value
		}
	}
	h, ok := r.global.names[name]
	switch {
	case ok && h.Kind != Absent:
		return r.overlaid(name, h)
	case builtins()[name]:
		return Value{Kind: Builtin, Name: name}
	case len(r.m.Stars) > 0:
		return r.starred(name)
	}
	if at, ok := r.global.typing[name]; ok {
		return Value{Kind: Absent, Line: at, Typing: true, Why: fmt.Sprintf("%s is bound only for type checking", name)}
	}
	if ok {
		return Value{Kind: Absent, Line: h.at, Why: fmt.Sprintf("%s is not bound here any more", name)}
	}
	return Value{Kind: Absent, Line: line, Why: fmt.Sprintf("%s is not bound", name)}
}

// starred is a name that a star import may have brought: the last of them has it, if any.
func (r *reader) starred(name string) Value {
	return r.m.starred(name)
}

// overlaid is what a name holds that a later star import may have bound anew. Those of the
// standard library do not count: they bring no class of the kinds that are looked for.
func (r *reader) overlaid(name string, h held) Value {
	v := []Value{h.Value}
	for _, s := range slices.Backward(r.m.Stars) {
		if s.Line <= h.at || len(v) > mostValues {
			break
		}
		if !isStandard(s.Module) {
			v = append(v, Value{Kind: Imported, Name: member(s.Module, name), Line: s.Line, Star: true})
		}
	}
	return oneOf(v, "star imports")
}

// member is the dotted name of something in a module. The module may be dots alone.
func member(module, name string) string {
	if module == "" || strings.HasSuffix(module, ".") {
		return module + name
	}
	return module + "." + name
}

// dotted is a dotted name as Python compares it.
func dotted(n syntax.Node) string {
	var parts []string
	for id := range n.Named() {
		parts = append(parts, id.Identifier())
	}
	return strings.Join(parts, ".")
}

// imports binds what an import statement brings.
func (r *reader) imports(n syntax.Node) {
	from, relative := "", n.Child(syntax.FieldModuleName)
	switch {
	case relative.Is(syntax.KindRelativeImport):
		for part := range relative.Named() {
			if part.Is(syntax.KindImportPrefix) {
				from = strings.Map(dots, part.Text())
			} else {
				from += dotted(part)
			}
		}
	case relative.OK():
		from = dotted(relative)
	case n.Is(syntax.KindFutureImportStatement):
		from = "__future__"
	}
	for part := range n.Named() {
		switch {
		case part.Is(syntax.KindWildcardImport):
			r.star(from, n.Line())
		case part.Field() != syntax.FieldName:
		case part.Is(syntax.KindAliasedImport):
			name := dotted(part.Child(syntax.FieldName))
			alias := part.Child(syntax.FieldAlias)
			r.bind(alias, Value{Kind: Imported, Name: member(from, name), Line: n.Line()}, n)
		case from != "":
			name := dotted(part)
			r.bindName(name, Value{Kind: Imported, Name: member(from, name), Line: n.Line()}, n.Line(), n)
		default: // "import a.b" binds a
			first, _, _ := strings.Cut(dotted(part), ".")
			r.bindName(first, Value{Kind: Imported, Name: first, Line: n.Line()}, n.Line(), n)
		}
	}
}

// mostStars is how many modules of star imports are kept, each once: more than the
// standard library has.
const mostStars = 400

func (r *reader) star(module string, line int) {
	r.m.Stars = slices.DeleteFunc(r.m.Stars, func(s Star) bool { return s.Module == module })
	if len(r.m.Stars) == mostStars {
		r.m.Stars = slices.Delete(r.m.Stars, 0, 1)
	}
	r.m.Stars = append(r.m.Stars, Star{module, line})
}

func dots(c rune) rune {
	if c == '.' {
		return c
	}
	return -1
}

// expression interprets an expression that is a statement: assignments above all.
func (r *reader) expression(n syntax.Node) {
	r.walruses(n)
	switch n.Kind() {
	case syntax.KindAssignment:
		r.assign(n)
	case syntax.KindAugmentedAssignment:
		r.targets(n.Child(syntax.FieldLeft), func(name syntax.Node) {
			r.bind(name, Value{Kind: Unknown, Line: n.Line(), Why: "an assignment with an operator"}, n)
		})
	case syntax.KindCall:
		r.effect(n)
	}
}

// assign interprets "a = b = value".
func (r *reader) assign(n syntax.Node) {
	var targets []syntax.Node
	value := n
	for value.Is(syntax.KindAssignment) {
		targets = append(targets, value.Child(syntax.FieldLeft))
		value = value.Child(syntax.FieldRight)
	}
	if !value.OK() {
		return // an annotation alone
	}
	v := r.eval(value)
	for _, t := range targets {
		r.assignTo(t, v, value)
	}
}

func (r *reader) assignTo(t syntax.Node, v Value, value syntax.Node) {
	switch t.Kind() {
	case syntax.KindIdentifier:
		r.bind(t, v, value)
	case syntax.KindAttribute:
		r.setAttribute(r.eval(t.Child(syntax.FieldObject)), t.Child(syntax.FieldAttribute).Identifier(), v, value)
	case syntax.KindSubscript:
		if key, of := r.globalsKey(t); key != "" {
			r.global.set(key, held{Value: v, at: t.Line(), node: value})
		} else if of {
			r.dynamic(t, "binds a name that reading does not tell")
		}
	case syntax.KindParenthesizedExpression:
		r.assignTo(t.First(), v, value)
	default:
		r.unpack(t, value)
	}
}

// unpack binds several names to the parts of a value, one by one where both are written
// out.
func (r *reader) unpack(t, value syntax.Node) {
	var names, values []syntax.Node
	plain := true
	for n := range t.Named() {
		names = append(names, n)
		plain = plain && n.Is(syntax.KindIdentifier)
	}
	if value.Is(syntax.KindExpressionList, syntax.KindTuple, syntax.KindList) {
		for n := range value.Named() {
			values = append(values, n)
			plain = plain && !n.Is(syntax.KindListSplat)
		}
	}
	if plain && len(names) == len(values) {
		all := make([]Value, len(values))
		for i, n := range values {
			all[i] = r.eval(n)
		}
		for i, n := range names {
			r.bind(n, all[i], values[i])
		}
		return
	}
	part := Value{Kind: Unknown, Line: t.Line(), Why: "a part of a value"}
	if v := r.eval(value); v.Kind == Called && v.Of[0].Kind == Function && len(v.Of[0].Makes) > 0 {
		part = v // one of the classes that the function makes
	}
	r.targets(t, func(name syntax.Node) { r.bind(name, part, value) })
}

// targets calls bind for each name that is assigned to in a target. Attributes and items
// are none.
func (r *reader) targets(n syntax.Node, bind func(syntax.Node)) {
	n.Walk(func(n syntax.Node) bool {
		switch n.Kind() {
		case syntax.KindIdentifier:
			bind(n)
		case syntax.KindAttribute, syntax.KindCall:
			return false
		case syntax.KindSubscript:
			if key, of := r.globalsKey(n); key != "" {
				r.global.set(key, held{Value: Value{Kind: Absent, Line: n.Line()}, at: n.Line(), node: n})
			} else if of {
				r.dynamic(n, "binds a name that reading does not tell")
			}
			return false
		}
		return true
	})
}

// globalsKey is the name in globals()["name"], "" for one that is not written out; of
// says whether it is an item of globals() at all.
func (r *reader) globalsKey(n syntax.Node) (key string, of bool) {
	call, sub := n.Child(syntax.FieldValue), n.Child(syntax.FieldSubscript)
	if !call.Is(syntax.KindCall) || !r.isGlobals(call) {
		return "", false
	}
	if sub.Is(syntax.KindString) {
		key, _ = unquote(sub.Text())
	}
	return norm.NFKC.String(key), true
}

// isGlobals reports whether a call gives the names of the module.
func (r *reader) isGlobals(call syntax.Node) bool {
	f := r.eval(call.Child(syntax.FieldFunction))
	if f.Kind != Builtin || call.Child(syntax.FieldArguments).First().OK() {
		return false
	}
	return f.Name == "globals" || (f.Name == "locals" || f.Name == "vars") && r.scope == r.global
}

// setAttribute notes what assigning to an attribute of a class changes.
func (r *reader) setAttribute(of Value, name string, v Value, value syntax.Node) {
	if of.Kind == OneOf {
		r.depth++
		for _, part := range of.Of {
			r.setAttribute(part, name, v, value)
		}
		r.depth--
		return
	}
	if of.Kind != Local {
		return
	}
	c := &r.m.Classes[of.Class]
	switch name {
	case "__name__":
		if text, reason := unquote(value.Text()); value.Is(syntax.KindString) && reason == "" {
			c.Name = norm.NFKC.String(text)
		}
	case "__module__":
		c.Foreign = value.Line()
	case marker:
		c.Marker, c.MarkerMaybe = value.Line(), r.depth > 0
	}
}

// effect notes calls that change what names hold.
func (r *reader) effect(n syntax.Node) {
	f := r.eval(n.Child(syntax.FieldFunction))
	if f.Kind != Builtin {
		if base := n.Child(syntax.FieldFunction).Child(syntax.FieldObject); base.Is(syntax.KindCall) && r.isGlobals(base) {
			r.dynamic(n, "changes the names of the module through globals()")
		}
		return
	}
	switch f.Name {
	case "exec":
		r.dynamic(n, "runs text as code")
	case "setattr":
		var args []syntax.Node
		for a := range n.Child(syntax.FieldArguments).Named() {
			args = append(args, a)
		}
		if len(args) != 3 || !args[1].Is(syntax.KindString) {
			return
		}
		if name, reason := unquote(args[1].Text()); reason == "" {
			r.setAttribute(r.eval(args[0]), name, r.eval(args[2]), args[2])
		}
	}
}

func (r *reader) dynamic(n syntax.Node, why string) {
	if r.m.Dynamic == 0 {
		r.m.Dynamic = n.Line()
	}
	r.m.Notes = append(r.m.Notes, Step{r.m.Path, n.Line(), why})
}
