package host

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Write does what was planned, and says what was done. What cannot be done to one
// file is told with it and stops no other. It ends early when ctx does, between
// two files, and then returns the error of ctx beside what was done until then.
func (m *Mending) Write(ctx context.Context) ([]Mended, error) {
	done := []Mended{}
	for _, p := range m.inOrder() {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		one := p.told()
		if p.fault == "" {
			p.write(&one)
		}
		done = append(done, one)
	}
	return done, nil
}

// write puts a file in place as it was planned. What goes wrong is said in one.
func (p *mending) write(one *Mended) {
	dir, err := os.OpenRoot(p.base)
	if err == nil {
		defer dir.Close()
		if !bytes.Equal(p.data, p.now) {
			err = replace(dir, p.rel, p.was, p.data, p.now)
		}
	}
	half := false
	if name := filepath.Base(p.real); err == nil && p.name != name {
		half = !bytes.Equal(p.data, p.now)
		err = renameOwn(dir, p.rel, filepath.Join(filepath.Dir(p.rel), p.name))
	}
	switch {
	case err == nil:
	case half:
		one.Fault, one.Failed, one.To = "its text was mended, and it has its old name still: "+err.Error(), true, ""
	default:
		*one = Mended{Path: one.Path, Codes: []string{}, Fault: err.Error(), Failed: true}
	}
}

// mostMended is the largest file that is mended.
const mostMended = 8 << 20

// readOwn reads a regular file.
func readOwn(root *os.Root, rel string) (fs.FileInfo, []byte, error) {
	info, err := root.Lstat(rel)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("read it: %w", err)
	case !info.Mode().IsRegular():
		return nil, nil, errors.New("it is a link, or no regular file; mend what it leads to")
	case info.Size() > mostMended:
		return nil, nil, errors.New("it is too large; mend it by hand")
	}
	data, err := root.ReadFile(rel)
	if err != nil {
		return nil, nil, fmt.Errorf("read it: %w", err)
	}
	return info, data, nil
}

// replace puts other content in the place of a file, at once and with the same
// mode and owner, unless the file is not what was read any more.
func replace(root *os.Root, rel string, was fs.FileInfo, data, now []byte) (err error) {
	name := filepath.Join(filepath.Dir(rel), ".mortise-"+strings.ToLower(rand.Text())) // what a killed run left is in nobody's way
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write beside it: %w; make its directory writable, or mend it by hand", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Remove(name))
		}
	}()
	if _, err = f.Write(now); err == nil {
		err = f.Sync()
	}
	if err != nil {
		err = fmt.Errorf("%w; make room there, or mend it by hand", err)
	} else {
		err = like(f, was)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write beside it: %w", err)
	}
	is, again, err := readOwn(root, rel)
	if err == nil && (!os.SameFile(was, is) || !bytes.Equal(again, data) || is.Mode() != was.Mode()) {
		err = errors.New("it was changed meanwhile; look again")
	}
	if err != nil {
		return err
	}
	if err := root.Rename(name, rel); err != nil {
		return fmt.Errorf("put it in place: %w; make its directory writable, or mend it by hand", err)
	}
	return nil
}

// modeBits are those of a mode that a file keeps.
const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// like gives a file the owner, the group and the mode that another one has.
func like(f *os.File, was fs.FileInfo) error {
	if err := keepOwner(f, was); err != nil {
		return fmt.Errorf("%w; mend it as its owner", err)
	}
	if err := f.Chmod(was.Mode() & modeBits); err != nil { // after the owner, whose change takes some bits away
		return fmt.Errorf("keep its mode: %w", err)
	}
	is, err := f.Stat()
	if err == nil && is.Mode() != was.Mode() {
		err = fmt.Errorf("its mode %s cannot be kept, and it would be %s; mend it by hand", was.Mode(), is.Mode())
	}
	return err
}

// renameOwn gives a file another name, unless another file has that.
func renameOwn(root *os.Root, from, to string) error {
	was, err := root.Lstat(from)
	if err != nil {
		return fmt.Errorf("rename it: %w", err)
	}
	switch is, err := root.Lstat(to); {
	case err == nil && !os.SameFile(was, is): // else the file system takes both names for one
		return taken(path.Base(filepath.ToSlash(to)))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("rename it: %w", err)
	}
	if err := root.Rename(from, to); err != nil {
		return fmt.Errorf("rename it: %w; make its directory writable, or rename it to %s by hand", err, ext.Quote(path.Base(filepath.ToSlash(to))))
	}
	return nil
}
