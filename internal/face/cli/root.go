package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mortise-dev/mortise/internal/spelling"
)

const rootLong = `Mortise finds every extension that an AI agent could use in a workspace where it
lies, decides which to admit, merges what it admitted, explains the outcome line by
line, and serves it to any MCP client. Looking runs nothing and changes nothing.`

// root makes the commands. They are made anew for each run.
func (c *call) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "mortise",
		Short: "An extension host for AI agents",
		Long:  rootLong,
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(&c.out)
	root.SetErr(c.Err)
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return c.checkFlags(cmd) }
	c.globalFlags(root.PersistentFlags())
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(help(root))
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { c.page(nil).help(cmd) })
	cobra.EnableCommandSorting = false // help lists commands in this order
	cobra.MousetrapHelpText = ""       // nothing waits for a key, wherever it was started from
	root.AddCommand(
		c.serve(), c.list(), c.check(), c.explain(), c.session(),
		c.mode(), c.env(), c.runProgram(), c.doctor(), c.verify(), c.stack(), c.box(), c.plan(), c.status(),
		c.begin(), c.trust(), c.approve(), c.enable(), c.disable(), c.refresh(), c.policy(), c.grant(), c.audit(), c.hook(), c.server(), c.tool(), c.plugin(), c.task(), c.market(), c.make(), c.migrate(), c.imported(), c.state(),
		c.schema(), c.version(), c.completion(root),
	)
	_ = root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(colors, cobra.ShellCompDirectiveNoFileComp))
	_ = root.MarkPersistentFlagDirname("workspace")
	return root
}

func (c *call) globalFlags(f *pflag.FlagSet) {
	f.StringVar(&c.workspace, "workspace", "", "the workspace; without it the nearest `DIR` upwards with mortise.toml, the top of the git checkout, or the current directory")
	f.BoolVar(&c.json, "json", false, "write the result as one JSON document")
	f.StringVar(&c.color, "color", "", "use colours `WHEN`: auto, always or never; without it as output.color says")
}

// checkFlags looks at what flag parsing cannot.
func (c *call) checkFlags(cmd *cobra.Command) error {
	if c.color != "" && !slices.Contains(colors, c.color) {
		return unknown("colour setting", c.color, colors, "use auto, always or never")
	}
	if f := cmd.Flag("workspace"); f.Changed && c.workspace == "" {
		return usage("--workspace names no directory")
	}
	return nil
}

func unknownCommand(root *cobra.Command, name string) error {
	return unknown("command", name, commandNames(root), "mortise help lists them")
}

func commandNames(root *cobra.Command) []string {
	var names []string
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			names = append(names, cmd.Name())
		}
	}
	return names
}

// flagError names the nearest flag. A flag of a command that does not exist is
// not the first thing that is wrong.
func flagError(cmd *cobra.Command, err error) error {
	if args := cmd.Flags().Args(); !cmd.HasParent() && len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		return usage("%s: --%s takes %s, not %s", cmd.CommandPath(), invalid.GetFlag().Name, takes(invalid.GetFlag()), quote(invalid.GetValue()))
	}
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return usage("%s: %w; see %s --help", cmd.CommandPath(), err, cmd.CommandPath())
	}
	if short := missing.GetSpecifiedShortnames(); short != "" {
		return usage("%s has no flag %s; see %s --help", cmd.CommandPath(), quote("-"+short), cmd.CommandPath())
	}
	name := missing.GetSpecifiedName()
	if near := spelling.Nearest(name, flagNames(cmd)); near != "" {
		return usage("%s has no flag %s; did you mean --%s?", cmd.CommandPath(), quote("--"+name), near)
	}
	return usage("%s has no flag %s; see %s --help", cmd.CommandPath(), quote("--"+name), cmd.CommandPath())
}

// takes says what the value of a flag is.
func takes(f *pflag.Flag) string {
	if f.Value.Type() == "bool" {
		return "true or false"
	}
	return "another value"
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// upTo allows at most n arguments; what says what they are.
func upTo(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usage("%s takes at most %s; %s is one too many", cmd.CommandPath(), count(n, what), quote(args[n]))
		}
		return nil
	}
}

// one demands exactly one argument.
func one(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("%s needs %s: %s", cmd.CommandPath(), article(what), useLine(cmd))
		}
		return upTo(1, what)(cmd, args)
	}
}

func article(what string) string {
	if strings.ContainsRune("AEIOU", rune(what[0])) {
		return "an " + what
	}
	return "a " + what
}
