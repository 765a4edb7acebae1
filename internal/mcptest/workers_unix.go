//go:build unix

package mcptest

import (
	"os/exec"
	"syscall"
)

// detach has cmd begin a session of its own.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
