// Command bare is the least that a command line with a database can cost: it
// parses a command, opens a SQLite file, reads a row, and prints it.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

func main() {
	cmd := &cobra.Command{
		Use:  "bare FILE",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := sqlstore.Peek(context.Background(), args[0])
			if err == nil {
				fmt.Println(s.Revision)
			}
			return err
		},
	}
	if cmd.Execute() != nil {
		os.Exit(1)
	}
}
