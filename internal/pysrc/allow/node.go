package allow

import (
	"strings"

	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// node judges a node, and all below it, as something that is read or done.
func (j *judge) node(n syntax.Node) {
	switch n.Kind() {
	case syntax.KindIdentifier:
		j.use(n)
	case syntax.KindAttribute:
		j.reach(n, nil)
	case syntax.KindCall:
		j.call(n)
	case syntax.KindSubscript:
		j.subscript(n)
	case syntax.KindImportStatement:
		j.imports(n)
	case syntax.KindImportFromStatement:
		j.importsFrom(n)
	case syntax.KindClassDefinition:
		j.class(n)
	case syntax.KindFunctionDefinition:
		j.function(n)
	case syntax.KindLambda:
		j.parameters(n.Child(syntax.FieldParameters))
		j.node(n.Child(syntax.FieldBody))
	case syntax.KindAssignment, syntax.KindAugmentedAssignment:
		j.assignment(n)
	case syntax.KindNamedExpression:
		j.bind(n.Child(syntax.FieldName)).other = true
		j.node(n.Child(syntax.FieldValue))
	case syntax.KindForStatement, syntax.KindForInClause:
		j.loop(n)
	case syntax.KindAsPattern:
		j.as(n, j.node)
	case syntax.KindGlobalStatement, syntax.KindNonlocalStatement:
		for c := range n.Children() {
			j.bind(c).other = true
		}
	case syntax.KindDeleteStatement:
		j.delete(n)
	case syntax.KindCaseClause:
		j.clause(n)
	case syntax.KindCasePattern:
		j.pattern(n)
	case syntax.KindKeywordArgument:
		j.node(n.Child(syntax.FieldValue))
	case syntax.KindType:
		j.annotation(n)
	case syntax.KindTypeAliasStatement:
		j.alias(n)
	default:
		j.rest(n)
	}
}

// rest judges what has nothing of its own to be judged by.
func (j *judge) rest(n syntax.Node) {
	switch {
	case leaves[n.Kind()]:
		return
	case n.Kind() != 0 && !inner[n.Kind()] && n.Field() != syntax.FieldOperator && n.Field() != syntax.FieldOperators && n.Text() != "async":
		j.refuse(n, Syntax, "this syntax is not on the list: %s", n.Kind())
	}
	for c := range n.Children() {
		j.node(c)
	}
}

// leaves hold nothing that does anything.
var leaves = map[syntax.Kind]bool{
	syntax.KindEllipsis: true, syntax.KindInteger: true, syntax.KindFloat: true, syntax.KindTrue: true, syntax.KindFalse: true, syntax.KindNone: true,
	syntax.KindPassStatement: true, syntax.KindBreakStatement: true, syntax.KindContinueStatement: true, syntax.KindFutureImportStatement: true,
	syntax.KindStringStart: true, syntax.KindStringContent: true, syntax.KindStringEnd: true, syntax.KindEscapeSequence: true, syntax.KindEscapeInterpolation: true,
	syntax.KindTypeConversion: true, syntax.KindPositionalSeparator: true, syntax.KindKeywordSeparator: true, syntax.KindComment: true, syntax.KindLineContinuation: true,
}

// inner are those whose parts are judged each for itself.
var inner = map[syntax.Kind]bool{
	syntax.KindModule: true, syntax.KindBlock: true, syntax.KindExpressionStatement: true, syntax.KindAssertStatement: true, syntax.KindReturnStatement: true,
	syntax.KindRaiseStatement: true, syntax.KindIfStatement: true, syntax.KindElifClause: true, syntax.KindElseClause: true, syntax.KindMatchStatement: true,
	syntax.KindWhileStatement: true, syntax.KindTryStatement: true, syntax.KindExceptClause: true, syntax.KindFinallyClause: true, syntax.KindWithStatement: true,
	syntax.KindWithClause: true, syntax.KindWithItem: true, syntax.KindDecoratedDefinition: true, syntax.KindDecorator: true, syntax.KindArgumentList: true,
	syntax.KindExpressionList: true, syntax.KindListSplat: true, syntax.KindDictionarySplat: true, syntax.KindParenthesizedListSplat: true,
	syntax.KindNotOperator: true, syntax.KindBooleanOperator: true, syntax.KindBinaryOperator: true, syntax.KindUnaryOperator: true, syntax.KindComparisonOperator: true,
	syntax.KindYield: true, syntax.KindAwait: true, syntax.KindSlice: true, syntax.KindList: true, syntax.KindSet: true, syntax.KindTuple: true,
	syntax.KindDictionary: true, syntax.KindPair: true, syntax.KindListComprehension: true, syntax.KindDictionaryComprehension: true, syntax.KindSetComprehension: true,
	syntax.KindGeneratorExpression: true, syntax.KindParenthesizedExpression: true, syntax.KindIfClause: true, syntax.KindConditionalExpression: true,
	syntax.KindConcatenatedString: true, syntax.KindString: true, syntax.KindInterpolation: true, syntax.KindFormatSpecifier: true, syntax.KindFormatExpression: true,
}

// dotted is the text of a dotted name, as Python compares it.
func dotted(n syntax.Node) string {
	if n.Kind() == syntax.KindIdentifier {
		return n.Identifier()
	}
	var parts []string
	for c := range n.Children() {
		parts = append(parts, c.Identifier())
	}
	return strings.Join(parts, ".")
}

// imports is "import a.b as c, d".
func (j *judge) imports(n syntax.Node) {
	for c := range n.Children() {
		name, as := c, syntax.Node{}
		if c.Kind() == syntax.KindAliasedImport {
			name, as = c.Child(syntax.FieldName), c.Child(syntax.FieldAlias)
		}
		module := dotted(name)
		if !j.importable(module) {
			j.refuse(name, Import, "the module %s is not on the list", quoted(module))
		}
		for p, more := module, true; more; {
			j.imported[p] = true
			at := strings.LastIndexByte(p, '.')
			if more = at > 0; more {
				p = p[:at]
			}
		}
		if as.OK() {
			j.bindModule(as, module)
		} else {
			first, _, _ := strings.Cut(module, ".")
			j.bindModule(name.First(), first)
		}
	}
}

// importable reports whether a module is on the list. What needs no import has none.
func (j *judge) importable(module string) bool {
	return module != builtins && (j.rules.known(module) || j.rules.exact(module))
}

func (j *judge) bindModule(n syntax.Node, module string) {
	if isClass(n.Identifier()) { // another file could take it for a class
		j.refuse(n, Binding, "the module %s is bound to a name that begins with a capital letter", quoted(module))
	}
	b := j.bind(n)
	b.modules = j.more(n, b.modules, module)
}

// mostOrigins is how many different things one name may be imported as.
const mostOrigins = 16

// more is a list with one that is not in it yet.
func (j *judge) more(n syntax.Node, all []string, one string) []string {
	switch {
	case contains(all, one):
		return all
	case len(all) < mostOrigins:
		return append(all, one)
	}
	j.crowded[n.Identifier()] = true
	return all
}

// importsFrom is "from a.b import c as d, e".
func (j *judge) importsFrom(n syntax.Node) {
	from := n.Child(syntax.FieldModuleName)
	module := ""
	if from.Kind() == syntax.KindRelativeImport {
		module = from.Text()
	} else {
		module = dotted(from)
	}
	known := j.importable(module)
	if !known {
		j.refuse(from, Import, "the module %s is not on the list", quoted(module))
	}
	for c := range n.Children() {
		switch {
		case c.Kind() == syntax.KindWildcardImport:
			j.refuse(c, Import, "what is imported from %s is not said by name", quoted(module))
		case c.Field() == syntax.FieldName:
			j.importName(module, known, c)
		}
	}
}

func (j *judge) importName(module string, known bool, n syntax.Node) {
	name, as := n, n
	if n.Kind() == syntax.KindAliasedImport {
		name, as = n.Child(syntax.FieldName), n.Child(syntax.FieldAlias)
	}
	if as.Kind() == syntax.KindDottedName {
		as = as.First()
	}
	what := dotted(name)
	if j.rules.exact(module + "." + what) {
		j.bindModule(as, module+"."+what)
		return
	}
	if _, ok := j.rules.member(module, what); !ok && known {
		j.refuse(name, Import, "%s is not on the list of the module %s", quoted(what), quoted(module))
	}
	b := j.bind(as)
	b.from = j.more(as, b.from, module+"."+what)
}

func (j *judge) class(n syntax.Node) {
	b := j.bind(n.Child(syntax.FieldName))
	supers := n.Child(syntax.FieldSuperclasses)
	enum := j.enumeration(supers)
	b.enum = enum && (b.enum || !b.class)
	b.class = true
	j.typeParameters(n.Child(syntax.FieldTypeParameters))
	if supers.OK() {
		j.node(supers)
	}
	j.node(n.Child(syntax.FieldBody))
}

// enumeration reports whether the first base is one of the module enum.
func (j *judge) enumeration(supers syntax.Node) bool {
	if !supers.OK() {
		return false
	}
	for c := range supers.Children() {
		all := j.qualified(c)
		for _, q := range all {
			if !strings.HasPrefix(q, "enum.") {
				return false
			}
		}
		if len(all) > 0 {
			return true
		}
	}
	return false
}

func (j *judge) function(n syntax.Node) {
	name := n.Child(syntax.FieldName)
	if s := name.Identifier(); !dunder(s) {
		j.bind(name).other = true
	} else if !special[s] {
		j.refuse(name, Binding, "the method %s is not on the list", quoted(s))
	}
	j.typeParameters(n.Child(syntax.FieldTypeParameters))
	j.parameters(n.Child(syntax.FieldParameters))
	if t := n.Child(syntax.FieldReturnType); t.OK() {
		j.annotation(t)
	}
	j.node(n.Child(syntax.FieldBody))
}

func (j *judge) parameters(n syntax.Node) {
	if !n.OK() {
		return
	}
	for c := range n.Children() {
		j.parameter(c)
	}
}

func (j *judge) parameter(n syntax.Node) {
	switch n.Kind() {
	case syntax.KindIdentifier:
		j.bind(n).other = true
	case syntax.KindDefaultParameter, syntax.KindTypedDefaultParameter:
		j.parameter(n.Child(syntax.FieldName))
		if t := n.Child(syntax.FieldType); t.OK() {
			j.annotation(t)
		}
		j.node(n.Child(syntax.FieldValue))
	case syntax.KindTypedParameter:
		for c := range n.Children() {
			if c.Field() == syntax.FieldType {
				j.annotation(c)
			} else {
				j.parameter(c)
			}
		}
	case syntax.KindListSplatPattern, syntax.KindDictionarySplatPattern, syntax.KindTuplePattern:
		j.parameters(n)
	default:
		j.rest(n)
	}
}

func (j *judge) assignment(n syntax.Node) {
	left, right := n.Child(syntax.FieldLeft), n.Child(syntax.FieldRight)
	if left.Kind() == syntax.KindIdentifier && n.Kind() == syntax.KindAssignment {
		b := j.bind(left)
		value := right
		for value.Kind() == syntax.KindAssignment {
			value = value.Child(syntax.FieldRight)
		}
		if value.OK() {
			b.values = append(b.values, value)
		}
	} else {
		j.target(left)
	}
	if t := n.Child(syntax.FieldType); t.OK() {
		j.annotation(t)
	}
	if right.OK() {
		j.node(right)
	}
}

func (j *judge) loop(n syntax.Node) {
	for c := range n.Children() {
		if c.Field() == syntax.FieldLeft {
			j.target(c)
		} else {
			j.node(c)
		}
	}
}

// target is something that is set.
func (j *judge) target(n syntax.Node) {
	switch n.Kind() {
	case syntax.KindIdentifier:
		j.bind(n).other = true
	case syntax.KindAttribute:
		j.store(n)
	case syntax.KindPatternList, syntax.KindTuplePattern, syntax.KindListPattern, syntax.KindListSplatPattern, syntax.KindTuple, syntax.KindList,
		syntax.KindListSplat, syntax.KindParenthesizedExpression, syntax.KindExpressionList, syntax.KindAsPatternTarget:
		for c := range n.Children() {
			j.target(c)
		}
	default:
		j.node(n)
	}
}

// store is an attribute that is set, or deleted.
func (j *judge) store(n syntax.Node) {
	root, names := chain(n)
	if last := names[len(names)-1]; dunder(last.Identifier()) {
		j.refuse(last, Binding, "the attribute %s is not to be set", quoted(last.Identifier()))
	}
	if root.Kind() == syntax.KindIdentifier && j.judging {
		if b := j.binds[root.Identifier()]; b == nil || len(b.modules)+len(b.from) > 0 {
			j.refuse(root, Binding, "%s is not of this file, and is not to be changed", quoted(root.Identifier()))
			return
		}
	}
	j.reach(n, nil)
}

func (j *judge) delete(n syntax.Node) {
	for c := range n.Children() {
		if c.Kind() == syntax.KindSubscript {
			j.node(c)
			continue
		}
		j.target(c)
	}
}

// as is "what as name".
func (j *judge) as(n syntax.Node, what func(syntax.Node)) {
	first := true
	for c := range n.Children() {
		switch {
		case c.Kind() == syntax.KindAsPatternTarget, !first && c.Kind() == syntax.KindIdentifier:
			j.target(c)
		default:
			what(c)
		}
		first = false
	}
}
