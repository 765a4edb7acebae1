// Package policy is the surface for rules over tool calls. A rule says which
// calls it is about and whether they are denied or left to the person; its
// condition is an expression in CEL. Nothing in it can allow a call.
package policy

import (
	"strings"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Policy is one rule as its author wrote it. It is data alone: what is known of
// its expression is asked of Remembered.
type Policy struct {
	Outcome    Outcome
	Message    string   // what the agent and the person are told
	When       string   // CEL, of type bool; "" applies always
	Tools      []string // patterns of exposed, qualified or short names; none: every tool
	Servers    []string // patterns; none: every server, and none
	Extensions []string // patterns; none: every extension
	Action     string   // what it wants to be asked about
}

// Outcome is what a policy wants of a call that it applies to.
type Outcome string

const (
	// Deny refuses the call.
	Deny Outcome = "deny"
	// Ask leaves the call to the person.
	Ask Outcome = "ask"
)

// ToolCall is the action that a policy is about unless it says otherwise.
const ToolCall = "tool_call"

// Consults is the action that p wants to be asked about, in its author's word.
// Whoever composes refuses a policy for an action that nobody asks about.
func (p Policy) Consults() string { return p.Action }

// Reads are the variables that judging p reads, sorted. A key of the arguments is
// "arguments." and the key as it is spelled, dots included; "arguments" alone is
// all of them. It is nil for an expression at fault.
func (p Policy) Reads() []string {
	v := Remembered.verdict(p.When)
	if len(v.Faults) > 0 {
		return nil
	}
	reads := append([]string(nil), v.Facts.Reads...)
	for axis, patterns := range [axes][]string{p.Tools, p.Servers, p.Extensions} {
		if len(patterns) > 0 {
			reads = append(reads, axisNames[axis])
		}
	}
	return sorted(reads)
}

// Surface is the policy surface.
var Surface = surface.Define(surface.Def[Policy]{
	Name:   "policy",
	Doc:    "Rules over tool calls: what is denied, and what a person is asked about.",
	Dir:    "policies",
	Files:  "*.yaml",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Whole:  true,
	Guards: true,
	Fields: fields,
	Checks: []*ext.Check{Definition, Expression, Limit, Regex, Cost, Never},
	Read:   read,
})

var fields = []surface.Field{
	{Name: "outcome", Type: surface.Text, Required: true, Doc: "deny, or ask: the person decides."},
	{Name: "message", Type: surface.Text, Required: true, Doc: "What the agent and the person are told."},
	{Name: "when", Type: surface.Text, Doc: "When it applies: an expression in CEL over tool, server, extension, session, agent, client, mode, arguments and annotations. Without it: always."},
	{Name: "tools", Type: surface.Words, Doc: "Tools it is about, by the name agents call, the qualified one, or the one in its extension; * stands for any text. Without it: all."},
	{Name: "servers", Type: surface.Words, Doc: "Servers whose tools it is about, likewise."},
	{Name: "extensions", Type: surface.Words, Doc: "Extensions whose tools it is about, likewise."},
	{Name: "on", Type: surface.Text, Doc: "The action it is about; tool_call where it says nothing."},
	{Name: "description", Type: surface.Text, Doc: "What it is for; the message where it is missing."},
}

// Checks on policies.
var (
	Definition = &ext.Check{
		Code: "policy-definition", Severity: ext.Error,
		Doc: "A policy holds a key that is not known, or a value that does not fit.",
		Fix: "Correct the policy: one that is read only in part would be a false check.",
	}
	Expression = &ext.Check{
		Code: "policy-expression", Severity: ext.Error,
		Doc: "A policy's expression is not CEL of type bool over what a policy may read and call.",
		Fix: "Correct the expression: it reads tool, server, extension, session, agent, client, mode, arguments and annotations, and comes to true or false; compare a value of the arguments, as in arguments.force == true.",
	}
	Limit = &ext.Check{
		Code: "policy-limit", Severity: ext.Error,
		Doc: "A policy's expression is too long, too deeply nested or has too many parts.",
		Fix: "Make it shorter, or several policies of it: a call is denied when any of them denies it.",
	}
	Regex = &ext.Check{
		Code: "policy-regex", Severity: ext.Error,
		Doc: "A regular expression of a policy is not a literal, is at fault, or is too large.",
		Fix: "Write the pattern as a literal in RE2 syntax, without large counted repetitions.",
	}
	Cost = &ext.Check{
		Code: "policy-cost", Severity: ext.Error,
		Doc: "Judging one call by a policy's expression could take too long.",
		Fix: "Take out loops within loops, or match what is looked for once instead of in every turn of a loop.",
	}
	Never = &ext.Check{
		Code: "policy-never", Severity: ext.Error,
		Doc: "A policy can never apply: it would be a check that checks nothing.",
		Fix: "Correct its condition, or remove the policy.",
	}
)

const (
	maxMessage  = 2000 // characters
	maxPatterns = 256  // of one field
	maxPattern  = 256  // bytes
)

func read(d surface.Document, e *surface.Entry[Policy]) {
	v := surface.ReadStrict(d, fields, e, Definition)
	e.Description = v.Description(v.Text("message"))
	e.Value = Policy{
		Outcome: Outcome(v.Text("outcome")), Message: v.Text("message"), Action: v.Or("on", ToolCall),
		Tools: patterns(v, e, "tools"), Servers: patterns(v, e, "servers"), Extensions: patterns(v, e, "extensions"),
	}
	if o := e.Value.Outcome; o != "" && o != Deny && o != Ask {
		e.ReportField("outcome", Definition, v.Doc("outcome").Line, "the outcome %s is neither deny nor ask", ext.Quote(ext.Shorten(string(o), 80)))
	}
	if n := utf8.RuneCountInString(e.Value.Message); n > maxMessage {
		e.ReportField("message", Definition, v.Doc("message").Line, "the message is %d characters long, at most %d are allowed", n, maxMessage)
	}
	when(v.Doc("when"), e)
}

// patterns reads one of the fields that list names.
func patterns(v surface.Values, e *surface.Entry[Policy], field string) []string {
	d := v.Doc(field)
	if d == nil {
		return nil
	}
	words := v.Words(field)
	if len(words) == 0 || len(words) > maxPatterns {
		e.ReportField(field, Definition, d.Line, "key %s lists %d names, 1 to %d are allowed; without the key all are meant", field, len(words), maxPatterns)
	}
	for _, w := range words {
		if w == "" || len(w) > maxPattern {
			e.ReportField(field, Definition, d.Line, "key %s holds a name of %d bytes, 1 to %d are allowed", field, len(w), maxPattern)
			break
		}
	}
	return words
}

// when reads the condition and tells its faults where they lie in the file.
func when(d *ext.Doc, e *surface.Entry[Policy]) {
	if d == nil {
		return
	}
	e.Value.When = strings.TrimRight(d.Text, " \t\n")
	if e.Value.When == "" {
		e.ReportField("when", Definition, d.Line, "key when is empty; without the key the policy always applies")
		return
	}
	verdict := Remembered.verdict(e.Value.When)
	for i := range verdict.Faults {
		f := &verdict.Faults[i]
		e.ReportField("when", f.check(), f.line(d), "%s%s", f.where(d), f.Message)
	}
	if len(verdict.Faults) > 0 {
		return
	}
	// A tool goes by two names, so that only the others can contradict.
	for axis, names := range [axes][]string{server: e.Value.Servers, extension: e.Value.Extensions} {
		if demand := verdict.Facts.Demands[axis]; len(demand) > 0 && len(names) > 0 && len(both(parseAll(names), demand)) == 0 {
			e.ReportField("when", Never, d.Line, "the expression demands another %s than the key %ss names", axisNames[axis], axisNames[axis])
		}
	}
}
