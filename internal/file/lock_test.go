package file_test

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mortise-dev/mortise/internal/file"
)

// TestWaitLock wants one at a time to have a lock, and who waits to go when told to.
func TestWaitLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.lock")
	var count, has atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				lock, err := file.WaitLock(t.Context(), name)
				if err != nil {
					t.Error(err)
					return
				}
				if n := has.Add(1); n != 1 {
					t.Errorf("%d have the lock, want one", n)
				}
				count.Add(1)
				has.Add(-1)
				lock.Release()
			}
		})
	}
	all.Wait()
	if n := count.Load(); n != 160 {
		t.Errorf("got %d, want 160", n)
	}
	lock, err := file.WaitLock(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if again, err := file.WaitLock(ended, name); err == nil {
		again.Release()
		t.Error("a second one has the lock, want an error")
	}
}
