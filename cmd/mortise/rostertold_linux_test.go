package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// An update that failed says of which plugin and why, and an update of several says what
// became of each.
func TestRoster_UpdateDoesNotTellWhyItFailed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must("plugin", "add", b.source())
	b.must("plugin", "add", b.source(), "--name", "fine", "--ref", "main")
	if err := os.Rename(b.o.dir, b.o.dir+".gone"); err != nil {
		t.Fatal(err)
	}
	b.ends(1, []string{"plugin", "update", "--all"}, "acme  failed: ", b.o.dir)
	out, _, code := b.run("plugin", "update", "--all", "--json")
	var all struct {
		Plugins []struct{ Name, Error string }
	}
	if err := json.Unmarshal([]byte(out), &all); code != 1 || err != nil || len(all.Plugins) != 2 || all.Plugins[0].Error == "" {
		t.Errorf("--json: got exit code %d and %q, %v, want a document of both plugins, and why each failed", code, out, err)
	}
}

// A command that says that it could not do it has not done it, whatever there is room for
// on the disk.
func TestRoster_DoneAndSaidNotToBe(t *testing.T) {
	t.Parallel()
	b := newBenchOn(t, 4<<10)
	b.must("plugin", "add", b.source())
	b.release(2)
	b.must("plugin", "update", "acme")
	for leave := 28; leave < 72; leave += 4 {
		was := b.roster()["acme"].Commit
		room := b.full(leave)
		out, errs, code := b.run("plugin", "rollback", "acme")
		if changed := b.roster()["acme"].Commit != was; changed != (code == 0) {
			t.Errorf("rollback with %d KB: it went back: %v, with exit code %d\n%s%s", leave, changed, code, out, errs)
		}
		room()
	}
	for leave := 36; leave < 60 && b.roster()["acme"].Name != ""; leave += 4 {
		room := b.full(leave)
		out, errs, code := b.run("plugin", "remove", "acme")
		if removed := b.roster()["acme"].Name == ""; removed != (code == 0) {
			t.Errorf("remove with %d KB: it is removed: %v, with exit code %d\n%s%s", leave, removed, code, out, errs)
		}
		room()
	}
}

// What is told of a full disk says that it is full, and what to do.
func TestRoster_FullDiskIsNotTold(t *testing.T) {
	t.Parallel()
	b := newBenchOn(t, 4<<10)
	room := b.full(16)
	b.ends(3, []string{"plugin", "add", b.source()}, "full")
	room()
	b.must("plugin", "add", b.source())
	defer b.full(0)()
	b.ends(3, []string{"plugin", "remove", "acme"}, "full")
}

// A checkout that differs from what was installed is told wherever plugins are listed, and
// not used as if it were that (docs/design/018: "is then told as edited", "is never handed
// out").
func TestRoster_EditedOneIsServedWithoutAWord(t *testing.T) {
	t.Parallel()
	b, root := damaged(t)
	write(t, filepath.Join(root, "skills", "count", "SKILL.md"), "---\nname: count\ndescription: Says anything.\n---\nAnything.\n")
	b.ends(0, []string{"plugin", "list"}, "edited")
	b.ends(0, []string{"plugin", "show", "acme"}, "edited")
	if out := b.must("list", "--json"); strings.Contains(out, "Says anything.") && !strings.Contains(out, "edited") {
		t.Error("mortise list has what was edited, and does not tell")
	}
}

// A link in the place of a checkout leads to nothing that is composed.
func TestRoster_LinkIsServed(t *testing.T) {
	t.Parallel()
	b, root := damaged(t)
	elsewhere := moveAway(t, root)
	write(t, filepath.Join(elsewhere, "skills", "count", "SKILL.md"), "---\nname: count\ndescription: Says what is elsewhere.\n---\nElsewhere.\n")
	if err := os.Symlink(elsewhere, root); err != nil {
		t.Fatal(err)
	}
	b.ends(0, []string{"plugin", "show", "acme"}, "refused", "is a link")
	if out := b.must("list", "--json"); strings.Contains(out, "Says what is elsewhere.") {
		t.Error("mortise list has what lies elsewhere")
	}
}

// Where a checkout is gone it is told why the plugin is refused and what to do, and its
// update brings it back.
func TestRoster_CheckoutIsGoneAndStaysSo(t *testing.T) {
	t.Parallel()
	b, root := damaged(t)
	moveAway(t, root)
	b.ends(0, []string{"plugin", "show", "acme"}, "refused", "is gone")
	out, errs, code := b.run("plugin", "update", "acme")
	if _, err := os.Stat(root); err != nil {
		t.Errorf("update: got exit code %d and\n%s%s, and the plugin is gone still: %v", code, out, errs, err)
	}
}

// What a plugin kept is its own: removing one that is for a workspace, with --purge,
// removes its data and not that of the one of the same name for all.
func TestRoster_PurgeRemovesTheDataOfAnother(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must("plugin", "add", b.source())
	b.must("plugin", "add", b.source(), "--scope", "workspace")
	kept := filepath.Join(b.home, "data", "plugin-data", "acme", "kept") // where the one for all keeps things
	write(t, kept, "of the one for all")
	b.must("plugin", "remove", "acme", "--purge")
	if i := b.roster()["acme"]; i.Name == "" || i.Scope != "" {
		t.Fatalf("left is %+v, want the one for all", i)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("the data of the one that is still installed: %v, want it there", err)
	}
}

// Who removes where files cannot be removed is told that the plugin is out of use and what
// is left, and can have that removed later.
func TestRoster_RemovedByHalves(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must("plugin", "add", b.source())
	root := b.root()
	writable := readOnly(t, b.plugins())
	b.ends(3, []string{"plugin", "remove", "acme"}, "is removed", root)
	writable()
	out, errs, code := b.run("plugin", "remove", "acme")
	if _, err := os.Stat(root); err == nil {
		t.Errorf("a second try: got exit code %d and\n%s%s, and its files are there still", code, out, errs)
	}
}

// An empty directory that nobody recorded as ours is left (law 12).
func TestRoster_EmptyDirectoryOfOthersIsRemoved(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must("plugin", "add", b.source())
	mine := filepath.Join(b.plugins(), "mine")
	if err := os.Mkdir(mine, 0o700); err != nil {
		t.Fatal(err)
	}
	b.must("plugin", "remove", "acme")
	if _, err := os.Stat(mine); err != nil {
		t.Errorf("a directory of somebody's own: %v, want it left", err)
	}
}

// What was refused because it is installed already leaves nothing behind.
func TestRoster_RefusedAndFetched(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must("plugin", "add", b.source())
	for n := 2; n < 4; n++ {
		b.release(n)
		_, errs, code := b.run("plugin", "add", b.source())
		if code != 1 || strings.Contains(errs, "added acme") {
			t.Errorf("got exit code %d and %q, want it refused, and not said to be added", code, errs)
		}
	}
	if all, err := filepath.Glob(filepath.Join(b.plugins(), "acme", "*.json")); err != nil || len(all) != 1 {
		t.Errorf("there are %s checkouts, %v, want the one that is installed", strconv.Itoa(len(all)), err)
	}
}
