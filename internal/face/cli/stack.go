package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

func (c *call) stack() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stack",
		Short: "Show which compose files the services of this worktree are made from",
		Long: `Show which compose files the services of this worktree are made from in the mode that it
is in, and what they say together. Nothing is started.

The order is: [stack] compose of the configuration; the rows [[overlay]] whose when holds;
what extensions add, in load order; and last the files of the variable MORTISE_COMPOSE.
Relative paths start at the workspace. An extension's file lies in the workspace or in its
own directory, wherever links lead.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("stack command", args[0], commandNames(cmd), "there is "+enumerate(commandNames(cmd)))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(c.stackArgs(), c.stackConfig())
	return cmd
}

func (c *call) stackArgs() *cobra.Command {
	var nul bool
	cmd := &cobra.Command{
		Use:   "args",
		Short: "Print the compose files as arguments -f FILE",
		Long: `Print the compose files as arguments -f FILE on one line, in order, as a shell reads
them; with -0 each argument ends in NUL. Where there is no stack, nothing is printed.

An overlay that is not there is left out, and told. Where a file is refused, or a row of the
configuration cannot be read, nothing is printed and the answer is no: what the file would
have changed is not known.`,
		Example: "mortise stack args -0 | xargs -0 sh -c 'exec docker compose \"$@\" up -d' -",
		Args:    upTo(0, "argument"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.showStackArgs(cmd.Context(), nul) },
	}
	nulFlag(cmd, &nul)
	return cmd
}

func nulFlag(cmd *cobra.Command, nul *bool) {
	cmd.Flags().BoolVarP(nul, "null", "0", false, "end each argument with NUL")
}

// stackDoc is the JSON document of stack args.
type stackDoc struct {
	Worktree string      `json:"worktree"`
	Adopted  bool        `json:"adopted"`
	Declared bool        `json:"declared"` // there is a stack
	Args     []string    `json:"args"`     // empty where anything is refused
	Files    []stackFile `json:"files"`    // in order
	Skipped  []stackOut  `json:"skipped"`  // are not there
	Refused  []stackOut  `json:"refused"`
	Findings []planFault `json:"findings"`
}

type stackNamed struct {
	By        string `json:"by"` // base, overlay, extension or environment
	Named     string `json:"named"`
	Extension string `json:"extension"` // "": the configuration, or the environment
	Entry     string `json:"entry"`
	Variable  string `json:"variable"` // whose value the file is; "": none
	Origin    string `json:"path"`     // of what names it
	Line      int    `json:"line"`
}

type stackFile struct {
	File string `json:"file"`
	stackNamed
}

type stackOut struct {
	stackNamed
	Reason string `json:"reason"`
}

func stackNamedOf(n *host.StackNamed) stackNamed {
	return stackNamed{By: n.By, Named: n.As, Extension: string(n.Extension), Entry: n.Entry, Variable: n.Variable, Origin: n.Origin.Path, Line: n.Origin.Line}
}

func stackOuts(all []host.StackOut) []stackOut {
	out := []stackOut{}
	for i := range all {
		out = append(out, stackOut{stackNamedOf(&all[i].Named), all[i].Reason})
	}
	return out
}

// stackDocOf is what there is to say of a stack; nil is that of a workspace that has none
// before it is adopted.
func stackDocOf(g *host.Generation, s *host.Stack) stackDoc {
	d := stackDoc{
		Worktree: g.Config.Workspace().Dir, Adopted: g.Adopted, Args: []string{},
		Files: []stackFile{}, Skipped: []stackOut{}, Refused: []stackOut{}, Findings: []planFault{},
	}
	if s == nil {
		return d
	}
	d.Declared, d.Skipped, d.Refused = s.Declared, stackOuts(s.Skipped), stackOuts(s.Refused)
	for i := range s.Files {
		f := &s.Files[i]
		d.Files = append(d.Files, stackFile{f.Path, stackNamedOf(&f.Named)})
		if !s.Findings.Failed() {
			d.Args = append(d.Args, "-f", f.Path)
		}
	}
	d.Findings = append(d.Findings, planFaults(s.Findings)...)
	return d
}

// withStack calls do with the stack of the workspace. Where it is refused, the document
// says so as well.
func (c *call) withStack(ctx context.Context, do func(*host.Generation, *host.Stack) error) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	return c.with(ctx, p, host.Looking, func(h *host.Host) error {
		g, err := h.Refresh(ctx)
		if err != nil {
			return err
		}
		s, err := h.Stack(ctx, g, p.Env)
		if err != nil {
			return c.unsettled(g, err, stackDocOf(g, nil))
		}
		return do(g, s)
	})
}

// unsettled is an error of what a workspace has before it is adopted, or while its
// configuration is broken, with the command that goes on.
func (c *call) unsettled(g *host.Generation, err error, doc any) error {
	if ext.KindOf(err) == ext.Refused {
		if errors.Is(err, host.ErrNotAdopted) {
			if flag := c.nextFlag(g.Config.Workspace().Dir); flag != "" {
				err = ext.AsRefused(fmt.Errorf("%w (here: mortise %strust)", err, flag))
			}
		}
		if c.json {
			if err := c.document(doc); err != nil {
				return err
			}
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	return err
}

func (c *call) showStackArgs(ctx context.Context, nul bool) error {
	return c.withStack(ctx, func(g *host.Generation, s *host.Stack) error {
		doc := stackDocOf(g, s)
		no := s.Findings.Failed()
		if c.json {
			if err := c.document(doc); err != nil {
				return err
			}
		} else {
			c.told(s.Findings)
			c.noStack(s)
			if !no {
				if err := c.arguments(doc.Args, nul, "mortise stack args -0 gives all of them"); err != nil {
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

func (c *call) noStack(s *host.Stack) {
	if !s.Declared {
		fmt.Fprintln(c.Err, "mortise: there is no stack: [stack] compose of mortise.toml names its compose file")
	}
}

// told says on standard error what was found, for commands whose output other programs
// read.
func (c *call) told(all ext.Findings) {
	for _, f := range all {
		if f.Check.Severity == ext.Info {
			continue
		}
		at := ""
		if f.Origin != (ext.Origin{}) {
			at = f.Origin.String() + ": "
		}
		fmt.Fprintf(c.Err, "mortise: %s: %s%s (%s)\n", f.Check.Severity, safe(at), safe(f.Message), f.Check.Code)
	}
}

type stackConfig struct{ raw, origins, cli bool }

func (c *call) stackConfig() *cobra.Command {
	var o stackConfig
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show what the compose files say together",
		Long: `Read and check the compose files, and print what they say together, by the rules of the
Compose specification: docs/stack.md has them. What is printed is a compose file. --origins
says of each value which file and line gave it.

Variables are those of the environment and those that follow from the mode; one that is
exported wins. A file .env is not read. A variable that holds a secret stays written as it
is. include and extends are shown as they are written, and not followed.

--check-cli also has the compose CLI look at the files: docker compose, docker-compose or
podman-compose, the first that is in the PATH.`,
		Args: upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.showStackConfig(cmd.Context(), o) },
	}
	cmd.Flags().BoolVar(&o.origins, "origins", false, "say of each value which file and line gave it")
	cmd.Flags().BoolVar(&o.raw, "no-interpolate", false, "leave variables as they are written")
	cmd.Flags().BoolVar(&o.cli, "check-cli", false, "have the compose CLI check the files as well")
	return cmd
}

// mergedDoc is the JSON document of stack config.
type mergedDoc struct {
	stackDoc
	Config  json.RawMessage `json:"config"` // null where the files do not go together
	Origins []stackOrigin   `json:"origins"`
	CLI     string          `json:"cli"` // the compose CLI that was asked; "": none
}

type stackOrigin struct {
	Pointer  string       `json:"pointer"`
	File     string       `json:"file"`
	Line     int          `json:"line"`
	Replaced []stackPlace `json:"replaced"` // what stood there before, in the order of the files
}

type stackPlace struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

func (c *call) showStackConfig(ctx context.Context, o stackConfig) error {
	return c.withStack(ctx, func(g *host.Generation, s *host.Stack) error {
		m := s.Merge(o.raw)
		found := append(s.Findings[:len(s.Findings):len(s.Findings)], m.Findings...)
		cli := ""
		if o.cli && len(s.Files) > 0 && !found.Failed() {
			answer, err := s.CheckCLI(ctx)
			if err != nil {
				return err
			}
			cli = answer.Program
			found.Add(answer.Findings...)
		}
		if c.json {
			doc := mergedDocOf(stackDocOf(g, s), m)
			doc.Findings, doc.CLI = append([]planFault{}, planFaults(found)...), cli
			if err := c.document(doc); err != nil {
				return err
			}
		} else {
			c.told(found)
			c.noStack(s)
			if !found.Failed() {
				c.out.WriteString(m.YAML(o.origins))
			}
		}
		if found.Failed() {
			return errNo
		}
		return nil
	})
}

func mergedDocOf(d stackDoc, m *host.MergedStack) mergedDoc {
	out := mergedDoc{stackDoc: d, Config: m.JSON(), Origins: []stackOrigin{}}
	for _, l := range m.Leaves() {
		o := stackOrigin{Pointer: l.Pointer, File: l.At.File, Line: l.At.Line, Replaced: []stackPlace{}}
		for _, p := range m.Replaced[l.Pointer] {
			o.Replaced = append(o.Replaced, stackPlace(p))
		}
		out.Origins = append(out.Origins, o)
	}
	return out
}
