package cli

import (
	"github.com/spf13/cobra"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func (c *call) completion(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script that completes commands and names in a shell",
		Long: `Print a script that completes commands, flags, surfaces and the names of
extensions and entries in bash, zsh, fish or powershell.`,
		Example: `source <(mortise completion bash)
mortise completion zsh > "${fpath[1]}/_mortise"
mortise completion fish > ~/.config/fish/completions/mortise.fish
mortise completion powershell | Out-String | Invoke-Expression`,
		Args:      one("SHELL"),
		ValidArgs: shells,
		RunE: func(_ *cobra.Command, args []string) error {
			if c.json {
				return usage("a completion script has no JSON form; leave out --json")
			}
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(&c.out, true)
			case "zsh":
				return root.GenZshCompletion(&c.out)
			case "fish":
				return root.GenFishCompletion(&c.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(&c.out)
			}
			return unknown("shell", args[0], shells, "there are bash, zsh, fish and powershell")
		},
	}
}
