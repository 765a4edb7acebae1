package scribe

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// placed are files that were put into a working tree, and can be taken back.
type placed struct {
	root *os.Root
	done []File
	dirs []string // that were made, the outermost first
}

// place puts files into a directory. When it fails nothing is changed.
func place(dir string, files []File) (*placed, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	p := &placed{root: root}
	for _, f := range files {
		if err := p.put(f); err != nil {
			return nil, errors.Join(p.back(fmt.Errorf("write %s: %w", ext.Quote(f.Path), err)), root.Close())
		}
	}
	return p, nil
}

func (p *placed) close() { p.root.Close() }

func (p *placed) put(f File) error {
	if err := p.above(f.Path); err != nil {
		return err
	}
	had, err := read(p.root, f.Path, int64(max(len(f.Was), 2*len(f.Data))))
	switch {
	case err == nil && same(had, f.Data):
		return nil // of a try that was ended before it was committed
	case f.Was != nil:
		err = replace(p.root, f.Path, f.Was, f.Data)
	case errors.Is(err, fs.ErrNotExist):
		err = create(p.root, f.Path, f.Data)
	default:
		err = changed(f.Path, "is there already; choose another name")
	}
	if err == nil {
		p.done = append(p.done, f)
	}
	return err
}

// above makes the directories above a path. None may be a link.
func (p *placed) above(name string) error {
	dir := path.Dir(name)
	if dir == "." {
		return nil
	}
	if err := p.above(dir); err != nil {
		return err
	}
	info, err := p.root.Lstat(dir)
	switch {
	case err == nil && !info.IsDir():
		return ext.AsRefused(fmt.Errorf("%s is no directory of its own", ext.Quote(dir)))
	case errors.Is(err, fs.ErrNotExist):
		if err = p.root.Mkdir(dir, 0o777); err == nil {
			p.dirs = append(p.dirs, dir)
		}
	}
	return err
}

// back takes back what was written, where it still is that, and is why, with what could not
// be taken back.
func (p *placed) back(why error) error {
	for i := len(p.done) - 1; i >= 0; i-- {
		f := p.done[i]
		var err error
		if f.Was != nil {
			err = replace(p.root, f.Path, f.Data, f.Was)
		} else if had, e := read(p.root, f.Path, int64(len(f.Data))); e == nil && bytes.Equal(had, f.Data) {
			err = p.root.Remove(f.Path)
		}
		if err != nil {
			why = fmt.Errorf("%w; and %s stays as it was written: %w", why, ext.Quote(f.Path), err)
		}
	}
	for i := len(p.dirs) - 1; i >= 0; i-- {
		p.root.Remove(p.dirs[i]) //nolint:errcheck // one that others use meanwhile stays
	}
	return why
}

// read is a regular file of at most so many bytes, which is no link.
func read(root *os.Root, name string, most int64) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ext.AsRefused(fmt.Errorf("%s is no file of its own, but %s", ext.Quote(name), word(info.Mode())))
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d bytes", ext.Quote(name), most)
	}
	return data, err
}

func word(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeSymlink != 0:
		return "a link"
	}
	return "something else"
}

// replace puts a file in the place of one that is what it was: it is written beside, is on
// the disk, and is renamed.
func replace(root *os.Root, name string, was, data []byte) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	beside, err := stage(root, name, data, info.Mode().Perm())
	if err != nil {
		return err
	}
	now, err := read(root, name, int64(len(was)))
	switch {
	case err != nil || !bytes.Equal(now, was):
		err = changed(name, "was changed meanwhile; do it again")
	default:
		err = root.Rename(beside, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(beside))
	}
	return settle(root, name)
}

// create makes a file that must not be there.
func create(root *os.Root, name string, data []byte) error {
	const mode = 0o666
	beside, err := stage(root, name, data, mode)
	if err != nil {
		return err
	}
	if err = root.Link(beside, name); errors.Is(err, fs.ErrExist) {
		err = changed(name, "is there already; choose another name")
	} else if err != nil { // a file system without links
		err = root.Rename(beside, name)
		beside = ""
	}
	if beside != "" {
		err = errors.Join(err, root.Remove(beside))
	}
	if err != nil {
		return err
	}
	return settle(root, name)
}

// staging begins the names of what is written beside a file.
const staging = ".mortise-new-"

// stage writes what a file is to be beside it. What a killed one left there goes.
func stage(root *os.Root, name string, data []byte, mode fs.FileMode) (string, error) {
	sweep(root, path.Dir(name), data)
	beside := path.Join(path.Dir(name), staging+strings.ToLower(rand.Text()))
	f, err := root.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil && mode != 0o666 {
		err = root.Chmod(beside, mode) // whatever is taken from new files
	}
	if err != nil {
		return "", errors.Join(err, root.Remove(beside))
	}
	return beside, nil
}

// sweep removes what a killed writer of the same file left beside it: what is called so and
// holds the beginning of what is written now.
func sweep(root *os.Root, dir string, data []byte) {
	at, err := root.Open(dir)
	if err != nil {
		return
	}
	defer at.Close()
	names, err := at.Readdirnames(-1)
	if err != nil {
		return
	}
	for _, n := range names {
		n := path.Join(dir, n)
		if !strings.HasPrefix(path.Base(n), staging) {
			continue
		}
		if had, err := read(root, n, int64(len(data))); err == nil && bytes.HasPrefix(data, had) {
			root.Remove(n) //nolint:errcheck // the next one tries again
		}
	}
}

// settle has a name be on the disk.
func settle(root *os.Root, name string) error {
	if runtime.GOOS == "windows" { // which does not open directories so
		return nil
	}
	dir, err := root.Open(path.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
