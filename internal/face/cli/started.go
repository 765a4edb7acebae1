package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

// started is the JSON document of serve.
type started struct {
	Workspace string        `json:"workspace"`
	Address   string        `json:"address"`
	URL       string        `json:"url"`
	Already   bool          `json:"already"` // another process serves it
	Adopted   bool          `json:"adopted"`
	Listing   *host.Listing `json:"listing,omitempty"`
}

// told says what is served and how to connect. Over standard input and output
// that goes to standard error: the rest is the client's.
func (s *serving) told(ctx context.Context) error {
	g, c := s.host.Now(), s.call
	if s.options.stdio {
		p := c.page(g.Config)
		p.served(g)
		_, err := c.Err.Write(c.out.Bytes())
		c.out.Reset()
		return err
	}
	address := s.public.Addr().String()
	if exposed(s.public.Addr()) {
		c.complain(fmt.Errorf("whoever reaches %s from another machine may call every tool; --http 127.0.0.1:PORT keeps it to this one", address))
	}
	if c.json {
		if err := c.document(started{Workspace: s.place.Workspace.Dir, Address: address, URL: endpointURL(ctx, address), Adopted: g.Adopted, Listing: g.Listing()}); err != nil {
			return err
		}
		return c.flush()
	}
	p := c.page(g.Config)
	p.served(g)
	p.connect(endpointURL(ctx, address))
	return c.flush()
}

// exposed reports whether other machines may reach an address.
func exposed(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && !tcp.IP.IsLoopback()
}

// served is the table of what was found.
func (p *page) served(g *host.Generation) {
	l := g.Listing()
	p.head(g)
	p.adoption(g, l)
	p.gap()
	p.line("%s", p.bold("Extensions"))
	has, states := holdingsOf(l), statesOf(l)
	var t table
	for _, x := range l.Extensions {
		n := states[x.Name]
		t.row(
			cell{ext.Escape(x.Name), p.bold}, cell{format(x), nil}, cell{x.Status, p.status}, cell{has.of(&x, p.call), nil},
			cell{some0(n.refused, "refused"), p.red}, cell{some0(n.pending, "pending"), p.yellow},
		)
	}
	t.full(p)
	p.gap()
	p.totals(l)
	if n := tally(l.Findings); n.errors+n.warnings > 0 {
		p.line("%s, %s: mortise %slist shows them.", count(n.errors, "error"), count(n.warnings, "warning"), p.call.nextFlag(g.Config.Workspace().Dir))
	}
}

// states counts the entries of an extension that are not active.
type states struct{ refused, pending int }

func statesOf(l *host.Listing) map[string]states {
	out := map[string]states{}
	for _, e := range l.Entries {
		n := out[e.Extension]
		switch e.Status {
		case "refused":
			n.refused++
		case "pending":
			n.pending++
		}
		out[e.Extension] = n
	}
	return out
}

// some0 is "2 pending", "" for none.
func some0(n int, what string) string {
	if n == 0 {
		return ""
	}
	return decimal(uint64(n)) + " " + what
}

// connect says how each client is connected.
func (p *page) connect(url string) {
	generic, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"mortise": map[string]string{"type": "http", "url": url}}})
	if err != nil {
		panic(err) // texts
	}
	p.gap()
	p.line("%s %s", p.bold("Serving MCP at"), p.green(url))
	p.gap()
	p.line("%s", p.bold("Connect"))
	var t table
	t.row(cell{"Claude Code", nil}, cell{"claude mcp add --transport http mortise " + url, nil})
	t.row(cell{"Codex", nil}, cell{"codex mcp add mortise --url " + url, nil})
	t.row(cell{"Gemini CLI", nil}, cell{"gemini mcp add --transport http mortise " + url, nil})
	t.row(cell{"another client", nil}, cell{string(generic), nil})
	t.full(p)
	p.gap()
	p.line("%s", p.dim("Ctrl-C ends it and all that it started."))
}
