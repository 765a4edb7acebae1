package cli

import (
	"github.com/spf13/cobra"
)

// versionDoc is the JSON document of version.
type versionDoc struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	System   string `json:"system"`
}

func (c *call) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print what this program was built from",
		Args:  upTo(0, "argument"),
		RunE: func(*cobra.Command, []string) error {
			if c.json {
				return c.document(versionDoc(c.Build))
			}
			c.page(nil).line("mortise %s%s, %s %s", c.Build.Version, revision(c.Build), c.Build.Go, c.Build.System)
			return nil
		},
	}
}

func revision(b Build) string {
	switch {
	case b.Revision == "":
		return ""
	case b.Modified:
		return " (" + b.Revision + ", with changes)"
	}
	return " (" + b.Revision + ")"
}
