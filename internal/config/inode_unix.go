//go:build unix

package config

import (
	"os"
	"strconv"
	"syscall"
)

// inode is the number of a directory within its file system, "" where it is
// not known.
func inode(dir string) string {
	info, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return strconv.FormatUint(s.Ino, 10)
	}
	return ""
}
