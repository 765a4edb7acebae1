package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

// stage is the programs of one measurement.
type stage struct {
	*bench
	ctx     context.Context
	targets []string // for bench, in order
	env     []string // of what bench starts
	running []*rig.Process
	faults  []error
}

// stage makes an empty one. Close it.
func (b *bench) stage(ctx context.Context) *stage { return &stage{bench: b, ctx: ctx} }

func (s *stage) close() {
	for i := len(s.running) - 1; i >= 0; i-- {
		s.running[i].Stop()
	}
}

// fresh is a directory that nothing else uses.
func (s *stage) fresh(name string) string {
	dir, err := os.MkdirTemp(s.dir, name+"-")
	if err != nil {
		s.faults = append(s.faults, err)
	}
	return dir
}

// keep remembers a process that was started, and makes it a target when it has a
// label. What could not be started is told when the measurement begins.
func (s *stage) keep(label string, p *rig.Process, err error) string {
	if err != nil {
		s.faults = append(s.faults, err)
		return ""
	}
	s.running = append(s.running, p)
	if label != "" {
		s.targets = append(s.targets, fmt.Sprintf("%s=%s@%d", label, p.URL, p.PID()))
	}
	return p.URL
}

// upstream starts the server behind, as a target where it has a label, and is its
// address.
func (s *stage) upstream(label string, tools int, args ...string) string {
	argv := append([]string{s.bin("upstream"), "-http", "127.0.0.1:0", "-tools", strconv.Itoa(tools), "-page", strconv.Itoa(max(tools, 1000))}, args...)
	p, err := rig.Start(s.ctx, rig.Command{Argv: argv, Log: filepath.Join(s.fresh("upstream"), "log")})
	return s.keep(label, p, err)
}

// hop starts a yardstick in front of an address.
func (s *stage) hop(name, to string) {
	p, err := rig.Start(s.ctx, rig.Command{Argv: []string{s.bin(name), "-to", to}, Log: filepath.Join(s.fresh(name), "log")})
	s.keep(name, p, err)
}

// name is what the one server of a workspace is called.
const name = "up"

// workspace is one that declares the server, and was served once, so that what
// the server offers is known and pinned.
func (s *stage) workspace(server rig.Server, tools int) *rig.Workspace {
	w, err := rig.NewWorkspace(s.ctx, s.mortise, s.fresh("mortise"), map[string]rig.Server{name: server}, "echo")
	if err != nil {
		s.faults = append(s.faults, err)
		return nil
	}
	p, err := s.serve(w, tools)
	if err != nil {
		s.faults = append(s.faults, err)
		return nil
	}
	p.Stop()
	return w
}

// mortiseBefore serves a workspace that declares the server.
func (s *stage) mortiseBefore(label string, server rig.Server, tools int) {
	w := s.workspace(server, tools)
	if w == nil {
		return
	}
	p, err := s.serve(w, tools)
	s.keep(label, p, err)
}

// serve serves the workspace and waits until all tools are listed.
func (s *stage) serve(w *rig.Workspace, tools int) (*rig.Process, error) {
	p, err := w.Serve(s.ctx, "--upstream", name)
	if err != nil {
		return nil, err
	}
	if err := lists(s.ctx, p.URL, tools); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

// lists waits until an endpoint lists so many tools.
func lists(ctx context.Context, url string, want int) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	h := rig.NewHTTPClient()
	defer h.CloseIdleConnections()
	for {
		c, err := rig.Connect(ctx, h, url)
		n := 0
		if err == nil {
			_, n, err = c.Tools(ctx)
			err = errors.Join(err, c.Close(ctx))
		}
		if err == nil && n >= want {
			return nil
		}
		if rig.Pause(ctx, 20*time.Millisecond) != nil {
			return errors.Join(fmt.Errorf("%s lists %d tools, want %d", url, n, want), err)
		}
	}
}

// measure has bench compare the targets.
func (s *stage) measure(title string, args ...string) (rig.Samples, error) {
	fmt.Printf("\n## %s\n\n", title)
	var all rig.Samples
	args = append([]string{"-rounds", strconv.Itoa(s.rounds), "-d", s.span.String()}, args...)
	if err := s.client(&all, "", append(args, s.targets...)...); err != nil {
		return nil, err
	}
	for label := range all {
		if n := all.Sum(label, "errors"); n > 0 {
			fmt.Printf("\n%s: %.0f calls failed.\n", label, n)
		}
	}
	return all, nil
}

// client runs a command of bench, "" for comparing, and reads what it measured.
func (s *stage) client(into any, command string, args ...string) error {
	if err := errors.Join(s.faults...); err != nil {
		return err
	}
	file := filepath.Join(s.fresh("samples"), "json")
	args = append([]string{"-json", file}, args...)
	if command != "" {
		args = append([]string{command}, args...)
	}
	cmd := exec.CommandContext(s.ctx, s.bin("bench"), args...)
	cmd.Env = append(os.Environ(), s.env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}
