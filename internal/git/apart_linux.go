package git

import (
	"os/exec"
	"syscall"
)

// apart gives git a session of its own, so that nothing of it reaches a terminal, and
// has it end with us.
func apart(cmd *exec.Cmd, tidy bool) {
	end := ending(tidy)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: end}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, end) }
}
