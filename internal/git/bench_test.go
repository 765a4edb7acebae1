package git

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// rounds are how often floor and ours are measured in turn, so that what else the
// machine does meets both.
const rounds = 5

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// beside measures both in turn and reports the ratio of the medians.
func beside(b *testing.B, floor, ours func() error) {
	b.Helper()
	for b.Loop() {
		var f, o []time.Duration
		for range rounds {
			for _, m := range []struct {
				what func() error
				into *[]time.Duration
			}{{floor, &f}, {ours, &o}} {
				begun := time.Now()
				if err := m.what(); err != nil {
					b.Fatal(err)
				}
				*m.into = append(*m.into, time.Since(begun))
			}
		}
		b.ReportMetric(float64(median(f).Milliseconds()), "floor-ms")
		b.ReportMetric(float64(median(o).Milliseconds()), "ours-ms")
		b.ReportMetric(float64(median(o))/float64(median(f)), "ratio")
	}
}

func bare(args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Env = testEnv()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %v: %w\n%s", args, err, out)
	}
	return nil
}

// BenchmarkResolve100 asks a hundred sources over HTTP, beside as many bare git
// ls-remote, as many at once.
func BenchmarkResolve100(b *testing.B) {
	s := serve(b)
	var asks []Ask
	for i := range 100 {
		r, src := s.repo(fmt.Sprintf("r%d.git", i))
		r.commit("main", file{"100644", "plugin.json", "{}"})
		asks = append(asks, Ask{src, ""})
	}
	g := newGit(b)
	beside(b, func() error {
		slots := make(chan struct{}, g.opt.Parallel)
		var all sync.WaitGroup
		for _, a := range asks {
			slots <- struct{}{}
			all.Go(func() {
				if err := bare("ls-remote", "-q", a.Source.String()); err != nil {
					b.Error(err)
				}
				<-slots
			})
		}
		all.Wait()
		return nil
	}, func() error {
		for _, a := range g.ResolveAll(context.Background(), asks) {
			if a.Err != nil {
				return a.Err
			}
		}
		return nil
	})
}

// BenchmarkFetch5000 writes a commit of 5 000 files that comes over HTTP, beside git
// clone --depth 1.
func BenchmarkFetch5000(b *testing.B) {
	s := serve(b)
	r, src := s.repo("big.git")
	var files []file
	for i := range 5000 {
		files = append(files, file{"100644", fmt.Sprintf("skills/s%03d/references/f%d.md", i/20, i), strings.Repeat(fmt.Sprintf("line %d\n", i), 100)})
	}
	want := r.commit("main", files...)
	g := newGit(b)
	top, n := b.TempDir(), 0
	next := func() string { n++; return filepath.Join(top, fmt.Sprint(n)) }
	beside(b, func() error {
		dir := next()
		defer os.RemoveAll(dir)
		return bare("clone", "-q", "--depth", "1", src.String(), dir)
	}, func() error {
		dir := next()
		defer os.RemoveAll(dir)
		_, err := g.Fetch(context.Background(), src, want, dir, Fetching{})
		return err
	})
}
