package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony/tools"
	"github.com/mortise-dev/mortise/internal/git"
)

// registering is what is to be registered, as it is said.
type registering struct {
	committing
	entry       tools.Entry
	description string
	source      string
}

func (c *call) toolRegister() *cobra.Command {
	var o registering
	cmd := &cobra.Command{
		Use:   "register NAME",
		Short: "Put a tool into the catalogue of a design monorepo, in a commit",
		Long: `Put the tool NAME into the tool catalogue of the workspace, or replace the one of the same
purpose there, in one commit as an agent. --source FILE is committed with it; Python in it
must use nothing but what agents may write. Nothing else gets into the commit, and when it
fails everything is as it was. A branch that the manifest protects takes no commit: name
another with --branch.

The class behind the tool is read and never run. It must be one of this repository, as it
is committed or in FILE, with "spec = ToolSpec(capabilities=[…])" in its body or in that of
a base. One that does not have the capability is refused; where reading does not tell, the
tool is registered, with the warning spec-unresolved. mortise check looks again.`,
		Example: "mortise tool register solver --purpose cfd --capability navier-stokes --class solver.Solver \\\n  --source .colony/tools/solver.py --as ada --role builder --branch tools/solver",
		Args:    one("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.whom(cmd); err != nil {
				return err
			}
			o.entry.Name = args[0]
			return c.runToolRegister(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.entry.Purpose, "purpose", "", "what it is for, as `TEXT`")
	f.StringVar(&o.entry.Location, "location", "", "where it lies: `subdir:PATH`; without it where FILE lies")
	f.StringVar(&o.entry.Capability, "capability", "", "what it can do, as `TEXT`")
	f.StringVar(&o.entry.Class, "class", "", "the class behind it: `MODULE.CLASS`; without it the tool is a stub")
	f.StringVar(&o.source, "source", "", "commit this `FILE` with it")
	f.StringVar(&o.description, "description", "", "what it does, as `TEXT`")
	o.flags(cmd)
	_ = cmd.MarkFlagFilename("source")
	return cmd
}

// said looks at what was said before anything is done.
func (o *registering) said() error {
	for _, must := range [][2]string{{"purpose", o.entry.Purpose}, {"capability", o.entry.Capability}} {
		if must[1] == "" {
			return usage("mortise tool register: say --%s", must[0])
		}
	}
	if o.entry.Location == "" {
		if o.source == "" {
			return usage("mortise tool register: say where it lies, with --location subdir:PATH, or --source FILE")
		}
		o.entry.Location = tools.Location{Dir: o.source}.String()
	}
	if o.description != "" {
		o.entry.Extra = &ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: "description", Value: ext.Doc{Kind: ext.String, Text: o.description}}}}
	}
	return nil
}

// below is a file that a person names, below the top of the monorepo.
func (c *call) below(dir, file string) (string, error) {
	at, err := c.from(file)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(at)); err == nil {
		at = filepath.Join(real, filepath.Base(at))
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(dir, at)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", usage("%s does not lie in %s", quote(file), quote(dir))
	}
	return filepath.ToSlash(rel), nil
}

func (c *call) runToolRegister(ctx context.Context, o registering) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	dir := p.Workspace.Dir
	if o.source != "" {
		if o.source, err = c.below(dir, o.source); err != nil {
			return err
		}
	}
	if err := o.said(); err != nil {
		return err
	}
	g, err := git.New(git.Options{Env: c.Env})
	if err != nil {
		return err
	}
	done, err := tools.Register(ctx, tools.Registering{
		Git: g, Dir: dir, Branch: o.branch, As: o.as, Entry: o.entry, Source: o.source, Unsigned: o.unsigned,
	})
	if err != nil {
		return fmt.Errorf("register %s: %w", quote(o.entry.Name), err)
	}
	if c.json {
		return c.document(registeredOf(done))
	}
	c.page(nil).registered(done)
	return nil
}

// registeredDoc is what became of a registration, as a document.
type registeredDoc struct {
	Name     string     `json:"name"`
	Made     bool       `json:"made"`     // a commit was made; else the branch had all of it
	Replaced bool       `json:"replaced"` // there was one of that purpose and name
	Spec     string     `json:"spec"`     // ok, unresolved, or unchecked for a stub
	Reason   string     `json:"reason"`   // what was read of the class
	Notes    []string   `json:"notes"`
	Files    []string   `json:"files"`  // that are in the commit
	Commit   string     `json:"commit"` // where the branch is
	Branch   string     `json:"branch"`
	Signed   bool       `json:"signed"`
	Entry    catalogDoc `json:"entry"`
}

func registeredOf(r *tools.Registered) registeredDoc {
	d := registeredDoc{
		Name: r.Entry.Name, Made: r.Commit.Made, Replaced: r.Replaced, Spec: r.Outcome.Verdict.String(), Reason: r.Outcome.String(), Notes: []string{},
		Files: r.Files, Commit: r.Commit.Commit, Branch: r.Commit.Branch, Signed: r.Commit.Signed,
		Entry: catalogDoc{
			Purpose: r.Entry.Purpose, Location: r.Entry.Location, Capability: r.Entry.Capability, Class: r.Entry.Class,
			Stub: r.Entry.Stub(), Writable: r.Entry.At().Remote == "",
		},
	}
	for _, f := range r.Notes {
		d.Notes = append(d.Notes, f.Message)
	}
	return d
}

func (p *page) registered(r *tools.Registered) {
	d := registeredOf(r)
	name := p.bold(ext.Escape(r.Entry.Key().String()))
	switch {
	case !d.Made:
		p.line("%s is registered like that already: nothing was committed.", name)
	case d.Replaced:
		p.line("Replaced %s in %s.", name, tools.Path)
	default:
		p.line("Registered %s in %s.", name, tools.Path)
	}
	switch r.Outcome.Verdict {
	case tools.Contained:
		p.line("  %s  %s", p.dim("class"), d.Reason)
	case tools.Unchecked:
		p.line("  %s  %s", p.dim("class"), "none: it is a stub, of which nothing is checked")
	default:
		p.line("  %s %s (%s)", p.yellow("warning:"), d.Reason, tools.SpecUnresolved.Code)
		p.line("    %s Only what is committed, or given as --source, is read.", tools.SpecUnresolved.Fix)
	}
	for _, n := range d.Notes {
		p.line("  %s %s", p.yellow("note:"), n)
	}
	if d.Made {
		p.line("Committed %s on %s: %s.", d.Commit[:12], onBranch(d.Branch), join(escaped(d.Files)))
	}
}
