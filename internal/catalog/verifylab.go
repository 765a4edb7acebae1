package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/dialect"
	"github.com/mortise-dev/mortise/internal/driver/command"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/substrate/doctor"
)

// lab is a temporary folder in which claims are tried with the real parts: workspaces with
// a home of their own.
type lab struct {
	dir string
	env []string

	mu      sync.Mutex
	closing []func() error // the last one first

	guarding func() (*guarded, error)
}

// marker is a variable of ours that nothing that is started may see; declared is one that
// it is given.
const (
	marker   = "VERIFY_MARKER_OF_MORTISE"
	declared = "VERIFY_DECLARED_BY_MORTISE"
)

func newLab(env []string) (*lab, error) {
	dir, err := os.MkdirTemp("", "mortise-verify-*")
	if err != nil {
		return nil, fmt.Errorf("make a folder to try things in: %w", err)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	l := &lab{dir: dir, env: command.Environment(env, marker+"=seen")}
	l.guarding = sync.OnceValues(l.newGuarded)
	return l, nil
}

// close takes everything away again, whatever fails.
func (l *lab) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for i := len(l.closing) - 1; i >= 0; i-- {
		errs = append(errs, l.closing[i]())
	}
	l.closing = nil
	return errors.Join(append(errs, os.RemoveAll(l.dir))...)
}

func (l *lab) atEnd(do func() error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closing = append(l.closing, do)
}

// file is a file of the lab.
func (l *lab) file(name string) string { return filepath.Join(l.dir, filepath.FromSlash(name)) }

// write writes files, below the lab's folder. Scripts are programs.
func (l *lab) write(files map[string]string) error {
	for name, text := range files {
		at, mode := l.file(name), os.FileMode(0o600)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o700
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(at, []byte(text), mode); err != nil {
			return err
		}
	}
	return nil
}

// place is a workspace of the lab, with a home that nothing else has.
func (l *lab) place(name string) (host.Place, error) {
	w, err := config.FindWorkspace(l.dir, l.file(name))
	home := func(part string) string { return l.file(name + ".home/" + part) }
	return host.Place{Workspace: w, Env: l.env, Paths: config.Paths{
		State: home("state"), Data: home("data"), Cache: home("cache"), User: home("config.toml"),
	}}, err
}

// open is a host of a workspace of the lab; adopted: its person adopted what is there.
func (l *lab) open(ctx context.Context, name string, adopted bool) (host.Place, *host.Host, error) {
	p, err := l.place(name)
	if err != nil {
		return p, nil, err
	}
	h, done, err := Open(ctx, p, host.Serving, nil)
	if err != nil {
		return p, nil, err
	}
	l.atEnd(done)
	if adopted {
		shown, _, err := h.Propose(ctx)
		if err == nil {
			err = h.Adopt(ctx, "verify", shown)
		}
		if err != nil {
			return p, nil, err
		}
	}
	_, err = h.Refresh(ctx)
	return p, h, err
}

// guarded is a workspace whose plugin guards a client's shell.
type guarded struct {
	host *host.Host
	dir  string // where its guard writes
}

// guardScript does what the call that it guards says. On the late tool's calls, it has
// lateAfter seconds.
const guardScript = `#!/bin/sh
at=%s
case "$(cat)" in
*call-crash*) kill -9 $$ ;;
*call-late*) exec sleep 300 ;;
*call-odd*) echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": 7}}' ;;
*call-env*) env > "$at/guard.env" ;;
*call-leave*) (sleep 300 & kill -0 $! && echo $! > "$at/left.pid") ;;
esac
exit 0
`

const (
	usualTool = "Bash"
	lateTool  = "WebFetch"
	lateAfter = 4
)

func (l *lab) newGuarded() (*guarded, error) {
	if err := shells(); err != nil {
		return nil, err
	}
	line := func(tool string, seconds int) string {
		return fmt.Sprintf(`{"matcher": %q, "hooks": [{"type": "command", "timeout": %d, "command": "sh \"${CLAUDE_PLUGIN_ROOT}/guard.sh\""}]}`, tool, seconds)
	}
	err := l.write(map[string]string{
		"guarded/mortise.toml":                    "[plugins.acme]\npath = \"./acme\"\n",
		"guarded/acme/.claude-plugin/plugin.json": `{"name": "acme", "description": "Guards."}`,
		"guarded/acme/hooks/hooks.json":           `{"hooks": {"PreToolUse": [` + line(usualTool, 30) + ", " + line(lateTool, lateAfter) + `]}}`,
		"guarded/acme/guard.sh":                   fmt.Sprintf(guardScript, quoted(l.dir)),
	})
	if err != nil {
		return nil, err
	}
	_, h, err := l.open(context.Background(), "guarded", true)
	return &guarded{h, l.dir}, err
}

// calls tells the guards of a call of a client's own tool, and reports whether it may be
// made.
func (g *guarded) calls(ctx context.Context, tool, what string) (bool, error) {
	text := fmt.Sprintf(`{"session_id": "verify", "cwd": %q, "hook_event_name": "PreToolUse", "tool_name": %q, "tool_input": {"command": %q, "url": "https://mortise.invalid/%s", "prompt": %q}}`, g.dir, tool, what, what, what)
	e, err := dialect.Read(dialect.ClaudeCode, "PreToolUse", []byte(text))
	if err != nil {
		return false, err
	}
	a, err := g.host.Happen(ctx, &e)
	g.host.Watchers()
	return err == nil && a.Verdict < dialect.Ask, err
}

// shells is why no script can be run here.
func shells() error {
	if runtime.GOOS == "windows" || command.Shell(false) != nil {
		return fmt.Errorf("%w: no shell is here that scripts could be run by", doctor.ErrMoot)
	}
	return nil
}

// quoted is a text as a shell takes it for one word.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
