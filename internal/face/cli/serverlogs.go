package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
)

func (c *call) serverLogs() *cobra.Command {
	lines := 50
	cmd := &cobra.Command{
		Use:   "logs NAME",
		Short: "Show what a server printed beside the protocol",
		Long: `Show the end of a server's log: what it wrote to standard error, what it printed that
was no message, and when it started and ended. The log stays when the host ends.`,
		Args:              one("NAME"),
		ValidArgsFunction: c.completes(serverNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			if lines < 1 {
				return usage("mortise server logs: --lines takes a number from 1")
			}
			return c.runLogs(cmd.Context(), args[0], lines)
		},
	}
	cmd.Flags().IntVarP(&lines, "lines", "n", lines, "how many `LINES` from the end")
	return cmd
}

func (c *call) runLogs(ctx context.Context, given string, lines int) error {
	p, g, name, err := c.serverMeant(ctx, given)
	if err != nil {
		return err
	}
	file := p.ServerLog(name)
	last, err := tail(lines, file+".1", file)
	if err != nil {
		return fmt.Errorf("read the log of %s: %w", ext.Escape(name), err)
	}
	if c.json {
		return c.document(struct {
			Name  string   `json:"name"`
			File  string   `json:"file"`
			Lines []string `json:"lines"`
		}{name, file, last})
	}
	v := c.page(g.Config)
	if len(last) == 0 {
		v.line("There is no log of %s: it was not started here yet.", ext.Escape(name))
	}
	for _, text := range last {
		v.line("%s", safe(text)) // what is foreign in it was escaped when it was written
	}
	return nil
}

// tail is the last lines of files that follow each other.
func tail(n int, files ...string) ([]string, error) {
	out := []string{}
	for _, name := range files {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		s := bufio.NewScanner(f)
		s.Buffer(make([]byte, 0, 64<<10), 4<<20)
		for s.Scan() {
			if out = append(out, s.Text()); len(out) > n {
				out = out[1:]
			}
		}
		if err := errors.Join(s.Err(), f.Close()); err != nil {
			return nil, err
		}
	}
	return out, nil
}
