//go:build unix

package cli

import "golang.org/x/sys/unix"

// openFiles is how many files this process may have open at once.
func openFiles() int {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) != nil {
		return manyFiles
	}
	return int(min(l.Cur, manyFiles))
}
