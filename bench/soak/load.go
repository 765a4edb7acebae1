package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

// dribblers is how many clients send a byte at a time.
const dribblers = 32

// load puts everything at once on Mortise for a time, and waits until all of it
// has ended.
func (s *soak) load(ctx context.Context, span time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, span)
	defer cancel()
	var all sync.WaitGroup
	for range s.callers {
		all.Go(func() { s.call(ctx) })
	}
	for i := range dribblers {
		all.Go(func() { s.dribble(ctx, i%2 == 0) })
	}
	all.Go(func() { s.come(ctx) })
	all.Go(func() { s.kill(ctx) })
	all.Wait()
	s.http.CloseIdleConnections()
}

// come opens sessions, a hundred a second or so; every other one is not ended.
func (s *soak) come(ctx context.Context) {
	for i := 0; rig.Pause(ctx, 10*time.Millisecond) == nil; i++ {
		c, err := s.connect(ctx)
		if err != nil {
			continue
		}
		if i%4 == 0 {
			long, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			_, _, err := c.Tools(long)
			cancel()
			s.tally.add("list", outcomeOf(err), err)
		}
		if i%2 == 0 {
			s.leave(c)
		} else {
			s.tally.add("session left open", fine, nil)
		}
	}
}

// kill kills the server that is mortal a while after each of its starts. One that
// Mortise does not start any more, for it ended too often, is restarted as a
// person would.
func (s *soak) kill(ctx context.Context) {
	down := time.Now()
	for rig.Pause(ctx, rand.N(time.Second)) == nil {
		switch pids := s.pids(mortal); {
		case len(pids) > 0 && rig.Alive(pids[len(pids)-1]):
			s.tally.add("kill -9", fine, end(pids[len(pids)-1]))
			down = time.Now()
		case time.Since(down) > 3*time.Second:
			err := s.restart(ctx)
			s.tally.add("server restart", outcomeOf(err), err)
			down = time.Now()
		}
	}
}

// end ends a process at once; one that has ended by itself is no fault.
func end(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

func (s *soak) restart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	_, err := s.place.Run(ctx, "server", "restart", mortal)
	return err
}

// pids are the processes that a server has had, the last one last.
func (s *soak) pids(server string) []int {
	b, err := os.ReadFile(filepath.Join(s.dir, server+".pids"))
	if err != nil {
		return nil // it has not started
	}
	var all []int
	for field := range strings.FieldsSeq(string(b)) {
		if n, err := strconv.Atoi(field); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// dribble sends a request a byte at a time, its head or its body, over one
// connection after another until ctx ends. Mortise may end them; it must not
// fail for others.
func (s *soak) dribble(ctx context.Context, head bool) {
	u, err := url.Parse(s.serve.URL)
	if err != nil {
		return
	}
	start := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\n", u.Path, u.Host)
	if !head {
		start += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 100000\r\n\r\n{"
	}
	for ctx.Err() == nil {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", u.Host)
		if err != nil {
			return // the time is over
		}
		s.tally.add("sent byte by byte", fine, nil)
		_, err = io.WriteString(c, start)
		for err == nil && rig.Pause(ctx, 100*time.Millisecond) == nil {
			_, err = c.Write([]byte("x"))
		}
		_ = c.Close() // in the middle
	}
}
