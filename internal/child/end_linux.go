package child

import (
	"errors"
	"iter"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// The pauses between two looks for processes that are to end.
	firstPause = time.Millisecond
	lastPause  = 20 * time.Millisecond

	// enough is how often all that is left must have been denied to us before
	// we leave it.
	enough = 50
)

// ender ends all processes that find finds.
type ender struct {
	program int
	find    iter.Seq[proc]
	own     int // our process group
	denied  int // looks in a row in which nothing but denials came
	seen    map[Identity]bool
}

func newEnder(program int, find iter.Seq[proc]) *ender {
	return &ender{program: program, find: find, own: unix.Getpgrp(), seen: map[Identity]bool{}}
}

// stragglers counts the processes that had to be ended, the program apart.
func (e *ender) stragglers() int {
	n := len(e.seen)
	for id := range e.seen {
		if id.Pid == e.program {
			n--
		}
	}
	return n
}

// end asks, waits for the grace, and kills until gone is closed. It answers
// how many are left because they are not ours to kill.
func (e *ender) end(grace time.Duration, gone <-chan struct{}) (left int) {
	if isClosed(gone) {
		return 0
	}
	for p := range e.members {
		send(p.Identity, unix.SIGTERM) //nolint:errcheck // who does not hear it is killed below
	}
	if closesWithin(gone, grace) {
		return 0
	}
	for pause := firstPause; e.denied < enough; pause = min(2*pause, lastPause) {
		left = e.kill()
		if closesWithin(gone, pause) {
			return 0
		}
	}
	return left
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func closesWithin(c <-chan struct{}, d time.Duration) bool {
	select {
	case <-c:
		return true
	case <-time.After(d):
		return false
	}
}

// members are all that is there now.
func (e *ender) members(yield func(proc) bool) {
	for p := range e.find {
		e.seen[p.Identity] = true
		if !yield(p) {
			return
		}
	}
}

// kill kills what is there now, and answers how many there were.
//
// A process goes with its group: the kernel ends a group in one step, in which
// none of its members can fork, so that a storm of forks is over at once. All
// of a group are in one session, the shim's or one that began below it, so a
// group with one member of the tree has no others.
func (e *ender) kill() (n int) {
	groups := map[int]bool{0: true, 1: true, e.own: true}
	denied := 0
	for p := range e.members {
		n++
		if !groups[p.group] {
			groups[p.group] = true
			unix.Kill(-p.group, unix.SIGKILL) //nolint:errcheck // each is killed by itself as well
		}
		if errors.Is(send(p.Identity, unix.SIGKILL), unix.EPERM) {
			denied++
		}
	}
	if n > 0 && denied == n {
		e.denied++
	} else {
		e.denied = 0
	}
	return n
}

// send signals that very process. The descriptor holds it while its start
// time is compared, so that the signal cannot reach a later one.
func send(id Identity, sig unix.Signal) error {
	fd, missing := unix.PidfdOpen(id.Pid, 0)
	switch missing {
	case nil:
		defer unix.Close(fd)
	case unix.ESRCH:
		return missing
	}
	if started, _ := look(id.Pid); started != id.Started {
		return unix.ESRCH
	}
	if missing != nil { // a kernel or a sandbox without descriptors for processes
		return unix.Kill(id.Pid, sig)
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}
