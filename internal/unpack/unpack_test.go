package unpack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

// do writes entries, "name" for a file and "name -> target" for a link, "name/" for a
// directory.
func do(t *testing.T, b Bounds, entries ...string) (dir string, err error) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "tree")
	w, err := New(dir, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, e := range entries {
		name, target, link := strings.Cut(e, " -> ")
		switch {
		case link:
			err = w.Link(name, target)
		case strings.HasSuffix(e, "/") && len(e) > 1 && !strings.HasSuffix(e, "//"):
			err = w.Dir(strings.TrimSuffix(e, "/"))
		default:
			err = w.File(e, File, int64(len("text")), strings.NewReader("text"))
		}
		if err != nil {
			return dir, err
		}
	}
	return dir, w.Finish()
}

// Names that lead outside, or that some system takes for others, are refused, and
// nothing is written outside.
func TestRefusedNames(t *testing.T) {
	for name, want := range map[string]string{
		"../x": "upwards", "a/../../x": "upwards", "/etc/x": "absolute", "": "no name", "a//b": "plain", "./a": "plain", ".": "plain", "a/./b": "plain",
		`a\b`: `\`, `..\x`: `\`, "a\x00b": "control", "a\nb": "control", "a\x1b[2J": "control", "a\xffb": "UTF-8",
		".git/config": "git", ".GIT/x": "git", "a/.git/hooks/x": "git", ".git./x": "git", ".git /x": "git", ".git...  /x": "git", "git~1/x": "git", "GIT~2": "git",
		".git::$INDEX_ALLOCATION/x": "git", ".g\u200cit/x": "git", ".\u200dgit": "git", "\ufeff.git/x": "git", ".gi\u0300\u200bt": "", ".Git": "git", "a/.gIt": "git",
		strings.Repeat("a", 256): "longer", strings.Repeat("aaa/", 300) + "a": "longer", strings.Repeat("a/", 70) + "a": "deep",
		".gitignore": "", ".github/x": "", ".gitmodules": "", "git": "", "git~x": "", "a.git/x": "", "ünïcode/日本": "", "a b": "", "a:b": "", "...": "", "~": "",
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := do(t, Bounds{}, name)
			if got := err != nil && ext.KindOf(err) == ext.Refused && strings.Contains(err.Error(), want); got != (want != "") {
				t.Errorf("got %v, want %q in a refusal", err, want)
			}
			if there, _ := os.ReadDir(filepath.Dir(dir)); len(there) != 1 {
				t.Errorf("got %v beside the tree", there)
			}
		})
	}
}

// Trees whose names are one where case or composition does not count, that put a file
// below a link or a file, or that are a repository, are refused.
func TestRefusedTrees(t *testing.T) {
	for name, c := range map[string]struct {
		entries []string
		want    string
	}{
		"case":                           {[]string{"README", "readme"}, "one name"},
		"case of directories":            {[]string{"A/x", "a/y"}, "one name"},
		"composition":                    {[]string{"\u00e9", "e\u0301"}, "one name"},
		"not seen":                       {[]string{"a", "a\u200b"}, "one name"},
		"twice":                          {[]string{"a", "a"}, "twice"},
		"a file below a link":            {[]string{"a -> b", "a/x"}, "twice"},
		"a file below a link, by case":   {[]string{"a -> b", "A/x"}, "one name"},
		"a link over a directory":        {[]string{"a/x", "a -> b"}, "twice"},
		"a file below a file":            {[]string{"a", "a/x"}, "twice"},
		"a repository":                   {[]string{"HEAD", "objects/x", "refs/heads/x", "config"}, "repository of git"},
		"a repository below":             {[]string{"t/head", "t/objects/x", "t/refs/", "t/config"}, "repository of git"},
		"directories that are there":     {[]string{"a/", "a/x", "a/"}, ""},
		"a HEAD that is no repository's": {[]string{"HEAD", "objects/x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := do(t, Bounds{}, c.entries...)
			if got := err != nil && ext.KindOf(err) == ext.Refused && strings.Contains(err.Error(), c.want); got != (c.want != "") {
				t.Errorf("got %v, want %q in a refusal", err, c.want)
			}
		})
	}
}

// A link that leads outside is refused, whatever other links it goes through, and one
// that does not is made.
func TestLinks(t *testing.T) {
	for name, c := range map[string]struct {
		entries []string
		refused bool
	}{
		"beside":                    {[]string{"a", "l -> a"}, false},
		"up and down":               {[]string{"d/l -> ../a", "a"}, false},
		"to the top":                {[]string{"d/l -> .."}, false},
		"nowhere":                   {[]string{"l -> nothing/there"}, false},
		"circle":                    {[]string{"a -> b", "b -> a"}, false},
		"through a link":            {[]string{"d/e/x", "l -> d/e", "m -> l/x"}, false},
		"out":                       {[]string{"l -> .."}, true},
		"out of a directory":        {[]string{"d/l -> ../../x"}, true},
		"absolute":                  {[]string{"l -> /etc/passwd"}, true},
		"drive":                     {[]string{"l -> C:/x"}, true},
		"backslash":                 {[]string{`l -> ..\..\x`}, true},
		"empty":                     {[]string{"l -> "}, true},
		"out and back by name":      {[]string{"l -> ../tree/a"}, true},
		"down and up past the top":  {[]string{"l -> d/../../x", "d/x"}, true},
		"through a link to the top": {[]string{"d/top -> ..", "d/l -> top/../x"}, true},
		"through a link that is short, as text all inside": {[]string{"a/b/c/x", "s -> a", "a/b/c/up -> ../../..", "l -> a/b/c/up/../x"}, true},
		"through a link of another case":                   {[]string{"d/Top -> ..", "d/l -> top/../x"}, true},
		"through a link that comes later":                  {[]string{"d/a -> z/../..", "d/z -> ../d"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := do(t, Bounds{}, c.entries...)
			if refused := err != nil && ext.KindOf(err) == ext.Refused; refused != c.refused || (err != nil) != refused {
				t.Fatalf("got %v, want it refused: %v", err, c.refused)
			}
			if err != nil {
				links := 0
				filepath.WalkDir(dir, func(_ string, d fs.DirEntry, _ error) error {
					if d.Type()&fs.ModeSymlink != 0 {
						links++
					}
					return nil
				})
				if links > 0 {
					t.Errorf("%d links were made", links)
				}
			}
		})
	}
}

// The bounds hold, and one fault more than is shown is counted.
func TestBounds(t *testing.T) {
	for name, c := range map[string]struct {
		b    Bounds
		want string
	}{
		"entries": {Bounds{Entries: 2}, "more than 2"}, "bytes": {Bounds{Bytes: 8}, "MiB"}, "file": {Bounds{File: 3}, "has 4 bytes"}, "none": {Bounds{}, ""},
	} {
		if _, err := do(t, c.b, "a", "b", "c"); (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	w, err := New(filepath.Join(t.TempDir(), "tree"), Bounds{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.File("short", File, 10, strings.NewReader("x")); err == nil {
		t.Error("a file that is shorter than it says: got no error")
	}
	if err := w.File("negative", File, -1, strings.NewReader("x")); err == nil {
		t.Error("a file of less than nothing: got no error")
	}
	e := &RefusedError{}
	for i := range 5 {
		e.Faults = append(e.Faults, fmt.Sprint("fault ", i))
	}
	if got, want := e.Error(), "fault 0; fault 1; fault 2; and 2 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := New(filepath.Join(t.TempDir(), "no", "tree"), Bounds{}, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("New below nothing: got %v", err)
	}
}
