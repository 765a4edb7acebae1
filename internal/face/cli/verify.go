package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

func (c *call) verify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Try whether isolation holds on this machine",
		Long: `Try what is claimed of isolation on this machine, now: each claim by an attempt that
must not succeed. Before it something like it is done that must succeed; where that does
not, nothing is proven, which counts as a fail.

Mortise's own claims are tried with the real parts, in a temporary folder with a home of
its own, which is taken away again. They depend on no extension. Claims of extensions are
those of what is in use in the workspace.

The exit code is 1 when a claim fails. An info is that there is nothing to try here.`,
		Args: upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := c.place()
			if err != nil {
				return err
			}
			return c.prove(cmd.Context(), p)
		},
	}
}

// verifyDoc is the JSON document of verify.
type verifyDoc struct {
	Failed bool         `json:"failed"`
	Claims []verdictRow `json:"claims"`
}

type verdictRow struct {
	Status string `json:"status"` // pass, fail, info
	Name   string `json:"name"`
	From   string `json:"from"` // the extension; "": Mortise itself
	At     string `json:"at"`   // file and line
	Detail string `json:"detail"`
}

func (c *call) prove(ctx context.Context, p host.Place) error {
	begun, clear := c.begun()
	all, err := c.Verify(ctx, p, begun)
	clear()
	if err != nil {
		return err
	}
	doc := verifyDoc{Failed: host.Refuted(all), Claims: []verdictRow{}}
	for i := range all {
		v := &all[i]
		doc.Claims = append(doc.Claims, verdictRow{string(v.Status), v.Name, string(v.From), v.At, v.Detail})
	}
	if c.json {
		err = c.document(doc)
	} else {
		c.page(nil).verdicts(&doc)
	}
	if err == nil && doc.Failed {
		return errNo
	}
	return err
}

func (p *page) verdicts(d *verifyDoc) {
	var t table
	for i := range d.Claims {
		v := &d.Claims[i]
		t.row(cell{v.Status, p.proof}, cell{ext.Escape(v.Name), p.bold}, cell{ext.Escape(v.From), p.dim}, cell{safe(v.Detail), nil})
	}
	t.full(p)
}

func (p *page) proof(word string) string {
	switch word {
	case "pass":
		return p.green(word)
	case "fail":
		return p.red(word)
	}
	return p.yellow(word)
}
