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
	"github.com/mortise-dev/mortise/internal/conform"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/root"
)

// checking is what check is asked to do.
type checking struct {
	dirs      []string
	format    string
	recursive bool
	strict    bool
	fresh     bool
	fix       bool
	dry       bool
	sarif     bool
	verbose   bool
	as        *root.Changes // looks at what would be there; nil: at what is
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

Without DIR the budgets of [context] are judged as mortise list does, of what is
built in as well, but whatever servers said of themselves and whatever was disabled
here: the outcome is the same on every machine.

--format NAME judges DIR as that format and its client would: it must be laid out
so, what the client refuses is an error, and what it takes is none. --strict makes
an error of every warning, and of everything that reading recovered from.

--fix mends what takes no judgement and shows the changes: in the owner's directory
of an adopted workspace, or in each DIR; never in a plugin's directory, and never
through a link that leads elsewhere. --dry-run shows what --fix would do and leave,
and writes nothing. The exit code is about what is left; it is 3 when a file could
not be written.

With --recursive what was read is remembered in the cache directory, so that the
next look reads what has changed; --fresh reads everything.`,
		Example: "mortise check\nmortise check ./plugins/acme\nmortise check --recursive --strict .\n" +
			"mortise check --format claude ./plugins/acme\nmortise check --fix --dry-run .mortise\nmortise check --recursive --sarif . > findings.sarif",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dirs = args
			if err := c.checkable(o); err != nil {
				return err
			}
			return c.runCheck(cmd.Context(), o)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "judge each DIR as the format `NAME` and its client would: "+either(conform.Names()))
	f.BoolVar(&o.recursive, "recursive", false, "check every extension below each DIR; without DIR below the current directory")
	f.BoolVar(&o.strict, "strict", false, "let warnings, and whatever was recovered from, be errors")
	f.BoolVar(&o.fresh, "fresh", false, "read everything anew, whatever was read before")
	f.BoolVar(&o.fix, "fix", false, "mend what takes no judgement, and show the changes")
	f.BoolVar(&o.dry, "dry-run", false, "with --fix: show the changes and write nothing")
	f.BoolVar(&o.sarif, "sarif", false, "write the findings as one SARIF 2.1.0 document")
	verboseFlag(cmd, &o.verbose)
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(conform.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// checkable is why check cannot be asked that, nil when it can.
func (c *call) checkable(o checking) error {
	switch {
	case slices.Contains(o.dirs, ""):
		return usage("mortise check: one DIR is empty; name a directory, or leave it out")
	case o.sarif && c.json:
		return usage("--sarif and --json exclude each other: each is one document")
	case o.sarif && o.fix:
		return usage("--sarif and --fix exclude each other; fix first, then write what is left")
	case o.dry && !o.fix:
		return usage("--dry-run is for --fix")
	case o.fix && o.recursive && len(o.dirs) == 0:
		return usage("--fix --recursive needs a DIR: what is to be written must be named")
	case o.format == "":
		return nil
	case len(o.dirs) == 0 && !o.recursive:
		return usage("--format judges directories; name a DIR")
	}
	if _, known := conform.Named(o.format); !known {
		return unknown("format", o.format, conform.Names(), "there are "+enumerate(conform.Names()))
	}
	return nil
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
	if o.fix {
		return c.mend(ctx, p, cfg, o, l)
	}
	if o.strict {
		l.Strict()
	}
	switch {
	case o.sarif:
		err = c.document(c.sarif(l, p, o))
	case c.json:
		err = c.document(l)
	default:
		c.page(cfg).check(l, rootsOf(l, c), o.verbose)
	}
	if err == nil && l.Failed() {
		err = errNo
	}
	return err
}

func (c *call) inspect(ctx context.Context, p host.Place, cfg *config.Config, o checking) (*host.Listing, error) {
	if len(o.dirs) == 0 && o.recursive {
		o.dirs = []string{"."}
	}
	if len(o.dirs) == 0 {
		return c.inspectAll(ctx, p, cfg, o)
	}
	in := host.Inspection{
		Recursive: o.recursive, Whole: cfg.Trust.Whole,
		Limits: cfg.Limits.Bounds(), Changes: o.as, Uncosted: !c.json,
	}
	for _, dir := range o.dirs {
		abs, err := c.directory(dir)
		if err != nil {
			return nil, err
		}
		in.Dirs = append(in.Dirs, abs)
	}
	if o.format != "" {
		in.Profile, _ = conform.Named(o.format)
	}
	if o.recursive && !o.fresh && o.as == nil {
		in.Index = filepath.Join(p.Paths.Cache, "index")
	}
	counter, clear := c.progress()
	defer clear()
	in.Progress = counter
	return c.Check(ctx, in)
}

// inspectAll looks at everything that the configuration names. Its budgets are
// for all that an agent carries, what is built in included.
func (c *call) inspectAll(ctx context.Context, p host.Place, cfg *config.Config, o checking) (*host.Listing, error) {
	l, err := c.CheckWorkspace(ctx, p, o.as)
	if err != nil {
		return nil, err
	}
	var builtin []host.EntryRow
	if cfg.Context.Budget > 0 {
		g, err := c.lookAt(ctx, p)
		if err != nil {
			return nil, err
		}
		builtin = g.Listing().Builtin()
	}
	l.Budget(cfg, builtin...)
	return l, nil
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
