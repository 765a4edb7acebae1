package host

import (
	"slices"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// kept is what earlier passes read of the sources of configurations. It is used
// while the lock of the pass is held.
//
// Each reading has its own word on whether it still holds: what is told to have
// changed marks every one that it concerns, and only reading anew takes the mark
// away. So it does not matter which pass was the last to use a reading, or
// whether a pass failed.
type kept struct {
	sources map[ext.Digest][]keptSource // by all that the sources are made of
	order   []ext.Digest                // oldest first
}

// keptConfigurations is how many configurations are kept: the one that is in
// use, the one that is written, with and without links followed.
const keptConfigurations = 4

// keptSource is what was read of one source.
type keptSource struct {
	key   ext.Digest // of a source that says what it depends on; else zero
	trees []scanned  // nil: not read
	stale bool       // something may have changed since
	read  time.Time  // when reading it began
}

// keyed is a source that depends on nothing but what its key covers.
type keyed interface{ Key() ext.Digest }

// told marks what lies below roots as changed; nil is everything.
func (k *kept) told(roots []string) {
	for _, sources := range k.sources {
		for i := range sources {
			s := &sources[i]
			s.stale = s.stale || roots == nil || slices.ContainsFunc(s.trees, func(t scanned) bool {
				return slices.ContainsFunc(watched(t.tree), func(w string) bool { return slices.Contains(roots, w) })
			})
		}
	}
}

// reuse takes over what was kept of the sources, as far as it still holds, and
// returns the places of the sources that must be read.
func (k *kept) reuse(of ext.Digest, sources []ext.Source) (out []keptSource, missing []int) {
	was := k.sources[of]
	out = make([]keptSource, len(sources))
	for i, s := range sources {
		if x, ok := s.(keyed); ok {
			out[i].key = x.Key()
		}
		if i < len(was) && was[i].holds(out[i].key) {
			out[i] = was[i]
		} else {
			missing = append(missing, i)
		}
	}
	return out, missing
}

// holds reports whether reading the source again would give the same.
func (s *keptSource) holds(key ext.Digest) bool {
	switch {
	case s.trees == nil:
		return false
	case key != (ext.Digest{}) || s.key != (ext.Digest{}):
		return s.key == key
	}
	return !s.stale && len(s.trees) > 0 && !slices.ContainsFunc(s.trees, func(t scanned) bool {
		// What lies outside the roots is not watched.
		return t.err != nil || t.tree.Root == "" || t.left || t.unanswered() != nil
	})
}

// keep remembers what was read.
func (k *kept) keep(of ext.Digest, sources []keptSource) {
	if k.sources == nil {
		k.sources = map[ext.Digest][]keptSource{}
	}
	k.order = append(slices.DeleteFunc(k.order, func(d ext.Digest) bool { return d == of }), of)
	k.sources[of] = sources
	for len(k.order) > keptConfigurations {
		delete(k.sources, k.order[0])
		k.order = k.order[1:]
	}
}
