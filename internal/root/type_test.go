package root

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// listed is a listing of a directory as it is now.
func listed(t *testing.T, dir string, below ...string) Listing {
	t.Helper()
	known := map[string][]fs.DirEntry{}
	for _, name := range below {
		entries, err := os.ReadDir(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		known[name] = entries
	}
	return func(name string) ([]fs.DirEntry, bool) {
		entries, ok := known[name]
		return entries, ok
	}
}

// TestType wants the type of what a name leads to, and nothing looked at where a
// known listing tells.
func TestType(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		write(t, filepath.Join(dir, "d/f"), "x")
		for link, to := range map[string]string{"to-file": "d/f", "to-dir": "d", "nowhere": "gone", "out": ".."} {
			if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
		}
		plain := open(t, dir, opt)
		opt.Listing = listed(t, dir, ".", "d")
		knowing := open(t, dir, opt)
		for _, name := range []string{".", "d", "d/f", "to-file", "to-dir", "to-dir/f", "nowhere", "out", "none", "d/none", "none/f"} {
			want, wantErr := plain.Type(name)
			got, gotErr := knowing.Type(name)
			if got != want || (gotErr == nil) != (wantErr == nil) || errors.Is(gotErr, fs.ErrNotExist) != errors.Is(wantErr, fs.ErrNotExist) {
				t.Errorf("%s: got %v, %v with a listing, want %v, %v as without", name, got, gotErr, want, wantErr)
			}
			wantReal, wantOut, _ := plain.Real(name)
			gotReal, gotOut, _ := knowing.Real(name)
			if gotReal != wantReal || gotOut != wantOut {
				t.Errorf("%s really lies at %q, %v with a listing, want %q, %v as without", name, gotReal, gotOut, wantReal, wantOut)
			}
		}
		if err := os.RemoveAll(filepath.Join(dir, "d")); err != nil {
			t.Fatal(err)
		}
		if typ, err := knowing.Type("d/f"); err != nil || !typ.IsRegular() {
			t.Errorf("d/f is listed and gone: got %v, %v, want the type that was listed", typ, err)
		}
	})
}

// TestSubKnowsTheListing wants a root below a root to know what that one does, by
// its own names.
func TestSubKnowsTheListing(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		write(t, filepath.Join(dir, "a/b/f"), "x")
		opt.Listing = listed(t, dir, ".", "a", "a/b")
		above := open(t, dir, opt)
		opt.Listing = nil
		below, err := above.Sub("a", opt)
		if err != nil {
			t.Fatal(err)
		}
		defer below.Close()
		write(t, filepath.Join(dir, "a/b/late"), "x")
		if entries, err := below.ReadDir("b"); err != nil || len(entries) != 1 {
			t.Errorf("list b: got %v, %v, want what was listed", entries, err)
		}
		if _, err := below.Stat("b/late"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file that is not listed: got %v, want that it does not exist", err)
		}
		if data, err := below.ReadFile("b/f"); err != nil || string(data) != "x" {
			t.Errorf("read b/f: got %q, %v", data, err)
		}
	})
}
