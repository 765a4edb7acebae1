package root

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// portable is the door that os.Root keeps. It follows links that stay inside
// without saying so. Without a root it opens absolute paths.
type portable struct {
	dir    string
	root   *os.Root
	closed atomic.Bool
}

func openPortable(dir string) (in, out door, err error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	return &portable{dir: dir, root: r}, new(portable), nil
}

// local is name as the system writes it.
func (p *portable) local(name string) (string, error) {
	if p.closed.Load() {
		return "", fs.ErrClosed
	}
	if p.root == nil {
		return name, nil
	}
	local, err := filepath.Localize(name)
	if err != nil {
		return "", fs.ErrInvalid
	}
	return local, nil
}

// start opens name without waiting for it, and says what it is.
func (p *portable) start(name string, want Kind) (*os.File, fact, error) {
	local, err := p.local(name)
	if err != nil {
		return nil, fact{}, err
	}
	open := os.OpenFile
	if p.root != nil {
		open = p.root.OpenFile
	}
	file, err := open(local, os.O_RDONLY|unblocked, 0)
	if err != nil {
		return nil, fact{}, bare(err)
	}
	f, err := stream{file}.stat()
	if err == nil {
		err = f.fits(want)
	}
	if err != nil {
		file.Close()
		return nil, f, err
	}
	return file, f, nil
}

func (p *portable) read(name string, limit int64) ([]byte, fact, error) {
	file, _, err := p.start(name, File)
	if err != nil {
		return nil, fact{}, err
	}
	defer file.Close()
	data, f, err := readAll(stream{file}, limit)
	return data, f, bare(err)
}

func (p *portable) list(name string, from *origin, _ bool) ([]fs.DirEntry, fact, error) {
	file, f, err := p.start(name, Dir)
	if err != nil {
		return nil, f, err
	}
	defer file.Close()
	found, err := file.ReadDir(-1)
	if err != nil {
		return nil, f, bare(err)
	}
	out := make([]fs.DirEntry, len(found))
	for i, e := range found {
		out[i] = &entry{from, e.Name(), e.Type()}
	}
	slices.SortFunc(out, func(x, y fs.DirEntry) int { return strings.Compare(x.Name(), y.Name()) })
	return out, f, nil
}

func (p *portable) survey(name string, most int) ([]info, error) {
	file, _, err := p.start(name, Dir)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found, err := file.ReadDir(-1)
	if err != nil {
		return nil, bare(err)
	}
	if len(found) > most {
		return nil, ErrCrowded
	}
	out := make([]info, 0, len(found))
	for _, e := range found {
		switch f, _, err := p.look(path.Join(name, e.Name())); {
		case err == nil:
			out = append(out, info{e.Name(), f})
		case !errors.Is(err, fs.ErrNotExist): // else it went meanwhile
			return nil, err
		}
	}
	slices.SortFunc(out, func(x, y info) int { return strings.Compare(x.name, y.name) })
	return out, nil
}

func (p *portable) open(name string) (handle, fact, error) {
	file, f, err := p.start(name, either)
	if err != nil {
		return nil, f, err
	}
	if f.kind() == Dir {
		return nil, f, file.Close()
	}
	return file, f, nil
}

func (p *portable) look(name string) (fact, string, error) {
	local, err := p.local(name)
	if err != nil {
		return fact{}, "", err
	}
	lstat, readlink := os.Lstat, os.Readlink
	if p.root != nil {
		lstat, readlink = p.root.Lstat, p.root.Readlink
	}
	i, err := lstat(local)
	if err != nil {
		return fact{}, "", bare(err)
	}
	f := factOf(i)
	if f.kind() != Link {
		return f, "", nil
	}
	target, err := readlink(local)
	return f, target, bare(err)
}

func (p *portable) check(name string) (fact, error) {
	if p.closed.Load() {
		return fact{}, fs.ErrClosed
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.dir, filepath.FromSlash(name))
	}
	i, err := os.Lstat(name)
	if err != nil {
		return fact{}, bare(err)
	}
	return factOf(i), nil
}

// suspect is true for all but a clear answer: os.Root does not tell a link
// that leads outside from other faults.
func (p *portable) suspect(err error) bool {
	switch err.(type) {
	case *KindError, *TooLargeError:
		return false
	}
	return !errors.Is(err, fs.ErrClosed) && !errors.Is(err, fs.ErrInvalid)
}

func (p *portable) close() error {
	p.closed.Store(true)
	if p.root == nil {
		return nil
	}
	return p.root.Close()
}

// stream is an os.File to be read whole.
type stream struct{ *os.File }

func (s stream) stat() (fact, error) {
	i, err := s.Stat()
	if err != nil {
		return fact{}, bare(err)
	}
	return factOf(i), nil
}

func (s stream) pread(p []byte, off int64) (int, error) {
	n, err := s.ReadAt(p, off)
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// bare is what went wrong, without the operation and the path.
func bare(err error) error {
	if e, ok := err.(*fs.PathError); ok {
		return e.Err
	}
	return err
}
