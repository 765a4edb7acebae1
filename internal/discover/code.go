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
// that lies in a directory. It is zero for anything else. What is named more
// than once is read once.
func (s *scan) code(ctx context.Context, p string, what surface.Presence) ext.Digest {
	if d, ok := s.named[p]; ok {
		return d
	}
	var d ext.Digest
	switch what {
	case surface.File:
		d = s.file(p)
	case surface.Directory:
		h := ext.NewHash("directory")
		s.directory(ctx, h, p, 0)
		d = h.Sum()
	}
	if s.named == nil {
		s.named = map[string]ext.Digest{}
	}
	s.named[p] = d
	return d
}

// file is the digest of a file's content; zero when it cannot be read.
func (s *scan) file(name string) ext.Digest {
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
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, maxCode-s.hashed))
	s.hashed += n
	if err != nil {
		return ext.Digest{}
	}
	return ext.NewHash("content").Bytes(h.Sum(nil)).Int(int(info.Size())).Sum()
}

// directory adds the names and contents of all that lies in a directory, and
// in those that its links lead to.
func (s *scan) directory(ctx context.Context, h *ext.Hash, dir string, depth int) {
	entries, err := fs.ReadDir(s.tree.FS, dir)
	if err != nil {
		return
	}
	if depth > maxCodeDepth {
		s.over = true
		return
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if s.files++; s.files > maxCodeFiles {
			s.over = true
		}
		if s.over || ctx.Err() != nil {
			return
		}
		what := presence(s.tree.FS, name)
		h.Text(name).Int(int(what))
		switch {
		case what == surface.File:
			h.Digest(s.file(name))
		case what == surface.Directory && s.enter(name):
			s.directory(ctx, h, name, depth+1)
		}
	}
}

// enter reports whether a directory was not come to before, on any way.
func (s *scan) enter(name string) bool {
	at, ok := source.Real(s.tree.FS, name)
	if !ok {
		at = name
	}
	if s.entered == nil {
		s.entered = map[string]bool{}
	}
	first := !s.entered[at]
	s.entered[at] = true
	return first
}
