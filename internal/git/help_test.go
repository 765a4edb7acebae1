package git

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// newGit is a git whose person has a home of their own, and what Options a test changes.
func newGit(t testing.TB, change ...func(*Options)) *Git {
	t.Helper()
	o := Options{Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}}
	for _, c := range change {
		c(&o)
	}
	g, err := New(o)
	if err != nil {
		t.Skipf("no git: %v", err)
	}
	return g
}

// repo is a repository that a test makes.
type repo struct {
	t   testing.TB
	dir string // bare
}

func newRepo(t testing.TB, dir string) *repo {
	t.Helper()
	r := &repo{t, dir}
	cmd := exec.Command("git", "init", "-q", "--bare", "-b", "main", dir)
	cmd.Env = testEnv()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return r
}

func testEnv() []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "HOME=" + os.TempDir()}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env, "GIT_"+who+"_NAME=A", "GIT_"+who+"_EMAIL=a@example.com", "GIT_"+who+"_DATE=1700000000 +0000")
	}
	return env
}

// git runs git in the repository and answers with what it says.
func (r *repo) git(in string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = append(testEnv(), "GIT_DIR="+r.dir)
	cmd.Stdin = strings.NewReader(in)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, &said)
	}
	return strings.TrimSpace(string(out))
}

// file is one thing in a commit: content of a mode.
type file struct{ mode, path, text string }

// commit makes a commit of files by fast-import, on a branch.
func (r *repo) commit(branch string, files ...file) string {
	r.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "commit refs/heads/%s\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\nx\ndeleteall\n", branch)
	for _, f := range files {
		if f.mode == "160000" {
			fmt.Fprintf(&b, "M 160000 %s %s\n", f.text, f.path)
			continue
		}
		fmt.Fprintf(&b, "M %s inline %s\ndata %d\n%s\n", f.mode, f.path, len(f.text), f.text)
	}
	r.git(b.String(), "fast-import", "--quiet", "--force")
	return r.git("", "rev-parse", "refs/heads/"+branch)
}

// blob, tree and commitTree make objects that git itself would refuse to make.
func (r *repo) blob(text string) string {
	return r.git(text, "hash-object", "-w", "--stdin")
}

func (r *repo) tree(entries ...file) string { // text is a hash
	r.t.Helper()
	var b bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&b, "%s %s\x00", e.mode, e.path)
		for i := 0; i < len(e.text); i += 2 {
			var c byte
			fmt.Sscanf(e.text[i:i+2], "%02x", &c)
			b.WriteByte(c)
		}
	}
	return r.git(b.String(), "hash-object", "-w", "--literally", "-t", "tree", "--stdin")
}

func (r *repo) commitTree(tree string) string {
	c := r.git("x", "commit-tree", tree)
	r.git("", "update-ref", "refs/heads/main", c)
	return c
}

// server serves the repositories below a directory over HTTP, as git's own program
// does it.
type server struct {
	*httptest.Server
	t   testing.TB
	dir string
}

func serve(t testing.TB, wrap ...func(http.Handler) http.Handler) *server {
	t.Helper()
	exe, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	var h http.Handler = &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(exe)), "git-http-backend"), Stderr: io.Discard, Logger: log.New(io.Discard, "", 0),
		Env: append(testEnv(), "GIT_PROJECT_ROOT="+dir, "GIT_HTTP_EXPORT_ALL=1"),
	}
	for _, w := range wrap {
		h = w(h)
	}
	s := &server{Server: httptest.NewServer(h), t: t, dir: dir}
	t.Cleanup(s.Close)
	return s
}

func (s *server) repo(name string) (*repo, Source) {
	s.t.Helper()
	return newRepo(s.t, filepath.Join(s.dir, name)), source(s.t, s.URL+"/"+name)
}

func source(t testing.TB, text string) Source {
	t.Helper()
	s, _, err := Parse(text, Allow{Local: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// lies is what lies in a directory: paths with modes and contents.
func lies(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			rel += "/"
		case info.Mode()&os.ModeSymlink != 0:
			to, _ := os.Readlink(name)
			rel += " -> " + to
		default:
			data, _ := os.ReadFile(name)
			rel += fmt.Sprintf(" %v %q", info.Mode()&0o100 != 0, data)
		}
		out = append(out, filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}
