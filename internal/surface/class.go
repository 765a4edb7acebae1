package surface

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Certainty is how sure it is that something is what it was found as.
type Certainty string

const (
	// Certain is what is there whenever its file loads at all.
	Certain Certainty = "certain"
	// Maybe is what is there under a condition that reading does not decide.
	Maybe Certainty = "maybe"
)

// Ground is one link of a chain of evidence, or a remark: where it stands, what it says.
type Ground struct {
	File string // below the root of the repository; "" for what is known of elsewhere
	Line int    // 0 where File is ""
	Why  string
}

// String is "file:line: why".
func (s Ground) String() string {
	if s.File == "" {
		return s.Why
	}
	return fmt.Sprintf("%s:%d: %s", s.File, s.Line, s.Why)
}

// Class is a class of somebody's source that was found by reading it. Nothing of it
// was run, and whether its file loads is not known.
type Class struct {
	Name      string
	File      string // that defines it, below the root of the repository
	Line      int
	Certainty Certainty
	Reason    string   // why it is not certain; "" where it is
	Bases     []string // as written
	Evidence  []Ground // from the class to what is known, in order
	Notes     []Ground // remarks that change nothing
	Sources   ext.Doc  // the digests of the files that are its evidence, by their paths
	Raw       ext.Doc  // all of the document
}

// ClassFields are the fields of a document that describes a class; own are what a
// surface adds.
func ClassFields(own ...Field) []Field {
	return append([]Field{
		{Name: "class", Type: Text, Required: true, Doc: "The class's own name."},
		{Name: "certainty", Type: Text, Required: true, Doc: "certain, or maybe where it is bound, or of its kind, under a condition that reading does not decide."},
		{Name: "reason", Type: Text, Doc: "Why it is not certain."},
		{Name: "bases", Type: Any, Doc: "The bases as they are written, a list of texts."},
		{Name: "evidence", Type: Any, Doc: "Why it is one: a list of objects with file, line and why, from the class to what is known."},
		{Name: "notes", Type: Any, Doc: "Remarks that change nothing, likewise."},
		{Name: "sources", Type: Object, Doc: "The digest of each file that is evidence, by its path."},
	}, own...)
}

// ClassForm is a description of a class that is not as it must be.
var ClassForm = &ext.Check{
	Code: "class-form", Severity: ext.Error,
	Doc: "What describes a class of somebody's source is not as it must be.",
	Fix: "Write certainty as \"certain\" or \"maybe\", and bases as a list of texts.",
}

// GroundForm is evidence that is not as it must be.
var GroundForm = &ext.Check{
	Code: "evidence-form", Severity: ext.Error,
	Doc: "The evidence for what was found in somebody's source is not as it must be.",
	Fix: "Write a list of objects with file, line and why.",
}

// ClassMaybe is a class that is there under a condition.
var ClassMaybe = &ext.Check{
	Code: "class-maybe", Severity: ext.Info,
	Doc: "Whether a class is there, or is what it is listed as, depends on a condition that reading does not decide.",
	Fix: "Nothing, or define it where no condition stands before it.",
}

// ReadClass reads a document that describes a class.
func ReadClass[T any](d Document, fields []Field, e *Entry[T]) (Class, Values) {
	v := ReadObject(d, fields, e)
	c := Class{
		Name: v.Text("class"), File: e.Origin.Path, Line: e.Origin.Line, Certainty: Certainty(v.Text("certainty")), Reason: v.Text("reason"), Raw: d.Doc,
	}
	if n := v.Doc("certainty"); n != nil && c.Certainty != Certain && c.Certainty != Maybe {
		e.ReportField("certainty", ClassForm, n.Line, "certainty is %s", ext.Quote(ext.Shorten(n.Text, 40)))
	}
	if bases := v.Doc("bases"); bases != nil && (bases.Kind != ext.List || !allScalar(bases.List)) {
		e.ReportField("bases", ClassForm, bases.Line, "bases are no list of texts")
	} else {
		for _, b := range bases.Items() {
			c.Bases = append(c.Bases, b.Text)
		}
	}
	c.Evidence, c.Notes = ReadGrounds(v.Doc("evidence"), "evidence", e), ReadGrounds(v.Doc("notes"), "notes", e)
	if s := v.Doc("sources"); s != nil {
		c.Sources = *s
	}
	if c.Certainty == Maybe {
		e.Report(ClassMaybe, 0, "%s may not be there: %s", ext.Quote(c.Name), ext.Escape(c.Reason))
	}
	return c, v
}

// ReadGrounds reads a field that is a list of grounds; nil has none.
func ReadGrounds[T any](d *ext.Doc, field string, e *Entry[T]) []Ground {
	if d == nil {
		return nil
	}
	var out []Ground
	for i := range d.List {
		s := &d.List[i]
		line, number := integer(text(s.Get("line")))
		if s.Kind != ext.Map || s.Word("why") == "" || s.Get("line") != nil && !number {
			e.ReportField(field, GroundForm, s.Line, "a step of %s is no object with file, line and why", field)
			return nil
		}
		out = append(out, Ground{File: s.Word("file"), Line: line, Why: s.Word("why")})
	}
	if d.Kind != ext.List {
		e.ReportField(field, GroundForm, d.Line, "%s is no list", field)
	}
	return out
}

func text(d *ext.Doc) string {
	if d == nil {
		return ""
	}
	return d.Text
}

// Declared is the class statement in short: "class Solver(Agent)".
func (c *Class) Declared() string {
	s := "class " + c.Name
	if len(c.Bases) > 0 {
		s += "(" + strings.Join(c.Bases, ", ") + ")"
	}
	if c.Certainty == Maybe {
		s += ", maybe: " + c.Reason
	}
	return s
}

// Because is the evidence, then the notes, each in a line.
func (c Class) Because() []string {
	var out []string
	for _, g := range slices.Concat(c.Evidence, c.Notes) {
		out = append(out, g.String())
	}
	return out
}

// Text is the class as an agent is shown it: JSON.
func (c *Class) Text() string { return string(c.Raw.JSON()) }

// ClassChecks are what reading a class can find beyond the checks on fields.
func ClassChecks(own ...*ext.Check) []*ext.Check {
	return slices.Concat([]*ext.Check{ClassForm, ClassMaybe, GroundForm}, own)
}
