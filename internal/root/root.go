// Package root opens a directory so that nothing outside it can be read
// through it. Names are slash-separated and relative, as in io/fs. Links are
// followed as long as they lead to places inside; a link that leads outside,
// leads nowhere or leads in circles is an error that says so and says where.
//
// On Linux the kernel refuses every escape (openat2, beneath the directory's
// descriptor, no link followed by the kernel); elsewhere, and where openat2 is
// missing, os.Root does. Both give the same answers and the same errors.
//
// Looking starts nothing: what is neither a regular file nor a directory is
// never read and never blocks. To see whether a link that leads outside comes
// back, links outside are read, and nothing else; with openat2 that mounts
// nothing either, unless the directory is trusted.
package root

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"sync/atomic"
	"time"
)

// MaxFile is the most bytes that ReadFile returns.
const MaxFile = 64 << 20

// Listing answers with the entries of a directory, sorted by name, when they
// are known already. What is missing from a known listing does not exist, and
// what is listed there is of the type that was listed. No link may be on the way
// to a directory whose entries are known.
type Listing func(dir string) ([]fs.DirEntry, bool)

// Options say how a directory is opened. The zero value is right for a
// directory nobody vouches for.
type Options struct {
	// Follow also follows links that lead outside, to regular files and
	// directories. It is for a directory whose owner is trusted.
	Follow bool
	// Listing is asked before a directory is listed or a name in it looked for;
	// nil knows none.
	Listing Listing
	// Remember has each directory be listed once, and later questions about names in it be
	// answered from that. It is for a root that is read in one go and
	// then closed, and has no effect beside Listing and Changes.
	Remember bool
	// Changes are answered as if they had been made; nil are none.
	Changes *Changes
	// Trace records a Stamp of everything that is listed, read or looked for.
	Trace bool
	// Clock tells the time for stamps; nil is time.Now. It must be the clock
	// that the file system sets times by.
	Clock func() time.Time

	portable bool // use os.Root also where the kernel has openat2
}

// Root is an open directory. It is made by Open, ended by Close, and may be
// used by several goroutines at once.
type Root struct {
	dir   string // absolute, links resolved
	in    door   // opens names beneath dir
	out   door   // opens absolute paths, for Follow and to see where links lead
	opt   Options
	trace *trace // nil: not recording
	// blind is set when in follows links inside by itself and does not say so.
	blind  bool
	left   atomic.Bool // see Left
	shaken shaken
}

var (
	_ fs.FS         = (*Root)(nil)
	_ fs.ReadFileFS = (*Root)(nil)
	_ fs.ReadDirFS  = (*Root)(nil)
	_ fs.StatFS     = (*Root)(nil)
	_ fs.ReadLinkFS = (*Root)(nil)
)

// Open opens dir, which may itself be reached through links.
func Open(dir string, opt Options) (*Root, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, fmt.Errorf("open root: %w", escaped(err))
	}
	in, out, err := openDoors(abs, opt)
	if err != nil {
		return nil, fmt.Errorf("open root: %w", escaped(err))
	}
	return newRoot(abs, in, out, opt), nil
}

// Sub opens a directory below r as a root of its own, from which nothing of
// the rest of r can be read. It costs less than Open. r may be closed before
// it. A name that leads through links is opened as Open does. Where opt knows no
// listing, that of r is asked.
func (r *Root) Sub(name string, opt Options) (*Root, error) {
	if err := valid("open", name); err != nil {
		return nil, err
	}
	if above := r.opt.Listing; opt.Listing == nil && above != nil {
		opt.Listing = func(dir string) ([]fs.DirEntry, bool) { return above(path.Join(name, dir)) }
	}
	dir := filepath.Join(r.dir, filepath.FromSlash(name))
	if k, ok := r.in.(subdivided); ok && !opt.portable {
		in, out, err := k.sub(name, opt)
		if err == nil {
			return newRoot(dir, in, out, opt), nil
		}
		if !r.in.suspect(err) {
			return nil, r.failure("open", name, err)
		}
	}
	if _, _, err := r.Real(name); err != nil {
		return nil, err
	}
	return Open(dir, opt)
}

// subdivided is a door that can open another at a directory beneath it.
type subdivided interface {
	sub(name string, opt Options) (in, out door, err error)
}

func newRoot(dir string, in, out door, opt Options) *Root {
	r := &Root{dir: dir, opt: opt}
	r.in, r.out = opt.behind(dir, in, out)
	if r.opt.Clock == nil {
		r.opt.Clock = time.Now
	}
	_, r.blind = in.(*portable)
	if opt.Trace {
		r.trace = new(trace)
	}
	if opt.Remember && opt.Listing == nil && opt.Changes == nil && !r.blind {
		m := &memo{of: r, known: map[string][]fs.DirEntry{}}
		r.opt.Listing = m.listing
	}
	return r
}

// Close ends r. Calls that are under way finish; later ones, and the Info of
// entries that r listed, give fs.ErrClosed. A second Close does nothing.
func (r *Root) Close() error {
	r.out.close()
	return r.in.close()
}

// Left reports whether links led anything outside that was read, listed or
// looked for through r so far: what r answered then depends on places that are
// not below its directory, be it that nothing was there, or that the way came
// back. What was refused because it leads outside does not count. A root made
// by Sub counts its own.
func (r *Root) Left() bool { return r.left.Load() }

// Dir is the absolute path of the directory, links resolved.
func (r *Root) Dir() string { return r.dir }
