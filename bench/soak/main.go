// Command soak has many clients use one Mortise for a time, before servers of
// which one is killed again and again, and one answers late, twice, never, to
// somebody else, and floods. Other clients open sessions and leave, or send their
// requests a byte at a time. It fails when a call ends without an answer or an
// error, when an answer reaches another call, when a server that is well fails,
// when what Mortise holds does not come back to its level, and when a process is
// left behind.
//
//	go run ./bench/soak -for 10m
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

func main() {
	if len(os.Args) == 4 && os.Args[1] == "upstream" { // started by Mortise
		if err := upstream(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, "upstream:", err)
			os.Exit(1)
		}
		return
	}
	var s soak
	flag.DurationVar(&s.span, "for", 10*time.Minute, "how long Mortise is under load")
	flag.IntVar(&s.callers, "clients", 16, "clients that call at once")
	flag.StringVar(&s.mortise, "mortise", "", "`program` to soak; built from this module when empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := s.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// soak is one run.
type soak struct {
	span    time.Duration
	callers int
	mortise string // the program

	dir   string // ours alone
	place *rig.Workspace
	serve *rig.Process
	http  *http.Client
	tools map[string]string // what clients call a tool, by server/tool
	tally tally
}

func (s *soak) run(ctx context.Context) (err error) {
	if s.dir, err = os.MkdirTemp("", "mortise-soak-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.dir)) }()
	if err := s.begin(ctx); err != nil {
		return err
	}
	faults := s.soak(ctx)
	s.serve.Stop()
	faults = append(faults, s.left()...)
	s.tally.print(os.Stdout)
	if err := errors.Join(append(faults, ctx.Err())...); err != nil {
		return err
	}
	fmt.Println("Nothing was lost, and everything came back to its level.")
	return nil
}

// begin builds and starts everything, and learns what the tools are called.
func (s *soak) begin(ctx context.Context) error {
	if s.mortise == "" {
		s.mortise = filepath.Join(s.dir, "bin", "mortise")
		if err := rig.Build(ctx, filepath.Join(s.dir, "bin"), "./cmd/mortise"); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	servers := map[string]rig.Server{}
	for _, name := range []string{steady, mortal, odd} {
		servers[name] = rig.Server{Argv: []string{self, "upstream", name, s.dir}}
	}
	if s.place, err = rig.NewWorkspace(ctx, s.mortise, filepath.Join(s.dir, "served"), servers, "echo"); err != nil {
		return err
	}
	if s.serve, err = s.place.Serve(ctx); err != nil {
		return err
	}
	s.http = rig.NewHTTPClient()
	if err := s.learn(ctx); err != nil {
		s.serve.Stop()
		return err
	}
	return nil
}

// soak warms up, takes the level, soaks, and compares. A fifth of the time is
// for warming up: Mortise keeps sessions that nobody ended, up to a number.
func (s *soak) soak(ctx context.Context) []error {
	s.load(ctx, s.span/5)
	level, err := s.level(ctx)
	if err != nil {
		return []error{err}
	}
	fmt.Printf("level after warming up:  %v\n", level)
	s.load(ctx, s.span-s.span/5)
	return append(s.tally.faults(), s.returns(ctx, level))
}
