package mcp_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

// patience is the end of every wait in these tests; none waits for it when all
// is well.
const patience = 30 * time.Second

// bench is a pool under test and what it said.
type bench struct {
	*mcp.Pool
	t       testing.TB
	changed chan struct{}

	mu     sync.Mutex
	joined []mcp.Description
}

// newBench is a pool with short limits, which change may alter. All of it ends
// with the test.
func newBench(t testing.TB, change func(*mcp.Options)) *bench {
	t.Helper()
	t.TempDir() // it is removed after what is ended below, whoever else asks for one
	b := &bench{t: t, changed: make(chan struct{}, 1)}
	k := child.New()
	o := mcp.Options{
		Keeper: k, Env: os.Environ(), Client: mcp.Client{Name: "test", Version: "0"},
		Joined: func(_ string, d mcp.Description) {
			b.mu.Lock()
			b.joined = append(b.joined, d)
			b.mu.Unlock()
		},
		Changed: func() {
			select {
			case b.changed <- struct{}{}:
			default:
			}
		},
		Connect: 20 * time.Second, Wait: 20 * time.Second, Retry: time.Millisecond, RetryMax: 5 * time.Millisecond,
		Probe: 200 * time.Millisecond, Idle: 50 * time.Millisecond, Settle: time.Millisecond, Patience: 5 * time.Second, Grace: time.Second,
	}
	if change != nil {
		change(&o)
	}
	b.Pool = mcp.New(o)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// fixtureTarget is this test binary as a server.
func fixtureTarget(t testing.TB, mode string) mcp.Target {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	return mcp.Target{
		Key: "key-" + mode, Name: "acme:" + mode, Transport: mcp.Stdio, Command: self,
		Env: []mcp.Pair{
			{Name: fixtureMode, Value: mode},
			{Name: "GOCOVERDIR", Value: dir},             // else a server says on its standard error that it has none
			{Name: "GORACE", Value: "atexit_sleep_ms=0"}, // else the race detector holds up each end by a second
		},
		Root: root, Data: filepath.Join(dir, "data"), Log: filepath.Join(dir, "logs", "server.log"),
	}
}

// until waits for a status of the server and returns it.
func (b *bench) until(name, what string, ok func(mcp.Status) bool) mcp.Status {
	b.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		var last mcp.Status
		for _, s := range b.Status() {
			if s.Name == name {
				if last = s; ok(s) {
					return s
				}
			}
		}
		select {
		case <-b.changed:
		case <-late.C:
			b.t.Fatalf("%s: got %+v, want %s", name, last, what)
		}
	}
}

func state(want string) func(mcp.Status) bool {
	return func(s mcp.Status) bool { return s.State == want }
}

func (b *bench) call(t mcp.Target, tool, arg string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	raw, err := b.Call(ctx, ref(t, tool), json.RawMessage(arg))
	return string(raw), err
}

func (b *bench) must(t mcp.Target, tool, arg string) string {
	b.t.Helper()
	raw, err := b.call(t, tool, arg)
	if err != nil {
		b.t.Fatalf("%s of %s: %v", tool, t.Name, err)
	}
	return raw
}

func ref(t mcp.Target, tool string) ext.Ref {
	return ext.Ref{Driver: "mcp", Target: t.Key, Name: tool}
}

// self is what a fixture says of its process.
type self struct {
	Pid  int
	Cwd  string
	Env  []string
	Args []string
}

func (b *bench) self(t mcp.Target) (s self) {
	b.t.Helper()
	decode(b.t, b.must(t, "self", ""), &s)
	return s
}

// said is a description, decoded.
type said struct {
	ProtocolVersion   string
	Instructions      string
	Tools             []json.RawMessage
	Prompts           []json.RawMessage
	Resources         []json.RawMessage
	ResourceTemplates []json.RawMessage
	Notes             []string
}

func (b *bench) describe(t mcp.Target) (said, string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	d, err := b.Describe(ctx, t.Key)
	if err != nil {
		b.t.Fatal(err)
	}
	var s said
	decode(b.t, string(d.JSON), &s)
	return s, string(d.JSON)
}

func decode(t testing.TB, raw string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(raw), to); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
}

func logOf(t testing.TB, target mcp.Target) string {
	t.Helper()
	b, err := os.ReadFile(target.Log)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
