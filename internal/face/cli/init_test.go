package cli

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/host"
)

// A file is there whole or not at all, what was there stays, and no draft of it
// is left behind.
func TestWriteWhole(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	for name, want := range map[string]error{"new": nil, "there": fs.ErrExist, "missing/new": fs.ErrNotExist} {
		if name == "there" {
			if err := root.WriteFile(name, []byte("before"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := writeWhole(root, name, "text"); !errors.Is(err, want) {
			t.Errorf("writeWhole(%s): got error %v, want %v", name, err, want)
		}
	}
	for name, want := range map[string]string{"new": "text", "there": "before"} {
		if got, err := root.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the directory: got %v, %v, want the two files alone", entries, err)
	}
}

// What cannot be begun leaves nothing of ours, not even the directories.
func TestInitThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	var out, errs bytes.Buffer
	app := &App{
		Out: &out, Err: &errs, Dir: dir, Env: []string{"MORTISE_HOME=" + dir + "/home"}, Person: func() string { return "" },
		Open: func(context.Context, host.Place, host.Purpose) (*host.Host, func() error, error) {
			return nil, nil, errors.New("no host")
		},
	}
	if code := Run(t.Context(), app, []string{"init", "a/b/c"}); code != exitFailed {
		t.Errorf("init: got exit code %d, want %d\n%s", code, exitFailed, errs.String())
	}
	if _, err := os.Lstat(filepath.Join(dir, "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a: got %v, want it gone", err)
	}
}

// Names come from anybody, and what a shell is offered it may read as a command.
func TestOnlyPlainNamesAreOffered(t *testing.T) {
	got := typeable([]string{
		"acme:deploy", "a.b_c/d@e+f-1", "owner:-rf",
		"", "-rf", "q$(touch X)a", "a b", "a\tb", "a`b`", "a;b", "a|b", "a&b", "a'b", `a"b`, `a\b`, "a*b", "a?b", "a[b]", "a{b,c}",
		"~a~", "a!b", "#a#", "a>b", "a<b", "a=b", "a%b", "a\x1bb", "a\nb", "a\u202eb", "é", "\xff",
	})
	if want := "acme:deploy a.b_c/d@e+f-1 owner:-rf"; strings.Join(got, " ") != want {
		t.Errorf("typeable: got %q, want %q", got, want)
	}
}
