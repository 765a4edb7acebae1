package cli

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
)

// call is one run of one command: the program, the flags that every command
// takes, and what it has to say. Results are kept until the command is done, so
// that nobody reads half a document.
type call struct {
	*App
	out bytes.Buffer

	workspace string // --workspace
	color     string // --color; "" when it was not given
	json      bool   // --json
}

// place finds the workspace that the command is about.
func (c *call) place() (host.Place, error) {
	explicit := c.workspace
	if explicit == "" {
		explicit = c.getenv(config.WorkspaceVariable)
	}
	return c.placeAt(explicit)
}

// placeAt is the place of a workspace that is named; "" looks for one.
func (c *call) placeAt(explicit string) (host.Place, error) {
	paths, err := config.Home(c.Env)
	if err != nil {
		return host.Place{}, ext.AsUsage(err)
	}
	if _, err := c.from(explicit); err != nil {
		return host.Place{}, err
	}
	w, err := config.FindWorkspace(c.Dir, explicit)
	return host.Place{Workspace: w, Paths: paths, Env: c.Env}, err
}

// placeFrom is the place of the workspace that a directory is in.
func (c *call) placeFrom(dir string) (host.Place, error) {
	paths, err := config.Home(c.Env)
	if err != nil {
		return host.Place{}, ext.AsUsage(err)
	}
	w, err := config.FindWorkspace(dir, "")
	return host.Place{Workspace: w, Paths: paths, Env: c.Env}, err
}

// from is where a path leads that a person wrote: it starts at the current
// directory, which only a relative one needs.
func (c *call) from(path string) (string, error) {
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	if c.NoDir != nil {
		return "", fmt.Errorf("the current directory cannot be told (%w); go to another one, or give absolute paths: --workspace DIR", c.NoDir)
	}
	return filepath.Join(c.Dir, path), nil
}

// look makes the generation of the workspace and writes nothing.
func (c *call) look(ctx context.Context) (*host.Generation, error) {
	p, err := c.place()
	if err != nil {
		return nil, err
	}
	return c.lookAt(ctx, p)
}

func (c *call) lookAt(ctx context.Context, p host.Place) (g *host.Generation, err error) {
	err = c.with(ctx, p, host.Looking, func(h *host.Host) (err error) {
		g, err = h.Refresh(ctx)
		return err
	})
	return g, err
}

// with calls do with a host of the place.
func (c *call) with(ctx context.Context, p host.Place, purpose host.Purpose, do func(*host.Host) error) (err error) {
	h, done, err := c.Open(ctx, p, purpose)
	if err != nil {
		return err
	}
	defer func() {
		if closing := done(); err == nil {
			err = closing
		}
	}()
	return do(h)
}

// flush writes what the command had to say.
func (c *call) flush() error {
	_, err := c.Out.Write(c.out.Bytes())
	c.out = bytes.Buffer{} // what serves goes on for long, and a listing may be large
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// getenv is a variable of the environment, the last of several; "" is unset.
func (c *call) getenv(name string) (value string) {
	for _, kv := range c.Env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// shown is a path as a person at the current directory would write it, escaped:
// relative where it is near, absolute where it is not.
func (c *call) shown(path string) string {
	const near = 3 // directories up
	if rel, err := filepath.Rel(c.Dir, path); err == nil {
		slashed := filepath.ToSlash(rel)
		if !strings.HasPrefix(slashed, strings.Repeat("../", near+1)) && len(rel) < len(path) {
			return ext.Escape(slashed)
		}
	}
	return ext.Escape(filepath.ToSlash(path))
}

// directoryShown is shown for a directory, which is no single dot.
func (c *call) directoryShown(dir string) string {
	if s := c.shown(dir); s != "." {
		return s
	}
	return ext.Escape(filepath.ToSlash(dir))
}
