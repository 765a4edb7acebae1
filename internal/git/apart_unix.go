//go:build unix && !linux

package git

import (
	"os/exec"
	"syscall"
)

// apart gives git a session of its own, so that nothing of it reaches a terminal.
func apart(cmd *exec.Cmd, tidy bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, ending(tidy)) }
}
