package mcptest

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// The workers that a server in the mode [Workers] starts. Each sleeps until it
// is ended, for five minutes at most.
const (
	// GroupWorker stays in the group of the server, and keeps its stdout and
	// stderr open.
	GroupWorker = "group"
	// SessionWorker begins a session of its own.
	SessionWorker = "session"
	// DaemonWorker begins a session of its own, and its parent has ended.
	DaemonWorker = "daemon"
	// ServerProcess is the server itself.
	ServerProcess = "server"
)

const (
	workerRole = "worker" // sleeps
	forkerRole = "forker" // starts a worker, says its id and ends
)

// startWorkers starts the workers and then writes the file, whole.
func startWorkers(file string) error {
	group, err := startWorker(os.Stdout, os.Stderr, false)
	if err != nil {
		return err
	}
	session, err := startWorker(nil, nil, true)
	if err != nil {
		return err
	}
	forker, err := role(forkerRole)
	if err != nil {
		return err
	}
	out, err := forker.Output()
	if err != nil {
		return fmt.Errorf("double fork: %w", err)
	}
	list := fmt.Sprintf("%s %d\n%s %d\n%s %d\n%s %s\n", ServerProcess, os.Getpid(), GroupWorker, group, SessionWorker, session, DaemonWorker, out)
	if err := os.WriteFile(file+".new", []byte(list), 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// ReadPIDs reads the file that a server in the mode [Workers] wrote: the ids
// of processes by the names above. The file is there, and whole, before the
// server answers anything.
func ReadPIDs(file string) (map[string]int, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pids := map[string]int{}
	for line := range strings.Lines(string(data)) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		pid, err := strconv.Atoi(id)
		if err != nil || pid <= 1 { // a signal to these would go to everybody
			return nil, fmt.Errorf("read ids of processes in %s: %q is none", file, line)
		}
		pids[name] = pid
	}
	return pids, nil
}

// role is this program in another role.
func role(name string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self) //nolint:noctx // it is to outlive everything here
	cmd.Env = append(os.Environ(), ModesVar+"="+name)
	return cmd, nil
}

func startWorker(stdout, stderr *os.File, session bool) (pid int, err error) {
	cmd, err := role(workerRole)
	if err != nil {
		return 0, err
	}
	if stdout != nil {
		cmd.Stdout, cmd.Stderr = stdout, stderr
	}
	if session {
		detach(cmd)
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	pid = cmd.Process.Pid // before Release, which takes it away
	return pid, cmd.Process.Release()
}

// runWorker is what a process does in one of the roles.
func runWorker(name string) (code int) {
	if name == workerRole {
		time.Sleep(lifetime)
		return 0
	}
	pid, err := startWorker(nil, nil, true)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mcptest:", err)
		return 1
	}
	fmt.Print(pid)
	return 0
}
