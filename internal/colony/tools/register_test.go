package tools

import (
	"context"
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

// wood is the working tree of a monorepo that a test makes.
type wood struct {
	t   *testing.T
	dir string
	git *git.Git
}

const manifest = `{"tenant": "a", "colony": "c", "program": "p", "target_system": "t", "design_repo_url": "u", "schema_version": 2}`

func newWood(t *testing.T, pairs ...string) *wood {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is needed")
	}
	env := append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	g, err := git.New(git.Options{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	w := &wood{t, t.TempDir(), g}
	w.run("init", "-q", "-b", "work", ".")
	w.put(colony.Path, manifest)
	for i := 0; i < len(pairs); i += 2 {
		w.put(pairs[i], pairs[i+1])
	}
	w.run("add", "-A")
	w.run("commit", "-q", "-m", "one")
	return w
}

func (w *wood) put(name, text string) {
	w.t.Helper()
	at := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o777), os.WriteFile(at, []byte(text), 0o666)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wood) read(name string) string {
	data, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
	if err != nil {
		return "none"
	}
	return string(data)
}

func (w *wood) run(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@x", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@x")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

func (w *wood) register(e Entry, source, branch string) (*Registered, error) {
	return Register(context.Background(), Registering{Git: w.git, Dir: w.dir, Branch: branch, As: scribe.As{Name: "ada"}, Entry: e, Source: source})
}

var solver = Entry{Name: "solver", Purpose: "cfd", Location: "subdir:.colony/tools/solver.py", Capability: "flow", Class: "solver.Solver"}

const solverSource = head + "class Solver(ToolCapability):\n    spec = ToolSpec(capabilities=['flow'])\n"

// TestRegisterIsOneCommit wants the source and the entry in one commit (the reference makes
// two, and who is stopped in between has a source without an entry).
func TestRegisterIsOneCommit(t *testing.T) {
	w := newWood(t)
	w.put(".colony/tools/solver.py", solverSource)
	w.put("unrelated", "x")
	w.run("add", "unrelated")
	r, err := w.register(solver, ".colony/tools/solver.py", "")
	if err != nil {
		t.Fatal(err)
	}
	if r.Outcome.Verdict != Contained || r.Replaced || !r.Commit.Made {
		t.Errorf("Register: got %+v", r)
	}
	if got, want := w.run("show", "--format=%an", "--name-only", "HEAD"), "agent:ada:agent\n\n.colony/tool-registry.json\n.colony/tools/solver.py\n"; got != want {
		t.Errorf("the commit: got %q, want %q", got, want)
	}
	if got, want := w.run("status", "--porcelain"), "A  unrelated\n"; got != want {
		t.Errorf("what is left: got %q, want %q", got, want)
	}
	changed := solver
	changed.Capability = "heat"
	w.put(".colony/tools/solver.py", strings.ReplaceAll(solverSource, "flow", "heat"))
	if r, err = w.register(changed, ".colony/tools/solver.py", ""); err != nil || !r.Replaced || r.Outcome.Verdict != Contained {
		t.Errorf("Register of a source that was changed: got %+v, %v", r, err)
	}
}

// TestRegisterReadsWhatIsCommitted wants the class to be judged as everybody will have it,
// and not as it lies in the working tree.
func TestRegisterReadsWhatIsCommitted(t *testing.T) {
	w := newWood(t, ".colony/tools/solver.py", solverSource)
	w.put(".colony/tools/solver.py", "nothing")
	if r, err := w.register(solver, "", ""); err != nil || r.Outcome.Verdict != Contained {
		t.Errorf("Register: got %+v, %v, want the class of the commit", r, err)
	}
	r, err := w.register(solver, "", "other")
	if err != nil || !r.Commit.Made && r.Commit.Branch != "other" {
		t.Errorf("Register on a branch that is not there: got %+v, %v", r, err)
	}
}

func TestRegisterRefuses(t *testing.T) {
	broken := `{"tools": 1}`
	for _, c := range []struct {
		name   string
		before func(*wood)
		entry  Entry
		source string
		branch string
		want   string
	}{
		{"another capability", nil, Entry{Name: "solver", Purpose: "cfd", Class: "solver.Solver", Capability: "mesh"}, "", "", `spec has "flow", and not "mesh"`},
		{"no name", nil, Entry{Purpose: "cfd"}, "", "", `"name" is empty`},
		{"a name that discovery refuses", nil, Entry{Name: "a\x1b[31m", Purpose: "cfd", Capability: "flow", Location: "subdir:x"}, "", "", "characters that do not show"},
		{"a broken catalogue", func(w *wood) { w.put(Path, broken) }, solver, "", "", "mend it first"},
		{"a catalogue that is not committed", func(w *wood) { w.put(Path, `{"tools": [ ]}`) }, solver, "", "", "has changes that are not committed"},
		{"a protected branch", nil, solver, "", "main", "is protected"},
		{"a source above", nil, solver, "../x.py", "", "does not lie in the monorepo"},
		{"a source that is not there", nil, solver, "x.py", "", "read the source"},
		{"a source that is a link", func(w *wood) { os.Symlink("/etc/passwd", filepath.Join(w.dir, "x.py")) }, solver, "x.py", "", "is no file of its own"},
		{"the catalogue as a source", nil, solver, Path, "", "is no source of a tool"},
		{"what agents may not write", func(w *wood) { w.put("x.py", "eval('1')\n") }, solver, "x.py", "", `x.py:1:1: the built-in "eval" is not on the list`},
		{"while git is held", func(w *wood) { w.put(".git/index.lock", "") }, solver, "", "", "lock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWood(t, ".colony/tools/solver.py", solverSource, Path, `{"tools": []}`)
			if c.before != nil {
				c.before(w)
			}
			catalogue, head, status := w.read(Path), w.run("rev-parse", "HEAD"), w.run("status", "--porcelain")
			_, err := w.register(c.entry, c.source, c.branch)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Register: got %v, want %q in it", err, c.want)
			}
			if w.read(Path) != catalogue || w.run("rev-parse", "HEAD") != head || w.run("status", "--porcelain") != status {
				t.Errorf("Register left something behind: %s", w.run("status", "--porcelain"))
			}
		})
	}
	var mismatch *MismatchError
	w := newWood(t, "solver.py", solverSource)
	_, err := w.register(Entry{Name: "s", Purpose: "p", Class: "solver.Solver"}, "", "")
	if !errors.As(err, &mismatch) || ext.KindOf(err) != ext.Refused || mismatch.Outcome.Line != 4 {
		t.Errorf("Register: got %v, want a *MismatchError with the line", err)
	}
}
