package spinetest

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Touched tells what is done to the files below a directory.
type Touched struct {
	fd   int
	dirs map[int32]string
}

// Touch is one thing that was done to a file.
type Touch struct {
	Path string // below the directory, as the system writes paths
	Mask uint32 // as inotify has it
}

// Watch asks the system for events of a mask. It skips the test where the system
// tells none.
func Watch(t *testing.T, dir string, mask uint32) *Touched {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Skip("no inotify here: ", err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	w := &Touched{fd, map[int32]string{}}
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		id, err := unix.InotifyAddWatch(fd, name, mask)
		rel, _ := filepath.Rel(dir, name)
		w.dirs[int32(id)] = rel
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Since is what was done since it was last asked, in order, but for what was done
// to directories.
func (w *Touched) Since(t *testing.T) []Touch {
	t.Helper()
	var out []Touch
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(w.fd, buf)
		if err == unix.EAGAIN {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		for rest := buf[:n]; len(rest) > 0; {
			id, mask := int32(binary.NativeEndian.Uint32(rest)), binary.NativeEndian.Uint32(rest[4:])
			size := binary.NativeEndian.Uint32(rest[12:])
			name, _, _ := bytes.Cut(rest[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+size], []byte{0})
			if mask&unix.IN_Q_OVERFLOW != 0 {
				t.Fatal("more was done than can be told")
			}
			if mask&unix.IN_ISDIR == 0 {
				out = append(out, Touch{filepath.Join(w.dirs[id], string(name)), mask})
			}
			rest = rest[unix.SizeofInotifyEvent+size:]
		}
	}
}
