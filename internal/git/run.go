package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// call is one run of git.
type call struct {
	args   []string
	scheme string            // that it may speak; "" for none
	gitDir string            // "" for none
	env    []string          // besides
	stdin  *os.File          // nil is empty
	stdout io.Writer         // nil is discarded; a *os.File is git's own
	heard  func(line string) // gets the lines of standard error as they come; nil gets none
	tidy   bool              // it locks what others use, and is ended so that it takes its locks away
}

// running is a run that was started.
type running struct {
	done chan struct{}
	err  error // valid once done is closed
	said *said
}

// lingering is how long is waited for what git left to close its pipes.
const lingering = 2 * time.Second

// start starts git. It is ended, with all that it started, when ctx is; and on Linux
// when this process is, however that ended.
func (g *Git) start(ctx context.Context, c call) (*running, error) {
	if c.gitDir == "" {
		c.gitDir = os.DevNull
	}
	env, err := g.environment(c.scheme, c.gitDir)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, g.path, append([]string{"--no-pager"}, c.args...)...)
	cmd.Env, cmd.Dir = append(env, c.env...), string(os.PathSeparator)
	if c.stdin != nil {
		cmd.Stdin = c.stdin
	}
	r := &running{done: make(chan struct{}), said: &said{heard: c.heard}}
	cmd.Stdout, cmd.Stderr = c.stdout, r.said
	cmd.WaitDelay = lingering
	apart(cmd, c.tidy)
	started := make(chan error)
	go func() {
		defer close(r.done)
		runtime.LockOSThread() // git ends with the thread that started it
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			r.err = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return r, nil
}

// wait is how git ended: an error holds what it said.
func (r *running) wait(ctx context.Context) error {
	<-r.done
	if r.err == nil || errors.Is(r.err, exec.ErrWaitDelay) {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &spoken{said: r.said.text(), err: r.err}
}

// run is start and wait.
func (g *Git) run(ctx context.Context, c call) error {
	r, err := g.start(ctx, c)
	if err != nil {
		return err
	}
	return r.wait(ctx)
}

// spoken is a git that did not end well, and what it said.
type spoken struct {
	said string
	err  error
}

func (e *spoken) Error() string { return firstLine(e.said, e.err) }
func (e *spoken) Unwrap() error { return e.err }

// said keeps the beginning and hands on the lines of what git says. A line ends with a
// line feed or, when it is written over, a carriage return.
type said struct {
	mu    sync.Mutex
	heard func(string)
	kept  bytes.Buffer
	line  []byte
}

const (
	mostSaid = 16 << 10
	mostLine = 1 << 10
)

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range b {
		if c != '\n' && c != '\r' {
			if len(s.line) < mostLine {
				s.line = append(s.line, c)
			}
			continue
		}
		s.end()
	}
	return len(b), nil
}

// end ends a line. What tells of progress alone is not kept.
func (s *said) end() {
	line := string(s.line)
	s.line = s.line[:0]
	if s.heard != nil {
		s.heard(line)
	}
	if _, progress := progressOf(line); !progress && s.kept.Len() < mostSaid {
		s.kept.WriteString(line + "\n")
	}
}

func (s *said) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.line) > 0 {
		s.end()
	}
	return s.kept.String()
}
