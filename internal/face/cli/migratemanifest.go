package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/colony/scribe"
	"github.com/mortise-dev/mortise/internal/git"
)

// committing is as whom, and where, something is committed in a design monorepo.
type committing struct {
	as       scribe.As
	branch   string
	unsigned bool
}

// flags are those of every command that commits there.
func (o *committing) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.as.Name, "as", "", "commit as the agent `NAME`")
	f.StringVar(&o.as.Role, "role", "", "the `ROLE` of that agent; without it agent")
	f.StringVar(&o.as.Colony, "colony", "", "the colony `ID` of that agent; without it the manifest's")
	f.StringVar(&o.branch, "branch", "", "commit on this branch `NAME` and leave the working tree alone; one that is not there begins at what is checked out")
	f.BoolVar(&o.unsigned, "unsigned", false, "leave out the signature that your git is configured to make")
}

// whom demands to know as whom, and refuses a branch that is named with nothing.
func (o *committing) whom(cmd *cobra.Command) error {
	if o.as.Name == "" {
		return usage("%s: say as whom to commit, with --as NAME", cmd.CommandPath())
	}
	if cmd.Flag("branch").Changed && o.branch == "" {
		return usage("%s: --branch names no branch", cmd.CommandPath())
	}
	return nil
}

// onBranch is where a commit is, in words; "" is what is checked out without a branch.
func onBranch(name string) string {
	if name == "" {
		return "what is checked out"
	}
	return ext.Escape(name)
}

func (c *call) migrateManifest() *cobra.Command {
	var with committing
	var dry, commit bool
	cmd := &cobra.Command{
		Use:   "manifest [DIR]",
		Short: "Bring the manifest of a design monorepo to the version of this build",
		Long: fmt.Sprintf(`Bring .colony/manifest.json in DIR, or in the workspace, to version %d. What it says is
kept, also directories of its own; keys are sorted. One that is of that version already
is left alone, and so the command may be repeated.

With --commit the manifest is committed, and nothing else, whatever is changed or staged
besides. When that fails the file is what it was. A manifest that was migrated earlier and
not committed is committed now, if it is nothing but what migrating the committed one
makes. A branch that the manifest protects takes no commit: name another with --branch.
Hooks and filters of the repository do not run.`, colony.Version),
		Example: "mortise migrate manifest --dry-run\nmortise migrate manifest --commit --as ops --role migrator\nmortise migrate manifest --commit --as ops --role migrator --branch colony/v2",
		Args:    upTo(1, "argument"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := onlyWithCommit(cmd, commit); err != nil {
				return err
			}
			if commit {
				if err := with.whom(cmd); err != nil {
					return err
				}
			}
			dir, err := c.monorepo(args)
			if err != nil {
				return err
			}
			o := scribe.Migrating{Dir: dir, Dry: dry, Commit: commit, Branch: with.branch, As: with.as, Unsigned: with.unsigned}
			return c.migrateManifestIn(cmd.Context(), o)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would be written")
	cmd.Flags().BoolVar(&commit, "commit", false, "commit the manifest alone; --as says as whom")
	with.flags(cmd)
	return cmd
}

// onlyWithCommit refuses what without --commit means nothing.
func onlyWithCommit(cmd *cobra.Command, commit bool) error {
	for _, name := range []string{"as", "role", "colony", "branch", "unsigned"} {
		if !commit && cmd.Flag(name).Changed {
			return usage("%s: --%s goes with --commit", cmd.CommandPath(), name)
		}
	}
	return nil
}

// monorepo is the design monorepo that a command is about: the one that is named, else the
// workspace.
func (c *call) monorepo(args []string) (string, error) {
	if len(args) > 0 {
		return c.from(args[0])
	}
	p, err := c.place()
	return p.Workspace.Dir, err
}

func (c *call) migrateManifestIn(ctx context.Context, o scribe.Migrating) (err error) {
	if o.Commit {
		if o.Git, err = git.New(git.Options{Env: c.Env}); err != nil {
			return err
		}
	}
	m, err := scribe.Migrate(ctx, o)
	if err != nil {
		return fmt.Errorf("migrate the manifest of %s: %w", ext.Quote(o.Dir), err)
	}
	row := migratedRow{
		Path: scribe.Path, Migrated: m.Migrated, Would: m.Would, Resumed: m.Resumed, From: m.From, To: m.To,
		Commit: m.Commit, Branch: m.Branch, Signed: m.Signed, Changes: append([]colony.Difference{}, m.Changes...), Left: m.Left,
	}
	if c.json {
		return c.document(row)
	}
	c.page(nil).migrated(&row)
	return nil
}

// migratedRow is what became of a migration, as a document.
type migratedRow struct {
	Path     string              `json:"path"`
	Migrated bool                `json:"migrated"`
	Would    bool                `json:"would"`   // there is something to do, or was
	Resumed  bool                `json:"resumed"` // the file was migrated before, and is committed now
	From     int                 `json:"from"`
	To       int                 `json:"to"`
	Commit   string              `json:"commit"` // "" where none was made
	Branch   string              `json:"branch"`
	Signed   bool                `json:"signed"`
	Changes  []colony.Difference `json:"changes"`
	Left     string              `json:"left"` // why it was not committed; "" otherwise
}

func (p *page) migrated(m *migratedRow) {
	verb := "Migrated"
	switch {
	case !m.Would:
		p.line("%s is of version %d already.", m.Path, m.To)
		if m.Left != "" {
			p.line("It was not committed: %s.", m.Left)
		}
		return
	case !m.Migrated:
		verb = "Would migrate"
	case m.Resumed:
		verb = "Migrated before, and committed now:"
	}
	p.line("%s %s from version %d to %d.", verb, m.Path, m.From, m.To)
	for _, d := range m.Changes {
		p.line("  %s  %s", p.dim(ext.Escape(d.Pointer)), ext.Escape(d.Value))
	}
	if m.Commit == "" {
		return
	}
	p.line("Committed %s on %s.", m.Commit[:12], onBranch(m.Branch))
}
