//go:build unix

package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

// killAt has the test binary be killed at a step of a commit.
const killAt = "MORTISE_TEST_KILL_AT"

// TestKilledThere is what a killed process does.
func TestKilledThere(t *testing.T) {
	at := os.Getenv(killAt)
	if at == "" {
		t.Skip("it is killed by another test")
	}
	step, dir, _ := strings.Cut(at, " ")
	g := newGit(t)
	g.at = func(s string) {
		if s == step {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	}
	w := &wood{t, dir}
	_, err := w.open(g).Commit(t.Context(), committing("a/manifest", "two\n"))
	t.Fatalf("it was not killed: %v", err)
}

// Who is killed leaves a repository that goes on working: nothing, or the file staged, or
// all of it, and no lock. A second try makes the commit that the first did not.
func TestCommitIsKilled(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for step, want := range map[string]string{"built": " M a/manifest", "prepared": " M a/manifest", "staged": "M  a/manifest", "moved": ""} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			w := begun(t)
			w.git("config", "core.filesRefLockTimeout", "20000") // git waits for what the killed one's git takes away
			head := w.git("rev-parse", "HEAD")
			w.put("a/manifest", "two\n")
			cmd := exec.Command(exe, "-test.run=^TestKilledThere$")
			cmd.Env = append(os.Environ(), killAt+"="+step+" "+w.dir)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("it was not killed: %v\n%s", err, out)
			}
			if s := w.git("status", "--porcelain"); s != want {
				t.Errorf("afterwards there is %q, want %q", s, want)
			}
			got, err := w.open(newGit(t)).Commit(t.Context(), committing("a/manifest", "two\n"))
			if err != nil || got.Made != (step != "moved") || w.git("rev-list", "HEAD") != got.Commit+"\n"+head {
				t.Errorf("a second try: got %+v, %v, want one commit", got, err)
			}
			if s := w.git("status", "--porcelain"); s != "" {
				t.Errorf("in the end there is %q", s)
			}
			for _, l := range lies(t, filepath.Join(w.dir, ".git")) {
				if strings.Contains(l, ".lock") {
					t.Errorf("there is left %q", l)
				}
			}
		})
	}
}

// Nothing that a repository, or what it holds, names is run by a commit, and nothing is
// written to its configuration.
func TestCommitRunsNothing(t *testing.T) {
	w := begun(t)
	marks := t.TempDir()
	trap := filepath.Join(program(t, "trap", `touch "`+marks+`/$(basename "$0")"; exit 1`), "trap")
	for _, hook := range []string{"pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "reference-transaction", "post-index-change", "pre-auto-gc", "fsmonitor-watchman"} {
		if err := os.Symlink(trap, filepath.Join(w.dir, ".git", "hooks", hook)); err != nil && !errors.Is(err, os.ErrExist) {
			t.Fatal(err)
		}
	}
	for _, kv := range [][2]string{
		{"core.fsmonitor", trap}, {"core.editor", trap}, {"core.pager", trap}, {"core.sshCommand", trap}, {"core.hooksPath", filepath.Dir(trap)},
		{"gpg.program", trap}, {"gpg.ssh.program", trap}, {"gpg.ssh.defaultKeyCommand", trap}, {"commit.gpgsign", "false"}, {"diff.external", trap},
		{"filter.x.clean", trap}, {"filter.x.smudge", trap}, {"filter.x.process", trap}, {"core.alternateRefsCommand", trap}, {"credential.helper", trap},
	} {
		w.git("config", kv[0], kv[1])
	}
	config, _ := os.ReadFile(filepath.Join(w.dir, ".git", "config"))
	if _, err := w.open(newGit(t)).Commit(t.Context(), committing("a/manifest", "two\n")); err != nil {
		t.Fatal(err)
	}
	w.put(".gitattributes", "other filter=x\n") // of another file
	if _, err := w.open(newGit(t)).Commit(t.Context(), committing("a/manifest", "three\n")); err != nil {
		t.Fatal(err)
	}
	if ran := lies(t, marks); len(ran) > 0 {
		t.Errorf("there ran %q", ran)
	}
	if now, _ := os.ReadFile(filepath.Join(w.dir, ".git", "config")); string(now) != string(config) {
		t.Errorf("the configuration is %q", now)
	}
}

// A commit is signed where the person's git signs commits, by the person's program alone;
// where it cannot be, nothing is changed.
func TestCommitIsSigned(t *testing.T) {
	key, _ := sshKey(t)
	marks := t.TempDir()
	trap := filepath.Join(program(t, "trap", `touch "`+marks+`/ran"; exit 1`), "trap")
	own := home(t, "[commit]\n\tgpgsign = true\n[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = "+key+"\n")
	signed := func(w *wood, commit string) bool {
		return strings.Contains(w.git("cat-file", "commit", commit), "\ngpgsig")
	}

	w := begun(t)
	w.git("config", "gpg.ssh.program", trap)
	w.git("config", "gpg.format", "openpgp")
	w.git("config", "gpg.program", trap)
	got, err := w.open(newGit(t, own)).Commit(t.Context(), committing("a/manifest", "two\n"))
	if err != nil || !got.Signed || !signed(w, got.Commit) {
		t.Fatalf("got %+v, %v, want it signed", got, err)
	}
	o := committing("a/manifest", "three\n")
	o.Unsigned = true
	if got, err = w.open(newGit(t, own)).Commit(t.Context(), o); err != nil || got.Signed || signed(w, got.Commit) {
		t.Errorf("unsigned on purpose: got %+v, %v", got, err)
	}
	w.git("config", "commit.gpgsign", "false")
	if got, err = w.open(newGit(t, own)).Commit(t.Context(), committing("a/manifest", "four\n")); err != nil || got.Signed {
		t.Errorf("not in this repository: got %+v, %v", got, err)
	}
	w.git("config", "commit.gpgsign", "true")
	before := w.state()
	for name, g := range map[string]*Git{
		"a key that is not there": newGit(t, home(t, "[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = /nowhere/key\n")),
		"no key":                  newGit(t),
	} {
		if _, err := w.open(g).Commit(t.Context(), committing("a/manifest", "five\n")); KindOf(err) != Unsigned || ext.KindOf(err) != ext.Failed {
			t.Errorf("%s: got %v, want that it could not be signed", name, err)
		}
		if w.state() != before {
			t.Errorf("%s: something was changed", name)
		}
	}
	if ran := lies(t, marks); len(ran) > 0 {
		t.Error("a program of the repository ran")
	}
}
