package instance

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The test binary is its own host: role says of which kind.
const (
	role      = "MORTISE_TEST_ROLE"
	roleDir   = "MORTISE_TEST_DIR"
	roleSpace = "MORTISE_TEST_WORKSPACE"
)

func TestMain(m *testing.M) {
	if os.Getenv(role) == "" {
		os.Exit(m.Run())
	}
	if err := play(os.Getenv(role), os.Getenv(roleDir), os.Getenv(roleSpace)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// play is a host that begins at a line of its standard input, tells what came
// of it, and ends with the input.
func play(role, dir, workspace string) error {
	in := bufio.NewReader(os.Stdin)
	if _, err := in.ReadString('\n'); err != nil {
		return err
	}
	kind := HTTP
	if role == "stdio" {
		kind = Stdio
	}
	c, err := Take(dir, workspace, kind)
	var taken *TakenError
	if errors.As(err, &taken) {
		fmt.Println("taken", taken.Record.ID)
		return nil
	}
	if err != nil {
		return err
	}
	if err := serve(c, role != "mute"); err != nil {
		return errors.Join(err, c.Close())
	}
	fmt.Println("won", c.Record().ID)
	_, _ = io.Copy(io.Discard, in)
	return c.Close()
}

// serve has c listen, answer if it is to, and published.
func serve(c *Claim, answer bool) error {
	l, err := c.Listen()
	if err != nil {
		return err
	}
	if answer {
		mux := http.NewServeMux()
		mux.Handle(IDPath, c.Identify())
		go http.Serve(l, mux) // until c is closed
	}
	return c.Publish("127.0.0.1:7777", false)
}

// process is a host that runs.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func run(t *testing.T, as, dir, workspace string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), role+"="+as, roleDir+"="+dir, roleSpace+"="+workspace)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd, in, bufio.NewReader(out)}
	t.Cleanup(func() { p.kill() })
	return p
}

// begin has it claim.
func (p *process) begin(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(p.in, "begin\n"); err != nil {
		t.Fatal(err)
	}
}

// told is what it tells: "won" or "taken", and an ID.
func (p *process) told(t *testing.T) (what, id string) {
	t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatalf("a host told nothing: %v", err)
	}
	what, id, _ = strings.Cut(strings.TrimSpace(line), " ")
	return what, id
}

// won has it claim and win.
func (p *process) won(t *testing.T) (id string) {
	t.Helper()
	p.begin(t)
	what, id := p.told(t)
	if what != "won" {
		t.Fatalf("a host alone: got %s %s, want it to win", what, id)
	}
	return id
}

// end lets it end as it should.
func (p *process) end(t *testing.T) {
	t.Helper()
	p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("a host that is to end: got %v, want success", err)
	}
}

// kill ends it at once.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}
