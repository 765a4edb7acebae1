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
// never read and never blocks, and no automount point is crossed on behalf of
// a directory that is not trusted.
package root

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// MaxFile is the most bytes that ReadFile returns.
const MaxFile = 64 << 20

// Listing answers with the entries of a directory, sorted by name, when they
// are known already. dir is the name that ReadDir was asked for.
type Listing func(dir string) ([]fs.DirEntry, bool)

// Options say how a directory is opened. The zero value is right for a
// directory nobody vouches for.
type Options struct {
	// Follow also follows links that lead outside, to regular files and
	// directories. It is for a directory whose owner is trusted.
	Follow bool
	// Listing is asked before a directory is listed; nil knows none.
	Listing Listing
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
	// vague is set when in follows links by itself and does not say so: what is
	// recorded must then be walked to first.
	vague bool
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
	real, err := filepath.Abs(dir)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		return nil, fmt.Errorf("open root: %w", escaped(err))
	}
	r := &Root{dir: real, opt: opt}
	if r.opt.Clock == nil {
		r.opt.Clock = time.Now
	}
	if r.in, r.out, err = openDoors(real, opt); err != nil {
		return nil, fmt.Errorf("open root: %w", escaped(err))
	}
	if opt.Trace {
		r.trace = new(trace)
		_, r.vague = r.in.(*portable)
	}
	return r, nil
}

// Close ends r. Calls that are under way finish; later ones, and the Info of
// entries that r listed, give fs.ErrClosed. A second Close does nothing.
func (r *Root) Close() error {
	r.out.close()
	return r.in.close()
}

// Dir is the absolute path of the directory, links resolved.
func (r *Root) Dir() string { return r.dir }
