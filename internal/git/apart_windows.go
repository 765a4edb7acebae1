package git

import (
	"os/exec"
	"syscall"
)

// apart gives git no console, so that nothing of it can ask there.
func apart(cmd *exec.Cmd, _ bool) {
	const noWindow = 0x08000000
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: noWindow}
}
