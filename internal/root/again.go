package root

import (
	"io/fs"
	"os"
	"path"
	"slices"
)

// ReadStamped is ReadFrom, and says how to know that very file again: by a
// stamp that Again is asked about. The stamp is zero when what was read cannot
// be told from what may be there later: the system knows too little of files,
// it was changed a moment ago, or links led to it; or it is one that does not hold.
func (r *Root) ReadStamped(name string, limit int64) (data []byte, outside string, s Stamp, err error) {
	if err := r.begin("read", name); err != nil {
		return nil, "", s, err
	}
	since := r.opt.Clock().UnixNano()
	if !r.vague() {
		data, f, err := r.in.read(name, limit)
		if err == nil {
			r.trace.add(name, f, since)
			return data, "", knowable(name, f, since), nil
		}
		if !r.in.suspect(err) {
			return nil, "", s, r.settle("read", name, since, err)
		}
	}
	data, outside, err = r.readFar(name, limit, since)
	return data, outside, s, err
}

// ListStamped is ReadDir, and says how to know that the directory holds the same
// names and kinds again, as ReadStamped does of a file. What Options.Listing
// answers has no stamp.
func (r *Root) ListStamped(name string) ([]fs.DirEntry, Stamp, error) {
	if err := r.begin("list", name); err != nil {
		return nil, Stamp{}, err
	}
	if r.opt.Listing != nil {
		if known, ok := r.opt.Listing(name); ok {
			return slices.Clone(known), Stamp{}, nil
		}
	}
	since := r.opt.Clock().UnixNano()
	from := &origin{r, name}
	if !r.vague() {
		entries, f, err := r.in.list(name, from, true)
		if err == nil {
			r.trace.add(name, f, since)
			return entries, knowable(name, f, since), nil
		}
		if !r.in.suspect(err) {
			return nil, Stamp{}, r.settle("list", name, since, err)
		}
	}
	entries, err := r.listFar(from, since)
	return entries, Stamp{}, err
}

// StampOf is the stamp of a regular file that r opened, without its path. It is
// not ok when the file cannot be told from what it may be later, as with
// ReadStamped.
func (r *Root) StampOf(f fs.File) (s Stamp, ok bool) {
	since := r.opt.Clock().UnixNano()
	i, err := f.Stat()
	at, ours := i.(*info)
	if err != nil || !ours {
		return Stamp{}, false
	}
	s = knowable("", at.fact, since)
	return s, s.Kind == File
}

// StampFile is the stamp of a file that its writer has open, as it lies now and without
// a path. It does not say whether that is Racy, which it always is: what is changed within
// the same tick of the system's clock has the same stamp.
func StampFile(f *os.File) (Stamp, error) {
	i, err := f.Stat()
	if err != nil {
		return Stamp{}, err
	}
	return stampOf("", factOf(i)), nil
}

// knowable is the stamp of f, or none when that would tell nothing.
func knowable(path string, f fact, since int64) Stamp {
	if s := newStamp(path, f, since); !s.Racy && !s.Coarse {
		return s
	}
	return Stamp{}
}

// Again looks again at what was stamped before. It belongs to one look at
// everything: what it came through once it does not look at again. One
// goroutine uses it.
type Again struct {
	root *Root
	ways map[string]bool // directories, whether no link leads to them
}

// Again begins a look at what ReadStamped and ListStamped stamped.
func (r *Root) Again() *Again { return &Again{r, map[string]bool{".": true}} }

// Holds reports whether what was stamped lies where it lay, no link on the way,
// and was not changed since. It opens nothing. No zero stamp holds.
func (a *Again) Holds(s Stamp) bool {
	if s.Kind != File && s.Kind != Dir || s.Racy || s.Coarse || !a.way(path.Dir(s.Path)) {
		return false
	}
	f, ok := a.look(s.Path)
	if s.Kind == Dir && ok {
		a.ways[s.Path] = f.kind() == Dir
	}
	return ok && s.same(f)
}

// way reports whether dir is a directory and so are all on the way to it.
func (a *Again) way(dir string) bool {
	known, ok := a.ways[dir]
	if !ok {
		f, there := fact{}, a.way(path.Dir(dir))
		if there {
			f, there = a.look(dir)
		}
		known = there && f.kind() == Dir
		a.ways[dir] = known
	}
	return known
}

// look looks at what lies at a name, if no listing says that nothing does.
func (a *Again) look(name string) (fact, bool) {
	if a.root.begin("stat", name) != nil {
		return fact{}, false
	}
	since := a.root.now()
	f, err := a.root.in.check(name)
	if err != nil {
		return fact{}, false
	}
	a.root.trace.add(name, f, since)
	return f, true
}

// same reports whether f is a look at what was stamped, unchanged.
func (s Stamp) same(f fact) bool {
	s.Racy = false
	return stampOf(s.Path, f) == s
}
