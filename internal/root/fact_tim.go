//go:build linux || dragonfly || openbsd

package root

import (
	"io/fs"
	"syscall"
)

// factOf is all that i knows about a file.
func factOf(i fs.FileInfo) fact {
	f := fact{mode: i.Mode(), size: i.Size(), mtime: i.ModTime().UnixNano(), coarse: true}
	if st, ok := i.Sys().(*syscall.Stat_t); ok {
		f.dev, f.ino, f.ctime, f.coarse = uint64(st.Dev), uint64(st.Ino), st.Ctim.Nano(), false
	}
	return f
}
