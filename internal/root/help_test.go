package root

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// later is a clock an hour ahead: nothing that a test makes is racy by it.
func later() time.Time { return time.Now().Add(time.Hour) }

// doors are the implementations that every test of behaviour runs on. Where
// the kernel has no openat2 both are os.Root.
var doors = []struct {
	name string
	opt  Options
}{
	{"openat2", Options{}},
	{"openat2 traced", Options{Trace: true}},
	{"os.Root", Options{portable: true}},
	{"os.Root traced", Options{portable: true, Trace: true}},
}

// onEach runs a test on every implementation.
func onEach(t *testing.T, run func(t *testing.T, opt Options)) {
	t.Helper()
	for _, d := range doors {
		t.Run(d.name, func(t *testing.T) { run(t, d.opt) })
	}
}

func open(t *testing.T, dir string, opt Options) *Root {
	t.Helper()
	r, err := Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// plant makes a directory inside another one and returns both, links resolved:
// what lies in base but not in dir is outside.
func plant(t *testing.T) (base, dir string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(base, "tree")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return base, dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, file string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, file); err != nil {
		t.Fatal(err)
	}
}
