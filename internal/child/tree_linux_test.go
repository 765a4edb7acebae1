package child

import (
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A server that is started through a wrapper is a grandchild; others put their
// workers where signals to the wrapper, or to its group, do not reach them.
func TestField_LIF01_StopLeavesNothingOfATree(t *testing.T) {
	shell := func(script string) Spec {
		s := helperSpec()
		s.Args = []string{"-c", script, s.Path}
		s.Path = "sh"
		return s
	}
	for _, c := range []struct {
		name    string
		spec    Spec
		members int
	}{
		{"server that ends with its input", helperSpec("serve"), 1},
		{"server that hears nothing", helperSpec("deaf"), 1},
		{"wrapper that waits for its worker", shell(`"$0" helper stay & wait`), 1},
		{"wrapper of a worker that ignores TERM", shell(`"$0" helper deaf & wait`), 1},
		{"wrapper within a wrapper", shell(`sh -c '"$0" helper deaf & wait' "$0" & wait`), 1},
		{"worker", helperSpec("serve", "stay"), 2},
		{"worker that ignores TERM", helperSpec("serve", "deaf"), 2},
		{"worker that is stopped", helperSpec("serve", "stopped"), 2},
		{"worker in its own session", helperSpec("serve", "session:stay"), 2},
		{"worker in its own session that ignores TERM", helperSpec("serve", "session:deaf"), 2},
		{"worker in the group of the shim", helperSpec("serve", "join"), 2},
		{"daemon", helperSpec("serve", "daemon:stay"), 2},
		{"daemon that ignores TERM", helperSpec("serve", "daemon:deaf"), 2},
		{"all of them", helperSpec("deaf", "stay", "deaf", "session:deaf", "daemon:deaf", "daemon:stay"), 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tr := grow(t, c.spec, c.members)
			if exit := tr.Stop(0); exit.Err != nil {
				t.Errorf("Stop: %v, want an end that was seen", exit)
			}
			tr.wantNothingLeft(t)
		})
	}
}

func TestStopIsPatientFirst(t *testing.T) {
	t.Parallel()
	tr := grow(t, helperSpec("serve"), 1)
	if exit := tr.Stop(deadline); exit != (Exit{}) {
		t.Errorf("Stop of a server that ends with its input: %v, want exit code 0", exit)
	}
	tr.wantNothingLeft(t)
}

func TestStopAsksBeforeItKills(t *testing.T) {
	t.Parallel()
	s := helperSpec("stay")
	s.Grace = deadline
	tr := grow(t, s, 1)
	if exit := tr.Stop(0); exit.Signal != "SIGTERM" {
		t.Errorf("Stop of a server that does not see the end of its input: %v, want killed by SIGTERM", exit)
	}
	s.Args = helperSpec("slow").Args
	if exit := grow(t, s, 1).Stop(0); exit != (Exit{Code: 7}) {
		t.Errorf("Stop of a server that is slow to end: %v, want exit code 7", exit)
	}
	s.Path, s.Args = "sh", []string{"-c", `"$0" helper stay & "$0" helper stay & wait`, s.Path}
	tr = grow(t, s, 2)
	begin := time.Now()
	if tr.Stop(0); time.Since(begin) >= s.Grace {
		t.Error("Stop of a wrapper: its workers were not asked to end")
	}
	tr = grow(t, helperSpec("deaf"), 1)
	if exit := tr.Stop(0); exit.Signal != "SIGKILL" {
		t.Errorf("Stop of a server that ignores TERM: %v, want killed by SIGKILL", exit)
	}
}

func TestStopAsksAllOfTheTreeAtOnce(t *testing.T) {
	t.Parallel()
	s := helperSpec("deaf", "stay", "session:stay")
	s.Grace = deadline
	tr := grow(t, s, 3)
	stopped := make(chan Exit)
	go func() { stopped <- tr.Stop(0) }()
	for _, id := range tr.members[1:] {
		eventually(t, fmt.Sprintf("end of worker %v", id), func() bool { return !Alive(id) })
	}
	if !Alive(tr.Identity()) {
		t.Error("the server ended, want it to have its grace")
	}
	kill(t, tr.Identity(), unix.SIGKILL)
	<-stopped
}

func TestWorkersEndWithTheirServer(t *testing.T) {
	t.Parallel()
	tr := grow(t, helperSpec("leave", "stay", "deaf", "daemon:deaf"), 4)
	exit := tr.wait(t)
	if exit.Code != 3 || exit.Signal != "" || exit.Err != nil || exit.Stragglers != 3 {
		t.Errorf("Exit: %+v, want code 3 and 3 stragglers", exit)
	}
	tr.wantNothingLeft(t)
}

func TestWorkersEndWhenTheirServerIsKilled(t *testing.T) {
	t.Parallel()
	tr := grow(t, helperSpec("serve", "stay", "session:deaf"), 3)
	kill(t, tr.Identity(), unix.SIGKILL)
	if exit := tr.wait(t); exit.Signal != "SIGKILL" || exit.Stragglers != 2 {
		t.Errorf("Exit: %+v, want SIGKILL and 2 stragglers", exit)
	}
	tr.wantNothingLeft(t)
}

// otherHost is another process with a tree of its own.
func otherHost(t *testing.T, n int, server ...string) (host *osexec.Cmd, shim Identity, members []Identity) {
	t.Helper()
	spec := helperSpec(append([]string{"host"}, server...)...)
	host = osexec.Command(spec.Path, spec.Args...)
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		host.Process.Kill()
		host.Wait()
	})
	members = introductions(t, out, n)
	program, _ := readProc(members[0].Pid)
	s, _ := readProc(program.parent)
	if s.parent != host.Process.Pid {
		t.Fatalf("the shim %+v is not the host's", s)
	}
	return host, s.Identity, members
}

func TestTreeEndsWhenItsHostIsKilled(t *testing.T) {
	t.Parallel()
	host, shim, members := otherHost(t, 4, "deaf", "stay", "session:deaf", "daemon:deaf")
	host.Process.Kill()
	host.Wait()
	for _, id := range append(members, shim) {
		eventually(t, fmt.Sprintf("end of %v", id), func() bool { return !Alive(id) })
	}
}

func TestProgramDiesWithHostAndShim(t *testing.T) {
	t.Parallel()
	host, shim, members := otherHost(t, 1, "deaf")
	kill(t, shim, unix.SIGSTOP) // so that it does not see the host go
	host.Process.Kill()
	host.Wait()
	kill(t, shim, unix.SIGKILL)
	eventually(t, "end of the program", func() bool { return !Alive(members[0]) })
}

// What a dead shim leaves is told from what other parts of the program have
// started, also from what they put into a session of its own.
func TestTreeEndsWhenItsShimIsKilled(t *testing.T) {
	t.Parallel()
	spec := helperSpec("stay")
	bystander := osexec.Command(spec.Path, spec.Args...)
	bystander.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := bystander.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	stranger := introductions(t, out, 1)[0]
	neighbour := grow(t, helperSpec("serve"), 1)

	tr := grow(t, helperSpec("deaf", "stay", "session:deaf", "daemon:deaf"), 4)
	kill(t, tr.shimOf(t), unix.SIGKILL)
	exit := tr.wait(t)
	if exit.Err == nil || exit.Code != -1 {
		t.Errorf("Exit: %+v, want an error that says that the end was not seen", exit)
	}
	tr.wantNothingLeft(t)

	if !Alive(stranger) || !Alive(neighbour.Identity()) {
		t.Error("ended a process that was not of the tree")
	}
	bystander.Process.Kill()
	if err := bystander.Wait(); bystander.ProcessState == nil {
		t.Errorf("wait for a process that other code started: %v", err)
	}
}

func TestTreeEndsWhenItsShimIsToldTo(t *testing.T) {
	t.Parallel()
	tr := grow(t, helperSpec("deaf", "session:deaf"), 2)
	kill(t, tr.shimOf(t), unix.SIGTERM)
	if exit := tr.wait(t); exit.Signal != "SIGKILL" || exit.Err != nil {
		t.Errorf("Exit: %v, want killed by SIGKILL", exit)
	}
	tr.wantNothingLeft(t)
}

func TestTreeEndsThoughItsShimHangs(t *testing.T) {
	t.Parallel()
	tr := grow(t, helperSpec("deaf", "session:deaf"), 2)
	kill(t, tr.shimOf(t), unix.SIGSTOP)
	if exit := tr.Stop(0); exit.Err == nil {
		t.Errorf("Exit: %v, want an error that says that the end was not seen", exit)
	}
	tr.wantNothingLeft(t)
}

// Processes that are other ones at every look.
func TestStopEndsAForkStorm(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
	}{
		{"the server itself", []string{"storm"}},
		{"a worker", []string{"serve", "storm"}},
		{"a worker in its own session", []string{"serve", "session:storm"}},
		{"an orphan", []string{"leave", "daemon:storm", "storm"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := 1
			if c.args[0] != "storm" {
				n = len(c.args)
			}
			tr := grow(t, helperSpec(c.args...), n)
			for _, first := range tr.members[min(1, n-1):] {
				eventually(t, "the storm moves on", func() bool { return !Alive(first) })
			}
			select {
			case <-tr.Done():
				if c.args[0] != "leave" { // whose orphans its shim ends by itself
					t.Fatal("the storm was over before Stop")
				}
			default:
			}
			begin := time.Now()
			tr.Stop(0)
			tr.wantNothingLeft(t)
			if took := time.Since(begin); took >= stormy {
				t.Errorf("Stop took %v, want less than the %v after which the storm is over by itself", took, stormy)
			}
		})
	}
}

func TestTerminalSignalsStayAway(t *testing.T) {
	t.Parallel()
	tr := grow(t, helperSpec("serve"), 1)
	shim := tr.shimOf(t)
	for name, pid := range map[string]int{"shim": shim.Pid, "program": tr.Identity().Pid} {
		group, err := unix.Getpgid(pid)
		if err != nil || group == unix.Getpgrp() {
			t.Errorf("process group of the %s: %d (%v), want another than ours", name, group, err)
		}
		session, err := unix.Getsid(pid)
		own, _ := unix.Getsid(0)
		if err != nil || session == own {
			t.Errorf("session of the %s: %d (%v), want another than ours", name, session, err)
		}
	}
	if group, err := unix.Getpgid(tr.Identity().Pid); err != nil || group != tr.Identity().Pid {
		t.Errorf("process group of the program: %d (%v), want its own, %d", group, err, tr.Identity().Pid)
	}
	for _, sig := range []unix.Signal{unix.SIGINT, unix.SIGHUP} {
		kill(t, shim, sig)
	}
	if exit := tr.Stop(deadline); exit != (Exit{}) {
		t.Errorf("Stop after signals to the shim: %v, want exit code 0", exit)
	}
}

func TestSignalsReachThatProcessAlone(t *testing.T) {
	t.Parallel()
	tr := grow(t, helperSpec("serve"), 1)
	later := tr.Identity()
	later.Started++
	if err := send(later, unix.SIGKILL); !errors.Is(err, unix.ESRCH) || !Alive(tr.Identity()) {
		t.Errorf("signal to a process of the same number: %v, want ESRCH and nothing ended", err)
	}
}

func TestAlive(t *testing.T) {
	t.Parallel()
	self := Self()
	if self.Pid != os.Getpid() || self.Started == 0 || !Alive(self) {
		t.Errorf("Self: %+v alive=%v, want our own, alive", self, Alive(self))
	}
	for name, id := range map[string]Identity{
		"another start time": {Pid: self.Pid, Started: self.Started + 1},
		"no process":         {Pid: 1 << 30, Started: self.Started},
		"zero":               {},
	} {
		if Alive(id) {
			t.Errorf("Alive(%s): true, want false", name)
		}
	}
	cmd := osexec.Command("/bin/sh", "-c", "exit 0")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started, _ := look(cmd.Process.Pid)
	zombie := Identity{cmd.Process.Pid, started}
	eventually(t, "a process that ended and was not waited for is not alive", func() bool { return !Alive(zombie) })
	cmd.Wait()
}
