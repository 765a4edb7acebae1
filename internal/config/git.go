package config

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

const (
	maxPointer   = 16 << 10  // a file of git that holds one path
	maxGitConfig = 256 << 10 // a repository's own configuration
)

// identity is the ID of the workspace at dir, the mark of the directory that
// the ID names, and what kept it from being the repository's.
func identity(dir string) (id, at, fault string) {
	own := "dir:" + filepath.ToSlash(dir)
	top := nearest(dir, holdsGit)
	if top == "" {
		return own, mark(dir), ""
	}
	common, err := commonDir(top)
	if err != nil {
		return own, mark(dir), explain(err)
	}
	below, err := filepath.Rel(top, dir)
	if err != nil {
		return own, mark(dir), explain(err)
	}
	return "git:" + filepath.ToSlash(common) + "#" + filepath.ToSlash(below), mark(common), ""
}

// commonDir is the real path of what all worktrees of the checkout at top
// share. A checkout only names its repository; anybody can write such a name
// into an archive and so lay claim to another's state. The name therefore
// counts when the repository knows of the checkout; without one it is the
// directory .git of the checkout itself.
func commonDir(top string) (string, error) {
	git, err := gitDir(filepath.Join(top, ".git"))
	if err != nil {
		return "", err
	}
	common, err := follow(git, filepath.Join(git, "commondir"), "")
	if os.IsNotExist(err) {
		common, err = git, nil
	}
	if err != nil {
		return "", err
	}
	if common, err = realDir(common); err != nil {
		return "", err
	}
	if isOwn(common, top) || knowsWorktree(common, git, top) || knowsCheckout(common, top) {
		return common, nil
	}
	return "", fmt.Errorf("the repository %s does not know of the checkout %s; run \"git worktree repair\" there",
		ext.Quote(common), ext.Quote(top))
}

// gitDir follows a .git entry to the directory that it is or names.
func gitDir(entry string) (string, error) {
	info, err := os.Stat(entry)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return realDir(entry)
	}
	dir, err := follow(filepath.Dir(entry), entry, "gitdir:")
	if err != nil {
		return "", err
	}
	return realDir(dir)
}

// follow reads the path that file holds behind prefix; a relative one starts at base.
func follow(base, file, prefix string) (string, error) {
	data, err := readSmall(file, maxPointer)
	if err != nil {
		return "", err
	}
	to, ok := strings.CutPrefix(string(data), prefix)
	to = strings.TrimLeft(strings.TrimRight(to, "\r\n"), " ")
	if !ok || to == "" || strings.ContainsAny(to, "\n\x00") {
		return "", fmt.Errorf("%s does not name a directory of git", ext.Quote(file))
	}
	to = filepath.FromSlash(to)
	if filepath.IsAbs(to) {
		return to, nil
	}
	return filepath.Join(base, to), nil
}

// isOwn reports whether common is the directory .git of the checkout at top,
// and no link to another's.
func isOwn(common, top string) bool {
	info, err := os.Lstat(filepath.Join(top, ".git"))
	return err == nil && info.IsDir() && sameFile(common, filepath.Join(top, ".git"))
}

// knowsWorktree reports whether git is one of the worktrees that common keeps
// and leads back to the checkout at top. It asks for the checkout and not for
// the file .git in it, which may be a link to that of a true worktree.
func knowsWorktree(common, git, top string) bool {
	if filepath.Dir(git) != filepath.Join(common, "worktrees") {
		return false
	}
	back, err := follow(git, filepath.Join(git, "gitdir"), "")
	return err == nil && filepath.Base(back) == ".git" && sameFile(filepath.Dir(back), top)
}

// knowsCheckout reports whether common is configured to have its checkout at
// top, as a submodule's repository is.
func knowsCheckout(common, top string) bool {
	for _, name := range []string{"config.worktree", "config"} {
		data, err := readSmall(filepath.Join(common, name), maxGitConfig)
		if err != nil {
			continue
		}
		tree := filepath.FromSlash(coreWorktree(string(data)))
		if tree == "" {
			continue
		}
		if !filepath.IsAbs(tree) {
			tree = filepath.Join(common, tree)
		}
		return sameFile(tree, top)
	}
	return false
}

// coreWorktree is the value of core.worktree in a configuration of git, ""
// when there is none. It reads what git itself writes and nothing cleverer.
func coreWorktree(text string) string {
	section, found := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(line)
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if ok && section == "[core]" && strings.EqualFold(strings.TrimSpace(key), "worktree") {
			found = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return found
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// readSmall reads a regular file of at most limit bytes. It never waits, as
// opening a named pipe would.
func readSmall(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	f, err := openRegular(name, info, os.Open)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readBounded(f, name, limit)
}

func openRegular(name string, info os.FileInfo, open func(string) (*os.File, error)) (*os.File, error) {
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", ext.Quote(name))
	}
	return open(name)
}

func readBounded(f *os.File, name string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	size := int64(len(data))
	if size <= limit {
		return data, nil
	}
	if info, err := f.Stat(); err == nil {
		size = max(size, info.Size())
	}
	return nil, fmt.Errorf("%s has %d bytes, and at most %d are read", ext.Quote(name), size, limit)
}
