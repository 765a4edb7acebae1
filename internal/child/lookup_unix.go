//go:build unix

package child

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/mortise-dev/mortise/ext"
)

func sameVariable(a, b string) bool { return a == b }

// executable is path if it can be run by us.
func executable(path string, _ []string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", ext.Quote(path), bare(err))
	case info.IsDir():
		return "", fmt.Errorf("%s is a directory", ext.Quote(path))
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a file", ext.Quote(path))
	}
	if err := unix.Access(path, unix.X_OK); err != nil {
		return "", fmt.Errorf("%s is not executable for us: %w", ext.Quote(path), err)
	}
	return path, nil
}
