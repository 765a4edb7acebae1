package root

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Changes are files as they would be: a Root that is opened with them answers as
// if they had been made, and writes nothing. All are set before anything is
// opened with them. What was changed has no stamp that could be known again.
type Changes struct {
	texts map[string][]byte            // by where a file lies
	names map[string]map[string]string // by directory: the names that files lie by, and would have
	lies  map[string]string            // by where a file would lie: where it lies
}

// Set says what a regular file at an absolute path, no link on the way, would
// hold, and which name it would have in its directory, one that nothing has
// there: "" for the one that it has.
func (c *Changes) Set(file string, data []byte, name string) {
	if c.texts == nil {
		c.texts, c.names, c.lies = map[string][]byte{}, map[string]map[string]string{}, map[string]string{}
	}
	c.texts[file] = data
	dir, base := filepath.Split(file)
	if dir = filepath.Clean(dir); name == "" || name == base {
		return
	}
	if c.names[dir] == nil {
		c.names[dir] = map[string]string{}
	}
	c.names[dir][base] = name
	c.lies[filepath.Join(dir, name)] = file
}

// changed is a door that answers as if changes had been made.
type changed struct {
	door
	dir string // what names are below; "" where they are absolute
	as  *Changes
}

// behind are doors that answer as if changes had been made, where there are any.
func (o Options) behind(dir string, in, out door) (door, door) {
	if o.Changes == nil {
		return in, out
	}
	return &changed{in, dir, o.Changes}, &changed{out, "", o.Changes}
}

// path is the absolute path of a name.
func (c *changed) path(name string) string {
	if c.dir == "" {
		return name
	}
	return filepath.Join(c.dir, filepath.FromSlash(name))
}

// lie is the name by which lies what would lie at name, and what it would hold;
// is reports whether that is set.
func (c *changed) lie(name string) (now string, data []byte, is bool, err error) {
	file := c.path(name)
	if lies, ok := c.as.lies[file]; ok {
		file, now = lies, path.Join(path.Dir(name), filepath.Base(lies))
		if c.dir == "" {
			now = lies
		}
	} else if _, away := c.as.names[filepath.Dir(file)][filepath.Base(file)]; away {
		return "", nil, false, fs.ErrNotExist
	} else {
		now = name
	}
	data, is = c.as.texts[file]
	return now, data, is, nil
}

// holding is the fact of a file that would hold data.
func (f fact) holding(data []byte) fact {
	f.size, f.coarse = int64(len(data)), true
	return f
}

func (c *changed) read(name string, limit int64) ([]byte, fact, error) {
	now, data, is, err := c.lie(name)
	switch {
	case err != nil:
		return nil, fact{}, err
	case !is:
		return c.door.read(now, limit)
	}
	f, _, err := c.door.look(now)
	if err == nil {
		err = f.fits(File)
	}
	if err == nil && int64(len(data)) > limit {
		err = &TooLargeError{Size: int64(len(data)), Max: limit}
	}
	if err != nil {
		return nil, f, err
	}
	return slices.Clone(data), f.holding(data), nil
}

func (c *changed) list(name string, from *origin, mark bool) ([]fs.DirEntry, fact, error) {
	entries, f, err := c.door.list(name, from, mark)
	named := c.as.names[c.path(name)]
	if err != nil || named == nil {
		return entries, f, err
	}
	for i, e := range entries {
		if to, ok := named[e.Name()]; ok {
			entries[i] = &entry{from, to, e.Type()}
		}
	}
	slices.SortFunc(entries, func(x, y fs.DirEntry) int { return strings.Compare(x.Name(), y.Name()) })
	return entries, f, nil
}

func (c *changed) survey(name string, most int) ([]info, error) {
	found, err := c.door.survey(name, most)
	dir := c.path(name)
	for i := range found {
		if data, is := c.as.texts[filepath.Join(dir, found[i].name)]; is {
			found[i].fact = found[i].holding(data)
		}
		if to, ok := c.as.names[dir][found[i].name]; ok {
			found[i].name = to
		}
	}
	slices.SortFunc(found, func(x, y info) int { return strings.Compare(x.name, y.name) })
	return found, err
}

func (c *changed) open(name string) (handle, fact, error) {
	now, data, is, err := c.lie(name)
	if err != nil {
		return nil, fact{}, err
	}
	h, f, err := c.door.open(now)
	if err != nil || !is || h == nil {
		return h, f, err
	}
	f = f.holding(data)
	return &text{bytes.NewReader(data), info{path.Base(name), f}}, f, h.Close()
}

func (c *changed) look(name string) (fact, string, error) {
	now, data, is, err := c.lie(name)
	if err != nil {
		return fact{}, "", err
	}
	f, target, err := c.door.look(now)
	if is && err == nil {
		f = f.holding(data)
	}
	return f, target, err
}

func (c *changed) check(name string) (fact, error) {
	now, data, is, err := c.lie(name)
	if err != nil {
		return fact{}, err
	}
	f, err := c.door.check(now)
	if is && err == nil {
		f = f.holding(data)
	}
	return f, err
}

// handle is an open file, to be read.
type handle interface {
	io.ReadSeekCloser
	io.ReaderAt
	io.WriterTo
	Stat() (fs.FileInfo, error)
}

var _ handle = (*os.File)(nil)

// text is an open file that holds what it would hold.
type text struct {
	*bytes.Reader
	info info
}

// Stat is the fact of it.
func (t *text) Stat() (fs.FileInfo, error) { return &t.info, nil }

// Close does nothing.
func (t *text) Close() error { return nil }
