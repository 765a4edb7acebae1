package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	running "github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/instance"
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
	cmd.AddCommand(c.serverList(), c.serverShow(), c.serverLogs(), c.serverRestart())
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
		t.row(cell{ext.Escape(r.Name), p.bold}, cell{state, p.state}, cell{tools, nil}, cell{line(r.Declaration), p.dim}, cell{safe(about), nil})
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

func (c *call) serverShow() *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Show one server: what it is, how it is doing, what it offers",
		Args:              one("NAME"),
		ValidArgsFunction: c.completes(serverNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, rows, err := c.servers(cmd.Context())
			if err != nil {
				return err
			}
			name, err := c.serverName(g, args[0])
			if err != nil {
				return err
			}
			i := slices.IndexFunc(rows, func(r serverRow) bool { return r.Name == name })
			if i < 0 {
				return refuse("%s is declared, and the running host does not know it yet; mortise %srefresh has it look", ext.Escape(name), c.placeFlag())
			}
			row := rows[i]
			if c.json {
				return c.document(row)
			}
			c.page(g.Config).serverPage(g, row)
			return nil
		},
	}
}

func (p *page) serverPage(g *host.Generation, r serverRow) {
	p.line("%s  %s", p.bold(ext.Escape(r.Name)), p.status(r.Status))
	var t table
	row := func(name, text string) {
		if text != "" {
			t.row(cell{name, p.dim}, cell{text, nil})
		}
	}
	row("declared", rootsOf(g.Listing(), p.call).at(p.call, r.Extension, "", r.Path, r.Line))
	row("runs", line(r.Declaration))
	row("why not", safe(r.Reason))
	if s := r.Running; s != nil {
		row("state", string(s.State)+" since "+s.Since.Local().Format(time.DateTime))
		if s.Pid > 0 {
			row("process", fmt.Sprintf("%d, started %s by the host of process %d", s.Pid, times(s.Starts), s.Host))
		}
		row("last error", s.Error)
		row("last end", s.Exit)
		if s.Noise > 0 {
			row("noise", count(s.Noise, "line")+" on standard output that were no messages")
		}
		for _, text := range s.Stderr {
			row("it said", text)
		}
		row("log", p.call.shown(s.Log))
	} else if r.Status == "active" {
		row("state", "not running: no mortise serve of this workspace runs")
	}
	t.full(p)
	p.gap()
	said := "Tools"
	if r.LastKnown {
		said += p.dim(", as it last described them")
	}
	if len(r.Tools) == 0 {
		p.line("It has not described any tools yet.")
		return
	}
	p.line("%s", p.bold(said))
	var tools table
	for _, t := range r.Tools {
		status := t.Status
		if status == "active" {
			status = ""
		}
		tools.row(cell{ext.Escape(t.Name), p.bold}, cell{status, p.status}, cell{line(t.Description), nil})
	}
	tools.write(p)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return decimal(uint64(n)) + " times"
}

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
	p, err := c.place()
	if err != nil {
		return err
	}
	g, err := c.lookAt(ctx, p)
	if err != nil {
		return err
	}
	name, err := c.serverName(g, given)
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
		v.line("%s", line(text))
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

func (c *call) serverRestart() *cobra.Command {
	return &cobra.Command{
		Use:               "restart NAME",
		Short:             "End a running server and start it anew",
		Args:              one("NAME"),
		ValidArgsFunction: c.completes(serverNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.runRestart(cmd.Context(), args[0])
		},
	}
}

func (c *call) runRestart(ctx context.Context, given string) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	g, err := c.lookAt(ctx, p)
	if err != nil {
		return err
	}
	name, err := c.serverName(g, given)
	if err != nil {
		return err
	}
	records, err := instance.Find(c.running(p), p.Workspace.Dir)
	if err != nil {
		return fmt.Errorf("look for running hosts: %w", err)
	}
	restarted := []int{}
	for _, r := range records {
		var got struct{}
		err := request(ctx, r, http.MethodPost, "/api/servers/restart", url.Values{"name": {name}}, &got)
		if ext.KindOf(err) == ext.Usage {
			continue // it does not run there
		} else if err != nil {
			return fmt.Errorf("restart %s: %w", ext.Escape(name), err)
		}
		restarted = append(restarted, r.Process.Pid)
	}
	if len(restarted) == 0 {
		return refuse("%s does not run in any mortise serve of this workspace; mortise %sserver show %s says why", ext.Escape(name), c.nextFlag(p.Workspace.Dir), word(name))
	}
	if c.json {
		return c.document(struct {
			Name  string `json:"name"`
			Hosts []int  `json:"hosts"`
		}{name, restarted})
	}
	c.page(g.Config).line("Restarted %s.", ext.Escape(name))
	return nil
}

// serverNames are the qualified names of the declared servers.
func serverNames(g *host.Generation) []string {
	var names []string
	for _, e := range g.Listing().Entries {
		if e.Surface == "server" {
			names = append(names, e.Qualified)
		}
	}
	return names
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
