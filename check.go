package mortise

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// T is what [CheckProvider] needs of a test: a *testing.T.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	TempDir() string
	Setenv(key, value string)
	Chdir(dir string)
}

// CheckProvider holds a provider to its contract: its Contribute is asked twice, in
// an empty working directory and with an empty home, and returns the same; it leaves
// no file, no change of the environment and, where that can be told (on Linux), no
// process and no open file or connection; and what it contributes can be composed. No
// lifecycle hook is run. It cannot see what was begun and ended within Contribute, but
// for processes. The test cannot run beside others.
func CheckProvider(t T, p Provider, opts ...Option) {
	t.Helper()
	home, work := t.TempDir(), t.TempDir()
	for _, key := range []string{"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "TMPDIR"} {
		t.Setenv(key, home)
	}
	t.Chdir(work)
	watching() // what watching itself opens is open from now on
	before := append(watching(), lying(home, work)...)
	first, err := safely(p.Contribute)
	if err != nil {
		t.Errorf("Contribute: %v", err)
		return
	}
	second, err := safely(p.Contribute)
	if err != nil {
		t.Errorf("Contribute, asked again: %v", err)
		return
	}
	after := append(watching(), lying(home, work)...)
	for _, what := range after {
		if !slices.Contains(before, what) {
			t.Errorf("Contribute had an effect: %s was not there before", what)
		}
	}
	for _, what := range before {
		if !slices.Contains(after, what) {
			t.Errorf("Contribute had an effect: %s is not there any more", what)
		}
	}
	if a, b := written(&first), written(&second); a != b {
		t.Errorf("Contribute returned one thing and then another:\n%s\nand\n%s", a, b)
	}
	if _, err := Compose([]Provider{first}, opts...); err != nil {
		t.Errorf("the contribution cannot be composed: %v", err)
	}
}

// lying is everything below directories, and the environment.
func lying(dirs ...string) (out []string) {
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			what := "the file " + name
			if info, err := os.Lstat(name); err == nil {
				what += fmt.Sprintf(" (%s, %d bytes, of %s)", info.Mode(), info.Size(), info.ModTime())
			}
			if err != nil {
				what += ": " + err.Error()
			}
			out = append(out, what)
			return nil // what cannot be read is something, too
		})
	}
	for _, v := range os.Environ() {
		out = append(out, "the variable "+v)
	}
	return out
}

// written is a contribution as text, but for its functions.
func written(c *Contribution) string {
	var b strings.Builder
	name, err := ext.ParseName(c.Extension)
	if err != nil {
		name = "invalid"
	}
	fmt.Fprintf(&b, "extension %q, version %q: ", c.Extension, c.Version)
	for _, h := range c.Lifecycle {
		fmt.Fprintf(&b, "hook %q (%q, %s), ", h.Name, h.Phase, h.Timeout)
	}
	p, findings := newPart(c, name, ext.Plugin)
	if p == nil {
		for _, f := range findings {
			fmt.Fprintf(&b, "%s; ", f)
		}
		return b.String()
	}
	for _, f := range p.candidate.Found() {
		d := f.Document.Digest
		fmt.Fprintf(&b, "%s %s, ", f.Document.Path, d.Short())
	}
	fmt.Fprintf(&b, "in all %s", p.candidate.Digest().Short())
	return b.String()
}
