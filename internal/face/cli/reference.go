package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const referenceHead = `# Commands

<!-- Generated from the commands themselves; make gen rewrites it. -->

`

const referenceCodes = `## Exit codes

| code | meaning |
|--:|---|
| 0 | done |
| 1 | done, and the answer is no: findings that fail a check, a request that is refused |
| 2 | usage: an unknown command, flag, name or key; the nearest known one is named |
| 3 | it could not be done |
`

// Reference is the page that describes every command, as Markdown. It is made
// from the commands themselves and is the same on every machine.
func Reference() string {
	c := &call{App: &App{}}
	root := c.root()
	var b strings.Builder
	b.WriteString(referenceHead + root.Long + "\n\n")
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			fmt.Fprintf(&b, "- [`mortise %s`](#mortise-%s): %s\n", cmd.Name(), cmd.Name(), cmd.Short)
		}
	}
	b.WriteString("\n## Flags of every command\n\n")
	flags(&b, root.PersistentFlags())
	b.WriteString("\nWhat a command shows goes to standard output, diagnostics to standard error. No command waits for input.\n\n")
	b.WriteString(referenceCodes)
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			describe(&b, cmd)
		}
	}
	return b.String()
}

// describe is the section about a command, then those about the commands below.
func describe(b *strings.Builder, cmd *cobra.Command) {
	level := strings.Repeat("#", strings.Count(cmd.CommandPath(), " ")+1)
	fmt.Fprintf(b, "\n%s %s\n\n    %s\n\n", level, cmd.CommandPath(), useLine(cmd))
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	b.WriteString(long + "\n")
	if len(described(cmd.LocalNonPersistentFlags())) > 0 {
		b.WriteString("\n")
		flags(b, cmd.LocalNonPersistentFlags())
	}
	if cmd.Example != "" {
		b.WriteString("\n```sh\n" + cmd.Example + "\n```\n")
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			describe(b, sub)
		}
	}
}

func flags(b *strings.Builder, set *pflag.FlagSet) {
	b.WriteString("| flag | meaning |\n|---|---|\n")
	for _, f := range described(set) {
		fmt.Fprintf(b, "| `%s` | %s |\n", f.name, f.usage)
	}
}
