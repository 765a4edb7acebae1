package checkout

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/git"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 5 && strings.HasPrefix(os.Args[1], "make") {
		os.Exit(helpMake(os.Args[1] == "make-later", os.Args[2], os.Args[3], os.Args[4]))
	}
	os.Exit(m.Run())
}

// helpMake makes a checkout of a repository in another process, with a word on each
// step, and then sweeps; as if it were later, so that it removes it.
func helpMake(hence bool, dir, repository, commit string) int {
	step := func(what string) { fmt.Println(what) }
	s := Store{Dir: dir, Digest: func(ctx context.Context, dir string) (ext.Digest, error) {
		step("digest")
		defer step("digested")
		return discover.Digest(ctx, dir)
	}}
	err := fetchInto(context.Background(), s, repository, commit, step)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	step("made")
	if hence {
		s = later(s)
	}
	_, err = s.Sweep(context.Background(), nil)
	step("swept")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func fetchInto(ctx context.Context, s Store, repository, commit string, step func(string)) error {
	g, err := git.New(git.Options{Env: os.Environ()})
	if err != nil {
		return err
	}
	src, _, err := git.Parse(repository, git.Allow{Local: true})
	if err != nil {
		return err
	}
	_, err = s.Make(ctx, Key{Name: "acme", Commit: commit}, func(ctx context.Context, dir string) error {
		step("fill")
		defer step("filled")
		_, err := g.Fetch(ctx, src, commit, dir, git.Fetching{Modules: &git.Modules{}, Progress: func(p git.Progress) { step(p.Phase) }})
		return err
	})
	return err
}

// aRepository is one with a commit of many files.
func aRepository(t *testing.T) (dir, commit string) {
	t.Helper()
	return aRepositoryOf(t, 400)
}

func aRepositoryOf(t testing.TB, files int) (dir, commit string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	var b strings.Builder
	for i := range files {
		text := strings.Repeat(fmt.Sprint(i, "\n"), 100)
		fmt.Fprintf(&b, "M 100644 inline d%d/f%d\ndata %d\n%s\n", i/50, i, len(text), text)
	}
	dir = filepath.Join(t.TempDir(), "r.git")
	return dir, commitIn(t, dir, b.String())
}

// commitIn makes a repository with one commit, of what fast-import is told.
func commitIn(t testing.TB, dir, what string) (commit string) {
	t.Helper()
	run := func(in string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_DIR=" + dir}
		cmd.Stdin = strings.NewReader(in)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	run("", "init", "-q", "--bare", "-b", "main")
	run("commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\nx\n"+what, "fast-import", "--quiet")
	return run("", "rev-parse", "refs/heads/main")
}

// aRepositoryWithSubmodules is one that has another twice.
func aRepositoryWithSubmodules(t *testing.T) (dir, commit string) {
	t.Helper()
	lib, inLib := aRepositoryOf(t, 150)
	dir = filepath.Join(filepath.Dir(lib), "s.git")
	text := ""
	for _, at := range []string{"a", "b/c"} {
		text += fmt.Sprintf("[submodule %q]\n\tpath = %s\n\turl = ../r.git\n", at, at)
	}
	return dir, commitIn(t, dir, fmt.Sprintf("M 100644 inline .gitmodules\ndata %d\n%s\nM 160000 %s a\nM 160000 %s b/c\n", len(text), text, inLib, inLib))
}

func startMake(t *testing.T, how, dir, repository, commit string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], how, dir, repository, commit)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// A process that is killed at whatever moment leaves nothing that looks whole and is
// not, and what it leaves is removed by the next sweep.
func TestKilledAtAnyMoment(t *testing.T) {
	repository, commit := aRepository(t)
	killedAtAnyMoment(t, repository, commit, 50)
}

// So does one that is killed while it fetches submodules.
func TestKilledWithSubmodules(t *testing.T) {
	repository, commit := aRepositoryWithSubmodules(t)
	dir := killedAtAnyMoment(t, repository, commit, 16)
	for _, name := range []string{"a/d0/f0", "b/c/d2/f149"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// killedAtAnyMoment is where the checkout is when it was made at last.
func killedAtAnyMoment(t *testing.T, repository, commit string, rounds int) (dir string) {
	t.Helper()
	k := Key{Name: "acme", Commit: commit}
	want := mustFetch(t, repository, commit)
	cmd, steps := startMake(t, "make-later", filepath.Join(t.TempDir(), "plugins"), repository, commit)
	count := 0
	for steps.Scan() {
		count++
	}
	if err := cmd.Wait(); err != nil || count < 10 {
		t.Fatalf("%d steps, %v, want more", count, err)
	}
	s := newStore(t)
	for i := range rounds {
		at := rand.IntN(count + 1)
		cmd, steps := startMake(t, "make-later", s.Dir, repository, commit)
		for n := 0; n < at && steps.Scan(); n++ {
		}
		cmd.Process.Kill()
		io.Copy(io.Discard, cmdOut(steps))
		cmd.Wait()
		if c, err := s.Open(k); err == nil {
			if err := s.Verify(t.Context(), k, want); err != nil || c.Digest != want {
				t.Fatalf("round %d, killed at step %d: %v, want it whole", i, at, err)
			}
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("round %d, killed at step %d: %v", i, at, err)
		}
		if i%2 == 0 { // every other one finds what was left
			continue
		}
		sweepAll(t, s)
	}
	if err := fetchInto(t.Context(), s, repository, commit, func(string) {}); err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(t.Context(), k, want); err != nil {
		t.Error(err)
	}
	return s.Path(k)
}

// cmdOut is what a scanner has not read; a killed process writes no more.
func cmdOut(s *bufio.Scanner) io.Reader {
	for s.Scan() {
	}
	return strings.NewReader("")
}

func mustFetch(t *testing.T, repository, commit string) ext.Digest {
	t.Helper()
	s := newStore(t)
	if err := fetchInto(t.Context(), s, repository, commit, func(string) {}); err != nil {
		t.Fatal(err)
	}
	c, err := s.Open(Key{Name: "acme", Commit: commit})
	if err != nil {
		t.Fatal(err)
	}
	return c.Digest
}

// sweepAll sweeps until the programs that were ended with their host are gone as well,
// and wants nothing to be left.
func sweepAll(t *testing.T, s Store) {
	t.Helper()
	var err error
	for range 1000 {
		var got Swept
		if got, err = later(s).Sweep(t.Context(), nil); len(got.Kept) > 0 {
			t.Fatalf("kept %+v, want nothing", got.Kept)
		}
		if err == nil && len(below(t, s)) == 0 {
			return
		}
	}
	t.Fatalf("there is %q, %v, want nothing", below(t, s), err)
}

// Two processes that make the same at once both have it, and leave nothing else.
func TestTwoProcesses(t *testing.T) {
	repository, commit := aRepository(t)
	want := mustFetch(t, repository, commit)
	for range 3 {
		s := newStore(t)
		var both sync.WaitGroup
		for range 2 {
			cmd, steps := startMake(t, "make", s.Dir, repository, commit)
			both.Go(func() {
				for steps.Scan() {
				}
				if err := cmd.Wait(); err != nil {
					t.Errorf("another process: %v", err)
				}
			})
		}
		err := fetchInto(t.Context(), s, repository, commit, func(string) {})
		both.Wait()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Verify(t.Context(), Key{Name: "acme", Commit: commit}, want); err != nil {
			t.Error(err)
		}
		sweepAll(t, s)
	}
}

// small is a file system of a megabyte.
func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// On a full disk nothing is made, what was there stays, and what is told says so.
func TestDiskFull(t *testing.T) {
	repository, commit := aRepository(t)
	s := newStore(t)
	s.Dir = filepath.Join(small(t), "plugins")
	kept := mustMake(t, s, Key{Name: "kept", Commit: key.Commit}, "plugin.json")
	err := fetchInto(t.Context(), s, repository, commit, func(string) {})
	if git.KindOf(err) != git.Disk || !strings.Contains(err.Error(), "make room") {
		t.Errorf("a fetch: got %v, want it told that the disk is full", err)
	}
	_, err = s.Make(t.Context(), key, func(_ context.Context, dir string) error {
		return errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "x"), make([]byte, 4<<20), 0o600))
	})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a large file: got %v, want %v", err, syscall.ENOSPC)
	}
	if _, err := s.Open(key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want no checkout", err)
	}
	if err := s.Verify(t.Context(), kept.Key, kept.Digest); err != nil {
		t.Errorf("what was there: %v", err)
	}
	if got := below(t, s); len(got) != 3 || !slices.Contains(got, "acme") {
		t.Errorf("got %q, want what was there and an empty directory", got)
	}
	mustMake(t, s, key, "plugin.json")
}

// Where nothing can be written all is told, and what is there is read.
func TestReadOnly(t *testing.T) {
	s := newStore(t)
	top := small(t)
	s.Dir = filepath.Join(top, "plugins")
	c := mustMake(t, s, key, "plugin.json")
	if err := unix.Mount("none", top, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skipf("nothing can be mounted here: %v", err)
	}
	if _, err := s.Make(t.Context(), other("b"), fills("x")); !errors.Is(err, syscall.EROFS) {
		t.Errorf("Make: got %v, want %v", err, syscall.EROFS)
	}
	if got, err := later(s).Sweep(t.Context(), nil); !errors.Is(err, syscall.EROFS) || len(got.Removed) > 0 {
		t.Errorf("Sweep: got %+v, %v, want %v", got, err, syscall.EROFS)
	}
	if err := s.Verify(t.Context(), key, c.Digest); err != nil {
		t.Errorf("Verify: %v", err)
	}
	if all, err := s.List(); err != nil || len(all) != 1 {
		t.Errorf("List: got %v, %v, want the one", all, err)
	}
}
