package child

import (
	"errors"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

const selfLink = "/proc/self/exe"

// shim starts one program and sees to its end. It answers with its own exit
// code.
func shim() int {
	// The program dies with the thread that started it, so this one stays.
	runtime.LockOSThread()
	// Few threads: where no more can be made, needing one is fatal. Two can
	// run, so that ended processes are waited for while others are looked for.
	runtime.GOMAXPROCS(2)
	lifeline, report := inherited()
	closeForeign()
	told := make(chan os.Signal, 1)
	signal.Notify(told, unix.SIGTERM)
	// Caught, not ignored: what is ignored would be ignored in the program too.
	signal.Notify(make(chan os.Signal, 1), unix.SIGINT, unix.SIGHUP)

	o, err := readOrder(lifeline)
	if err == nil {
		err = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	}
	if err != nil {
		return refuse(report, err)
	}
	marked := setMark(o.mark)
	pid, err := exec(o, &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL})
	letGo()
	if err != nil {
		tell(report, wordFailed, number(err))
		tell(report, wordGone, 0, 0)
		return 0
	}
	started, _ := look(pid)
	tell(report, wordStarted, uint64(pid), started, flag(marked))

	r := &reaper{program: pid, report: report, ended: make(chan struct{}), gone: make(chan struct{})}
	go r.reap()
	select {
	case <-r.ended:
	case <-told:
	case <-closed(lifeline):
	}
	e := newEnder(pid, descendants)
	left := e.end(o.grace, r.gone)
	tell(report, wordGone, uint64(e.stragglers()), uint64(left))
	return 0
}

// closeForeign closes what our host was itself given by whoever started it.
// Whatever this program opened closes on exec and is left alone.
func closeForeign() {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= reportFD {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
		}
	}
}

// reaper waits for every process that has no other parent.
type reaper struct {
	program int
	report  *os.File
	ended   chan struct{} // closed when the program ended
	gone    chan struct{} // closed when there is no process left; before ended, if the program was the last
}

func (r *reaper) reap() {
	announced := false
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			close(r.gone)
			if !announced {
				close(r.ended)
			}
			return
		case pid == r.program:
			outcome(r.report, status)
			if !childless() {
				announced = true
				close(r.ended)
			}
		}
	}
}

// childless tells whether nothing is left to wait for, without waiting.
func childless() bool {
	var info unix.Siginfo
	return unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == unix.ECHILD
}

func dup2(from, to int) error { return unix.Dup3(from, to, 0) }
