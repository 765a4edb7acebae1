package cli

import (
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

// granted is the JSON document of one consent that is remembered.
type granted struct {
	Kind    string     `json:"kind"`    // answer, code, pin, …
	Subject string     `json:"subject"` // as show and revoke take it
	Surface string     `json:"surface"` // of what is pinned; else ""
	Server  string     `json:"server"`  // that offers what is pinned; else ""
	Digest  ext.Digest `json:"digest"`  // of what it is to: a guard and a tool, a plugin's directory, a definition
	By      string     `json:"by"`
	At      time.Time  `json:"at"`
	Until   *time.Time `json:"until"` // null: until what it is to changes
	Lapsed  bool       `json:"lapsed"`
}

func grantedOf(g *host.Consented) granted {
	out := granted{Kind: g.Kind, Subject: g.Subject, Surface: g.Surface, Server: g.Server, Digest: g.Digest, By: g.By, At: g.At}
	if !g.Until.IsZero() {
		out.Until, out.Lapsed = &g.Until, !time.Now().Before(g.Until)
	}
	return out
}

// grantKinds are what consents of each kind hold until.
var grantKinds = map[string]string{
	host.GrantAnswer: "the tool or the guard changes",
	host.KindCode:    "anything in the plugin's directory changes",
	host.KindPin:     "the definition changes",
}

// lasts says how long a consent holds.
func lasts(g granted) string {
	change := grantKinds[g.Kind]
	if change == "" {
		change = "it changes"
	}
	switch {
	case g.Lapsed:
		return "no more: it ended on " + g.Until.Local().Format("2 Jan 2006 15:04")
	case g.Until != nil:
		return "until " + g.Until.Local().Format("2 Jan 2006 15:04") + ", or until " + change
	}
	return "until " + change
}

func (c *call) grantList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List what was consented to",
		Long: `List the consents that are remembered: answers to guards that ask, the code of plugins,
and the definitions of what servers offer in this workspace (pins), which are counted
by server here; --json has each.`,
		Args: upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := c.consents(cmd)
			if err != nil {
				return err
			}
			if c.json {
				rows := []granted{}
				for i := range all {
					rows = append(rows, grantedOf(&all[i]))
				}
				return c.document(struct {
					Grants []granted `json:"grants"`
				}{rows})
			}
			c.page(nil).granted(all)
			return nil
		},
	}
}

// consents are all consents that are remembered.
func (c *call) consents(cmd *cobra.Command) (all []host.Consented, err error) {
	p, err := c.place()
	if err != nil {
		return nil, err
	}
	err = c.with(cmd.Context(), p, host.Looking, func(h *host.Host) (err error) {
		all, err = h.Consents(cmd.Context())
		return err
	})
	return all, err
}

// granted lists consents, pins by their server.
func (p *page) granted(all []host.Consented) {
	if len(all) == 0 {
		p.line("Nothing is granted. A guard that asks is answered by mortise grant call TOOL --for GUARD, a plugin's code is granted by mortise trust, and what its servers offer by mortise approve.")
		return
	}
	var t table
	for i := 0; i < len(all); i++ {
		g := &all[i]
		subject, digest := g.Subject, g.Digest.Short()
		if g.Kind == host.KindPin {
			last := i
			for last+1 < len(all) && all[last+1].Kind == host.KindPin && all[last+1].Server == g.Server {
				last++
			}
			subject, digest = g.Server, count(last-i+1, "definition")
			g = newest(all[i : last+1])
			i = last
		}
		t.row(
			cell{g.Kind, nil}, cell{bounded(subject), p.bold}, cell{digest, p.dim}, cell{lasts(grantedOf(g)), nil},
			cell{ext.Escape(g.By), p.dim}, cell{g.At.Local().Format("2 Jan 2006 15:04"), p.dim},
		)
	}
	t.full(p)
}

func newest(all []host.Consented) *host.Consented {
	last := &all[0]
	for i := range all {
		if all[i].At.After(last.At) {
			last = &all[i]
		}
	}
	return last
}

func (c *call) grantShow() *cobra.Command {
	return &cobra.Command{
		Use:     "show SUBJECT",
		Short:   "Show what a consent is to, whole",
		Long:    "Show every consent to SUBJECT, as grant list names it: of a pin the definition that was approved, of a server those of all that it offers.",
		Example: "mortise grant show acme:search/find\nmortise grant show acme",
		Args:    one("SUBJECT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := c.place()
			if err != nil {
				return err
			}
			return c.with(cmd.Context(), p, host.Looking, func(h *host.Host) error {
				all, err := h.Consents(cmd.Context())
				if err != nil {
					return err
				}
				if all, err = host.About(all, args[0]); err != nil {
					return err
				}
				return c.showGranted(h, all)
			})
		},
	}
}

func (c *call) showGranted(h *host.Host, all []host.Consented) error {
	type shown struct {
		granted
		Definition json.RawMessage `json:"definition"` // of a pin, where it is kept; else null
	}
	rows := []shown{}
	for i := range all {
		rows = append(rows, shown{grantedOf(&all[i]), h.Definition(&all[i])})
	}
	if c.json {
		return c.document(struct {
			Grants []shown `json:"grants"`
		}{rows})
	}
	p := c.page(nil)
	for i, r := range rows {
		if i > 0 {
			p.gap()
		}
		p.line("%s  %s", p.bold(ext.Escape(r.Subject)), r.Kind)
		var t table
		t.row(cell{"digest", p.dim}, cell{r.Digest.String(), nil})
		t.row(cell{"given", p.dim}, cell{"on " + r.At.Local().Format("2 Jan 2006 15:04") + by(r.By), nil})
		t.row(cell{"holds", p.dim}, cell{lasts(r.granted), nil})
		t.full(p)
		switch {
		case r.Definition != nil:
			p.definition(r.Definition)
		case r.Kind == host.KindPin:
			p.line("  %s", p.dim("the definition is not kept"))
		}
	}
	return nil
}

func (c *call) grantRevoke() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke SUBJECT",
		Short: "Take back what was consented to",
		Long: `Take back every consent to SUBJECT, as grant list names it: an answer, a plugin's code,
a definition, or with a server's name those of all that it offers. It holds for the
very next call; what it was to waits again.`,
		Example: "mortise grant revoke \"owner:confirm for acme:deploy\"\nmortise grant revoke acme:search/find",
		Args:    one("SUBJECT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := c.place()
			if err != nil {
				return err
			}
			var gone []host.Consented
			err = c.with(cmd.Context(), p, host.Changing, func(h *host.Host) (err error) {
				gone, err = h.Revoke(cmd.Context(), args[0], c.Person())
				return err
			})
			if err != nil {
				return err
			}
			if c.json {
				return c.document(struct {
					Subject string `json:"subject"`
					Revoked int    `json:"revoked"`
				}{args[0], len(gone)})
			}
			view := c.page(nil)
			for i := range gone {
				view.line("Revoked %s (%s).", ext.Escape(gone[i].Subject), gone[i].Kind)
			}
			return nil
		},
	}
}
