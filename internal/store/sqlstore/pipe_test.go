//go:build unix

package sqlstore_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// What is no regular file is an error at once. Opening a named pipe would wait
// for somebody who writes into it, and hang every command.
func TestWhatIsNoFileIsNotWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		lay  func(path string) error
		want string
	}{
		"a named pipe":           {func(p string) error { return syscall.Mkfifo(p, 0o600) }, "a named pipe"},
		"a link to a named pipe": {func(p string) error { return linkToPipe(p) }, "a named pipe"},
		"a directory":            {func(p string) error { return os.Mkdir(p, 0o700) }, "a directory"},
		"a device":               {func(p string) error { return os.Symlink("/dev/zero", p) }, "a device"},
		"a socket":               {socket, "a socket"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			if err := c.lay(path); err != nil {
				t.Skip(err)
			}
			refusesAtOnce(t, path, c.want)
		})
	}
	for _, end := range []string{"-wal", "-shm", "-journal"} {
		t.Run("a named pipe as "+end, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			s := open(t, path)
			put(t, s, state.Switch{Extension: "acme"})
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path+end, 0o600); err != nil {
				t.Skip(err)
			}
			refusesAtOnce(t, path, "a named pipe")
		})
	}
}

func linkToPipe(path string) error {
	if err := syscall.Mkfifo(path+"-pipe", 0o600); err != nil {
		return err
	}
	return os.Symlink(path+"-pipe", path)
}

func socket(path string) error {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return l.Close()
}

// refusesAtOnce wants an error that says what is at path, however it is opened.
func refusesAtOnce(t *testing.T, path, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for name, try := range map[string]func() error{
		"Open": func() error { _, err := sqlstore.Open(ctx, path); return err },
		"Peek": func() error { _, err := sqlstore.Peek(ctx, path); return err },
	} {
		done := make(chan error, 1)
		go func() { done <- try() }()
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got error %v, want one that says %q", name, err, want)
			}
		case <-ctx.Done():
			t.Errorf("%s: still waiting, want an error at once", name)
		}
	}
}
