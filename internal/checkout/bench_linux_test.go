package checkout

import (
	"fmt"
	"io"
	"log"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkMake5000 makes the checkout of a commit of 5 000 files that comes over HTTP,
// digest and all, beside git clone --depth 1. Both are measured in turn, five times.
func BenchmarkMake5000(b *testing.B) {
	repository, commit := aRepositoryOf(b, 5000)
	exe, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		b.Skip("no git")
	}
	server := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(exe)), "git-http-backend"), Stderr: io.Discard, Logger: log.New(io.Discard, "", 0),
		Env: []string{"PATH=" + os.Getenv("PATH"), "GIT_PROJECT_ROOT=" + filepath.Dir(repository), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + repository},
	})
	defer server.Close()
	address := server.URL + "/" + filepath.Base(repository)
	const rounds = 5
	for b.Loop() {
		var floor, ours []time.Duration
		for i := range rounds {
			dir := filepath.Join(b.TempDir(), fmt.Sprint(i))
			begun := time.Now()
			if out, err := exec.Command("git", "clone", "-q", "--depth", "1", address, dir).CombinedOutput(); err != nil {
				b.Fatalf("%v %s", err, out)
			}
			floor = append(floor, time.Since(begun))
			os.RemoveAll(dir)
			s := newStore(b)
			begun = time.Now()
			if err := fetchInto(b.Context(), s, address, commit, func(string) {}); err != nil {
				b.Fatal(err)
			}
			ours = append(ours, time.Since(begun))
			os.RemoveAll(s.Dir)
		}
		slices.Sort(floor)
		slices.Sort(ours)
		b.ReportMetric(float64(floor[rounds/2].Milliseconds()), "floor-ms")
		b.ReportMetric(float64(ours[rounds/2].Milliseconds()), "ours-ms")
		b.ReportMetric(float64(ours[rounds/2])/float64(floor[rounds/2]), "ratio")
	}
}
