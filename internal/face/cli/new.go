package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/scaffold"
)

const newLong = `Make something new in the design monorepo of the workspace, from a template, and commit it
as an agent. What would be written is first read back as it will be found: what would not
be found, or not with its description, is refused, with the reason. Python must use nothing
but what agents may write. Nothing else gets into the commit, and when it fails everything
is as it was. A branch that the manifest protects takes no commit: name another with
--branch.`

func (c *call) make() *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use:     "new",
		Short:   "Make a skill, agent, deployment, tool, profile or mission in a design monorepo",
		Long:    newLong,
		Example: "mortise new --list\nmortise new agents cfd-solver --description 'Solves flows.' --as ada --role builder --branch agents/solver",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return unknown("surface", args[0], commandNames(cmd), "there are "+enumerate(commandNames(cmd)))
			case list:
				return c.templates()
			}
			return cmd.Help()
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "list the templates, and what each is told")
	for _, s := range colony.Surfaces {
		cmd.AddCommand(c.makeOf(s))
	}
	return cmd
}

// singular is what one thing of a surface is called.
func singular(s colony.Surface) string { return strings.TrimSuffix(string(s), "s") }

func (c *call) makeOf(s colony.Surface) *cobra.Command {
	var with committing
	o := scaffold.Options{Surface: s}
	said := map[string]*[]string{}
	what := singular(s)
	cmd := &cobra.Command{
		Use:     string(s) + " NAME",
		Aliases: []string{what},
		Short:   "Make " + article(what),
		Long:    newHelp[s],
		Example: newExamples[s],
		Args:    one("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := with.maybeWhom(cmd, o.Dry); err != nil {
				return err
			}
			o.Name, o.As, o.Branch, o.Unsigned, o.Said = args[0], with.as, with.branch, with.unsigned, scaffold.Said{}
			for name, values := range said {
				if cmd.Flag(name).Changed {
					o.Said[name] = *values
				}
			}
			return c.runNew(cmd, o)
		},
	}
	if s == colony.Plugins {
		cmd.Aliases = append(cmd.Aliases, "skill", "skills")
	}
	f := cmd.Flags()
	f.StringVar(&o.Template, "from", "", "make it from the template `NAME`; without it "+scaffold.Of(s)[0].ID)
	for _, t := range scaffold.Of(s) {
		for _, v := range t.Variables {
			if said[v.Name] == nil {
				said[v.Name] = new([]string)
				f.StringArrayVar(said[v.Name], v.Name, nil, v.Usage())
			}
		}
	}
	f.BoolVar(&o.Dry, "dry-run", false, "look at everything, show what would be written, and write nothing")
	with.flags(cmd)
	return cmd
}

// maybeWhom is whom, where something is to be committed.
func (o *committing) maybeWhom(cmd *cobra.Command, dry bool) error {
	if dry && o.as.Name == "" {
		o.as.Name = "nobody"
	}
	return o.whom(cmd)
}

func (c *call) runNew(cmd *cobra.Command, o scaffold.Options) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	cfg, _, err := p.Configure(nil)
	if err != nil {
		return err
	}
	o.Dir, _ = cfg.MonorepoDir()
	o.Known = scaffold.Known(cfg.Monorepo.AgentBases, cfg.Monorepo.DeploymentBases, cfg.Monorepo.Decorators)
	if o.Git, err = git.New(git.Options{Env: c.Env}); err != nil {
		return err
	}
	m, err := scaffold.New(cmd.Context(), o)
	if err != nil {
		return err // it says what is not made
	}
	if c.json {
		return c.document(madeOf(m))
	}
	c.page(cfg).made(m)
	return nil
}

// madeDoc is something new, as a document.
type madeDoc struct {
	Surface     string        `json:"surface"`
	Name        string        `json:"name"`
	Template    string        `json:"template"`
	Entry       string        `json:"entry"` // what it goes by where it is found
	Description string        `json:"description"`
	Made        bool          `json:"made"` // false: nothing was written (--dry-run)
	Files       []madeFileDoc `json:"files"`
	Notes       []string      `json:"notes"`
	Commit      string        `json:"commit"` // "" where nothing was written
	Branch      string        `json:"branch"`
	Signed      bool          `json:"signed"`
}

type madeFileDoc struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

func madeOf(m *scaffold.Made) madeDoc {
	d := madeDoc{
		Surface: string(m.Surface), Name: m.Name, Template: m.Template, Entry: m.Entry, Description: m.Description,
		Files: []madeFileDoc{}, Notes: []string{}, Branch: m.Branch,
	}
	for _, f := range m.Files {
		d.Files = append(d.Files, madeFileDoc(f))
	}
	for _, f := range m.Notes {
		d.Notes = append(d.Notes, f.Message)
	}
	if m.Commit != nil {
		d.Made, d.Commit, d.Signed = true, m.Commit.Commit, m.Commit.Signed
	}
	return d
}

func (p *page) made(m *scaffold.Made) {
	d := madeOf(m)
	var paths []string
	for _, f := range d.Files {
		paths = append(paths, ext.Escape(f.Path))
	}
	if !d.Made {
		p.line("Would commit on %s: %s.", onBranch(d.Branch), join(paths))
		for _, f := range d.Files {
			p.gap()
			p.line("%s", p.dim(ext.Escape(f.Path)))
			p.line("%s", strings.TrimSuffix(ext.EscapeText(f.Text), "\n"))
		}
	} else {
		p.line("Made %s of %s from the template %s.", p.bold(ext.Escape(d.Entry)), d.Surface, d.Template)
		p.line("Committed %s on %s: %s.", d.Commit[:12], onBranch(d.Branch), join(paths))
	}
	for _, n := range d.Notes {
		p.line("  %s %s", p.yellow("note:"), ext.Escape(n))
	}
}
