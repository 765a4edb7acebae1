package guard

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/hook/clientevent"
	"github.com/mortise-dev/mortise/internal/hook/toolcall"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/policy"
)

// Memento is a guard as it is remembered when its extension is admitted: a
// record of the state, and the bytes that it names by their digest.
type Memento struct {
	Record state.Guard
	Bytes  []byte
	// Waits: it is a program that waits for a grant. It takes the place of none that was
	// granted before it is.
	Waits bool
	Tree  ext.Digest // of the tree that its program lies in, to be kept as well; zero: none
	Root  string     // where that is
}

// Remembered is a guard that was remembered. One whose bytes could not be read has
// no Value, and denies what it guards.
type Remembered struct {
	Record  state.Guard
	Value   any        // of the surface's type
	Content ext.Digest // of the guard as it was declared
	Tree    ext.Digest // of all that its extension held; zero where it is no program
}

// kept is how a guard is written down.
type kept struct {
	Surface  string          `json:"surface"`
	Path     string          `json:"path"` // canonical
	Content  ext.Digest      `json:"content"`
	Tree     ext.Digest      `json:"tree,omitzero"`
	Document json.RawMessage `json:"document"`
}

// Mementos are the guards of an admitted extension, whose tree it is, those that
// wait for a grant included: they are asked, or deny what they guard. The times and
// scopes of their records are not set.
func Mementos(d *admit.Decision) []Memento {
	if d.Status() != admit.Admitted || d.Tree().Describes != nil {
		return nil
	}
	var out []Memento
	for i := range d.Contributions() {
		c := &d.Contributions()[i]
		if !Guards(c.Spec) || c.Status != admit.Active && c.Status != admit.EntryPending {
			continue
		}
		if m, ok := memento(d, c); ok {
			out = append(out, m)
		}
	}
	return out
}

func memento(d *admit.Decision, c *admit.Contribution) (Memento, bool) {
	document := d.Document(c)
	if document == nil {
		return Memento{}, false
	}
	plain, err := ext.EncodeJSON(value(&document.Doc))
	if err != nil {
		return Memento{}, false
	}
	m := Memento{Tree: treeOf(d, c), Root: d.Tree().Leads, Waits: c.Status == admit.EntryPending}
	raw, err := ext.EncodeJSON(kept{c.Spec.Name, document.Path, c.Digest, m.Tree, plain})
	if err != nil {
		return Memento{}, false
	}
	return Memento{Bytes: raw, Tree: m.Tree, Root: m.Root, Waits: m.Waits, Record: state.Guard{
		Extension: d.Tree().Extension, Name: c.Name, Event: c.Spec.Name,
		Matcher: strings.Join(matcher(c.Value), separator), Code: ext.Sum(raw),
	}}, true
}

// treeOf is the digest of the tree that the program of a guard lies in, where there
// is a program and the tree has a digest.
func treeOf(d *admit.Decision, c *admit.Contribution) ext.Digest {
	if c.Spec.Name != clientevent.On.Name {
		return ext.Digest{}
	}
	return d.Content()
}

// separator stands between the words of a remembered matcher, none of which holds
// a line end.
const separator = "\n"

// matcher are the names of the tools that a guard is for; none are all.
func matcher(value any) []string {
	switch v := value.(type) {
	case policy.Policy:
		return v.Tools
	case surface.Implementation:
		return v.Matches
	}
	return nil
}

// Recall reads the bytes of a guard that was remembered. Bytes that are missing or
// are not those of the record give a guard that cannot be asked.
func Recall(record state.Guard, raw []byte) Remembered {
	r := Remembered{Record: record}
	var k kept
	if ext.Sum(raw) != record.Code || json.Unmarshal(raw, &k) != nil || k.Surface != record.Event {
		return r
	}
	spec := specOf(k.Surface)
	if spec == nil {
		return r
	}
	o := ext.Origin{Extension: record.Extension, Path: k.Path, Line: 1, Trust: ext.Plugin}
	node, found := doc.JSON(o, k.Document)
	if found.Failed() {
		return r
	}
	entries := spec.Decode([]surface.Document{{Origin: o, Path: k.Path, Doc: node, Digest: record.Code}})
	if len(entries) == 1 && !entries[0].Findings.Failed() {
		r.Value, r.Content, r.Tree = entries[0].Value, k.Content, k.Tree
	}
	return r
}

// recall adds what is remembered of the guards of a refused extension, but for those
// that it has now, unless all are asked as they were. It returns which there were.
func (b *builder) recall(t ext.Tree, all bool) map[string]bool {
	recalled := map[string]bool{}
	for _, r := range b.members.Remembered {
		entry := state.EntryName(r.Record.Event, r.Record.Name)
		if r.Record.Extension != t.Extension || !all && b.present[t.Extension][entry] || b.members.off(t.Extension, entry) {
			continue
		}
		recalled[entry] = true
		if !b.asked[r.Record.Code] {
			b.again(r, Guard{Name: ext.Qualified(t.Extension, r.Record.Name), Kind: r.Record.Event, Origin: t.Origin, Held: true}, t)
		}
	}
	return recalled
}

// runnable is the directory in which the program of a guard lies as it was when it
// was remembered; "" where that is not kept or not granted.
func (b *builder) runnable(r *Remembered) string {
	if b.members.Kept == nil || r.Tree == (ext.Digest{}) {
		return ""
	}
	return b.members.Kept(r.Record.Extension, r.Tree)
}

// again adds a guard as it was remembered. Its program runs as it was then, where
// that is kept and still granted. t is the tree of its extension, for what that keeps.
func (b *builder) again(r Remembered, g Guard, t ext.Tree) {
	g.Content = r.Record.Code
	b.asked[r.Record.Code] = true
	im, code := r.Value.(surface.Implementation)
	switch {
	case r.Value == nil:
		b.wall(g, remembered(r.Record), "it cannot be read now, and what it was is not kept")
	case code && im.Answer == nil && b.runnable(&r) != "":
		as := g
		as.Content = r.Content
		im = b.observed(as, im, r.Tree)
		b.handlerAt(g, im, b.runnable(&r), t, func() bool { return b.runnable(&r) != "" })
	case code && im.Answer == nil:
		as := g
		as.Content = r.Content // as its owner saw it
		if b.observed(as, im, r.Tree).Role == surface.Guard {
			b.wall(g, guarded(r.Record.Event, im), "it is not in use as it was, and its code is not run")
		}
	default:
		b.add(g, r.Value)
	}
}

// extension is the kind of what stands for all guards of one.
const extension = "extension"

func remembered(r state.Guard) pattern {
	if r.Matcher == "" {
		return everything
	}
	return named(strings.Split(r.Matcher, separator))
}

// value is a node as encoding/json writes it.
func value(d *ext.Doc) any {
	switch d.Kind {
	case ext.Map:
		out := make(map[string]any, len(d.Map))
		for i := range d.Map {
			out[d.Map[i].Key] = value(&d.Map[i].Value)
		}
		return out
	case ext.List:
		out := make([]any, len(d.List))
		for i := range d.List {
			out[i] = value(&d.List[i])
		}
		return out
	case ext.Bool:
		return d.Text == "true"
	case ext.Null:
		return nil
	case ext.String:
		return d.Text
	}
	if n := json.Number(d.Text); json.Valid([]byte(n)) {
		return n
	}
	return fmt.Sprint(d.Text) // a number that JSON has no spelling for; nothing that guards holds one
}

// specOf is the surface of guards that has a name; nil when there is none.
func specOf(name string) *surface.Spec {
	for _, s := range []*surface.Spec{policy.Surface.Spec, toolcall.Before.Spec, clientevent.On.Spec} {
		if s.Name == name {
			return s
		}
	}
	return nil
}
