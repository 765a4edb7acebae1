package monorepo

import (
	"slices"
	"sync"

	"github.com/mortise-dev/mortise/internal/root"
)

// lasting reports whether stamps tell of every change: there are some, none is of
// something that was changed a moment before it was read, and the system knows files well
// enough.
func lasting(stamps []root.Stamp) bool {
	return len(stamps) > 0 && !slices.ContainsFunc(stamps, func(s root.Stamp) bool { return s.Racy || s.Coarse })
}

// fresh looks whether everything that was stamped is as it was, two halves at once.
func fresh(dir string, stamps []root.Stamp) bool {
	r, err := root.Open(dir, root.Options{})
	if err != nil {
		return false
	}
	defer func() { _ = r.Close() }()
	half := len(stamps) / 2
	var wg sync.WaitGroup
	first := false
	wg.Go(func() { first = half == 0 || r.Unchanged(stamps[:half]) })
	second := r.Unchanged(stamps[half:])
	wg.Wait()
	return first && second
}
