//go:build unix

package instance

import (
	"errors"
	"syscall"
)

func taken(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
