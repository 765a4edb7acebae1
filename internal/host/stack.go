package host

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/substrate/box"
	"github.com/mortise-dev/mortise/internal/substrate/stack"
)

// What faces show of the stack and the box, which they know from here.
type (
	// Stack is the compose files of the worktree, in order.
	Stack = stack.Stack
	// StackNamed is a compose file as something names it.
	StackNamed = stack.Named
	// StackOut is a compose file that is not in the list.
	StackOut = stack.Out
	// MergedStack is what the compose files say together.
	MergedStack = stack.Merged
	// StackPlace is a line of a compose file.
	StackPlace = stack.Place
	// Box is what the box of the worktree is made with.
	Box = box.Box
	// BoxRow is one thing that it is made with.
	BoxRow = box.Row
)

// StackChecks lists what making a stack and a box can find, for the docs.
var StackChecks = slices.Concat(stack.Checks, box.Checks)

// Stack is the compose files of the worktree in the mode that it is in. It is refused where
// what the files are is not known: in a workspace that nobody adopted, and where a file of
// the configuration is broken.
func (h *Host) Stack(ctx context.Context, g *Generation, env []string) (*Stack, error) {
	if err := g.settled("stack"); err != nil {
		return nil, err
	}
	compose, _ := g.Config.Explain("stack.compose")
	return stack.Of(ctx, g.Plan(ctx, h.Mode(ctx, g).Mode), stack.Inputs{Compose: compose, Env: env})
}

// Box is what the box of the worktree is made with. It is refused as Stack is.
func (h *Host) Box(ctx context.Context, g *Generation, p Place) (*Box, error) {
	if err := g.settled("box"); err != nil {
		return nil, err
	}
	return box.Of(ctx, g.Plan(ctx, h.Mode(ctx, g).Mode), box.Inputs{Home: homeOf(p.Env), Paths: p.Paths, Env: p.Env})
}

// ErrNotAdopted is why a workspace has neither stack nor box yet.
var ErrNotAdopted = errors.New("the workspace is not adopted")

// settled is an error where what the workspace wants is not known.
func (g *Generation) settled(what string) error {
	if !g.Adopted {
		return ext.AsRefused(fmt.Errorf("%w, so that it has no %s: mortise trust shows what would run, and adopts it", ErrNotAdopted, what))
	}
	if broken := g.Config.Broken(); len(broken) > 0 {
		return ext.AsRefused(fmt.Errorf("the configuration (%s) has errors, so that the %s is not known: mortise check --recursive shows them", broken[0], what))
	}
	return nil
}

// homeOf is the person's home directory; "" where the environment names none.
func homeOf(env []string) string {
	name, home := "HOME", ""
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	for _, kv := range env {
		if n, v, ok := strings.Cut(kv, "="); ok && n == name {
			home = v
		}
	}
	return home
}
