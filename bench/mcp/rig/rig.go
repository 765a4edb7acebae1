// Package rig is what the programs that measure gateways share: starting a
// program that says where it serves, a workspace for Mortise to serve, what a
// process takes of the machine, and a client that speaks the least of MCP.
package rig

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Process is a program that was started and serves at URL. Stop it.
type Process struct {
	URL string

	cmd     *exec.Cmd
	cancel  context.CancelFunc
	drained chan struct{}
}

// Command is a program to be started.
type Command struct {
	Argv []string
	Env  []string // besides what this process has
	Log  string   // the file that its standard error is written to
	// Where reads the program's address from what it prints. nil: the first line
	// is the address.
	Where func(io.Reader) (string, error)
}

// grace is how long a program may take to say where it serves, and to end.
const grace = 20 * time.Second

// Start starts a program and waits until it has said where it serves. It is told
// to end when ctx ends.
func Start(ctx context.Context, c Command) (*Process, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &Process{cancel: cancel, drained: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	p.cmd.Env = append(os.Environ(), c.Env...)
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
	p.cmd.WaitDelay = grace
	out, err := p.begin(c.Log)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("start %s: %w", filepath.Base(c.Argv[0]), err)
	}
	where := c.Where
	if where == nil {
		where = firstLine
	}
	late := time.AfterFunc(grace, cancel)
	p.URL, err = where(out)
	late.Stop()
	go func() { // what it prints later must not block it
		defer close(p.drained)
		_, _ = io.Copy(io.Discard, out)
	}()
	if err != nil {
		p.Stop()
		return nil, fmt.Errorf("%s did not say where it serves: %w\n%s", filepath.Base(c.Argv[0]), err, tail(c.Log))
	}
	return p, nil
}

func (p *Process) begin(log string) (io.Reader, error) {
	f, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer f.Close() // the program has its own
	p.cmd.Stderr = f
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return out, p.cmd.Start()
}

// PID is the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stop asks the program to end and waits until it has. It may be called again.
func (p *Process) Stop() {
	p.cancel()
	_ = p.cmd.Wait() // it was asked to end
	<-p.drained
}

func firstLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(line), nil
}

// tail is the end of a log, for an error.
func tail(log string) []byte {
	const most = 2000
	b, err := os.ReadFile(log)
	if err != nil {
		return nil
	}
	return bytes.TrimSpace(b[max(0, len(b)-most):])
}

// FreeAddress is an address on this machine that nobody serves at the moment,
// for programs that cannot choose one and say which.
func FreeAddress() (string, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// Build builds programs of this module into a directory, each under the last
// word of its package, without C: as the Makefile does what is shipped.
func Build(ctx context.Context, dir string, packages ...string) error {
	args := append([]string{"build", "-trimpath", "-o", dir + string(filepath.Separator)}, packages...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", strings.Join(packages, ", "), err, out)
	}
	return nil
}

// jsonURL reads the address from the document that mortise serve --json prints.
func jsonURL(r io.Reader) (string, error) {
	var said struct{ URL string }
	err := json.NewDecoder(r).Decode(&said)
	return said.URL, err
}

// Pause waits for d, or returns what ended ctx before.
func Pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
