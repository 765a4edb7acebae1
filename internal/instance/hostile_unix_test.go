//go:build unix

package instance

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mortise-dev/mortise/internal/child"
)

func TestEverythingIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home", "run")
	r := host(t, dir, space, HTTP).Record()
	p := placeOf(dir, r)
	for path, want := range map[string]fs.FileMode{
		dir: fs.ModeDir | 0o700, p.path(recordEnd): 0o600, p.path(lockEnd): 0o600, r.Socket: fs.ModeSocket | 0o600,
	} {
		info, err := os.Lstat(path)
		if err != nil || info.Mode() != want {
			t.Errorf("%s: got %v, error %v, want %v", path, info.Mode(), err, want)
		}
	}
	if err := os.Chmod(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if _, err := Take(dir, space, Stdio); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("Take in a directory that others can look into: got %v, want an error with what to do", err)
	}
	if _, err := Find(dir, space); err == nil {
		t.Error("Find in a directory that others can look into: got no error, want one")
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

// What lies there and is no record of ours is nothing: no crash, no host,
// nobody is connected to, and nothing is removed outside the directory.
func TestForeignFilesAreNothing(t *testing.T) {
	outside := t.TempDir()
	if err := os.Chmod(outside, 0o700); err != nil {
		t.Fatal(err)
	}
	trap := filepath.Join(outside, "trap.sock")
	l, err := net.Listen("unix", trap)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Error("a socket outside the directory was connected to")
			c.Close()
		}
	}()
	likePrivate := filepath.Join(outside, privatePrefix+"123", privateSocket)
	if err := os.Mkdir(filepath.Dir(likePrivate), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(trap, likePrivate); err != nil {
		t.Skip(err)
	}
	dead := child.Identity{Pid: 1 << 30, Started: 1}
	for _, living := range []bool{true, false} {
		for _, c := range []struct {
			name   string
			change func(r *Record)
			put    func(path string) error // instead of a record
		}{
			{"a socket outside", func(r *Record) { r.Socket = trap }, nil},
			{"a socket outside by a detour", func(r *Record) {
				r.Socket = filepath.Dir(r.Socket) + "/../../../" + filepath.Base(outside) + "/trap.sock"
			}, nil},
			{"a socket in what is named like a private directory", func(r *Record) { r.Socket = likePrivate }, nil},
			{"the directory of temporary files itself", func(r *Record) { r.Socket = "/tmp/" + privateSocket }, nil},
			{"no socket", func(r *Record) { r.Socket = "" }, nil},
			{"another's name", func(r *Record) { r.Workspace = space + "/other" }, nil},
			{"no absolute workspace", func(r *Record) { r.Workspace = "space" }, nil},
			{"another kind", func(r *Record) { r.Kind = Stdio }, nil},
			{"a kind that is none", func(r *Record) { r.Kind = 7 }, nil},
			{"no ID", func(r *Record) { r.ID = "" }, nil},
			{"an ID with a path", func(r *Record) { r.ID = "../../" + r.ID[6:] }, nil},
			{"no token", func(r *Record) { r.Token = "x" }, nil},
			{"no process", func(r *Record) { r.Process.Pid = 0 }, nil},
			{"all processes", func(r *Record) { r.Process.Pid = -1 }, nil},
			{"a process without its start", func(r *Record) { r.Process.Started = 0 }, nil},
			{"no address", func(r *Record) { r.Address = "\x1b[31m" }, nil},

			{"nothing in it", nil, func(path string) error { return os.WriteFile(path, nil, 0o600) }},
			{"half a record", nil, func(path string) error { return os.WriteFile(path, []byte(`{"id": "`), 0o600) }},
			{"no object", nil, func(path string) error { return os.WriteFile(path, []byte(`[1, 2]`), 0o600) }},
			{"endless", nil, func(path string) error { return os.WriteFile(path, make([]byte, mostRecord+1), 0o600) }},
			{"a directory", nil, func(path string) error { return os.Mkdir(path, 0o700) }},
			{"a pipe", nil, func(path string) error { return syscall.Mkfifo(path, 0o600) }},
			{"a link to a device", nil, func(path string) error { return os.Symlink("/dev/zero", path) }},
		} {
			t.Run(c.name, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "run")
				if err := prepare(dir); err != nil {
					t.Fatal(err)
				}
				r := Record{ID: random(16), Workspace: space, Process: dead, Address: "127.0.0.1:1", Token: random(32)}
				if living {
					r.Process = child.Self()
				}
				p := placeOf(dir, r)
				r.Socket = p.path(socketEnd)
				if !p.fits(r) {
					t.Fatal("the record is none before it is changed, want it to be one")
				}
				if c.put == nil {
					c.change(&r)
					err = p.write(r)
				} else {
					err = c.put(p.path(recordEnd))
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := find(t, dir, ""); len(got) > 0 {
					t.Errorf("Find: got %q, want none", got)
				}
				if _, err := os.Lstat(p.path(recordEnd)); err != nil {
					t.Errorf("after Find: got %v, want it left alone", err)
				}
				if c.name == "a directory" { // which nothing can be put in the place of
					return
				}
				own := host(t, dir, space, HTTP)
				if got := find(t, dir, ""); len(got) != 1 || got[0] != own.Record().ID {
					t.Errorf("Find after the workspace was claimed: got %q, want this one", got)
				}
			})
		}
	}
	for _, path := range []string{trap, likePrivate} {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("outside: got %v, want it untouched", err)
		}
	}
}

// What is in the place of the socket and is none is not removed.
func TestFileInPlaceOfTheSocketIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c := claim(t, dir, space, HTTP)
	path := c.place.path(socketEnd)
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Listen(); err == nil || !strings.Contains(err.Error(), "is in the way") {
		t.Errorf("Listen: got %v, want an error that says what is in the way", err)
	}
	if data, err := os.ReadFile(path); string(data) != "mine" {
		t.Errorf("the file: got %q, error %v, want it kept", data, err)
	}
}

func TestFileThatOthersCanReadIsNoRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c := host(t, dir, space, HTTP)
	if err := os.Chmod(c.place.path(recordEnd), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := find(t, dir, space); len(got) > 0 {
		t.Errorf("Find: got %q, want none", got)
	}
	if err := os.Chmod(c.place.path(recordEnd), 0o600); err != nil {
		t.Fatal(err)
	}
}
