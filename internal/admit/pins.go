package admit

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Unapproved is a definition that nobody approved as it is.
var Unapproved = &ext.Check{
	Code: "definition-unapproved", Severity: ext.Warning,
	Doc: "What a server offers was never approved, or is defined otherwise than when it was: its text, its schemas, anything in it. It is not listed to agents and cannot be called.",
	Fix: "mortise approve --diff shows it, and how it differs from what was approved; mortise approve approves it.",
}

// ServerPin is what the pin of a server is called that says that its first
// description was dealt with. Other pins are called by state.EntryName.
const ServerPin = ""

// Waiting is an entry of a description whose definition waits for approval.
type Waiting struct {
	*Contribution
	Was *state.Pin // of the definition that was approved; nil: none ever was
}

// Waiting are the entries that wait for nothing but the approval of what defines
// them.
func (d *Decision) Waiting() []Waiting {
	var out []Waiting
	for i := range d.waiting {
		w := &d.waiting[i]
		out = append(out, Waiting{&d.contributions[w.at], w.was})
	}
	return out
}

// waiting is an entry by its place.
type waiting struct {
	at  int
	was *state.Pin
}

// First reports whether d is what a server said of itself first, and counts as
// approved for that. Whoever uses it has to pin it.
func (d *Decision) First() bool { return d.first }

// Definitions are the entries of a description that count as approved or wait for
// it, each with what defines it, in the one form that has the digest Defined. Those
// that are refused are not among them.
func (d *Decision) Definitions() iter.Seq2[*Contribution, []byte] {
	return func(yield func(*Contribution, []byte) bool) {
		raw := map[describedAs][]byte{}
		for i := range d.candidate.Found() {
			f := &d.candidate.Found()[i]
			if k := (describedAs{f.Spec, f.Document.Path}); !f.Broken && raw[k] == nil {
				raw[k] = f.Document.Doc.Raw
			}
		}
		for i := range d.contributions {
			c := &d.contributions[i]
			if c.Defined == (ext.Digest{}) || c.Status == EntryRefused {
				continue
			}
			if !yield(c, canonical(raw[describedAs{c.Spec, c.Name}])) {
				return
			}
		}
	}
}

// describedAs tells the entries of one description apart.
type describedAs struct {
	spec *surface.Spec
	name string
}

// momentary is a value that may be no definition but what a server holds at the
// moment.
type momentary interface{ Momentary() bool }

// defined tells each entry of a description by the digest of what defines it.
func (r *review) defined() {
	if r.tree.Describes == nil {
		return
	}
	digests := map[describedAs]ext.Digest{}
	for _, f := range r.candidate.Found() {
		if k := (describedAs{f.Spec, f.Document.Path}); !f.Broken && digests[k] == (ext.Digest{}) {
			digests[k] = ext.Sum(canonical(f.Document.Doc.Raw))
		}
	}
	for i := range r.contributions {
		c := &r.contributions[i]
		if m, ok := c.Value.(momentary); !ok || !m.Momentary() {
			c.Defined = digests[describedAs{c.Spec, c.Name}]
		}
	}
}

// canonical is a definition in a form that servers which write the members of
// objects in another order each time, or escape otherwise, do not change. Numbers
// stay as they are spelled: to make them alike is to lose digits.
func canonical(raw []byte) []byte {
	v := jsontext.Value(slices.Clone(raw))
	if v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)) != nil {
		return raw
	}
	return v
}

// pinned is what identifies a pin in a workspace.
type pinned struct {
	extension     ext.Name
	server, entry string
}

// pin has what is not defined as it was approved wait for that.
func pin(ds []Decision, rules *Rules) {
	if rules.Alone || rules.Granted {
		return
	}
	pins := map[pinned]*state.Pin{}
	if rules.State != nil {
		for i := range rules.State.Pins {
			if p := &rules.State.Pins[i]; p.Workspace == rules.Workspace {
				pins[pinned{p.Extension, p.Server, p.Tool}] = p
			}
		}
	}
	for i := range ds {
		if d := &ds[i]; d.tree.Describes != nil && d.status == Admitted && d.tree.Origin.Trust < ext.Builtin {
			d.pin(pins, rules)
		}
	}
}

func (d *Decision) pin(pins map[pinned]*state.Pin, rules *Rules) {
	k := pinned{extension: d.tree.Extension, server: d.tree.Describes.Entry, entry: ServerPin}
	if trust := d.tree.Origin.Trust; pins[k] == nil && rules.First != 0 && trust >= rules.First {
		d.first = true
		return
	}
	for i := range d.contributions {
		c := &d.contributions[i]
		if c.Status != Active || c.Defined == (ext.Digest{}) {
			continue
		}
		k.entry = state.EntryName(c.Spec.Name, c.Name)
		was := pins[k]
		if was != nil && was.Digest == c.Defined {
			continue
		}
		c.Status, c.Reason = EntryPending, "its definition was not approved"
		if was != nil {
			c.Reason = "its definition changed since it was approved on " + was.At.Format("2 Jan 2006")
		}
		c.Reason += "; mortise approve --diff shows it"
		d.waiting = append(d.waiting, waiting{i, was})
	}
	d.tellWaiting()
}

// tellWaiting tells once of all that waits.
func (d *Decision) tellWaiting() {
	if len(d.waiting) == 0 {
		return
	}
	var fresh, changed []string
	for _, w := range d.Waiting() {
		name := ext.Quote(ext.Shorten(w.Name, 80))
		if w.Was == nil {
			fresh = append(fresh, name)
		} else {
			changed = append(changed, name)
		}
	}
	server := ext.Qualified(d.tree.Extension, d.tree.Describes.Entry)
	var parts []string
	if n := len(changed); n > 0 {
		parts = append(parts, fmt.Sprintf("not as it was approved: %d (%s)", n, few(changed)))
	}
	if n := len(fresh); n > 0 {
		parts = append(parts, fmt.Sprintf("never approved: %d (%s)", n, few(fresh)))
	}
	f := Unapproved.At(d.contributions[d.waiting[0].at].Origin, "what the server %s offers waits: %s", ext.Quote(server), strings.Join(parts, "; "))
	if plain(server) {
		f = f.With("mortise approve %s --diff shows it, and how it differs from what was approved; mortise approve %s approves it.", server, server)
	}
	d.findings = append(slices.Clip(d.findings), f)
}

// plain reports whether a name can stand in a command as it is.
func plain(name string) bool {
	return name[0] != '-' && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.:/-", r))
	})
}

// few is the first of a list of names, and how many more there are.
func few(names []string) string {
	const shown = 5
	if n := len(names) - shown; n > 0 {
		names = append(slices.Clone(names[:shown]), fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}
