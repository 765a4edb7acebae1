package source

import (
	"context"
	"io/fs"
	"sync/atomic"

	"github.com/mortise-dev/mortise/ext"
)

// Share has trees read through one file system: it is released when the last of them is
// closed, or at once where there are none.
func Share(trees []ext.Tree, release func()) {
	if len(trees) == 0 {
		release()
		return
	}
	left := new(atomic.Int32)
	left.Store(int32(len(trees)))
	for i := range trees {
		trees[i].Close = func() {
			if left.Add(-1) == 0 {
				release()
			}
		}
	}
}

// Give yields trees until nobody wants more or ctx ends, and closes those that nobody was
// given: nobody else does.
func Give(ctx context.Context, trees []ext.Tree, yield func(ext.Tree, error) bool) {
	given := 0
	for given < len(trees) && ctx.Err() == nil {
		given++
		if !yield(trees[given-1], nil) {
			break
		}
	}
	for _, t := range trees[given:] {
		t.Close()
	}
}

// Nothing is a file system without files: of a tree that could not be opened.
type Nothing struct{}

// Open finds no file of any name.
func (Nothing) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
