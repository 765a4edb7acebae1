package discover

import (
	"io/fs"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
)

// code remembers the digests of files that documents name.
type code struct {
	mu    sync.Mutex
	known map[identity]*codeSum
}

type codeSum struct {
	digest ext.Digest
	asked  bool // since the last sweep
}

// bytes is what read answers for an open file of fsys, or did answer.
func (m *Memory) bytes(fsys fs.FS, f fs.File, read func() ext.Digest) ext.Digest {
	r, ok := fsys.(*root.Root)
	if m == nil || !ok {
		return read()
	}
	s, ok := r.StampOf(f)
	if !ok {
		return read()
	}
	if d, ok := m.code.get(identify(s)); ok {
		return d
	}
	d := read()
	if d != (ext.Digest{}) {
		m.code.put(identify(s), d)
	}
	return d
}

func (c *code) get(id identity) (ext.Digest, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.known[id]
	if was == nil {
		return ext.Digest{}, false
	}
	was.asked = true
	return was.digest, true
}

func (c *code) put(id identity, d ext.Digest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[identity]*codeSum{}
	}
	c.known[id] = &codeSum{d, true}
}

func (c *code) sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, s := range c.known {
		if !s.asked {
			delete(c.known, id)
		}
		s.asked = false
	}
}
