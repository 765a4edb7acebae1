//go:build unix

package scribe

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// killedIn has the test binary migrate a directory and be killed.
const killedIn = "MORTISE_TEST_KILLED_IN"

// TestKilledThere is what a killed process does.
func TestKilledThere(t *testing.T) {
	dir := os.Getenv(killedIn)
	if dir == "" {
		t.Skip("it is killed by another test")
	}
	r := &repo{t, dir}
	o := r.committing()
	o.at = func(string) { syscall.Kill(os.Getpid(), syscall.SIGKILL) }
	r.migrate(o)
	t.Fatal("it was not killed")
}

// Who is killed between writing and committing leaves a file that the next run commits.
func TestColony_27_KilledBeforeTheCommit(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := newRepo(t, one(free))
	r.put("staged", "x\n")
	r.git("add", "staged")
	cmd := exec.Command(exe, "-test.run=^TestKilledThere$")
	cmd.Env = append(os.Environ(), killedIn+"="+r.dir)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("it was not killed: %v\n%s", err, out)
	}
	if s := r.git("status", "--porcelain", "-uall"); s != " M "+Path+"\nA  staged" || r.version() != 2 {
		t.Fatalf("afterwards there is %q", s)
	}
	m := r.migrate(r.committing())
	if !m.Migrated || !m.Resumed || r.changed(m.Commit) != "M\t"+Path || r.git("status", "--porcelain", "-uall") != "A  staged" {
		t.Errorf("the next run: got %+v, want it committed", m)
	}
}

// What a killed one left beside a file goes with the next try, and nothing else.
func TestLeftoversGo(t *testing.T) {
	r := newRepo(t, one(free))
	theirs := filepath.Join(".colony", staging+"theirs")
	r.put(filepath.Join(".colony", staging+"x"), "{\n  \"colony\": \"c1\",\n")
	r.put(filepath.Join(".colony", staging+"y"), "")
	r.put(theirs, "other")
	r.migrate(Migrating{Dir: r.dir})
	if s := r.git("status", "--porcelain", "-uall"); s != " M "+Path+"\n?? "+theirs {
		t.Errorf("there is %q, want what is not ours alone", strings.Split(s, "\n"))
	}
}
