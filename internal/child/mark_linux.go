package child

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"iter"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// The mark of a tree is the soft limit RLIMIT_LOCKS of its processes: a random
// number, larger than any count could be. The kernel has not looked at this
// limit since Linux 2.4.25, but every process inherits it through fork, exec
// and setsid, and anyone may read it. So when a shim was killed, and what it
// watched over went to init, that can still be told from every other process:
// from those that other parts of this program start, and from those of other
// shims. Being the reaper of orphans ourselves would not tell them apart, and
// would make us wait for processes that are not ours.

// newMark is at least 2^60 and below 2^61.
func newMark() uint64 {
	var b [8]byte
	rand.Read(b[:]) //nolint:errcheck // it never fails
	return binary.BigEndian.Uint64(b[:])>>4 | 1<<60
}

// setMark marks this process and all that it starts from now on, and tells
// whether it could.
func setMark(mark uint64) bool {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_LOCKS, &limit) != nil || limit.Max < mark {
		return false
	}
	limit.Cur = mark
	return unix.Setrlimit(unix.RLIMIT_LOCKS, &limit) == nil && hasMark(os.Getpid(), mark)
}

func hasMark(pid int, mark uint64) bool {
	_, rest, _ := bytes.Cut(readOf(pid, "limits"), []byte("Max file locks"))
	f := bytes.Fields(rest)
	return len(f) > 0 && string(f[0]) == strconv.FormatUint(mark, 10)
}

// endMarked kills all processes that bear the mark, until two looks in a row
// find none. It answers how many there were besides the program, and how many
// are left because they are not ours to kill.
func endMarked(mark uint64, program int) (stragglers, left int) {
	e := newEnder(program, marked(mark))
	pause := firstPause
	for none := 0; none < 2 && e.denied < enough; none++ {
		if left = e.kill(); left > 0 {
			none = -1
		}
		time.Sleep(pause)
		pause = min(2*pause, lastPause)
	}
	return e.stragglers(), left
}

// marked are the living processes that bear the mark.
func marked(mark uint64) iter.Seq[proc] {
	return func(yield func(proc) bool) {
		for p := range processes {
			if p.alive() && hasMark(p.Pid, mark) && !yield(p) {
				return
			}
		}
	}
}
