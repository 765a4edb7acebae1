package discover

import (
	"context"
	"maps"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// trees remembers the digests of trees, by their directories.
type trees struct {
	dir     string
	written *unpack.Sums
	known   recall[string, *known]

	mu     sync.Mutex
	faults []error // that kept the folder from being written
}

// known is what is remembered of one tree.
type known struct {
	turn chan struct{} // holds one while nobody looks at the tree

	loaded bool // the folder was asked
	kept        // how the tree lay, and its digest
}

func newKnown() *known {
	k := &known{turn: make(chan struct{}, 1)}
	k.turn <- struct{}{}
	return k
}

// tree is the digest of all that lies below r. Where it lies as it did, nothing
// is read; else what changed is.
func (m *Memory) tree(ctx context.Context, r *root.Root) (ext.Digest, error) {
	if m == nil {
		m = &Memory{}
	}
	k := m.trees.known.of(r.Dir(), newKnown)
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
	a := adder{ground: r, known: k.files(), written: t.written}
	d, err := a.sum(ctx, c)
	if err != nil {
		maps.Copy(a.next, a.known) // for another try
	}
	k.kept = kept{sums: a.next}
	if err != nil || c.unsure {
		return d, err
	}
	k.mark, k.digest = c.mark, d
	if a.unread { // the next process reads what nobody read
		return d, nil
	}
	if err := save(t.dir, r.Dir(), &k.kept); err != nil {
		t.mu.Lock()
		t.faults = append(t.faults, err)
		t.mu.Unlock()
	}
	return d, nil
}

// sweep forgets the trees that were not asked for since the last sweep, and is
// what went wrong since.
func (t *trees) sweep() []error {
	t.known.sweep()
	t.mu.Lock()
	defer t.mu.Unlock()
	faults := t.faults
	t.faults = nil
	return faults
}
