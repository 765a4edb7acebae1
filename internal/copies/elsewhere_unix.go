//go:build !windows

package copies

import (
	"errors"
	"syscall"
)

// elsewhere reports whether a rename failed since it leads to another file system.
func elsewhere(err error) bool { return errors.Is(err, syscall.EXDEV) }
