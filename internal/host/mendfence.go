package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
)

// may is nil when a file may be mended, and get another name where that is not
// "". It fills in where the file lies among the person's directories.
func (m *Mending) may(p *mending, name string) error {
	if m.fence == nil {
		m.fence = fenceOf(m.Place, m.Dirs)
	}
	if err := m.fence.forbids(p.real); err != nil {
		return err
	}
	if !p.lies(m.Dirs) {
		return errors.New("it does not lie in a directory that may be written: it is another's, or a link leads there")
	}
	if err := writable(p.was); err != nil {
		return err
	}
	if name == "" {
		return nil
	}
	if other := m.would[p.called(name)]; other != nil && other != p && other.called(other.name) == p.called(name) {
		return taken(name)
	}
	if is, err := os.Lstat(p.called(name)); err == nil && !os.SameFile(is, p.was) { // else the file system takes both names for one
		return taken(name)
	}
	return nil
}

func taken(name string) error {
	return fmt.Errorf("there is already a file %s; keep one of the two", ext.Quote(name))
}

// writable is nil when a file may be replaced by another with the same mode and
// owner.
func writable(f fs.FileInfo) error {
	switch n := hardLinks(f); {
	case f.Mode().Perm()&0o200 == 0:
		return errors.New("it is read-only; make it writable (chmod u+w) if it is to be mended")
	case n > 1:
		return fmt.Errorf("it has %d names (hard links), and would be parted from the others; mend it by hand", n)
	}
	return nil
}

// lies reports whether a file lies in one of the directories, and says in which.
func (p *mending) lies(dirs []string) bool {
	for _, d := range dirs {
		resolved, err := filepath.EvalSymlinks(d)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(resolved, p.real); err == nil && filepath.IsLocal(rel) {
			p.base, p.rel = resolved, rel
			return true
		}
	}
	return false
}

// fence keeps out of what is not the person's to mend: plugins that workspaces
// name, and what lies in a workspace whose plugins are not known.
type fence struct {
	place   Place
	plugins map[string]ext.Name // by directory, links resolved
	// seen are the directories that were looked into for a workspace's files, and
	// what is wrong with those: "" for nothing.
	seen  map[string]string
	wrong string // with the person's own configuration
}

// fenceOf looks for workspaces below directories, beside that of a place. Those
// above a file are looked for when that is asked about.
func fenceOf(p Place, dirs []string) *fence {
	f := &fence{place: p, plugins: map[string]ext.Name{}, seen: map[string]string{}}
	f.seen[p.Workspace.Dir], f.wrong = f.learn(p.Workspace)
	for _, d := range dirs {
		resolved, err := filepath.EvalSymlinks(d)
		if err != nil {
			continue
		}
		_ = filepath.WalkDir(resolved, func(name string, e fs.DirEntry, err error) error { // what cannot be listed holds nothing that was found
			switch {
			case err != nil:
				return fs.SkipDir
			case e.IsDir() && holdsNone[e.Name()]:
				return fs.SkipDir
			case e.Name() == config.SharedFile:
				f.look(filepath.Dir(name))
			}
			return nil
		})
	}
	return f
}

// holdsNone are directories in which nobody keeps workspaces of their own.
var holdsNone = map[string]bool{".git": true, "node_modules": true, ".hg": true, ".svn": true}

// forbids is why a file, links resolved, must not be written; nil when it may.
func (f *fence) forbids(file string) error {
	wrong, plugin := f.wrong, ext.Name("")
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if why := f.look(dir); wrong == "" {
			wrong = why
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for dir := filepath.Dir(file); plugin == ""; dir = filepath.Dir(dir) {
		if plugin = f.plugins[dir]; dir == filepath.Dir(dir) {
			break
		}
	}
	switch {
	case plugin != "":
		return fmt.Errorf("it is of the plugin %s, whose files are not written; mend it where the plugin comes from", plugin)
	case wrong != "":
		return fmt.Errorf("whether it is a plugin's cannot be told: %s; mend that first", wrong)
	}
	return nil
}

// look takes in the workspace that a directory is, if it is one, and is what is
// wrong with its files.
func (f *fence) look(dir string) string {
	if wrong, known := f.seen[dir]; known {
		return wrong
	}
	wrong := ""
	if isThere(filepath.Join(dir, config.SharedFile)) || isThere(filepath.Join(dir, config.LocalFile)) {
		w, err := config.FindWorkspace("", dir)
		if err == nil {
			wrong, _ = f.learn(w)
		} else {
			wrong = err.Error()
		}
	}
	f.seen[dir] = wrong
	return wrong
}

// isThere reports whether there is anything at a path, or may be.
func isThere(name string) bool {
	_, err := os.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// learn takes in the plugins that a workspace names, and is what is wrong with
// its files, and with the person's own.
func (f *fence) learn(w config.Workspace) (its, own string) {
	cfg, found, err := Place{Workspace: w, Paths: f.place.Paths, Env: f.place.Env}.Configure(nil)
	if err == nil {
		err = cfg.Unanswered()
	}
	if err != nil {
		return err.Error(), ""
	}
	for i := range cfg.Plugins {
		if p := &cfg.Plugins[i]; p.Dir != "" {
			f.plugins[resolved(p.Dir)] = p.Name
		}
	}
	for _, x := range found {
		name := filepath.FromSlash(x.Origin.Path)
		switch said := &its; {
		case x.Check.Severity < ext.Error:
		case filepath.IsAbs(name):
			said = &own
			fallthrough
		case name == config.SharedFile, name == config.LocalFile:
			if *said == "" {
				*said = fmt.Sprintf("%s:%d: %s", ext.Quote(filepath.Join(w.Dir, name)), x.Origin.Line, x.Message)
			}
		}
	}
	return its, own
}

// resolved is a path without links, as far as that can be told.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}
