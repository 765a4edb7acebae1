package scribe

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/git"
)

// repo is the working tree of a monorepo that a test makes.
type repo struct {
	t   testing.TB
	dir string
}

// one is a manifest of version 1, and more of it.
func one(more ...string) string {
	five := `"tenant": "acme", "colony": "c1", "program": "p", "target_system": "t", "design_repo_url": "https://example.org/d.git"`
	return "{" + strings.Join(append([]string{`"schema_version": 1`, five}, more...), ",\n") + "}\n"
}

// free is a manifest that protects nothing.
const free = `"protected_branches": []`

// newRepo has a manifest in its first commit, on main.
func newRepo(t testing.TB, manifest string) *repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t, dir}
	r.git("init", "-q", "-b", "main")
	if manifest != "" {
		r.put(Path, manifest)
	}
	r.put("other", "other\n")
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

// state is what a refusal must leave alone.
func (r *repo) state() string {
	r.t.Helper()
	var files strings.Builder
	filepath.WalkDir(r.dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return filepath.SkipDir
		}
		info, err := os.Lstat(name)
		if err != nil {
			return err
		}
		data, _ := os.ReadFile(name)
		fmt.Fprintf(&files, "%s %v %q\n", strings.TrimPrefix(name, r.dir), info.Mode(), data)
		return nil
	})
	return r.git("for-each-ref") + r.git("ls-files", "-s") + files.String()
}

func (r *repo) changed(commit string) string {
	return r.git("diff-tree", "-r", "--root", "--no-commit-id", "--name-status", commit)
}

func newGit(t testing.TB) *git.Git {
	t.Helper()
	g, err := git.New(git.Options{Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}})
	if err != nil {
		t.Skipf("no git: %v", err)
	}
	return g
}

// committing is a migration that is committed.
func (r *repo) committing() Migrating {
	return Migrating{Dir: r.dir, Commit: true, Git: newGit(r.t), As: As{Name: "ops", Role: "migrator"}}
}

func (r *repo) migrate(o Migrating) *Migrated {
	r.t.Helper()
	m, err := Migrate(r.t.Context(), o)
	if err != nil {
		r.t.Fatalf("Migrate: %v", err)
	}
	return m
}

// version is what the manifest in the working tree is of.
func (r *repo) version() int {
	r.t.Helper()
	m, err := colony.Read([]byte(r.text(Path)))
	if err != nil {
		r.t.Fatal(err)
	}
	return m.Version
}
