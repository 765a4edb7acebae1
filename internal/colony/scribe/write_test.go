package scribe

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/git"
)

func (r *repo) open(branch string) *Branch {
	r.t.Helper()
	b, err := Open(r.t.Context(), Options{Git: newGit(r.t), Dir: r.dir, Branch: branch})
	if err != nil {
		r.t.Fatal(err)
	}
	return b
}

// two is a change of a new file and of one that is there.
func two() Change {
	return Change{
		Files: []File{{Path: ".colony/agents/a.py", Data: []byte("a\n")}, {Path: "other", Was: []byte("other\n"), Data: []byte("more\n")}},
		As:    As{Name: "ops"}, Message: "write two",
	}
}

// Files get onto a branch together, in one commit.
func TestWrite(t *testing.T) {
	for _, branch := range []string{"", "main", "side"} {
		r := newRepo(t, one(free))
		b := r.open(branch)
		done, err := b.Write(t.Context(), two())
		if err != nil || !done.Made || r.changed(done.Commit) != "A\t.colony/agents/a.py\nM\tother" {
			t.Fatalf("on %q: got %+v, %v", branch, done, err)
		}
		_, err = os.Stat(filepath.Join(r.dir, ".colony/agents/a.py"))
		if r.git("status", "--porcelain") != "" || b.Here != (err == nil) || b.Here == (branch == "side") {
			t.Errorf("on %q: here is %v, and the file: %v", branch, b.Here, err)
		}
		again := r.open(branch)
		if data, err := again.Read(t.Context(), "other", 100); err != nil || string(data) != "more\n" {
			t.Errorf("on %q: read %q, %v", branch, data, err)
		}
		before := r.state()
		var e *ChangedError
		if _, err := again.Write(t.Context(), two()); !errors.As(err, &e) || ext.KindOf(err) != ext.Refused || r.state() != before {
			t.Errorf("once more on %q: got %v, want it refused, and nothing changed", branch, err)
		}
		if _, err := again.Read(t.Context(), "nowhere", 100); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("read: got %v, want that it is not there", err)
		}
	}
}

// Whatever stops it leaves nothing behind, not even a directory.
func TestWriteLeavesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		make func(r *repo)
		want string
	}{
		"the index is locked":   {func(r *repo) { r.put(".git/index.lock", "") }, "index.lock"},
		"another file is there": {func(r *repo) { r.put(".colony/agents/a.py", "b\n") }, "choose another name"},
		"a directory is a link": {func(r *repo) { os.Symlink("..", filepath.Join(r.dir, ".colony/agents")) }, "no directory of its own"},
		"a directory is a file": {func(r *repo) { r.put(".colony/agents", "x") }, "no directory of its own"},
		"the second is changed": {func(r *repo) { r.put("other", "mine\n") }, "changed meanwhile"},
		"the second is gone":    {func(r *repo) { os.Remove(filepath.Join(r.dir, "other")) }, "no such file"},
		"the second is new":     {func(r *repo) { r.put("other", "new\n"); r.git("commit", "-qam", "new") }, "changed meanwhile"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, one(free))
			b := r.open("")
			c.make(r)
			before := r.state()
			if _, err := b.Write(t.Context(), two()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
			if r.state() != before {
				t.Errorf("afterwards there is\n%s\nwant\n%s", r.state(), before)
			}
		})
	}
}

// What a killed writer left is what the same try writes, and is then committed.
func TestWriteIsResumed(t *testing.T) {
	r := newRepo(t, one(free))
	r.put(".colony/agents/a.py", "a\n")
	r.put("other", "more\n")
	done, err := r.open("").Write(t.Context(), two())
	if err != nil || r.changed(done.Commit) != "A\t.colony/agents/a.py\nM\tother" || r.git("status", "--porcelain") != "" {
		t.Errorf("got %+v, %v", done, err)
	}
}

// Who protects a branch meanwhile is heard, as is a branch that moved.
func TestWriteLooksAgain(t *testing.T) {
	r := newRepo(t, one(free))
	b := r.open("")
	r.put(Path, one())
	var e *ProtectedError
	if _, err := b.Write(t.Context(), two()); !errors.As(err, &e) || e.Branch != "main" {
		t.Errorf("got %v, want that main is protected", err)
	}
	r.put(Path, one(free))
	r.put("third", "x")
	r.git("add", "third")
	r.git("commit", "-qm", "third")
	before := r.state()
	if _, err := b.Write(t.Context(), two()); git.KindOf(err) != git.Stale || r.state() != before {
		t.Errorf("got %v, want it stale", err)
	}
}

// Changes that nobody committed would get into the commit, unseen.
func TestWriteOverChanges(t *testing.T) {
	r := newRepo(t, one(free))
	r.put("other", "mine\n")
	c := two()
	c.Files[1].Was = []byte("mine\n")
	before := r.state()
	if _, err := r.open("").Write(t.Context(), c); ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), "not committed") || r.state() != before {
		t.Errorf("got %v, want it refused", err)
	}
}

func TestOpenFaults(t *testing.T) {
	r := newRepo(t, one())
	var protected *ProtectedError
	if _, err := Open(t.Context(), Options{Git: newGit(t), Dir: r.dir}); !errors.As(err, &protected) || ext.KindOf(err) != ext.Refused {
		t.Errorf("got %v, want that main is protected", err)
	}
	r.git("checkout", "-q", "-b", "empty")
	r.git("rm", "-q", Path)
	r.git("commit", "-qm", "none")
	var e *colony.Error
	for _, branch := range []string{"", "fresh"} {
		if _, err := Open(t.Context(), Options{Git: newGit(t), Dir: r.dir, Branch: branch}); !errors.As(err, &e) || e.Faults[0].Reason != colony.Missing {
			t.Errorf("on %q: got %v, want that there is no manifest", branch, err)
		}
	}
	if _, err := Open(t.Context(), Options{Git: newGit(t), Dir: r.dir, Branch: "-x"}); ext.KindOf(err) != ext.Usage {
		t.Errorf("got %v, want an error of usage", err)
	}
	for _, branch := range []string{"refs/heads/main", "heads/main"} {
		if _, err := Open(t.Context(), Options{Git: newGit(t), Dir: r.dir, Branch: branch}); ext.KindOf(err) != ext.Usage || !strings.Contains(err.Error(), `"main"`) {
			t.Errorf("on %s: got %v, want an error that names main", branch, err)
		}
	}
}
