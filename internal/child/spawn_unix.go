//go:build unix

package child

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// spawn starts a shim with these files from descriptor 0 on. It has a session
// of its own, so that no terminal's signal reaches it or what it starts.
func spawn(files []*os.File) (*os.Process, error) {
	self, err := program()
	if err != nil {
		return nil, err
	}
	return os.StartProcess(self, []string{Name}, &os.ProcAttr{
		Dir: "/", Env: []string{}, Files: files,
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
}

// The shim's own descriptors.
const (
	lifelineFD = 3
	reportFD   = 4
)

// inherited are the lifeline and the report of a shim, which must not be
// passed on.
func inherited() (lifeline, report *os.File) {
	unix.CloseOnExec(lifelineFD)
	unix.CloseOnExec(reportFD)
	return os.NewFile(lifelineFD, "lifeline"), os.NewFile(reportFD, "report")
}

// letGo replaces the descriptors that are the program's alone, so that the
// program's end is the end of its pipes.
func letGo() {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return // they then end with the shim
	}
	defer null.Close()
	for fd := range 3 {
		dup2(int(null.Fd()), fd) //nolint:errcheck // as above
	}
}

// exec starts the program in a process group of its own.
func exec(o order, attr *syscall.SysProcAttr) (int, error) {
	attr.Setpgid = true
	return syscall.ForkExec(o.path, append([]string{o.path}, o.args...), &syscall.ProcAttr{
		Dir: o.dir, Env: o.env, Files: []uintptr{0, 1, 2}, Sys: attr,
	})
}

// outcome reports how the program ended.
func outcome(report *os.File, status syscall.WaitStatus) {
	if status.Signaled() {
		tell(report, wordSignalled, uint64(status.Signal()))
		return
	}
	tell(report, wordExited, uint64(status.ExitStatus()))
}

// number is the error number of a system call.
func number(err error) uint64 {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return uint64(errno)
	}
	return uint64(unix.EINVAL)
}

// closed is closed when nobody holds the other end any more.
func closed(lifeline *os.File) <-chan struct{} {
	c := make(chan struct{})
	go func() {
		defer close(c)
		for b := make([]byte, 64); ; {
			if _, err := lifeline.Read(b); err != nil {
				return
			}
		}
	}()
	return c
}

func signalName(n int) string {
	if name := unix.SignalName(syscall.Signal(n)); name != "" {
		return name
	}
	return syscall.Signal(n).String()
}
