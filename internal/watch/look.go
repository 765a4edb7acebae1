package watch

import (
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// fact is what a change of a file or directory is told by. When it was last
// read is no part of it, and neither is what a directory holds.
type fact struct {
	mode     fs.FileMode
	size     int64
	modified int64 // ns
	id       fileID
}

// fileID is which file of the system it is, zero where that is not known.
type fileID struct{ dev, ino uint64 }

func idOf(path string) fileID {
	info, err := os.Lstat(path)
	if err != nil {
		return fileID{}
	}
	return identity(info)
}

func factOf(info fs.FileInfo) fact {
	f := fact{mode: info.Mode(), id: identity(info)}
	if !info.IsDir() {
		f.size, f.modified = info.Size(), info.ModTime().UnixNano()
	}
	return f
}

// sight is what one directory holds.
type sight struct {
	sum     uint64   // over the names and facts of its entries
	entries int      // how many these are
	below   []string // paths of the directories among them
}

const listAtOnce = 1024

// look looks at what dir holds, apart from what is skipped, and at no more than
// most entries.
func (l *lookout) look(dir string, most int) (s sight, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return s, err
	}
	defer f.Close()
	for s.entries < most {
		entries, err := f.ReadDir(min(listAtOnce, most-s.entries))
		for _, e := range entries {
			if l.skip[e.Name()] {
				continue
			}
			l.see(&s, dir, e)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return s, err
		}
	}
	slices.Sort(s.below) // so that what is beyond a limit does not vary
	return s, nil
}

func (l *lookout) see(s *sight, dir string, e fs.DirEntry) {
	s.entries++
	var known fact // nothing, for what vanished meanwhile
	if info, err := e.Info(); err == nil {
		known = factOf(info)
	}
	// The order in which a directory is listed means nothing.
	s.sum += maphash.Comparable(l.seed, named{e.Name(), known})
	if e.IsDir() {
		s.below = append(s.below, filepath.Join(dir, e.Name()))
	}
}

type named struct {
	name string
	fact fact
}

func directory(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
