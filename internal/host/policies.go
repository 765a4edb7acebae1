package host

import (
	"context"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/session"
)

// Proposed are the guards that are asked once what is here now is adopted; those
// in use where it is.
func (g *Generation) Proposed() *guard.Set {
	if g.Adopted && g.Lapsed == nil {
		return g.Guards()
	}
	return guard.New(guard.Members{Composition: g.Trial(), Decisions: g.decisions, Adopted: true})
}

// Past is a call as the log remembers it.
type Past struct {
	Tool      string // as the client called it
	Extension ext.Name
	Server    string
	Client    string
	Arguments []byte // nil: they were not kept
	Keyless   bool   // it had no arguments
	Was       guard.Verdict
}

// Replayed is what policies would come to about a past call.
type Replayed struct {
	Now     guard.Verdict
	By      []string
	Decided bool // else a policy that may be about it reads what the log did not keep
}

// Replay judges past calls by the policies of a set. Of a call the log keeps what it
// was of and who made it, and the arguments where it was told to.
func (g *Generation) Replay(ctx context.Context, set *guard.Set, p *Past) Replayed {
	c := guard.Call{Tool: p.Tool, Extension: p.Extension, Server: p.Server, Client: p.Client, Arguments: p.Arguments}
	if p.Keyless {
		c.Arguments = []byte("{}")
	}
	o := g.view(session.OfferOptions{NameLimit: g.Config.Gateway.NameLimit}).Offers.Tool(p.Tool)
	if o != nil && o.Entry.Extension == p.Extension {
		c.Qualified = o.Entry.Qualified
	}
	var r Replayed
	r.Now, r.By, r.Decided = set.Replay(ctx, &c, func(reads string) bool {
		variable, _, _ := strings.Cut(reads, ".")
		switch variable {
		case "client":
			return true
		case "arguments":
			return c.Arguments != nil
		}
		return false // sessions are kept by a hash, and what a tool said of itself not at all
	})
	return r
}
