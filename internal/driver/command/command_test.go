//go:build unix

package command_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/driver/command"
)

func TestMain(m *testing.M) {
	child.Main()
	os.Exit(m.Run())
}

// soon is longer than anything here takes that does not hang.
const soon = 20 * time.Second

func env() []string { return command.Environment(os.Environ()) }

func run(t *testing.T, c command.Command) (command.Result, error) {
	t.Helper()
	if c.Env == nil {
		c.Env = env()
	}
	begin := time.Now()
	r, err := command.Run(t.Context(), c)
	if took := time.Since(begin); took > soon {
		t.Errorf("it took %v", took)
	}
	return r, err
}

func kindOf(t *testing.T, err error) command.Kind {
	t.Helper()
	var e *command.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an error of the command", err)
	}
	return e.Kind
}

// script is an executable file with that text.
func script(t *testing.T, text string, mode fs.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hook.sh")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRun wants the exit code and both outputs, of a line and of a program.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		name           string
		c              command.Command
		exit           int
		stdout, stderr string
	}{
		{"a line", command.Command{Line: "cat; echo oh >&2; exit 2", Stdin: []byte("in")}, 2, "in", "oh\n"},
		{"a line of bash", command.Command{Line: `[[ -n $BASH_VERSION ]] && echo bash`, Bash: true}, 0, "bash\n", ""},
		{"a program", command.Command{Path: "printf", Args: []string{"%s|%s", "a b", "$HOME"}}, 0, "a b|$HOME", ""},
		{"a directory", command.Command{Line: "pwd", Dir: "/"}, 0, "/\n", ""},
		{"a command that is not there", command.Command{Line: "exec /no/such/program"}, 127, "", "*"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := run(t, c.c)
			if err != nil || r.Exit != c.exit || string(r.Stdout) != c.stdout || c.stderr != "*" && string(r.Stderr) != c.stderr || r.Left != 0 {
				t.Errorf("got %d, %q, %q, %d left, %v, want %d, %q, %q", r.Exit, r.Stdout, r.Stderr, r.Left, err, c.exit, c.stdout, c.stderr)
			}
		})
	}
}

// TestField_POL03_EachHookHasAnInputOfItsOwn: two hooks matched one event and only
// one got its input; the other allowed. Here 2, 5 and 20 at once each read 1 MB.
func TestField_POL03_EachHookHasAnInputOfItsOwn(t *testing.T) {
	if _, err := exec.LookPath("sha256sum"); err != nil {
		t.Skip("there is no sha256sum")
	}
	for _, n := range []int{2, 5, 20} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			var all sync.WaitGroup
			for i := range n {
				all.Go(func() {
					in := bytes.Repeat([]byte(strconv.Itoa(i%10)), 1<<20)
					r, err := command.Run(t.Context(), command.Command{Line: "sha256sum", Env: env(), Stdin: in})
					if want := fmt.Sprintf("%x", sha256.Sum256(in)); err != nil || !strings.HasPrefix(string(r.Stdout), want) {
						t.Errorf("hook %d: got %q, %v, want the sum of its own input, %s", i, r.Stdout, err, want)
					}
				})
			}
			all.Wait()
		})
	}
}

// TestField_POL04_WhatCannotRunIsTold: a guard that could not be spawned or took
// too long counted as one that allows. Each is an error that says which.
func TestField_POL04_WhatCannotRunIsTold(t *testing.T) {
	for _, c := range []struct {
		name string
		c    command.Command
		kind command.Kind
		is   error
	}{
		{"a missing program", command.Command{Path: "/no/such/program"}, command.NotStarted, fs.ErrNotExist},
		{"a name that is not in the PATH", command.Command{Path: "no-such-program"}, command.NotStarted, fs.ErrNotExist},
		{"a missing interpreter", command.Command{Path: script(t, "#!/no/such/interpreter\n", 0o700)}, command.NotStarted, fs.ErrNotExist},
		{"a file that may not be run", command.Command{Path: script(t, "#!/bin/sh\n", 0o600)}, command.NotStarted, fs.ErrPermission},
		{"a missing directory", command.Command{Line: "true", Dir: "/no/such/directory"}, command.NotStarted, fs.ErrNotExist},
		{"a shell that is not in the PATH", command.Command{Line: "true", Bash: true, Env: []string{"PATH=/no/such"}}, command.NotStarted, fs.ErrNotExist},
		{"one that takes too long", command.Command{Line: "echo begun; sleep 100", Limit: 200 * time.Millisecond}, command.Late, context.DeadlineExceeded},
		{"one that ignores that it should end", command.Command{Line: "trap '' TERM; while :; do sleep 1; done", Limit: 200 * time.Millisecond}, command.Late, context.DeadlineExceeded},
		{"one that is killed", command.Command{Line: "kill -KILL $$"}, command.Killed, nil},
		{"one that floods", command.Command{Line: "yes", Most: 1000}, command.Flood, nil},
		{"one that floods its error output", command.Command{Line: "yes >&2", Most: 1000}, command.Flood, nil},
		{"one that floods and ends", command.Command{Line: "head -c 2000 /dev/zero", Most: 1000}, command.Flood, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := run(t, c.c)
			if got := kindOf(t, err); got != c.kind || c.is != nil && !errors.Is(err, c.is) || r.Exit != 0 || r.Stdout != nil {
				t.Errorf("got %+v, kind %d, %v, want kind %d, which is %v", r, got, err, c.kind, c.is)
			}
		})
	}
}

// Too many open files: the hook cannot be started, and that is told.
func TestField_POL04_NoDescriptors(t *testing.T) {
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("descriptors cannot be counted here")
	}
	few := was
	few.Cur = uint64(len(entries)) + 2
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	_, err = command.Run(t.Context(), command.Command{Line: "true", Env: env()})
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	if got := kindOf(t, err); got != command.NotStarted || !errors.Is(err, syscall.EMFILE) {
		t.Errorf("got kind %d, %v, want one that was not started for want of descriptors", got, err)
	}
}

// TestField_POL08_WhatAHookLeaves: a hook answered and left a child that held its
// output, and the session hung for the life of the child. Here the end of the
// hook is the end: its answer is there at once, and what it left is ended and
// counted, for whoever asked to judge.
func TestField_POL08_WhatAHookLeaves(t *testing.T) {
	for _, c := range []struct{ name, line string }{
		{"holding the outputs", `sleep 300 & echo $! >&2; echo '{}'`},
		{"holding another descriptor", `exec 9>&1; sleep 300 9>&9 >/dev/null 2>&1 & echo $! >&2; echo '{}'`},
		{"holding nothing", `sleep 300 >/dev/null 2>&1 </dev/null & echo $! >&2; echo '{}'`},
		{"in a session of its own", `setsid sleep 300 & echo $! >&2; echo '{}'`},
		{"and not to be asked", `sh -c 'trap "" TERM; echo $$ >&2; echo "{}"; exec 1>&-; sleep 300' & sleep 0.2; exit 0`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.HasPrefix(c.line, "setsid") && exec.Command("setsid", "true").Run() != nil {
				t.Skip("there is no setsid")
			}
			begin := time.Now()
			r, err := run(t, command.Command{Line: c.line, Limit: 10 * time.Second})
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("it took %v, want its own end to be the end", took)
			}
			if err != nil || r.Exit != 0 || strings.TrimSpace(string(r.Stdout)) != "{}" || r.Left == 0 {
				t.Errorf("got %+v, %v, want the answer and that something was left", r, err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(r.Stderr)))
			if err != nil {
				t.Fatal(err)
			}
			if child.Alive(child.Identity{Pid: pid}) {
				t.Error("what it left is still there")
			}
		})
	}
}

// A limit ends all of a hook, not its shell alone.
func TestField_POL08_ALimitEndsTheTree(t *testing.T) {
	_, err := run(t, command.Command{Line: "sleep 300 & echo $!; wait", Limit: 300 * time.Millisecond})
	var e *command.Error
	if !errors.As(err, &e) || e.Kind != command.Late {
		t.Fatalf("got %v, want one that is late", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(e.Stdout)))
	if err != nil {
		t.Fatal(err)
	}
	if child.Alive(child.Identity{Pid: pid}) {
		t.Error("what it started is still there")
	}
}

// TestField_POL11_Input: a hook that reads to the end of its input hung with a host
// that never ended it, and a host hung that wrote 1 MB to a hook that reads none.
func TestField_POL11_Input(t *testing.T) {
	big := bytes.Repeat([]byte("x"), 1<<20)
	for _, c := range []struct {
		name, line, want string
	}{
		{"read to the end", "wc -c", "1048576"},
		{"not read at all", "echo done", "done"},
		{"closed at once", "exec <&-; echo done", "done"},
		{"read in part", "head -c 10", "xxxxxxxxxx"},
		{"not read for a while", "sleep 0.3; wc -c", "1048576"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := run(t, command.Command{Line: c.line, Stdin: big})
			if err != nil || strings.TrimSpace(string(r.Stdout)) != c.want || r.Left != 0 {
				t.Errorf("got %q, %d left, %v, want %q", r.Stdout, r.Left, err, c.want)
			}
		})
	}
	t.Run("not read until the limit", func(t *testing.T) {
		if _, err := run(t, command.Command{Line: "sleep 300", Stdin: big, Limit: 200 * time.Millisecond}); kindOf(t, err) != command.Late {
			t.Errorf("got %v, want one that is late", err)
		}
	})
	t.Run("read by node to the end", func(t *testing.T) {
		if _, err := exec.LookPath("node"); err != nil {
			t.Skip("there is no node")
		}
		r, err := run(t, command.Command{Path: "node", Args: []string{"-e", `let n=0;process.stdin.on("data",d=>n+=d.length).on("end",()=>console.log(n))`}, Stdin: big})
		if err != nil || strings.TrimSpace(string(r.Stdout)) != "1048576" {
			t.Errorf("got %q, %v", r.Stdout, err)
		}
	})
}

// Who asked may stop waiting: that is no answer either.
func TestRunIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	begun := script(t, "#!/bin/sh\necho > \"$1\"\nsleep 300\n", 0o700)
	sign := filepath.Join(t.TempDir(), "begun")
	go func() {
		for range time.Tick(time.Millisecond) {
			if _, err := os.Stat(sign); err == nil {
				cancel()
				return
			}
		}
	}()
	_, err := command.Run(ctx, command.Command{Path: begun, Args: []string{sign}, Env: env()})
	if got := kindOf(t, err); got != command.Cancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("got kind %d, %v, want cancelled", got, err)
	}
}

// TestEnvironment wants nothing of the host but what is named, and what is given
// over it.
func TestEnvironment(t *testing.T) {
	host := []string{"PATH=/bin", "HOME=/h", "LC_ALL=C", "CLOUD_KEY=secret", "LD_PRELOAD=x", "NODE_OPTIONS=y", "GIT_DIR=z", "LANG=C"}
	got := command.Environment(host, "CLAUDE_PLUGIN_ROOT=/p", "LANG=de", "broken", "LANG=fr")
	if want := "PATH=/bin HOME=/h LC_ALL=C CLAUDE_PLUGIN_ROOT=/p LANG=fr"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r, err := run(t, command.Command{Path: "/usr/bin/env", Env: got})
	if err != nil || len(strings.Split(strings.TrimSpace(string(r.Stdout)), "\n")) != len(got) {
		t.Errorf("the program's own: got %q, %v, want %q", r.Stdout, err, got)
	}
}

// BenchmarkRun is what asking one hook costs besides the hook; BenchmarkExec is
// the least that it could.
func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		if _, err := command.Run(b.Context(), command.Command{Path: "/bin/true", Env: env()}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExec(b *testing.B) {
	for b.Loop() {
		if err := exec.CommandContext(b.Context(), "/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
