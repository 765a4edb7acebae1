package checkout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
)

var key = Key{Name: "acme", Commit: strings.Repeat("a", 40)}

func other(c string) Key { return Key{Name: "acme", Commit: strings.Repeat(c, 40)} }

func newStore(t testing.TB) Store {
	t.Helper()
	return Store{Dir: filepath.Join(t.TempDir(), "plugins"), Digest: discover.Digest}
}

// fills writes files, one each.
func fills(files ...string) func(context.Context, string) error {
	return func(_ context.Context, dir string) error {
		for _, f := range files {
			at := filepath.Join(dir, f)
			if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(at, []byte(f), 0o600); err != nil {
				return err
			}
		}
		return nil
	}
}

func mustMake(t testing.TB, s Store, k Key, files ...string) Checkout {
	t.Helper()
	c, err := s.Make(t.Context(), k, fills(files...))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// With its submodules a commit is another checkout, and each is swept by itself.
func TestWithSubmodules(t *testing.T) {
	s := newStore(t)
	with := key
	with.Submodules = true
	without := mustMake(t, s, key, "a")
	c := mustMake(t, s, with, "a", "vendor/b")
	if !c.New || c.Dir == without.Dir || c.Digest == without.Digest || !strings.Contains(with.String(), "with its submodules") {
		t.Errorf("got %+v beside %+v, want two", c, without)
	}
	if all, err := s.List(); err != nil || len(all) != 2 || all[0].Key != key || all[1].Key != with {
		t.Errorf("List: got %+v, %v, want both", all, err)
	}
	h := s.Hold()
	if err := h.Add(with); err != nil {
		t.Fatal(err)
	}
	if got, err := later(s).Sweep(t.Context(), nil); err != nil || !slices.Equal(got.Removed, []Key{key}) || len(got.Kept) > 0 {
		t.Errorf("Sweep while one is held: got %+v, %v, want the other removed", got, err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := later(s).Sweep(t.Context(), nil); err != nil || !slices.Equal(got.Removed, []Key{with}) || len(below(t, s)) > 0 {
		t.Errorf("Sweep: got %+v, %v, and %q is left, want nothing", got, err, below(t, s))
	}
}

// below are the names in the store, but for what lies in checkouts.
func below(t testing.TB, s Store) []string {
	t.Helper()
	var out []string
	names, err := os.ReadDir(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		in, _ := os.ReadDir(filepath.Join(s.Dir, n.Name()))
		if !n.IsDir() || len(in) == 0 {
			out = append(out, n.Name())
		}
		for _, e := range in {
			out = append(out, n.Name()+"/"+e.Name())
		}
	}
	return out
}

// A checkout is made once, is there for whoever asks again, and leaves nothing beside it.
func TestMake(t *testing.T) {
	s := newStore(t)
	made := mustMake(t, s, key, "plugin.json", "skills/a/SKILL.md")
	if !made.New || made.Dir != s.Path(key) {
		t.Errorf("got %+v, want a new one", made)
	}
	again, err := s.Make(t.Context(), key, func(context.Context, string) error { return errors.New("was made again") })
	if err != nil || again.New || again.Digest != made.Digest {
		t.Errorf("got %+v, %v, want the one that is there", again, err)
	}
	if got, want := below(t, s), []string{"acme/" + key.Commit, "acme/" + key.Commit + ".json"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	all, err := s.List()
	if err != nil || len(all) != 1 || all[0].Key != key || all[0].Digest != made.Digest {
		t.Errorf("List: got %+v, %v, want the one", all, err)
	}
	if _, err := s.Open(other("b")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of none: got %v, want %v", err, fs.ErrNotExist)
	}
}

// What cannot be made leaves nothing.
func TestMakeThatFails(t *testing.T) {
	s := newStore(t)
	for name, c := range map[string]struct {
		key  Key
		fill func(context.Context, string) error
		want string
	}{
		"fill fails":      {key, func(_ context.Context, dir string) error { os.Mkdir(dir, 0o700); return errors.New("broken pipe") }, "broken pipe"},
		"nothing is made": {key, func(context.Context, string) error { return nil }, "nothing was made"},
		"a link is made":  {key, func(_ context.Context, dir string) error { return os.Symlink("/", dir) }, "nothing was made"},
		"no commit":       {Key{Name: "acme", Commit: "main"}, fills("x"), "no whole hash"},
		"a path":          {Key{Name: "../x", Commit: key.Commit}, fills("x"), "name"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Make(t.Context(), c.key, c.fill)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
			if _, err := os.Stat(s.Dir); err == nil {
				if got := below(t, s); !slices.Equal(got, []string{"acme"}) {
					t.Errorf("got %q, want nothing", got)
				}
			}
		})
	}
}

// Many that make the same at once all get it, and it is made whole.
func TestMakeAtOnce(t *testing.T) {
	s := newStore(t)
	const many = 20
	var all sync.WaitGroup
	got := make([]Checkout, many)
	errs := make([]error, many)
	for i := range many {
		all.Go(func() { got[i], errs[i] = s.Make(t.Context(), key, fills("plugin.json", "a/b")) })
	}
	all.Wait()
	for i := range many {
		if errs[i] != nil || got[i].Digest != got[0].Digest || got[i].Dir != s.Path(key) {
			t.Errorf("%d: got %+v, %v", i, got[i], errs[i])
		}
	}
	if got := below(t, s); len(got) != 2 {
		t.Errorf("got %q, want the checkout and its record", got)
	}
}

// A checkout that was edited is told, by whatever was done to it, and Make does not
// hand it out.
func TestVerify(t *testing.T) {
	for name, edit := range map[string]func(dir string) error{
		"another content": func(dir string) error { return os.WriteFile(filepath.Join(dir, "plugin.json"), []byte("{}"), 0o600) },
		"a new file":      func(dir string) error { return os.WriteFile(filepath.Join(dir, "new"), nil, 0o600) },
		"a file less":     func(dir string) error { return os.Remove(filepath.Join(dir, "plugin.json")) },
		"executable":      func(dir string) error { return os.Chmod(filepath.Join(dir, "plugin.json"), 0o700) },
		"a link instead": func(dir string) error {
			return errors.Join(os.Rename(filepath.Join(dir, "plugin.json"), filepath.Join(dir, "x")), os.Symlink("x", filepath.Join(dir, "plugin.json")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			c := mustMake(t, s, key, "plugin.json")
			if err := s.Verify(t.Context(), key, c.Digest); err != nil {
				t.Fatalf("untouched: %v", err)
			}
			if err := edit(c.Dir); err != nil {
				t.Fatal(err)
			}
			var edited *EditedError
			if err := s.Verify(t.Context(), key, ext.Digest{}); !errors.As(err, &edited) || edited.Want != c.Digest {
				t.Errorf("Verify: got %v, want it edited", err)
			}
			if _, err := s.Make(t.Context(), key, fills("plugin.json")); !errors.As(err, &edited) {
				t.Errorf("Make: got %v, want it edited", err)
			}
			swept, err := s.Sweep(t.Context(), nil)
			if err != nil || len(swept.Removed) != 0 {
				t.Errorf("Sweep: got %+v, %v, want nothing removed", swept, err)
			}
		})
	}
}

// later is a store at a time when nobody's claim on a checkout counts any more.
func later(s Store) Store {
	s.Now = func() time.Time { return time.Now().Add(2 * recent) }
	return s
}

// What is used stays, what is not goes, and what somebody just made stays for a while.
func TestSweep(t *testing.T) {
	s := newStore(t)
	for _, c := range []string{"a", "b", "c"} {
		mustMake(t, s, other(c), "plugin.json", c)
	}
	used := map[Key]bool{other("b"): true}
	if got, err := s.Sweep(t.Context(), used); err != nil || len(got.Removed) != 0 || len(got.Kept) != 0 {
		t.Errorf("at once: got %+v, %v, want nothing done", got, err)
	}
	got, err := later(s).Sweep(t.Context(), used)
	if err != nil || !slices.Equal(got.Removed, []Key{other("a"), other("c")}) || len(got.Kept) != 0 {
		t.Errorf("later: got %+v, %v, want a and c removed", got, err)
	}
	if got, want := below(t, s), []string{"acme/" + other("b").Commit, "acme/" + other("b").Commit + ".json"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, err := later(s).Sweep(t.Context(), nil); err != nil || len(got.Removed) != 1 {
		t.Errorf("nothing used: got %+v, %v, want b removed", got, err)
	}
	if got := below(t, s); len(got) != 0 {
		t.Errorf("got %q, want nothing left", got)
	}
	back := s
	back.Now = func() time.Time { return time.Now().Add(-48 * time.Hour) }
	mustMake(t, s, key, "x")
	if got, err := back.Sweep(t.Context(), nil); err != nil || len(got.Removed) != 1 {
		t.Errorf("a clock that went back: got %+v, %v, want it removed", got, err)
	}
}

// Only what has our record and our names is removed, and never what a link leads to.
func TestField_INS03_INS04_sweepRemovesWhatIsOursAlone(t *testing.T) {
	s := newStore(t)
	outside := t.TempDir()
	keep := filepath.Join(outside, "keep")
	if err := os.WriteFile(keep, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	mustMake(t, s, key, "plugin.json")
	own := filepath.Join(s.Dir, "acme")
	for _, err := range []error{
		os.Symlink(outside, filepath.Join(s.Dir, "linked")),              // a name that is a link
		os.Symlink(outside, filepath.Join(own, strings.Repeat("b", 40))), // a checkout that is one
		os.WriteFile(filepath.Join(own, strings.Repeat("b", 40)+".json"), []byte(`{"digest":"`+ext.Sum(nil).String()+`"}`), 0o600),
		os.Mkdir(filepath.Join(own, strings.Repeat("c", 40)), 0o700), // without a record
		os.Mkdir(filepath.Join(own, "notes"), 0o700),                 // the person's
		os.WriteFile(filepath.Join(own, "notes.txt"), nil, 0o600),
		os.Symlink(outside, filepath.Join(own, ".new-1-1-1-AAAA")), // a staging directory that is a link
		os.Symlink(outside, filepath.Join(s.Path(key), "out")),     // edited
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before := below(t, s)
	got, err := later(s).Sweep(t.Context(), nil)
	if err != nil || len(got.Removed) != 0 || got.Stages != 0 {
		t.Errorf("got %+v, %v, want nothing removed", got, err)
	}
	if len(got.Kept) != 7 {
		t.Errorf("got %d kept, want 7 named: %+v", len(got.Kept), got.Kept)
	}
	if after := below(t, s); !slices.Equal(before, after) {
		t.Errorf("got %q, want %q as before", after, before)
	}
	if _, err := os.Stat(keep); err != nil {
		t.Errorf("what a link leads to: %v", err)
	}

	// A checkout with a link in it goes, and what that leads to stays.
	with := Key{Name: "linking", Commit: key.Commit}
	if _, err := s.Make(t.Context(), with, func(_ context.Context, dir string) error {
		return errors.Join(os.Mkdir(dir, 0o700), os.Symlink(outside, filepath.Join(dir, "out")))
	}); err != nil {
		t.Fatal(err)
	}
	if got, err := later(s).Sweep(t.Context(), nil); err != nil || !slices.Equal(got.Removed, []Key{with}) {
		t.Errorf("got %+v, %v, want %s removed", got, err, with)
	}
	if _, err := os.Stat(keep); err != nil {
		t.Errorf("what a link leads to: %v", err)
	}
}

// Work of a process that is gone is tidied away; that of one that lives is not, and
// neither is that of one whose number counts elsewhere.
func TestSweepOfStages(t *testing.T) {
	s := newStore(t)
	mine, err := s.stage("acme")
	if err != nil {
		t.Fatal(err)
	}
	p := self()
	for name, by := range map[string]process{"dead": {p.Pid, p.Started + 1, p.Space}, "elsewhere": {1 << 22, 1, p.Space + 1}} {
		dir := filepath.Join(s.Dir, "acme", fmt.Sprintf(".new-%d-%d-%d-AAAA", by.Pid, by.Started, by.Space))
		if err := fills("tree/x")(t.Context(), dir); err != nil {
			t.Fatal(name, err)
		}
	}
	got, err := s.Sweep(t.Context(), nil)
	if err != nil || got.Stages != 1 {
		t.Errorf("got %+v, %v, want the one of a dead process removed", got, err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Errorf("ours: %v, want it left", err)
	}
	if got := below(t, s); len(got) != 2 {
		t.Errorf("got %q, want two left", got)
	}
}

// STA-08, STA-05: another commit is another directory, whole, whatever a version says.
func TestField_STA08_nothingOfAnOldVersionRemains(t *testing.T) {
	s := newStore(t)
	old := mustMake(t, s, other("a"), "plugin.json", "skills/x/resources/a.md")
	now := mustMake(t, s, other("b"), "plugin.json", "skills/x/references/a.md")
	if _, err := os.Stat(filepath.Join(now.Dir, "skills/x/resources")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("resources: %v, want nothing of it", err)
	}
	got, err := Diff(t.Context(), old.Dir, now.Dir)
	want := []Change{{"skills/x/references/a.md", Added, false}, {"skills/x/resources/a.md", Removed, false}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Diff: got %v, %v, want %v", got, err, want)
	}
}

// Every way in which two trees can differ is told, and nothing else.
func TestDiff(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	type entry struct {
		name, text string
		mode       fs.FileMode
	}
	for dir, entries := range map[string][]entry{
		a: {{"same", "x", 0o600}, {"longer", "x", 0o600}, {"other", "x", 0o600}, {"mode", "x", 0o600}, {"gone", "x", 0o700}, {"kind", "x", 0o600}, {"a/b", "x", 0o600}},
		b: {{"same", "x", 0o600}, {"longer", "xy", 0o600}, {"other", "y", 0o600}, {"mode", "x", 0o700}, {"new", "x", 0o700}, {"kind/x", "x", 0o600}, {"a/b", "x", 0o600}},
	} {
		for _, e := range entries {
			at := filepath.Join(dir, e.name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(e.text), e.mode)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for dir, target := range map[string]string{a: "same", b: "other"} {
		if err := errors.Join(os.Symlink(target, filepath.Join(dir, "link")), os.Symlink("same", filepath.Join(dir, "link2"))); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Diff(t.Context(), a, b)
	want := []Change{
		{"gone", Removed, true}, {"kind", Removed, false}, {"kind/x", Added, false}, {"link", Changed, false},
		{"longer", Changed, false}, {"mode", Mode, true}, {"new", Added, true}, {"other", Changed, false},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if got, err := Diff(t.Context(), "", a); err != nil || len(got) != 9 || got[0].Status != Added {
		t.Errorf("from nothing: got %v, %v, want 9 added", got, err)
	}
}
