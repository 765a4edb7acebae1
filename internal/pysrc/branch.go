package pysrc

import (
	"fmt"

	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// try runs an arm under a condition.
func (r *reader) try(run func() bool) arm {
	r.depth++
	defer func() { r.depth-- }()
	return r.scope.try(run)
}

// where names a statement that decides.
func where(n syntax.Node, word string) string {
	return fmt.Sprintf("the %s at line %d", word, n.Line())
}

// ifs interprets an if statement. Arms that a constant test rules out are passed over.
func (r *reader) ifs(n syntax.Node) bool {
	var arms []arm
	test, body := n.Child(syntax.FieldCondition), n.Child(syntax.FieldConsequence)
	rest := []syntax.Node{}
	for c := range n.Children() {
		if c.Is(syntax.KindElifClause, syntax.KindElseClause) {
			rest = append(rest, c)
		}
	}
	for {
		value, known, typing := true, true, false
		if test.OK() {
			r.walruses(test)
			value, known, typing = r.fold(test)
		}
		switch {
		case !known:
			arms = append(arms, r.try(func() bool { return r.block(body) }))
		case value && len(arms) == 0:
			return r.block(body)
		case value:
			arms = append(arms, r.try(func() bool { return r.block(body) }))
			return r.scope.merge(arms, true, where(n, "if"))
		case typing:
			for name := range r.try(func() bool { return r.block(body) }).changed {
				r.scope.typing[name] = body.Line()
			}
		}
		if len(rest) == 0 {
			return r.scope.merge(arms, false, where(n, "if"))
		}
		test, body = rest[0].Child(syntax.FieldCondition), rest[0].Child(syntax.FieldConsequence)
		if !body.OK() {
			body = rest[0].Child(syntax.FieldBody)
		}
		rest = rest[1:]
	}
}

// tries interprets a try statement: its body may have stopped anywhere when a handler
// begins. A handler that raises is no way to what follows.
func (r *reader) tries(n syntax.Node) bool {
	var handlers []syntax.Node
	var orElse, finally syntax.Node
	for c := range n.Children() {
		switch c.Kind() {
		case syntax.KindExceptClause:
			handlers = append(handlers, c)
		case syntax.KindElseClause:
			orElse = c.Child(syntax.FieldBody)
		case syntax.KindFinallyClause:
			finally = last(c)
		}
	}
	body := n.Child(syntax.FieldBody)
	why := where(n, "try")
	var ends bool
	if len(handlers) == 0 {
		ends = r.block(body)
	} else {
		through := r.try(func() bool { return r.block(body) || orElse.OK() && r.block(orElse) })
		partly := arm{changed: through.changed}
		arms := []arm{through}
		for _, h := range handlers {
			arms = append(arms, r.try(func() bool {
				r.scope.merge([]arm{partly}, false, why)
				return r.handler(h)
			}))
		}
		ends = r.scope.merge(arms, true, why)
	}
	if finally.OK() {
		return r.block(finally) || ends
	}
	return ends
}

func (r *reader) handler(n syntax.Node) bool {
	var name syntax.Node
	if p := n.Child(syntax.FieldValue); p.Is(syntax.KindAsPattern) {
		name = p.Child(syntax.FieldAlias).First()
	}
	if name.OK() {
		r.bind(name, Value{Kind: Literal, Line: n.Line()}, n)
	}
	ends := r.block(last(n))
	if name.OK() {
		r.bind(name, Value{Kind: Absent, Line: n.Line()}, n)
	}
	return ends
}

func last(n syntax.Node) (l syntax.Node) {
	for c := range n.Named() {
		l = c
	}
	return l
}

// loop interprets with, for and while: what their bodies bind may be bound.
func (r *reader) loop(n syntax.Node) bool {
	word := map[syntax.Kind]string{syntax.KindWithStatement: "with", syntax.KindForStatement: "for", syntax.KindWhileStatement: "while"}[n.Kind()]
	for c := range n.Named() {
		if !c.Is(syntax.KindBlock, syntax.KindElseClause) {
			r.walruses(c)
		}
	}
	body, orElse := n.Child(syntax.FieldBody), n.Child(syntax.FieldAlternative)
	if test := n.Child(syntax.FieldCondition); test.OK() {
		if value, known, _ := r.fold(test); known && !value {
			return orElse.OK() && r.block(orElse.Child(syntax.FieldBody))
		}
	}
	once := r.try(func() bool {
		r.loopTargets(n)
		return r.block(body)
	})
	once.ends = false // what suppresses an exception, or no turn at all
	r.scope.merge([]arm{once}, false, where(n, word))
	if orElse.OK() {
		after := r.try(func() bool { return r.block(orElse.Child(syntax.FieldBody)) })
		r.scope.merge([]arm{after}, false, where(n, word))
	}
	return false
}

// loopTargets binds what the head of a with or for statement binds.
func (r *reader) loopTargets(n syntax.Node) {
	unknown := func(name syntax.Node) {
		r.bind(name, Value{Kind: Unknown, Line: n.Line(), Why: "a value that a loop or a context gives"}, n)
	}
	if n.Is(syntax.KindForStatement) {
		r.targets(n.Child(syntax.FieldLeft), unknown)
		return
	}
	for c := range n.Named() {
		if !c.Is(syntax.KindWithClause) {
			continue
		}
		c.Walk(func(n syntax.Node) bool {
			if n.Is(syntax.KindAsPatternTarget) {
				r.targets(n, unknown)
				return false
			}
			return !n.Is(syntax.KindLambda)
		})
	}
}

// match interprets a match statement.
func (r *reader) match(n syntax.Node) bool {
	r.walruses(n.Child(syntax.FieldSubject))
	var arms []arm
	for c := range n.Child(syntax.FieldBody).Named() {
		if !c.Is(syntax.KindCaseClause) {
			continue
		}
		arms = append(arms, r.try(func() bool {
			for p := range c.Named() {
				if p.Is(syntax.KindCasePattern) {
					r.capture(p)
				}
			}
			return r.block(c.Child(syntax.FieldConsequence))
		}))
	}
	r.scope.merge(arms, false, where(n, "match"))
	return false
}

// capture binds the names of a pattern.
func (r *reader) capture(p syntax.Node) {
	unknown := func(name syntax.Node) {
		if name.Text() != "_" {
			r.bind(name, Value{Kind: Unknown, Line: name.Line(), Why: "what a pattern matched"}, p)
		}
	}
	p.Walk(func(n syntax.Node) bool {
		switch n.Kind() {
		case syntax.KindDottedName:
			if id := n.First(); last(n) == id {
				unknown(id)
			}
			return false
		case syntax.KindClassPattern, syntax.KindKeywordPattern:
			for c := range n.Named() {
				if c.Is(syntax.KindCasePattern) || n.Is(syntax.KindKeywordPattern) && c != n.First() {
					r.capture(c)
				}
			}
			return false
		case syntax.KindIdentifier: // of a star, or behind "as"
			unknown(n)
		}
		return true
	})
}

// fold is the value of a test that does not depend on anything, and whether it is about
// type checking.
func (r *reader) fold(n syntax.Node) (value, known, typing bool) {
	switch n.Kind() {
	case syntax.KindTrue:
		return true, true, false
	case syntax.KindFalse, syntax.KindNone:
		return false, true, false
	case syntax.KindInteger:
		return n.Text() != "0", n.Text() == "0" || n.Text() == "1", false
	case syntax.KindParenthesizedExpression:
		return r.fold(n.First())
	case syntax.KindNotOperator:
		value, known, typing = r.fold(n.Child(syntax.FieldArgument))
		return !value, known, typing
	case syntax.KindBooleanOperator:
		return r.foldBoth(n)
	case syntax.KindComparisonOperator:
		return r.foldMain(n)
	case syntax.KindIdentifier, syntax.KindAttribute:
		return foldValue(r.eval(n), n)
	}
	return false, false, false
}

func foldValue(v Value, n syntax.Node) (value, known, typing bool) {
	switch {
	case v.Kind == Imported && (v.Name == "typing.TYPE_CHECKING" || v.Name == "typing_extensions.TYPE_CHECKING"),
		v.Kind == Absent && n.Text() == "TYPE_CHECKING":
		return false, true, true
	case v.Kind == Literal && (v.Name == "True" || v.Name == "1"):
		return true, true, false
	case v.Kind == Literal && (v.Name == "False" || v.Name == "0" || v.Name == "None"):
		return false, true, n.Text() == "TYPE_CHECKING"
	}
	return false, false, false
}

// foldBoth folds "and" and "or", where one side may be enough.
func (r *reader) foldBoth(n syntax.Node) (value, known, typing bool) {
	a, aKnown, aTyping := r.fold(n.Child(syntax.FieldLeft))
	b, bKnown, bTyping := r.fold(n.Child(syntax.FieldRight))
	decides := n.Child(syntax.FieldOperator).Text() == "or"
	switch {
	case aKnown && a == decides:
		return decides, true, aTyping
	case bKnown && b == decides:
		return decides, true, bTyping
	}
	return !decides, aKnown && bKnown, aTyping || bTyping
}

// foldMain folds __name__ == "__main__", which is false where a file is loaded.
func (r *reader) foldMain(n syntax.Node) (value, known, typing bool) {
	var sides []string
	for c := range n.Named() {
		text := c.Text()
		if c.Is(syntax.KindString) {
			text, _ = unquote(text)
			text = "=" + text
		} else if _, bound := r.global.names["__name__"]; bound {
			return false, false, false
		}
		sides = append(sides, text)
	}
	op := n.Child(syntax.FieldOperators).Text()
	if len(sides) != 2 || op != "==" && op != "!=" {
		return false, false, false
	}
	if sides[0] != "__name__" {
		sides[0], sides[1] = sides[1], sides[0]
	}
	if sides[0] != "__name__" || sides[1] != "=__main__" {
		return false, false, false
	}
	return op == "!=", true, false
}
