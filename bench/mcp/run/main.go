// Command run measures Mortise as a gateway, side by side with a direct
// connection to the same server and with yardsticks of one hop, and prints what
// was promised next to what was measured. It builds all programs, makes the
// workspaces that are served (100 policies of which three are about each call,
// what the server offers pinned, every call logged) and leaves nothing behind.
//
//	go run ./bench/mcp/run
//	go run ./bench/mcp/run -short -judge
//	go run ./bench/mcp/run -mortise bin/mortise -peer mcp-hub
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

func main() {
	var b bench
	flag.StringVar(&b.mortise, "mortise", "", "`program` to measure; built from this module when empty")
	flag.IntVar(&b.rounds, "rounds", 9, "interleaved rounds of each measurement")
	flag.DurationVar(&b.span, "d", time.Second, "how long throughput is measured in a round")
	flag.StringVar(&b.peer, "peer", "", "also measure another gateway: mcp-hub, which is installed from npm")
	flag.StringVar(&b.peers, "peers", ".cache/bench-peers", "`directory` that peers are installed in")
	short := flag.Bool("short", false, "few rounds")
	judge := flag.Bool("judge", false, "fail when a figure misses its target grossly")
	flag.Parse()
	if *short {
		b.rounds = 3
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := b.run(ctx, *judge); err != nil {
		fmt.Fprintln(os.Stderr, "bench/mcp:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	mortise     string // the program
	rounds      int
	span        time.Duration
	peer, peers string

	dir string // ours alone
}

func (b *bench) run(ctx context.Context, judge bool) (err error) {
	if b.dir, err = os.MkdirTemp("", "mortise-bench-mcp-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.build(ctx); err != nil {
		return err
	}
	var rows []row
	for _, measure := range []func(context.Context) ([]row, error){b.calls, b.lists, b.flat, b.starts, b.fidelity} {
		more, err := measure(ctx)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	return report(os.Stdout, rows, judge)
}

func (b *bench) bin(name string) string { return filepath.Join(b.dir, "bin", name) }

func (b *bench) build(ctx context.Context) error {
	packages := []string{"./bench/mcp/upstream", "./bench/mcp/revproxy", "./bench/mcp/rawgw", "./bench/mcp/sdkgw", "./bench/mcp/bench"}
	if b.mortise == "" {
		packages, b.mortise = append(packages, "./cmd/mortise"), b.bin("mortise")
	}
	return rig.Build(ctx, b.bin(""), packages...)
}
