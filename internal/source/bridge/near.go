package bridge

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/clientevent"
	"github.com/mortise-dev/mortise/internal/source"
)

// nearHooks tells what was perhaps meant for a file of hooks that is looked for
// at a place, below the format's own directory, or for another that the
// manifest would have to name. It is to be called once all hooks were read.
func (l *layer) nearHooks(usual string) {
	dir, base := path.Split(l.below(usual))
	dir = path.Clean(dir)
	l.nearIn(dir, base)
	if dir == l.base {
		return
	}
	l.nearIn(l.base, "")
	entries, _ := fs.ReadDir(l.t.FS, path.Dir(dir))
	for _, e := range entries {
		if name := path.Join(path.Dir(dir), e.Name()); name != dir && strings.EqualFold(name, dir) && e.IsDir() {
			l.note(source.StrayCode, l.at(name, 0), "it is named %s, expected %s", ext.Quote(e.Name()), path.Base(dir))
		}
	}
}

// nearIn looks through one directory for files of hooks that were not read:
// those that are called almost as base, and those that hold hooks. Of a
// directory where no hooks are looked for, base is "", and only a file that is
// called as theirs is looked into.
func (l *layer) nearIn(dir, base string) {
	const most = 64 // nobody has more files of hooks
	looked := 0
	entries, _ := fs.ReadDir(l.t.FS, dir) // what keeps anybody from looking was told when its file was read
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case !l.is(name) || l.hooked[l.real(name)]:
		case base != "" && nearly(e.Name(), base):
			l.note(source.StrayCode, l.at(name, 0), "it is named %s, expected %s", ext.Quote(e.Name()), base)
		case base == "" && e.Name() != "hooks.json" || path.Ext(e.Name()) != ".json":
		case looked == most:
			l.note(source.NotRead, l.at(dir, 0), "of more than %d files here it is not known whether they hold hooks", most)
			return
		default:
			looked++
			l.unlooked(name)
		}
	}
}

// unlooked tells of a file that holds hooks and is not read for them.
func (l *layer) unlooked(file string) {
	if l.holdsHooks(file) {
		l.t.Findings.Add(source.NotRead.At(l.at(file, 0), "it holds hooks, and none are looked for there: none of them is asked here").
			With("Move its hooks to where its client looks for them, or name the file where the client lets it be named."))
	}
}

// nearly reports whether a file's name is what a reader of the file base is
// likely to have meant: in other capitals, or in a form that is not read.
func nearly(name, base string) bool {
	if name == base {
		return false
	}
	stem, ending := strings.TrimSuffix(name, path.Ext(name)), strings.ToLower(path.Ext(name))
	return strings.EqualFold(stem, strings.TrimSuffix(base, path.Ext(base))) &&
		slices.Contains([]string{path.Ext(base), ".jsonc", ".json5", ".yaml", ".yml", ".toml"}, ending)
}

// holdsHooks reports whether a file, which may be of anything, holds hooks. One
// that cannot be understood does where it speaks of them.
func (l *layer) holdsHooks(file string) bool {
	c := source.Read(l.t.FS, l.at(file, 0), l.env.Limits)
	if c.Lost || c.Findings.Failed() {
		return bytes.Contains(c.Data, []byte(`"hooks"`))
	}
	if inner := c.Doc.Get("hooks"); inner != nil {
		return inner.Kind == ext.Map || inner.Kind == ext.List
	}
	return slices.ContainsFunc(c.Doc.Map, func(p ext.Pair) bool { return clientevent.KnownAnywhere(p.Key) })
}
