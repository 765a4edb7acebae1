package git

import (
	"os"

	"golang.org/x/sys/unix"
)

// widen has a pipe hold more, so that who writes into it and who reads it wake each other
// less often. One that cannot serves as it is.
func widen(pipe *os.File) {
	const room = 1 << 20 // what anybody may have
	if c, err := pipe.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, room) })
	}
}
