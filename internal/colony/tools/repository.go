package tools

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pysrc"
	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
	"github.com/mortise-dev/mortise/internal/spelling"
)

// Repository is where classes are looked for: the files of one repository, as they are at
// one moment. Each is read once, and none is run. One goroutine uses it.
type Repository struct {
	// Memory keeps what files said, for other repositories; nil: nothing is kept.
	Memory *Memory

	fsys  fs.FS
	roots []string
	read  map[string]*pysrc.Module
}

// Memory is what files said when they were last read, by their content. The zero value is
// ready, and may be used by several goroutines at once.
type Memory struct {
	mu    sync.Mutex
	files map[string]remembered // by path
}

type remembered struct {
	sum    ext.Digest
	module *pysrc.Module
}

// mostRemembered is how many files are remembered at most.
const mostRemembered = 4096

// Forget drops all that is remembered.
func (m *Memory) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files = nil
}

func (m *Memory) recall(file string, sum ext.Digest) *pysrc.Module {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if was := m.files[file]; was.sum == sum {
		return was.module
	}
	return nil
}

func (m *Memory) keep(file string, sum ext.Digest, module *pysrc.Module) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil || len(m.files) >= mostRemembered {
		m.files = map[string]remembered{}
	}
	m.files[file] = remembered{sum, module}
}

// NewRepository are the files below fsys, from which nothing outside can be read. Modules
// are looked for below its root, below each of dirs, and where an entry says that it
// lies. A directory that is not there has no modules.
func NewRepository(fsys fs.FS, dirs ...string) *Repository {
	r := &Repository{fsys: fsys, roots: []string{"."}, read: map[string]*pysrc.Module{}}
	for _, d := range dirs {
		r.roots = with(r.roots, d)
	}
	return r
}

// with is a list of directories and one more, where that can be one.
func with(dirs []string, dir string) []string {
	dir = path.Clean(dir)
	if !fs.ValidPath(dir) || slices.Contains(dirs, dir) {
		return dirs
	}
	return append(slices.Clone(dirs), dir)
}

// Found is a class of the repository.
type Found struct {
	File string
	Line int
	Name string // as it is bound there
	// ByName: there is no such module, and a class of the same name was found elsewhere.
	// Note then says so.
	ByName bool
	Note   string
}

// Lookup finds the class that "module.Class" names, without importing anything: in the
// file of that module, or where that has it from. Where no file of the repository is that
// module, a class that known has by its name alone is found instead, and Note says which
// module was asked for. A path without a module, and one that leads to nothing, are
// errors, as is the end of ctx.
func (r *Repository) Lookup(ctx context.Context, class string, known map[string]Found) (Found, error) {
	module, name, err := cutClass(class)
	if err != nil {
		return Found{}, err
	}
	c, out, err := r.class(ctx, module, name, r.roots)
	if err != nil {
		return Found{}, err
	}
	if out == nil {
		return Found{File: c.file, Line: c.stmt().Line, Name: name}, nil
	}
	if k, ok := known[name]; ok {
		k.ByName = true
		k.Note = fmt.Sprintf("%s was not found (%s); %s of %s has that name and is taken instead", quoted(class), out.Reason, quoted(name), ext.Quote(k.File))
		return k, nil
	}
	return Found{}, fmt.Errorf("find the class %s: %s", quoted(class), out.at(out.Reason))
}

// cutClass takes "module.Class" apart.
func cutClass(class string) (module, name string, err error) {
	at := strings.LastIndexByte(class, '.')
	if at <= 0 || at == len(class)-1 || !dotted(class) {
		return "", "", fmt.Errorf("%s is no class: it is written module.Class", quoted(class))
	}
	return class[:at], class[at+1:], nil
}

// dotted reports whether a name is of parts that could be identifiers.
func dotted(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || strings.ContainsAny(part, "/\\:-'\" \t\n\x00") || strings.ContainsFunc(part, ext.Hidden) {
			return false
		}
	}
	return true
}

// class is one class statement of a file.
type class struct {
	file   string
	module *pysrc.Module
	at     int
}

func (c *class) stmt() *pysrc.ClassStmt { return &c.module.Classes[c.at] }

// mostHops is through how many files a name is followed.
const mostHops = 16

// class is the class that a module has under a name; or why there is none, or none that
// can be known.
func (r *Repository) class(ctx context.Context, module, name string, roots []string) (class, *Outcome, error) {
	files := r.files(module, roots)
	switch len(files) {
	case 0:
		return class{}, undecided("", 0, "no file of this repository is the module %s", quoted(module)), nil
	case 1:
		return r.bound(ctx, files[0], name, mostHops)
	}
	return class{}, undecided("", 0, "several files could be the module %s: %s", quoted(module), quotedList(files)), nil
}

// files are the files that could be a module.
func (r *Repository) files(module string, roots []string) (out []string) {
	if !dotted(module) {
		return nil
	}
	below := strings.ReplaceAll(module, ".", "/")
	for _, root := range roots {
		for _, f := range []string{path.Join(root, below, "__init__.py"), path.Join(root, below+".py")} {
			if info, err := fs.Stat(r.fsys, f); err == nil && info.Mode().IsRegular() {
				if !slices.Contains(out, f) {
					out = append(out, f)
				}
				break // a package hides the module beside it
			}
		}
	}
	return out
}

// bound is the class that a file has under a name in the end.
func (r *Repository) bound(ctx context.Context, file, name string, hops int) (class, *Outcome, error) {
	m, why, err := r.module(ctx, file)
	if err != nil || why != nil {
		return class{}, why, err
	}
	switch {
	case m.Ends > 0:
		return class{}, undecided(file, m.Ends, "the file does not load beyond this line"), nil
	case m.Dynamic > 0:
		return class{}, undecided(file, m.Dynamic, "what this line does to the names of the file is not told by reading"), nil
	}
	b := bindingOf(m, name)
	switch {
	case b == nil:
		return class{}, unbound(m, name), nil
	case b.Global > 0:
		return class{}, undecided(file, b.Global, "a function may bind %s anew", quoted(name)), nil
	}
	return r.value(ctx, m, b.Value, b.Line, quoted(name), hops)
}

func bindingOf(m *pysrc.Module, name string) *pysrc.Binding {
	for i := range m.Bindings {
		if m.Bindings[i].Name == name {
			return &m.Bindings[i]
		}
	}
	return nil
}

// unbound says why a module has not a name.
func unbound(m *pysrc.Module, name string) *Outcome {
	if b := bindingOf(m, "__getattr__"); b != nil {
		return undecided(m.Path, b.Line, "%s could come from __getattr__", quoted(name))
	}
	if len(m.Stars) > 0 {
		return undecided(m.Path, m.Stars[0].Line, "%s could come from %s, of which everything is imported", quoted(name), quoted(m.Stars[0].Module))
	}
	var names []string
	for _, b := range m.Bindings {
		if b.Value.Kind == pysrc.Local {
			names = append(names, b.Name)
		}
	}
	if near := spelling.Nearest(name, names); near != "" {
		return contradicted(m.Path, 0, "it has no %s; there is %s", quoted(name), quoted(near))
	}
	if len(names) == 0 {
		return contradicted(m.Path, 0, "it has no %s, and is left with no class at all", quoted(name))
	}
	return contradicted(m.Path, 0, "it has no %s; its classes are %s", quoted(name), quotedList(names))
}

// value is the class that a value is; what says what has the value.
func (r *Repository) value(ctx context.Context, m *pysrc.Module, v pysrc.Value, line int, what string, hops int) (class, *Outcome, error) {
	switch v.Kind {
	case pysrc.Local:
		return class{m.Path, m, v.Class}, nil, nil
	case pysrc.Imported:
		if v.Typing {
			return class{}, contradicted(m.Path, line, "%s is bound for type checking only", what), nil
		}
		return r.imported(ctx, m, v.Name, line, what, hops)
	case pysrc.Absent:
		return class{}, contradicted(m.Path, line, "%s is not bound in the end", what), nil
	case pysrc.Literal:
		return class{}, contradicted(m.Path, line, "%s is a literal, and no class", what), nil
	case pysrc.Function:
		return class{}, undecided(m.Path, line, "%s is a function, and no class", what), nil
	case pysrc.Builtin:
		return class{}, undecided(m.Path, line, "%s is the built-in %s", what, quoted(v.Name)), nil
	}
	return class{}, undecided(m.Path, line, "%s is not told by reading%s", what, because(v.Why)), nil
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + ext.Escape(why)
}

// imported is the class that a file has from another.
func (r *Repository) imported(ctx context.Context, m *pysrc.Module, name string, line int, what string, hops int) (class, *Outcome, error) {
	if hops == 0 {
		return class{}, undecided(m.Path, line, "%s leads through too many files", what), nil
	}
	file, attr := r.origin(m.Path, name)
	if file == "" {
		return class{}, undecided(m.Path, line, "%s is imported as %s, which is no file of this repository", what, quoted(name)), nil
	}
	return r.bound(ctx, file, attr, hops-1)
}

// origin is which file a dotted name is from, as a file imports it, and its name there; ""
// where that is not one file of the repository.
func (r *Repository) origin(from, name string) (file, attr string) {
	rest := strings.TrimLeft(name, ".")
	dots := len(name) - len(rest)
	at := strings.LastIndexByte(rest, '.')
	module, attr := "", rest
	if at >= 0 {
		module, attr = rest[:at], rest[at+1:]
	}
	var files []string
	switch {
	case dots > 0:
		dir := path.Dir(from)
		for range dots - 1 {
			if dir == "." {
				return "", ""
			}
			dir = path.Dir(dir)
		}
		if module == "" {
			module, dir = path.Base(dir), path.Dir(dir)
		}
		files = r.files(module, []string{dir})
	case module != "":
		files = r.files(module, with(r.roots, path.Dir(from)))
	}
	if len(files) != 1 {
		return "", ""
	}
	return files[0], attr
}

// module reads a file; why is why it tells nothing.
func (r *Repository) module(ctx context.Context, file string) (m *pysrc.Module, why *Outcome, err error) {
	m = r.read[file]
	if m == nil {
		source, broken := r.source(file)
		if broken != nil {
			return nil, undecided(file, 0, "the file cannot be read: %s", ext.Escape(broken.Error())), nil
		}
		if m, err = r.parse(ctx, file, source); err != nil {
			return nil, nil, err
		}
		r.read[file] = m
	}
	if m.Fault != nil {
		why = undecided(file, m.Fault.Line, "the file cannot be read: %s", ext.Escape(m.Fault.Reason))
	}
	return m, why, nil
}

func (r *Repository) parse(ctx context.Context, file string, source []byte) (*pysrc.Module, error) {
	sum := ext.Sum(source)
	if m := r.Memory.recall(file, sum); m != nil {
		return m, nil
	}
	m, err := pysrc.Read(ctx, pysrc.File{Path: file, Source: source}, &pysrc.Index{}, true)
	if err == nil {
		r.Memory.keep(file, sum, m)
	}
	return m, err
}

func (r *Repository) source(file string) ([]byte, error) {
	f, err := r.fsys.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAtMost(f, syntax.MaxSize)
}

// Files are the files that were read, in the order of their names, but for those that
// Python cannot read.
func (r *Repository) Files() []string {
	var out []string
	for file, m := range r.read {
		if m.Fault == nil {
			out = append(out, file)
		}
	}
	slices.Sort(out)
	return out
}

// quotedList is names in a message, not endless.
func quotedList(names []string) string {
	const most = 8
	out := ""
	for i, n := range names {
		switch {
		case i == most:
			return out + fmt.Sprintf(" and %d more", len(names)-most)
		case i > 0:
			out += ", "
		}
		out += quoted(n)
	}
	return out
}
