package child

import "golang.org/x/sys/unix"

func look(pid int) (started uint64, alive bool) {
	const zombie = 5 // SZOMB in sys/proc.h
	if pid <= 0 {
		return 0, false
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return 0, false
	}
	at := info.Proc.P_starttime
	return uint64(at.Sec)*1e6 + uint64(at.Usec), info.Proc.P_stat != zombie
}
