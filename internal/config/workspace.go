package config

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
)

const (
	// SharedFile is the configuration that everybody in a workspace shares.
	SharedFile = "mortise.toml"
	// LocalFile is the configuration of one person in one checkout.
	LocalFile = "mortise.local.toml"
)

// Rule says how a workspace was found.
type Rule string

const (
	// ByFlag is a directory that was named explicitly.
	ByFlag Rule = "named"
	// ByFile is the nearest directory, from the start upwards, with a mortise.toml.
	ByFile Rule = "nearest " + SharedFile
	// ByGit is the top of the git checkout.
	ByGit Rule = "top of the git checkout"
	// ByStart is the directory that the search began in, when nothing else was found.
	ByStart Rule = "current directory"
)

// Workspace is the directory that a configuration is for.
type Workspace struct {
	Dir   string // absolute, links resolved
	Found Rule
	// ID is the identity under which state is kept. All worktrees of one
	// repository share it; workspaces at different places of one repository do
	// not. Without git it is the directory itself.
	ID string
	// Mark tells apart directories that took the same place one after the other:
	// it goes with the directory that ID names. "" where the system has none.
	Mark string
	// Strays are files named mortise.local.toml below Dir that the search came
	// past. They are not read, and Load says so.
	Strays []string
	// Fault says why ID is the directory's own although it lies in a git
	// checkout; "" when nothing is wrong.
	Fault string

	lost error // why it is not known to be the workspace that was found; see Again
}

// Again is the workspace in the same directory as it is now: another directory
// may have taken its place, or a repository may have been begun in it. Where the
// directory is gone, or had an identity that cannot be told any more, what is
// loaded for it says so (see Config.Unanswered).
func (w Workspace) Again() Workspace {
	was := w.Fault
	w.ID, w.Mark, w.Fault = identity(w.Dir)
	_, err := os.Stat(w.Dir)
	switch {
	case err != nil:
		w.lost = &unread{fmt.Sprintf("the workspace %s: %s; put it back, or end what serves it", ext.Quote(w.Dir), explain(err)), err}
	case w.Fault != "" && was == "":
		w.lost = fmt.Errorf("whose workspace %s is cannot be told: %s", ext.Quote(w.Dir), w.Fault)
	}
	return w
}

// FindWorkspace finds the workspace for a process that was started in start,
// an absolute directory. An explicit directory, relative to start or absolute,
// is taken as it is and must exist; for an absolute one start may be ""; without one ("") it is the nearest ancestor
// of start with a mortise.toml, else the top of the git checkout, else start.
// It reads files and runs nothing.
func FindWorkspace(start, explicit string) (Workspace, error) {
	if filepath.IsAbs(explicit) {
		return given(explicit)
	}
	if !filepath.IsAbs(start) {
		return Workspace{}, fmt.Errorf("find the workspace: the start %s is not an absolute path", ext.Quote(start))
	}
	if explicit != "" {
		return given(filepath.Join(start, explicit))
	}
	dir, err := realDir(start)
	if err != nil {
		return Workspace{}, fmt.Errorf("find the workspace: %w", err)
	}
	w := Workspace{Dir: dir, Found: ByStart}
	if at := nearest(dir, holdsFile); at != "" {
		w.Dir, w.Found = at, ByFile
	} else if at := nearest(dir, holdsGit); at != "" {
		w.Dir, w.Found = at, ByGit
	}
	for d := dir; d != w.Dir; d = filepath.Dir(d) {
		if stray := filepath.Join(d, LocalFile); isFile(stray) {
			w.Strays = append(w.Strays, stray)
		}
	}
	w.ID, w.Mark, w.Fault = identity(w.Dir)
	return w, nil
}

func given(explicit string) (Workspace, error) {
	dir, err := realDir(explicit)
	if err != nil {
		return Workspace{}, ext.AsUsage(fmt.Errorf("the workspace: %w; name a directory that exists", err))
	}
	w := Workspace{Dir: dir, Found: ByFlag}
	w.ID, w.Mark, w.Fault = identity(dir)
	return w, nil
}

func realDir(dir string) (string, error) {
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(resolved)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory", ext.Quote(dir))
	}
	return filepath.Clean(resolved), nil
}

// nearest is the first of dir and its ancestors that has what is asked for, ""
// when none has.
func nearest(dir string, has func(dir string) bool) string {
	for {
		if has(dir) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

func holdsFile(dir string) bool { return isFile(filepath.Join(dir, SharedFile)) }

// holdsGit does not ask whether the entry is in order: a worktree whose
// repository was moved away still has its top here, and so has one of which the
// system cannot tell now.
func holdsGit(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, ".git"))
	return root.Transient(err) || err == nil && (info.IsDir() || info.Mode().IsRegular())
}

// isFile is true for anything but a directory, so that a file which cannot be
// read is told about instead of passed by.
func isFile(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && !info.IsDir()
}
