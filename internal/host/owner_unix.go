//go:build unix

package host

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner and the group that another one has.
func keepOwner(f *os.File, like fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	want, wanted := like.Sys().(*syscall.Stat_t)
	if !ok || !wanted || is.Uid == want.Uid && is.Gid == want.Gid {
		return nil
	}
	if err := f.Chown(int(want.Uid), int(want.Gid)); err != nil {
		return fmt.Errorf("keep its owner: %w", err)
	}
	return nil
}

// hardLinks is how many names a file has.
func hardLinks(f fs.FileInfo) uint64 {
	st, ok := f.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(st.Nlink) //nolint:unconvert // it is of another type on other systems
}
