package server

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Stands is what a declaration comes to wherever it stands: servers of one name
// and of equal digests are one server, whoever declares them. ok is false for
// one that names something of its own extension: a file or a directory, what is
// kept for it, or its settings. (A process is started in the directory of the
// extension that declares it, and told that directory and the one for its data,
// whatever it declares; it is the declaration that decides.)
func (s Server) Stands() (d ext.Digest, ok bool) {
	if s.Own {
		return d, false
	}
	h := ext.NewHash("standing server").Text(string(s.Transport), s.Command, s.URL).Int(len(s.Args)).Text(s.Args...)
	for _, pairs := range [][]Pair{s.Env, s.Headers} {
		sorted := slices.SortedFunc(slices.Values(pairs), func(a, b Pair) int { return cmp.Compare(a.Name, b.Name) })
		h.Int(len(sorted))
		for _, p := range sorted {
			h.Text(p.Name, p.Value)
		}
	}
	if s.Transport == Stdio || holds(&s.Raw, "$") {
		h.Text(s.Dialect) // whose placeholders they are
	}
	return h.Sum(), true
}

// variable is the name of a variable of the host's environment, perhaps with a
// default: it is the same for every extension.
var variable = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*(:-.*)?$`)

// namesOwn reports whether a text of a declaration names something of the
// extension's own.
func namesOwn(d *surface.Document, node *ext.Doc) bool {
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
	return slices.ContainsFunc(node.List, func(n ext.Doc) bool { return namesOwn(d, &n) }) ||
		slices.ContainsFunc(node.Map, func(p ext.Pair) bool { return namesOwn(d, &p.Value) })
}

// holds reports whether a text of a declaration has s in it.
func holds(node *ext.Doc, s string) bool {
	return node.Kind == ext.String && strings.Contains(node.Text, s) ||
		slices.ContainsFunc(node.List, func(n ext.Doc) bool { return holds(&n, s) }) ||
		slices.ContainsFunc(node.Map, func(p ext.Pair) bool { return holds(&p.Value, s) })
}
