//go:build unix && !linux

package child

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	selfLink = ""
	// glance is the time between two looks whether a group has ended. Within
	// it no number can come round again.
	glance = 20 * time.Millisecond
)

// shim starts one program and sees to the end of its process group. It
// answers with its own exit code.
func shim() int {
	lifeline, report := inherited()
	told := make(chan os.Signal, 1)
	signal.Notify(told, unix.SIGTERM)
	// Caught, not ignored: what is ignored would be ignored in the program too.
	signal.Notify(make(chan os.Signal, 1), unix.SIGINT, unix.SIGHUP)

	o, err := readOrder(lifeline)
	if err != nil {
		return refuse(report, err)
	}
	pid, err := exec(o, &syscall.SysProcAttr{})
	letGo()
	if err != nil {
		tell(report, wordFailed, number(err))
		tell(report, wordGone, 0, 0)
		return 0
	}
	started, _ := look(pid)
	tell(report, wordStarted, uint64(pid), started, 0)

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var status syscall.WaitStatus
		for {
			if _, err := syscall.Wait4(pid, &status, 0, nil); !errors.Is(err, unix.EINTR) {
				break
			}
		}
		outcome(report, status)
	}()
	select {
	case <-ended:
	case <-told:
	case <-closed(lifeline):
	}
	stragglers := endGroup(pid, o.grace)
	<-ended
	tell(report, wordGone, stragglers, 0)
	return 0
}

// endGroup ends a process group, and tells whether it had to (1) or nothing of
// it was left (0). Once it has seen that the group is gone it never signals
// that number again.
func endGroup(group int, grace time.Duration) uint64 {
	if unix.Kill(-group, unix.SIGTERM) != nil {
		return 0
	}
	for end := time.Now().Add(grace); time.Now().Before(end); time.Sleep(glance) {
		if unix.Kill(-group, 0) != nil {
			return 1
		}
	}
	for unix.Kill(-group, unix.SIGKILL) == nil {
		time.Sleep(glance)
	}
	return 1
}

// newMark is none: there is no mark here.
func newMark() uint64 { return 0 }

// endMarked is never called where there is no mark.
func endMarked(uint64, int) (stragglers, left int) { return 0, 0 }

func dup2(from, to int) error { return unix.Dup2(from, to) }
