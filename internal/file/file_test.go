package file_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/mortise-dev/mortise/internal/file"
)

// What is replaced is whole, is the person's alone, and leaves nothing beside it,
// also when it cannot be put in its place.
func TestReplace(t *testing.T) {
	for what, replace := range map[string]func(string, []byte) error{"unsynced": file.Replace, "synced": file.ReplaceSynced} {
		dir := t.TempDir()
		name := filepath.Join(dir, "a")
		for _, text := range []string{"one", "another"} {
			if err := replace(name, []byte(text)); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			f, err := file.Open(name)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			got, err := io.ReadAll(f)
			f.Close()
			if err != nil || string(got) != text {
				t.Errorf("%s: got %q, %v, want %q", what, got, err, text)
			}
		}
		full := filepath.Join(dir, "full")
		if err := os.MkdirAll(filepath.Join(full, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := replace(full, nil); err == nil {
			t.Errorf("%s: a directory was replaced", what)
		}
		if _, err := file.Open(full); err == nil {
			t.Errorf("%s: a directory was opened", what)
		}
		if there, err := os.ReadDir(dir); err != nil || len(there) != 2 {
			t.Errorf("%s: got %v, %v, want the file and the directory alone", what, there, err)
		}
	}
}
