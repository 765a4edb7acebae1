package child

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// slack is how much longer than its grace a shim may take to end a tree
// before we end the shim and do it ourselves.
const slack = 3 * time.Second

// errLeft marks an end after which something is still there.
var errLeft = errors.New("could not be ended")

// Process is a program that was started, and its tree.
type Process struct {
	mark  uint64
	grace time.Duration
	tidy  func()

	shim     *os.Process
	lifeline *os.File // closing it has the tree ended
	reports  *os.File
	in       *input
	out      *output
	stderr   *copier

	ask     func()        // has the tree ended; may be called often
	asked   chan struct{} // closed by ask
	running chan struct{} // closed when the program runs
	done    chan struct{}

	id     Identity // set before running is closed
	marked bool     // likewise
	exit   Exit     // set before done is closed
	gone   bool     // the shim has said that nothing is left
}

// launch starts a shim, which waits for its order.
func launch(o order, stderr io.Writer) (*Process, error) {
	pipes, err := openPipes(stderr)
	if err != nil {
		return nil, err
	}
	shim, err := spawn(pipes.theirs())
	pipes.closeTheirs()
	if err != nil {
		pipes.closeOurs()
		return nil, fmt.Errorf("run this program as %s: %w", Name, err)
	}
	p := &Process{
		mark: o.mark, grace: o.grace, shim: shim, lifeline: pipes.lifeline.w, reports: pipes.report.r,
		in: &input{f: pipes.stdin.w}, out: &output{f: pipes.stdout.r}, stderr: copyFrom(pipes.stderr.r, stderr),
		asked: make(chan struct{}), running: make(chan struct{}), done: make(chan struct{}),
		exit: Exit{Code: -1},
	}
	p.ask = sync.OnceFunc(func() {
		p.lifeline.Close()
		close(p.asked)
	})
	return p, nil
}

// begin gives the shim its order and waits for the program to run.
func (p *Process) begin(ctx context.Context, o order) error {
	go p.watch()
	stop := context.AfterFunc(ctx, p.ask)
	defer stop()
	_, sent := p.lifeline.Write(o.encode())
	if sent != nil {
		p.ask()
	}
	select {
	case <-p.running:
		if stop() {
			return nil
		}
		<-p.done
	case <-p.done:
		if p.id.Pid != 0 && ctx.Err() == nil {
			return nil
		}
	}
	var errno syscall.Errno
	switch {
	case errors.As(p.exit.Err, &errno):
		return o.explain(errno)
	case ctx.Err() != nil:
		return ctx.Err()
	case p.exit.Err != nil:
		return p.exit.Err
	}
	return ErrClosed
}

// watch hears what the shim reports, until it and the tree are gone.
func (p *Process) watch() {
	over := make(chan struct{})
	var overdue sync.WaitGroup
	overdue.Go(func() { p.hurry(over) })

	lines := bufio.NewScanner(p.reports)
	for lines.Scan() {
		p.hear(lines.Text())
	}
	state, err := p.shim.Wait()
	close(over)
	overdue.Wait()
	if !p.gone {
		p.exit.Err = fmt.Errorf("the process that watched over it ended early (%v)", ending(state, err))
		p.sweep()
	}
	p.finish()
}

func ending(state *os.ProcessState, err error) any {
	if err != nil {
		return err
	}
	return state
}

// hurry ends a shim that does not do what it is asked to.
func (p *Process) hurry(over <-chan struct{}) {
	select {
	case <-over:
		return
	case <-p.asked:
	}
	late := time.NewTimer(p.grace + slack)
	defer late.Stop()
	select {
	case <-over:
	case <-late.C:
		p.shim.Kill() //nolint:errcheck // it ended just now
	}
}

func (p *Process) hear(line string) {
	r := parseReport(line)
	switch r.word {
	case wordStarted:
		p.id, p.marked = Identity{Pid: int(r.number(0)), Started: r.number(1)}, r.number(2) == 1
		close(p.running)
	case wordFailed:
		p.exit.Err = syscall.Errno(r.number(0))
	case wordExited:
		p.exit.Code = int(r.number(0))
	case wordSignalled:
		p.exit.Signal = signalName(int(r.number(0)))
	case wordGone:
		p.gone = true
		p.exit.Stragglers = int(r.number(0))
		p.leaves(int(r.number(1)))
	}
}

// sweep ends what a shim that was killed has left.
func (p *Process) sweep() {
	if p.id.Pid != 0 && !p.marked {
		p.exit.Err = fmt.Errorf("%w; what it left cannot be told from other processes", p.exit.Err)
		return
	}
	stragglers, left := endMarked(p.mark, p.id.Pid)
	p.exit.Stragglers = stragglers
	p.leaves(left)
}

func (p *Process) leaves(n int) {
	if n > 0 {
		p.exit.Err = errors.Join(p.exit.Err, fmt.Errorf("%d of its processes, which belong to another user, %w", n, errLeft))
	}
}

func (p *Process) finish() {
	p.ask()
	p.reports.Close()
	p.in.Close() //nolint:errcheck // nobody is there to miss anything
	var rest sync.WaitGroup
	rest.Go(p.stderr.finish)
	rest.Go(p.out.finish)
	rest.Wait()
	p.tidy()
	close(p.done)
}

// Identity is that of the program, not of its shim.
func (p *Process) Identity() Identity { return p.id }

// Input is a pipe that something reads.
type Input interface {
	io.WriteCloser
	// Try writes what there is room for now, which may be nothing. It never waits.
	Try(b []byte) (int, error)
}

// Stdin is the program's standard input. Close is its end.
func (p *Process) Stdin() Input { return p.in }

// Stdout is the program's standard output. What was written before the end
// can still be read after it.
func (p *Process) Stdout() io.Reader { return p.out }

// Done is closed when the whole tree is gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit is how the program ended. It is valid once Done is closed.
func (p *Process) Exit() Exit { return p.exit }

// Stop closes the standard input, gives the program the time patience to end
// by itself, and then has the whole tree ended. It returns when nothing of it
// is left.
func (p *Process) Stop(patience time.Duration) Exit {
	p.in.Close() //nolint:errcheck // what comes next does not depend on it
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case <-p.done:
	case <-wait.C:
		p.ask()
		<-p.done
	}
	return p.exit
}
