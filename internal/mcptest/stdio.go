package mcptest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// lifetime is how long a process stays at most that was told to outlive
// others, so that a test which fails to end it leaves nothing for good.
const lifetime = 5 * time.Minute

// serveStdio serves until stdin ends, and returns the exit code.
func serveStdio(set []Mode) int {
	s := newServer(set)
	s.quit = os.Exit
	if s.is(Exits) {
		fmt.Fprintln(os.Stderr, LastWords)
		return 3
	}
	if s.is(IgnoresEOF) {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	if s.is(Workers) {
		if err := startWorkers(os.Getenv(PIDsVar)); err != nil {
			s.complain("start workers: %v", err)
			return 1
		}
	}
	out := newLines(os.Stdout)
	if s.is(Banner) {
		out = noisy(os.Stdout)
	}
	err := s.read(os.Stdin, out)
	if s.is(IgnoresEOF) {
		fmt.Fprintln(os.Stderr, Staying)
		time.Sleep(lifetime)
	}
	if err != nil {
		s.complain("read: %v", err)
		return 1
	}
	return 0
}

// read handles what comes, line by line, each request in a goroutine of its
// own, and returns when nothing more comes and all of them are done.
func (s *server) read(in io.Reader, out outlet) error {
	ctx, cancel := context.WithCancel(context.Background())
	var busy sync.WaitGroup
	defer busy.Wait()
	defer cancel()
	for r := bufio.NewReader(in); ; {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			s.complain("this is no message: %v", err)
			continue
		}
		if m.Method == "tools/call" || m.Method == "initialize" {
			busy.Go(func() { s.handle(ctx, m, out) })
			continue
		}
		s.handle(ctx, m, out)
	}
}

// newLines sends frames as lines.
func newLines(w io.Writer) outlet {
	var mu sync.Mutex
	return func(frame string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(w, frame) // who does not listen any more also closes stdin
	}
}

// noisy sends frames as lines among others: see [Banner].
func noisy(w io.Writer) outlet {
	lines := newLines(w)
	lines("Welcome to mcptest 1.0 -- https://example.com\n\n[12:00:01] INFO { starting: [")
	first := true
	var mu sync.Mutex
	return func(frame string) {
		mu.Lock()
		defer mu.Unlock()
		if first {
			first = false
			lines("\ufeff" + frame)
			return
		}
		lines(`{"level":"info","msg":"answering"}` + "\n42\n" + frame)
	}
}
