package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// hostile are trees that no git would make, each by hand, and what is said of them.
var hostile = map[string]struct {
	make func(r *repo) string // a tree
	want string               // by us; "" where no host gives it
}{
	"a .git":                         {one("100644", ".git"), "git"},
	"a .GIT":                         {one("100644", ".GIT"), "git"},
	"a .git directory":               {within(".git", "config"), "git"},
	"a .git below":                   {below("a", ".git", "config"), "git"},
	"a short name of .git":           {within("git~1", "config"), "git"},
	"a .git with a dot":              {within(".git.", "config"), "git"},
	"a .git with a blank":            {within(".git ", "config"), "git"},
	"a .git with a stream":           {within(".git::$INDEX_ALLOCATION", "config"), "git"},
	"a .git with a joiner":           {within(".g\u200cit", "config"), "git"},
	"up":                             {within("..", "x"), "plain name"},
	"up by one name":                 {one("100644", "../x"), "plain name"},
	"a slash in a name":              {one("100644", "a/b"), "plain name"},
	"an absolute name":               {one("100644", "/etc/x"), "plain name"},
	"no name":                        {one("100644", ""), ""},
	"a dot":                          {within(".", "x"), "plain name"},
	"a backslash":                    {one("100644", `a\b`), `\`},
	"a control character":            {one("100644", "a\x1b[2Jb"), "control"},
	"a device":                       {one("20644", "dev"), "mode"},
	"a pipe":                         {one("10644", "pipe"), "mode"},
	"a link that leaves":             {link("../../etc/passwd"), "leaves"},
	"an absolute link":               {link("/etc/passwd"), "absolute"},
	"a link to a home":               {link("~/x\x00"), `\`},
	"a long link":                    {link(strings.Repeat("a/", 4000)), "bytes of text"},
	"case":                           {two("A", "a"), "one name"},
	"twice":                          {two("a", "a"), "twice"},
	"a link and a directory":         {linkAndDir("a", "a"), "twice"},
	"a link and a directory by case": {linkAndDir("A", "a"), "one name"},
	"a repository": {func(r *repo) string {
		b := r.blob("x")
		d := r.tree(file{"100644", "x", b})
		return r.tree(file{"100644", "HEAD", b}, file{"100644", "config", b}, file{"40000", "objects", d}, file{"40000", "refs", d})
	}, "repository of git"},
}

func one(mode, name string) func(*repo) string {
	return func(r *repo) string { return r.tree(file{mode, name, r.blob("x")}) }
}

func within(dir, name string) func(*repo) string {
	return func(r *repo) string { return r.tree(file{"40000", dir, one("100644", name)(r)}) }
}

func below(top, dir, name string) func(*repo) string {
	return func(r *repo) string { return r.tree(file{"40000", top, within(dir, name)(r)}) }
}

func link(target string) func(*repo) string {
	return func(r *repo) string { return r.tree(file{"120000", "link", r.blob(target)}) }
}

func two(a, b string) func(*repo) string {
	return func(r *repo) string {
		x := r.blob("x")
		return r.tree(file{"100644", a, x}, file{"100644", b, x})
	}
}

func linkAndDir(l, d string) func(*repo) string {
	return func(r *repo) string {
		return r.tree(file{"120000", l, r.blob("/tmp")}, file{"40000", d, one("100644", "x")(r)})
	}
}

// Whatever a tree holds, nothing is written outside, and it is refused: by git's own
// checks where they see it, and by ours where git's are off.
func TestHostileTrees(t *testing.T) {
	s := serve(t)
	g, loose := newGit(t), newGit(t)
	loose.loose = true
	i := 0
	for name, c := range hostile {
		i++
		r, src := s.repo(fmt.Sprintf("h%d.git", i))
		commit := r.commitTree(c.make(r))
		t.Run(name, func(t *testing.T) {
			for what, g := range map[string]*Git{"with git's checks": g, "with ours alone": loose} {
				top := t.TempDir()
				_, err := g.Fetch(t.Context(), src, commit, filepath.Join(top, "a", "tree"), Fetching{})
				if !errors.Is(err, fs.ErrNotExist) {
					t.Fatalf("%s: a directory that is not there: got %v", what, err)
				}
				os.Mkdir(filepath.Join(top, "a"), 0o700)
				_, err = g.Fetch(t.Context(), src, commit, filepath.Join(top, "a", "tree"), Fetching{})
				if refused := ext.KindOf(err) == ext.Refused; err == nil || !refused && (g == loose && c.want != "" || KindOf(err) != Malformed) {
					t.Fatalf("%s: got %v, want it refused", what, err)
				}
				if g == loose && !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: got %v, want %q in it", what, err, c.want)
				}
				if there, _ := os.ReadDir(top); len(there) != 1 {
					t.Errorf("%s: got %v beside", what, there)
				}
				for _, l := range lies(t, filepath.Join(top, "a")) {
					if l != "tree/" && !strings.HasPrefix(l, "tree/") || strings.Contains(l, "->") {
						t.Errorf("%s: there is %q", what, l)
					}
				}
			}
		})
	}
}

// All that is wrong with a tree is told at once.
func TestFaultsAreToldTogether(t *testing.T) {
	s := serve(t)
	r, src := s.repo("a.git")
	b := r.blob("x")
	commit := r.commitTree(r.tree(file{"20644", "dev", b}, file{"100644", `a\b`, b}, file{"100644", ".git", b}))
	g := newGit(t)
	g.loose = true
	_, err := g.Fetch(t.Context(), src, commit, filepath.Join(t.TempDir(), "tree"), Fetching{})
	for _, want := range []string{"mode 20644", `a\\b`, ".git"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

// A few bytes that stand for ten thousand millions of files, or of bytes, end soon.
func TestBombs(t *testing.T) {
	s := serve(t)
	trees := func(r *repo, leaf file) string {
		for range 10 {
			var same []file
			for i := range 10 {
				same = append(same, file{leaf.mode, fmt.Sprint(i), leaf.text})
			}
			leaf = file{"40000", "", r.tree(same...)}
		}
		return leaf.text
	}
	for name, c := range map[string]struct {
		make func(r *repo) string
		b    unpack.Bounds
		want string
	}{
		"files":        {func(r *repo) string { return trees(r, file{"100644", "", r.blob("x")}) }, unpack.Bounds{Entries: 1000}, "more than 1000"},
		"empty trees":  {func(r *repo) string { return trees(r, file{"40000", "", r.tree()}) }, unpack.Bounds{Entries: 1000}, "more than 1000"},
		"a large file": {func(r *repo) string { return r.tree(file{"100644", "x", r.blob(strings.Repeat("0", 9<<20))}) }, unpack.Bounds{File: 1 << 20}, "bytes"},
		"many bytes": {func(r *repo) string {
			b := r.blob(strings.Repeat("0", 1<<20))
			var same []file
			for i := range 30 {
				same = append(same, file{"100644", fmt.Sprint(i + 10), b})
			}
			return r.tree(same...)
		}, unpack.Bounds{Bytes: 20 << 20}, "20 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			r, src := s.repo(strings.ReplaceAll(name, " ", "") + ".git")
			commit := r.commitTree(c.make(r))
			g := newGit(t, func(o *Options) { o.Bounds = c.b })
			_, err := g.Fetch(t.Context(), src, commit, filepath.Join(t.TempDir(), "tree"), Fetching{})
			if ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a refusal with %q", err, c.want)
			}
		})
	}
}

// What is transferred is bounded while it comes.
func TestTransferIsBounded(t *testing.T) {
	s := serve(t)
	r, src := s.repo("a.git")
	var noise strings.Builder
	for i := 0; noise.Len() < 30<<20; i++ { // it does not get smaller
		noise.WriteString(ext.Sum(fmt.Append(nil, i)).String())
	}
	r.git("", "config", "core.compression", "0")
	commit := r.commit("main", file{"100644", "big", noise.String()})
	g := newGit(t, func(o *Options) { o.Bounds = unpack.Bounds{Bytes: 1 << 20} })
	ended := make(chan struct{})
	dir := filepath.Join(t.TempDir(), "objects", "pack")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tmp_pack_x"), make([]byte, 3<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	go watch(t.Context(), filepath.Dir(filepath.Dir(dir)), 2<<20, func(err error) {
		if !errors.Is(err, errTooBig) {
			t.Errorf("watch: got %v", err)
		}
		close(ended)
	})
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("watch did not end it")
	}
	top := t.TempDir()
	_, err := g.Fetch(t.Context(), src, commit, filepath.Join(top, "tree"), Fetching{})
	if err == nil || KindOf(err) != TooBig && ext.KindOf(err) != ext.Refused {
		t.Errorf("got %v, want it too big", err)
	}
	if got := lies(t, top); len(got) > 1 {
		t.Errorf("there is %q", got)
	}
}
