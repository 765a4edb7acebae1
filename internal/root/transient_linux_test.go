package root_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/mortise-dev/mortise/internal/fulltest"
	"github.com/mortise-dev/mortise/internal/root"
)

// TestTransient has every way of reading fail because too many files are open:
// each must be remembered as an answer that the system did not give, and what is
// wrong with the files themselves must not.
func TestTransient(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	asks := map[string]func(*root.Root) error{
		"read":    func(r *root.Root) error { _, err := r.ReadFile("f"); return err },
		"list":    func(r *root.Root) error { _, err := r.ReadDir("."); return err },
		"open":    func(r *root.Root) error { _, err := r.Open("f"); return err },
		"stamped": func(r *root.Root) error { _, _, _, err := r.ReadStamped("f", 10); return err },
		"survey": func(r *root.Root) error {
			return r.Survey(t.Context(), 10, func(root.Item) error { return nil })
		},
		"sub": func(r *root.Root) error { _, err := r.Sub("f", root.Options{}); return err },
	}
	for name, ask := range asks {
		t.Run(name, func(t *testing.T) {
			r, err := root.Open(dir, root.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			for _, wrong := range []string{"missing", "dangling", "f/below", "../out"} {
				if _, err := r.ReadFile(wrong); err == nil {
					t.Fatalf("read %s: got no error", wrong)
				}
			}
			if err := r.Transient(); err != nil {
				t.Fatalf("before: got %v, want nothing remembered of files that are wrong", err)
			}
			room := fulltest.Files(t)
			err = ask(r)
			if !errors.Is(err, syscall.EMFILE) {
				t.Fatalf("got %v, want %v", err, syscall.EMFILE)
			}
			room()
			if got := r.Transient(); !errors.Is(got, syscall.EMFILE) || !root.Transient(got) {
				t.Errorf("got %v, want the error remembered", got)
			}
		})
	}
	for _, err := range []error{nil, fs.ErrNotExist, fs.ErrPermission, root.ErrLoop, syscall.ELOOP, syscall.ENAMETOOLONG} {
		if root.Transient(err) {
			t.Errorf("%v: got transient, want it to say what is there", err)
		}
	}
	if err := fmt.Errorf("read: %w", &fs.PathError{Op: "read", Err: syscall.EIO}); !root.Transient(err) {
		t.Errorf("%v: got not transient", err)
	}
}
