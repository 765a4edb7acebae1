package guard

import (
	"cmp"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
)

// Case is one row of a table that says what policies come to.
type Case struct {
	Name string
	Call Call
	Want Verdict
	By   string // a policy that must be among those that say so; "" whichever
	Line int
}

// CaseInvalid is the check on tables of cases.
var CaseInvalid = &ext.Check{
	Code: "policy-case", Severity: ext.Error,
	Doc: "A table of cases for policies holds a key that is not known, or a value that does not fit.",
	Fix: "Write cases as a list of objects with \"name\", \"call\" and \"want\": deny, ask or pass.",
}

// ReadCases reads a table in YAML: under "cases", a list of objects with a name, a
// call ("tool", "qualified", "extension", "server", "client", "session", "agent",
// "mode", "arguments", "annotations"), the verdict that is wanted, and perhaps by
// which policy. The extension and the server are those of the qualified name where
// the call does not say.
func ReadCases(o ext.Origin, data []byte) ([]Case, ext.Findings) {
	root, found := doc.YAML(o, data, 1)
	if found.Failed() {
		return nil, found
	}
	r := cases{origin: o, found: found}
	list := root.Get("cases")
	if root.Kind != ext.Map || list == nil || list.Kind != ext.List || len(root.Map) != 1 {
		r.wrong(max(root.Line, 1), "expected an object with one key, \"cases\", that holds a list")
		return nil, r.found
	}
	var out []Case
	for i := range list.List {
		out = append(out, r.one(&list.List[i]))
	}
	return out, r.found
}

// cases reads a table.
type cases struct {
	origin ext.Origin
	found  ext.Findings
}

func (r *cases) wrong(line int, format string, args ...any) {
	o := r.origin
	o.Line = line
	r.found.Add(CaseInvalid.At(o, format, args...))
}

func (r *cases) one(d *ext.Doc) Case {
	c := Case{Line: d.Line, Want: Deny + 1}
	if d.Kind != ext.Map {
		r.wrong(d.Line, "expected an object, found %s", d.Kind)
		return c
	}
	for i := range d.Map {
		switch p := &d.Map[i]; p.Key {
		case "name":
			c.Name = r.text(p)
		case "by":
			c.By = r.text(p)
		case "want":
			word := r.text(p)
			for v := Pass; v <= Deny; v++ {
				if v.String() == word {
					c.Want = v
				}
			}
		case "call":
			r.call(&p.Value, &c.Call)
		default:
			r.wrong(p.Line, "key %s has no meaning in a case", ext.Quote(p.Key))
		}
	}
	if c.Want > Deny {
		r.wrong(d.Line, "a case needs \"want\": deny, ask or pass")
	}
	if c.Call.Tool == "" && c.Call.Qualified == "" {
		r.wrong(d.Line, "a case needs \"call\" with \"tool\" or \"qualified\"")
	}
	return c
}

func (r *cases) text(p *ext.Pair) string {
	if !p.Value.Scalar() {
		r.wrong(p.Line, "key %s: expected text, found %s", ext.Quote(p.Key), p.Value.Kind)
	}
	return p.Value.Text
}

func (r *cases) call(d *ext.Doc, c *Call) {
	if d.Kind != ext.Map {
		r.wrong(d.Line, "\"call\": expected an object, found %s", d.Kind)
		return
	}
	for i := range d.Map {
		switch p := &d.Map[i]; p.Key {
		case "tool":
			c.Tool = r.text(p)
		case "qualified":
			c.Qualified = r.text(p)
		case "extension":
			c.Extension = ext.Name(r.text(p))
		case "server":
			c.Server = r.text(p)
		case "client":
			c.Client = r.text(p)
		case "session":
			c.Session = r.text(p)
		case "agent":
			c.Agent = r.text(p)
		case "mode":
			c.Mode = ext.Mode{}
			for j := range p.Value.Map {
				c.Mode[p.Value.Map[j].Key] = r.text(&p.Value.Map[j])
			}
		case "annotations":
			c.Annotations = &p.Value
		case "arguments":
			raw, err := ext.EncodeJSON(value(&p.Value))
			if err != nil || p.Value.Kind != ext.Map {
				r.wrong(p.Line, "\"arguments\": expected an object")
			}
			c.Arguments = raw
		default:
			r.wrong(p.Line, "key %s has no meaning in a call", ext.Quote(p.Key))
		}
	}
	if x, entry, ok := ext.SplitQualified(c.Qualified); ok {
		c.Extension = cmp.Or(c.Extension, x)
		if server, _, served := strings.Cut(entry, "/"); served { // SERVER/TOOL, where the case does not say otherwise
			c.Server = cmp.Or(c.Server, server)
		}
	}
}
