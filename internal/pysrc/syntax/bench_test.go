//go:build unix

package syntax

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// machine is the Python below the directory that PYSRC_CORPUS names: the machine's own,
// say /usr/lib/python3. Without it there is nothing to measure.
func machine(b *testing.B, most int) (sources [][]byte, size int64) {
	root := os.Getenv("PYSRC_CORPUS")
	if root == "" {
		b.Skip("PYSRC_CORPUS names no directory")
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".py") || size >= int64(most) {
			return err
		}
		src, err := os.ReadFile(path)
		if len(src) > 0 && Scan(src, nil).Fault == nil {
			sources = append(sources, src)
			size += int64(len(src))
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return sources, size
}

// cpu is the processor time that this process took, which a busy machine changes less
// than it does the clock.
func cpu() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func report(b *testing.B, since time.Duration, size int64) {
	took := cpu() - since
	b.ReportMetric(float64(size)*float64(b.N)/took.Seconds()/1e6, "MB/cpu-s")
	b.ReportMetric(float64(took.Microseconds())/float64(b.N)/float64(size)*1024, "cpu-µs/KB")
}

func BenchmarkScan(b *testing.B) {
	sources, size := machine(b, 100<<20)
	words := NewWords("Agent", "polymathera", "deployment", "__deployment_config__", "ClusterAnalyzer")
	b.SetBytes(size)
	since := cpu()
	for b.Loop() {
		for _, src := range sources {
			Scan(src, words)
		}
	}
	report(b, since, size)
}

func BenchmarkParse(b *testing.B) {
	sources, size := machine(b, 5<<20)
	b.SetBytes(size)
	since := cpu()
	for b.Loop() {
		for _, src := range sources {
			if _, _, err := Parse(context.Background(), src); err != nil {
				b.Fatal(err)
			}
		}
	}
	report(b, since, size)
}
