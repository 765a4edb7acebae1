package tools

import (
	"io"

	"github.com/mortise-dev/mortise/ext"
)

// Decode reads one entry. What is wrong with it is found at its lines in the file of o;
// after an error the entry holds what could be read.
func Decode(o ext.Origin, d ext.Doc) (Entry, ext.Findings) {
	r := decoding{origin: o, doc: d}
	e := Entry{Doc: d, Line: d.Line}
	if d.Kind != ext.Map {
		r.report(EntryFault, d.Line, "the entry is %s; an object was expected", d.Kind)
		return e, r.found
	}
	e.Name = r.text(keyName, true)
	e.Purpose = r.text(keyPurpose, true)
	e.Location = r.text(keyLocation, true)
	e.Capability = r.text(keyCapability, true)
	e.Class = r.text(keyClass, false)
	if extra := d.Get(keyExtra); extra != nil {
		if extra.Kind == ext.Map {
			e.Extra = extra
		} else {
			r.report(EntryFault, extra.Line, "\"extra\" is %s; an object was expected", extra.Kind)
		}
	}
	if v := d.Get(keyName); v != nil && v.Kind == ext.String && v.Text == "" {
		r.report(EntryFault, v.Line, "\"name\" is empty")
	}
	return e, r.found
}

// decoding is the reading of one entry.
type decoding struct {
	origin ext.Origin
	doc    ext.Doc
	found  ext.Findings
}

func (r *decoding) report(c *ext.Check, line int, format string, args ...any) {
	r.found.Add(c.At(r.origin.At(r.origin.Path, line), format, args...))
}

func (r *decoding) text(key string, required bool) string {
	v := r.doc.Get(key)
	switch {
	case v == nil && required:
		r.report(EntryFault, r.doc.Line, "the entry lacks \"%s\"", key)
	case v == nil:
	case v.Kind != ext.String:
		r.report(EntryFault, v.Line, "\"%s\" is %s; a string was expected", key, v.Kind)
	case len(v.Text) > MaxText:
		r.report(EntryLimit, v.Line, "\"%s\" has %d bytes; at most %d are read", key, len(v.Text), MaxText)
	default:
		return v.Text
	}
	return ""
}

// quoted is foreign text in a message.
func quoted(s string) string { return ext.Quote(ext.Shorten(s, 80)) }

// readAtMost reads all of r, or more than most bytes of it.
func readAtMost(r io.Reader, most int64) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, most+1))
}
