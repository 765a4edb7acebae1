package roster_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/memstore"
)

// repo is a repository that a test writes.
type repo struct {
	t   testing.TB
	dir string
}

func newRepo(t testing.TB, files map[string]string) *repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal(err)
	}
	r := &repo{t, filepath.Join(t.TempDir(), "tools")}
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q", "-b", "main", ".")
	r.commit(files)
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files, removes those that are empty, and is the commit of that.
func (r *repo) commit(files map[string]string) string {
	r.t.Helper()
	for name, text := range files {
		at := filepath.Join(r.dir, name)
		if text == "" {
			if err := os.Remove(at); err != nil {
				r.t.Fatal(err)
			}
			continue
		}
		write(r.t, at, text)
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "more")
	return r.git("rev-parse", "HEAD")
}

func (r *repo) source() string { return "file://" + r.dir }

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// zipped is an archive with one file.
func zipped(t testing.TB, name, text string) []byte {
	t.Helper()
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// bench is a roster of a machine.
type bench struct {
	*roster.Roster
	t testing.TB
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newBench(t testing.TB) *bench {
	t.Helper()
	return &bench{t: t, Roster: &roster.Roster{
		Store:     memstore.New(),
		Checkouts: checkout.Store{Dir: filepath.Join(t.TempDir(), "plugins"), Digest: discover.Digest},
		Git:       func() (*git.Git, error) { return git.New(git.Options{Env: os.Environ()}) },
		Clock:     func() time.Time { return noon }, By: "ada", Manifests: []string{"plugin.json"},
	}}
}

func (b *bench) add(w roster.Wish) state.Installed {
	b.t.Helper()
	i, err := b.Add(b.t.Context(), w)
	if err != nil {
		b.t.Fatal(err)
	}
	return i
}

// lines is the roster as it is written.
func (b *bench) lines() []state.Installed {
	b.t.Helper()
	s, err := b.Store.Load(context.Background())
	if err != nil {
		b.t.Fatal(err)
	}
	return s.Roster
}

// read is a file of a plugin as it is in use; "" when it is not there.
func (b *bench) read(i *state.Installed, name string) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(roster.Dir(b.Checkouts.Dir, i), name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		b.t.Fatal(err)
	}
	return string(text)
}

// update fetches and uses what the source of a plugin has.
func (b *bench) update(name string) (state.Installed, error) {
	b.t.Helper()
	news, err := b.Look(b.t.Context(), "", []string{name})
	if err != nil || news[0].Err != nil {
		b.t.Fatal(err, news[0].Err)
	}
	c, err := b.Fetch(b.t.Context(), &news[0], nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.Update(b.t.Context(), &news[0], c)
}

const key = ext.Name("tools")
