package unpack

import (
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
)

// Sums are the digests of the bytes of files that were written, so that who needs them
// next does not read the files back. They are known by how each file lay when it was
// whole: one that was touched since is not among them, unless it was within the same
// tick of the system's clock, so that nothing may rest on them longer than on what is
// about to be looked at again. Where the system knows too little of files there are none.
// The zero value is empty; nil stays so. They may be used by several goroutines at once.
type Sums struct {
	mu    sync.Mutex
	known map[root.Stamp]ext.Digest
}

// Of is the digest of the bytes that a file was written with; not ok where it is none
// that was, or was touched since.
func (s *Sums) Of(at root.Stamp) (d ext.Digest, ok bool) {
	if s == nil {
		return d, false
	}
	at.Path, at.Racy = "", false
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok = s.known[at]
	return d, ok
}

func (s *Sums) add(at root.Stamp, d ext.Digest) {
	if at.Coarse {
		return
	}
	at.Path, at.Racy = "", false
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[root.Stamp]ext.Digest{}
	}
	s.known[at] = d
}
