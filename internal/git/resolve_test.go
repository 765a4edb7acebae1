package git

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// Every way to name a commit is resolved as git does it, or told.
func TestResolve(t *testing.T) {
	s := serve(t)
	r, src := s.repo("a.git")
	first := r.commit("main", file{"100644", "x", "1"})
	r.git("", "tag", "light", first)
	r.git("", "tag", "-a", "-m", "x", "heavy", first)
	r.git("", "tag", "-a", "-m", "x", "twice", "heavy")
	second := r.commit("feature/x", file{"100644", "x", "2"})
	r.git("", "tag", "same", first)
	r.git("", "update-ref", "refs/heads/same", second)
	r.git("", "update-ref", "refs/pull/1/head", second)
	r.git("", "update-ref", "refs/heads/deeper/main", second)
	g := newGit(t)
	for ref, want := range map[string]string{
		"": first, "HEAD": first, "main": first, "feature/x": second, "light": first, "heavy": first, "twice": first, "same": first,
		"refs/heads/same": second, "refs/tags/heavy": first, "refs/pull/1/head": second, first: first, strings.Repeat("a", 40): strings.Repeat("a", 40),
		first[:7]: first, second[:10]: second,
	} {
		if got, err := g.Resolve(t.Context(), src, ref); err != nil || got.Commit != want || got.At != src {
			t.Errorf("Resolve(%q): got %v, %v, want %s", ref, got, err, want)
		}
	}
	for ref, want := range map[string]Kind{"none": NoRef, "x": NoRef, "abcdef0": NoRef, "refs/heads/none": NoRef} {
		if _, err := g.Resolve(t.Context(), src, ref); KindOf(err) != want || !strings.Contains(fmt.Sprint(err), src.String()) {
			t.Errorf("Resolve(%q): got %v, want %s", ref, err, want)
		}
	}
	if _, err := g.Resolve(t.Context(), src, "--upload-pack=x"); ext.KindOf(err) != ext.Usage {
		t.Errorf("an option: got %v, want a usage error", err)
	}
	empty, emptySrc := s.repo("empty.git")
	_ = empty
	if _, err := g.Resolve(t.Context(), emptySrc, ""); KindOf(err) != NoRef || !strings.Contains(err.Error(), "default branch") {
		t.Errorf("nothing in it: got %v, want it told", err)
	}
}

// What keeps a source from being reached is sorted by what can be done about it.
func TestResolveFailures(t *testing.T) {
	s := serve(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasPrefix(r.URL.Path, "/broken"):
				w.WriteHeader(http.StatusBadGateway)
			case strings.HasPrefix(r.URL.Path, "/denied"):
				w.WriteHeader(http.StatusForbidden)
			case strings.HasPrefix(r.URL.Path, "/page"):
				fmt.Fprint(w, "<html>hello")
			default:
				next.ServeHTTP(w, r)
			}
		})
	})
	g := newGit(t)
	for address, want := range map[string]Kind{
		s.URL + "/none": Missing, s.URL + "/broken": Network, s.URL + "/denied": Login, s.URL + "/page": NoRef, "http://127.0.0.1:1/x": Network,
		"https://" + strings.TrimPrefix(s.URL, "http://") + "/x": Unknown, "file://" + t.TempDir() + "/none": Missing,
	} {
		if _, err := g.Resolve(t.Context(), source(t, address), ""); err == nil || KindOf(err) != want {
			t.Errorf("%s: got %q: %v, want %q", address, KindOf(err), err, want)
		}
	}
	if _, err := New(Options{Env: []string{"PATH=" + t.TempDir()}}); err == nil || !strings.Contains(err.Error(), "install git") {
		t.Errorf("without git: got %v, want it told", err)
	}
	if v, err := g.Version(t.Context()); err != nil || !strings.Contains(v, ".") {
		t.Errorf("Version: got %q, %v", v, err)
	}
}

// Of many, one that fails costs the others nothing, and the order is that of the
// questions.
func TestResolveAll(t *testing.T) {
	s := serve(t)
	var asks []Ask
	var want []string
	for i := range 10 {
		r, src := s.repo(fmt.Sprintf("r%d.git", i))
		want = append(want, r.commit("main", file{"100644", "x", fmt.Sprint(i)}))
		asks = append(asks, Ask{src, ""})
	}
	asks[4].Source, want[4] = source(t, s.URL+"/none"), ""
	for i, a := range newGit(t, func(o *Options) { o.Parallel = 3 }).ResolveAll(t.Context(), asks) {
		if a.Commit != want[i] || (a.Err == nil) != (want[i] != "") {
			t.Errorf("%d: got %v, %v, want %s", i, a.Found, a.Err, want[i])
		}
	}
}

// STA-05: what is new is told by the commit, whatever version the files name.
func TestField_STA05_theCommitTellsWhatIsNew(t *testing.T) {
	s := serve(t)
	r, src := s.repo("a.git")
	g := newGit(t)
	r.commit("main", file{"100644", "plugin.json", `{"version":"1.0.0"}`}, file{"100644", "x", "old"})
	before, err1 := g.Resolve(t.Context(), src, "")
	r.commit("main", file{"100644", "plugin.json", `{"version":"1.0.0"}`}, file{"100644", "x", "new"})
	after, err2 := g.Resolve(t.Context(), src, "")
	if err1 != nil || err2 != nil || before.Commit == after.Commit {
		t.Errorf("got %v, %v and %v, %v, want two commits", before, err1, after, err2)
	}
}

// old has hosts speak as they did before single commits were given.
func old(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Git-Protocol")
		next.ServeHTTP(w, r)
	})
}

// A commit that is no tip comes from a host that gives only those, and from one that
// only serves files; one that nothing leads to is told.
func TestFetchFromOldHosts(t *testing.T) {
	s := serve(t, old)
	r, src := s.repo("a.git")
	first := r.commit("main", file{"100644", "x", "1"})
	r.git("", "tag", "-a", "-m", "x", "v1", first)
	second := r.git("x", "commit-tree", "-p", first, r.tree(file{"100644", "y", r.blob("2")}))
	r.git("", "update-ref", "refs/heads/main", second)
	lost := r.git("lost", "commit-tree", first+"^{tree}")
	r.git("", "update-server-info")
	files := serve(t, func(http.Handler) http.Handler { return http.FileServer(http.Dir(s.dir)) })
	g := newGit(t)
	for what, from := range map[string]Source{"an old host": src, "files alone": source(t, files.URL+"/a.git"), "a path": source(t, r.dir)} {
		for commit, ref := range map[string]string{first: "", second: "main"} {
			dir := filepath.Join(t.TempDir(), "tree")
			f, err := g.Fetch(t.Context(), from, commit, dir, Fetching{Ref: ref})
			if err != nil || f.Files != 1 {
				t.Errorf("%s: got %+v, %v, want the one file of %s", what, f, err, commit)
			}
		}
		if what == "a path" { // it gives whatever is there
			continue
		}
		if _, err := g.Fetch(t.Context(), from, lost, filepath.Join(t.TempDir(), "tree"), Fetching{}); KindOf(err) != NoRef {
			t.Errorf("%s: a commit that nothing leads to: got %v, want it told", what, err)
		}
	}
	tree := r.git("", "rev-parse", first+"^{tree}")
	for what, id := range map[string]string{"a tree": tree, "nothing": strings.Repeat("a", 40)} {
		if _, err := g.Fetch(t.Context(), src, id, filepath.Join(t.TempDir(), "tree"), Fetching{}); err == nil {
			t.Errorf("%s: got no error", what)
		}
	}
}

// INS-09: a submodule whose address nobody here can reach costs nothing, and is named.
// INS-10: whether a file may be executed is kept.
func TestField_INS09_INS10_submodulesAndModes(t *testing.T) {
	s := serve(t)
	lib, _ := s.repo("lib.git")
	libCommit := lib.commit("main", file{"100644", "lib.md", "lib"})
	r, src := s.repo("a.git")
	commit := r.commit("main",
		file{"100644", ".gitmodules", "[submodule \"a\"]\n\tpath = vendor/a\n\turl = git@h.invalid:acme/private.git\n[submodule \"b\"]\n\tpath = vendor/b\n\turl = ../lib.git\n[submodule \"c\"]\n\tpath = vendor/c\n\turl = ext::touch x\n"},
		file{"160000", "vendor/a", strings.Repeat("a", 40)}, file{"160000", "vendor/b", libCommit}, file{"160000", "vendor/c", libCommit}, file{"160000", "vendor/d", libCommit},
		file{"100755", "hooks/stop.sh", "x"}, file{"100644", "hooks/start.sh", "x"})
	g := newGit(t)
	dir := filepath.Join(t.TempDir(), "tree")
	f, err := g.Fetch(t.Context(), src, commit, dir, Fetching{})
	if err != nil || len(f.Modules) != 4 || f.Modules[0].URL != "git@h.invalid:acme/private.git" || f.Modules[0].Path != "vendor/a" || f.Modules[0].Fetched {
		t.Fatalf("got %+v, %v, want four submodules named and none fetched", f, err)
	}
	want := []string{".gitmodules", "hooks/", "hooks/start.sh false \"x\"", "hooks/stop.sh true \"x\"", "vendor/", "vendor/a/", "vendor/b/", "vendor/c/", "vendor/d/"}
	got := lies(t, dir)
	got[0] = ".gitmodules"
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A file that stands for one in Git LFS stays what it is, and is named.
func TestPointersAreNamed(t *testing.T) {
	s := serve(t)
	r, src := s.repo("a.git")
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 3\n"
	commit := r.commit("main", file{"100644", ".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n"}, file{"100644", "a.bin", pointer})
	dir := filepath.Join(t.TempDir(), "tree")
	f, err := newGit(t).Fetch(t.Context(), src, commit, dir, Fetching{})
	if err != nil || !slices.Equal(f.Pointers, []string{"a.bin"}) {
		t.Errorf("got %+v, %v, want a.bin named", f, err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "a.bin")); string(got) != pointer {
		t.Errorf("got %q, want the pointer", got)
	}
}

// A repository of the longer hashes is fetched like any other.
func TestLongHashes(t *testing.T) {
	s := serve(t)
	dir := filepath.Join(s.dir, "long.git")
	cmd := exec.Command("git", "init", "-q", "--bare", "-b", "main", "--object-format=sha256", dir)
	cmd.Env = testEnv()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("this git has none: %s", out)
	}
	r := &repo{t, dir}
	want := r.commit("main", file{"100644", "x", "x"})
	g := newGit(t)
	src := source(t, s.URL+"/long.git")
	found, err := g.Resolve(t.Context(), src, "main")
	if err != nil || found.Commit != want || len(want) != 64 {
		t.Fatalf("got %v, %v, want %s", found, err, want)
	}
	if _, err := g.Fetch(t.Context(), src, want, filepath.Join(t.TempDir(), "tree"), Fetching{Ref: "main"}); err != nil {
		t.Error(err)
	}
}

// What is in the way of writing is told, and is not touched.
func TestFetchIntoWhatIsThere(t *testing.T) {
	s := serve(t)
	r, src := s.repo("a.git")
	commit := r.commit("main", file{"100644", "x", "x"})
	top := t.TempDir()
	if _, err := newGit(t).Fetch(t.Context(), src, commit, top, Fetching{}); err == nil {
		t.Error("a directory that is there: got no error")
	}
	if there, _ := os.ReadDir(top); len(there) > 0 {
		t.Errorf("there is %v", there)
	}
	if _, err := newGit(t, func(o *Options) { o.Bounds = unpack.Bounds{Entries: 1} }).Fetch(t.Context(), src, commit[:10], top+"/x", Fetching{}); ext.KindOf(err) != ext.Usage {
		t.Errorf("a part of a hash: got %v, want a usage error", err)
	}
}
