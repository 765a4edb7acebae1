package host

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/mend"
)

// Mending mends what a listing's findings offer a fix for. Files below Dirs alone
// are written, and none below Not: those are an extension's from elsewhere.
type Mending struct {
	Dirs []string            // absolute: what the person has, or names
	Not  map[string]ext.Name // absolute directories, and the plugins whose they are
	Dry  bool                // nothing is written
}

// Mended is what was done to a file, or would be.
type Mended struct {
	Path  string   `json:"path"`            // absolute
	To    string   `json:"to,omitempty"`    // the absolute path that it has now, where it got another name
	Codes []string `json:"codes"`           // what was mended, one for each finding
	Diff  string   `json:"diff"`            // unified; "" where the text stays
	Fault string   `json:"fault,omitempty"` // why nothing was done
}

// Run mends each file that has something to mend, in the order of their paths.
// What cannot be done to one file is told with it and stops no other.
func (m Mending) Run(l *Listing) []Mended {
	found := map[string][]mend.Finding{}
	for i := range l.Findings {
		if f := &l.Findings[i]; mend.Offered(f.Code) {
			if p := l.File(f); p != "" {
				found[p] = append(found[p], mend.Finding{Code: f.Code, Line: f.Line, Message: f.Message})
			}
		}
	}
	var out []Mended
	for p, fs := range found {
		if one, any := m.file(p, fs); any {
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b Mended) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// File is the absolute path of what a finding is about; "" where that cannot be
// told.
func (l *Listing) File(f *FindingRow) string {
	name := filepath.FromSlash(f.Path)
	if f.Path == "" || filepath.IsAbs(name) {
		return name
	}
	root := f.Root
	for i := range l.Extensions {
		if x := &l.Extensions[i]; root == "" && x.Name == f.Extension {
			root = x.Root
		}
	}
	if root == "" {
		return ""
	}
	return filepath.Join(root, name)
}

// file mends one file; any is false where nothing of it can be mended.
func (m Mending) file(name string, found []mend.Finding) (done Mended, any bool) {
	done = Mended{Path: name, Codes: []string{}}
	base, rel, err := m.place(name)
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(base)
	}
	if err != nil {
		done.Fault = err.Error()
		return done, true
	}
	defer root.Close()
	was, data, err := readOwn(root, rel)
	if err != nil {
		done.Fault = err.Error()
		return done, true
	}
	r := mend.File(name, data, found)
	if r.Empty() {
		return done, false
	}
	now := r.Apply(data)
	done.Codes, done.Diff = r.Codes, string(diff.Diff(filepath.ToSlash(rel), data, filepath.ToSlash(rel), now))
	if r.Rename != "" {
		done.To = filepath.Join(filepath.Dir(name), r.Rename)
	}
	if m.Dry {
		return done, true
	}
	if !bytes.Equal(now, data) {
		err = replace(root, rel, was, data, now)
	}
	if err == nil && r.Rename != "" {
		err = renameOwn(root, rel, path.Join(path.Dir(rel), r.Rename))
	}
	if err != nil {
		done.Fault = err.Error()
	}
	return done, true
}

// place is the directory of the person's that a file lies in, with links
// resolved, and where in it.
func (m Mending) place(name string) (base, rel string, err error) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return "", "", fmt.Errorf("find it: %w", err)
	}
	real := filepath.Join(dir, filepath.Base(name))
	for not, plugin := range m.Not {
		if _, in := below(not, real); in {
			return "", "", fmt.Errorf("it is of the plugin %s, whose files are not written; mend it where the plugin comes from", plugin)
		}
	}
	for _, d := range m.Dirs {
		resolved, err := filepath.EvalSymlinks(d)
		if err != nil {
			continue
		}
		if rel, in := below(resolved, real); in {
			return resolved, rel, nil
		}
	}
	return "", "", errors.New("it does not lie in a directory that may be written: it is another's, or a link leads there")
}

// below is where a path lies below a directory.
func below(dir, name string) (rel string, in bool) {
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	rel, err := filepath.Rel(dir, name)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// most is the largest file that is mended.
const mostMended = 8 << 20

// readOwn reads a regular file.
func readOwn(root *os.Root, rel string) (fs.FileInfo, []byte, error) {
	info, err := root.Lstat(rel)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("read it: %w", err)
	case !info.Mode().IsRegular():
		return nil, nil, errors.New("it is a link, or no regular file")
	case info.Size() > mostMended:
		return nil, nil, errors.New("it is too large")
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
	name := path.Join(path.Dir(rel), "."+path.Base(rel)+".mortise")
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write beside it: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Remove(name))
		}
	}()
	_, err = f.Write(now)
	if err == nil {
		err = keepOwner(f, was)
	}
	if err == nil {
		err = f.Chmod(was.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write beside it: %w", err)
	}
	is, again, err := readOwn(root, rel)
	if err == nil && (!os.SameFile(was, is) || !bytes.Equal(again, data)) {
		err = errors.New("it was changed meanwhile; look again")
	}
	if err != nil {
		return err
	}
	if err := root.Rename(name, rel); err != nil {
		return fmt.Errorf("put it in place: %w", err)
	}
	return nil
}

// renameOwn gives a file another name, unless another file has that.
func renameOwn(root *os.Root, from, to string) error {
	was, err := root.Lstat(from)
	if err != nil {
		return fmt.Errorf("rename it: %w", err)
	}
	switch is, err := root.Lstat(to); {
	case err == nil && !os.SameFile(was, is): // else the file system takes both names for one
		return fmt.Errorf("there is already a file %s", ext.Quote(path.Base(to)))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("rename it: %w", err)
	}
	if err := root.Rename(from, to); err != nil {
		return fmt.Errorf("rename it: %w", err)
	}
	return nil
}
