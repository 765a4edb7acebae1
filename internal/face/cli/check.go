package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
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
Nothing is started or contacted. The exit code is 1 when there are errors.`,
		Example: "mortise check\nmortise check ./plugins/acme\nmortise check --recursive --strict .",
		RunE: func(cmd *cobra.Command, args []string) error {
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
	cfg, err := p.configure()
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

func (c *call) inspect(ctx context.Context, p Place, cfg *config.Config, o checking) (*host.Listing, error) {
	if len(o.dirs) == 0 && o.recursive {
		o.dirs = []string{"."}
	}
	if len(o.dirs) == 0 {
		return c.CheckWorkspace(ctx, p)
	}
	in := Inspection{
		Recursive: o.recursive, Whole: cfg.Trust.Whole,
		Limits: ext.Limits{FileBytes: int64(cfg.Limits.FileBytes), Files: cfg.Limits.Files, Depth: cfg.Limits.Depth},
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
	abs := dir
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(c.Dir, dir)
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
	return filepath.Clean(abs), nil
}

// check shows what there is to say about each extension, then the totals.
func (p *page) check(l *host.Listing, r roots, verbose bool) {
	said, has := false, holdingsOf(l)
	for _, g := range grouping(l) {
		said = p.group(g, has, r, verbose) || said
	}
	if said {
		p.gap()
	}
	p.codes(l.Findings, verbose)
	p.totals(l)
	p.line("%s", tally(l.Findings).text(verbose))
}

// group is the findings of one extension, or of none.
type group struct {
	extension *host.ExtensionRow // nil: of none
	findings  []host.FindingRow
}

// grouping sorts findings by extension, in the order of the extensions; those
// of none come first.
func grouping(l *host.Listing) []group {
	type key struct{ name, root string }
	groups := []group{{}}
	at := map[key]int{}
	for i := range l.Extensions {
		x := &l.Extensions[i]
		at[key{x.Name, x.Root}] = len(groups)
		at[key{x.Name, ""}] = len(groups)
		groups = append(groups, group{extension: x})
	}
	for _, f := range l.Findings {
		g := &groups[at[key{f.Extension, f.Root}]]
		g.findings = append(g.findings, f)
	}
	return groups
}

// group shows the findings of one extension, and reports whether there was
// anything to show.
func (p *page) group(g group, has holdings, r roots, verbose bool) bool {
	shown := g.findings
	if !verbose {
		shown = slices.DeleteFunc(slices.Clone(shown), func(f host.FindingRow) bool { return f.Severity == ext.Info.String() })
	}
	if len(shown) == 0 {
		return false
	}
	if p.call.out.Len() > 0 {
		p.gap()
	}
	if x := g.extension; x != nil {
		about := format(*x) + ", " + has.of(x, p.call)
		if bad := incomplete(x); bad != "" {
			about += ", " + bad
		}
		p.line("%s  %s  %s", p.bold(r.at(p.call, x.Name, x.Root, "", 0)), p.style.status(x.Status), p.dim(about))
	} else {
		p.line("%s", p.bold("Of no extension"))
	}
	for _, f := range shown {
		p.finding(f, r)
	}
	return true
}

// codes counts findings by what they are, the worst and most frequent first.
func (p *page) codes(rows []host.FindingRow, verbose bool) {
	type code struct{ severity, code string }
	n := map[code]int{}
	for _, f := range rows {
		if verbose || f.Severity != ext.Info.String() {
			n[code{f.Severity, f.Code}]++
		}
	}
	sorted := slices.SortedFunc(maps.Keys(n), func(a, b code) int {
		return cmp.Or(cmp.Compare(rank(a.severity), rank(b.severity)), cmp.Compare(n[b], n[a]), cmp.Compare(a.code, b.code))
	})
	if len(sorted) == 0 {
		return
	}
	var t table
	for _, k := range sorted {
		t.row(cell{fmt.Sprintf("%6d", n[k]), nil}, cell{k.severity, p.severity}, cell{k.code, nil})
	}
	t.write(p)
	p.gap()
}

// rank is the place of a severity, the worst first.
func rank(severity string) int {
	return slices.Index([]string{ext.Error.String(), ext.Warning.String(), ext.Info.String()}, severity)
}
