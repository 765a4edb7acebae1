package catalog

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/driver/command"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/host"
)

// asking reports whether this program was started by one that is asked something.
func asking(env []string) bool {
	return slices.ContainsFunc(env, func(kv string) bool {
		return strings.HasPrefix(kv, host.WithinGuard+"=") || strings.HasPrefix(kv, host.WithinHook+"=")
	})
}

// programs runs the programs of guards and hooks. They get a documented part of the host's
// environment, and what is theirs.
func programs(env []string) guard.Runner {
	var ours []string
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); name == config.HomeVariable {
			ours = append(ours, kv)
		}
	}
	return func(ctx context.Context, p guard.Program) (guard.Ran, error) {
		if p.Data != "" { // as it is for servers
			if err := os.MkdirAll(p.Data, 0o700); err != nil {
				return guard.Ran{}, fmt.Errorf("make the directory that its extension may keep things in: %w", err)
			}
		}
		own := append(slices.Concat(p.Env, ours), cmp.Or(p.Within, host.WithinGuard)+"=1")
		c := command.Command{
			Line: p.Line, Dir: p.Dir, Env: command.Environment(env, own...), Stdin: p.Input, Limit: p.Limit,
		}
		if p.Line == "" {
			c.Path, c.Args = p.Argv[0], p.Argv[1:]
		}
		r, err := command.Run(ctx, c)
		return guard.Ran{Exit: r.Exit, Stdout: r.Stdout, Stderr: r.Stderr, Held: r.Left > 0}, err
	}
}
