// Command bench compares MCP endpoints side by side, in interleaved rounds, and
// prints medians and their ratios to the first target.
//
//	bench -rounds 5 direct=http://127.0.0.1:9100/mcp@PID gw=http://127.0.0.1:9200/mcp@PID
//	bench fidelity direct=http://127.0.0.1:9100/mcp gw=http://127.0.0.1:9200/mcp
//	bench cold -runs 5 -want 10 -url http://127.0.0.1:9200/mcp -- gateway serve ...
//
// A target is label=URL[@PID[+PID...]], label=sse:URL[@PID...] (the transport of
// 2024-11-05) or label=stdio:command args. With PIDs, the processor time that a
// call takes of these processes and what they hold of memory are told too.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run, args := compare, os.Args[1:]
	if len(args) > 0 {
		switch args[0] {
		case "fidelity":
			run, args = fidelity, args[1:]
		case "cold":
			run, args = cold, args[1:]
		}
	}
	switch err := run(ctx, args); {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// settings say what is measured and how.
type settings struct {
	protocol string // to ask for; "": the newest that the SDK knows
	rounds   int

	inits, lists, calls int           // of each in a round, at most
	sessions            int           // at once, for the throughput
	span                time.Duration // of measuring throughput
	text                string        // that is echoed
	phases              map[string]bool
	limit               time.Duration // of one counted phase
	names               pairs         // of the echo tool, by target

	http *http.Client
}

// pairs is a flag that may be given several times: name=value.
type pairs map[string]string

func (p pairs) String() string { return "" }

func (p pairs) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("want name=value")
	}
	p[name] = value
	return nil
}

// client is an HTTP client that sends these headers with every request.
func client(headers pairs) *http.Client {
	c := rig.NewHTTPClient()
	if len(headers) > 0 {
		c.Transport = withHeaders{c.Transport, headers}
	}
	return c
}

type withHeaders struct {
	next    http.RoundTripper
	headers pairs
}

func (w withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for k, v := range w.headers {
		r.Header.Set(k, v)
	}
	return w.next.RoundTrip(r)
}

const protocolUsage = "`revision` of the protocol to ask for; empty: the newest that the SDK knows"

// compare runs the rounds.
func compare(ctx context.Context, args []string) error {
	s := settings{names: pairs{}, phases: map[string]bool{}}
	headers := pairs{}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.StringVar(&s.protocol, "protocol", "2025-11-25", protocolUsage)
	fs.IntVar(&s.rounds, "rounds", 5, "interleaved rounds")
	fs.IntVar(&s.inits, "n-init", 10, "connects in a round")
	fs.IntVar(&s.lists, "n-list", 10, "lists of tools in a round")
	fs.IntVar(&s.calls, "n-call", 500, "calls one after the other in a round")
	fs.IntVar(&s.sessions, "c", 32, "sessions at once, for the throughput")
	fs.DurationVar(&s.span, "d", 3*time.Second, "how long throughput is measured")
	fs.DurationVar(&s.limit, "phase-limit", 5*time.Second, "end a counted phase early after this long")
	fs.Var(s.names, "tool", "label=`name` of the echo tool there; else it is found by how its name ends")
	fs.Var(headers, "header", "`name=value` to send with every request")
	payload := fs.Int("payload", 64, "`bytes` of text to echo")
	phases := fs.String("phases", "init,list,call,tput,raw", "what is measured")
	samples := fs.String("json", "", "also write every sample to this `file`")
	if err := fs.Parse(args); err != nil {
		return err
	}
	for p := range strings.SplitSeq(*phases, ",") {
		s.phases[p] = true
	}
	s.text, s.http = strings.Repeat("x", *payload), client(headers)
	targets, err := parseTargets(fs.Args())
	if err != nil {
		return err
	}
	all := s.interleave(ctx, targets)
	fmt.Printf("Medians of %d interleaved rounds (protocol asked for: %q, %d CPUs, %d bytes echoed, %d sessions)\n\n", s.rounds, s.protocol, runtime.NumCPU(), *payload, s.sessions)
	medians(os.Stdout, all, targets)
	fmt.Printf("\nRatios to %s (medians of the ratios of each round)\n\n", targets[0].label)
	ratios(os.Stdout, all, targets)
	if *samples == "" {
		return ctx.Err()
	}
	b, err := json.MarshalIndent(all, "", " ")
	return errors.Join(err, os.WriteFile(*samples, b, 0o644), ctx.Err())
}

// interleave measures all targets round by round; another one begins each time.
func (s *settings) interleave(ctx context.Context, targets []target) rig.Samples {
	all := rig.Samples{}
	for r := range s.rounds {
		for i := range targets {
			t := targets[(i+r)%len(targets)]
			if ctx.Err() != nil {
				return all
			}
			runtime.GC() // not of what the target before left
			all[t.label] = append(all[t.label], s.round(ctx, t))
			fmt.Fprintf(os.Stderr, "round %d %s done\n", r+1, t.label)
		}
	}
	return all
}
