package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// bench is a place with a plugin's repository beside it, and something of the owner's
// that nothing may touch.
type bench struct {
	place
	o *origin
}

func newBench(t *testing.T) bench { return newBenchOn(t, 0) }

// newBenchOn is a bench whose home is a file system of its own of so many kilobytes; 0
// is none.
func newBenchOn(t *testing.T, kilobytes int) bench {
	t.Helper()
	b := bench{newPlace(t, map[string]string{"mortise.toml": "", ".mortise/skills/mine/SKILL.md": "---\nname: mine\ndescription: Mine.\n---\nMine.\n"}), &origin{t, filepath.Join(t.TempDir(), "acme")}}
	write(t, filepath.Join(b.o.dir, ".claude-plugin", "plugin.json"), `{"name": "acme"}`)
	b.o.git("init", "-q", "-b", "main", ".")
	b.release(1)
	if kilobytes > 0 {
		mount(t, b.home, kilobytes)
	}
	mine := everything(t, b.dir)
	t.Cleanup(func() {
		if !maps.Equal(mine, everything(t, b.dir)) {
			t.Errorf("%s is not as it was: nothing of a plugin may be written into its owner's directory", b.dir)
		}
	})
	return b
}

// release has the plugin's skill say n, beside a file of some size.
func (b bench) release(n int) {
	b.Helper()
	skill := filepath.Join(b.o.dir, "skills", "count")
	write(b.T, filepath.Join(skill, "SKILL.md"), fmt.Sprintf("---\nname: count\ndescription: Says %d.\n---\n%d\n", n, n))
	write(b.T, filepath.Join(skill, "notes"), strings.Repeat(fmt.Sprintln(n), 150<<10))
	b.o.git("add", "-A")
	b.o.git("commit", "-q", "-m", strconv.Itoa(n))
}

// everything is what lies below a directory: what is in files, where links lead.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch {
		case e.IsDir():
			all[path] = "a directory"
		case e.Type()&fs.ModeSymlink != 0:
			all[path], err = os.Readlink(path)
		default:
			var text []byte
			text, err = os.ReadFile(path)
			all[path] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// mount has a directory be a small file system in memory. It works for root alone, who
// is also the one that modes do not hold.
func mount(t *testing.T, dir string, kilobytes int) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", dir, "tmpfs", 0, "mode=700,size="+strconv.Itoa(kilobytes)+"k"); err != nil {
		t.Skipf("nothing can be mounted here, which takes root: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// readOnly has a directory be read-only, for root too, until it is called. The directory
// is mounted onto itself, since modes do not hold root.
func readOnly(t *testing.T, dir string) (writable func()) {
	t.Helper()
	if err := unix.Mount(dir, dir, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("nothing can be mounted here, which takes root: %v", err)
	}
	done := false
	writable = func() {
		if !done {
			done = true
			if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(writable)
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""); err != nil {
		t.Skipf("a mount cannot be made read-only here: %v", err)
	}
	return writable
}

// full leaves so many kilobytes of the home's file system, until it is called.
func (b bench) full(leave int) (room func()) {
	b.Helper()
	name := filepath.Join(b.home, "filler")
	var s unix.Statfs_t
	if err := unix.Statfs(b.home, &s); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(name, make([]byte, max(0, int(s.Bavail)*int(s.Bsize)-leave<<10)), 0o600); err != nil {
		b.Fatal(err)
	}
	return func() {
		if err := os.Remove(name); err != nil {
			b.Error(err)
		}
	}
}

func (b bench) plugins() string { return filepath.Join(b.home, "data", "plugins") }

func (b bench) source() string { return "file://" + b.o.dir }

// roster are the lines of the state that holds, by name.
func (b bench) roster() map[string]state.Installed {
	b.Helper()
	s, err := sqlstore.ReadOnly(filepath.Join(b.home, "state", "state.db")).Load(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	all := map[string]state.Installed{}
	for _, i := range s.Roster {
		all[string(i.Name)] = i
	}
	return all
}

// root is where the plugin's files are, or should be.
func (b bench) root() string {
	b.Helper()
	i := b.roster()["acme"]
	return roster.Dir(b.plugins(), &i)
}

// agrees wants the roster, what lies in the checkouts and what mortise list composes to be
// the same, and returns what the plugin says: "" when it is not installed.
func (b bench) agrees() string {
	b.Helper()
	i, installed := b.roster()["acme"]
	composed := document[struct {
		Extensions []struct{ Name, Status, Root string }
		Entries    []struct{ Extension, Status, Description string }
	}](b.T, b.must("list", "--json"))
	says, status := "", ""
	for _, e := range composed.Entries {
		if e.Extension == "acme" && e.Status == "active" {
			says += e.Description
		}
	}
	for _, x := range composed.Extensions {
		if x.Name == "acme" && x.Root == b.root() {
			status = x.Status
		} else if x.Name == "acme" {
			b.Errorf("mortise list has acme at %s, want it at %s", x.Root, b.root())
		}
	}
	if !installed {
		if says+status != "" {
			b.Errorf("mortise list has %s, which says %q, and it is not installed", status, says)
		}
		return ""
	}
	is, err := discover.Digest(b.Context(), b.root())
	if err != nil || is != i.Digest || status != "admitted" {
		b.Errorf("the plugin is %q at %s: %v, with %s, want it admitted with %s", status, b.root(), err, is, i.Digest)
	}
	text, err := os.ReadFile(filepath.Join(b.root(), "skills", "count", "SKILL.md"))
	if err != nil || says == "" || !strings.Contains(string(text), "description: "+says+"\n") {
		b.Errorf("mortise list says %q, and what lies there is %q, %v", says, text, err)
	}
	return says
}

// unfinished are the directories in which something was being made.
func (b bench) unfinished() []string {
	b.Helper()
	left, err := filepath.Glob(filepath.Join(b.plugins(), "*", ".*"))
	if err != nil {
		b.Fatal(err)
	}
	return left
}

// ends wants a command to end with a code and to tell each of some texts, on either
// output.
func (b bench) ends(code int, args []string, tells ...string) {
	b.Helper()
	out, errs, got := b.run(args...)
	if got != code {
		b.Errorf("mortise %q: got exit code %d, want %d\n%s%s", args, got, code, out, errs)
	}
	for _, want := range tells {
		if !strings.Contains(out+errs, want) {
			b.Errorf("mortise %q: got\n%s%s, want %q in it", args, out, errs, want)
		}
	}
}

// On a full disk nothing is half done, what was in use goes on, what failed and where is
// told, and the same works when there is room. Two shortages: nothing at all is left, so
// that the state cannot be written, or too little for the files of the plugin.
func TestRosterOnAFullDisk(t *testing.T) {
	t.Parallel()
	b := newBenchOn(t, 4<<10)
	b.must("trust", "--yes") // so that there is a state
	add, update, remove := []string{"plugin", "add", b.source()}, []string{"plugin", "update", "acme"}, []string{"plugin", "remove", "acme"}
	db := filepath.Join(b.home, "state", "state.db")
	for _, c := range []struct {
		what  string
		args  []string
		leave int
		code  int
		tells []string
		is    string // before, and after the failure
		then  string
	}{
		{"add, nothing left", add, 0, 3, []string{db}, "", ""},
		{"add, too little", add, 128, 3, []string{"no space left on device", b.plugins(), "make room"}, "", "Says 1."},
		{"update, nothing left", update, 0, 3, []string{db}, "Says 1.", "Says 1."},
		{"update, too little", update, 128, 1, nil, "Says 1.", "Says 2."},
		{"remove, nothing left", remove, 0, 3, []string{db}, "Says 2.", ""},
	} {
		if c.then == "Says 2." {
			b.release(2)
		}
		room := b.full(c.leave)
		b.ends(c.code, c.args, c.tells...)
		if got := b.agrees(); got != c.is {
			t.Fatalf("%s: the plugin says %q, want %q as before", c.what, got, c.is)
		}
		if left := b.unfinished(); len(left) > 0 {
			t.Errorf("%s: %q is left on a disk that is full", c.what, left)
		}
		room()
		if c.then == c.is {
			continue
		}
		b.must(c.args...)
		if got := b.agrees(); got != c.then {
			t.Fatalf("%s, with room: the plugin says %q, want %q", c.what, got, c.then)
		}
	}
	if left, err := os.ReadDir(b.plugins()); err != nil || len(left) > 0 {
		t.Errorf("all is removed, and there is %v, %v", left, err)
	}
}

// Where nothing can be written all that only looks works, what changes says which file
// or folder it was, and nothing is half done. Only removing has a part that is done: the
// plugin is out of use, and its files are swept with the next one.
func TestRosterReadOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must("plugin", "add", b.source())
	b.release(2)
	was := everything(t, b.plugins())
	update, other, remove := []string{"plugin", "update", "acme"}, []string{"plugin", "add", b.source(), "--name", "other"}, []string{"plugin", "remove", "acme"}
	isAsItWas := func(says string) {
		t.Helper()
		if got := b.agrees(); got != says || !maps.Equal(was, everything(t, b.plugins())) || len(b.roster()) > 1 {
			t.Errorf("the plugin says %q, want %q, and all files as they were", got, says)
		}
	}

	db := filepath.Join(b.home, "state", "state.db")
	writable := readOnly(t, filepath.Dir(db))
	b.ends(0, []string{"plugin", "list"}, "acme", "admitted")
	b.ends(0, []string{"plugin", "show", "acme"}, "read from:")
	b.ends(0, []string{"plugin", "update", "acme", "--check"}, "1 plugin can be updated")
	for _, args := range [][]string{update, other, remove} {
		b.ends(3, args, db, "let this user read and write")
	}
	isAsItWas("Says 1.")
	writable()

	writable = readOnly(t, filepath.Join(b.home, "data"))
	b.ends(1, update)
	b.ends(3, other, b.plugins(), "read-only file system")
	writable()

	writable = readOnly(t, b.plugins())
	b.ends(1, update)
	b.ends(3, other, b.plugins(), "read-only file system")
	isAsItWas("Says 1.")
	b.ends(3, remove, b.plugins(), "read-only file system")
	isAsItWas("")
	writable()

	b.must("plugin", "add", b.source())
	if got := b.agrees(); got != "Says 2." {
		t.Errorf("when it can be written: it says %q, want the new one", got)
	}
	b.must(remove...) // and sweeps what could not be removed before
	if left, err := os.ReadDir(b.plugins()); err != nil || len(left) > 0 {
		t.Errorf("all is removed, and there is %v, %v", left, err)
	}
}

// both runs two commands at once to their ends.
func (b bench) both(one, other []string) (codes [2]int, told [2]string) {
	b.Helper()
	var running [2]*process
	for i, args := range [][]string{one, other} {
		running[i] = b.begin(args...)
	}
	for i, p := range running {
		code, err := p.end(0)
		if err != nil {
			b.Fatal(err)
		}
		codes[i], told[i] = code, p.stdout.String()+p.stderr.String()
	}
	return codes, told
}

// Of two that install the same at once one does, and the other is told that it is there.
func TestRosterTwoAdd(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	add := []string{"plugin", "add", b.source()}
	for range 2 {
		codes, told := b.both(add, add)
		done := slices.Index(codes[:], 0)
		if done < 0 || codes[1-done] != 1 || !strings.Contains(told[1-done], `a plugin "acme" is installed already`) {
			t.Fatalf("got exit codes %v with %q, want one to do it, and one to be refused", codes, told)
		}
		if got := b.agrees(); got != "Says 1." || len(b.unfinished()) > 0 {
			t.Fatalf("the plugin says %q, and %q is left", got, b.unfinished())
		}
		b.must("plugin", "remove", "acme")
	}
}

// Of two that update the same at once one does; the other finds it done, or is told that
// somebody else did it meanwhile.
func TestRosterTwoUpdate(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must("plugin", "add", b.source())
	update := []string{"plugin", "update", "acme"}
	for n := 2; n < 4; n++ {
		was := b.roster()["acme"]
		b.release(n)
		codes, told := b.both(update, update)
		updated := 0
		for i, text := range told {
			switch {
			case codes[i] == 0 && strings.Contains(text, " now\n"):
				updated++
			case codes[i] == 0 && strings.Contains(text, "There is nothing newer."):
			case codes[i] == 1:
			default:
				t.Errorf("round %d: got exit code %d with %q, want it updated, or told why not", n, codes[i], text)
			}
		}
		if updated != 1 {
			t.Errorf("round %d: it was updated %d times, want once: %q", n, updated, told)
		}
		if got, is := b.agrees(), b.roster()["acme"]; got != "Says "+strconv.Itoa(n)+"." || is.Before != was.Commit || len(b.unfinished()) > 0 {
			t.Fatalf("round %d: the plugin says %q and was %s before, want the new one, and %s before", n, got, is.Before, was.Commit)
		}
	}
}

// Beside an update a plugin is removed, or the update comes in between and who removes is
// told. Nothing that was removed comes back by an update that began before.
func TestRosterRemoveBesideUpdate(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for n := 2; n < 4; n++ {
		b.must("plugin", "add", b.source())
		b.release(n)
		codes, told := b.both([]string{"plugin", "update", "acme"}, []string{"plugin", "remove", "acme"})
		moved := "changed by somebody else meanwhile"
		switch u := codes[0]; {
		case u == 0 && strings.Contains(told[0], " now\n"):
		case u == 1:
		case u == 2 && strings.Contains(told[0], `no plugin "acme" is installed`):
		default:
			t.Errorf("round %d: update: got exit code %d with %q, want an answer", n, u, told[0])
		}
		want := ""
		if codes[1] != 0 {
			want = "Says " + strconv.Itoa(n) + "."
			if codes[1] != 1 || codes[0] != 0 || !strings.Contains(told[1], moved) {
				t.Errorf("round %d: remove: got exit code %d with %q beside %q, want it removed, or told why not", n, codes[1], told[1], told[0])
			}
		}
		if got := b.agrees(); got != want || len(b.unfinished()) > 0 {
			t.Fatalf("round %d: the plugin says %q, want %q; %q is left", n, got, want, b.unfinished())
		}
		if want != "" {
			b.must("plugin", "remove", "acme")
		}
	}
}

// Whoever lists while a plugin that is served is updated, gone back from, and removed
// sees the one or the other, at every moment.
func TestRosterUpdateBesideServe(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must("plugin", "add", b.source())
	s := b.serve()
	c := connect(t, s.url, nil)
	eventually(t, "the plugin is served", func() bool { return c.described("acme/count") == "Says 1." })
	b.release(2)
	was := "Says 1."
	for _, step := range []struct{ command, then string }{{"update", "Says 2."}, {"rollback", "Says 1."}, {"remove", ""}} {
		p := b.begin("plugin", step.command, "acme")
		eventually(t, step.command+" is seen", func() bool {
			got := c.described("acme/count")
			if got != was && got != step.then {
				t.Errorf("%s: served is %q, want %q or %q", step.command, got, was, step.then)
			}
			return got == step.then
		})
		if code, err := p.end(0); err != nil || code != 0 {
			t.Fatalf("%s: got exit code %d, %v, want 0\n%s", step.command, code, err, p.stderr)
		}
		if got := b.agrees(); got != step.then {
			t.Errorf("%s: the plugin says %q, want %q", step.command, got, step.then)
		}
		was = step.then
	}
	s.ends(t, syscall.SIGINT)
}

// Times are not what anything is decided by: the clock was in another century when a
// plugin was installed, and what was asked for "in the future" by a process that is gone
// is swept like all else.
func TestRosterTimesOfFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must("plugin", "add", b.source())
	for path := range everything(t, b.home) {
		at := time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	record := b.root() + ".json"
	text, err := os.ReadFile(record)
	now := []byte(`"` + time.Now().UTC().Format("2006-"))
	if err != nil || !bytes.Contains(text, now) {
		t.Fatalf("the record is %s, %v, want a time in it", text, err)
	}
	write(t, record, string(bytes.ReplaceAll(text, now, []byte(`"2099-`))))
	b.release(2)
	b.must("plugin", "update", "acme")
	if got := b.agrees(); got != "Says 2." {
		t.Errorf("updated in the past: it says %q", got)
	}
	b.must("plugin", "rollback", "acme")
	if got := b.agrees(); got != "Says 1." {
		t.Errorf("gone back to the future: it says %q", got)
	}
	b.must("plugin", "remove", "acme")
	if left, err := os.ReadDir(b.plugins()); err != nil || len(left) > 0 {
		t.Errorf("all is removed, and there is %v, %v", left, err)
	}
}

// damaged is a bench with a plugin that was updated once, and where its files are.
func damaged(t *testing.T) (b bench, root string) {
	t.Helper()
	b = newBench(t)
	b.must("plugin", "add", b.source())
	b.release(2)
	b.must("plugin", "update", "acme")
	return b, b.root()
}

// moveAway does what messages advise, and is where it is now.
func moveAway(t *testing.T, path string) string {
	t.Helper()
	aside := filepath.Join(t.TempDir(), "aside")
	if err := os.Rename(path, aside); err != nil {
		t.Fatal(err)
	}
	return aside
}

// What somebody did by hand to a checkout is not gone back to, updated to or installed
// without a word, and never removed: each says what is wrong and where, removing the
// plugin names what it leaves, and once that is moved away all works.
func TestRosterDamagedByHand(t *testing.T) {
	t.Parallel()
	b, root := damaged(t)
	b.must("plugin", "rollback", "acme") // so that the damaged one is not in use
	record := root + ".json"
	file := filepath.Join(root, "skills", "count", "SKILL.md")
	for _, c := range []struct{ name, text, tells string }{
		{record, `{"digest": "sha256:`, "cannot be read"},
		{file, "edited", "was edited"},
	} {
		old, err := os.ReadFile(c.name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, c.name, c.text)
		b.ends(3, []string{"plugin", "rollback", "acme"}, c.tells, root, "move it")
		b.ends(1, []string{"plugin", "update", "acme"})
		if c.text != "edited" {
			write(t, c.name, string(old))
		}
	}
	if got := b.agrees(); got != "Says 1." {
		t.Errorf("it says %q, want the one that is as it was", got)
	}
	b.ends(0, []string{"plugin", "remove", "acme"}, "acme is removed.", "left: "+root, "was edited")
	if got := everything(t, root)[file]; got != "edited" {
		t.Errorf("what somebody wrote there is %q now, want it left", got)
	}
	b.ends(3, []string{"plugin", "add", b.source()}, "was edited", root, "move it")
	moveAway(t, record)
	b.ends(3, []string{"plugin", "add", b.source()}, "there is no record of it", root, "move it")
	b.ends(0, []string{"plugin", "list"}, "No plugin is installed.")
	moveAway(t, root)
	b.must("plugin", "add", b.source())
	if got := b.agrees(); got != "Says 2." {
		t.Errorf("moved away and installed: it says %q, want it whole", got)
	}
}

// Where a checkout is gone the plugin is listed as refused, an update fetches it again as it
// was, and the next what is newer; and it can be removed and installed.
func TestRosterCheckoutIsGone(t *testing.T) {
	t.Parallel()
	b, root := damaged(t)
	moveAway(t, b.plugins())
	b.ends(0, []string{"plugin", "list"}, "acme", "refused")
	b.ends(0, []string{"plugin", "show", "acme"}, "refused", root)
	b.ends(3, []string{"plugin", "rollback", "acme"}, filepath.Dir(root), "no such file or directory")
	b.release(3)
	b.must("plugin", "update", "acme")
	if got := b.agrees(); got != "Says 2." {
		t.Errorf("fetched again: it says %q", got)
	}
	b.must("plugin", "update", "acme")
	if got := b.agrees(); got != "Says 3." {
		t.Errorf("updated: it says %q", got)
	}
	moveAway(t, b.root())
	b.must("plugin", "remove", "acme")
	b.must("plugin", "add", b.source())
	if got := b.agrees(); got != "Says 3." {
		t.Errorf("installed again: it says %q", got)
	}
}

// A link in the place of a checkout, though what it leads to is the very same, leads to
// nothing that is gone back to, changed or removed.
func TestRosterLinksLeadNowhere(t *testing.T) {
	t.Parallel()
	b, root := damaged(t)
	b.must("plugin", "rollback", "acme")
	elsewhere := moveAway(t, root)
	if err := os.Symlink(elsewhere, root); err != nil {
		t.Fatal(err)
	}
	was := everything(t, elsewhere)
	b.ends(3, []string{"plugin", "rollback", "acme"}, root, "is a link", "move it away")
	b.ends(1, []string{"plugin", "update", "acme"})
	b.ends(0, []string{"plugin", "remove", "acme"}, "acme is removed.", "left: "+root)
	b.ends(3, []string{"plugin", "add", b.source()}, root, "is a link", "move it away")
	if !maps.Equal(was, everything(t, elsewhere)) {
		t.Error("what the link leads to is not as it was")
	}
	if to, err := os.Readlink(root); err != nil || to != elsewhere {
		t.Errorf("the link: got %q, %v, want it left", to, err)
	}
	b.ends(0, []string{"plugin", "list"}, "No plugin is installed.")
}

// What else lies among the checkouts is named when something is swept, and left.
func TestRosterForeignNeighbours(t *testing.T) {
	t.Parallel()
	b, root := damaged(t)
	foreign := map[string]string{
		"mine/notes":           "in a directory that has the name of a plugin",
		"acme/notes/mine":      "among the checkouts of one",
		"acme/.new-1-2-3":      "nearly what something is made in",
		"a file":               "at the top",
		"Not A Name/mine":      "in a directory that no plugin can be named as",
		"acme/" + "deadbeef":   "not a whole hash",
		"other/x.json":         "not a record",
		"../plugins.bak/notes": "beside",
	}
	for name, text := range foreign {
		write(t, filepath.Join(b.plugins(), name), text)
	}
	b.ends(0, []string{"plugin", "list"}, "acme", "admitted", "1 plugin.")
	b.ends(0, []string{"plugin", "remove", "acme"},
		"left: "+filepath.Join(b.plugins(), "mine/notes"), "left: "+filepath.Join(b.plugins(), "acme/notes"),
		"left: "+filepath.Join(b.plugins(), "acme/.new-1-2-3"), "left: "+filepath.Join(b.plugins(), "a file"),
		"left: "+filepath.Join(b.plugins(), "Not A Name/mine"), "left: "+filepath.Join(b.plugins(), "acme/deadbeef"),
		"left: "+filepath.Join(b.plugins(), "other/x.json"))
	for name, text := range foreign {
		if got, err := os.ReadFile(filepath.Join(b.plugins(), name)); err != nil || string(got) != text {
			t.Errorf("%s: got %q, %v, want it left as it was", name, got, err)
		}
	}
	if _, err := os.Lstat(root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the checkout of what was removed: got %v, want it gone", err)
	}
	// A directory of somebody's in the very place of a checkout is not taken for one.
	write(t, filepath.Join(root, "mine"), "mine")
	b.ends(3, []string{"plugin", "add", b.source()}, root, "was not made by Mortise", "move it away")
	b.ends(0, []string{"plugin", "list"}, "No plugin is installed.")
	if got := everything(t, root)[filepath.Join(root, "mine")]; got != "mine" {
		t.Errorf("what lies there: got %q, want it left", got)
	}
}
