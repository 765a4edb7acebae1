package mcp

import (
	"context"
	"io"
	"time"

	"github.com/mortise-dev/mortise/internal/child"
)

// process is a program that was started, with all that came from it.
type process struct {
	in   child.Input
	out  io.Reader
	pid  int
	done <-chan struct{}              // closed when nothing of it is left
	exit func() string                // how it ended
	stop func(patience time.Duration) // closes its input, waits, ends it
}

// start starts a program.
func start(ctx context.Context, k *child.Keeper, s child.Spec) (*process, error) {
	p, err := k.Start(ctx, s)
	if err != nil {
		return nil, err
	}
	return &process{
		in: p.Stdin(), out: p.Stdout(), pid: p.Identity().Pid, done: p.Done(),
		exit: func() string { return p.Exit().String() },
		stop: func(patience time.Duration) { p.Stop(patience) },
	}, nil
}
