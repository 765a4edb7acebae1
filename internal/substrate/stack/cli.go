package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/driver/command"
	"github.com/mortise-dev/mortise/internal/surface"
)

// JSON is the merged document; null where there is none.
func (m *Merged) JSON() json.RawMessage {
	if m.Doc.Kind != ext.Map {
		return json.RawMessage("null")
	}
	return surface.JSON(&m.Doc)
}

// Answer is what the compose CLI says of the files.
type Answer struct {
	Program  string // which was asked
	Findings ext.Findings
}

// programs are the compose CLIs, each with what comes before -f, and what it is tried with.
var programs = []struct {
	name string
	args []string
}{
	{"docker", []string{"compose"}},
	{"docker-compose", nil},
	{"podman-compose", nil},
}

// CheckCLI has the compose CLI read the files and check what they say. It is an error when
// there is none, or it does not end. It starts no service.
func (s *Stack) CheckCLI(ctx context.Context) (*Answer, error) {
	env := s.environ()
	for _, p := range programs {
		if p.name == "docker" && !s.knowsCompose(ctx, env) {
			continue
		}
		r, err := s.run(ctx, env, p.name, slices.Concat(p.args, s.args(), []string{"config"}))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("have %s check the stack: %w", p.name, err)
		}
		a := &Answer{Program: strings.Join(append([]string{p.name}, p.args...), " ")}
		if r.Exit != 0 {
			said := strings.TrimSpace(string(r.Stderr))
			a.Findings.Add(FileFault.At(ext.Origin{}, "%s does not take the files: %s", a.Program, ext.Quote(ext.Shorten(said, 1000))))
		}
		return a, nil
	}
	return nil, errors.New("there is no compose CLI in the PATH: neither docker compose nor docker-compose nor podman-compose")
}

// knowsCompose reports whether docker has the command compose.
func (s *Stack) knowsCompose(ctx context.Context, env []string) bool {
	r, err := s.run(ctx, env, "docker", []string{"compose", "version"})
	return err == nil && r.Exit == 0
}

// args are the files as arguments.
func (s *Stack) args() []string {
	var out []string
	for i := range s.Files {
		out = append(out, "-f", s.Files[i].Path)
	}
	return out
}

func (s *Stack) run(ctx context.Context, env []string, program string, args []string) (command.Result, error) {
	const most = 16 << 20
	return command.Run(ctx, command.Command{Path: program, Args: args, Dir: s.worktree, Env: env, Limit: time.Minute, Most: most})
}

// environ is the environment of a program that is started for the stack: what the person
// exported wins over what follows from the mode.
func (s *Stack) environ() []string {
	var out []string
	for _, from := range []map[string]string{s.derived, s.exported} {
		for name, value := range from {
			out = append(out, name+"="+value)
		}
	}
	slices.Sort(out)
	return out
}
