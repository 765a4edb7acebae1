// Package allow judges Python by a list of what it may use, on its syntax tree, without
// running any of it. What is not on the list is refused, with its place and the reason.
//
// What a program can do comes to it by imports, by the names that need none, and through
// objects that lead from one to the other. So a module and a built-in function may be used
// only by a name that is on the list, at the place where it is written: a module is never
// a value, and neither is a function that is not listed, so that no other name leads to
// one. Attributes by which an object tells of the interpreter are refused on everything.
// Annotations, which libraries may evaluate also where they are texts, hold types and
// nothing else. Names count wherever they are bound: a name that is a module in one
// function is one in all.
//
// What is not judged: what the objects of listed packages do when they are asked to, how
// long something takes, and whether it is of any use.
package allow

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// Kind says what is not allowed about something, stably.
type Kind string

const (
	// Import is a module, or a name of one, that is not on the list.
	Import Kind = "import"
	// Module is a module that is used as a value.
	Module Kind = "module"
	// Builtin is a name that needs no import and is not on the list.
	Builtin Kind = "builtin"
	// Attribute is an attribute that leads into the interpreter, or to other programs.
	Attribute Kind = "attribute"
	// Binding is a name or an attribute that must not be set.
	Binding Kind = "binding"
	// Annotation is an annotation that holds more than types.
	Annotation Kind = "annotation"
	// Syntax is syntax that is not on the list.
	Syntax Kind = "syntax"
)

// MaxViolations is how many violations are told of one file that is refused.
const MaxViolations = 100

// MaxFindings is how many of them check tells of one file.
const MaxFindings = 3

// Violation is one thing that is not allowed.
type Violation struct {
	Line, Column int // 1-based; the column in bytes
	Kind         Kind
	Reason       string // foreign text in it is quoted
}

// Report is what was found. The zero Report is of a file without a fault.
type Report struct {
	// Fault is why Python could not read the file; nil when it can. Such a file is not
	// allowed, and nothing else is told of it.
	Fault      *syntax.Fault
	Violations []Violation // in the order of the file
	More       int         // so many others are not told
}

// OK reports whether everything is allowed.
func (r *Report) OK() bool { return r.Fault == nil && len(r.Violations) == 0 }

// NotAllowed is a file that uses what is not on the list.
var NotAllowed = &ext.Check{
	Code: "python-not-allowed", Severity: ext.Warning,
	Doc: "Python of a design monorepo uses what is not on the list of what agents may write. Who wrote it cannot be told by reading.",
	Fix: "Look who wrote it; where it is meant, nothing, else use what is on the list.",
}

// Findings are what check says of a file: the first few violations, each with its line,
// and how many more there are. It is nothing when the file is allowed, or cannot be read,
// which its readers tell.
func (r *Report) Findings(o ext.Origin) ext.Findings {
	var out ext.Findings
	few := min(len(r.Violations), MaxFindings)
	for _, v := range r.Violations[:few] {
		out.Add(NotAllowed.At(o.At(o.Path, v.Line), "%s", v.Reason))
	}
	if more := len(r.Violations) - few + r.More; more > 0 {
		out.Add(NotAllowed.At(o, "and %d more of the kind", more))
	}
	return out
}

// Err is the refusal to write a file, with all that is told; nil when it is allowed.
func (r *Report) Err(file string) error {
	if r.OK() {
		return nil
	}
	text := ext.Quote(file) + " is not written"
	if r.Fault != nil {
		return ext.AsRefused(fmt.Errorf("%s: it is no Python: line %d: %s", text, r.Fault.Line, ext.Escape(r.Fault.Reason)))
	}
	for _, v := range r.Violations {
		text += fmt.Sprintf("; %s:%d:%d: %s", ext.Escape(file), v.Line, v.Column, v.Reason)
	}
	if r.More > 0 {
		text += fmt.Sprintf("; and %d more", r.More)
	}
	return ext.AsRefused(errors.New(text))
}

// Permit refuses a file that is written, if it is Python by its name and uses what rules do
// not allow; nil rules are Default. An error is that of the report, or of ctx.
func Permit(ctx context.Context, file string, src []byte, rules *Rules) error {
	if path.Ext(file) != ".py" {
		return nil
	}
	if rules == nil {
		rules = Default()
	}
	report, err := Check(ctx, src, rules)
	if err != nil {
		return err
	}
	return report.Err(file)
}

// Check judges one file. The error is that of ctx.
func Check(ctx context.Context, src []byte, rules *Rules) (Report, error) {
	if fault := otherwise(src); fault != nil {
		return Report{Fault: fault}, nil
	}
	tree, fault, err := syntax.Parse(ctx, src)
	if fault != nil || err != nil {
		return Report{Fault: fault}, err
	}
	return judged(ctx, tree, rules)
}

// CheckTree judges a file that was parsed already, as Check does. It only reads the tree.
func CheckTree(ctx context.Context, src []byte, tree *syntax.Tree, rules *Rules) (Report, error) {
	if fault := otherwise(src); fault != nil {
		return Report{Fault: fault}, nil
	}
	return judged(ctx, tree, rules)
}

// otherwise is the fault of a file that asks Python to take its bytes for others.
func otherwise(src []byte) *syntax.Fault {
	line, encoding := cookie(src)
	if line == 0 {
		return nil
	}
	return &syntax.Fault{Code: syntax.Encoding, Line: line, Reason: "it asks to be read as " + encoding}
}

func judged(ctx context.Context, tree *syntax.Tree, rules *Rules) (Report, error) {
	j := &judge{rules: rules, binds: map[string]*binding{}, imported: map[string]bool{}, crowded: map[string]bool{}, judged: map[string]bool{}}
	j.node(tree.Root()) // what is bound where
	j.judging = true
	j.node(tree.Root())
	slices.SortStableFunc(j.report.Violations, func(a, b Violation) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return j.report, ctx.Err()
}
