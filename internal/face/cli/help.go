package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// help is the command that shows the help of another.
func help(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		Args:  upTo(1, "COMMAND"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return root.Help()
			}
			cmd, _, err := root.Find(args)
			if err != nil || cmd == root {
				return unknownCommand(root, args[0])
			}
			return cmd.Help()
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return commandNames(root), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// help shows what a command does and takes.
func (p *page) help(cmd *cobra.Command) {
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	p.line("%s", about)
	p.section("Usage")
	if cmd.HasParent() {
		p.line("  %s", useLine(cmd))
	} else {
		p.line("  %s COMMAND", cmd.Name())
	}
	if cmd.HasAvailableSubCommands() {
		p.section("Commands")
		var t table
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				t.row(cell{sub.Name(), p.bold}, cell{sub.Short, nil})
			}
		}
		t.full(p)
	}
	if cmd.Example != "" {
		p.section("Examples")
		for _, example := range strings.Split(cmd.Example, "\n") {
			p.line("  %s", example)
		}
	}
	if local := cmd.LocalNonPersistentFlags(); cmd.HasParent() && local.HasAvailableFlags() {
		p.flags("Flags", local)
	}
	p.flags("Flags of every command", cmd.Root().PersistentFlags())
}

func (p *page) section(name string) {
	p.gap()
	p.line("%s", p.bold(name))
}

func (p *page) flags(name string, set *pflag.FlagSet) {
	var t table
	for _, f := range described(set) {
		t.row(cell{f.name, nil}, cell{f.usage, nil})
	}
	if len(t.rows) > 0 {
		p.section(name)
		t.full(p)
	}
}

// option is one flag as it is described.
type option struct{ name, usage string }

// described are the flags of a set that are worth a line.
func described(set *pflag.FlagSet) []option {
	var out []option
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name + after(" ", value)
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		out = append(out, option{name, usage})
	})
	return out
}

// useLine is how a command is called.
func useLine(cmd *cobra.Command) string {
	line := cmd.CommandPath() + strings.TrimPrefix(cmd.Use, cmd.Name())
	for _, f := range described(cmd.LocalNonPersistentFlags()) {
		if name := f.name[strings.Index(f.name, "--"):]; !strings.Contains(line, name) {
			line += " [" + name + "]"
		}
	}
	return line
}
