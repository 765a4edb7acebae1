package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/driver/command"
	"github.com/mortise-dev/mortise/internal/hook/check"
)

const (
	testLimit   = 8 * time.Second
	deepLimit   = 60 * time.Second
	knock       = time.Second // for a port of this machine
	mostOutput  = 64 << 10    // bytes of a command
	shownOutput = 300         // characters of it
)

// Tester tries what checks and claims name. It starts nothing but commands.
type Tester struct {
	Env  []string // where variables and programs are looked up; a command gets the base of it
	Dir  string   // absolute: where commands run, and relative paths begin
	Deep bool     // what takes its time may
}

// Outcome is what came of a test.
type Outcome struct {
	Good bool
	// Moot: it came to neither, so that nothing is proven: a command that could not be
	// started, was late, was killed or wrote too much.
	Moot bool
	Why  string // it did not succeed; may be foreign text
}

func (t *Tester) limit() time.Duration {
	if t.Deep {
		return deepLimit
	}
	return testLimit
}

// Try tries one thing.
func (t *Tester) Try(ctx context.Context, what *check.Test) Outcome {
	switch {
	case what.Program != "":
		_, err := child.Find(what.Program, t.Env)
		return outcome(err)
	case what.Variable != "":
		if variable(t.Env, what.Variable) == "" {
			return Outcome{Why: "the variable " + what.Variable + " is not set"}
		}
		return Outcome{Good: true}
	case what.Path != "":
		_, err := os.Stat(t.below(what.Path))
		return outcome(err)
	case what.Port != 0:
		return outcome(answers(ctx, what.Port))
	}
	return t.run(ctx, what.Command)
}

func outcome(err error) Outcome {
	if err != nil {
		return Outcome{Why: err.Error()}
	}
	return Outcome{Good: true}
}

func (t *Tester) below(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(t.Dir, filepath.FromSlash(path))
}

// answers is why nothing answers at a port of this machine; nil when something does.
func answers(ctx context.Context, port int) (err error) {
	for _, ip := range []string{"127.0.0.1", "::1"} {
		var c net.Conn
		d := net.Dialer{Timeout: knock}
		if c, err = d.DialContext(ctx, "tcp", net.JoinHostPort(ip, strconv.Itoa(port))); err == nil {
			return c.Close()
		}
	}
	return fmt.Errorf("nothing answers at the port %d of this machine", port)
}

// run runs a command, and ends all that it started.
func (t *Tester) run(ctx context.Context, argv []string) Outcome {
	r, err := command.Run(ctx, command.Command{
		Path: argv[0], Args: argv[1:], Dir: t.Dir, Env: command.Environment(t.Env), Limit: t.limit(), Most: mostOutput,
	})
	var failed *command.Error
	switch {
	case errors.As(err, &failed):
		return Outcome{Moot: true, Why: spoken(failed.Error(), failed.Stderr, failed.Stdout)}
	case err != nil:
		return Outcome{Moot: true, Why: err.Error()}
	case r.Exit != 0:
		return Outcome{Why: spoken(fmt.Sprintf("it ended with %d", r.Exit), r.Stderr, r.Stdout)}
	}
	return Outcome{Good: true}
}

// spoken is what became of a command, with the end of what it wrote.
func spoken(what string, outputs ...[]byte) string {
	for _, o := range outputs {
		text := strings.Join(strings.Fields(strings.ToValidUTF8(string(o), "�")), " ")
		if text == "" {
			continue
		}
		if all := []rune(text); len(all) > shownOutput {
			text = "…" + string(all[len(all)-shownOutput:])
		}
		return what + ": " + ext.Escape(text)
	}
	return what
}

// variable is the value of a variable; the last of several counts.
func variable(env []string, name string) (value string) {
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			value = v
		}
	}
	return value
}
