package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	running "github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/host"
)

// status is how a server is doing in a running host.
type status struct {
	running.Status
	Host int `json:"host,omitempty"` // the process of the host
}

func (c *call) server() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "server",
		Short: "Look at the MCP servers of the workspace",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("server command", args[0], commandNames(cmd), "there are "+enumerate(commandNames(cmd)))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(c.serverList(), c.serverShow(), c.serverLogs(), c.serverRestart(), c.serverTest())
	return cmd
}

func (c *call) serverList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the servers and how they are doing",
		Long: `List every server that an extension declares: whether it may run, and how it is doing
in a running mortise serve of this workspace. This command starts none.`,
		Args: upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			g, rows, err := c.servers(cmd.Context())
			if err != nil {
				return err
			}
			if c.json {
				return c.document(struct {
					Servers []serverRow `json:"servers"`
				}{rows})
			}
			c.page(g.Config).serverTable(rows)
			return nil
		},
	}
}

// serverRow is one declared server and how it is doing.
type serverRow struct {
	Name        string    `json:"name"`
	Extension   string    `json:"extension"`
	Status      string    `json:"status"` // as in list: active, pending, refused, disabled
	Reason      string    `json:"reason"` // why it is not active
	State       string    `json:"state"`  // in a running host; "" where none runs it
	Declaration string    `json:"declaration"`
	Path        string    `json:"path"`
	Line        int       `json:"line"`
	Tools       []toolRow `json:"tools"` // as they were last described
	Running     *status   `json:"running"`
	LastKnown   bool      `json:"last_known"` // nothing running stands behind Tools
}

// toolRow is one tool of a server.
type toolRow struct {
	Name        string `json:"name"`
	Status      string `json:"status"`
	Description string `json:"description"`
}

// servers are the declared servers with how they are doing: as a running host
// has them, which may hold more than is recorded, else as a look finds them.
func (c *call) servers(ctx context.Context) (*host.Generation, []serverRow, error) {
	p, err := c.place()
	if err != nil {
		return nil, nil, err
	}
	g, err := c.lookAt(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	now, err := c.doing(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	l := now.listing
	if l == nil {
		l = g.Listing()
	}
	rows := []serverRow{}
	for _, e := range l.Entries {
		if e.Surface == "server" {
			rows = append(rows, serverRowOf(g, l, e, now.servers))
		}
	}
	return g, rows, nil
}

func serverRowOf(g *host.Generation, l *host.Listing, e host.EntryRow, doing map[string]status) serverRow {
	row := serverRow{
		Name: e.Qualified, Extension: e.Extension, Status: e.Status, Declaration: e.Description, Path: e.Path, Line: e.Line, Tools: []toolRow{},
	}
	if e.Status != "active" {
		row.Reason = whyNot(g, e.Qualified)
	}
	for _, t := range l.Entries {
		if name, ok := strings.CutPrefix(t.Qualified, e.Qualified+"/"); ok && t.Surface == "tool" {
			row.Tools = append(row.Tools, toolRow{name, t.Status, t.Description})
		}
	}
	if s, ok := doing[e.Qualified]; ok {
		row.Running, row.State = &s, string(s.State)
	}
	row.LastKnown = len(row.Tools) > 0 && row.State != string(running.Ready)
	return row
}

// whyNot is why a server does not run, of its own or with its extension; "" when
// nobody said.
func whyNot(g *host.Generation, server string) string {
	for _, e := range g.Explain(server).Entries {
		if e.Surface == "server" && e.Reason != "" {
			return e.Reason
		}
	}
	x, _, _ := ext.SplitQualified(server)
	for _, e := range g.Explain(string(x)).Extensions {
		return e.Reason
	}
	return ""
}

func (p *page) serverTable(rows []serverRow) {
	if len(rows) == 0 {
		p.line("No extension here declares a server.")
		return
	}
	var t table
	for _, r := range rows {
		state, about := "not running", r.Reason
		if r.Running != nil {
			state = r.State
			about = r.Running.Error
		}
		if r.Status != "active" {
			state = r.Status
		}
		tools := count(len(r.Tools), "tool")
		if r.LastKnown {
			tools += " (last known)"
		}
		t.row(cell{ext.Escape(r.Name), p.bold}, cell{state, p.state}, cell{tools, nil}, cell{bounded(r.Declaration), p.dim}, cell{cut(about, safe), nil})
	}
	t.write(p)
}

// state paints the word for how a server is doing.
func (p *page) state(word string) string {
	switch word {
	case "ready":
		return p.green(word)
	case "failed", "refused":
		return p.red(word)
	}
	return p.yellow(word)
}

// serverNames are the qualified names of the declared servers.
func serverNames(g *host.Generation) []string {
	var names []string
	for _, e := range g.Entries("server") {
		names = append(names, e.Qualified)
	}
	return names
}

// serverMeant is the place that a command is about, as it is now, and the server
// that a person means there.
func (c *call) serverMeant(ctx context.Context, given string) (p host.Place, g *host.Generation, name string, err error) {
	if p, err = c.place(); err != nil {
		return p, nil, "", err
	}
	if g, err = c.lookAt(ctx, p); err != nil {
		return p, nil, "", err
	}
	name, err = c.serverName(g, given)
	return p, g, name, err
}

// serverName is the qualified name of the server that a person means by a
// qualified or a short name.
func (c *call) serverName(g *host.Generation, given string) (string, error) {
	var means []string
	known := serverNames(g)
	for _, name := range known {
		_, short, _ := ext.SplitQualified(name)
		if name == given {
			return name, nil
		}
		if short == given {
			means = append(means, name)
		}
		known = append(known, short)
	}
	switch {
	case len(means) == 1:
		return means[0], nil
	case len(means) > 1:
		return "", usage("%s means %s; use the full name", quote(given), either(escaped(means)))
	}
	return "", unknown("server", given, known, "mortise "+c.placeFlag()+"server list shows those there are")
}
