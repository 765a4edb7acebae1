package mcptest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mortise-dev/mortise/internal/mcptest"
)

// stat returns a process's parent, group and session.
func stat(t *testing.T, pid int) (parent, group, session int) {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatalf("the process is to be there: %v", err)
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	if _, err := fmt.Sscanf(rest, "%s %d %d %d", new(string), &parent, &group, &session); err != nil {
		t.Fatal(err)
	}
	return parent, group, session
}

func TestWorkersLeaveInThreeWays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pids")
	p := initialized(t, []string{mcptest.PIDsVar + "=" + file}, mcptest.Workers)
	pids, err := mcptest.ReadPIDs(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, pid := range pids {
		if name != mcptest.ServerProcess {
			t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
		}
	}
	server := p.cmd.Process.Pid
	if got := pids[mcptest.ServerProcess]; got != server {
		t.Errorf("the server: got %d, want %d", got, server)
	}
	_, group, session := stat(t, server)
	if parent, g, s := stat(t, pids[mcptest.GroupWorker]); parent != server || g != group || s != session {
		t.Errorf("group worker: got parent, group, session %d %d %d, want %d %d %d", parent, g, s, server, group, session)
	}
	pid := pids[mcptest.SessionWorker]
	if parent, g, s := stat(t, pid); parent != server || g != pid || s != pid {
		t.Errorf("session worker: got parent, group, session %d %d %d, want %d %d %d", parent, g, s, server, pid, pid)
	}
	pid = pids[mcptest.DaemonWorker]
	if parent, g, s := stat(t, pid); parent == server || g != pid || s != pid {
		t.Errorf("daemon: got parent, group, session %d %d %d, want another parent than %d, and %d %d", parent, g, s, server, pid, pid)
	}
	p.in.Close()
	if _, err := p.cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	for name, pid := range pids {
		if name != mcptest.ServerProcess {
			stat(t, pid) // each outlives the server
		}
	}
}

func TestIgnoresEOFStays(t *testing.T) {
	p := initialized(t, nil, mcptest.IgnoresEOF)
	p.in.Close()
	if line, err := p.stderr.ReadString('\n'); line != mcptest.Staying+"\n" {
		t.Fatalf("after the end of input: got %q, %v, want %q", line, err, mcptest.Staying)
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "SigIgn:\t")
	word, _, _ := strings.Cut(rest, "\n")
	ignored, err := strconv.ParseUint(word, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	if ignored&(1<<(syscall.SIGTERM-1)) == 0 {
		t.Errorf("SIGTERM is not among the ignored signals %s", word)
	}
}
