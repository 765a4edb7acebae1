package surface

import (
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Role says what a hook's implementation may do with the answer's weight.
type Role uint8

const (
	// Guard may deny what it is asked about. A guard that does not answer denies.
	Guard Role = iota + 1
	// Observer may only watch. One that does not answer costs nothing.
	Observer
)

var roleWords = [...]string{"", "guard", "observer"}

// String is the word for r.
func (r Role) String() string { return roleWords[r] }

// Implementation is an entry of a hook: what answers it, and when it is asked.
type Implementation struct {
	Ref     ext.Ref
	Role    Role       // Guard unless the document declares an observer
	Matches []string   // what it is asked about; empty: everything
	Timeout int        // milliseconds; 0: the hook's own default
	Answer  *ext.Doc   // the answer itself, for an implementation that is data; else nil
	Options []ext.Pair // further keys of the document that the hook knows, in its order
}

// Flag reports whether a further key is true.
func (im Implementation) Flag(key string) bool { return im.Option(key) == "true" }

// Asks are the questions of which one must be put for an entry of the hook to be
// asked.
func (s *Spec) Asks(im Implementation) []string {
	if s.Questions == nil {
		return []string{s.Name}
	}
	return s.Questions(im)
}

// Pairs are the members of a further key that is an object.
func (im Implementation) Pairs(key string) []ext.Pair {
	if v := im.further(key); v != nil {
		return v.Map
	}
	return nil
}

// Items are the texts of a further key that is a list.
func (im Implementation) Items(key string) (out []string) {
	if v := im.further(key); v != nil && v.Kind == ext.List {
		for i := range v.List {
			out = append(out, v.List[i].Text)
		}
	}
	return out
}

func (im Implementation) further(key string) *ext.Doc {
	for i := range im.Options {
		if im.Options[i].Key == key {
			return &im.Options[i].Value
		}
	}
	return nil
}

// Option is the text of a further key; "" where it has none.
func (im Implementation) Option(key string) string {
	if v := im.further(key); v != nil && v.Scalar() {
		return v.Text
	}
	return ""
}

// Consents is what a person consents to who lets it answer: the code that is
// asked, as what, about what, and what else its document says of that.
func (im Implementation) Consents() string {
	what := im.Ref.String()
	switch {
	case im.Answer != nil && im.Role == Guard:
		what = "an answer that is written down"
	case im.Answer != nil:
		what = "the answer " + shown(im.Answer)
	}
	if im.Role != 0 {
		what = im.Role.String() + ": " + what
	}
	if len(im.Matches) > 0 {
		what += "; about " + strings.Join(im.Matches, ", ")
	}
	for i := range im.Options {
		if v := &im.Options[i].Value; v.Scalar() || len(v.Map)+len(v.List) > 0 {
			what += "; " + im.Options[i].Key + ": " + shown(v)
		}
	}
	return what
}

// shown is a node in words, whole.
func shown(d *ext.Doc) string {
	var parts []string
	switch d.Kind {
	case ext.Map:
		for i := range d.Map {
			parts = append(parts, d.Map[i].Key+": "+shown(&d.Map[i].Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case ext.List:
		for i := range d.List {
			parts = append(parts, shown(&d.List[i]))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return d.Text
}

// HookDef declares a hook: a question the host asks with an In, which every
// extension that implements it answers with Outs.
type HookDef[In, Out any] struct {
	Name  string
	Doc   string
	Needs ext.Trust
	// Merge is how the answers of all extensions come together, by their keys. 0: they
	// are gathered by no plan, and whoever asks deals with each.
	Merge Merge
	// Key names what an answer is about. Nil: answers are appended.
	Key func(Out) string
	// Fixed: the answers are the same in every mode.
	Fixed bool
	// Valid says what is wrong with an answer that could be read; nil takes all. It may
	// set what is not said to what that means.
	Valid func(*Out) error
	// Guards: implementations may deny. Without it an implementation that calls
	// itself a guard is refused, since nobody would heed it (law 6).
	Guards bool
	// Answer says what is wrong with an answer that is data; nil takes any. An empty
	// text is no fault.
	Answer func(*ext.Doc) string
	// Questions are what an implementation is asked about, where not every one of the
	// hook is asked by the same doors; none: no door can ask it. Nil: the hook's name.
	Questions func(Implementation) []string
	// Options are further keys that a document of this hook may hold. They are
	// kept in Implementation.Options and part of what a person consents to.
	Options []Field
	// Reads names the hooks whose merged answers this one builds on.
	Reads []string
}

// Hook is the typed handle of a hook. It is a surface whose entries are its
// implementations, so that trust, order, provenance and quarantine are the
// same for both.
type Hook[In, Out any] struct {
	Surface[Implementation]
	Key   func(Out) string
	Reads []string
}

// Checks on the implementations of hooks.
var (
	HookTarget = &ext.Check{
		Code: "hook-target", Severity: ext.Error,
		Doc: "An implementation of a hook names nothing that could answer it.",
		Fix: "Give \"ref\" with a \"driver\", or \"answer\" for an implementation that is data.",
	}
	HookRole = &ext.Check{
		Code: "hook-role", Severity: ext.Error,
		Doc: "An implementation declares a role that its hook does not have.",
		Fix: "Use \"guard\" or \"observer\"; only a hook that decides something has guards.",
	}
	HookAnswer = &ext.Check{
		Code: "hook-answer", Severity: ext.Error,
		Doc: "An implementation of a hook is an answer that is written down, and none that the hook knows.",
		Fix: "Correct the answer: what each hook takes is in docs/points.md. A guard's is an object with \"verdict\", \"deny\" or \"ask\", and perhaps \"reason\".",
	}
	HookField = &ext.Check{
		Code: "hook-field", Severity: ext.Error,
		Doc: "An implementation of a hook holds a key that is not known or a value of the wrong type.",
		Fix: "Correct or remove the key: a guard that is read only in part would be a false check.",
	}
)

// HookChecks lists the checks on implementations, for the docs.
var HookChecks = []*ext.Check{HookTarget, HookRole, HookField, HookAnswer}

// Program is the driver of a program of the extension itself, which answers a hook of a
// plan: it is started for each question, gets that on its standard input, and writes its
// answers. The name of the reference is its file, below the root of the extension.
const Program = "program"

var implementationFields = []Field{
	{Name: "ref", Type: Object, Doc: "What answers: driver, target, name. {\"driver\": \"program\", \"name\": \"bin/answer\"} is a program of the extension, for the hooks of plans: it gets the question as a JSON object on its standard input and writes a list of answers."},
	{Name: "answer", Type: Any, Doc: "The answer itself, where it is data and needs no code."},
	{Name: "role", Type: Text, Doc: "guard (the default where the hook has guards) or observer."},
	{Name: "matches", Type: Words, Doc: "What it is asked about; nothing means everything."},
	{Name: "timeout_ms", Type: Integer, Doc: "How long it may take."},
}

// DefineHook makes a hook. It panics on an incomplete definition, which is a
// programming mistake.
func DefineHook[In, Out any](d HookDef[In, Out]) Hook[In, Out] {
	h := Hook[In, Out]{Key: d.Key, Reads: d.Reads}
	fields := slices.Concat(implementationFields, d.Options)
	gathered := answersOf(&d)
	h.Surface = Define(Def[Implementation]{
		Name: d.Name, Doc: d.Doc, Dir: "hooks/" + d.Name, Files: "*.json",
		Needs: d.Needs, Merge: Append, Whole: true, Runs: true, Guards: d.Guards,
		Fields: fields, Checks: HookChecks,
		Read: func(doc Document, e *Entry[Implementation]) {
			v := ReadStrict(doc, fields, e, HookField)
			readImplementation(v, e, d.Guards)
			checkProgram(e, gathered != nil)
			if a := e.Value.Answer; a != nil && gathered != nil {
				if _, line, err := gathered.ReadDoc(a); err != nil {
					e.Report(HookAnswer, line, "%s", err)
				}
			}
			if a := e.Value.Answer; a != nil && d.Answer != nil {
				if wrong := d.Answer(a); wrong != "" {
					e.Report(HookAnswer, a.Line, "the answer %s", wrong)
				}
			}
			for _, o := range v {
				if lookup(d.Options, o.name) != nil {
					e.Value.Options = append(e.Value.Options, ext.Pair{Key: o.name, Line: o.doc.Line, Value: *o.doc})
				}
			}
		},
	})
	h.Hook, h.Spec.Questions, h.Answers = true, d.Questions, gathered
	return h
}

// answersOf is how a plan reads and merges the answers to a hook; nil for one that no
// plan gathers.
func answersOf[In, Out any](d *HookDef[In, Out]) *Answers {
	if d.Merge == 0 {
		return nil
	}
	if (d.Merge == Append) != (d.Key == nil) || d.Merge == Namespaced {
		panic(fmt.Sprintf("hook %q: answers that merge %s have a key, or are appended", d.Name, d.Merge))
	}
	a := &Answers{Merge: d.Merge, Fixed: d.Fixed, Reads: d.Reads, out: reflect.TypeFor[Out]()}
	a.Fields = fieldsOf(a.out)
	if d.Key != nil {
		a.key = func(v any) string { return d.Key(v.(Out)) }
	}
	if d.Valid != nil {
		a.valid = func(v any) error { return d.Valid(v.(*Out)) }
	}
	return a
}

// checkProgram looks at a reference to a program. planned: the hook is one that plans ask.
func checkProgram(e *Entry[Implementation], planned bool) {
	ref := e.Value.Ref
	switch {
	case ref.Driver != Program:
	case !planned:
		e.Report(HookTarget, 0, "a program answers the hooks of plans, and this is none")
	case ref.Target != "":
		e.Report(HookTarget, 0, "a program is one of the extension itself, so that it has no \"target\"")
	case !fs.ValidPath(ref.Name) || ref.Name == ".":
		e.Report(HookTarget, 0, "the program %s is no path below the extension, such as bin/answer", ext.Quote(ref.Name))
	}
}

func readImplementation(v Values, e *Entry[Implementation], guards bool) {
	im := &e.Value
	im.Role = Observer
	if guards {
		im.Role = Guard
	}
	switch role := v.Text("role"); {
	case role == "observer":
		im.Role = Observer
	case role == "guard" && guards, role == "":
	default:
		e.Report(HookRole, v.Doc("role").Line, "role %s is not one that this hook has", ext.Quote(role))
	}
	im.Matches, im.Timeout, im.Answer = v.Words("matches"), v.Integer("timeout_ms", 0), v.Doc("answer")
	ref := v.Doc("ref")
	ReadRef(ref, e, HookField, &im.Ref)
	if (im.Ref.Driver == "") == (im.Answer == nil) {
		e.Report(HookTarget, 0, "exactly one of \"ref\" with a driver and \"answer\" is needed")
	}
}
