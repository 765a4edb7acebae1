package child

import (
	"context"
	"errors"
	"os"
	"sync"
)

// ErrClosed is the answer of a Keeper that was closed.
var ErrClosed = errors.New("no program is started any more")

// Keeper owns all that one program starts. It may be used by several
// goroutines at once.
type Keeper struct {
	starting sync.WaitGroup

	mu     sync.Mutex
	closed bool
	live   map[*Process]struct{}
}

// New returns a Keeper that owns nothing yet.
func New() *Keeper { return &Keeper{live: map[*Process]struct{}{}} }

// Start starts a program and returns when it runs. When it cannot be started,
// or ctx ends before it runs, the error says why and nothing is left of it.
// Later, ctx means nothing to it.
func (k *Keeper) Start(ctx context.Context, s Spec) (*Process, error) {
	if err := k.enter(); err != nil {
		return nil, &startError{s.Path, err}
	}
	defer k.starting.Done()
	o, err := s.order()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, &startError{s.Path, err}
	}
	p, err := launch(o, s.Stderr)
	if err != nil {
		return nil, &startError{s.Path, err}
	}
	k.adopt(p)
	if err := p.begin(ctx, o); err != nil {
		return nil, &startError{s.Path, err}
	}
	return p, nil
}

// enter also keeps a program that forgot to call Main from starting itself
// over and over.
func (k *Keeper) enter() error {
	if isShim() {
		return errors.New("this program does not begin with child.Main")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return ErrClosed
	}
	k.starting.Add(1)
	return nil
}

// adopt keeps p until it is gone. A Keeper that was closed meanwhile has it
// ended at once.
func (k *Keeper) adopt(p *Process) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.live[p] = struct{}{}
	p.tidy = func() { k.drop(p) }
	if k.closed {
		p.ask()
	}
}

func (k *Keeper) drop(p *Process) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.live, p)
}

// Close ends all that was started, at once and side by side, and returns when
// nothing of it is left. Later Starts answer ErrClosed. The error says what
// could not be ended.
func (k *Keeper) Close() error {
	k.mu.Lock()
	k.closed = true
	var live []*Process
	for p := range k.live {
		live = append(live, p)
	}
	k.mu.Unlock()

	errs := make([]error, len(live))
	var stopping sync.WaitGroup
	for i, p := range live {
		stopping.Go(func() {
			if exit := p.Stop(0); errors.Is(exit.Err, errLeft) {
				errs[i] = exit.Err
			}
		})
	}
	stopping.Wait()
	k.starting.Wait()
	return errors.Join(errs...)
}

// program is the path under which this very program can be started again,
// also after its file was replaced.
func program() (string, error) {
	if _, err := os.Stat(selfLink); selfLink != "" && err == nil {
		return selfLink, nil
	}
	return os.Executable()
}
