package copies

import (
	"errors"

	"golang.org/x/sys/windows"
)

// elsewhere reports whether a rename failed since it leads to another file system.
func elsewhere(err error) bool { return errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) }
