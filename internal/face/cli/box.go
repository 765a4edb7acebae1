package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/internal/host"
)

func (c *call) box() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "box",
		Short: "Show what the container of an agent is made with",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("box command", args[0], commandNames(cmd), "there is "+enumerate(commandNames(cmd)))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(c.boxArgs())
	return cmd
}

func (c *call) boxArgs() *cobra.Command {
	var nul bool
	cmd := &cobra.Command{
		Use:   "args",
		Short: "Print what the box is made with as arguments of a container engine",
		Long: `Print what extensions have the box made with, as arguments of docker and podman on one
line as a shell reads them; with -0 each argument ends in NUL. Nothing is started, and no
directory is made.

Each mount is looked at with its links followed. No box has the home directory whole, keys,
what other programs log in with, profiles of browsers, Mortise's own directories, /proc,
/sys, /dev, /run or a socket; what a plugin mounts lies in the workspace, in its own
directory, which is read-only, or in its data directory. Where anything is refused, nothing
is printed and the answer is no; --json has all rows, each with the reason.

Below a mount that the box may write to, what leads programs of this machine stays
read-only: .git/hooks, .git/config, and the configuration of Mortise.`,
		Args: upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.showBoxArgs(cmd.Context(), nul) },
	}
	nulFlag(cmd, &nul)
	return cmd
}

// boxDoc is the JSON document of box args.
type boxDoc struct {
	Worktree string      `json:"worktree"`
	Adopted  bool        `json:"adopted"`
	Args     []string    `json:"args"` // empty where anything is refused
	Rows     []boxRow    `json:"rows"` // in order
	Refused  int         `json:"refused"`
	Findings []planFault `json:"findings"`
}

type boxRow struct {
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Value     string `json:"value"`
	Source    string `json:"source"`
	Target    string `json:"target"`
	Writable  bool   `json:"writable"`
	Protects  bool   `json:"protects"` // keeps what lies there from a mount that the box may write to
	Status    string `json:"status"`   // accepted or refused
	Reason    string `json:"reason"`
	Extension string `json:"extension"`
	Entry     string `json:"entry"`
	Path      string `json:"path"`
	Line      int    `json:"line"`
}

func boxDocOf(g *host.Generation, b *host.Box) boxDoc {
	d := boxDoc{Worktree: g.Config.Workspace().Dir, Adopted: g.Adopted, Args: []string{}, Rows: []boxRow{}, Findings: []planFault{}}
	if b == nil {
		return d
	}
	for i := range b.Rows {
		r := &b.Rows[i]
		row := boxRow{
			Kind: r.Kind, Name: r.Name, Value: r.Value, Source: r.Source, Target: r.Target, Writable: r.Writable, Protects: r.Protects,
			Status: "accepted", Reason: r.Reason, Extension: string(r.Extension), Entry: r.Entry, Path: r.Origin.Path, Line: r.Origin.Line,
		}
		if r.Reason != "" {
			row.Status = "refused"
		}
		d.Rows = append(d.Rows, row)
	}
	if !b.Findings.Failed() {
		d.Args = append(d.Args, b.Args...)
	}
	d.Refused = b.Refused
	d.Findings = append(d.Findings, planFaults(b.Findings)...)
	return d
}

func (c *call) showBoxArgs(ctx context.Context, nul bool) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	return c.with(ctx, p, host.Looking, func(h *host.Host) error {
		g, err := h.Refresh(ctx)
		if err != nil {
			return err
		}
		b, err := h.Box(ctx, g, p)
		if err != nil {
			return c.unsettled(g, err, boxDocOf(g, nil))
		}
		doc := boxDocOf(g, b)
		no := b.Findings.Failed()
		if c.json {
			if err := c.document(doc); err != nil {
				return err
			}
		} else {
			c.told(b.Findings)
			if !no {
				if err := c.arguments(doc.Args, nul, "mortise box args -0 gives all of them"); err != nil {
					return err
				}
			}
		}
		if no {
			return errNo
		}
		return nil
	})
}
