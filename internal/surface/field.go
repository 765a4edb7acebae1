package surface

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
)

// Type is what a field may hold.
type Type uint8

const (
	// Text is one scalar. Numbers, booleans and dates count by their spelling.
	Text Type = iota + 1
	// Words is a list of scalars, or one scalar that lists them.
	Words
	// Flag is a boolean, in any spelling the field uses: true, yes, on, 1.
	Flag
	// Integer is a whole number.
	Integer
	// Object is a map.
	Object
	// Any is kept as it is.
	Any
)

var typeWords = [...]string{"", "text", "words", "flag", "integer", "object", "any"}

// String is the word for t.
func (t Type) String() string { return typeWords[t] }

// Field is one key that a document of a surface may hold.
type Field struct {
	Name     string
	Type     Type
	Required bool // its absence refuses the entry
	Max      int  // most characters, counted after folding; more is a warning. 0: no limit
	Doc      string
}

// Rest is the name of a last field that stands for every key that is not named:
// what a document holds is another client's business, and no key is unknown.
const Rest = "*"

// Checks on fields, shared by all surfaces.
var (
	FieldMissing = &ext.Check{
		Code: "field-missing", Severity: ext.Error,
		Doc: "A required field is missing or empty.",
		Fix: "Add the field.",
	}
	FieldType = &ext.Check{
		Code: "field-type", Severity: ext.Error,
		Doc: "A required field holds a value of another type than it must.",
		Fix: "Write a value of the expected type.",
	}
	FieldIgnored = &ext.Check{
		Code: "field-ignored", Severity: ext.Warning,
		Doc: "An optional field holds a value of another type than it must and is ignored.",
		Fix: "Write a value of the expected type, or remove the field.",
	}
	FieldLength = &ext.Check{
		Code: "field-length", Severity: ext.Warning,
		Doc: "A field is longer than its format allows; it is kept.",
		Fix: "Shorten the field; other hosts may refuse or cut it.",
	}
	FieldUnknown = &ext.Check{
		Code: "field-unknown", Severity: ext.Info,
		Doc: "A field is not one that this surface knows. It is kept and has no meaning.",
		Fix: "Nothing, or correct the spelling.",
	}
)

// NoFrontMatter is a Markdown document that must have front matter and has none.
var NoFrontMatter = &ext.Check{
	Code: "frontmatter-missing", Severity: ext.Error,
	Doc: "A document that needs front matter has none.",
	Fix: "Begin the file with a line of ---, the fields, and another line of ---.",
}

// NotAnObject is a structured document that must be an object and is not.
var NotAnObject = &ext.Check{
	Code: "document-form", Severity: ext.Error,
	Doc: "A document that must be an object is something else.",
	Fix: "Write an object: {\"key\": value, …}.",
}

// FieldChecks lists the checks on fields, for the docs.
var FieldChecks = []*ext.Check{NoFrontMatter, NotAnObject, FieldMissing, FieldType, FieldIgnored, FieldLength, FieldUnknown}

// ReadFields checks the document's content against fields and reports on e:
// what is required and missing, of another type, too long, or unknown. A field
// with a fault of type reads as absent.
func ReadFields[T any](d Document, fields []Field, e *Entry[T]) Values {
	v := make(Values, 0, len(fields))
	for i := range d.Doc.Map {
		p := &d.Doc.Map[i]
		f := lookup(fields, p.Key)
		if f == nil {
			e.ReportField(p.Key, FieldUnknown, p.Line, "field %s is not known here", ext.Quote(p.Key))
			continue
		}
		if p.Value.Kind == ext.Null || f.Name == Rest {
			continue
		}
		if !f.Type.Accepts(&p.Value) {
			check := FieldIgnored
			if f.Required {
				check = FieldType
			}
			e.ReportField(f.Name, check, p.Value.Line, "field %s must be %s, found %s", f.Name, f.Type, p.Value.Kind)
			continue
		}
		if empty(f, &p.Value) {
			e.ReportField(f.Name, FieldMissing, p.Value.Line, "field %s is empty", f.Name)
		}
		if n := utf8.RuneCountInString(p.Value.Text); f.Max > 0 && n > f.Max {
			e.ReportField(f.Name, FieldLength, p.Line, "field %s is %d characters long, at most %d are allowed", f.Name, n, f.Max)
		}
		v = append(v, value{f.Name, &p.Value})
	}
	for _, f := range fields {
		if f.Required && v.Doc(f.Name) == nil && !reported(e.Findings, FieldType, f.Name) {
			e.Findings.Add(missing(d, fields, e.Origin, f.Name))
		}
	}
	return v
}

// ReadObject is ReadFields for a document that must be an object; where it is
// not, that is the one finding and there are no values.
func ReadObject[T any](d Document, fields []Field, e *Entry[T]) Values {
	if d.Doc.Kind != ext.Map {
		e.Report(NotAnObject, d.Doc.Line, "expected an object, found %s", d.Doc.Kind)
		return nil
	}
	return ReadFields(d, fields, e)
}

// empty reports whether a field that must say something says nothing.
func empty(f *Field, d *ext.Doc) bool {
	return f.Required && f.Type == Text && strings.TrimSpace(d.Text) == ""
}

// missing tells that a field is missing, and of one that was perhaps meant to
// be it.
func missing(d Document, fields []Field, o ext.Origin, name string) ext.Finding {
	f := FieldMissing.At(o, "field %s is missing", name).Of(name)
	for _, p := range d.Doc.Map {
		if lookup(fields, p.Key) == nil && similar(p.Key, name) {
			return f.With("Correct the spelling of %s in line %d.", ext.Quote(p.Key), p.Line)
		}
	}
	return f
}

func lookup(fields []Field, name string) *Field {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	if n := len(fields) - 1; n >= 0 && fields[n].Name == Rest {
		return &fields[n]
	}
	return nil
}

func reported(fs ext.Findings, c *ext.Check, field string) bool {
	for _, f := range fs {
		if f.Check == c && f.Field == field {
			return true
		}
	}
	return false
}

// Accepts reports whether a field of type t may hold d.
func (t Type) Accepts(d *ext.Doc) bool {
	switch t {
	case Text:
		return d.Scalar()
	case Words:
		return d.Scalar() || d.Kind == ext.List && allScalar(d.List)
	case Flag:
		_, ok := flag(d.Text)
		return d.Scalar() && ok
	case Integer:
		_, ok := integer(d.Text)
		return d.Scalar() && ok
	case Object:
		return d.Kind == ext.Map
	default:
		return true
	}
}

func allScalar(list []ext.Doc) bool {
	for i := range list {
		if !list[i].Scalar() {
			return false
		}
	}
	return true
}

// Values are the fields of one document that passed their checks.
type Values []value

type value struct {
	name string
	doc  *ext.Doc
}

// Doc is the node of a field; nil when it is absent.
func (v Values) Doc(name string) *ext.Doc {
	for i := range v {
		if v[i].name == name {
			return v[i].doc
		}
	}
	return nil
}

// Text is the field's text with surrounding blanks removed; "" when absent.
func (v Values) Text(name string) string {
	if d := v.Doc(name); d != nil {
		return strings.TrimSpace(d.Text)
	}
	return ""
}

// Or is Text, or another word where there is none.
func (v Values) Or(name, word string) string { return cmp.Or(v.Text(name), word) }

// summarised is the most characters of a description that is taken from a text.
const summarised = 200

// Description is the field description, or the beginning of what it describes
// where there is none.
func (v Values) Description(of string) string {
	if d := v.Text("description"); d != "" {
		return d
	}
	return Summary(of, summarised)
}

// Words is the field as a list: a list's items, or a scalar taken apart at
// commas, or at blanks when it holds no comma. Commas and blanks within
// brackets do not separate, so that "Bash(git add, git rm)" is one word.
func (v Values) Words(name string) []string {
	d := v.Doc(name)
	if d == nil {
		return nil
	}
	if d.Kind != ext.List {
		return splitWords(d.Text)
	}
	words := make([]string, 0, len(d.List))
	for i := range d.List {
		words = append(words, strings.TrimSpace(d.List[i].Text))
	}
	return words
}

// Flag is the field as a boolean; def when absent.
func (v Values) Flag(name string, def bool) bool {
	if d := v.Doc(name); d != nil {
		b, _ := flag(d.Text)
		return b
	}
	return def
}

// Integer is the field as a whole number; def when absent.
func (v Values) Integer(name string, def int) int {
	if d := v.Doc(name); d != nil {
		n, _ := integer(d.Text)
		return n
	}
	return def
}
