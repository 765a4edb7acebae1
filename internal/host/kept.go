package host

import (
	"slices"

	"github.com/mortise-dev/mortise/ext"
)

// kept is what earlier passes read of the sources of a configuration, for a pass
// that is told what changed since. It is used while the lock of the pass is held.
type kept struct {
	sources map[ext.Digest][]keptSource // by the configuration that they are of
	order   []ext.Digest                // oldest first
}

// keptConfigurations is how many configurations are kept: the one that is in
// use, the one that is written, with and without links followed.
const keptConfigurations = 4

// keptSource is what was read of one source.
type keptSource struct {
	key   ext.Digest // of a source that says what it depends on; else zero
	trees []scanned
}

// keyed is a source that depends on nothing but what its key covers.
type keyed interface{ Key() ext.Digest }

// reuse takes over what was kept of the sources, as far as it is not stale, and
// returns the sources that must be read, each with its place.
func (k *kept) reuse(of ext.Digest, sources []ext.Source, stale func(root string) bool) (out []keptSource, missing []int) {
	was := k.sources[of]
	out = make([]keptSource, len(sources))
	for i, s := range sources {
		if x, ok := s.(keyed); ok {
			out[i].key = x.Key()
		}
		if i < len(was) && was[i].fresh(out[i].key, stale) {
			out[i] = was[i]
		} else {
			missing = append(missing, i)
		}
	}
	return out, missing
}

// fresh reports whether reading the source again would give the same.
func (s *keptSource) fresh(key ext.Digest, stale func(root string) bool) bool {
	if key != (ext.Digest{}) || s.key != (ext.Digest{}) {
		return s.key == key && s.trees != nil
	}
	return len(s.trees) > 0 && !slices.ContainsFunc(s.trees, func(t scanned) bool {
		return t.err != nil || t.tree.Root == "" || stale(t.tree.Root)
	})
}

// keep remembers what was read.
func (k *kept) keep(of ext.Digest, sources []keptSource) {
	if k.sources == nil {
		k.sources = map[ext.Digest][]keptSource{}
	}
	if _, known := k.sources[of]; !known {
		k.order = append(k.order, of)
	}
	k.sources[of] = sources
	for len(k.order) > keptConfigurations {
		delete(k.sources, k.order[0])
		k.order = k.order[1:]
	}
}
