package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/roster"
)

func (c *call) pluginLock() *cobra.Command {
	return &cobra.Command{
		Use:   "lock",
		Short: "Write what is installed for this workspace into " + roster.LockFile,
		Long: `Write what is installed for this workspace, with exact commits and the digests of what
they hold, into ` + roster.LockFile + ` at its top, for you to commit. mortise plugin sync makes another
machine match it. What is installed for all workspaces is not written, and directories and
archives of this machine cannot be: they are named.`,
		Args: upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.plugins(cmd.Context(), host.Looking, func(p host.Place, r *roster.Roster) error {
				s, err := r.Store.Load(cmd.Context())
				if err != nil {
					return err
				}
				before, err := roster.ReadLock(p.Workspace.Dir)
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					return ext.AsRefused(fmt.Errorf("%w; mend it, or move it away", err))
				}
				locked, left := roster.Lockable(s.Roster, p.Workspace.ID, before)
				changed, err := roster.WriteLock(p.Workspace.Dir, locked)
				if err != nil {
					return err
				}
				names := []string{}
				for _, i := range left {
					names = append(names, string(i.Name))
				}
				if c.json {
					return c.document(map[string]any{"file": roster.LockFile, "plugins": len(locked), "changed": changed, "left": names})
				}
				view := c.page(nil)
				view.line("%s has %s%s.", roster.LockFile, count(len(locked), "plugin"), map[bool]string{false: ", as before"}[changed])
				if len(left) > 0 {
					view.line("  %s %s, from this machine alone", view.dim("left out:"), ext.Escape(enumerate(names)))
				}
				return nil
			})
		},
	}
}

// driftRow is one way in which a machine differs from a lock file, as a document.
type driftRow struct {
	Name  string `json:"name"`
	Is    string `json:"is"`   // the commit that is installed; "" is none
	Want  string `json:"want"` // the commit that the lock file has; "" is none
	Text  string `json:"text"`
	Done  bool   `json:"done"`
	Setup string `json:"setup"` // how its set-up steps stand then, as plugin list has it
	Error string `json:"error,omitempty"`

	err error
}

func (c *call) pluginSync() *cobra.Command {
	var yes, check bool
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Make what is installed match " + roster.LockFile,
		Long: `Make what is installed for this workspace match ` + roster.LockFile + `: exactly its commits, with
exactly the digests that it has. What would change is listed, and you are asked once;
--yes answers that, and without a terminal it is needed. What is installed for this
workspace and is not in the file is removed from it, but for directories of yours.

Nothing is started by that: what wants to run waits for mortise trust.`,
		Example: "mortise plugin sync\nmortise plugin sync --check",
		Args:    upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			purpose := host.Changing
			if check {
				purpose = host.Looking
			}
			return c.plugins(cmd.Context(), purpose, func(p host.Place, r *roster.Roster) error {
				locked, err := roster.ReadLock(p.Workspace.Dir)
				if errors.Is(err, fs.ErrNotExist) {
					return ext.AsRefused(fmt.Errorf("there is no %s in %s; mortise plugin lock writes one", roster.LockFile, quote(p.Workspace.Dir)))
				}
				if err != nil {
					return ext.AsRefused(err)
				}
				drifts, err := r.Drifts(cmd.Context(), locked, p.Workspace.ID)
				if err != nil {
					return err
				}
				return c.sync(cmd.Context(), p, r, drifts, yes, check)
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do it without asking")
	cmd.Flags().BoolVar(&check, "check", false, "only look: the exit code is 1 when something differs")
	return cmd
}

// sync does away with what differs, once its person agreed.
func (c *call) sync(ctx context.Context, p host.Place, r *roster.Roster, drifts []roster.Drift, yes, check bool) error {
	rows := make([]driftRow, len(drifts))
	for n := range drifts {
		d := &drifts[n]
		rows[n] = driftRow{Name: string(d.Name), Text: d.String()}
		if d.Is != nil {
			rows[n].Is = d.Is.Commit
		}
		if d.Want != nil {
			rows[n].Want = d.Want.Commit
		}
	}
	view := c.page(nil)
	var l *host.Listing // what is in use then
	if !c.json {
		view.drifts(drifts)
	}
	if len(drifts) > 0 && !check {
		if err := c.agree(ctx, yes, fmt.Sprintf("Change %s? [y/N] ", count(len(drifts), "plugin"))); err != nil {
			return err
		}
		l = c.settle(ctx, p, r, drifts, rows)
		for n := range rows {
			rows[n].Setup = setupState(l, rows[n].Name)
		}
	}
	failed := false
	for _, row := range rows {
		failed = failed || row.err != nil
		switch {
		case c.json || check:
		case row.err != nil:
			view.line("%s  %s %s", view.bold(ext.Escape(row.Name)), view.red("failed:"), ext.Escape(row.Error))
		default:
			view.line("%s  done", view.bold(ext.Escape(row.Name)))
		}
	}
	if c.json {
		if err := c.document(map[string]any{"plugins": rows}); err != nil {
			return err
		}
	}
	var names []string
	for _, row := range rows {
		if row.Done {
			names = append(names, row.Name)
		}
	}
	var answer error
	if failed || check && len(rows) > 0 {
		answer = errNo
	}
	if len(names) > 0 {
		if err := c.setUpAfter(ctx, p, l, names...); err != nil {
			return err
		}
	}
	return answer
}

// settle does away with what differs, and is what is in use then; nil where that is not
// known.
func (c *call) settle(ctx context.Context, p host.Place, r *roster.Roster, drifts []roster.Drift, rows []driftRow) (l *host.Listing) {
	c.tries(p, r, &l)
	progress, clear := c.fetching()
	for progressed := true; progressed; { // one may need another one that comes later
		progressed = false
		for n := range drifts {
			if rows[n].Done {
				continue
			}
			rows[n].err, rows[n].Error = r.Settle(ctx, drifts[n], p.Workspace.ID, progress), ""
			clear()
			if rows[n].Done = rows[n].err == nil; !rows[n].Done {
				rows[n].Error = rows[n].err.Error()
			}
			progressed = progressed || rows[n].Done
		}
	}
	if _, err := r.Sweep(ctx); err != nil {
		fmt.Fprintf(c.Err, "mortise: what is not needed any more could not all be removed: %s\n", ext.Escape(err.Error()))
	}
	return l
}

// agree has a person agree to what was shown, once. Without a terminal --yes is needed.
func (c *call) agree(ctx context.Context, yes bool, question string) error {
	if yes {
		return nil
	}
	if !c.Asked || c.json {
		return ext.AsRefused(errors.New("nobody can be asked here; give --yes once you have seen what would change"))
	}
	answer, err := c.answer(ctx, question)
	if err == nil && answer != "y" {
		err = errNo
	}
	return err
}

// drifts shows what differs.
func (p *page) drifts(all []roster.Drift) {
	if len(all) == 0 {
		p.line("What is installed is what %s says.", roster.LockFile)
		return
	}
	for n := range all {
		d := &all[n]
		p.line("%s", ext.Escape(d.String()))
		if d.Want != nil && d.Is == nil {
			p.line("  %s %s", p.dim("from:"), ext.Escape(d.Want.Source))
		}
		if d.Want != nil && d.Is != nil && d.Want.Source != d.Is.Source {
			p.line("  %s %s, %s %s", p.dim("from:"), ext.Escape(d.Want.Source), p.dim("and was from:"), ext.Escape(d.Is.Source))
		}
	}
}

func (c *call) pluginSign() *cobra.Command {
	var key, fresh string
	cmd := &cobra.Command{
		Use:   "sign NAME",
		Short: "Write a signed note about what a plugin is",
		Long: `Write a signed note about a plugin as it is installed here: its name, its commit and
the digest of what it holds. Who installs it by a rule that wants a note gives it to
mortise plugin add or update with --note, or it stands in ` + roster.LockFile + `.

--new-key makes a key under that name first and writes it into the file of --key, which
is yours alone; what a rule's file of signers needs is shown.`,
		Example: "mortise plugin sign acme --key ./release.key --new-key acme.example.org",
	}
	cmd.Flags().StringVar(&key, "key", "", "the `FILE` with the secret key")
	cmd.Flags().StringVar(&fresh, "new-key", "", "make a key under this `NAME` first; the file must not be there")
	return c.aboutPlugin(cmd, host.Looking, func(ctx context.Context, _ host.Place, r *roster.Roster, k roster.Key) error {
		if key == "" {
			return usage("give the file of the key: mortise plugin sign NAME --key FILE")
		}
		i, err := r.Line(ctx, k)
		if err != nil {
			return err
		}
		at, err := c.from(key)
		if err != nil {
			return err
		}
		public := ""
		if fresh != "" {
			if public, err = newKey(at, fresh); err != nil {
				return err
			}
		}
		secret, err := c.note(key)
		if err != nil {
			return err
		}
		note, err := roster.SignNote(&i, secret)
		if err != nil {
			return err
		}
		if c.json {
			return c.document(map[string]any{"name": i.Name, "commit": i.Commit, "digest": i.Digest.String(), "note": note, "public": public})
		}
		if public != "" {
			fmt.Fprintf(c.Err, "mortise: the line for a file of signers is: %s\n", public)
		}
		_, err = fmt.Fprint(c.Out, note)
		return err
	})
}

// newKey makes a key and writes the secret one into a new file.
func newKey(at, name string) (public string, err error) {
	secret, public, err := roster.NewNoteKey(name)
	if err != nil {
		return "", ext.AsUsage(err)
	}
	f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("write the new key: %w", err)
	}
	_, err = fmt.Fprintln(f, secret)
	return public, errors.Join(err, f.Close())
}
