package root

import (
	"io"
	"io/fs"
	"path"
)

// file is an open regular file: it can be read, and nothing else.
type file struct {
	root *Root
	f    handle
	name string
}

// folder is an open directory. It is listed when it is first asked for entries.
type folder struct {
	root   *Root
	name   string
	info   info
	listed bool
	rest   []fs.DirEntry
	closed bool
}

// newFile is what Open returns: f, or the directory that a nil f stands for.
func newFile(r *Root, name string, f handle, at fact) fs.File {
	if f != nil {
		return &file{r, f, name}
	}
	return &folder{root: r, name: name, info: info{path.Base(name), at}}
}

func (f *file) Seek(off int64, whence int) (int64, error) { return f.f.Seek(off, whence) }
func (f *file) Close() error                              { return f.f.Close() }

func (f *file) Read(p []byte) (int, error) {
	n, err := f.f.Read(p)
	f.root.shaken.note(err)
	return n, err
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.f.ReadAt(p, off)
	f.root.shaken.note(err)
	return n, err
}

func (f *file) WriteTo(w io.Writer) (int64, error) {
	n, err := f.f.WriteTo(w)
	f.root.shaken.note(err)
	return n, err
}

func (f *file) Stat() (fs.FileInfo, error) {
	i, err := f.f.Stat()
	if err != nil {
		return nil, f.root.failure("stat", f.name, err)
	}
	return &info{path.Base(f.name), factOf(i)}, nil
}

func (d *folder) Stat() (fs.FileInfo, error) {
	if d.closed {
		return nil, failure("stat", d.name, fs.ErrClosed)
	}
	return &d.info, nil
}

func (d *folder) Read([]byte) (int, error) {
	return 0, failure("read", d.name, &KindError{Type: fs.ModeDir, Want: File})
}

func (d *folder) Close() error {
	if d.closed {
		return failure("close", d.name, fs.ErrClosed)
	}
	d.closed, d.rest = true, nil
	return nil
}

// ReadDir returns the next n entries, or all that are left when n is not
// positive.
func (d *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	if d.closed {
		return nil, failure("list", d.name, fs.ErrClosed)
	}
	if !d.listed {
		all, err := d.root.ReadDir(d.name)
		if err != nil {
			return nil, err
		}
		d.rest, d.listed = all, true
	}
	if n > 0 && len(d.rest) == 0 {
		return nil, io.EOF
	}
	if n <= 0 || n > len(d.rest) {
		n = len(d.rest)
	}
	next := d.rest[:n:n]
	d.rest = d.rest[n:]
	return next, nil
}
