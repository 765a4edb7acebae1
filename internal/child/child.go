// Package child starts a program so that all it starts ends with it.
//
// Between us and the program stands a shim: this executable once more, under
// the name mortise-child. It starts the program, holds a pipe whose other end
// only we have (the lifeline), and ends the tree when the program ended, when
// it is told to, and when we are gone, however we went. To end a tree is to
// send SIGTERM to each of its processes, to wait for the grace, and to kill
// what is left until nothing is. Nothing is written down anywhere: the kernel
// holds all that is needed.
//
// What each system gives:
//
//   - Linux. The shim is the reaper of every orphan below it, so neither a
//     double fork nor a session of its own leads out of the tree. Processes
//     are signalled by descriptor after their start time was compared. If the
//     shim itself is killed, the program dies with it (parent-death signal)
//     and we end what it leaves, which we know by a mark that every process
//     inherits: see mark_linux.go. What remains possible: shim and host both
//     killed with SIGKILL at the same moment leave workers (not the program),
//     and what the program asked some other service to start is not of its
//     tree.
//   - Other Unix. The shim ends the program's process group. A worker in a
//     session of its own is left, and so is the program if the shim is killed.
//   - Windows. Shim, program and all it starts are one job, which the kernel
//     ends with the shim. Nothing is asked to end: there is no SIGTERM.
//
// A process that belongs to another user cannot be ended; Exit.Err tells.
package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Name is the name that this program runs under as a shim.
const Name = "mortise-child"

// Main turns this process into a shim, and never returns, if it was started
// as one; else it does nothing. It is the first call in main, and in TestMain
// where tests start anything.
func Main() {
	if isShim() {
		syscall.Exit(shim()) // not os.Exit: a shim has nothing of the program's to run at its end
	}
}

func isShim() bool { return len(os.Args) > 0 && filepath.Base(os.Args[0]) == Name }

// Spec says what to start.
type Spec struct {
	Path   string        // an absolute path, or a bare name that is looked up in the PATH of Env; never in a current directory
	Args   []string      // without the program
	Dir    string        // absolute; "" is our own current directory
	Env    []string      // all of it: nothing is inherited
	Stderr io.Writer     // gets what the tree writes there until the program's tree is gone; nil discards it; errors are ignored
	Grace  time.Duration // between asking a tree to end and ending it; 0 is two seconds
}

// Identity is a process that cannot be taken for a later one of the same
// number.
type Identity struct {
	Pid     int
	Started uint64 // in the system's unit; 0 is unknown
}

// Self is the identity of this process.
func Self() Identity {
	started, _ := look(os.Getpid())
	return Identity{Pid: os.Getpid(), Started: started}
}

// Alive tells whether that very process still runs. One that ended and was
// not waited for does not. Without a start time, the number alone decides.
func Alive(id Identity) bool {
	started, alive := look(id.Pid)
	return alive && (id.Started == 0 || started == id.Started)
}

// Exit is how a program ended.
type Exit struct {
	Code       int    // -1 when there is none
	Signal     string // the signal that ended it, as SIGKILL
	Stragglers int    // processes besides the program that had to be ended
	Err        error  // it did not start, its end was not seen, or something of it could not be ended
}

// String says how it ended, for people.
func (e Exit) String() string {
	s := fmt.Sprintf("exit code %d", e.Code)
	var start *startError
	switch {
	case errors.As(e.Err, &start):
		return "could not start: " + start.err.Error()
	case e.Err != nil:
		s = e.Err.Error()
	case e.Signal != "":
		s = "killed by " + e.Signal
	}
	switch e.Stragglers {
	case 0:
		return s
	case 1:
		return s + "; 1 process more had to be ended"
	}
	return fmt.Sprintf("%s; %d processes more had to be ended", s, e.Stragglers)
}

// startError is why a program does not run.
type startError struct {
	path string
	err  error
}
