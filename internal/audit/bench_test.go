package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var arguments = json.RawMessage(`{"query":"select name, price from parts where price > 10 order by name","limit":50,"options":{"format":"table","wrap":true}}`)

// BenchmarkAppend is what a call that is allowed pays: its arguments are
// summarized and its record is written. The median is told beside the mean, which
// the syncs in the background and other work of the machine reach into.
func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct {
		name      string
		summarize bool
	}{{"record", false}, {"record and arguments", true}} {
		b.Run(c.name, func(b *testing.B) {
			l := open(b, logDir(b), Options{})
			r := sample("0123456789abcdef")
			r.Arguments = l.Summarize(arguments)
			write(b, l, "first")
			times := make([]time.Duration, 0, b.N)
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				if c.summarize {
					r.Arguments = l.Summarize(arguments)
				}
				if err := l.Append(context.Background(), r, Written); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			told(b, times)
		})
	}
}

func told(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2]), "median-ns")
	b.ReportMetric(float64(times[len(times)*99/100]), "p99-ns")
}

// BenchmarkAppendDurable is what an ask, a denial or a grant pays.
func BenchmarkAppendDurable(b *testing.B) {
	for _, n := range []int{1, 32} {
		b.Run(fmt.Sprintf("goroutines=%d", n), func(b *testing.B) {
			l := open(b, logDir(b), Options{})
			r := sample("0123456789abcdef")
			if err := l.Append(context.Background(), r, Durable); err != nil {
				b.Fatal(err)
			}
			var left atomic.Int64
			left.Store(int64(b.N))
			var mu sync.Mutex
			var times []time.Duration
			var done sync.WaitGroup
			b.ReportAllocs()
			b.ResetTimer()
			for range n {
				done.Go(func() {
					for left.Add(-1) >= 0 {
						start := time.Now()
						if err := l.Append(context.Background(), r, Durable); err != nil {
							b.Error(err)
						}
						mu.Lock()
						times = append(times, time.Since(start))
						mu.Unlock()
					}
				})
			}
			done.Wait()
			told(b, times)
		})
	}
}

// BenchmarkBegin is what the first call of a process pays more, beside 100 chains
// that were there before.
func BenchmarkBegin(b *testing.B) {
	dir := logDir(b)
	for range 100 {
		l := open(b, dir, Options{})
		write(b, l, "a")
		closeLog(b, l)
	}
	for b.Loop() {
		l, err := Open(dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		write(b, l, "a")
		b.StopTimer()
		l.abandon()
		for _, f := range files(b, dir)[100:] {
			removeFile(b, f)
		}
		b.StartTimer()
	}
}

// BenchmarkRead and BenchmarkVerify go over 64 MiB.
func BenchmarkRead(b *testing.B) {
	dir, size := large(b)
	for _, c := range []struct {
		name string
		q    Query
	}{{"all", Query{}}, {"newest 100", Query{Limit: 100}}, {"one of all", Query{ID: "id777."}}, {"a tool that is not there", Query{Tool: "none"}}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				for _, err := range Read(dir, c.q) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkVerify(b *testing.B) {
	dir, size := large(b)
	b.SetBytes(size)
	for b.Loop() {
		checkOK(b, dir)
	}
}

func large(b *testing.B) (dir string, size int64) {
	b.Helper()
	dir = logDir(b)
	l := open(b, dir, Options{})
	r := sample("")
	r.Arguments = l.Summarize(arguments)
	for i := 0; l.number < 5; i++ {
		r.ID = fmt.Sprintf("id%d.", i)
		if err := l.Append(context.Background(), r, Written); err != nil {
			b.Fatal(err)
		}
	}
	closeLog(b, l)
	return dir, checkOK(b, dir).Size
}
