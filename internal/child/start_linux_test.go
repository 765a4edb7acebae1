package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// children counts our children, those that ended and were not waited for too.
func children() (n int) {
	for p := range processes {
		if p.parent == os.Getpid() {
			n++
		}
	}
	return n
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// A server that never answers is started, given up and stopped by every look.
func TestField_LIF06_StartAndStopLeakNothing(t *testing.T) {
	k := New()
	s := helperSpec("stay", "session:stay")
	s.Stderr = io.Discard
	cycle := func() {
		tr := growIn(t, k, s, 1)
		tr.Stop(0)
		tr.wantNothingLeft(t)
	}
	cycle()
	files, procs := openFiles(t), children()
	for range 50 {
		cycle()
	}
	if now := openFiles(t); now != files {
		t.Errorf("open files after 50 cycles: %d, want %d as after the first", now, files)
	}
	if now := children(); now != procs {
		t.Errorf("children after 50 cycles: %d, want %d as after the first", now, procs)
	}
	if len(k.live) != 0 {
		t.Errorf("the keeper holds %d processes, want none", len(k.live))
	}
}

func TestStartSaysWhyNot(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := write("plain", "text", 0o644)
	orphan := write("orphan", "#!/no/such/interpreter\n", 0o755)
	garbage := write("garbage", "\x00\x01\x02", 0o755)
	for _, c := range []struct {
		name string
		spec Spec
		is   error
		want string
	}{
		{"no name", Spec{}, nil, "no program is named"},
		{"no such file", Spec{Path: "/no/such/program"}, fs.ErrNotExist, `"/no/such/program": no such file`},
		{"not in PATH", Spec{Path: "nonesuch", Env: []string{"PATH=/bin:/usr/bin"}}, fs.ErrNotExist, `not found in its PATH "/bin:/usr/bin"`},
		{"no PATH", Spec{Path: "sh"}, fs.ErrNotExist, `not found in its PATH ""`},
		{"in the current directory", Spec{Path: "keeper.go", Env: []string{"PATH=.::"}}, fs.ErrNotExist, "not found in its PATH"},
		{"relative", Spec{Path: "./sh", Env: []string{"PATH=/bin"}}, nil, "absolute path or a bare name"},
		{"up", Spec{Path: "..", Env: []string{"PATH=/bin"}}, nil, "absolute path or a bare name"},
		{"not executable", Spec{Path: plain}, fs.ErrPermission, "not executable"},
		{"not executable in PATH", Spec{Path: "plain", Env: []string{"PATH=" + dir}}, fs.ErrPermission, "not executable"},
		{"a directory", Spec{Path: dir}, nil, "is a directory"},
		{"a device", Spec{Path: "/dev/null"}, nil, "is not a file"},
		{"no interpreter", Spec{Path: orphan}, fs.ErrNotExist, "not the interpreter that it names"},
		{"no program", Spec{Path: garbage}, syscall.ENOEXEC, "exec format error"},
		{"no directory", Spec{Path: "/bin/sh", Dir: "/no/such/dir"}, fs.ErrNotExist, `its directory "/no/such/dir"`},
		{"directory is a file", Spec{Path: "/bin/sh", Dir: plain}, nil, "is not a directory"},
		{"relative directory", Spec{Path: "/bin/sh", Dir: "here"}, nil, "is not absolute"},
		{"NUL", Spec{Path: "/bin/sh", Args: []string{"a\x00b"}}, nil, "NUL"},
		{"too much", Spec{Path: "/bin/sh", Args: []string{strings.Repeat("x", 4<<20)}}, syscall.E2BIG, "argument list too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, procs := openFiles(t), children()
			p, err := New().Start(t.Context(), c.spec)
			if err == nil {
				p.Stop(0)
				t.Fatal("Start: started, want an error")
			}
			if !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("Start: %v, want %q (%v)", err, c.want, c.is)
			}
			if got := (Exit{Err: err}).String(); !strings.HasPrefix(got, "could not start: ") {
				t.Errorf("Exit with that error: %q, want it to say that it could not start", got)
			}
			if f, p := openFiles(t), children(); f != files || p != procs {
				t.Errorf("after the error: %d files and %d children, want %d and %d", f, p, files, procs)
			}
		})
	}
}

// Without it, a program that does not call Main would start itself for ever.
func TestShimStartsNothing(t *testing.T) {
	args := os.Args
	defer func() { os.Args = args }()
	os.Args = []string{Name}
	if _, err := New().Start(t.Context(), Spec{Path: "/bin/cat"}); err == nil || !strings.Contains(err.Error(), "child.Main") {
		t.Errorf("Start in a shim: %v, want an error that names child.Main", err)
	}
}

func TestPathIsLookedUpInEnvAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := []byte("#!/bin/sh\necho $0\n")
	if err := os.WriteFile(filepath.Join(dir, "greet"), script, 0o755); err != nil {
		t.Fatal(err)
	}
	s := Spec{Path: "greet", Env: []string{"PATH=/no/such/dir:" + dir, "PATH=/"}}
	tr := &tree{Process: start(t, s)}
	out, err := io.ReadAll(tr.Stdout())
	if want := filepath.Join(dir, "greet") + "\n"; string(out) != want || err != nil {
		t.Errorf("ran %q (%v), want %q", out, err, want)
	}
	tr.wait(t)
}

// start starts what does not introduce itself.
func start(t *testing.T, s Spec) *Process {
	t.Helper()
	k := New()
	p, err := k.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	return p
}

func TestProgramGetsWhatItIsGivenAndNoMore(t *testing.T) {
	// As if our own caller had left a descriptor open for us.
	leak, err := unix.Open("/dev/null", unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(leak)
	for _, c := range []struct {
		name, role, want string
		env              []string
	}{
		{"descriptors", "descriptors", "0 blocking\n1 blocking\n2 blocking\n", nil},
		{"environment", "env", "A=1\x00EMPTY=\x00ODD=\xff\n\x01", []string{"A=1", "EMPTY=", "ODD=\xff\n\x01"}},
		{"no environment", "env", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := helperSpec(c.role)
			s.Env = c.env
			out, err := io.ReadAll(start(t, s).Stdout())
			if string(out) != c.want || err != nil {
				t.Errorf("the program got %q (%v), want %q", out, err, c.want)
			}
		})
	}
	t.Run("directory", func(t *testing.T) {
		dir := t.TempDir()
		out, err := io.ReadAll(start(t, Spec{Path: "/bin/pwd", Dir: dir}).Stdout())
		if string(out) != dir+"\n" || err != nil {
			t.Errorf("the program runs in %q (%v), want %q", out, err, dir)
		}
	})
	t.Run("arguments", func(t *testing.T) {
		out, err := io.ReadAll(start(t, Spec{Path: "/usr/bin/printf", Args: []string{"[%s]", "a b", "", "\xff\n"}}).Stdout())
		if want := "[a b][][\xff\n]"; string(out) != want || err != nil {
			t.Errorf("the program got %q (%v), want %q", out, err, want)
		}
	})
	t.Run("signals", func(t *testing.T) {
		script := `grep -E '^Sig(Ign|Blk)' /proc/self/status`
		out, err := io.ReadAll(start(t, Spec{Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=/bin:/usr/bin"}}).Stdout())
		// Who started this test may have signals ignored, and every program below.
		want, failed := osexec.CommandContext(t.Context(), "/bin/sh", "-c", script).Output()
		if string(out) != string(want) || err != nil || failed != nil {
			t.Errorf("signals blocked and ignored in the program: %q (%v), want %q (%v)", out, err, want, failed)
		}
	})
}

func TestStreams(t *testing.T) {
	t.Parallel()
	t.Run("both ways", func(t *testing.T) {
		p := start(t, Spec{Path: "/bin/cat"})
		sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
		go func() {
			p.Stdin().Write(sent)
			p.Stdin().Close()
		}()
		got, err := io.ReadAll(p.Stdout())
		if !bytes.Equal(got, sent) || err != nil {
			t.Errorf("cat gave back %d bytes (%v), want the %d that were sent", len(got), err, len(sent))
		}
	})
	t.Run("end of output while the program runs", func(t *testing.T) {
		tr := grow(t, helperSpec("mute"), 1)
		if n, err := tr.Stdout().Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("Read after the program closed its output: %d, %v, want EOF", n, err)
		}
		if !Alive(tr.Identity()) {
			t.Error("the program ended, want it running")
		}
	})
	t.Run("broken input", func(t *testing.T) {
		p := start(t, Spec{Path: "/bin/sh", Args: []string{"-c", "exec 0<&-; echo; exec tail -f /dev/null"}})
		io.ReadFull(p.Stdout(), make([]byte, 1))
		if _, err := p.Stdin().Write([]byte("x")); !errors.Is(err, unix.EPIPE) {
			t.Errorf("Write to a program that closed its input: %v, want EPIPE", err)
		}
	})
	t.Run("output after the end", func(t *testing.T) {
		tr := &tree{Process: start(t, Spec{Path: "/bin/echo", Args: []string{"last words"}})}
		tr.wait(t)
		got, err := io.ReadAll(tr.Stdout())
		if string(got) != "last words\n" || err != nil {
			t.Errorf("read after the end: %q (%v), want what the program wrote", got, err)
		}
	})
}

// counter counts what is written to it, and fails from the first write on if
// it is told to.
type counter struct {
	fail error
	mu   sync.Mutex
	n    int
}

func (c *counter) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += len(b)
	return len(b), c.fail
}

func TestStderrHoldsNothingUp(t *testing.T) {
	t.Parallel()
	flood := func(t *testing.T, w io.Writer) *tree {
		s := helperSpec("flood")
		s.Stderr = w
		tr := grow(t, s, 1)
		if exit := tr.wait(t); exit != (Exit{}) {
			t.Errorf("Exit of a program that floods its stderr: %v, want exit code 0", exit)
		}
		return tr
	}
	t.Run("flood", func(t *testing.T) {
		c := new(counter)
		flood(t, c)
		if want := 4 << 20; c.n != want {
			t.Errorf("got %d bytes of stderr, want %d", c.n, want)
		}
	})
	t.Run("nobody listens", func(t *testing.T) { flood(t, nil) })
	t.Run("a writer that fails", func(t *testing.T) { flood(t, &counter{fail: io.ErrShortWrite}) })
	t.Run("a writer that hangs", func(t *testing.T) {
		s := helperSpec("flood")
		r, w := io.Pipe()
		defer r.Close()
		s.Stderr = w
		tr := grow(t, s, 1)
		tr.Stop(0)
		tr.wantNothingLeft(t)
	})
	t.Run("held by a worker", func(t *testing.T) {
		s := helperSpec("leave", "daemon:deaf")
		s.Stderr = new(counter)
		grow(t, s, 2).wait(t)
	})
	t.Run("held by a stranger", func(t *testing.T) {
		s := helperSpec("serve")
		s.Stderr = new(counter)
		tr := grow(t, s, 1)
		// We hold it ourselves, as a service would that was handed it.
		held, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/2", tr.Identity().Pid), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer held.Close()
		out, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", tr.Identity().Pid), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if exit := tr.Stop(deadline); exit != (Exit{}) {
			t.Errorf("Stop: %v, want exit code 0", exit)
		}
	})
}

func TestKeeperIsUsedByMany(t *testing.T) {
	t.Parallel()
	k := New()
	trees := make([]*tree, 20)
	var starting sync.WaitGroup
	for i := range trees {
		starting.Go(func() {
			p, err := k.Start(t.Context(), helperSpec("serve", "session:deaf"))
			if err != nil {
				t.Error(err)
				return
			}
			trees[i] = &tree{Process: p}
		})
	}
	starting.Wait()
	if t.Failed() {
		t.FailNow()
	}
	for _, tr := range trees {
		tr.members = introductions(t, tr.Stdout(), 2)
	}
	if err := k.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	for _, tr := range trees {
		tr.wantNothingLeft(t)
	}
	if _, err := k.Start(t.Context(), helperSpec("serve")); !errors.Is(err, ErrClosed) {
		t.Errorf("Start after Close: %v, want ErrClosed", err)
	}
	if err := k.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// However far a start has come when its context ends or its keeper closes:
// it runs, or there is nothing.
func TestStartIsAllOrNothing(t *testing.T) {
	t.Parallel()
	gone := func(t *testing.T, p *Process, err error) {
		if err == nil {
			p.Stop(0)
			(&tree{Process: p}).wantNothingLeft(t)
		}
	}
	spec := helperSpec("serve", "deaf")
	spec.Grace = 50 * time.Millisecond
	for i := range 30 {
		after := time.Duration(i) * 400 * time.Microsecond
		ctx, cancel := context.WithTimeout(t.Context(), after)
		k := New()
		p, err := k.Start(ctx, spec)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Start with %v of time: %v, want it started or the context's error", after, err)
		}
		if err != nil && len(k.live) != 0 {
			t.Errorf("Start with %v of time: error %v, but the keeper has a process", after, err)
		}
		gone(t, p, err)

		k = New()
		closing := make(chan struct{})
		time.AfterFunc(after, func() { k.Close(); close(closing) })
		p, err = k.Start(t.Context(), spec)
		if err != nil && !errors.Is(err, ErrClosed) {
			t.Errorf("Start when closed after %v: %v, want it started or ErrClosed", after, err)
		}
		<-closing
		if err == nil {
			select {
			case <-p.Done():
			default:
				t.Errorf("closed after %v: Close returned before the process was gone", after)
			}
		}
		gone(t, p, err)
	}
}

// BenchmarkStart is the time until a program runs and has answered, beside
// that of a plain start.
func BenchmarkStart(b *testing.B) {
	answer := func(b *testing.B, in io.Writer, out io.Reader) {
		if _, err := in.Write([]byte("x")); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("os/exec", func(b *testing.B) {
		for b.Loop() {
			cmd := osexec.CommandContext(b.Context(), "/bin/cat")
			in, _ := cmd.StdinPipe()
			out, _ := cmd.StdoutPipe()
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			answer(b, in, out)
			b.StopTimer()
			in.Close()
			cmd.Wait()
			b.StartTimer()
		}
	})
	b.Run("Keeper", func(b *testing.B) {
		k := New()
		var stopping time.Duration
		for b.Loop() {
			p, err := k.Start(b.Context(), Spec{Path: "/bin/cat"})
			if err != nil {
				b.Fatal(err)
			}
			answer(b, p.Stdin(), p.Stdout())
			b.StopTimer()
			begin := time.Now()
			p.Stop(deadline)
			stopping += time.Since(begin)
			b.StartTimer()
		}
		b.ReportMetric(float64(stopping.Nanoseconds())/float64(b.N), "stop-ns/op")
	})
}
