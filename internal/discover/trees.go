package discover

import (
	"context"
	"maps"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
)

// trees remembers the digests of trees, by their directories.
type trees struct {
	dir string

	mu     sync.Mutex
	known  map[string]*known
	faults []error
}

// known is what is remembered of one tree.
type known struct {
	asked bool          // since the last sweep; guarded by the mutex of trees
	turn  chan struct{} // holds one while nobody looks at the tree

	loaded bool // the folder was asked
	kept        // how the tree lay, and its digest
}

// tree is the digest of all that lies below r. Where it lies as it did, nothing
// is read; else what changed is.
func (m *Memory) tree(ctx context.Context, r *root.Root) (ext.Digest, error) {
	if m == nil {
		m = &Memory{}
	}
	k := m.trees.of(r.Dir())
	select {
	case <-k.turn:
	case <-ctx.Done():
		return ext.Digest{}, ctx.Err()
	}
	defer func() { k.turn <- struct{}{} }()
	c, err := count(ctx, r)
	if err != nil {
		return ext.Digest{}, err
	}
	if !k.loaded {
		k.kept, k.loaded = load(m.trees.dir, r.Dir()), true
	}
	if !c.unsure && k.mark == c.mark {
		return k.digest, nil
	}
	return m.trees.add(ctx, r, c, k)
}

// add reads what is not known of a tree, and remembers it.
func (t *trees) add(ctx context.Context, r *root.Root, c *census, k *known) (ext.Digest, error) {
	a := adder{ground: r, known: k.files()}
	d, err := a.sum(ctx, c)
	if err != nil {
		maps.Copy(a.next, a.known) // for another try
	}
	k.kept = kept{sums: a.next}
	if err != nil || c.unsure {
		return d, err
	}
	k.mark, k.digest = c.mark, d
	if err := save(t.dir, r.Dir(), &k.kept); err != nil {
		t.mu.Lock()
		t.faults = append(t.faults, err)
		t.mu.Unlock()
	}
	return d, nil
}

func (t *trees) of(dir string) *known {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.known[dir]
	if k == nil {
		if t.known == nil {
			t.known = map[string]*known{}
		}
		k = &known{turn: make(chan struct{}, 1)}
		k.turn <- struct{}{}
		t.known[dir] = k
	}
	k.asked = true
	return k
}

// sweep forgets the trees that were not asked for since the last sweep.
func (t *trees) sweep() []error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for dir, k := range t.known {
		if !k.asked {
			delete(t.known, dir)
		}
		k.asked = false
	}
	faults := t.faults
	t.faults = nil
	return faults
}
