//go:build unix

package instance

import (
	"io/fs"
	"os"
	"syscall"
)

// shortTemporary is where a path is short.
const shortTemporary = "/tmp"

// owned reports whether what info is of belongs to this user.
func owned(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}

// private reports whether nobody else can read, write or enter it.
func private(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }

func socket(info fs.FileInfo) bool { return info.Mode().Type() == fs.ModeSocket }
