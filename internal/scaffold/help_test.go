package scaffold

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/colony/scribe"
	"github.com/mortise-dev/mortise/internal/git"
)

// repo is the working tree of a monorepo that a test makes.
type repo struct {
	t   testing.TB
	dir string
}

// manifest is one of this version, and more of it.
func manifest(more ...string) string {
	five := `"schema_version": 2, "tenant": "acme", "colony": "c1", "program": "p", "target_system": "t", "design_repo_url": "https://example.org/d.git"`
	return "{" + strings.Join(append([]string{five}, more...), ",\n") + "}\n"
}

// newRepo has a manifest in its first commit, on a branch that is not protected.
func newRepo(t testing.TB, files ...string) *repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is needed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t, dir}
	r.git("init", "-q", "-b", "work")
	r.put(colony.Path, manifest())
	for i := 0; i+1 < len(files); i += 2 {
		r.put(files[i], files[i+1])
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "begin")
	return r
}

func environ() []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "HOME=" + os.TempDir()}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env, "GIT_"+who+"_NAME=A", "GIT_"+who+"_EMAIL=a@example.com")
	}
	return env
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env, cmd.Dir = environ(), r.dir
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, &said)
	}
	return strings.TrimRight(string(out), "\n")
}

func (r *repo) put(name, text string) {
	r.t.Helper()
	at := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o777), os.WriteFile(at, []byte(text), 0o666)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) text(name string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(name)))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(data)
}

// state is all that a refusal must leave alone: the commit, what git sees changed, and the
// files.
func (r *repo) state() string {
	r.t.Helper()
	var files []string
	err := filepath.WalkDir(r.dir, func(at string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && !d.IsDir() {
			data, _ := os.ReadFile(at)
			at += ": " + string(data)
		}
		files = append(files, at)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return r.git("rev-parse", "HEAD") + "\n" + r.git("status", "--porcelain", "--ignored") + "\n" + strings.Join(files, "\n")
}

// options are those of a new thing here, with what its first template must be told.
func (r *repo) options(s colony.Surface, name string) Options {
	r.t.Helper()
	g, err := git.New(git.Options{Env: environ()})
	if err != nil {
		r.t.Fatal(err)
	}
	said := Said{"description": {"What it is."}}
	switch s {
	case colony.Tools:
		said["capability"] = []string{"flow"}
	case colony.Missions:
		said["coordinator"] = []string{"acme.lead.Lead"}
	}
	return Options{Git: g, Dir: r.dir, As: scribe.As{Name: "ada", Role: "builder"}, Surface: s, Name: name, Said: said}
}

func (r *repo) make(o Options) *Made {
	r.t.Helper()
	m, err := New(r.t.Context(), o)
	if err != nil {
		r.t.Fatalf("New(%s %s): %v", o.Surface, ext.Quote(o.Name), err)
	}
	return m
}

// refused demands that nothing is made, for a reason with a text in it, and that nothing is
// left.
func (r *repo) refused(o Options, want string) error {
	r.t.Helper()
	before := r.state()
	m, err := New(r.t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), want) {
		r.t.Errorf("New(%s %s): got %v, %v, want an error with %q", o.Surface, ext.Quote(ext.Shorten(o.Name, 40)), m, err, want)
	}
	if after := r.state(); after != before {
		r.t.Errorf("New(%s %s) left something:\n%s\nwant\n%s", o.Surface, ext.Quote(ext.Shorten(o.Name, 40)), after, before)
	}
	return err
}
