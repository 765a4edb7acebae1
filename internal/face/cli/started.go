package cli

import (
	"context"
	"encoding/json"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

// started is the JSON document of serve.
type started struct {
	Workspace string        `json:"workspace"`
	Address   string        `json:"address"`
	URL       string        `json:"url"`
	TokenFile string        `json:"token_file,omitempty"` // of the token that each request needs; "" where none is needed
	Already   bool          `json:"already"`              // another process serves it
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
	url := endpointURL(ctx, address, s.public.tls != nil)
	c.exposure(s.public)
	if c.json {
		doc := started{Workspace: s.place.Workspace.Dir, Address: address, URL: url, TokenFile: s.public.file(), Adopted: g.Adopted, Listing: g.Listing()}
		if err := c.document(doc); err != nil {
			return err
		}
		return c.flush()
	}
	p := c.page(g.Config)
	p.served(g)
	p.connect(url, s.public.file())
	return c.flush()
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

// tokenVariable is the variable in which clients are told to look for the token
// that read it from their environment.
const tokenVariable = "MCP_TOKEN"

// connect says how each client is connected, with the token in a file where one is
// needed. The token itself stands nowhere: a shell reads it from the file.
func (p *page) connect(url, file string) {
	entry := map[string]any{"type": "http", "url": url}
	header, pair, variable := "", "", ""
	if file != "" {
		entry["headers"] = map[string]string{"Authorization": "Bearer TOKEN"}
		header = ` --header "Authorization: Bearer $(cat ` + word(file) + `)"`
		pair = ` --header "Authorization=Bearer $(cat ` + word(file) + `)"`
		variable = " --bearer-token-env-var " + tokenVariable
	}
	generic, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"mortise": entry}})
	if err != nil {
		panic(err) // texts
	}
	p.gap()
	p.line("%s %s", p.bold("Serving MCP at"), p.green(url))
	p.gap()
	p.line("%s", p.bold("Connect"))
	var t table
	t.row(cell{"Claude Code", nil}, cell{"claude mcp add --transport http mortise " + url + header, nil})
	t.row(cell{"Codex", nil}, cell{"codex mcp add mortise --url " + url + variable, nil})
	t.row(cell{"Gemini CLI", nil}, cell{"gemini mcp add --transport http mortise " + url + header, nil})
	t.row(cell{"OpenCode", nil}, cell{"opencode mcp add mortise --url " + url + pair, nil})
	t.row(cell{"another client", nil}, cell{string(generic), nil})
	t.full(p)
	if file != "" {
		p.line("TOKEN is what %s holds; Codex looks for it in the variable %s.", p.call.shown(file), tokenVariable)
	}
	p.gap()
	p.line("%s", p.dim("Ctrl-C ends it and all that it started."))
}
