// Package golden runs tests whose cases are txtar archives: the reason in
// prose, the files it is about, and last what is expected of them. go test
// -update rewrites the expectations; the difference is to be read.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// Run runs got on each archive that pattern matches, as a test of the
// archive's name. The files of an archive named in outputs are expectations,
// which got answers in that order; all others are its input.
func Run(t *testing.T, pattern string, outputs []string, got func(t *testing.T, in []txtar.File) []string) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("cases at %s: got %d, %v; want one at least", pattern, len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { one(t, name, outputs, got) })
	}
}

func one(t *testing.T, name string, outputs []string, got func(t *testing.T, in []txtar.File) []string) {
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(strings.TrimSpace(string(a.Comment))) == 0 {
		t.Errorf("%s: got no prose, want the reason of the case before its first file", name)
	}
	want := make([]string, len(outputs))
	var in []txtar.File
	for _, f := range a.Files {
		if i := slices.Index(outputs, f.Name); i >= 0 {
			want[i] = string(f.Data)
		} else {
			in = append(in, f)
		}
	}
	have := got(t, slices.Clone(in))
	for i := range have {
		if have[i] != "" && !strings.HasSuffix(have[i], "\n") {
			have[i] += "\n"
		}
	}
	if *update {
		a.Files = in
		for i := range outputs {
			a.Files = append(a.Files, txtar.File{Name: outputs[i], Data: []byte(have[i])})
		}
		if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i := range outputs {
		if diff := cmp.Diff(want[i], have[i]); diff != "" {
			t.Errorf("%s, %s (-want +got; go test -update rewrites):\n%s", name, outputs[i], diff)
		}
	}
}

// Write makes the files below dir in the order given. A name "path -> target"
// is a symbolic link, one that ends in a slash an empty directory.
func Write(t testing.TB, dir string, files []txtar.File) {
	t.Helper()
	for _, f := range files {
		name, target, link := strings.Cut(f.Name, " -> ")
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case link:
			err = os.Symlink(strings.ReplaceAll(target, "$TREES", dir), file)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(file, 0o777)
		default:
			err = os.WriteFile(file, f.Data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Dir is a new directory with the files, its path free of links.
func Dir(t testing.TB, files []txtar.File) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	Write(t, dir, files)
	return dir
}

// Files makes files of names and contents in turn.
func Files(namesAndContents ...string) []txtar.File {
	var out []txtar.File
	for i := 0; i+1 < len(namesAndContents); i += 2 {
		out = append(out, txtar.File{Name: namesAndContents[i], Data: []byte(namesAndContents[i+1])})
	}
	return out
}
