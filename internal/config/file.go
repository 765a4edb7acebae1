package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// maxFile is the largest configuration file that is read: far more than people
// write, and little enough that the checks of the TOML library, whose time grows
// with the square of the keys in a table, stay short.
const maxFile = 256 << 10

// content is one configuration file as it was read.
type content struct {
	layer Layer
	file  string // as findings name it
	dir   string // relative paths of plugins start here
	data  []byte
	fault error // why it cannot be read
}

// Files are the texts of the workspace's configuration files. A nil text is a
// file that was not there or could not be read.
type Files struct {
	Shared *string `json:"shared,omitempty"`
	Local  *string `json:"local,omitempty"`
}

// filesOf are the workspace's among the files that were read.
func filesOf(all []content) Files {
	var f Files
	for _, c := range all {
		text := string(c.data)
		switch {
		case c.fault != nil:
		case c.layer == Shared:
			f.Shared = &text
		case c.layer == Local:
			f.Local = &text
		}
	}
	return f
}

// as is the file as it was instead of as it is now.
func (f *Files) as(dir string, l Layer, name string) content {
	text := f.Shared
	if l == Local {
		text = f.Local
	}
	if text == nil {
		return content{layer: l, file: name, dir: dir, fault: fs.ErrNotExist}
	}
	return content{layer: l, file: name, dir: dir, data: []byte(*text)}
}

// contents reads the files that exist.
func contents(in Inputs) []content {
	own := fromWorkspace
	if in.Instead != nil {
		own = in.Instead.as
	}
	all := []content{
		own(in.Workspace.Dir, Shared, SharedFile),
		own(in.Workspace.Dir, Local, LocalFile),
		fromPath(User, in.User),
		fromPath(Managed, in.Managed),
	}
	there := all[:0]
	for _, c := range all {
		if c.file != "" && !errors.Is(c.fault, fs.ErrNotExist) {
			there = append(there, c)
		}
	}
	return there
}

// fromWorkspace reads a file of the workspace; a link that leads out of it is
// not followed, because a workspace is not believed before it was adopted.
func fromWorkspace(dir string, l Layer, name string) content {
	c := content{layer: l, file: name, dir: dir}
	root, err := os.OpenRoot(dir)
	if err != nil {
		c.fault = err
		return c
	}
	defer root.Close()
	c.data, c.fault = readIn(root, name)
	return c
}

func readIn(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, linked(root, name, err)
	}
	f, err := openRegular(name, info, root.Open)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readBounded(f, name, maxFile)
}

// linked says in plain words why a link cannot be followed. Any other error it
// leaves as it is.
func linked(root *os.Root, name string, err error) error {
	info, there := root.Lstat(name)
	switch {
	case there != nil || info.Mode()&fs.ModeSymlink == 0:
		return err
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it is a link that leads nowhere")
	case strings.Contains(err.Error(), "escapes"): // the error of os.Root has no name
		return errors.New("it is a link that leads out of the workspace, or is written as an absolute path; it is not followed")
	}
	return err
}

func fromPath(l Layer, name string) content {
	if name == "" {
		return content{}
	}
	c := content{layer: l, file: filepath.ToSlash(name), dir: filepath.Dir(name)}
	c.data, c.fault = readSmall(name, maxFile)
	return c
}

// explain is the text of err, safe to print: what the system says has the
// file's name in it as it is.
func explain(err error) string {
	if fault := (*fs.PathError)(nil); errors.As(err, &fault) {
		return fmt.Sprintf("%s %s: %s", fault.Op, ext.Quote(filepath.ToSlash(fault.Path)), ext.Escape(fault.Err.Error()))
	}
	return err.Error()
}
