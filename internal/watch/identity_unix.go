//go:build unix

package watch

import (
	"io/fs"
	"syscall"
)

func identity(info fs.FileInfo) fileID {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fileID{number(s.Dev), number(s.Ino)}
	}
	return fileID{}
}

// number is n, whose size differs from system to system.
func number[N int32 | uint32 | int64 | uint64](n N) uint64 { return uint64(n) }
