package root

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
)

// door is one way of opening names: beneath a directory, so that no method
// ever answers with anything outside it, or anywhere. Its errors are bare; the
// Root says what was asked for.
type door interface {
	// read returns the bytes of a regular file, at most limit.
	read(name string, limit int64) ([]byte, fact, error)
	// list returns the entries of a directory in order; the fact only if mark.
	list(name string, from *origin, mark bool) ([]fs.DirEntry, fact, error)
	// survey returns the entries of a directory in order, each with a look at
	// it; ErrCrowded when there are more than most.
	survey(name string, most int) ([]info, error)
	// open returns a regular file; for a directory only the fact of it.
	open(name string) (handle, fact, error)
	// look returns what lies at name and, if it is a link, where that points.
	look(name string) (fact, string, error)
	// check is look for comparing: it neither opens nor promises containment.
	check(name string) (fact, error)
	// suspect reports whether err may have to do with a link on the way.
	suspect(err error) bool
	close() error
}

// tries is how often a name is walked to anew because it changed on the way.
const tries = 8

// reach does what could not be done at the first try: it walks to name link by
// link, and has do open what the walk found, which again cannot leave.
func (r *Root) reach(op, name string, want Kind, since int64, do func(d door, at string) (fact, error)) error {
	for range tries {
		p, err := r.walk(name, since)
		if err != nil {
			return r.failure(op, name, err)
		}
		if err := p.fits(want); err != nil {
			r.trace.add(p.at, p.fact, since)
			return r.failure(op, name, err)
		}
		f, err := do(r.door(p), p.at)
		if moved(err) {
			continue
		}
		if err != nil {
			r.trace.add(p.at, p.fact, since)
			return r.failure(op, name, err)
		}
		r.trace.add(p.at, f, since)
		return nil
	}
	return r.failure(op, name, errUnsteady)
}

// vague reports whether to walk at once: what is recorded, or answered as it
// would be, must be known to be free of links.
func (r *Root) vague() bool { return r.blind && (r.trace != nil || r.opt.Changes != nil) }

func (r *Root) door(p place) door {
	if p.out {
		return r.out
	}
	return r.in
}

// moved reports whether err can only mean that what the walk found is there no
// more, or is now a link.
func moved(err error) bool {
	return err != nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENOTDIR))
}

// settle answers for an error of the first try that no link can have caused.
func (r *Root) settle(op, name string, since int64, err error) error {
	if r.trace != nil {
		if errors.Is(err, fs.ErrNotExist) {
			r.trace.missing(name)
		} else if !errors.Is(err, fs.ErrClosed) {
			r.note(r.in, name, since)
		}
	}
	return r.failure(op, name, err)
}

// note records what lies at name, whatever it is.
func (r *Root) note(d door, name string, since int64) {
	if r.trace == nil {
		return
	}
	f, err := d.check(name)
	switch {
	case err == nil:
		r.trace.add(name, f, since)
	case gone(err):
		r.trace.missing(name)
	default:
		r.trace.add(name, fact{mode: fs.ModeIrregular}, since)
	}
}

// gone reports whether err says that there is nothing at a path.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// begin refuses what is no name, and answers at once for a name that a known
// listing does not hold.
func (r *Root) begin(op, name string) error {
	if err := valid(op, name); err != nil {
		return err
	}
	if _, missing := r.listed(name); missing {
		return failure(op, name, fs.ErrNotExist)
	}
	return nil
}

// listed is the entry that a known listing has for a name; nil where none does.
// missing: the name, or a directory on the way to it, is not in a listing that is
// known.
func (r *Root) listed(name string) (known fs.DirEntry, missing bool) {
	if r.opt.Listing == nil {
		return nil, false
	}
	for at := name; at != "."; {
		dir := path.Dir(at)
		if entries, ok := r.opt.Listing(dir); ok {
			i, found := slices.BinarySearchFunc(entries, path.Base(at), func(e fs.DirEntry, base string) int {
				return strings.Compare(e.Name(), base)
			})
			if !found {
				return nil, true
			}
			if at == name {
				known = entries[i]
			}
			return known, false
		}
		at = dir
	}
	return nil, false
}

// typed is the type of what lies at a name, where a known listing tells and it
// is a file or a directory, so that no link has to be followed.
func (r *Root) typed(name string) (fs.FileMode, bool) {
	if e, _ := r.listed(name); e != nil {
		typ := e.Type()
		return typ, typ.IsRegular() || typ.IsDir()
	}
	return 0, false
}

// linked reports whether a known listing tells that a name is a link, to which
// no other link is on the way.
func (r *Root) linked(name string) bool {
	e, _ := r.listed(name)
	return e != nil && e.Type()&fs.ModeSymlink != 0
}

func valid(op, name string) error {
	if !fs.ValidPath(name) {
		return failure(op, name, fs.ErrInvalid)
	}
	return nil
}

// origin is what the entries of one listing share.
type origin struct {
	root *Root
	dir  string
}

// entry is one name in a directory.
type entry struct {
	from *origin
	name string
	typ  fs.FileMode
}

func (e *entry) Name() string      { return e.name }
func (e *entry) IsDir() bool       { return e.typ.IsDir() }
func (e *entry) Type() fs.FileMode { return e.typ }
func (e *entry) String() string    { return fs.FormatDirEntry(e) }

// Info looks at the entry now, through the Root that listed it.
func (e *entry) Info() (fs.FileInfo, error) {
	return e.from.root.Lstat(path.Join(e.from.dir, e.name))
}
