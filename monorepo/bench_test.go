package monorepo

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// large is a working tree with 5,000 Python files of 55 MB among its agents, taken from the
// machine's own Python, of which 50 hold an agent. With MORTISE_BENCH_PYTHON they are taken
// from that directory.
func large(b *testing.B) *Monorepo {
	b.Helper()
	from := os.Getenv("MORTISE_BENCH_PYTHON")
	if from == "" {
		out, err := exec.Command("python3", "-c", "import os; print(os.path.dirname(os.__file__))").Output()
		if err != nil {
			b.Skip("there is no Python")
		}
		from = strings.TrimSpace(string(out))
	}
	var sources []string
	_ = filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(name, ".py") {
			if info, err := d.Info(); err == nil && info.Size() > 1800 && info.Size() < 45_000 {
				sources = append(sources, name)
			}
		}
		return nil
	})
	if len(sources) < 100 {
		b.Skip("there are too few Python files")
	}
	dir := b.TempDir()
	agents := filepath.Join(dir, ".colony", "agents")
	must(b, os.MkdirAll(agents, 0o700))
	size, n := 0, 0
	for ; n < 5000; n++ {
		text, err := os.ReadFile(sources[n%len(sources)])
		must(b, err)
		if n%100 == 0 {
			text = fmt.Appendf(text, "\n%sclass Agent%d(Agent):\n    pass\n", agentBase, n)
		}
		size += len(text)
		must(b, os.WriteFile(filepath.Join(agents, fmt.Sprintf("f%04d.py", n)), text, 0o600))
	}
	b.Logf("%d files of %d MB, from %d", n, size/1_000_000, len(sources))
	m, err := Open(dir, Options{})
	must(b, err)
	return m
}

// BenchmarkDiscover reads a large working tree anew, again without a change, and again when
// one file changed.
func BenchmarkDiscover(b *testing.B) {
	m := large(b)
	wanted := func(b *testing.B) {
		s, err := m.Discover(b.Context())
		if err != nil || len(s.Agents) < 50 {
			b.Fatalf("Discover: got error %v and %v, want 50 agents", err, s)
		}
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			m.Invalidate()
			wanted(b)
		}
	})
	b.Run("warm", func(b *testing.B) {
		settled(b, m)
		for b.Loop() {
			wanted(b)
		}
	})
	b.Run("one changed", func(b *testing.B) {
		settled(b, m)
		for i := 0; b.Loop(); i++ {
			write(b, filepath.Join(m.Dir(), ".colony/agents/f0000.py"), fmt.Sprintf("%sclass Agent0(Agent): x = %d\n", agentBase, i))
			wanted(b)
		}
	})
}
