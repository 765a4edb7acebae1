//go:build unix

package pysrc

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cpu is the processor time that this process took, which a busy machine changes less
// than it does the clock.
func cpu() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// fiveThousand are paths of the machine's own Python below PYSRC_CORPUS, 55 MB in all,
// and of 50 files with agents that are written for the purpose.
func fiveThousand(b *testing.B) (paths []string, size int64) {
	root := os.Getenv("PYSRC_CORPUS")
	if root == "" {
		b.Skip("PYSRC_CORPUS names no directory")
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".py") || len(paths) == 4950 {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() > 2500 && info.Size() < 35_000 {
			paths = append(paths, path)
			size += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	for i := range 50 {
		src := agentImport + fmt.Sprintf("class Agent%d(Agent): pass\n", i) + strings.Repeat(ordinary, 20)
		path := filepath.Join(dir, fmt.Sprintf("agent%d.py", i))
		if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
			b.Fatal(err)
		}
		paths = append(paths, path)
		size += int64(len(src))
	}
	return paths, size
}

// BenchmarkFiveThousandFiles reads files from the disk (which the system has in memory)
// and finds their agents, with two workers.
func BenchmarkFiveThousandFiles(b *testing.B) {
	paths, size := fiveThousand(b)
	b.SetBytes(size)
	since := cpu()
	for b.Loop() {
		load := func(i int) (File, error) {
			src, err := os.ReadFile(paths[i])
			return File{paths[i], src}, err
		}
		modules, set, err := ReadSet(context.Background(), len(paths), load, Reference(), Options{Workers: 2})
		if err != nil {
			b.Fatal(err)
		}
		agents, whole := 0, 0
		for _, c := range set.Classes {
			if c.Kind == Agent && c.Certainty == Certain {
				agents++
			}
		}
		for _, m := range modules {
			if m.Skipped == "" && m.Fault == nil {
				whole++
			}
		}
		if agents != 50 {
			b.Fatalf("%d agents, want 50", agents)
		}
		b.ReportMetric(float64(whole), "read-whole")
	}
	b.ReportMetric(float64(len(paths)), "files")
	b.ReportMetric(float64((cpu()-since).Milliseconds())/float64(b.N), "cpu-ms")
}
