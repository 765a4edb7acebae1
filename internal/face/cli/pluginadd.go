package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/file"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/roster"
)

func (c *call) pluginAdd() *cobra.Command {
	var o adding
	cmd := &cobra.Command{
		Use:   "add SOURCE",
		Short: "Install a plugin from a repository, a directory or an archive",
		Long: `Install a plugin. SOURCE is OWNER/REPO of GitHub, any address that git takes, with #REF
or @REF behind it; a directory of this machine, which is linked and never copied; or an
archive of a release, a file or an https address, with its SHA-256; or NAME@MARKETPLACE,
where one that the configuration names offers it.

What it needs and is not there is installed as well once you agree, where a marketplace
that is known offers it.

Submodules of its repository are left out and named. With --submodules they and theirs are
fetched as well, each at the commit that is recorded, now and with every update; where one
cannot be fetched, or a rule about sources does not let it in, nothing is installed.

The plugin goes by the name that it gives itself, or by --name. It is composed with all
that is in use before it counts: one that would be refused is not installed. Nothing of
it is started: mortise trust shows what wants to run.`,
		Example: "mortise plugin add acme/tools\nmortise plugin add https://example.org/acme/tools.git --ref v2 --path plugins/search\nmortise plugin add ./plugins/mine\nmortise plugin add code-review@team\nmortise plugin add ./acme-2.0.tar.gz --sha256 9f86d081…",
		Args:    one("SOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.plugins(cmd.Context(), host.Changing, func(p host.Place, r *roster.Roster) error {
				return c.add(cmd.Context(), p, r, args[0], &o)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Ref, "ref", "", "the branch, tag or commit `REF`; without it what the source names, else its default branch")
	f.StringVar(&o.Within, "path", "", "the plugin's directory `DIR` within the source")
	f.BoolVar(&o.Submodules, "submodules", false, "fetch its submodules as well, now and with every update")
	f.StringVar(&o.As, "name", "", "the `NAME` that it goes by here")
	f.StringVar(&o.SHA256, "sha256", "", "the SHA-256 of an archive, in hexadecimal `DIGITS`")
	f.StringVar(&o.noteFile, "note", "", "a `FILE` with the signed note that a rule about the source wants")
	f.BoolVar(&o.needs, "with-dependencies", false, "install what it needs as well, without asking")
	f.StringVar(&o.scope, "scope", "user", "`WHO` gets it: user, in all workspaces, or workspace, in this one")
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{"user", "workspace"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// adding is how a plugin is installed.
type adding struct {
	roster.Wish
	scope    string // user, workspace
	noteFile string
	needs    bool // its person agreed to what it needs
}

// add installs a plugin from where text says, with what it needs.
func (c *call) add(ctx context.Context, p host.Place, r *roster.Roster, text string, o *adding) (err error) {
	var l *host.Listing
	c.tries(p, r, &l)
	w := &o.Wish
	if w.Scope, err = scoped(p, o.scope); err != nil {
		return err
	}
	w.Dir, w.NameIn = c.Dir, func(dir string) string { return c.Labelled(ctx, dir) }
	if err := source(ctx, r, text, w); err != nil {
		return err
	}
	if w.Note, err = c.note(o.noteFile); err != nil {
		return err
	}
	progress, clear := c.fetching()
	w.Progress = progress
	i, err := r.Prepare(ctx, *w)
	clear()
	if err != nil {
		return err
	}
	all, err := c.withNeeds(ctx, p, r, i, o.needs)
	if err == nil {
		all, err = r.Install(ctx, all...)
	}
	if err != nil {
		return err
	}
	rows := make([]pluginRow, len(all))
	for n := range all {
		rows[n] = c.row(p, &all[n], l)
	}
	if c.json {
		return c.document(map[string]any{"plugin": rows[0], "dependencies": rows[1:], "notes": append([]string{}, w.Notes...)})
	}
	view := c.page(nil)
	for n := range rows {
		view.added(&rows[n], l, c.nextFlag(p.Workspace.Dir))
	}
	for _, note := range w.Notes {
		view.line("  %s %s", view.dim("note:"), ext.Escape(note))
	}
	return c.setUpAfter(ctx, p, l, namesOf(rows)...)
}

func namesOf(rows []pluginRow) (names []string) {
	for n := range rows {
		names = append(names, rows[n].Name)
	}
	return names
}

// source takes in where a plugin comes from, as it was written: what a marketplace calls
// it, or its source.
func source(ctx context.Context, r *roster.Roster, text string, w *roster.Wish) error {
	_, err := os.Stat(filepath.Join(w.Dir, text)) // an archive that lies here
	if err == nil || strings.ContainsAny(text, `/\:`) || text == "." || text == ".." {
		w.Source = text
		return nil
	}
	o, err := r.Offers(ctx, text)
	if err != nil {
		return err
	}
	if w.Ref != "" || w.Within != "" || w.SHA256 != "" {
		return usage("--ref, --path and --sha256 are for sources: what %s is, its marketplace says", quote(text))
	}
	w.Offer = o
	return nil
}

// mostNote is the largest note that is read.
const mostNote = 64 << 10

// note is the text of a note in a file; "" where no file is given.
func (c *call) note(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	at, err := c.from(name)
	if err != nil {
		return "", err
	}
	text, err := file.ReadAtMost(at, mostNote)
	if err != nil {
		return "", fmt.Errorf("read the note: %w", err)
	}
	return string(text), nil
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
	waits := slices.ContainsFunc(l.Entries, func(e host.EntryRow) bool { return e.Extension == r.Name && e.Status == "pending" })
	switch {
	case r.Status == "pending" || waits:
		p.line("What it wants to run waits for your consent: mortise %strust shows it.", flag)
	}
	switch r.Status {
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
