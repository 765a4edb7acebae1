package roster_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/state"
)

// at has all clocks of a bench stand at a time.
func (b *bench) at(when time.Time) {
	b.Clock = func() time.Time { return when }
	b.Checkouts.Now = b.Clock
}

// A clock that goes back, by a minute or by years, between any two steps, changes nothing
// of what they do: neither which commit is newer, nor what may be removed.
func TestClockGoesBack(t *testing.T) {
	for what, back := range map[string]time.Duration{"a minute": time.Minute, "two hours": 2 * time.Hour, "years": 5 * 365 * 24 * time.Hour} {
		t.Run(what, func(t *testing.T) {
			r, b := newRepo(t, map[string]string{"a": "1"}), newBench(t)
			b.at(noon)
			first := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}})
			second := r.commit(map[string]string{"a": "2"})
			b.at(noon.Add(-back))
			now, err := b.update("tools")
			if err != nil || now.Commit != second || now.Before != first.Commit || !now.At.Before(first.At) || b.read(&now, "a") != "2" {
				t.Fatalf("updated before it was installed: got %+v, %v, want the second commit", now, err)
			}
			b.at(noon.Add(-2 * back))
			if news, err := b.Look(t.Context(), "", nil); err != nil || news[0].Newer() {
				t.Errorf("right after: got %+v, %v, want nothing newer", news, err)
			}
			if _, prior, err := b.Rollback(t.Context(), roster.Key{Name: key}); err != nil || prior.Commit != first.Commit || b.read(&prior, "a") != "1" {
				t.Errorf("gone back: got %+v, %v, want the first commit", prior, err)
			}
			if swept, err := b.Sweep(t.Context()); err != nil || len(swept.Removed)+len(swept.Kept) > 0 {
				t.Errorf("swept: got %+v, %v, want both left, which are used", swept, err)
			}
			// Both were asked for by this process, which lives; nobody waits for years.
			if _, _, _, err := b.Remove(t.Context(), roster.Key{Name: key}, nil); err != nil || len(b.lines()) > 0 {
				t.Errorf("removed: got %v, and the roster %+v", err, b.lines())
			}
			b.at(noon.Add(2 * time.Hour))
			swept, err := b.Sweep(t.Context())
			if left, _ := b.Checkouts.List(); err != nil || len(swept.Kept) > 0 || len(left) > 0 {
				t.Errorf("swept when all is past: got %+v, %v, and %v is left, want nothing", swept, err, left)
			}
		})
	}
}

// A line of the state that was written in the future is updated and removed like others.
func TestStateOfTheFuture(t *testing.T) {
	r, b := newRepo(t, map[string]string{"a": "1"}), newBench(t)
	b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}})
	if err := b.Store.Update(t.Context(), func(s *state.Snapshot) error {
		i := s.Roster[0]
		i.At = noon.AddDate(500, 0, 0)
		s.Put(i)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	second := r.commit(map[string]string{"a": "2"})
	if now, err := b.update("tools"); err != nil || now.Commit != second || !now.At.Equal(noon) {
		t.Errorf("updated: got %+v, %v, want the second commit, now", now, err)
	}
	if _, _, _, err := b.Remove(t.Context(), roster.Key{Name: key}, nil); err != nil || len(b.lines()) > 0 {
		t.Errorf("removed: got %v, and the roster %+v", err, b.lines())
	}
}

// Of several that do the same at once one does it, the others are refused, and the roster
// names what is there.
func TestManyAtOnce(t *testing.T) {
	r, b := newRepo(t, map[string]string{"a": "1"}), newBench(t)
	atOnce := func(what, says string, do func() error) {
		t.Helper()
		const many = 6
		errs := make([]error, many)
		var all sync.WaitGroup
		for i := range many {
			all.Go(func() { errs[i] = do() })
		}
		all.Wait()
		did := 0
		for _, err := range errs {
			switch {
			case err == nil:
				did++
			case ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), says):
				t.Errorf("%s: got %v, want a refusal that says %q", what, err, says)
			}
		}
		if did != 1 {
			t.Errorf("%s: %d did it, want one", what, did)
		}
		for _, i := range b.lines() {
			if err := b.Checkouts.Verify(t.Context(), checkout.Key{Name: i.Name, Commit: i.Commit}, i.Digest); err != nil {
				t.Errorf("%s: %v, want what the roster names", what, err)
			}
		}
	}
	atOnce("add", "is installed already", func() error {
		_, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: r.source()}})
		return err
	})
	second := r.commit(map[string]string{"a": "2"})
	news, err := b.Look(t.Context(), "", []string{"tools"})
	if err != nil {
		t.Fatal(err)
	}
	atOnce("update", "changed by somebody else meanwhile", func() error {
		n := news[0]
		c, err := b.Fetch(t.Context(), &n, nil)
		if err != nil {
			return err
		}
		_, err = b.Update(t.Context(), &n, c)
		return err
	})
	if got := b.lines(); len(got) != 1 || got[0].Commit != second || got[0].Before != news[0].Line.Commit {
		t.Errorf("the roster: got %+v, want the second commit after the first", got)
	}
}

// What is removed while it is updated stays removed, and what was fetched for the update
// is swept once that is told.
func TestRemovedWhileUpdated(t *testing.T) {
	r, b := newRepo(t, map[string]string{"a": "1"}), newBench(t)
	b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}})
	r.commit(map[string]string{"a": "2"})
	b.Try = func(ctx context.Context, _ ...state.Installed) error { // it is fetched, and not yet written down
		_, _, _, err := b.Remove(ctx, roster.Key{Name: key}, nil)
		return err
	}
	if _, err := b.update("tools"); ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), "changed by somebody else") {
		t.Errorf("got %v, want that it was changed meanwhile", err)
	}
	b.Checkouts.Now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	if _, err := b.Sweep(t.Context()); err != nil || len(b.lines()) > 0 {
		t.Errorf("got %v, and the roster %+v, want nothing in it", err, b.lines())
	}
	if left, err := os.ReadDir(b.Checkouts.Dir); err != nil || len(left) > 0 {
		t.Errorf("there is %v, %v, want nothing", left, err)
	}
}

// What somebody did to a checkout by hand is told by what would use it, and neither
// removed nor followed. Once it is moved away the plugin is installed as if nothing had
// been.
func TestDamagedByHand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links take a privilege")
	}
	link := func(t *testing.T, dir string) {
		elsewhere := filepath.Join(t.TempDir(), "elsewhere")
		if err := errors.Join(os.Rename(dir, elsewhere), os.Symlink(elsewhere, dir)); err != nil {
			t.Fatal(err)
		}
	}
	for what, c := range map[string]struct {
		damage func(t *testing.T, dir string)
		tells  string
		kept   string // below the checkouts of the plugin: what is named as left; "" is nothing
		gone   bool   // there is nothing, so that it is made anew
	}{
		"edited":                     {func(t *testing.T, dir string) { write(t, filepath.Join(dir, "b", "a"), "mine") }, "was edited", "COMMIT", false},
		"a mode":                     {func(t *testing.T, dir string) { chmod(t, filepath.Join(dir, "a"), 0o755) }, "was edited", "COMMIT", false},
		"a link more":                {func(t *testing.T, dir string) { symlink(t, "a", filepath.Join(dir, "c")) }, "was edited", "COMMIT", false},
		"emptied":                    {func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "a")) }, "was edited", "COMMIT", false},
		"no record":                  {func(t *testing.T, dir string) { remove(t, dir+".json") }, "there is no record of it", "COMMIT", false},
		"a record cut short":         {func(t *testing.T, dir string) { write(t, dir+".json", `{"digest":`) }, "cannot be read", "COMMIT", false},
		"an empty record":            {func(t *testing.T, dir string) { write(t, dir+".json", "{}") }, "cannot be read", "COMMIT", false},
		"a huge record":              {func(t *testing.T, dir string) { write(t, dir+".json", strings.Repeat(" ", 1<<20)+"{}") }, "cannot be read", "COMMIT", false},
		"a record that leads away":   {func(t *testing.T, dir string) { remove(t, dir+".json"); symlink(t, "/etc/passwd", dir+".json") }, "is no file", "COMMIT", false},
		"a file in its place":        {func(t *testing.T, dir string) { remove(t, dir); write(t, dir, "mine") }, "is a file", "COMMIT", false},
		"a link in its place":        {link, "is a link", "COMMIT", false},
		"a link in the place of all": {func(t *testing.T, dir string) { link(t, filepath.Dir(dir)) }, "is a link", ".", false},
		"gone":                       {func(t *testing.T, dir string) { remove(t, dir) }, "", "", true},
		"gone with its record":       {func(t *testing.T, dir string) { remove(t, dir); remove(t, dir+".json") }, "", "", true},
		"all of it is gone":          {func(t *testing.T, dir string) { remove(t, filepath.Dir(dir)) }, "", "", true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r, b := newRepo(t, map[string]string{"a": "1"}), newBench(t)
			b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}})
			r.commit(map[string]string{"a": "2"})
			now, err := b.update("tools")
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := b.Rollback(t.Context(), roster.Key{Name: key}); err != nil { // the damaged one is the other one
				t.Fatal(err)
			}
			dir := roster.Dir(b.Checkouts.Dir, &now)
			c.damage(t, dir)
			was := b.lines()[0]

			_, _, err = b.Rollback(t.Context(), roster.Key{Name: key})
			if c.gone && !errors.Is(err, fs.ErrNotExist) || err == nil || !strings.Contains(err.Error(), c.tells) {
				t.Errorf("Rollback: got %v, want that it %s", err, c.tells)
			}
			if got := b.lines(); len(got) != 1 || got[0] != was {
				t.Errorf("the roster: got %+v, want it as it was", got)
			}
			b.Checkouts.Now = func() time.Time { return time.Now().Add(2 * time.Hour) } // nobody is about to use it
			_, swept, _, err := b.Remove(t.Context(), roster.Key{Name: key}, nil)
			want := strings.ReplaceAll(c.kept, "COMMIT", now.Commit)
			switch {
			case err != nil:
				t.Errorf("Remove: got %v", err)
			case c.gone && len(swept.Kept) > 0:
				t.Errorf("Remove: kept is %+v, want nothing", swept.Kept)
			case !c.gone && (len(swept.Kept) == 0 || swept.Kept[0].Path != filepath.Join(b.Checkouts.Dir, "tools", want)):
				t.Errorf("Remove: kept is %+v, want %s", swept.Kept, want)
			}
			if _, err := os.Lstat(dir); (err == nil) == c.gone {
				t.Errorf("its place: %v", err)
			}
			b.Checkouts.Now = nil
			_, err = b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: r.source()}})
			if c.gone != (err == nil) {
				t.Errorf("Add: got %v", err)
			}
			if !c.gone { // as it is advised
				aside := t.TempDir()
				if err := os.Rename(filepath.Join(b.Checkouts.Dir, "tools"), filepath.Join(aside, "tools")); err != nil {
					t.Fatal(err)
				}
				i := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}})
				if b.read(&i, "a") != "2" {
					t.Errorf("installed again: got %+v with %q", i, b.read(&i, "a"))
				}
			}
		})
	}
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}

func chmod(t *testing.T, name string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}
