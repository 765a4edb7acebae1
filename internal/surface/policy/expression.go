package policy

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	celext "cel.dev/cel-go/ext"

	"github.com/mortise-dev/mortise/ext"
)

// What an expression may be. Parsing, checking and judging it are bounded by
// these alone, whoever wrote it.
const (
	maxExpression = 4096 // bytes
	maxNesting    = 40   // of its grammar
	maxNodes      = 2000
	maxLoops      = 2    // one within the other
	maxRegex      = 1000 // instructions of one compiled pattern
	maxFaults     = 3    // told of one expression
)

// library is the version of cel-go, which what is remembered of expressions
// depends on.
const library = "v0.33.2"

// environment names everything that a verdict depends on besides the expression.
// The first number changes with the code of this package that makes verdicts.
var environment = fmt.Sprint(1, library, maxExpression, maxNesting, maxNodes, maxLoops, maxRegex, maxCost, nominalText, nominalItems, nominalTotal)

// cels is where expressions are parsed, checked and planned. Of the macros, map is
// left out, and so are the functions that make text longer than they are given:
// with them a short expression builds a value of exponential size. Functions that
// read a time zone are left out with all of time: nothing outside is read.
var cels = sync.OnceValues(func() (*cel.Env, error) {
	values := cel.MapType(cel.StringType, cel.DynType)
	return cel.NewCustomEnv(
		cel.StdLib(), celext.Strings(celext.StringsVersion(5)),
		cel.ClearMacros(), cel.Macros(cel.HasMacro, cel.AllMacro, cel.ExistsMacro, cel.ExistsOneMacro, cel.FilterMacro),
		cel.ParserExpressionSizeLimit(maxExpression), cel.ParserRecursionLimit(maxNesting), cel.ParserErrorRecoveryLimit(2), cel.ExpressionNodeLimit(maxNodes),
		cel.Variable("tool", cel.StringType), cel.Variable("server", cel.StringType), cel.Variable("extension", cel.StringType),
		cel.Variable("session", cel.StringType), cel.Variable("agent", cel.StringType), cel.Variable("client", cel.StringType),
		cel.Variable("mode", cel.MapType(cel.StringType, cel.StringType)),
		cel.Variable("arguments", values), cel.Variable("annotations", values),
	)
})

// verdict is what is known of an expression: facts, or why it is refused. It is
// remembered, and not changed once it is made.
type verdict struct {
	Facts  facts   `json:"k,omitzero"`
	Faults []fault `json:"x,omitempty"`
}

// facts are what an expression reads and demands.
type facts struct {
	Reads   []string        `json:"r,omitempty"`
	Demands [axes][]pattern `json:"d"` // what it is false without; none: nothing, or nothing that is seen
	Cost    uint64          `json:"c"` // at most, for a call of nominal size
	Loops   bool            `json:"l,omitempty"`
}

// fault is one reason to refuse an expression.
type fault struct {
	Code    string `json:"c"`
	Line    int    `json:"l,omitempty"` // within the expression, from 1; 0 where it is about the whole
	Column  int    `json:"o,omitempty"`
	Message string `json:"m"` // fit to be printed
}

func (f *fault) check() *ext.Check {
	for _, c := range []*ext.Check{Expression, Limit, Regex, Cost, Never} {
		if c.Code == f.Code {
			return c
		}
	}
	return nil
}

// line is the fault's in the file. The text of a block begins below the line
// where its value does; only a block keeps line ends.
func (f *fault) line(d *ext.Doc) int {
	if strings.Contains(d.Text, "\n") {
		return d.Line + f.Line
	}
	return d.Line
}

// where says in words where in the expression it is.
func (f *fault) where(d *ext.Doc) string {
	switch {
	case f.Line == 0:
		return ""
	case strings.Contains(strings.TrimSpace(d.Text), "\n"):
		return fmt.Sprintf("line %d of the expression, column %d: ", f.Line, f.Column)
	}
	return fmt.Sprintf("column %d of the expression: ", f.Column)
}

// newFault makes the message fit to be printed: CEL's hold what the author wrote.
func newFault(c *ext.Check, at common.Location, format string, args ...any) fault {
	f := fault{Code: c.Code, Message: ext.Escape(ext.Shorten(fmt.Sprintf(format, args...), 200))}
	if at != nil && at.Line() > 0 {
		f.Line, f.Column = at.Line(), at.Column()+1
	}
	return f
}

// examine parses and checks an expression, derives what it reads and demands, and
// estimates what it costs. "" is true.
func examine(expression string) verdict {
	if expression == "" {
		return verdict{}
	}
	if len(expression) > maxExpression {
		return refused(newFault(Limit, nil, "the expression is %d bytes long, at most %d are allowed", len(expression), maxExpression))
	}
	env, err := cels()
	if err != nil {
		return refused(newFault(Expression, nil, "%v", err))
	}
	parsed, issues := env.Parse(expression)
	if issues.Err() != nil {
		return refused(told(issues)...)
	}
	checked, issues := env.Check(parsed)
	if issues.Err() != nil {
		return refused(told(issues)...)
	}
	if out := checked.OutputType(); out.Kind() != cel.BoolKind {
		return refused(newFault(Expression, nil, "the expression comes to %s, and not to bool", cel.FormatCELType(out)))
	}
	r := reader{ast: checked.NativeRep()}
	r.read(r.ast.Expr(), 0)
	if len(r.faults) > 0 {
		return refused(r.faults...)
	}
	known, possible := r.facts()
	if !possible {
		return refused(newFault(Never, nil, "the expression can never be true"))
	}
	if known.Cost = estimate(env, checked, r.ranges); known.Cost > maxCost {
		return refused(newFault(Cost, nil, "judging one call costs up to %s units by estimate, at most %d are allowed", units(known.Cost), maxCost))
	}
	return verdict{Facts: known}
}

func refused(faults ...fault) verdict {
	return verdict{Faults: faults[:min(len(faults), maxFaults)]}
}

// limits are how the library begins to tell that an expression exceeds one.
var limits = []string{"expression recursion limit", "max recursion depth", "expression code point size", "expression count exceeds", "expression node count"}

// told are the faults that the library found.
func told(issues *cel.Issues) []fault {
	var out []fault
	for _, e := range issues.Errors() {
		message, _, _ := strings.Cut(e.Message, " expecting {")
		message = strings.TrimSuffix(message, " (in container '')")
		check := Expression
		if slices.ContainsFunc(limits, func(l string) bool { return strings.HasPrefix(message, l) }) {
			check = Limit
		}
		out = append(out, newFault(check, e.Location, "%s", message))
	}
	if len(out) == 0 {
		out = append(out, newFault(Expression, nil, "%v", issues.Err()))
	}
	return out
}
