// Package command runs the command of a hook for one question, and tells what
// became of it: its exit code, what it wrote, and what it left behind. Nothing of
// it stays: all that it started ends with it.
//
// What an ending means for what was asked is for others to say (see dialect).
package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/internal/child"
)

const (
	defaultLimit = 60 * time.Second
	defaultMost  = 1 << 20
	grace        = 100 * time.Millisecond // between asking what is left of a hook to end, and ending it
)

// Command says what to run.
type Command struct {
	// Line is a line for a shell, which is /bin/sh, or bash from the PATH of Env
	// where Bash is set. Without a line, Path is run with Args and no shell: an
	// absolute path, or a bare name that is looked up in the PATH of Env.
	Line string
	Bash bool
	Path string
	Args []string

	Dir   string        // absolute; "" is our own current directory
	Env   []string      // all of it, as Environment makes it: nothing is inherited
	Stdin []byte        // written to its standard input, which then ends
	Limit time.Duration // for all of it; 0 is a minute
	Most  int           // bytes that it may write to each of its outputs; 0 is 1 MiB

	// Output gets what it writes to both of its outputs, as it comes and one piece at a
	// time: nothing is kept then, and it may write as much as it likes. Nil: see Result.
	Output io.Writer
	// Started is told which process it is as soon as it runs. Nil: nobody is.
	Started func(child.Identity)
}

// Result is what became of a command that ended by itself.
type Result struct {
	Exit   int
	Stdout []byte
	Stderr []byte
	Left   int // processes of it that were still there when it ended, and had to be ended
}

// Kind is why there is no result.
type Kind uint8

const (
	// NotStarted is a program that is missing, may not be run, or has no interpreter.
	NotStarted Kind = iota + 1
	// Late is one that did not end within its limit.
	Late
	// Flood is one that wrote more than it may.
	Flood
	// Killed is one that a signal ended.
	Killed
	// Lost is one whose end was not seen, or of which something could not be ended.
	Lost
	// Cancelled is one that nobody waited for any more.
	Cancelled
)

// Error is why a command has no result. What it wrote until then is kept.
type Error struct {
	Kind   Kind
	Stdout []byte
	Stderr []byte
	err    error
}

func (e *Error) Error() string { return e.err.Error() }

// Unwrap is the cause: of NotStarted, what the system answered.
func (e *Error) Unwrap() error { return e.err }

// Run runs a command and waits for its end, which is that of the program itself:
// what it started and left is ended then, at once, and counted. Its input is
// written beside, and a program that does not read it is no fault. An error is an
// *Error. Whatever is returned, nothing of the command is left running.
func Run(ctx context.Context, c Command) (Result, error) {
	limit, most := c.Limit, c.Most
	if limit <= 0 {
		limit = defaultLimit
	}
	if most <= 0 {
		most = defaultMost
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	keeper := child.New()
	defer keeper.Close() //nolint:errcheck // what could not be ended is told by the exit

	flooded := make(chan struct{})
	flood := sync.OnceFunc(func() { close(flooded) })
	together := new(sync.Mutex)
	stderr := &bounded{most: most, flood: flood, pass: c.Output, mu: together}
	spec := c.spec()
	spec.Stderr, spec.Grace = stderr, grace
	p, err := keeper.Start(ctx, spec)
	if err != nil {
		return Result{}, &Error{Kind: unstarted(ctx), err: late(ctx, limit, err)}
	}

	if c.Started != nil {
		c.Started(p.Identity())
	}
	stdout := &bounded{most: most, flood: flood, pass: c.Output, mu: together}
	var streams sync.WaitGroup
	streams.Go(func() {
		in := p.Stdin()
		in.Write(c.Stdin) //nolint:errcheck // who does not read does not have to
		in.Close()        //nolint:errcheck // likewise
	})
	streams.Go(func() { io.Copy(stdout, p.Stdout()) }) //nolint:errcheck // its end, or ours
	var over error
	select {
	case <-p.Done():
	case <-flooded:
		over = &Error{Kind: Flood, err: fmt.Errorf("it wrote more than %d bytes", most)}
	case <-ctx.Done():
		over = &Error{Kind: unstarted(ctx), err: late(ctx, limit, ctx.Err())}
	}
	exit := p.Stop(0)
	streams.Wait()
	return c.result(exit, stdout, stderr, over)
}

// unstarted is the kind of an end that came from outside.
func unstarted(ctx context.Context) Kind {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Late
	case ctx.Err() != nil:
		return Cancelled
	}
	return NotStarted
}

func late(ctx context.Context, limit time.Duration, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("it did not end within %s: %w", limit, context.DeadlineExceeded)
	}
	return err
}

// result is what an exit comes to.
func (c Command) result(exit child.Exit, stdout, stderr *bounded, over error) (Result, error) {
	out, errs := stdout.bytes(), stderr.bytes()
	fail := func(kind Kind, err error) (Result, error) {
		return Result{}, &Error{Kind: kind, Stdout: out, Stderr: errs, err: err}
	}
	var e *Error
	switch {
	case errors.As(over, &e):
		return fail(e.Kind, e.err)
	case stdout.over() || stderr.over():
		return fail(Flood, fmt.Errorf("it wrote more than %d bytes", stdout.most))
	case exit.Err != nil:
		return fail(Lost, exit.Err)
	case exit.Signal != "":
		return fail(Killed, fmt.Errorf("it was killed by %s", exit.Signal))
	}
	return Result{Exit: exit.Code, Stdout: out, Stderr: errs, Left: exit.Stragglers}, nil
}

// spec is what is started.
func (c Command) spec() child.Spec {
	s := child.Spec{Path: c.Path, Args: c.Args, Dir: c.Dir, Env: c.Env}
	if c.Line != "" {
		s.Path, s.Args = c.shell(), []string{"-c", c.Line}
	}
	return s
}

func (c Command) shell() string {
	switch {
	case c.Bash:
		return "bash"
	case runtime.GOOS == "windows":
		return "sh"
	}
	return "/bin/sh"
}

// Shell reports whether a line can be run here: whether there is the shell for it.
func Shell(bash bool) error {
	_, err := exec.LookPath(Command{Bash: bash}.shell())
	return err
}

// bounded keeps what is written, up to a size; what is more is counted as a flood. Where
// there is somebody to pass it to, nothing is kept.
type bounded struct {
	most  int
	flood func()
	pass  io.Writer

	mu   *sync.Mutex // of both outputs, so that pieces are passed on one at a time
	kept bytes.Buffer
	more bool
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pass != nil {
		return b.pass.Write(p)
	}
	if room := b.most - b.kept.Len(); len(p) > room {
		b.kept.Write(p[:room])
		b.more = true
		b.flood()
	} else {
		b.kept.Write(p)
	}
	return len(p), nil
}

func (b *bounded) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.kept.Bytes())
}

func (b *bounded) over() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.more
}

// inherited are the variables of the host that a hook gets, where the host has
// them, besides LC_*. All others are the host's own.
var inherited = []string{"PATH", "HOME", "USER", "LANG", "TMPDIR", "SHELL", "TERM"}

// windows are those that a program needs there besides.
var windows = []string{"PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "TEMP", "TMP", "USERPROFILE"}

// Environment is what a command gets: what it may have of the host's environment,
// and over it what is given, of which the last counts.
func Environment(host []string, given ...string) []string {
	var out []string
	set := func(variable string) {
		name, _, _ := strings.Cut(variable, "=")
		out = slices.DeleteFunc(out, func(v string) bool {
			was, _, _ := strings.Cut(v, "=")
			return was == name || runtime.GOOS == "windows" && strings.EqualFold(was, name)
		})
		out = append(out, variable)
	}
	for _, variable := range host {
		if name, _, ok := strings.Cut(variable, "="); ok && inherits(name) {
			set(variable)
		}
	}
	for _, variable := range given {
		if strings.Contains(variable, "=") {
			set(variable)
		}
	}
	return out
}

func inherits(name string) bool {
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
		return slices.Contains(inherited, name) || slices.Contains(windows, name)
	}
	return slices.Contains(inherited, name) || strings.HasPrefix(name, "LC_")
}
