//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// screen is mortise in a terminal, with a person in front of it.
type screen struct {
	testing.TB
	*process
	tty *os.File
}

// openTerminal starts mortise in a terminal; it is ended with the test.
func openTerminal(t testing.TB, p place, args ...string) screen {
	t.Helper()
	cmd := p.command(context.Background(), args...)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "NO_COLOR=1")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 200})
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	tty = closable(t, tty)
	seen := newTranscript()
	s := screen{t, &process{cmd: cmd, stdout: seen, stderr: seen, ended: make(chan struct{})}, tty}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(seen, tty) // until the end, which is an error on Linux
	}()
	go func() {
		defer close(s.ended)
		_ = cmd.Wait() // its state says how it ended
		<-read
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		tty.Close()
		<-s.ended
	})
	return s
}

// closable is a terminal whose Close really closes it, although somebody reads.
func closable(t testing.TB, tty *os.File) *os.File {
	t.Helper()
	fd, err := unix.FcntlInt(tty.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err := errors.Join(err, tty.Close()); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "terminal")
}

// shows waits until something is shown, and returns what.
func (s screen) shows(pattern string) string {
	s.Helper()
	m, err := s.said(s.stdout, pattern)
	if err != nil {
		s.Fatal(err)
	}
	return m[0]
}

// types types a line.
func (s screen) types(line string) {
	s.Helper()
	if _, err := io.WriteString(s.tty, line+"\n"); err != nil {
		s.Fatal(err)
	}
}

// hangUp closes the terminal.
func (s screen) hangUp() {
	s.Helper()
	if err := s.tty.Close(); err != nil {
		s.Fatal(err)
	}
}

// exits wants it to end by itself with an exit code, and returns all that was
// shown.
func (s screen) exits(want int) string {
	s.Helper()
	code, err := s.end(0)
	if err != nil || code != want {
		s.Fatalf("mortise %q: got exit code %d, %v, want %d\n%s", s.cmd.Args[1:], code, err, want, s.stdout)
	}
	return s.stdout.String()
}

// times is how often something was shown.
func times(text, pattern string) int { return len(regexp.MustCompile(pattern).FindAllString(text, -1)) }
