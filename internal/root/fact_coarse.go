//go:build !(linux || dragonfly || openbsd || darwin || freebsd || netbsd)

package root

import "io/fs"

// factOf is all that i knows about a file: here neither its identity nor when
// it was last changed in any way.
func factOf(i fs.FileInfo) fact {
	return fact{mode: i.Mode(), size: i.Size(), mtime: i.ModTime().UnixNano(), coarse: true}
}
