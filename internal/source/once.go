package source

import (
	"errors"
	"io/fs"
	"path"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
)

// once is a tree's file system while the tree is laid out. A file is opened and
// a directory listed once, however many formats and places lead to it. It is
// for one goroutine.
type once struct {
	fs.FS
	contents map[string]Content // by name
	laxer    map[laxly]Content  // of JSON that was not read as JSON alone
	parsed   map[laxly]Content  // by where a file really lies
	files    map[string]opened  // by where a file really lies
	listings map[string]listed
	looks    map[string]looked
	lies     map[string]string // where a name's file really lies
	layings  map[*ext.Tree]*Laying
}

// laxly is a file, and how it is read.
type laxly struct {
	name string
	lax  doc.Lax
}

type opened struct {
	data  []byte
	leads string
	err   error
}

type looked struct {
	info fs.FileInfo
	err  error
}

type listed struct {
	entries []fs.DirEntry
	err     error
}

func newOnce(fsys fs.FS) *once {
	return &once{
		FS: fsys, contents: map[string]Content{}, laxer: map[laxly]Content{}, parsed: map[laxly]Content{}, files: map[string]opened{},
		listings: map[string]listed{}, looks: map[string]looked{}, lies: map[string]string{}, layings: map[*ext.Tree]*Laying{},
	}
}

// content is the file at o.Path as it was read, and is read the first time.
func (f *once) content(o ext.Origin, limits ext.Limits, lax doc.Lax) Content {
	if c, ok := f.contents[o.Path]; ok && lax == 0 {
		return c
	}
	c, ok := f.laxer[laxly{o.Path, lax}]
	if !ok {
		c = f.parse(o, limits, lax)
		if lax == 0 {
			f.contents[o.Path] = c
		} else {
			f.laxer[laxly{o.Path, lax}] = c
		}
	}
	return c
}

// parse reads a file. One of several names is read once, and its nodes are of
// the name that was asked for first: links cost next to nothing, and what a file
// is read into costs many times what the file does.
func (f *once) parse(o ext.Origin, limits ext.Limits, lax doc.Lax) Content {
	at := laxly{f.real(o.Path) + path.Ext(o.Path), lax}
	c, ok := f.parsed[at]
	if !ok {
		c = read(f, o, limits, lax)
		if !c.Lost {
			f.parsed[at] = c
		}
	}
	return c
}

// real is where a file really lies, as far as that can be told; else its name.
// Asking costs about what reading does: the first names are not asked about,
// since so few files may be read more than once.
func (f *once) real(name string) string {
	const few = 64
	at, ok := f.lies[name]
	if ok {
		return at
	}
	at = name
	if len(f.lies) >= few {
		if real, ok := Real(f.FS, name); ok {
			at = real
		}
	}
	f.lies[name] = at
	return at
}

// ReadFrom reads a file, or knows what was read of it. Who asks for less than
// another got is told what a file system would have told them.
func (f *once) ReadFrom(name string, limit int64) (data []byte, outside string, err error) {
	at := f.real(name)
	was, ok := f.files[at]
	if !ok {
		was.data, was.leads, was.err = readFrom(f.FS, name, limit)
		if was.err == nil {
			f.files[at] = was
		}
	}
	if was.err == nil && int64(len(was.data)) > limit {
		return nil, "", tooLarge(name, int64(len(was.data)), limit)
	}
	return was.data, was.leads, was.err
}

// ReadDir lists a directory once.
func (f *once) ReadDir(name string) ([]fs.DirEntry, error) {
	l, ok := f.listings[name]
	if !ok {
		l.entries, l.err = fs.ReadDir(f.FS, name)
		f.listings[name] = l
	}
	return l.entries, l.err
}

// Stat is the file system's own.
func (f *once) Stat(name string) (fs.FileInfo, error) { return fs.Stat(f.FS, name) }

// Type is the file system's own.
func (f *once) Type(name string) (fs.FileMode, error) { return Type(f.FS, name) }

// Lstat is the file system's own, asked once for a name.
func (f *once) Lstat(name string) (fs.FileInfo, error) {
	is, ok := f.looks[name]
	if !ok {
		is.info, is.err = fs.Lstat(f.FS, name)
		f.looks[name] = is
	}
	return is.info, is.err
}

// ReadLink is the file system's own.
func (f *once) ReadLink(name string) (string, error) { return fs.ReadLink(f.FS, name) }

// Real is the file system's own, where it has links.
func (f *once) Real(name string) (file string, outside bool, err error) {
	if r, ok := f.FS.(interface {
		Real(name string) (string, bool, error)
	}); ok {
		return r.Real(name)
	}
	return name, false, errors.ErrUnsupported
}

// settle gives the places whose files were read while the tree was laid out
// what was read there, so that nobody opens them again.
func (f *once) settle(t *ext.Tree) {
	told := map[string]bool{}
	for i := range t.Places {
		p := &t.Places[i]
		c, ok := f.contents[p.File]
		if !ok || p.Doc != nil || p.Fault != nil || c.Leads != "" || c.BodyLine != 0 {
			continue
		}
		if c.Lost || c.Findings.Failed() {
			fault := Worst(c.Findings)
			p.Fault = &fault
			continue
		}
		p.Doc = &c.Doc
		if !told[p.File] {
			told[p.File] = true
			t.Findings.Add(c.Findings...)
		}
	}
}

// Worst is the first error among findings, the last finding where there is none.
// There must be one.
func Worst(fs ext.Findings) ext.Finding {
	for _, f := range fs {
		if f.Check.Severity == ext.Error {
			return f
		}
	}
	return fs[len(fs)-1]
}
