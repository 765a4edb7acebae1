package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// WorkTree is a working tree of this machine, as it was when it was looked at.
type WorkTree struct {
	Top    string // absolute, links resolved
	Branch string // that is checked out; "" where none is
	Head   string // the commit that is checked out; "" where the branch has none yet

	git    *Git
	dir    string // what git keeps of this working tree: its index, what is checked out
	common string // what it keeps of all working trees of the repository
}

// here are git's settings in a repository of the person: what is written is on the disk,
// and can be taken back.
var here = []string{"-c", "core.fsync=all", "-c", "core.logAllRefUpdates=true", "-c", "core.untrackedCache=keep", "-c", "i18n.commitEncoding=UTF-8"}

// WorkTree looks at the working tree that a directory is in, which may be reached through
// links. Where there is none, and where the repository is bare, it is an error of the kind
// NoTree.
func (g *Git) WorkTree(ctx context.Context, dir string) (*WorkTree, error) {
	doing := "look at the working tree of " + ext.Quote(dir)
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	top, repo := repositoryOf(abs)
	w := &WorkTree{Top: top, git: g, dir: repo}
	switch {
	case repo == "" && bareAbove(abs), strings.HasPrefix(abs+string(filepath.Separator), repo+string(filepath.Separator)) && repo != "":
		return nil, &Error{Kind: NoTree, Doing: doing, Detail: "it is a repository itself, without files", Advice: "go into one of its working trees"}
	case repo == "":
		return nil, &Error{Kind: NoTree, Doing: doing, Advice: kindTexts[NoTree][1]}
	}
	out, err := w.say(ctx, "rev-parse", "--path-format=absolute", "--is-bare-repository", "--absolute-git-dir", "--git-common-dir")
	if err != nil {
		return nil, failure(doing, err)
	}
	lines := strings.Split(out, "\n")
	if len(lines) != 3 {
		return nil, failure(doing, fmt.Errorf("git says %q, which is not understood", out))
	}
	if lines[0] == "true" {
		return nil, &Error{Kind: NoTree, Doing: doing, Detail: "the repository is bare", Advice: "go into one of its working trees"}
	}
	w.dir, w.common = filepath.FromSlash(lines[1]), filepath.FromSlash(lines[2])
	if err := w.look(ctx); err != nil {
		return nil, failure(doing, err)
	}
	return w, nil
}

// bareAbove reports whether a directory is in a repository that has no working tree.
func bareAbove(dir string) bool {
	for at := dir; ; at = filepath.Dir(at) {
		found := 0
		for _, name := range []string{"HEAD", "objects", "refs"} {
			if _, err := os.Lstat(filepath.Join(at, name)); err == nil {
				found++
			}
		}
		if found == 3 {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// heads is how branches are called in full.
const heads = "refs/heads/"

// look sees what is checked out.
func (w *WorkTree) look(ctx context.Context) error {
	full, _, err := w.asked(ctx, "symbolic-ref", "-q", "HEAD")
	if err != nil {
		return err
	}
	if full != "" && !strings.HasPrefix(full, heads) {
		return fmt.Errorf("HEAD leads to %s, which is no branch", ext.Quote(full))
	}
	w.Branch = strings.TrimPrefix(full, heads)
	w.Head, _, err = w.asked(ctx, "rev-parse", "-q", "--verify", "HEAD^{commit}")
	return err
}

// Tip is the commit of a branch; "" where there is no such branch.
func (w *WorkTree) Tip(ctx context.Context, branch string) (string, error) {
	if err := checkRef(branch); err != nil {
		return "", ext.AsUsage(err)
	}
	tip, _, err := w.asked(ctx, "rev-parse", "-q", "--verify", heads+branch+"^{commit}")
	return tip, failure("look at the branch "+ext.Quote(branch), err)
}

// Blob is a file of a commit, of at most so many bytes. What is not there matches
// fs.ErrNotExist; what is no file is refused.
func (w *WorkTree) Blob(ctx context.Context, commit, path string, most int64) ([]byte, error) {
	doing := "read " + ext.Quote(path) + " at the commit " + commit
	if !IsCommit(commit) {
		return nil, ext.AsUsage(fmt.Errorf("%s: it is not the whole hash of a commit", doing))
	}
	there, err := w.entries(ctx, commit, path)
	if err != nil {
		return nil, failure(doing, err)
	}
	e, ok := there[path]
	switch {
	case !ok:
		return nil, fmt.Errorf("%s: %w", doing, fs.ErrNotExist)
	case e.mode != plainMode && e.mode != execMode:
		return nil, ext.AsRefused(fmt.Errorf("%s: it is %s, and no file", doing, e.word()))
	}
	o, err := w.git.openObjects(ctx, w.dir)
	if err != nil {
		return nil, failure(doing, err)
	}
	data, err := o.whole(e.id, "blob", most)
	if err != nil {
		o.abandon()
		return nil, failure(doing, err)
	}
	return data, failure(doing, o.Close())
}

// entry is what lies at a path of a tree, or of an index.
type entry struct{ mode, id string }

// The modes of what lies in a tree.
const (
	plainMode, execMode           = "100644", "100755"
	linkMode, moduleMode, dirMode = "120000", "160000", "040000"
)

func (e entry) word() string {
	switch e.mode {
	case linkMode:
		return "a link"
	case moduleMode:
		return "a submodule"
	case dirMode:
		return "a directory"
	}
	return "a file"
}

// entries is what lies in a tree at paths, and at each directory above them.
func (w *WorkTree) entries(ctx context.Context, tree string, paths ...string) (map[string]entry, error) {
	args := []string{"ls-tree", "-z", "-t", "--full-tree", tree, "--"}
	for _, p := range paths {
		args = append(args, above(p)...)
	}
	out, err := w.doing(ctx, call{args: args, env: []string{"GIT_LITERAL_PATHSPECS=1"}})
	if err != nil {
		return nil, err
	}
	there := map[string]entry{}
	for line := range strings.SplitSeq(out, "\x00") {
		meta, path, ok := strings.Cut(line, "\t")
		if words := strings.Fields(meta); ok && len(words) == 3 {
			there[path] = entry{words[0], words[2]}
		}
	}
	return there, nil
}

// above is a path behind all directories above it, the first the outermost.
func above(path string) (all []string) {
	for i := range path {
		if path[i] == '/' {
			all = append(all, path[:i])
		}
	}
	return append(all, path)
}

// raw has git do something in the repository, and is all that it writes.
func (w *WorkTree) raw(ctx context.Context, args ...string) (string, error) {
	return w.doing(ctx, call{args: args})
}

// doing is raw, with more of how git is run.
func (w *WorkTree) doing(ctx context.Context, c call) (string, error) {
	out := &bounded{most: mostLog}
	c.args, c.gitDir, c.stdout, c.tidy = append(here[:len(here):len(here)], c.args...), w.dir, out, true
	if err := w.git.run(ctx, c); err != nil {
		return "", err
	}
	if out.over {
		return "", errTooBig
	}
	return out.String(), nil
}

// say is raw, without the line end.
func (w *WorkTree) say(ctx context.Context, args ...string) (string, error) {
	out, err := w.raw(ctx, args...)
	return string(bytes.TrimRight([]byte(out), "\r\n")), err
}

// asked is say of what git answers no to by the way it ends.
func (w *WorkTree) asked(ctx context.Context, args ...string) (out string, yes bool, err error) {
	return answer(w.say(ctx, args...))
}

func answer(out string, err error) (string, bool, error) {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", false, nil
	}
	return out, err == nil, err
}
