package mcptest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/mcptest"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	os.Exit(m.Run())
}

// process is a server that is spoken to line by line.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *bufio.Reader
}

func begin(t *testing.T, env []string, modes ...mcptest.Mode) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	path, own := mcptest.Command(modes...)
	cmd := exec.CommandContext(ctx, path)
	cmd.Env = slices.Concat(os.Environ(), own, env)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		cmd.Wait()
	})
	return &process{t, cmd, in, bufio.NewReader(out), bufio.NewReader(stderr)}
}

func (p *process) send(line string) {
	p.t.Helper()
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) line() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("read a line: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

func (p *process) exchange(line string) string {
	p.t.Helper()
	p.send(line)
	return p.line()
}

const (
	hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	list  = `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`
)

func calling(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// initialized begins a server that has answered initialize.
func initialized(t *testing.T, env []string, modes ...mcptest.Mode) *process {
	t.Helper()
	p := begin(t, env, modes...)
	if got := p.exchange(hello); !strings.Contains(got, `"protocolVersion":"2025-11-25"`) {
		t.Fatalf("initialize: got %s", got)
	}
	return p
}

// code waits for the server to end.
func (p *process) code() int {
	p.t.Helper()
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode()
}

func TestServerEndsWithItsInput(t *testing.T) {
	p := initialized(t, nil)
	p.send(calling(2, "sleep", `{"ms":600000}`))
	p.in.Close()
	if got := p.code(); got != 0 {
		t.Errorf("end of input: got code %d, want 0", got)
	}
}

func TestServerHasItsOwnOrder(t *testing.T) {
	p := begin(t, nil)
	if got := p.exchange(list); !strings.Contains(got, "initialize comes first") {
		t.Errorf("tools/list before initialize: got %s", got)
	}
	if got := p.exchange(`{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{}}`); !strings.Contains(got, `"id":"d","error":{"code":-32601`) {
		t.Errorf("server/discover: got %s, want an unknown method", got)
	}
	p.send("nonsense")
	if got, want := p.exchange(`{"jsonrpc":"2.0","id":3,"method":"ping"}`), `{"jsonrpc":"2.0","id":3,"result":{}}`; got != want {
		t.Errorf("ping: got %s, want %s", got, want)
	}
}

func TestBannerSurroundsMessages(t *testing.T) {
	p := begin(t, nil, mcptest.Banner)
	p.send(hello)
	for _, want := range []string{"Welcome", "", "[12:00:01] INFO {", "\ufeff{\"jsonrpc\""} {
		if got := p.line(); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("before the first answer: got %q, want %q first", got, want)
		}
	}
	p.send(list)
	for _, want := range []string{`{"level":"info"`, "42", `{"jsonrpc":"2.0","id":2`} {
		if got := p.line(); !strings.HasPrefix(got, want) {
			t.Errorf("before the second answer: got %q, want %q first", got, want)
		}
	}
}

func TestExitsAtOnce(t *testing.T) {
	p := begin(t, nil, mcptest.Exits)
	if line, _ := p.stderr.ReadString('\n'); line != mcptest.LastWords+"\n" {
		t.Errorf("stderr: got %q, want %q", line, mcptest.LastWords)
	}
	if got := p.code(); got != 3 {
		t.Errorf("got code %d, want 3", got)
	}
}

func TestOnceEndsAfterOneCall(t *testing.T) {
	p := initialized(t, nil, mcptest.Once)
	if got := p.exchange(list); !strings.Contains(got, `"name":"echo"`) {
		t.Errorf("tools/list before the call: got %s", got)
	}
	if got := p.exchange(calling(3, "echo", `{"text":"first"}`)); !strings.Contains(got, "first") {
		t.Errorf("the first call: got %s", got)
	}
	if got := p.code(); got != 0 {
		t.Errorf("got code %d, want 0", got)
	}
}

func TestHangsAnswersOthersAlone(t *testing.T) {
	p := begin(t, nil, mcptest.Hangs)
	p.send(hello)
	if got := p.exchange(`{"jsonrpc":"2.0","id":2,"method":"ping"}`); !strings.Contains(got, `"id":2`) {
		t.Errorf("ping after initialize: got %s, want its answer, and none to initialize", got)
	}
	p.in.Close()
	if rest, err := io.ReadAll(p.out); len(rest) > 0 || err != nil {
		t.Errorf("after that: got %q, %v, want nothing", rest, err)
	}
}

func TestSlowTakesItsTime(t *testing.T) {
	start := time.Now()
	initialized(t, []string{mcptest.DelayVar + "=300ms"}, mcptest.Slow)
	if took := time.Since(start); took < 300*time.Millisecond {
		t.Errorf("initialize took %v, want 300ms at least", took)
	}
}

func TestGatedWaitsForItsFile(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	p := begin(t, []string{mcptest.GateVar + "=" + gate}, mcptest.Gated)
	p.send(hello)
	if got := p.exchange(`{"jsonrpc":"2.0","id":2,"method":"ping"}`); !strings.Contains(got, `"id":2`) {
		t.Errorf("before the file is there: got %s, want the answer to ping alone", got)
	}
	if err := os.WriteFile(gate, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := p.line(); !strings.Contains(got, `"protocolVersion"`) {
		t.Errorf("with the file there: got %s", got)
	}
}

func TestDefinitionsAreSentAsTheyAre(t *testing.T) {
	p := initialized(t, nil, mcptest.Unknown)
	if got := p.exchange(list); !strings.Contains(got, mcptest.OddTool) {
		t.Errorf("tools/list: got %s, want %s in it", got, mcptest.OddTool)
	}
	if got := p.exchange(calling(3, "odd", `{}`)); !strings.Contains(got, mcptest.OddAnswer) {
		t.Errorf("odd: got %s, want %s in it", got, mcptest.OddAnswer)
	}
	for _, s := range []string{mcptest.OddTool, mcptest.OddAnswer} {
		if !json.Valid([]byte(s)) {
			t.Errorf("%s is no JSON", s)
		}
	}
}

func TestCancelledCallIsNotAnswered(t *testing.T) {
	p := initialized(t, nil)
	p.send(calling(7, "sleep", `{"ms":600000}`))
	// The call begins beside what is read next: it is cancelled until it was there to be.
	cancelled := make(chan string, 1)
	go func() {
		line, _ := p.stderr.ReadString('\n')
		cancelled <- line
	}()
	for tick := time.Tick(time.Millisecond); ; {
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		select {
		case <-tick:
			continue
		case line := <-cancelled:
			if line != "mcptest: cancelled 7\n" {
				t.Errorf("stderr: got %q", line)
			}
		}
		break
	}
	if got := p.exchange(`{"jsonrpc":"2.0","id":8,"method":"ping"}`); !strings.Contains(got, `"id":8`) {
		t.Errorf("after the cancellation: got %s, want the answer to ping alone", got)
	}
}

func TestExitLeavesTheCallUnanswered(t *testing.T) {
	p := initialized(t, nil)
	p.send(calling(2, "exit", `{"code":9}`))
	if rest, _ := io.ReadAll(p.out); len(rest) > 0 {
		t.Errorf("exit: got %q, want no answer", rest)
	}
	if got := p.code(); got != 9 {
		t.Errorf("exit: got code %d, want 9", got)
	}
}

func TestUnknownModeIsTold(t *testing.T) {
	p := begin(t, nil, "nice")
	line, _ := p.stderr.ReadString('\n')
	if got := p.code(); got != 2 || !strings.Contains(line, `"nice"`) {
		t.Errorf("got code %d and %q, want 2 and the name", got, line)
	}
}

func TestBuiltProgramTakesModes(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the compiler")
	}
	path := mcptest.Build(t, filepath.Join(t.TempDir(), "plugin", "bin"))
	cs := connect(t, &mcp.CommandTransport{Command: exec.CommandContext(lasting(t), path, "longnames")}, nil)
	res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: mcptest.LongDelete})
	if err != nil {
		t.Fatal(err)
	}
	if got := said(res); got != mcptest.LongDelete {
		t.Errorf("got %q, want %q", got, mcptest.LongDelete)
	}
}
