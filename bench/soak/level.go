package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

// settling is how long things may take to come back to their level.
const settling = time.Minute

// learn finds what clients call the tools, once all servers offer theirs.
func (s *soak) learn(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	for {
		names, err := s.names(ctx)
		if err == nil {
			s.tools = names
			return nil
		}
		if rig.Pause(ctx, 50*time.Millisecond) != nil {
			return fmt.Errorf("the servers do not come up: %w", err)
		}
	}
}

func (s *soak) names(ctx context.Context) (map[string]string, error) {
	c, err := rig.Connect(ctx, s.http, s.serve.URL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close(ctx) }() // looked at by the load
	_, body, err := c.Ask(ctx, "tools/list", "{}")
	if err != nil {
		return nil, err
	}
	messages, err := rig.Messages(body)
	if err != nil || len(messages) == 0 {
		return nil, errors.Join(errors.New("no answer to tools/list"), err)
	}
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(messages[len(messages)-1].Result, &list); err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, server := range []string{steady, mortal, odd} {
		for _, tool := range offered(server) {
			for _, t := range list.Tools {
				if strings.Contains(t.Name, server) && strings.HasSuffix(t.Name, tool) {
					names[server+"/"+tool] = t.Name
				}
			}
			if names[server+"/"+tool] == "" {
				return nil, fmt.Errorf("%s of %s is not listed", tool, server)
			}
		}
	}
	return names, nil
}

// holding is what Mortise holds at rest.
type holding rig.Usage

func (h holding) String() string {
	return fmt.Sprintf("%.1f MB, %d threads, %d descriptors", h.Resident, h.Threads, h.Descriptors)
}

// level is what Mortise holds once the load is over, every server runs, and
// nothing has changed for a while.
func (s *soak) level(ctx context.Context) (holding, error) {
	if err := s.wellAgain(ctx); err != nil {
		return holding{}, err
	}
	best := s.held()
	for i := 0; i < 30; i++ {
		if err := rig.Pause(ctx, 100*time.Millisecond); err != nil {
			return best, err
		}
		now := s.held()
		if now.Descriptors < best.Descriptors || now.Resident < best.Resident {
			i = 0 // it is still going down
		}
		best = now
	}
	return best, nil
}

func (s *soak) held() holding { return holding(rig.Used(s.serve.PID())) }

// returns reports when what Mortise holds stays above its level. A little more
// is allowed: of memory, since a heap breathes, of threads, which Go never ends,
// and of descriptors, since pools of the store keep what they opened under load.
func (s *soak) returns(ctx context.Context, level holding) error {
	peak := s.held()
	fmt.Printf("when the load ended:     %v\n", peak)
	if err := s.wellAgain(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	for {
		now := s.held()
		if now.Descriptors <= level.Descriptors+8 && now.Threads <= level.Threads+8 && now.Resident <= level.Resident*1.25+16 {
			fmt.Printf("after it:                %v\n", now)
			return nil
		}
		if rig.Pause(ctx, 200*time.Millisecond) != nil {
			return fmt.Errorf("mortise serve held %v before, and holds %v after", level, now)
		}
	}
}

// wellAgain waits until the server that was killed answers again.
func (s *soak) wellAgain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	if err := s.restart(ctx); err != nil { // it may have ended too often, or wait long for its next start
		return err
	}
	began := time.Now()
	var last error
	for {
		c, err := rig.Connect(ctx, s.http, s.serve.URL)
		if err == nil {
			err = c.Echo(ctx, s.tools[mortal+"/echo"], "are you there?")
			_ = c.Close(ctx) // looked at by the load
		}
		if err == nil {
			s.http.CloseIdleConnections()
			fmt.Printf("the killed server is back after %v\n", time.Since(began).Round(time.Millisecond))
			return nil
		}
		last = err
		if rig.Pause(ctx, 100*time.Millisecond) != nil {
			return fmt.Errorf("the server that was killed did not come back within %v: %w", settling, last)
		}
	}
}

// left are the processes that are still there: all of them name our directory.
func (s *soak) left() []error {
	var faults []error
	found, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return []error{err}
	}
	for _, file := range found {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || pid == os.Getpid() || !rig.Alive(pid) {
			continue
		}
		if b, err := os.ReadFile(file); err == nil && strings.Contains(string(b), s.dir) {
			faults = append(faults, fmt.Errorf("process %d is left behind: %.200q", pid, b))
		}
	}
	return faults
}
