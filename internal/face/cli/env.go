package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/hook/env"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/plan"
)

// environments are the ways to write an environment.
var environments = map[string]writing{
	"bash":   {set: posixSet, unset: posixUnset},
	"zsh":    {set: posixSet, unset: posixUnset},
	"sh":     {set: posixSet, unset: posixUnset},
	"direnv": {set: posixSet, unset: posixUnset},
	"fish":   {set: fishSet, unset: func(name string) string { return "set -e " + name + ";" }},
	"dotenv": {set: dotenvSet, bare: true},
	"json":   {bare: true},
}

// writing is how a shell has variables set and unset.
type writing struct {
	set   func(name, value string) string
	unset func(name string) string
	bare  bool // values alone: there is no way to take one back, and no mark is kept
}

// environmentNames are the ways in the order in which they are shown.
var environmentNames = []string{"bash", "zsh", "sh", "fish", "direnv", "dotenv", "json"}

func posixSet(name, value string) string {
	return "export " + name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "';"
}

func posixUnset(name string) string { return "unset " + name + ";" }

func fishSet(name, value string) string {
	return "set -gx " + name + " '" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(value) + "';"
}

func dotenvSet(name, value string) string {
	return name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`", "\n", `\n`, "\r", `\r`).Replace(value) + `"`
}

func (c *call) env() *cobra.Command {
	var shell string
	var undo bool
	cmd := &cobra.Command{
		Use:   "env",
		Short: "Print the environment that the mode of this worktree gives",
		Long: `Print the variables that the mode of this worktree gives, for a shell to take over:

  eval "$(mortise env)"                  (bash, zsh, sh)
  mortise env --shell fish | source      (fish)

What is exported wins, also when it is empty: such a variable is left alone. What was
taken over before and is not wanted any more is unset, and --undo unsets all of it, as
long as nobody changed it meanwhile. A workspace that is not adopted gives nothing, and
it is said on standard error. mortise explain NAME says where a variable comes from.`,
		Example: "eval \"$(mortise env)\"\nmortise env --shell dotenv > .env.mode\neval \"$(mortise env --undo)\"",
		Args:    upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := c.writingOf(shell)
			if err != nil {
				return err
			}
			if undo {
				if w.bare || c.json {
					return usage("--undo unsets variables, for which --json and --shell dotenv and json have no words")
				}
				return c.writeEnv(w, plan.Undo(c.Env, variable(c.Env, config.EnvVariable)))
			}
			return c.runEnv(cmd.Context(), w)
		},
	}
	cmd.Flags().StringVar(&shell, "shell", "", "for which `SHELL`: "+strings.Join(environmentNames, ", ")+"; without it the one that SHELL names")
	cmd.Flags().BoolVar(&undo, "undo", false, "unset what was set by an earlier mortise env")
	_ = cmd.RegisterFlagCompletionFunc("shell", cobra.FixedCompletions(environmentNames, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// writingOf is how a shell has it; "" is the person's own.
func (c *call) writingOf(shell string) (writing, error) {
	if shell == "" {
		if shell = filepath.Base(variable(c.Env, "SHELL")); shell != "fish" {
			shell = "sh"
		}
	}
	w, ok := environments[shell]
	if !ok {
		return w, unknown("shell", shell, environmentNames, "use one of "+strings.Join(environmentNames, ", "))
	}
	return w, nil
}

// envDoc is the JSON document of env.
type envDoc struct {
	Worktree string        `json:"worktree"`
	Adopted  bool          `json:"adopted"`
	Mode     ext.Mode      `json:"mode"`
	Set      []variableRow `json:"set"`
	Kept     []variableRow `json:"kept"`  // the person exported it, so that it is left alone
	Unset    []string      `json:"unset"` // was set by an earlier env
	Findings []planFault   `json:"findings"`
}

type variableRow struct {
	Name      string `json:"name"`
	Value     string `json:"value"`     // what the mode gives
	Extension string `json:"extension"` // "": the configuration
	Entry     string `json:"entry"`
	Path      string `json:"path"`
	Line      int    `json:"line"`
}

func variableRows(all []plan.Typed[env.Variable]) []variableRow {
	out := []variableRow{}
	for _, v := range all {
		out = append(out, variableRow{v.Value.Name, v.Value.Value, string(v.Extension), v.Entry, v.Origin.Path, v.Origin.Line})
	}
	return out
}

func (c *call) runEnv(ctx context.Context, w writing) error {
	_, g, e, err := c.environment(ctx)
	if err != nil {
		return err
	}
	if c.json {
		return c.document(envDoc{
			Worktree: g.Config.Workspace().Dir, Adopted: g.Adopted, Mode: modeOf(e), Set: variableRows(e.Set), Kept: variableRows(e.Kept),
			Unset: notNil(e.Unset), Findings: append([]planFault{}, planFaults(e.Findings)...),
		})
	}
	for _, f := range unreadable(g.Listing()) {
		fmt.Fprintln(c.Err, "mortise: what is remembered cannot be read: "+cut(f.Message, safe))
	}
	if !g.Adopted {
		fmt.Fprintf(c.Err, "mortise: the workspace %s is not adopted, so that it gives no environment; mortise %strust adopts it\n",
			safe(g.Config.Workspace().Dir), c.nextFlag(g.Config.Workspace().Dir))
	}
	if g.Adopted && len(g.Lapsed) > 0 {
		fmt.Fprintf(c.Err, "mortise: %s since the workspace was adopted, which do not count yet; mortise %strust --diff shows what\n",
			count(len(g.Lapsed), "change"), c.nextFlag(g.Config.Workspace().Dir))
	}
	for _, f := range e.Findings {
		if f.Check.Severity > ext.Info {
			fmt.Fprintf(c.Err, "mortise: %s: %s\n", safe(f.Origin.String()), safe(f.Message))
		}
	}
	return c.writeEnv(w, e.Environment)
}

// resolved is an environment with the mode that it is of.
type resolved struct {
	*plan.Environment
	mode *plan.Current
}

func modeOf(e *resolved) ext.Mode {
	if e.mode == nil {
		return ext.Mode{}
	}
	return e.mode.Mode
}

// environment is what the mode of the worktree gives: nothing but taking back, where the
// workspace is not adopted.
func (c *call) environment(ctx context.Context) (p host.Place, g *host.Generation, e *resolved, err error) {
	if p, err = c.place(); err != nil {
		return p, nil, nil, err
	}
	err = c.with(ctx, p, host.Looking, func(h *host.Host) error {
		if g, err = h.Refresh(ctx); err != nil {
			return err
		}
		mark := variable(c.Env, config.EnvVariable)
		if !g.Adopted {
			e = &resolved{Environment: plan.Undo(c.Env, mark)}
			return nil
		}
		now := h.Mode(ctx, g)
		e = &resolved{g.Plan(ctx, now.Mode).Environment(ctx, c.Env, mark), now}
		return nil
	})
	return p, g, e, err
}

// writeEnv writes the words for a shell. They are whole lines without anything foreign
// outside of quotes.
func (c *call) writeEnv(w writing, e *plan.Environment) error {
	if w.set == nil {
		values := map[string]string{}
		for _, v := range e.Set {
			values[v.Value.Name] = v.Value.Value
		}
		data, err := json.MarshalIndent(values, "", "  ")
		if err != nil {
			return err
		}
		c.out.Write(append(data, '\n'))
		return nil
	}
	for _, v := range e.Set {
		c.out.WriteString(w.set(v.Value.Name, v.Value.Value) + "\n")
	}
	if w.bare {
		return nil
	}
	for _, name := range e.Unset {
		c.out.WriteString(w.unset(name) + "\n")
	}
	switch {
	case e.Mark != "":
		c.out.WriteString(w.set(config.EnvVariable, e.Mark) + "\n")
	case slices.ContainsFunc(c.Env, func(kv string) bool { return strings.HasPrefix(kv, config.EnvVariable+"=") }):
		c.out.WriteString(w.unset(config.EnvVariable) + "\n")
	}
	return nil
}

func (c *call) runProgram() *cobra.Command {
	var levels []string
	cmd := &cobra.Command{
		Use:   "run -- PROGRAM [ARGUMENT…]",
		Short: "Run a program in the environment of this worktree's mode",
		Long: `Run a program in the environment that the mode of this worktree gives, as mortise env
prints it. What is exported wins. The program takes this process's place, where the system
can do that: signals, terminal and exit code are its own.

--mode AXIS=LEVEL runs it in another mode, which is set for nobody else and remembered
nowhere: when the program ends there is nothing to go back from. Emergency levels cannot
be had that way, since nothing would end them. A workspace that is not adopted runs
nothing.`,
		Example: "mortise run -- make test\nmortise run --mode data=real -- ./report",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("say which program: mortise run -- PROGRAM")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return c.startProgram(cmd.Context(), levels, args) },
	}
	cmd.Flags().StringArrayVar(&levels, "mode", nil, "run it with an axis at another level: `AXIS=LEVEL`; may be given several times")
	cmd.Flags().SetInterspersed(false)
	return cmd
}

func (c *call) startProgram(ctx context.Context, levels, args []string) error {
	change, err := changeOf(levels, "", false)
	if err != nil {
		return err
	}
	if c.json {
		return usage("run has no document of its own: what PROGRAM writes is its own")
	}
	p, err := c.place()
	if err != nil {
		return err
	}
	var environ []string
	err = c.with(ctx, p, host.Looking, func(h *host.Host) error {
		g, err := h.Refresh(ctx)
		if err != nil {
			return err
		}
		if !g.Adopted {
			return refuse("the workspace %s is not adopted, so that nothing is run in it; mortise %strust adopts it", safe(p.Workspace.Dir), c.nextFlag(p.Workspace.Dir))
		}
		now := h.Mode(ctx, g)
		if len(change.Updates) > 0 {
			if now, err = h.Borrow(ctx, g, change); err != nil {
				return err
			}
		}
		e := g.Plan(ctx, now.Mode).Environment(ctx, c.Env, variable(c.Env, config.EnvVariable))
		if len(change.Updates) > 0 {
			e.Mark = "" // in what it starts the borrowed mode counts as the person's, not the one that is set
		}
		environ = environOf(c.Env, e)
		return nil
	})
	if err != nil {
		return err
	}
	return c.Exec(args, environ)
}

// environOf is an environment with what a plan has to say taken over.
func environOf(environ []string, e *plan.Environment) []string {
	gone := slices.Clone(e.Unset)
	for _, v := range e.Set {
		gone = append(gone, v.Value.Name)
	}
	gone = append(gone, config.EnvVariable)
	out := slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(gone, name)
	})
	for _, v := range e.Set {
		out = append(out, v.Value.Name+"="+v.Value.Value)
	}
	if e.Mark != "" {
		out = append(out, config.EnvVariable+"="+e.Mark)
	}
	return out
}
