package discover_test

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// reads tells which files below a directory were read since it was last asked,
// by their paths there, each once.
type reads struct {
	fd   int
	dirs map[int32]string
}

func watch(t *testing.T, dir string) *reads {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Skip("no inotify here: ", err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	r := &reads{fd, map[int32]string{}}
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		id, err := unix.InotifyAddWatch(fd, name, unix.IN_ACCESS)
		rel, _ := filepath.Rel(dir, name)
		r.dirs[int32(id)] = rel
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *reads) since(t *testing.T) []string {
	t.Helper()
	out := []string{}
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(r.fd, buf)
		if err == unix.EAGAIN {
			slices.Sort(out)
			return slices.Compact(out)
		}
		if err != nil {
			t.Fatal(err)
		}
		for rest := buf[:n]; len(rest) > 0; {
			id, mask := int32(binary.NativeEndian.Uint32(rest)), binary.NativeEndian.Uint32(rest[4:])
			size := binary.NativeEndian.Uint32(rest[12:])
			name, _, _ := bytes.Cut(rest[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+size], []byte{0})
			if mask&unix.IN_Q_OVERFLOW != 0 {
				t.Fatal("more was read than can be told")
			}
			if mask&unix.IN_ISDIR == 0 {
				out = append(out, filepath.Join(r.dirs[id], string(name)))
			}
			rest = rest[unix.SizeofInotifyEvent+size:]
		}
	}
}
