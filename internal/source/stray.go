package source

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/spelling"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Checks on what lies where documents are looked for and is none.
var (
	StrayCode = &ext.Check{
		Code: "code-not-read", Severity: ext.Error,
		Doc: "Something lies among code or guards and is not read: it has another ending, another place or another name than it must. The extension is refused, since a guard that is not read guards nothing.",
		Fix: "Rename or move it, or take it out of the directory.",
	}
	Stray = &ext.Check{
		Code: "files-not-read", Severity: ext.Info,
		Doc: "Files lie among documents and are none: they have another ending.",
		Fix: "Nothing, or give them the ending that documents have there.",
	}
	NotRead = &ext.Check{
		Code: "component-not-read", Severity: ext.Warning,
		Doc: "An extension holds components that this build does not read. They have no effect here.",
		Fix: "If the extension needs them, use it with the client it was made for.",
	}
)

// tell says what is wrong with a file or directory of a component's directory
// that is no document, where that is worth a finding of its own: among code,
// and where only the capitals of its ending differ.
func (m *matcher) tell(name string, dir bool) bool {
	switch {
	case m.spec.Whole:
		m.t.Findings.Add(StrayCode.At(m.at(name), "it lies among the entries of %s and is not read; they are %s", m.spec.Name, m.spec.Files))
	case !dir && strings.EqualFold(path.Ext(name), path.Ext(m.endings[0])) && path.Ext(name) != path.Ext(m.endings[0]):
		f := NearMiss.At(m.at(name), "the file's ending is %s, expected %s", ext.Quote(path.Ext(name)), m.endings[0])
		if want := strings.TrimSuffix(path.Base(name), path.Ext(name)) + path.Ext(m.endings[0]); m.ends(want) {
			f = f.Wanting(want)
		}
		m.t.Findings.Add(f)
	default:
		return false
	}
	return true
}

// strays says in one finding which files of a directory were not read.
func (m *matcher) strays(dir string, names []string) {
	if len(names) == 0 {
		return
	}
	const few = 5
	quoted := make([]string, 0, few)
	for _, s := range names[:min(few, len(names))] {
		quoted = append(quoted, ext.Quote(s))
	}
	more := ""
	if len(names) > few {
		more = ", …"
	}
	m.t.Findings.Add(Stray.At(m.at(dir), "%d here are not read: %s%s", len(names), strings.Join(quoted, ", "), more))
}

// Strays tells what lies in the directory that holds the component directories
// of surfaces and is none of them: base is the tree's root, or a namespace's
// directory, which is the extension's own and holds nothing else.
func Strays(t *ext.Tree, base string, env Env, own bool) {
	known := map[string]bool{}
	for _, s := range env.Specs {
		if own || !s.Nested {
			first, _, _ := strings.Cut(path.Join(s.Dir, s.Files), "/")
			known[first] = true
		}
	}
	hooks := hookNames(env.Specs)
	entries, err := fs.ReadDir(t.FS, base)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := path.Join(base, e.Name())
		o := t.Origin.At(name, 0)
		near, sure := nearest(e.Name(), known)
		held := near != "" && holds(t, name, near, env)
		switch {
		case known[e.Name()], near != "" && !sure && !held:
		case held && near == "hooks":
			t.Findings.Add(StrayCode.At(o, "it is named %s, expected hooks", ext.Quote(e.Name())))
		case near != "":
			t.Findings.Add(NearMiss.At(o, "it is named %s, expected %s", ext.Quote(e.Name()), near))
		case hooks[e.Name()]:
			t.Findings.Add(StrayCode.At(o, "its place is hooks/%s", e.Name()))
		case own && !besides(e):
			t.Findings.Add(NotRead.At(o, "this build knows no component of that name"))
		}
	}
	strayHooks(t, path.Join(base, "hooks"), hooks)
}

// laid reports whether a place leads to a file.
func laid(t *ext.Tree, file string) bool {
	return slices.ContainsFunc(t.Places, func(p ext.Place) bool { return p.File == file })
}

// holds reports whether there would be documents at name if it were called as
// the component near is.
func holds(t *ext.Tree, name, near string, env Env) bool {
	probe := *t
	probe.Places, probe.Findings = nil, nil
	for _, spec := range env.Specs {
		first, rest, _ := strings.Cut(spec.Dir, "/")
		switch {
		case spec.Dir == "." && spec.Files == near:
			return true
		case first == near:
			Into(&probe, spec, path.Join(name, rest), env)
		}
	}
	return slices.ContainsFunc(probe.Places, func(p ext.Place) bool { return p.Fault == nil })
}

// nearest is the one of known names that a name was meant to be: in
// other capitals, in the singular or with a dot before it, which is sure, or
// with one letter wrong, which is not.
func nearest(name string, known map[string]bool) (near string, sure bool) {
	if known[name] {
		return "", false
	}
	bare := strings.ToLower(strings.TrimPrefix(name, "."))
	for _, try := range []string{bare, bare + "s"} {
		if known[try] {
			return try, true
		}
	}
	for _, try := range slices.Sorted(maps.Keys(known)) {
		if max(len(bare), len(try)) >= 4 && spelling.Near(bare, try, 1) {
			return try, false
		}
	}
	return "", false
}

// hookNames are what directories of hooks are called.
func hookNames(specs []*surface.Spec) map[string]bool {
	names := map[string]bool{}
	for _, s := range specs {
		if s.Hook {
			names[path.Base(s.Dir)] = true
		}
	}
	return names
}

// strayHooks tells what lies among hooks and is none that this build has: a
// guard whose name is mistyped must not vanish. The file in which other clients
// keep their hooks is theirs, and so is what lies beside it.
func strayHooks(t *ext.Tree, dir string, known map[string]bool) {
	entries, err := fs.ReadDir(t.FS, dir)
	if err != nil {
		return
	}
	others := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "hooks.json" && !e.IsDir() })
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		near, _ := nearest(e.Name(), known)
		switch {
		case known[e.Name()], besides(e), others && laid(t, path.Join(dir, "hooks.json")) && near == "" && !e.IsDir():
		case others && e.Name() == "hooks.json":
			t.Findings.Add(NotRead.At(t.Origin.At(name, 0), "it holds another client's hooks: none of them is asked here"))
		case others && near == "":
			t.Findings.Add(NotRead.At(t.Origin.At(name, 0), "it lies beside another client's hooks"))
		default:
			t.Findings.Add(StrayCode.At(t.Origin.At(name, 0), "%s is no hook of this build", ext.Quote(e.Name())))
		}
	}
}
