package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

// completes offers words for the first argument of a command.
func (c *call) completes(words func(*host.Generation) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		g, err := c.look(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return typeable(words(g)), cobra.ShellCompDirectiveNoFileComp
	}
}

// typeable keeps the names that mean nothing but themselves to any shell. A
// shell puts into the line what it is offered, and some read it once more:
// names come from extensions, so that one could be a command.
func typeable(names []string) []string {
	var out []string
	for _, n := range names {
		if n != "" && n[0] != '-' && !strings.ContainsFunc(n, telling) {
			out = append(out, n)
		}
	}
	return out
}

// telling is true for characters that could mean something to a shell.
func telling(r rune) bool { return special(r) || strings.ContainsRune("%=,", r) }

// surfaces are the names of the build's surfaces, in catalogue order.
func (c *call) surfaces() []string {
	names := make([]string, len(c.Specs))
	for i, s := range c.Specs {
		names[i] = s.Name
	}
	return names
}

// subjects are what can be switched off: extensions, and entries by their
// qualified names.
func subjects(g *host.Generation) []string {
	l := g.Listing()
	var names []string
	for _, x := range l.Extensions {
		if x.Name != string(ext.BuiltinName) {
			names = append(names, x.Name)
		}
	}
	for _, e := range l.Entries {
		names = append(names, e.Qualified)
	}
	return names
}
