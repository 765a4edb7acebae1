package rig

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// CPU is the processor time that processes have taken so far; 0 where there is
// no /proc.
func CPU(pids ...int) time.Duration {
	const tick = 10 * time.Millisecond // what the kernel counts in, on every system that Go runs on
	var ticks int64
	for _, p := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
		if err != nil {
			continue
		}
		f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])) // the name before may hold blanks
		user, _ := strconv.ParseInt(f[11], 10, 64)
		system, _ := strconv.ParseInt(f[12], 10, 64)
		ticks += user + system
	}
	return time.Duration(ticks) * tick
}

// Usage is what a process holds.
type Usage struct {
	Resident    float64 // MB
	Threads     int
	Descriptors int
}

// Used is what processes hold together; nothing where there is no /proc.
func Used(pids ...int) Usage {
	var u Usage
	for _, p := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			key, value, _ := strings.Cut(line, ":")
			f := strings.Fields(value)
			if len(f) == 0 {
				continue
			}
			n, _ := strconv.Atoi(f[0])
			switch key {
			case "VmRSS":
				u.Resident += float64(n) / 1024
			case "Threads":
				u.Threads += n
			}
		}
		open, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p))
		u.Descriptors += len(open)
	}
	return u
}

// Alive reports whether there is a process of that number that has not ended; a
// zombie has.
func Alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	return f[0] != "Z" && f[0] != "X"
}
