//go:build linux

package child

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	Main()
	if len(os.Args) > 2 && os.Args[1] == "helper" {
		help(os.Args[2], os.Args[3:])
		syscall.Exit(0)
	}
	os.Exit(m.Run())
}

// help is what the test binary does as a server or a worker. Each first says
// on its standard output who it is, as soon as it is ready.
func help(role string, args []string) {
	switch role {
	case "serve": // until the end of input
		introduce()
		startAll(args)
		io.Copy(io.Discard, os.Stdin)
	case "deaf": // to the end of input and to SIGTERM
		signal.Ignore(unix.SIGTERM)
		introduce()
		startAll(args)
		stay()
	case "stay":
		introduce()
		stay()
	case "slow": // to end
		told := make(chan os.Signal, 1)
		signal.Notify(told, unix.SIGTERM)
		introduce()
		<-told
		<-time.After(100 * time.Millisecond)
		syscall.Exit(7)
	case "stopped":
		introduce()
		unix.Kill(os.Getpid(), unix.SIGSTOP)
		stay()
	case "leave": // workers, and ends
		introduce()
		startAll(args)
		syscall.Exit(3)
	case "daemon": // a worker whose parent ends: the second fork
		startWorker("session:" + args[0])
	case "join": // the group that the shim is in
		signal.Ignore(unix.SIGTERM)
		group, _ := unix.Getsid(0)
		if err := unix.Setpgid(0, group); err != nil {
			panic(err)
		}
		introduce()
		stay()
	case "storm":
		signal.Ignore(unix.SIGTERM)
		introduce()
		storm()
	case "mute": // closes its output and stays
		introduce()
		os.Stdout.Close()
		io.Copy(io.Discard, os.Stdin)
	case "flood":
		introduce()
		line := []byte(strings.Repeat("x", 1023) + "\n")
		for range 4096 {
			os.Stderr.Write(line)
		}
	case "env":
		fmt.Print(strings.Join(os.Environ(), "\x00"))
	case "descriptors":
		descriptors()
	case "host":
		host(args)
	default:
		panic("no such role: " + role)
	}
}

func introduce() { fmt.Println(os.Getpid(), Self().Started) }

func stay() {
	for {
		unix.Pause()
	}
}

// startWorker starts a worker, session:ROLE in a session of its own, daemon:ROLE as
// an orphan in one, and passes on what it says first.
func startWorker(worker string) {
	role, args, attr := worker, []string{}, &syscall.SysProcAttr{}
	if kind, of, ok := strings.Cut(worker, ":"); ok && kind == "session" {
		role, attr.Setsid = of, true
	} else if ok {
		role, args = kind, []string{of}
	}
	cmd := osexec.Command(os.Args[0], append([]string{"helper", role}, args...)...)
	cmd.Stderr, cmd.SysProcAttr = os.Stderr, attr
	out, err := cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		panic(err)
	}
	fmt.Print(line)
	if role == "daemon" {
		cmd.Wait()
	}
}

func startAll(workers []string) {
	for _, w := range workers {
		startWorker(w)
	}
}

// stormy is how long a storm lasts that nobody ends.
const stormy = 4 * time.Second

// storm is 4 processes that fork and end, over and over, so that none ever
// keeps its number. After a fork without exec, Go's runtime is not to be used.
func storm() {
	const doublings = 2
	var begin, now unix.Timespec
	clock := func(at *unix.Timespec) {
		syscall.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(at)), 0)
	}
	clock(&begin)
	for i := 0; ; i++ {
		child, _, _ := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		clock(&now)
		if child != 0 && i >= doublings || now.Nano()-begin.Nano() > int64(stormy) {
			syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
}

// descriptors lists what this process was given: what it opened itself closes
// on exec.
func descriptors() {
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		var fd uintptr
		fmt.Sscan(e.Name(), &fd)
		flags, err := unix.FcntlInt(fd, unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC != 0 {
			continue
		}
		mode := "blocking"
		if flags, _ := unix.FcntlInt(fd, unix.F_GETFL, 0); flags&unix.O_NONBLOCK != 0 {
			mode = "not blocking"
		}
		fmt.Println(fd, mode)
	}
}

// host starts a server and does not see to its end.
func host(server []string) {
	p, err := New().Start(context.Background(), helperSpec(server...))
	if err != nil {
		panic(err)
	}
	io.Copy(os.Stdout, p.Stdout())
	stay()
}

const deadline = 20 * time.Second

func helperSpec(args ...string) Spec {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Spec{
		Path: self, Args: append([]string{"helper"}, args...), Env: []string{"PATH=/usr/bin:/bin"},
		Stderr: os.Stderr, Grace: 300 * time.Millisecond,
	}
}

// tree is a started server with the members that it has introduced.
type tree struct {
	*Process
	members []Identity
}

// grow starts a server and waits for n members to introduce themselves.
func grow(t *testing.T, s Spec, n int) *tree {
	t.Helper()
	k := New()
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return growIn(t, k, s, n)
}

func growIn(t *testing.T, k *Keeper, s Spec, n int) *tree {
	t.Helper()
	p, err := k.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return &tree{p, introductions(t, p.Stdout(), n)}
}

func introductions(t *testing.T, r io.Reader, n int) []Identity {
	t.Helper()
	var ids []Identity
	lines := bufio.NewScanner(r)
	for len(ids) < n && lines.Scan() {
		var id Identity
		if _, err := fmt.Sscan(lines.Text(), &id.Pid, &id.Started); err != nil {
			t.Fatalf("introduction %q: %v", lines.Text(), err)
		}
		ids = append(ids, id)
	}
	if len(ids) < n {
		t.Fatalf("%d members said who they are, want %d (%v)", len(ids), n, lines.Err())
	}
	return ids
}

// wantNothingLeft fails for each member that lives, and for whatever else
// bears the mark.
func (tr *tree) wantNothingLeft(t *testing.T) {
	t.Helper()
	wantDead(t, tr.members)
	if left := slices.Collect(marked(tr.mark)); len(left) > 0 {
		t.Errorf("left of the tree: %v, want nothing", left)
	}
}

func wantDead(t *testing.T, ids []Identity) {
	t.Helper()
	for i, id := range ids {
		if Alive(id) {
			t.Errorf("member %d of the tree (%v) lives, want it gone", i, id)
		}
	}
}

// wait waits until Done is closed, and fails if that takes too long.
func (tr *tree) wait(t *testing.T) Exit {
	t.Helper()
	select {
	case <-tr.Done():
	case <-time.After(deadline):
		t.Fatalf("Done is not closed after %v; left: %v", deadline, slices.Collect(marked(tr.mark)))
	}
	return tr.Exit()
}

// eventually polls until cond holds.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(deadline); time.Now().Before(end); <-tick.C {
		if cond() {
			return
		}
	}
	t.Fatalf("not within %v: %s", deadline, what)
}

func kill(t *testing.T, id Identity, sig unix.Signal) {
	t.Helper()
	if err := send(id, sig); err != nil {
		t.Fatalf("signal %v to %v: %v", sig, id, err)
	}
}

// shimOf is the parent of the program.
func (tr *tree) shimOf(t *testing.T) Identity {
	t.Helper()
	p, ok := readProc(tr.Identity().Pid)
	if !ok || p.Identity != tr.Identity() {
		t.Fatalf("the program %v is not there", tr.Identity())
	}
	s, ok := readProc(p.parent)
	if !ok || s.parent != os.Getpid() {
		t.Fatalf("the parent of the program is %+v, want a child of ours", s)
	}
	return s.Identity
}
