package main

import (
	"sync"
	"time"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

// worker is one session that calls as fast as it can.
type worker struct {
	call  func() error
	close func()
}

// enough failures end a worker.
const enough = 50

// tally is what a worker did.
type tally struct {
	took   []time.Duration
	failed int
	first  error
}

func (w worker) until(end time.Time) tally {
	var t tally
	for time.Now().Before(end) && t.failed < enough {
		began := time.Now()
		if err := w.call(); err != nil {
			t.failed++
			if t.first == nil {
				t.first = err
			}
			continue
		}
		t.took = append(t.took, time.Since(began))
	}
	return t
}

// hammer has many workers call for the span of throughput, and notes calls a
// second, the 99th percentile and the processor time of the target for a call.
// Of the phases that run, the last one's processor time stays.
func (r *round) hammer(name string, open func() (worker, error)) {
	var workers []worker
	defer func() {
		for _, w := range workers {
			w.close()
		}
	}()
	for range r.sessions {
		w, err := open()
		if err != nil {
			r.fail(name, err)
			return
		}
		workers = append(workers, w)
	}
	tallies := make([]tally, len(workers))
	var group sync.WaitGroup
	before, began := rig.CPU(r.pids...), time.Now()
	for i, w := range workers {
		group.Go(func() { tallies[i] = w.until(began.Add(r.span)) })
	}
	group.Wait()
	elapsed, spent := time.Since(began), rig.CPU(r.pids...)-before
	var took []time.Duration
	for _, t := range tallies {
		took = append(took, t.took...)
		r.got["errors"] += float64(t.failed)
		if t.first != nil {
			r.note(name, t.first)
		}
	}
	if len(took) == 0 {
		return
	}
	r.got[name+"_rps"] = float64(len(took)) / elapsed.Seconds()
	r.set(name+"_p99_ms", took, .99)
	if len(r.pids) > 0 {
		r.got["cpu_us_call"] = float64(spent.Microseconds()) / float64(len(took))
	}
}
