package instance

import (
	"errors"

	"golang.org/x/sys/windows"
)

// taken: the latter is for one who listens there and shares it with nobody.
func taken(err error) bool {
	return errors.Is(err, windows.WSAEADDRINUSE) || errors.Is(err, windows.WSAEACCES)
}
