package config

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// mark is the number that the file system gave a directory when it was made,
// and when that was: the number alone may be given again after the directory
// is gone. Not every file system keeps the time.
func mark(dir string) string {
	var s unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, dir, 0, unix.STATX_INO|unix.STATX_BTIME, &s); err != nil {
		return inode(dir) // an old kernel, or one that is told to refuse the call
	}
	text := strconv.FormatUint(s.Ino, 10)
	if s.Mask&unix.STATX_BTIME != 0 {
		text += "@" + strconv.FormatInt(s.Btime.Sec, 10) + "." + strconv.FormatUint(uint64(s.Btime.Nsec), 10)
	}
	return text
}
