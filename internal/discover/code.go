package discover

import (
	"context"
	"crypto/sha256"
	"io"
	"io/fs"
	"path"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// What is hashed of the code that one tree's documents name. A tree with more
// is refused (TooMuchCode). They are no settings: a workspace could set them.
const (
	maxCode      = 256 << 20 // bytes
	maxCodeFiles = 20_000    // entries of directories
	maxCodeDepth = 32
	maxWords     = 20_000 // that may name code
)

// code is the digest of what a document names, at p: a file's content, or all
// that lies in a directory. It is zero for anything else. It depends on nothing
// else that is named, so that a neighbour's code changes nothing here.
func (s *scan) code(ctx context.Context, p string, what surface.Presence) ext.Digest {
	switch what {
	case surface.File:
		return s.file(p)
	case surface.Directory:
		if d, ok := s.folders[p]; ok {
			return d
		}
		f := folder{scan: s, hash: ext.NewHash("directory"), entered: map[string]bool{}}
		f.enter(p)
		f.add(ctx, p, 0)
		if s.folders == nil {
			s.folders = map[string]ext.Digest{}
		}
		s.folders[p] = f.hash.Sum()
		return s.folders[p]
	}
	return ext.Digest{}
}

// file is the digest of a file's content; zero when it cannot be read. What is
// named more than once is read once.
func (s *scan) file(name string) ext.Digest {
	if d, ok := s.files[name]; ok {
		return d
	}
	if s.files == nil {
		s.files = map[string]ext.Digest{}
	}
	s.files[name] = s.sum(name)
	return s.files[name]
}

func (s *scan) sum(name string) ext.Digest {
	f, err := s.tree.FS.Open(name)
	if err != nil {
		return ext.Digest{}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ext.Digest{}
	}
	if info.Size() > maxCode-s.hashed {
		s.over = true
		return ext.Digest{}
	}
	before := s.hashed
	s.hashed += info.Size() // also where it is known: memory changes no outcome
	return s.options.Memory.bytes(s.tree.FS, f, func() ext.Digest {
		h := sha256.New()
		n, err := io.Copy(h, io.LimitReader(f, maxCode-before))
		if err != nil {
			return ext.Digest{}
		}
		s.hashed += max(n-info.Size(), 0)
		return ext.NewHash("content").Bytes(h.Sum(nil)).Int(int(info.Size())).Sum()
	})
}

// folder is a directory of code while it is added up.
type folder struct {
	*scan
	hash    *ext.Hash
	entered map[string]bool // directories, by where they really lie
}

// add adds the names and contents of all that lies in a directory, and in
// those that its links lead to.
func (f *folder) add(ctx context.Context, dir string, depth int) {
	entries, err := fs.ReadDir(f.tree.FS, dir)
	if err != nil {
		return
	}
	if depth > maxCodeDepth {
		f.over = true
		return
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if f.entries++; f.entries > maxCodeFiles {
			f.over = true
		}
		if f.over || ctx.Err() != nil {
			return
		}
		what := presence(f.tree.FS, name)
		f.hash.Text(name).Int(int(what))
		switch {
		case what == surface.File:
			f.hash.Digest(f.file(name))
		case what == surface.Directory && f.enter(name):
			f.add(ctx, name, depth+1)
		}
	}
}

// enter reports whether a directory was not come to before, on any way.
func (f *folder) enter(name string) bool {
	at, ok := source.Real(f.tree.FS, name)
	if !ok {
		at = name
	}
	first := !f.entered[at]
	f.entered[at] = true
	return first
}
