package cli

import (
	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/internal/config"
)

// schemaNames are the schemas that can be asked for.
var schemaNames = []string{"config"}

func (c *call) schema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [config]",
		Short: "Print the JSON Schema of the configuration",
		Long: `Print the JSON Schema of a configuration file, for editors that check and complete
TOML by one. It is the same for mortise.toml, mortise.local.toml and config.toml.`,
		Example:   "mortise schema > mortise.schema.json",
		Args:      upTo(1, "name"),
		ValidArgs: schemaNames,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] != "config" {
				return unknown("schema", args[0], schemaNames, "there is config")
			}
			data, err := config.Schema()
			c.out.Write(data)
			return err
		},
	}
}
