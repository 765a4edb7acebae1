package main

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

// round is one round of one target.
type round struct {
	*settings
	target

	got  map[string]float64 // by metric
	s    *mcp.ClientSession
	tool string // that echoes
}

// round measures a target once, as far as it gets: what fails is told on standard
// error and counted.
func (s *settings) round(ctx context.Context, t target) map[string]float64 {
	ctx, cancel := context.WithTimeout(ctx, time.Minute+2*s.span+4*s.limit)
	defer cancel()
	r := &round{settings: s, target: t, got: map[string]float64{}}
	if s.phases["init"] {
		r.initialize(ctx)
	}
	if !r.begin(ctx) {
		return r.got
	}
	defer func() { _ = r.s.Close() }() // of a target that may be gone
	for _, phase := range []struct {
		name    string
		bare    bool // needs a target that the least of clients can ask
		measure func(context.Context)
	}{
		{"list", false, r.list},
		{"list", true, r.rawList},
		{"call", false, r.call},
		{"tput", false, r.throughput},
		{"raw", true, r.rawCall},
		{"raw", true, r.rawThroughput},
	} {
		if s.phases[phase.name] && (!phase.bare || t.bare()) {
			phase.measure(ctx)
		}
	}
	if len(t.pids) > 0 {
		r.got["rss_mb"] = rig.Used(t.pids...).Resident
	}
	return r.got
}

func (r *round) fail(what string, err error) {
	r.got["errors"]++
	r.note(what, err)
}

// repeat times a step up to n times, no longer than the limit, and stops at the
// first failure.
func (r *round) repeat(what string, n int, step func() error) []time.Duration {
	var took []time.Duration
	end := time.Now().Add(r.limit)
	for i := 0; i < n && time.Now().Before(end); i++ {
		began := time.Now()
		if err := step(); err != nil {
			r.fail(what, err)
			break
		}
		took = append(took, time.Since(began))
	}
	return took
}

// set notes a percentile in milliseconds, when there is anything.
func (r *round) set(metric string, took []time.Duration, share float64) {
	if len(took) > 0 {
		r.got[metric] = percentile(took, share)
	}
}

func (r *round) initialize(ctx context.Context) {
	n := r.inits
	if r.argv != nil {
		n = min(n, 3) // each is a process
	}
	var last *mcp.ClientSession
	took := r.repeat("initialize", n, func() (err error) {
		if last != nil {
			_ = last.Close()
		}
		last, err = r.connect(ctx, r.http, r.protocol, silent())
		return err
	})
	if last != nil {
		_ = last.Close()
	}
	r.set("init_ms", took, .5)
}

// begin opens the session that is measured, finds the echo tool and warms up.
func (r *round) begin(ctx context.Context) bool {
	var err error
	if r.s, err = r.connect(ctx, r.http, r.protocol, silent()); err != nil {
		r.fail("connect", err)
		return false
	}
	tools, err := listAll(ctx, r.s)
	if err == nil {
		r.got["tools"] = float64(len(tools))
		r.tool, err = r.echoTool(r.target, tools)
	}
	for i := 0; i < 20 && err == nil; i++ {
		err = echo(ctx, r.s, r.tool, r.text)
	}
	if err != nil {
		r.fail("begin", err)
		_ = r.s.Close()
		return false
	}
	return true
}

func (r *round) list(ctx context.Context) {
	took := r.repeat("tools/list", r.lists, func() error {
		_, err := listAll(ctx, r.s)
		return err
	})
	r.set("list_ms", took, .5)
}

func (r *round) call(ctx context.Context) {
	took := r.repeat("tools/call", r.calls, func() error { return echo(ctx, r.s, r.tool, r.text) })
	r.set("call_p50_ms", took, .5)
	r.set("call_p99_ms", took, .99)
}

// raw runs a phase with a session of the least client.
func (r *round) raw(ctx context.Context, phase func(*rig.Client)) {
	c, err := rig.Connect(ctx, r.http, r.url)
	if err != nil {
		r.fail("raw connect", err)
		return
	}
	phase(c)
	_ = c.Close(ctx)
}

func (r *round) rawList(ctx context.Context) {
	r.raw(ctx, func(c *rig.Client) {
		took := r.repeat("raw tools/list", r.lists, func() error {
			size, _, err := c.Tools(ctx)
			r.got["list_kb"] = float64(size) / 1024
			return err
		})
		r.set("raw_list_ms", took, .5)
	})
}

func (r *round) rawCall(ctx context.Context) {
	r.raw(ctx, func(c *rig.Client) {
		took := r.repeat("raw tools/call", r.calls, func() error { return c.Echo(ctx, r.tool, r.text) })
		r.set("raw_p50_ms", took, .5)
		r.set("raw_p99_ms", took, .99)
	})
}

// throughput has many sessions of the SDK's client call at once. Over stdio it is
// one session, since there is one stream.
func (r *round) throughput(ctx context.Context) {
	r.hammer("tput", func() (worker, error) {
		if r.argv != nil {
			return worker{call: func() error { return echo(ctx, r.s, r.tool, r.text) }, close: func() {}}, nil
		}
		s, err := r.connect(ctx, r.http, r.protocol, silent())
		return worker{call: func() error { return echo(ctx, s, r.tool, r.text) }, close: func() { _ = s.Close() }}, err
	})
}

func (r *round) rawThroughput(ctx context.Context) {
	r.hammer("raw_tput", func() (worker, error) {
		c, err := rig.Connect(ctx, r.http, r.url)
		return worker{call: func() error { return c.Echo(ctx, r.tool, r.text) }, close: func() { _ = c.Close(ctx) }}, err
	})
}
