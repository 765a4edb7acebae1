package child

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// proc is what the kernel says of a process.
type proc struct {
	Identity
	parent, group int
	state         byte
	threads       int
}

// alive is false for one that ended and only waits to be waited for. One
// whose first thread ended before the others runs on.
func (p proc) alive() bool { return p.state != 'Z' && p.state != 'X' || p.threads > 1 }

func readProc(pid int) (proc, bool) {
	stat := readOf(pid, "stat")
	// The name, in parentheses, may hold anything; what follows may not.
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(f) < 20 {
		return proc{}, false
	}
	number := func(field int) int { // counted as in proc_pid_stat(5)
		n, _ := strconv.Atoi(string(f[field-3]))
		return n
	}
	started, err := strconv.ParseUint(string(f[22-3]), 10, 64)
	return proc{
		Identity: Identity{Pid: pid, Started: started},
		parent:   number(4), group: number(5), state: f[0][0], threads: number(20),
	}, err == nil
}

// readOf is what the kernel says under that name, nil when the process is
// gone. It is quick, for processes that are gone soon.
func readOf(pid int, name string) []byte {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/"+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	b := make([]byte, 4096) // more than either file has
	n, err := unix.Read(fd, b)
	if err != nil {
		return nil
	}
	return b[:n]
}

func look(pid int) (started uint64, alive bool) {
	p, ok := readProc(pid)
	return p.Started, ok && p.alive()
}

// processes are all that can be seen, each as it is when it comes up. Names
// are read a few at a time, so that the last is not long out of date.
func processes(yield func(proc) bool) {
	dir, err := unix.Open("/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(dir)
	var few [256]byte
	for {
		n, err := unix.ReadDirent(dir, few[:])
		if err != nil || n <= 0 {
			return
		}
		_, _, names := unix.ParseDirent(few[:n], -1, nil)
		for _, name := range names {
			pid, err := strconv.Atoi(name)
			if err != nil {
				continue
			}
			if p, ok := readProc(pid); ok && !yield(p) {
				return
			}
		}
	}
}

// descendants are the living processes below this one. As it is the reaper of
// orphans, whatever was started below it stays there.
//
// A child is one at once: in a storm of forks it may not live any longer. What
// is further down is looked at a second time, after its parent was, because
// while we read, a number in the line may come to mean somebody else.
func descendants(yield func(proc) bool) {
	self := os.Getpid()
	below := map[int][]proc{}
	for p := range processes {
		below[p.parent] = append(below[p.parent], p)
		if p.parent == self && p.alive() && !yield(p) {
			return
		}
	}
	type node struct {
		pid  int
		ours bool
	}
	for next := []node{{self, true}}; len(next) > 0; next = next[1:] {
		parent := next[0]
		for _, p := range below[parent.pid] {
			now, ok := readProc(p.Pid)
			ours := ok && now.Identity == p.Identity && (now.parent == self || parent.ours && now.parent == parent.pid)
			next = append(next, node{p.Pid, ours})
			if ours && p.parent != self && now.alive() && !yield(now) {
				return
			}
		}
		delete(below, parent.pid) // a ring of numbers that were used again has an end
	}
}
