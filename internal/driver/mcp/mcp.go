// Package mcp reaches MCP servers: it keeps a pool of those that it is told to
// run, over stdio and Streamable HTTP, asks each what it offers, and carries
// calls and frames to them. What a server sends stays the bytes that came.
//
// A server that is slow, dead or noisy costs itself alone. The package knows
// nothing of admission, trust or surfaces: whether a server may run is settled
// before it is named here.
package mcp

import (
	"context"
	"time"

	"github.com/mortise-dev/mortise/internal/child"
)

// Transports that a Target may name.
const (
	Stdio = "stdio"
	HTTP  = "streamable-http"
	SSE   = "sse" // HTTP with two addresses, of 2024-11-05
)

// Target is a server that should run. Nothing in it has been expanded.
type Target struct {
	Key       string // what refs name it by (ext.Ref.Target): one declaration of one server
	Name      string // qualified, for people: "acme:search"
	Transport string // Stdio, HTTP, SSE
	Command   string // stdio: a bare name, an absolute path, or a path below Root
	Args      []string
	Env       []Pair
	Cwd       string // "" is Root
	URL       string
	Headers   []Pair
	// Claude means that values follow Claude Code's placeholders too: ${NAME}
	// and ${NAME:-default} stand for variables of the host in command, args,
	// env, url and headers.
	Claude bool
	Root   string // the plugin's root, absolute, links resolved
	Data   string // its data directory, absolute; made before the start
	Log    string // the file for what it prints beside the protocol, and for our notes; "" none
	Fault  string // why it must not be started although it is declared; "" none
}

// Pair is a name and a value in the order of the declaration.
type Pair struct{ Name, Value string }

// Client is how a pool introduces itself to servers.
type Client struct{ Name, Version string }

// Options are what a Pool needs and the limits it keeps. Every limit has a
// default, which zero stands for.
type Options struct {
	Keeper *child.Keeper // starts the processes; needed for stdio
	Env    []string      // the host's environment, of which processes get an allow-listed part
	Client Client
	// Allowed is asked whether the server with that key may run: by the goroutine of
	// each of its sessions right before each start of a process and each connecting
	// to a remote server, and before a session that a remote server has forgotten is
	// begun anew, by the goroutine that found that out. It is never asked by two
	// at once for one key. An error means that nothing is started or sent: the
	// status is Failed, with that error, until the answer is another one. It is
	// asked again after Retry, then twice that, and so on; and at once when the
	// server is restarted, or left out of a Run or changed and then named. It may
	// call Run, Restart and Status of the pool, but nothing that waits: Close,
	// Describe, Call or Link. It must return when ctx ends, as it does when the
	// server is not wanted any more. Nil allows all.
	Allowed func(ctx context.Context, key string) error
	// Joined is called when a server described itself: after its start, and when
	// it said later that its lists changed and they did. It is called by the
	// pool's goroutines, never by two at once for one key. It may be nil.
	Joined func(key string, d Description)
	// Changed is called when the status of any server changed. It must not wait
	// for the pool. It may be nil.
	Changed func()

	Connect  time.Duration // for the handshake, and once more for the lists; 60 s
	Wait     time.Duration // how long a call waits for a server that starts; 10 s
	Retry    time.Duration // before the second start, then twice that, and so on; 1 s
	RetryMax time.Duration // the longest of those; 1 min
	Steady   time.Duration // a server that was ready for less, or never, has ended quickly; 1 min
	Tries    int           // quick ends in a row after which a process is not started again; 5
	Settle   time.Duration // between a notice that lists changed and asking for them, the first time; 100 ms
	Patience time.Duration // for a process to end after its input did; 2 s
	Grace    time.Duration // after that, between asking its tree to end and ending it; 3 s
	Frame    int           // bytes of one message from a server; 16 MiB
	Probe    time.Duration // how long a process may be silent when it is asked which revisions it speaks, before it is greeted as of old too; 5 s
	Starts   int           // processes that are being started at once; 8
	Peers    int           // sessions of one server that are of peers; 256
	Idle     time.Duration // after which a session of peers ends that no lane uses; 1 min
	Call     time.Duration // for a request over a lane, from its sending to its answer; 0: as long as it takes
	Silence  time.Duration // for a request over a lane, without an answer or a word of progress; 0: as long as it takes
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		at   *time.Duration
		want time.Duration
	}{
		{&o.Connect, time.Minute}, {&o.Wait, 10 * time.Second}, {&o.Retry, time.Second}, {&o.RetryMax, time.Minute},
		{&o.Steady, time.Minute}, {&o.Probe, 5 * time.Second}, {&o.Idle, time.Minute},
		{&o.Settle, 100 * time.Millisecond}, {&o.Patience, 2 * time.Second}, {&o.Grace, 3 * time.Second},
	} {
		if *d.at <= 0 {
			*d.at = d.want
		}
	}
	if o.Starts <= 0 {
		o.Starts = 8
	}
	if o.Peers <= 0 {
		o.Peers = 256
	}
	if o.Tries <= 0 {
		o.Tries = 5
	}
	if o.Frame <= 0 {
		o.Frame = 16 << 20
	}
	if o.Client.Name == "" {
		o.Client.Name = "mortise"
	}
	return o
}
