//go:build unix

package git

import "syscall"

// ending is the signal that ends git. One that tidies up removes its locks first.
func ending(tidy bool) syscall.Signal {
	if tidy {
		return syscall.SIGTERM
	}
	return syscall.SIGKILL
}
