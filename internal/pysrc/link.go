package pysrc

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Set is what Link makes of a list of modules. It is not changed afterwards.
type Set struct {
	// Classes are sorted by file, line, kind and name.
	Classes []Class
	// Notes are remarks that are about no class, sorted by file and line.
	Notes []Step
	// Wanted are the paths of modules that Read passed over and that have to do with what
	// was found: they import from a module with a class of a kind, or a class that was read
	// has a base in them. Reading them whole and linking again may find more. They are
	// sorted; nil when the set is complete.
	Wanted []string

	linker *linker
}

// Options are how ReadSet works; the zero value is right.
type Options struct {
	Workers int // 0 means one
	// All reads every file whole, also those that name nothing of the Index.
	All bool
}

// ReadSet reads n files and links them, reading again what is wanted until nothing more
// is. The files are loaded by number, by several workers at once where there are several,
// and their bytes are not kept. The modules are in the order of the numbers. The error is
// that of ctx, or of loading.
func ReadSet(ctx context.Context, n int, load func(i int) (File, error), x *Index, o Options) ([]*Module, *Set, error) {
	modules := make([]*Module, n)
	positions := make([]int, n)
	for i := range positions {
		positions[i] = i
	}
	for {
		if err := readEach(ctx, load, modules, positions, x, o); err != nil {
			return nil, nil, err
		}
		set := Link(modules, x)
		if len(set.Wanted) == 0 {
			return modules, set, nil
		}
		positions, o.All = positions[:0], true
		for i, m := range modules {
			if _, ok := slices.BinarySearch(set.Wanted, m.Path); ok {
				positions = append(positions, i)
			}
		}
	}
}

// readEach reads the files of the positions.
func readEach(ctx context.Context, load func(i int) (File, error), modules []*Module, positions []int, x *Index, o Options) error {
	var wg sync.WaitGroup
	var next atomic.Int64
	errs := make([]error, max(1, o.Workers))
	for w := range errs {
		wg.Go(func() {
			for errs[w] == nil {
				n := int(next.Add(1)) - 1
				if n >= len(positions) {
					return
				}
				var f File
				if f, errs[w] = load(positions[n]); errs[w] == nil {
					modules[positions[n]], errs[w] = Read(ctx, f, x, o.All)
				}
			}
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// linker follows names through modules.
type linker struct {
	x       *Index
	modules map[string]*Module // by path
	order   []*Module
	memo    map[place]*verdict
	names   map[name]*verdict
	stems   map[string]bool     // of all modules
	paths   map[string][]string // the candidates of a directory and a name
	wanted  map[string]bool
	deep    int
}

// place is a class of a module, looked at as one kind.
type place struct {
	module *Module
	class  int
	kind   Kind
}

// name is something in a module, as others import it, looked at as one kind.
type name struct {
	module *Module
	name   string
	kind   Kind
}

// Link says which classes of the modules are of a kind that x knows. Modules are in any
// order; of two with one path the later one counts.
func Link(modules []*Module, x *Index) *Set {
	l := &linker{x: x, modules: map[string]*Module{}, memo: map[place]*verdict{}, names: map[name]*verdict{},
		wanted: map[string]bool{}, stems: map[string]bool{}, paths: map[string][]string{}}
	for _, m := range modules {
		l.modules[m.Path] = m
		l.stems[stem(m.Path)] = true
	}
	for _, m := range l.modules {
		l.order = append(l.order, m)
	}
	slices.SortFunc(l.order, func(a, b *Module) int { return cmp.Compare(a.Path, b.Path) })
	s := &Set{linker: l}
	for _, m := range l.order {
		for i := range m.Classes { // in order, so that bases are mostly known already
			l.class(m, i, Agent)
			l.class(m, i, Deployment)
		}
		s.Classes = append(s.Classes, l.listed(m)...)
		s.Notes = append(s.Notes, l.notes(m)...)
	}
	l.wantImporters()
	for p := range l.wanted {
		s.Wanted = append(s.Wanted, p)
	}
	slices.Sort(s.Wanted)
	return s
}

// wantImporters wants the skipped modules that import from one that has something of a
// kind, be it defined there or not.
func (l *linker) wantImporters() {
	has := map[string]bool{}
	for _, m := range l.order {
		for _, b := range m.Bindings {
			if l.value(m, b.Value, Agent).state == yes || l.value(m, b.Value, Deployment).state == yes {
				has[m.Path] = true
				break
			}
		}
	}
	stems := map[string]bool{} // the names that those are imported by
	for p := range has {
		stems[stem(p)] = true
	}
	for _, m := range l.order {
		if m.Skipped == "" || len(has) == 0 {
			continue
		}
		for _, name := range m.Imports {
			if !stems[name[1+lastDot(name):]] {
				continue
			}
			for _, p := range l.candidates(m, name) {
				if has[p] {
					l.wanted[m.Path] = true
				}
			}
		}
	}
}

// stem is the last part of the name that a file is imported by.
func stem(p string) string {
	if dir, file := path.Split(p); file == "__init__.py" {
		return path.Base(dir)
	}
	return strings.TrimSuffix(path.Base(p), ".py")
}

// candidates are the paths that a module's import of a dotted name may mean, nearest
// first: beside the file for a relative name, else beside the file and below each
// directory above it.
func (l *linker) candidates(m *Module, name string) (paths []string) {
	rest := strings.TrimLeft(name, ".")
	level := len(name) - len(rest)
	if rest != "" && !l.stems[rest[1+lastDot(rest):]] {
		return nil
	}
	dir := path.Dir(m.Path)
	key := dir + ":" + name
	if paths, ok := l.paths[key]; ok {
		return paths
	}
	defer func() { l.paths[key] = paths }()
	for range level - 1 {
		dir = path.Dir(dir)
	}
	for {
		file := path.Join(dir, strings.ReplaceAll(rest, ".", "/"))
		if p := file + ".py"; rest != "" && l.modules[p] != nil {
			paths = append(paths, p)
		}
		if p := path.Join(file, "__init__.py"); l.modules[p] != nil {
			paths = append(paths, p)
		}
		if level > 0 || dir == "." || dir == "/" {
			return paths
		}
		dir = path.Dir(dir)
	}
}

// find is the module of the set that a dotted name leads into, and what follows in the
// name; nil where it leads to none.
func (l *linker) find(m *Module, name string) (*Module, []string) {
	rest := strings.TrimLeft(name, ".")
	prefix := name[:len(name)-len(rest)]
	parts := strings.Split(rest, ".")
	least := 1
	if prefix != "" {
		least = 0
	}
	for n := min(len(parts), mostParts); n >= least; n-- {
		for _, p := range l.candidates(m, prefix+strings.Join(parts[:n], ".")) {
			if p != m.Path {
				return l.modules[p], parts[n:]
			}
		}
	}
	return nil, nil
}
