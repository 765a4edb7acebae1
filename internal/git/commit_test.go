package git

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

// wood is a working tree that a test makes.
type wood struct {
	t   testing.TB
	dir string
}

func newWood(t testing.TB, how ...string) *wood {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &wood{t, filepath.Join(dir, "tree")}
	os.Mkdir(w.dir, 0o777)
	w.git(append([]string{"init", "-q", "-b", "main"}, how...)...)
	return w
}

// begun has one commit, of manifest and other.
func begun(t testing.TB, how ...string) *wood {
	t.Helper()
	w := newWood(t, how...)
	w.put("a/manifest", "one\n")
	w.put("other", "other\n")
	w.put("gone", "gone\n")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "begin")
	return w
}

func (w *wood) git(args ...string) string {
	w.t.Helper()
	out, err := w.try(args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *wood) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Env, cmd.Dir = testEnv(), w.dir
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %v: %w\n%s", args, err, &said)
	}
	return strings.TrimRight(string(out), "\n"), nil
}

func (w *wood) put(name, text string) {
	w.t.Helper()
	at := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o777), os.WriteFile(at, []byte(text), 0o666)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wood) open(g *Git) *WorkTree {
	w.t.Helper()
	tree, err := g.WorkTree(w.t.Context(), w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	return tree
}

// state is all that a commit that is refused must leave alone.
func (w *wood) state() string {
	w.t.Helper()
	head, _ := os.ReadFile(filepath.Join(w.dir, ".git", "HEAD"))
	index, _ := w.try("ls-files", "-s", "--debug")
	refs, _ := w.try("for-each-ref")
	config, _ := os.ReadFile(filepath.Join(w.dir, ".git", "config"))
	return fmt.Sprintf("%s\n%s\n%s\n%s", head, index, refs, config)
}

// changed is what a commit changed.
func (w *wood) changed(commit string) string {
	return w.git("diff-tree", "-r", "--root", "--no-commit-id", "--name-status", commit)
}

var agent = Person{"agent:ops:migrator", "ops@c1.agent.colony.local"}

func committing(path, text string) Committing {
	return Committing{Files: []File{{Path: path, Data: []byte(text)}}, Author: agent, Message: "move it\n\nFor a reason."}
}

// Nothing but the files gets into a commit, whatever is changed, staged or lies about, and
// all of that is afterwards what it was. In repositories of both kinds of hashes.
func TestCommitLeavesEverythingElse(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			w := begun(t, "--object-format="+format)
			w.put("staged", "staged\n")
			w.put("other", "changed\n")
			w.git("add", "staged", "other")
			w.put("other", "changed again\n")
			w.git("rm", "-q", "--cached", "gone")
			w.put("untracked", "x\n")
			w.put("planned", "x\n")
			w.git("add", "-N", "planned")
			w.put("a/manifest", "two\n")
			config, err := os.ReadFile(filepath.Join(w.dir, ".git", "config"))
			if err != nil {
				t.Fatal(err)
			}
			before, head := w.git("status", "--porcelain", "-uall"), w.git("rev-parse", "HEAD")
			got, err := w.open(newGit(t)).Commit(t.Context(), committing("a/manifest", "two\n"))
			if err != nil {
				t.Fatal(err)
			}
			if !got.Made || got.Branch != "main" || got.Parent != head || got.Commit != w.git("rev-parse", "HEAD") || got.Signed {
				t.Errorf("got %+v, want a new commit on main after %s", got, head)
			}
			if c := w.changed(got.Commit); c != "M\ta/manifest" {
				t.Errorf("the commit has %q, want the manifest alone", c)
			}
			want := strings.Replace(before, " M a/manifest\n", "", 1)
			if after := w.git("status", "--porcelain", "-uall"); after != want {
				t.Errorf("afterwards there is\n%s\nwant\n%s", after, want)
			}
			who := w.git("log", "-1", "--format=%an <%ae> %cn <%ce>%n%B", "HEAD")
			if want := "agent:ops:migrator <ops@c1.agent.colony.local> agent:ops:migrator <ops@c1.agent.colony.local>\nmove it\n\nFor a reason.\n"; who != strings.TrimRight(want, "\n") {
				t.Errorf("got %q, want %q", who, want)
			}
			if now, err := os.ReadFile(filepath.Join(w.dir, ".git", "config")); err != nil || !bytes.Equal(now, config) {
				t.Errorf("the configuration is %q, %v", now, err)
			}
			if log := w.git("reflog", "-1", "--format=%gs"); log != "commit: move it" {
				t.Errorf("the reflog says %q", log)
			}
			w.git("fsck", "--strict")
		})
	}
}

// What the branch has already is no commit.
func TestCommitOfNothing(t *testing.T) {
	w := begun(t)
	head := w.git("rev-parse", "HEAD")
	for _, branch := range []string{"", "main", "new"} {
		o := committing("a/manifest", "one\n")
		o.Branch = branch
		got, err := w.open(newGit(t)).Commit(t.Context(), o)
		if err != nil || got.Made || w.git("for-each-ref") != head+" commit\trefs/heads/main" {
			t.Errorf("on %q: got %+v, %v, want nothing made", branch, got, err)
		}
	}
}

// A branch is committed on where it is: checked out, elsewhere, not yet, or none at all.
func TestCommitOnBranches(t *testing.T) {
	g := newGit(t)
	t.Run("not yet born", func(t *testing.T) {
		w := newWood(t)
		w.put("staged", "x")
		w.git("add", "staged")
		tree := w.open(g)
		o := committing("a/manifest", "one\n")
		o.Expect = NoCommit
		got, err := tree.Commit(t.Context(), o)
		if err != nil || tree.Head != "" || tree.Branch != "main" || got.Parent != "" || w.changed("HEAD") != "A\ta/manifest" {
			t.Fatalf("got %+v, %v on %+v", got, err, tree)
		}
		if s := w.git("status", "--porcelain"); s != " D a/manifest\nA  staged" {
			t.Errorf("got %q, want what was staged, and the file that is not there", s)
		}
	})
	t.Run("a commit alone", func(t *testing.T) {
		w := begun(t)
		w.git("checkout", "-q", "--detach")
		w.put("a/manifest", "two\n")
		got, err := w.open(g).Commit(t.Context(), committing("a/manifest", "two\n"))
		if err != nil || got.Branch != "" || got.Commit != w.git("rev-parse", "HEAD") || w.git("rev-parse", "HEAD^") != w.git("rev-parse", "main") {
			t.Fatalf("got %+v, %v", got, err)
		}
		if s := w.git("status", "--porcelain"); s != "" {
			t.Errorf("got %q", s)
		}
	})
	t.Run("another, and a new one", func(t *testing.T) {
		w := begun(t)
		head := w.git("rev-parse", "HEAD")
		w.put("other", "staged\n")
		w.git("add", "other")
		before := w.git("ls-files", "-s", "--debug")
		for i, text := range []string{"two\n", "three\n"} {
			o := committing("a/manifest", text)
			o.Branch = "colony/new"
			got, err := w.open(g).Commit(t.Context(), o)
			if err != nil || got.Branch != o.Branch || got.Commit != w.git("rev-parse", o.Branch) || w.git("rev-parse", fmt.Sprint(o.Branch, "~", i+1)) != head {
				t.Fatalf("got %+v, %v", got, err)
			}
		}
		if w.git("rev-parse", "HEAD") != head || w.git("ls-files", "-s", "--debug") != before {
			t.Error("what is checked out was changed")
		}
	})
	t.Run("in a linked working tree", func(t *testing.T) {
		w := begun(t)
		linked := &wood{t, filepath.Join(filepath.Dir(w.dir), "linked")}
		w.git("worktree", "add", "-q", "-b", "side", linked.dir)
		linked.put("a/manifest", "two\n")
		got, err := linked.open(g).Commit(t.Context(), committing("a/manifest", "two\n"))
		if err != nil || got.Branch != "side" || linked.git("status", "--porcelain") != "" || w.git("status", "--porcelain") != "" {
			t.Fatalf("got %+v, %v", got, err)
		}
		o := committing("a/manifest", "three\n")
		o.Branch = "main"
		before := w.state()
		if _, err := linked.open(g).Commit(t.Context(), o); ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), w.dir) {
			t.Errorf("got %v, want it refused, with where main is checked out", err)
		}
		if w.state() != before {
			t.Error("main was changed")
		}
	})
	t.Run("through a link, from below", func(t *testing.T) {
		w := begun(t)
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(w.dir, link); err != nil {
			t.Skip(err)
		}
		tree, err := g.WorkTree(t.Context(), filepath.Join(link, "a"))
		if err != nil || tree.Top != w.dir {
			t.Fatalf("got %+v, %v, want the top %s", tree, err, w.dir)
		}
		if got, err := tree.Commit(t.Context(), committing("a/manifest", "two\n")); err != nil || got.Commit != w.git("rev-parse", "main") {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestNoWorkTree(t *testing.T) {
	g, w := newGit(t), begun(t)
	bare := newRepo(t, filepath.Join(t.TempDir(), "bare.git"))
	for dir, want := range map[string]string{
		t.TempDir(): "in no working tree", bare.dir: "without files", filepath.Join(bare.dir, "refs"): "without files", filepath.Join(w.dir, ".git", "refs"): "without files",
	} {
		if _, err := g.WorkTree(t.Context(), dir); KindOf(err) != NoTree || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", dir, err, want)
		}
	}
	w.git("config", "core.bare", "true")
	if _, err := g.WorkTree(t.Context(), w.dir); KindOf(err) != NoTree {
		t.Errorf("got %v, want that it is bare", err)
	}
	if _, err := g.WorkTree(t.Context(), filepath.Join(w.dir, "nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that it is not there", err)
	}
}

// refusals are what stands in the way of a commit, and what is said. Nothing is changed.
var refusals = map[string]struct {
	make func(w *wood)
	o    func(*Committing)
	want string
}{
	"other changes are staged": {make: func(w *wood) { w.put("a/manifest", "mine\n"); w.git("add", "a") }, want: "would be lost"},
	"its removal is staged":    {make: func(w *wood) { w.git("rm", "-q", "--cached", "a/manifest") }, want: "would be lost"},
	"another new file is staged": {
		make: func(w *wood) { w.put("fresh", "mine\n"); w.git("add", "fresh") },
		o:    func(o *Committing) { o.Files[0].Path = "fresh" }, want: "would be lost",
	},
	"it is not merged": {make: func(w *wood) {
		w.git("checkout", "-q", "-b", "side")
		w.put("a/manifest", "side\n")
		w.git("commit", "-qam", "side")
		w.git("checkout", "-q", "main")
		w.put("a/manifest", "main\n")
		w.git("commit", "-qam", "main")
		w.try("merge", "side")
	}, want: "not merged"},
	"git ignores it": {
		make: func(w *wood) { w.put(".gitignore", "*.log\n") },
		o:    func(o *Committing) { o.Files[0].Path = "a/x.log" }, want: "ignores",
	},
	"a filter":     {make: func(w *wood) { w.put(".gitattributes", "a/* filter=lfs\n") }, want: "filter"},
	"recoding":     {make: func(w *wood) { w.put(".gitattributes", "a/* working-tree-encoding=UTF-16\n") }, want: "working-tree-encoding"},
	"a link":       {make: func(w *wood) { w.link("l") }, o: func(o *Committing) { o.Files[0].Path = "l" }, want: "a link"},
	"below a link": {make: func(w *wood) { w.link("l") }, o: func(o *Committing) { o.Files[0].Path = "l/x" }, want: "a link"},
	"below a file": {o: func(o *Committing) { o.Files[0].Path = "other/x" }, want: "a file"},
	"a directory":  {o: func(o *Committing) { o.Files[0].Path = "a" }, want: "a directory"},
	"a submodule": {
		make: func(w *wood) {
			w.git("update-index", "--add", "--cacheinfo", "160000,"+w.git("rev-parse", "HEAD")+",m")
			w.git("commit", "-qm", "m")
		},
		o: func(o *Committing) { o.Files[0].Path = "m/x" }, want: "a submodule",
	},
	"a repository of its own": {
		make: func(w *wood) { w.git("init", "-q", "own") },
		o:    func(o *Committing) { o.Files[0].Path = "own/x" }, want: "repository of its own",
	},
	"only another name": {
		make: func(w *wood) { w.git("symbolic-ref", "refs/heads/alias", "refs/heads/main") },
		o:    func(o *Committing) { o.Branch = "alias" }, want: `another name of \"main\"`,
	},
	"being rebased": {
		make: func(w *wood) {
			w.git("checkout", "-q", "-b", "side")
			w.put("a/manifest", "side\n")
			w.git("commit", "-qam", "side")
			w.git("checkout", "-q", "main")
			w.put("a/manifest", "main\n")
			w.git("commit", "-qam", "main")
			w.git("checkout", "-q", "side")
			w.try("rebase", "main")
		},
		o: func(o *Committing) { o.Branch = "side" }, want: "being rebased",
	},
	"no branch":        {o: func(o *Committing) { o.Branch = "a..b" }, want: "reference"},
	"an option":        {o: func(o *Committing) { o.Branch = "-d" }, want: "option"},
	"upwards":          {o: func(o *Committing) { o.Files[0].Path = "../x" }, want: "upwards"},
	"absolute":         {o: func(o *Committing) { o.Files[0].Path = "/x" }, want: "absolute"},
	"winding":          {o: func(o *Committing) { o.Files[0].Path = "a/../x" }, want: "upwards"},
	"git's own":        {o: func(o *Committing) { o.Files[0].Path = "a/.GIT/config" }, want: "git's own"},
	"git's by another": {o: func(o *Committing) { o.Files[0].Path = "git~1/config" }, want: "git~1"},
	"twice":            {o: func(o *Committing) { o.Files = append(o.Files, o.Files[0]) }, want: "twice"},
	"nothing":          {o: func(o *Committing) { o.Files = nil }, want: "nothing"},
	"nobody":           {o: func(o *Committing) { o.Author.Name = " " }, want: "nobody"},
	"somebody else":    {o: func(o *Committing) { o.Author.Email = "x>\nauthor Evil <e" }, want: "nobody"},
	"no message":       {o: func(o *Committing) { o.Message = "\n" }, want: "a message"},
}

func (w *wood) link(name string) {
	os.Symlink("other", filepath.Join(w.dir, name))
	w.git("add", name)
	w.git("commit", "-qm", "link")
}

func TestCommitIsRefused(t *testing.T) {
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begun(t)
			if c.make != nil {
				c.make(w)
			}
			o := committing("a/manifest", "two\n")
			if c.o != nil {
				c.o(&o)
			}
			before := w.state()
			_, err := w.open(newGit(t)).Commit(t.Context(), o)
			if err == nil || !strings.Contains(ext.Quote(err.Error()), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
			if after := w.state(); after != before {
				t.Errorf("afterwards there is\n%s\nwant\n%s", after, before)
			}
		})
	}
}

// What is staged already as it is to be committed, and what is only meant to be added, is
// no obstacle.
func TestStagedAlready(t *testing.T) {
	w := begun(t)
	w.put("a/manifest", "two\n")
	w.put("fresh", "new\n")
	w.git("add", "a")
	w.git("add", "-N", "fresh")
	o := committing("a/manifest", "two\n")
	o.Files = append(o.Files, File{Path: "fresh", Data: []byte("new\n")})
	if _, err := w.open(newGit(t)).Commit(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if s := w.git("status", "--porcelain"); s != "" {
		t.Errorf("got %q", s)
	}
}

// Paths and messages are never options or patterns, and files keep whether they may be
// executed.
func TestOddNamesAndModes(t *testing.T) {
	w := begun(t)
	w.put("run", "x")
	os.Chmod(filepath.Join(w.dir, "run"), 0o777)
	w.git("add", "run")
	w.git("commit", "-qm", "run")
	names := []string{"-d", "--force", ":(top)x", "*", "a b", `q"q`, "ü", "[a]", "!x", "#y"}
	o := Committing{Author: agent, Message: "--amend", Files: []File{{Path: "run", Data: []byte("y")}, {Path: "exec", Data: []byte("z"), Mode: Executable}, {Path: "a/manifest", Data: []byte("two\r\n")}}}
	for _, n := range names {
		w.put(n, n)
		o.Files = append(o.Files, File{Path: n, Data: []byte(n)})
	}
	if _, err := w.open(newGit(t)).Commit(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if got := w.git("show", "HEAD:"+n); got != n {
			t.Errorf("%s: got %q", n, got)
		}
	}
	modes := w.git("ls-tree", "--format=%(objectmode) %(path)", "-r", "HEAD", "run", "exec", "a/manifest")
	if modes != "100644 a/manifest\n100755 exec\n100755 run" {
		t.Errorf("got %q", modes)
	}
	if got := w.git("log", "-1", "--format=%s"); got != "--amend" {
		t.Errorf("got %q", got)
	}
	data, err := w.open(newGit(t)).Blob(t.Context(), w.git("rev-parse", "HEAD"), "a/manifest", 100)
	if err != nil || string(data) != "two\r\n" {
		t.Errorf("Blob: got %q, %v", data, err)
	}
}

func TestBlob(t *testing.T) {
	w := begun(t)
	w.link("l")
	tree := w.open(newGit(t))
	if _, err := tree.Blob(t.Context(), tree.Head, "none", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that it is not there", err)
	}
	if _, err := tree.Blob(t.Context(), tree.Head, "a/manifest", 3); KindOf(err) != TooBig {
		t.Errorf("got %v, want that it is too big", err)
	}
	for _, p := range []string{"a", "l"} {
		if _, err := tree.Blob(t.Context(), tree.Head, p, 100); ext.KindOf(err) != ext.Refused {
			t.Errorf("%s: got %v, want a refusal", p, err)
		}
	}
	if tip, err := tree.Tip(t.Context(), "main"); err != nil || tip != tree.Head {
		t.Errorf("Tip: got %q, %v", tip, err)
	}
	if tip, err := tree.Tip(t.Context(), "none"); err != nil || tip != "" {
		t.Errorf("Tip of no branch: got %q, %v", tip, err)
	}
}

// A branch that is elsewhere than is expected is not moved.
func TestCommitExpects(t *testing.T) {
	w := begun(t)
	first := w.git("rev-parse", "HEAD")
	w.put("other", "2")
	w.git("commit", "-qam", "second")
	for _, expect := range []string{first, NoCommit, strings.Repeat("0", 40)} {
		o := committing("a/manifest", "two\n")
		o.Expect = expect
		before := w.state()
		if _, err := w.open(newGit(t)).Commit(t.Context(), o); KindOf(err) != Stale || w.state() != before {
			t.Errorf("expecting %s: got %v, want that another was first", expect, err)
		}
	}
	o := committing("a/manifest", "two\n")
	o.Branch, o.Expect = "none", first
	if _, err := w.open(newGit(t)).Commit(t.Context(), o); KindOf(err) != Stale || !strings.Contains(err.Error(), "no such branch") {
		t.Errorf("got %v, want that there is no such branch", err)
	}
}

// Of many writers at once exactly one wins each time, and what it wrote stays.
func TestCommitRace(t *testing.T) {
	w := begun(t)
	w.git("checkout", "-q", "-b", "side")
	for _, branch := range []string{"main", "side"} { // one that is checked out, one that is not
		const writers = 6
		tip := w.git("rev-parse", branch)
		var all sync.WaitGroup
		errs := make([]error, writers)
		for i := range writers {
			all.Go(func() {
				o := committing(fmt.Sprint("new", i), "x")
				o.Branch, o.Expect = branch, tip
				_, errs[i] = w.open(newGit(t)).Commit(t.Context(), o)
			})
		}
		all.Wait()
		won := 0
		for _, err := range errs {
			switch {
			case err == nil:
				won++
			case KindOf(err) != Stale && KindOf(err) != Held:
				t.Errorf("%s: got %v, want it stale or held", branch, err)
			}
		}
		if won != 1 || w.git("rev-parse", branch+"^") != tip {
			t.Errorf("%s: %d won, want one: %v", branch, won, errs)
		}
		if n := strings.Count(w.git("ls-tree", "-r", "--name-only", branch), "new"); n != 1 {
			t.Errorf("%s: got %d files, want that of the one", branch, n)
		}
	}
	s := w.git("diff", "--cached", "--name-status")
	if s != "" {
		t.Errorf("there is staged %q, want nothing", s)
	}
}

// While another git has the index or the branch nothing is changed, and it is said which
// file that is.
func TestLocksAreTold(t *testing.T) {
	for _, lock := range []string{"index.lock", "refs/heads/main.lock", "HEAD.lock"} {
		w := begun(t)
		before := w.state()
		at := filepath.Join(w.dir, ".git", filepath.FromSlash(lock))
		if err := os.WriteFile(at, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := w.open(newGit(t)).Commit(t.Context(), committing("a/manifest", "two\n"))
		if KindOf(err) != Held || !strings.Contains(err.Error(), filepath.Base(lock)) {
			t.Errorf("%s: got %v, want it held, with the file", lock, err)
		}
		os.Remove(at)
		if w.state() != before {
			t.Errorf("%s: something was changed", lock)
		}
		if left := slices.DeleteFunc(lies(t, filepath.Join(w.dir, ".git")), func(l string) bool { return !strings.Contains(l, ".lock") }); len(left) > 0 {
			t.Errorf("%s: there is left %q", lock, left)
		}
	}
}

// Who commits between our look and our move is first, and keeps what is committed.
func TestAnotherCommitsMeanwhile(t *testing.T) {
	w := begun(t)
	g := newGit(t)
	g.at = func(step string) {
		if step != "built" {
			return
		}
		w.put("other", "theirs")
		w.git("commit", "-qam", "theirs")
	}
	_, err := w.open(g).Commit(t.Context(), committing("a/manifest", "two\n"))
	if KindOf(err) != Stale {
		t.Errorf("got %v, want it stale", err)
	}
	if s := w.git("status", "--porcelain"); s != "" || w.git("log", "-1", "--format=%s") != "theirs" {
		t.Errorf("got %q", s)
	}
	g.at = func(step string) {
		if step == "built" {
			w.git("checkout", "-q", "-b", "elsewhere")
		}
	}
	before := w.git("rev-parse", "main")
	if _, err := w.open(g).Commit(t.Context(), committing("a/manifest", "two\n")); KindOf(err) != Stale || w.git("rev-parse", "main") != before || w.git("status", "--porcelain") != "" {
		t.Errorf("something else was checked out: got %v, want it stale", err)
	}
}

// A branch that cannot be moved in the end leaves an index as it was.
func TestIndexIsPutBack(t *testing.T) {
	w := begun(t)
	g := newGit(t)
	g.at = func(step string) {
		if step == "staged" {
			os.Remove(filepath.Join(w.dir, ".git", "refs", "heads", "main.lock")) // of git, which then cannot go on
		}
	}
	before := w.git("ls-files", "-s")
	o := committing("a/manifest", "two\n")
	o.Files = append(o.Files, File{Path: "fresh", Data: []byte("x")})
	if _, err := w.open(g).Commit(t.Context(), o); err == nil {
		t.Error("the branch was moved")
	}
	if after := w.git("ls-files", "-s"); after != before {
		t.Errorf("the index has\n%s\nwant\n%s", after, before)
	}
}
