package roster_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// The main job: a plugin is what its commit has, an update is that of the next one and
// nothing of the one before, and going back is at hand.
func TestAddUpdateRollback(t *testing.T) {
	r, b := newRepo(t, map[string]string{"a.txt": "one", "resources/x": "x"}), newBench(t)
	first := r.git("rev-parse", "HEAD")
	i := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}})
	if i.Name != key || i.Kind != state.Git || i.Commit != first || i.By != "ada" || !i.At.Equal(noon) || i.Order != 1 || b.read(&i, "a.txt") != "one" {
		t.Errorf("installed: got %+v with %q, want the first commit", i, b.read(&i, "a.txt"))
	}
	second := r.commit(map[string]string{"a.txt": "two", "resources/x": "", "references/x": "x"})
	now, err := b.update("tools")
	if err != nil || now.Commit != second || now.Before != first || b.read(&now, "a.txt") != "two" || b.read(&now, "resources/x") != "" || b.read(&now, "references/x") != "x" {
		t.Errorf("updated: got %+v, %v, want the second commit and nothing of the first", now, err)
	}
	changes, err := b.Changes(t.Context(), &now, "")
	if err != nil || len(changes) != 3 {
		t.Errorf("what differs: got %+v, %v, want three files", changes, err)
	}
	was, back, err := b.Rollback(t.Context(), roster.Key{Name: key})
	if err != nil || was.Commit != second || back.Commit != first || back.Digest != i.Digest || b.read(&back, "a.txt") != "one" {
		t.Errorf("rolled back: got %+v, %v, want the first commit", back, err)
	}
	if _, forward, err := b.Rollback(t.Context(), roster.Key{Name: key}); err != nil || forward.Commit != second {
		t.Errorf("and forward: got %+v, %v, want the second commit", forward, err)
	}
	if _, swept, _, err := b.Remove(t.Context(), roster.Key{Name: key}, nil); err != nil || len(b.lines()) != 0 {
		t.Errorf("removed: got %+v, %v, and the roster %+v, want it empty", swept, err, b.lines())
	}
}

// TestField_STA05_FreshByCommit: whether there is something newer is decided by the
// commit, not by a version in a text, and both commits are told.
func TestField_STA05_FreshByCommit(t *testing.T) {
	r, b := newRepo(t, map[string]string{"plugin.json": `{"version":"1.0.0"}`, "a": "one"}), newBench(t)
	i := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}})
	if news, err := b.Look(t.Context(), "", nil); err != nil || len(news) != 1 || news[0].Newer() {
		t.Errorf("right after: got %+v, %v, want nothing newer", news, err)
	}
	second := r.commit(map[string]string{"a": "two"})
	news, err := b.Look(t.Context(), "", nil)
	if err != nil || len(news) != 1 || !news[0].Newer() || news[0].Line.Commit != i.Commit || news[0].Found != second {
		t.Errorf("with the same version in its text: got %+v, %v, want both commits", news, err)
	}
}

// TestField_INS14_EachByItself: of several plugins one whose source is gone costs itself
// alone, and what is read where it lies, is pinned or has one commit is left alone, with a
// note.
func TestField_INS14_EachByItself(t *testing.T) {
	b := newBench(t)
	here := t.TempDir()
	write(t, filepath.Join(here, "a"), "a")
	good, gone, pinned, fixed := newRepo(t, map[string]string{"a": "1"}), newRepo(t, map[string]string{"a": "1"}), newRepo(t, map[string]string{"a": "1"}), newRepo(t, map[string]string{"a": "1"})
	b.add(roster.Wish{Offer: roster.Offer{Source: good.source()}, As: "good"})
	b.add(roster.Wish{Offer: roster.Offer{Source: gone.source()}, As: "gone"})
	b.add(roster.Wish{Offer: roster.Offer{Source: pinned.source()}, As: "pinned"})
	b.add(roster.Wish{Offer: roster.Offer{Source: fixed.source(), Ref: fixed.git("rev-parse", "HEAD")}, As: "fixed"})
	b.add(roster.Wish{Offer: roster.Offer{Source: here}, As: "linked"})
	if _, changed, err := b.Pin(t.Context(), roster.Key{Name: "pinned"}, true); err != nil || !changed {
		t.Fatal(changed, err)
	}
	for _, r := range []*repo{good, pinned, fixed} {
		r.commit(map[string]string{"a": "2"})
	}
	if err := os.RemoveAll(gone.dir); err != nil {
		t.Fatal(err)
	}
	news, err := b.Look(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range news {
		name := string(n.Line.Name)
		if newer := name == "good"; n.Newer() != newer || (n.Err != nil) != (name == "gone") || (n.Skipped != "") != (name != "good" && name != "gone") {
			t.Errorf("%s: got newer %v, skipped %q, error %v", name, n.Newer(), n.Skipped, n.Err)
		}
	}
	if news, err := b.Look(t.Context(), "", []string{"pinned"}); err != nil || !news[0].Newer() {
		t.Errorf("a pinned one that is named: got %+v, %v, want something newer", news, err)
	}
}

// TestField_INS01_OursIsNoSource: what Mortise keeps, and what holds that, cannot be
// linked, however it is spelled; nothing is written.
func TestField_INS01_OursIsNoSource(t *testing.T) {
	b := newBench(t)
	if err := os.MkdirAll(filepath.Join(b.Checkouts.Dir, "acme"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(b.Checkouts.Dir, link); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{b.Checkouts.Dir, filepath.Dir(b.Checkouts.Dir), filepath.Join(b.Checkouts.Dir, "acme"), link, filepath.Join(b.Checkouts.Dir, "acme", "..")} {
		if _, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: source}, As: "acme"}); err == nil || ext.KindOf(err) != ext.Refused {
			t.Errorf("%s: got %v, want a refusal", source, err)
		}
	}
	if got := b.lines(); len(got) != 0 {
		t.Errorf("the roster: got %+v, want nothing", got)
	}
}

// An archive must be the one that was meant, and its plugin may lie one directory down.
func TestAddArchive(t *testing.T) {
	file := zipped(t, "acme-2.0/plugin.json", `{"name":"acme"}`)
	at := filepath.Join(t.TempDir(), "acme-2.0.zip")
	write(t, at, string(file))
	b := newBench(t)
	sum := sha256.Sum256(file)
	for _, wrong := range []string{"", strings.Repeat("0", 64), "banner"} {
		if _, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: at, SHA256: wrong}, As: "acme"}); err == nil {
			t.Errorf("the sum %q: got no error, want one", wrong)
		}
	}
	i := b.add(roster.Wish{Offer: roster.Offer{Source: at, SHA256: hex.EncodeToString(sum[:])}, As: "acme"})
	if b.read(&i, "plugin.json") != `{"name":"acme"}` || i.Kind != state.Archive {
		t.Errorf("got %+v with %q, want the plugin", i, b.read(&i, "plugin.json"))
	}
}

// A directory is read where it lies, and a part of a source is the plugin where that is
// said; one that leads out is none.
func TestAddLinkedAndWithin(t *testing.T) {
	b, here := newBench(t), filepath.Join(t.TempDir(), "Mine")
	write(t, filepath.Join(here, "plugins", "one", "a"), "a")
	i := b.add(roster.Wish{Offer: roster.Offer{Source: "./Mine", Within: "plugins/one"}, Dir: filepath.Dir(here)})
	if i.Kind != state.Linked || i.Name != "mine" || b.read(&i, "a") != "a" {
		t.Errorf("got %+v, want the directory itself", i)
	}
	for _, within := range []string{"..", "../x", "/etc", "a/../../x", "not/there"} {
		if _, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: here, Within: within}, As: "other"}); err == nil {
			t.Errorf("--path %s: got no error, want one", within)
		}
	}
	r := newRepo(t, map[string]string{"sub/a": "in a repository"})
	i = b.add(roster.Wish{Offer: roster.Offer{Source: r.source(), Within: "sub"}, As: "sub"})
	if b.read(&i, "a") != "in a repository" {
		t.Errorf("got %+v, want the part", i)
	}
	if _, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: r.source(), Within: "sub"}, As: "sub"}); err == nil || !strings.Contains(err.Error(), "installed already") {
		t.Errorf("twice: got %v, want that it is there", err)
	}
}

// What would be refused is not installed, and an update to it leaves the old one in use.
func TestTriedBeforeItCounts(t *testing.T) {
	r, b := newRepo(t, map[string]string{"a": "1"}), newBench(t)
	first := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}})
	broken := errors.New("it would be refused")
	b.Try = func(context.Context, ...state.Installed) error { return broken }
	r.commit(map[string]string{"a": "2"})
	if _, err := b.update("tools"); !errors.Is(err, broken) {
		t.Errorf("update: got %v, want why not", err)
	}
	if _, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: r.source()}, As: "other"}); !errors.Is(err, broken) {
		t.Errorf("add: got %v, want why not", err)
	}
	if got := b.lines(); len(got) != 1 || got[0] != first {
		t.Errorf("the roster: got %+v, want it as it was", got)
	}
}

// What somebody else changed meanwhile is not overwritten.
func TestTwoAtOnce(t *testing.T) {
	r, b := newRepo(t, map[string]string{"a": "1"}), newBench(t)
	b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}})
	r.commit(map[string]string{"a": "2"})
	news, err := b.Look(t.Context(), "", []string{"tools"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Fetch(t.Context(), &news[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Pin(t.Context(), roster.Key{Name: key}, true); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Update(t.Context(), &news[0], c); err == nil || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("got %v, want that it was changed meanwhile", err)
	}
	if got := b.lines(); got[0].Commit != news[0].Line.Commit || !got[0].Pinned {
		t.Errorf("the roster: got %+v, want what the other made of it", got)
	}
}

// A checkout that was edited by hand is not gone back to.
func TestEditedCheckoutIsNotUsed(t *testing.T) {
	r, b := newRepo(t, map[string]string{"a": "1"}), newBench(t)
	first := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}})
	r.commit(map[string]string{"a": "2"})
	if _, err := b.update("tools"); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(roster.Dir(b.Checkouts.Dir, &first), "a")
	if err := os.Chmod(at, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, at, "edited")
	var edited *checkout.EditedError
	if _, _, err := b.Rollback(t.Context(), roster.Key{Name: key}); !errors.As(err, &edited) {
		t.Errorf("got %v, want that it was edited", err)
	}
}

// One line for a workspace takes the place of one for all, there and nowhere else; names
// that are not there name the nearest.
func TestIn(t *testing.T) {
	all := []state.Installed{{Name: "acme", Commit: "1"}, {Name: "acme", Scope: "w", Commit: "2"}, {Name: "other", Scope: "v"}}
	if got := roster.In(all, "w"); len(got) != 1 || got[0].Commit != "2" {
		t.Errorf("in w: got %+v, want its own", got)
	}
	if got := roster.In(all, "v"); len(got) != 2 || got[0].Commit != "1" {
		t.Errorf("in v: got %+v, want that for all and its own", got)
	}
	if _, err := roster.Find(all, "amce", "w"); err == nil || ext.KindOf(err) != ext.Usage || !strings.Contains(err.Error(), `did you mean "acme"?`) {
		t.Errorf("a name that is not there: got %v, want the nearest", err)
	}
}

// Names that are reserved, taken or none are refused, and nothing is left.
func TestNames(t *testing.T) {
	r, b := newRepo(t, map[string]string{"a": "1"}), newBench(t)
	b.Taken = func(n ext.Name) string {
		if n == "taken" {
			return "mortise.toml:3"
		}
		return ""
	}
	for _, name := range []string{"mortise", "taken", "../x", "Über"} {
		if _, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: r.source()}, As: name}); err == nil {
			t.Errorf("%s: got no error, want one", name)
		}
	}
	i := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}, NameIn: func(string) string { return "acme" }})
	if i.Name != "acme" {
		t.Errorf("got the name %s, want the one that it gives itself", i.Name)
	}
	if left, err := b.Checkouts.List(); err != nil || len(left) != 1 {
		t.Errorf("checkouts: got %+v, %v, want the one that is in use", left, err)
	}
}

// TestWhatIsFetchedIsNotReadBack wants the digest of a plugin, whole or a part of its
// source, to be made of what was written and to be that of reading all.
func TestWhatIsFetchedIsNotReadBack(t *testing.T) {
	r := newRepo(t, map[string]string{"a.txt": "one", "in/b.txt": "two", "in/c/d.txt": strings.Repeat("long ", 50_000)})
	for _, within := range []string{"", "in"} {
		b := newBench(t)
		b.Sums = new(unpack.Sums)
		read, made := 0, 0
		b.Checkouts.Digest = func(ctx context.Context, dir string) (ext.Digest, error) {
			read++
			return discover.Digest(ctx, dir)
		}
		b.Checkouts.Fresh = func(ctx context.Context, dir string) (ext.Digest, error) {
			made++
			return discover.DigestWritten(ctx, dir, b.Sums)
		}
		i := b.add(roster.Wish{Offer: roster.Offer{Source: r.source(), Within: within}})
		if read != 0 || made == 0 {
			t.Errorf("within %q: read %d times, made %d times, want it made alone", within, read, made)
		}
		if all, err := b.Examine(t.Context()); err != nil || all[0].Err != nil || read == 0 {
			t.Errorf("within %q: got %v, %v after %d looks, want %s to be what reading says", within, all, err, read, i.Digest)
		}
	}
}
