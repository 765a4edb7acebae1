package server

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Stands is what a declaration comes to wherever it stands: servers of one name
// and of equal digests are one server, whoever declares them. Everything that the
// declaration says counts, what means nothing here included; the order of keys does not. ok is false for one that
// may be another server in another extension ("One server, many plugins" in
// docs/design/011-formats.md):
//
//   - Whatever names something of the extension's own: a file of it, its
//     directory, what is kept for it, its settings.
//   - A process, unless a launcher starts a published package by its name. It
//     begins in the extension's directory and is told that directory, so that a
//     shell, an interpreter, "make serve" and "npm start" are other programs in
//     each, and so is a package that the directory itself could answer for.
func (s Server) Stands() (d ext.Digest, ok bool) {
	if s.Own || s.Transport == Stdio && !s.published() {
		return d, false
	}
	h := ext.NewHash("standing server").Text(string(s.Transport))
	if holds(&s.Raw, "$") || holds(&s.Ignored, "$") {
		h.Text(s.Dialect) // whose placeholders they are
	}
	said := s.Raw
	said.Map = slices.DeleteFunc(slices.Clone(said.Map), func(p ext.Pair) bool { return p.Key == "type" }) // the transport, which may go without saying
	say(h, &said)
	say(h, &s.Ignored)
	return h.Sum(), true
}

// say adds all that a node holds, the keys of a map in an order of their own.
func say(h *ext.Hash, node *ext.Doc) {
	h.Int(int(node.Kind)).Text(node.Text).Int(len(node.List)).Int(len(node.Map))
	for i := range node.List {
		say(h, &node.List[i])
	}
	for _, p := range slices.SortedStableFunc(slices.Values(node.Map), func(a, b ext.Pair) int { return cmp.Compare(a.Key, b.Key) }) {
		h.Text(p.Key)
		say(h, &p.Value)
	}
}

// variable is the name of a variable of the host's environment, perhaps with a
// default: it is the same for every extension.
var variable = pattern.New(`^[A-Z_][A-Z0-9_]*(:-.*)?$`)

// namesOwn reports whether a declaration names something of the extension's own,
// or could be answered by it.
func namesOwn(d *surface.Document, node *ext.Doc) bool {
	return mentions(d, node) || answers(d, node)
}

// mentions reports whether a text of a declaration names something of the
// extension's own.
func mentions(d *surface.Document, node *ext.Doc) bool {
	if node.Kind == ext.String {
		if _, there := d.Refs[node.Text]; there {
			return true
		}
		if _, there := d.Code[node.Text]; there {
			return true
		}
		for _, p := range placeholder.FindAllString(node.Text, -1) {
			if name := p[2 : len(p)-1]; !variable.MatchString(name) || strings.Contains(name, "PLUGIN") {
				return true
			}
		}
	}
	return slices.ContainsFunc(node.List, func(n ext.Doc) bool { return mentions(d, &n) }) ||
		slices.ContainsFunc(node.Map, func(p ext.Pair) bool { return mentions(d, &p.Value) })
}

// holds reports whether a text of a declaration has s in it.
func holds(node *ext.Doc, s string) bool {
	return node.Kind == ext.String && strings.Contains(node.Text, s) ||
		slices.ContainsFunc(node.List, func(n ext.Doc) bool { return holds(&n, s) }) ||
		slices.ContainsFunc(node.Map, func(p ext.Pair) bool { return holds(&p.Value, s) })
}
