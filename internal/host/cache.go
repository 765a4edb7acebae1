package host

import (
	"slices"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/compose"
)

// cacheSize is how many compositions a Cache keeps. One of ten thousand entries
// takes tens of megabytes, and what is in use is held by who uses it.
const cacheSize = 8

// Cache keeps compositions by the digest of everything they depend on, never
// by identity, so that worktrees with the same content share one. The zero
// value is ready, and may be shared by hosts.
type Cache struct {
	mu    sync.Mutex
	known map[ext.Digest]*compose.Composition
	order []ext.Digest // the one longest not asked for first
	hits  int
}

// Hits counts how often a composition was found.
func (c *Cache) Hits() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hits
}

// get returns the composition under key, made by build when there is none.
func (c *Cache) get(key ext.Digest, build func() *compose.Composition) *compose.Composition {
	c.mu.Lock()
	if was, ok := c.known[key]; ok {
		c.hits++
		c.order = append(slices.DeleteFunc(c.order, func(d ext.Digest) bool { return d == key }), key)
		c.mu.Unlock()
		return was
	}
	c.mu.Unlock()
	made := build()
	c.mu.Lock()
	defer c.mu.Unlock()
	if was, ok := c.known[key]; ok {
		return was
	}
	if c.known == nil {
		c.known = map[ext.Digest]*compose.Composition{}
	}
	if len(c.order) == cacheSize {
		delete(c.known, c.order[0])
		c.order = c.order[1:]
	}
	c.known[key] = made
	c.order = append(c.order, key)
	return made
}
