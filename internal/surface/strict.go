package surface

import "github.com/mortise-dev/mortise/ext"

// ReadStrict is ReadFields for documents that are code: an unknown key and a
// value of the wrong type are findings of the given check, since code that is
// read only in part does something else.
func ReadStrict[T any](d Document, fields []Field, e *Entry[T], c *ext.Check) Values {
	var v Values
	if d.Doc.Kind != ext.Map {
		e.Report(c, 0, "expected an object, found %s", d.Doc.Kind)
		return nil
	}
	for i := range d.Doc.Map {
		p := &d.Doc.Map[i]
		switch f := lookup(fields, p.Key); {
		case f == nil:
			e.Report(c, p.Line, "key %s is not known here", ext.Quote(p.Key))
		case !f.Type.Accepts(&p.Value):
			e.Report(c, p.Value.Line, "key %s must be %s, found %s", f.Name, f.Type, p.Value.Kind)
		default:
			if empty(f, &p.Value) {
				e.ReportField(f.Name, FieldMissing, p.Value.Line, "key %s is empty", f.Name)
			}
			v = append(v, value{f.Name, &p.Value})
		}
	}
	for _, f := range fields {
		if f.Required && d.Doc.Get(f.Name) == nil {
			e.ReportField(f.Name, FieldMissing, 0, "key %s is missing", f.Name)
		}
	}
	return v
}

// ReadRef reads what answers a call; ref is nil when the document names nothing.
func ReadRef[T any](ref *ext.Doc, e *Entry[T], c *ext.Check, r *ext.Ref) {
	if ref == nil {
		return
	}
	for i := range ref.Map {
		p := &ref.Map[i]
		if p.Value.Kind != ext.String {
			e.Report(c, p.Value.Line, "key %s of \"ref\" must be text, found %s", ext.Quote(p.Key), p.Value.Kind)
			continue
		}
		switch p.Key {
		case "driver":
			r.Driver = p.Value.Text
		case "target":
			r.Target = p.Value.Text
		case "name":
			r.Name = p.Value.Text
		default:
			e.Report(c, p.Line, "key %s of \"ref\" is not known", ext.Quote(p.Key))
		}
	}
}
