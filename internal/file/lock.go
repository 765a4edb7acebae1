package file

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// pause is between looks whether a lock is free.
const pause = 5 * time.Millisecond

// WaitLock takes the lock at path once nobody else has it, in this process or in
// another, or gives up when ctx ends.
func WaitLock(ctx context.Context, path string) (*Lock, error) {
	for {
		l, err := TryLock(path)
		if err == nil {
			return l, nil
		}
		if !errors.Is(err, ErrHeld) {
			return nil, fmt.Errorf("lock %s: %w", ext.Quote(path), err)
		}
		t := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			t.Stop()
			return nil, fmt.Errorf("wait for the lock %s: %w", ext.Quote(path), ctx.Err())
		case <-t.C:
		}
	}
}
