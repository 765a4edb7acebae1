package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/plan"
)

// Fix is a command that mends what a check found. It asks for nothing.
type Fix struct {
	Check   string
	From    ext.Name // the extension that declares it; "" for Mortise's own
	Label   string
	Command []string
	Own     bool // the program is Mortise itself, whatever Command calls it
}

// Declared are the fixes of extensions.
func Declared(all []plan.Typed[check.Fix]) []Fix {
	var out []Fix
	for _, a := range all {
		out = append(out, Fix{Check: a.Value.Check, From: a.Extension, Label: a.Value.Label, Command: a.Value.Command})
	}
	return out
}

// Fixable are the fixes for rows that are not well, in the order of the rows, each command
// once. An extension mends what its own checks find, and nothing else. rest are the rows
// that nothing is known to mend.
func Fixable(rows []Row, declared []Fix) (fixes []Fix, rest []Row) {
	for i := range rows {
		r := &rows[i]
		if !r.wrong() {
			continue
		}
		var of []Fix
		if r.Mend != nil {
			of = append(of, *r.Mend)
		}
		for _, f := range declared {
			if f.Check == r.Name && f.From == r.From && f.From != "" {
				of = append(of, f)
			}
		}
		if of == nil {
			rest = append(rest, *r)
		}
		for _, f := range of {
			if f.Check = r.Name; !slices.ContainsFunc(fixes, func(k Fix) bool { return k.Own == f.Own && slices.Equal(k.Command, f.Command) }) {
				fixes = append(fixes, f)
			}
		}
	}
	return fixes, rest
}

// FixLimit is how long a fix may take.
const FixLimit = 600 * time.Second

// Running is how a fix is run.
type Running struct {
	Program string // stands for the program of a fix of our own
	Dir     string // absolute
	Env     []string
	Limit   time.Duration // 0 is FixLimit
	// Line is told each line that it writes, bounded, as it comes. It may be foreign.
	Line func(string)
}

// Mend runs a fix and waits for its end. All that it started ends with it. The error says
// why it did not do what it is for.
func Mend(ctx context.Context, f *Fix, o Running) error {
	limit := o.Limit
	if limit <= 0 {
		limit = FixLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	keeper := child.New()
	defer keeper.Close() //nolint:errcheck // what could not be ended is told by the exit
	out := &lines{tell: o.Line}
	spec := child.Spec{Path: f.Command[0], Args: f.Command[1:], Dir: o.Dir, Env: o.Env, Stderr: out}
	if f.Own {
		spec.Path = o.Program
	}
	late := fmt.Errorf("it did not end within %v", limit)
	p, err := keeper.Start(ctx, spec)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = late
	}
	if err != nil {
		return err
	}
	p.Stdin().Close() //nolint:errcheck // it is asked nothing
	var copying sync.WaitGroup
	copying.Go(func() { io.Copy(out, p.Stdout()) }) //nolint:errcheck // its end, or ours
	select {
	case <-p.Done():
	case <-ctx.Done():
	}
	exit := p.Stop(0)
	copying.Wait()
	out.end()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return late
	case ctx.Err() != nil:
		return ctx.Err()
	case exit.Err != nil, exit.Signal != "", exit.Code != 0:
		return fmt.Errorf("%s", exit)
	}
	return nil
}

const (
	mostLine  = 500  // characters of a line
	mostLines = 1000 // of a fix
)

// lines hands on what is written line by line, up to a bound.
type lines struct {
	tell func(string)

	mu   sync.Mutex
	rest []byte
	told int
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	for {
		at := bytes.IndexByte(p, '\n')
		if at < 0 {
			break
		}
		l.line(append(l.rest, p[:at]...))
		l.rest, p = nil, p[at+1:]
	}
	if len(l.rest) < 4*mostLine { // no line is shown that long
		l.rest = append(l.rest, p...)
	}
	return n, nil
}

func (l *lines) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.rest) > 0 {
		l.line(l.rest)
	}
}

func (l *lines) line(text []byte) {
	l.told++
	switch {
	case l.tell == nil || l.told > mostLines+1:
	case l.told > mostLines:
		l.tell("… what it writes more is left out")
	default:
		l.tell(ext.Shorten(strings.ToValidUTF8(strings.TrimRight(string(text), "\r"), "�"), mostLine))
	}
}
