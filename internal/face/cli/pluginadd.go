package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/roster"
)

func (c *call) pluginAdd() *cobra.Command {
	var w roster.Wish
	var scope string
	cmd := &cobra.Command{
		Use:   "add SOURCE",
		Short: "Install a plugin from a repository, a directory or an archive",
		Long: `Install a plugin. SOURCE is OWNER/REPO of GitHub, any address that git takes, with #REF
or @REF behind it; a directory of this machine, which is linked and never copied; or an
archive of a release, with its SHA-256.

The plugin goes by the name that it gives itself, or by --name. It is composed with all
that is in use before it counts: one that would be refused is not installed. Nothing of
it is started: mortise approve shows what wants to run.`,
		Example: "mortise plugin add acme/tools\nmortise plugin add https://example.org/acme/tools.git --ref v2 --path plugins/search\nmortise plugin add ./plugins/mine\nmortise plugin add ./acme-2.0.tar.gz --sha256 9f86d081…",
		Args:    one("SOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return c.plugins(ctx, host.Changing, func(p host.Place, r *roster.Roster) (err error) {
				var l *host.Listing
				c.tries(p, r, &l)
				if w.Scope, err = scoped(p, scope); err != nil {
					return err
				}
				w.Source, w.Dir, w.Manifests = args[0], c.Dir, c.Manifests
				w.NameIn = func(dir string) string { return c.Labelled(ctx, dir) }
				progress, clear := c.fetching()
				w.Progress = progress
				i, err := r.Add(ctx, w)
				clear()
				if err != nil {
					return err
				}
				row := c.row(p, &i, l)
				if c.json {
					return c.document(map[string]any{"plugin": row})
				}
				c.page(nil).added(&row, l, c.nextFlag(p.Workspace.Dir))
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&w.Ref, "ref", "", "the branch, tag or commit `REF`; without it what the source names, else its default branch")
	f.StringVar(&w.Within, "path", "", "the plugin's directory `DIR` within the source")
	f.StringVar(&w.Name, "name", "", "the `NAME` that it goes by here")
	f.StringVar(&w.SHA256, "sha256", "", "the SHA-256 of an archive, in hexadecimal `DIGITS`")
	f.StringVar(&scope, "scope", "user", "`WHO` gets it: user, in all workspaces, or workspace, in this one")
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{"user", "workspace"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// added tells what was installed, and what to do next.
func (p *page) added(r *pluginRow, l *host.Listing, flag string) {
	p.line("%s is installed: %s.", p.bold(ext.Escape(r.Name)), ext.Escape(r.what()))
	p.line("  %s %s", p.dim("read from:"), ext.Escape(r.Root))
	if l == nil {
		return
	}
	surfaces := map[string]int{}
	for _, e := range l.Entries {
		if e.Extension == r.Name {
			surfaces[e.Surface]++
		}
	}
	for _, s := range p.call.surfaces() {
		if n := surfaces[s]; n > 0 {
			p.line("  %s", count(n, s))
		}
	}
	switch r.Status {
	case "pending":
		p.line("It waits for your consent: mortise %strust shows what to, or mortise %sapprove.", flag, flag)
	case "disabled":
		p.line("It is disabled: mortise %splugin enable %s.", flag, word(r.Name))
	}
	for _, f := range l.Findings {
		if f.Extension == r.Name && f.Severity != ext.Info.String() {
			p.line("  %s %s", p.dim(f.Severity+":"), ext.Escape(f.Message))
		}
	}
}

// fetching shows on standard error how far a repository is, where that is a terminal.
// clear takes it away again.
func (c *call) fetching() (progress func(git.Progress), clear func()) {
	if !c.Watched {
		return nil, func() {}
	}
	shown := false
	progress = func(at git.Progress) {
		shown = true
		if at.Total > 0 {
			fmt.Fprintf(c.Err, "\r\x1b[Kmortise: %s %s of %s", at.Phase, grouped(at.Done), grouped(at.Total))
			return
		}
		fmt.Fprintf(c.Err, "\r\x1b[Kmortise: %s %s", at.Phase, grouped(at.Done))
	}
	return progress, func() {
		if shown {
			fmt.Fprint(c.Err, "\r\x1b[K")
		}
	}
}

func keptPaths(kept []checkout.Kept) (paths []string) {
	for _, k := range kept {
		paths = append(paths, k.Path)
	}
	return paths
}
