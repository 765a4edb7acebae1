package root

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// settled is how much older than the look at it a time must be for a later
// change to be sure to show. File systems and kernels count in ticks.
const settled = 50 * time.Millisecond

// ticks is settled where a file system knows whole seconds alone, or pairs of them: all
// times of a file are whole seconds there, and hardly ever elsewhere.
const ticks = 2*time.Second + settled

// Stamp is what was seen at one path, links not followed: a name that goes
// through links is stamped as the place it leads to, and every link on the way
// has a stamp of its own. It holds no times for what is missing.
type Stamp struct {
	Path   string // below the root; absolute for what Options.Follow led to outside
	Kind   Kind
	Dev    uint64
	Ino    uint64
	Size   int64
	Mtime  int64 // ns since 1970
	Ctime  int64 // ns since 1970
	Racy   bool  // changed so shortly before that another change might not show: never unchanged
	Coarse bool  // the system knows no Dev, Ino and Ctime
}

// trace collects stamps. A nil trace collects nothing.
type trace struct {
	mu     sync.Mutex
	stamps []Stamp
}

// add records f, which was seen at or after since.
func (t *trace) add(path string, f fact, since int64) {
	if t == nil {
		return
	}
	s := newStamp(path, f, since)
	t.mu.Lock()
	t.stamps = append(t.stamps, s)
	t.mu.Unlock()
}

func (t *trace) missing(path string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.stamps = append(t.stamps, Stamp{Path: path, Kind: Missing})
	t.mu.Unlock()
}

// newStamp is the stamp of f, which was seen at or after since.
func newStamp(path string, f fact, since int64) Stamp {
	s := stampOf(path, f)
	within := settled
	if f.mtime%int64(time.Second) == 0 && f.ctime%int64(time.Second) == 0 {
		within = ticks
	}
	s.Racy = max(f.mtime, f.ctime) > since-int64(within)
	return s
}

func stampOf(path string, f fact) Stamp {
	return Stamp{Path: path, Kind: f.kind(), Dev: f.dev, Ino: f.ino, Size: f.size, Mtime: f.mtime, Ctime: f.ctime, Coarse: f.coarse}
}

// now is when what follows is seen at the earliest; 0 when nobody records it.
func (r *Root) now() int64 {
	if r.trace == nil {
		return 0
	}
	return r.opt.Clock().UnixNano()
}

// Trace is what was listed, read or looked for until now, in the order of the
// paths. What was seen several times is there once, and as often as it was
// seen to differ. It is nil without Options.Trace.
func (r *Root) Trace() []Stamp {
	if r.trace == nil {
		return nil
	}
	r.trace.mu.Lock()
	stamps := slices.Clone(r.trace.stamps)
	r.trace.mu.Unlock()
	slices.SortStableFunc(stamps, func(x, y Stamp) int { return cmp.Compare(x.Path, y.Path) })
	return slices.Compact(stamps)
}

// Unchanged reports whether everything stamped is still as it was. It looks at
// each path, also outside, and opens and reads nothing. No stamps are unchanged.
func (r *Root) Unchanged(stamps []Stamp) bool {
	if slices.ContainsFunc(stamps, func(s Stamp) bool { return filepath.IsAbs(s.Path) }) {
		r.left.Store(true)
	}
	return unchanged(r.in, stamps)
}

// Fresh is Unchanged for the directory dir, which need not be open. It is
// false when dir cannot be opened.
func Fresh(dir string, stamps []Stamp) bool {
	r, err := Open(dir, Options{})
	if err != nil {
		return false
	}
	defer r.Close()
	return r.Unchanged(stamps)
}

func unchanged(d door, stamps []Stamp) bool {
	for i := range stamps {
		if stamps[i].Racy {
			return false
		}
	}
	for i := range stamps {
		if seen(d, stamps[i].Path) != stamps[i] {
			return false
		}
	}
	return true
}

// seen is the stamp of path as it is now.
func seen(d door, path string) Stamp {
	f, err := d.check(path)
	switch {
	case err == nil:
		return stampOf(path, f)
	case gone(err):
		return Stamp{Path: path, Kind: Missing}
	}
	return stampOf(path, fact{mode: fs.ModeIrregular})
}
