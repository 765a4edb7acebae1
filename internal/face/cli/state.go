package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/file"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/state"
)

func (c *call) state() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "state",
		Short: "Look after what Mortise remembers",
		Long: `Look after what Mortise remembers on this machine: what is installed, switched off,
adopted, granted and approved, and the history of that.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("state command", args[0], commandNames(cmd), "there are "+enumerate(commandNames(cmd)))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(c.stateExport(), c.stateImport(), c.stateDoctor())
	return cmd
}

// stored runs something with what is remembered.
func (c *call) stored(ctx context.Context, purpose host.Purpose, do func(p host.Place, s state.Store) error) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	s, done, err := c.State(ctx, p, purpose)
	if err != nil {
		return err
	}
	return errors.Join(do(p, s), done())
}

func (c *call) stateExport() *cobra.Command {
	return &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write all that is remembered as one document",
		Long: `Write all that is remembered, with its history, as one JSON document into FILE, which must
not be there, or to the standard output. It holds no secrets; it says what was granted, so
that only you should be able to write to it.`,
		Example: "mortise state export ./mortise-state.json",
		Args:    upTo(1, "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.stored(cmd.Context(), host.Looking, func(_ host.Place, s state.Store) error {
				text, err := exported(cmd.Context(), s)
				if err != nil {
					return err
				}
				if len(args) == 0 {
					_, err := c.Out.Write(text)
					return err
				}
				at, err := c.from(args[0])
				if err != nil {
					return err
				}
				if err := writeFresh(at, text); err != nil {
					return err
				}
				if c.json {
					return c.document(map[string]any{"file": at, "bytes": len(text)})
				}
				c.page(nil).line("Written to %s.", ext.Quote(at))
				return nil
			})
		},
	}
}

// exported is what is remembered as a document.
func exported(ctx context.Context, s state.Store) ([]byte, error) {
	snap, err := s.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load the state: %w", err)
	}
	events, err := s.Events(ctx, state.Query{})
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	var out bytes.Buffer
	err = state.Export(&out, snap, events)
	return out.Bytes(), err
}

// writeFresh writes a file that must not be there, for its person alone.
func writeFresh(at string, text []byte) error {
	f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

func (c *call) stateImport() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Put what mortise state export wrote in the place of what is remembered",
		Long: `Put what mortise state export wrote in the place of all that is remembered here. It says
what is granted and adopted: take only what you wrote yourself. What was remembered before
is written beside the state first. What was fetched of plugins does not come along: mortise
plugin update fetches it again.`,
		Args: one("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			snap, history, err := c.importedState(args[0])
			if err != nil {
				return err
			}
			return c.stored(cmd.Context(), host.Changing, func(p host.Place, s state.Store) error {
				ctx := cmd.Context()
				if !c.json {
					c.page(nil).line("It holds %s, %s, %s and %s.", count(len(snap.Roster), "plugin"), count(len(snap.Grants), "grant"),
						count(len(snap.Adoptions), "adoption"), count(len(snap.Switches), "switch"))
				}
				if err := c.agree(ctx, yes, "Put that in the place of what is remembered here? [y/N] "); err != nil {
					return err
				}
				kept := c.StatePath(p) + ".before-" + time.Now().UTC().Format("20060102T150405Z") + ".json"
				text, err := exported(ctx, s)
				if err == nil {
					err = writeFresh(kept, text)
				}
				if err != nil {
					return fmt.Errorf("keep what is remembered now: %w", err)
				}
				if err := replaceState(ctx, s, snap, history, c.Person()); err != nil {
					return err
				}
				if c.json {
					return c.document(map[string]any{"kept": kept})
				}
				c.page(nil).line("Done. What was remembered before lies in %s.", ext.Quote(kept))
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do it without asking")
	return cmd
}

// mostState is the largest document of a state that is read.
const mostState = 1 << 30

func (c *call) importedState(name string) (state.Snapshot, []state.Event, error) {
	at, err := c.from(name)
	if err != nil {
		return state.Snapshot{}, nil, err
	}
	f, err := file.Open(at)
	if err != nil {
		return state.Snapshot{}, nil, err
	}
	defer f.Close()
	snap, history, err := state.Import(io.LimitReader(f, mostState))
	if err != nil {
		err = ext.AsRefused(fmt.Errorf("%s: %w", ext.Quote(name), err))
	}
	return snap, history, err
}

// replaceState puts a state in the place of another one. The history of both stays.
func replaceState(ctx context.Context, s state.Store, snap state.Snapshot, history []state.Event, by string) error {
	err := s.Update(ctx, func(now *state.Snapshot) error {
		revision := now.Revision
		*now = snap
		now.Revision = revision
		return nil
	})
	if err != nil {
		return err
	}
	slices.Reverse(history) // it comes the newest first
	return s.Append(ctx, append(history, state.Event{Kind: "imported", Subject: "state", Text: "a state was put in the place of the one before", By: by, At: time.Now()})...)
}

// examined is one thing that was looked at, as a document.
type examined struct {
	What   string `json:"what"`
	Status string `json:"status"` // ok, warning, error
	Text   string `json:"text"`
	Fix    string `json:"fix"`
}

func (c *call) stateDoctor() *cobra.Command {
	var repair, accept bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look whether what is remembered is whole, and what was fetched is as it says",
		Long: `Look whether the file in which everything is remembered is whole, whether git can be used,
and whether what was fetched of each plugin is there and as it was. The exit code is 1 when
something is wrong.

--repair keeps a damaged file aside and begins a new one with all that can be read of it;
it fetches again what is gone, and removes what was fetched and nobody uses. While the file
is damaged nothing is granted, and what is guarded is denied. Where what cannot be read
forbade something, nothing is repaired without --accept-loss.`,
		Args: upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := c.place()
			if err != nil {
				return err
			}
			file, whole := c.examineFile(cmd.Context(), p, repair, accept)
			rows := []examined{file}
			if file.Status != "error" {
				rows = append(rows, c.examineRoster(cmd.Context(), repair, whole)...)
			}
			if c.json {
				if err := c.document(map[string]any{"checks": rows}); err != nil {
					return err
				}
			} else {
				c.page(nil).examined(rows)
			}
			if slices.ContainsFunc(rows, func(r examined) bool { return r.Status == "error" }) {
				return errNo
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "mend what can be mended")
	cmd.Flags().BoolVar(&accept, "accept-loss", false, "with --repair: also where what forbade something is lost; all that is installed is switched off then")
	return cmd
}

// examineFile looks at the file of the state. whole: nothing that it held is lost.
func (c *call) examineFile(ctx context.Context, p host.Place, repair, accept bool) (row examined, whole bool) {
	path := c.StatePath(p)
	err := c.CheckState(ctx, p)
	if err == nil {
		return examined{What: "state", Status: "ok", Text: path}, true
	}
	bad := examined{What: "state", Status: "error", Text: err.Error()}
	if !errors.Is(err, state.ErrDamaged) {
		return bad, false
	}
	if !repair {
		bad.Fix = "mortise state doctor --repair keeps it aside, and begins a new one with what can be read of it"
		return bad, false
	}
	aside, lost, err := c.RepairState(ctx, p, time.Now(), accept)
	if err != nil {
		bad.Text = err.Error()
		return bad, false
	}
	if aside == "" {
		return examined{What: "state", Status: "ok", Text: path}, true
	}
	bad.Status, bad.Fix = "warning", "restart what serves: it goes on with the old one until then"
	bad.Text = fmt.Sprintf("it was damaged, and is kept in %s; a new one holds what could be read", aside)
	if len(lost) > 0 {
		bad.Text += ", and not all of: " + enumerate(lost)
	}
	return bad, len(lost) == 0
}

// examineRoster looks at what is installed. Where not all that is installed is known, whole
// is false, and nothing is removed.
func (c *call) examineRoster(ctx context.Context, repair, whole bool) (rows []examined) {
	purpose := host.Looking
	if repair {
		purpose = host.Changing
	}
	err := c.plugins(ctx, purpose, func(p host.Place, r *roster.Roster) error {
		rows = append(rows, examineGit(ctx, r))
		conditions, err := r.Examine(ctx)
		if err != nil {
			return err
		}
		for _, one := range conditions {
			row := examined{What: "plugin " + string(one.Line.Name), Status: "ok", Text: roster.Dir(c.Checkouts(p), &one.Line)}
			if one.Err != nil {
				row.Status, row.Text = "error", one.Err.Error()
				row.Fix = fmt.Sprintf("move away what lies there; mortise plugin update %s fetches it again", word(string(one.Line.Name)))
				if repair && one.Lost {
					row = c.fetchAgain(ctx, r, one, row)
				}
			}
			rows = append(rows, row)
		}
		if repair && whole {
			swept, err := r.Sweep(ctx)
			for _, k := range swept.Kept {
				rows = append(rows, examined{What: "plugins", Status: "warning", Text: k.Path + ": " + k.Why, Fix: "look at it, and move it away"})
			}
			return err
		}
		return nil
	})
	if err != nil {
		rows = append(rows, examined{What: "plugins", Status: "error", Text: err.Error()})
	}
	return rows
}

func examineGit(ctx context.Context, r *roster.Roster) examined {
	g, err := r.Git()
	version := ""
	if err == nil {
		version, err = g.Version(ctx)
	}
	if err != nil {
		return examined{What: "git", Status: "warning", Text: err.Error(), Fix: "install git, to install plugins from repositories"}
	}
	return examined{What: "git", Status: "ok", Text: version}
}

// fetchAgain fetches what is gone.
func (c *call) fetchAgain(ctx context.Context, r *roster.Roster, one roster.Condition, row examined) examined {
	news, err := r.Look(ctx, one.Line.Scope, []string{string(one.Line.Name)})
	if err == nil && len(news) == 1 {
		err = news[0].Err
	}
	if err == nil {
		made, fetched := r.Fetch(ctx, &news[0], nil)
		if err = fetched; err == nil {
			_, err = r.Update(ctx, &news[0], made)
		}
	}
	if err != nil {
		row.Text += "; it could not be fetched again: " + err.Error()
		return row
	}
	return examined{What: row.What, Status: "warning", Text: "it was gone, and is fetched again"}
}

func (p *page) examined(rows []examined) {
	var t table
	for _, r := range rows {
		t.row(cell{ext.Escape(r.What), p.bold}, cell{r.Status, p.status}, cell{ext.Escape(r.Text), nil})
	}
	t.write(p)
	for _, r := range rows {
		if r.Fix != "" {
			p.line("%s: %s.", ext.Escape(r.What), ext.Escape(r.Fix))
		}
	}
}
