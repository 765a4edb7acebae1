package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

// start is one kind of start that is timed.
type start struct {
	target
	run      []string // the command; the target's own over stdio
	want     int      // tools
	bare     bool     // count the tools without decoding them
	protocol string
	limit    time.Duration
	http     *http.Client
}

// started is how long it took to the first list of tools, to the whole one, and
// what the process held then.
type started struct {
	First, Full, Resident float64 // ms, ms, MB
}

// cold starts a command several times and tells when it first listed any tools,
// and when all.
func cold(ctx context.Context, args []string) error {
	s := start{http: rig.NewHTTPClient()}
	fs := flag.NewFlagSet("cold", flag.ContinueOnError)
	runs := fs.Int("runs", 5, "how often it is started")
	fs.StringVar(&s.url, "url", "", "`URL` that the command will serve; empty: it speaks stdio")
	fs.IntVar(&s.want, "want", 1, "how many tools must be listed")
	fs.StringVar(&s.label, "label", "cold", "what it is called")
	fs.DurationVar(&s.limit, "limit", 30*time.Second, "the longest that a start may take")
	fs.StringVar(&s.protocol, "protocol", "2025-11-25", protocolUsage)
	fs.BoolVar(&s.bare, "raw", false, "count the tools without decoding them")
	samples := fs.String("json", "", "also write every sample to this `file`")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if s.run = fs.Args(); len(s.run) == 0 {
		return fmt.Errorf("cold: no command")
	}
	if s.url == "" {
		s.argv = s.run
	}
	var all []started
	for range *runs {
		one, err := s.once(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", s.label, err)
		}
		all = append(all, one)
	}
	of := func(f func(started) float64) float64 {
		var v []float64
		for _, one := range all {
			v = append(v, f(one))
		}
		return rig.Median(v)
	}
	print(os.Stdout, [][]string{
		{"start", "first list ms", "all tools ms", "tools", "rss MB", "runs"},
		{s.label, fmt.Sprintf("%.1f", of(func(s started) float64 { return s.First })), fmt.Sprintf("%.1f", of(func(s started) float64 { return s.Full })), fmt.Sprint(s.want), fmt.Sprintf("%.1f", of(func(s started) float64 { return s.Resident })), fmt.Sprint(len(all))},
	})
	if *samples == "" {
		return nil
	}
	b, err := json.Marshal(all)
	return errors.Join(err, os.WriteFile(*samples, b, 0o644))
}

// once starts the command and asks until it lists all tools.
func (s *start) once(ctx context.Context) (out started, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	began := time.Now()
	if s.url != "" {
		cmd := exec.CommandContext(ctx, s.run[0], s.run[1:]...)
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay = 5 * time.Second
		if err := cmd.Start(); err != nil {
			return out, err
		}
		defer func() {
			out.Resident = rig.Used(cmd.Process.Pid).Resident
			cancel()
			_ = cmd.Wait() // it was asked to end
			s.http.CloseIdleConnections()
		}()
	}
	for {
		n, at, err := s.list(ctx)
		took := float64(at.Sub(began)) / float64(time.Millisecond)
		if err == nil && out.First == 0 {
			out.First = took
		}
		if err == nil && n >= s.want {
			out.Full = took
			return out, nil
		}
		if rig.Pause(ctx, time.Millisecond) != nil { // short, since it adds to what is measured
			return out, errors.Join(fmt.Errorf("not ready within %v: %d tools of %d", s.limit, n, s.want), err)
		}
	}
}

// list begins a session and is how many tools it lists, and when they had come.
func (s *start) list(ctx context.Context) (n int, at time.Time, err error) {
	if s.bare {
		c, err := rig.Connect(ctx, s.http, s.url)
		if err != nil {
			return 0, at, err
		}
		_, n, err := c.Tools(ctx)
		at = time.Now()
		_ = c.Close(ctx)
		return n, at, err
	}
	session, err := s.connect(ctx, s.http, s.protocol, silent())
	if err != nil {
		return 0, at, err
	}
	tools, err := listAll(ctx, session)
	at = time.Now()
	_ = session.Close()
	return len(tools), at, err
}
