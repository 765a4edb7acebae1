package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
)

// checking is what check is asked to do.
type checking struct {
	dirs      []string
	recursive bool
	strict    bool
	fresh     bool
	verbose   bool
}

func (c *call) check() *cobra.Command {
	var o checking
	cmd := &cobra.Command{
		Use:   "check [DIR…]",
		Short: "Check extensions without using them",
		Long: `Read extensions and say what is wrong with them. Without DIR: everything that the
workspace's configuration names. With DIR: each directory as one extension, or with
--recursive every extension below it, whatever workspace it lies in.

Each extension is judged alone and no state is read: nothing is pending or disabled.
Nothing is started or contacted. The exit code is 1 when there are errors.

With --recursive what was read is remembered in the cache directory, so that the
next look reads what has changed; --fresh reads everything.`,
		Example: "mortise check\nmortise check ./plugins/acme\nmortise check --recursive --strict .",
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(args, "") {
				return usage("mortise check: one DIR is empty; name a directory, or leave it out")
			}
			o.dirs = args
			return c.runCheck(cmd.Context(), o)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.recursive, "recursive", false, "check every extension below each DIR; without DIR below the current directory")
	f.BoolVar(&o.strict, "strict", false, "let warnings fail the check as well")
	f.BoolVar(&o.fresh, "fresh", false, "read everything anew, whatever was read before")
	verboseFlag(cmd, &o.verbose)
	return cmd
}

func (c *call) runCheck(ctx context.Context, o checking) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	cfg, _, err := p.Configure(nil)
	if err != nil {
		return err
	}
	l, err := c.inspect(ctx, p, cfg, o)
	if err != nil {
		return err
	}
	if c.json {
		err = c.document(l)
	} else {
		c.page(cfg).check(l, rootsOf(l, c), o.verbose)
	}
	if err == nil && l.Failed(o.strict) {
		err = errNo
	}
	return err
}

func (c *call) inspect(ctx context.Context, p host.Place, cfg *config.Config, o checking) (*host.Listing, error) {
	if len(o.dirs) == 0 && o.recursive {
		o.dirs = []string{"."}
	}
	if len(o.dirs) == 0 {
		return c.CheckWorkspace(ctx, p)
	}
	in := host.Inspection{
		Recursive: o.recursive, Whole: cfg.Trust.Whole,
		Limits: cfg.Limits.Bounds(),
	}
	for _, dir := range o.dirs {
		abs, err := c.directory(dir)
		if err != nil {
			return nil, err
		}
		in.Dirs = append(in.Dirs, abs)
	}
	if o.recursive && !o.fresh {
		in.Index = filepath.Join(p.Paths.Cache, "index")
	}
	counter, clear := c.progress()
	defer clear()
	in.Progress = counter
	return c.Check(ctx, in)
}

// directory is the absolute path of a directory that must be there.
func (c *call) directory(dir string) (string, error) {
	abs, err := c.from(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("check %s: there is no such directory", quote(dir))
	case err != nil:
		return "", fmt.Errorf("check %s: %w", quote(dir), err)
	case !info.IsDir():
		return "", fmt.Errorf("check %s: it is not a directory; name the directory that holds the extension", quote(dir))
	}
	return abs, nil
}
