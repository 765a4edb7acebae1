package mortise

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/hook/toolcall"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/notification"
	"github.com/mortise-dev/mortise/internal/surface/policy"
)

// Extension is one extension of a composition.
type Extension struct {
	Name   string
	Trust  ext.Trust
	Digest ext.Digest // of all that it contributes, its version included, but for the code of its functions
	// How much of each it contributes.
	Tools, Fragments, Policies, Guards, Servers, Notifications, Hooks, Lifecycle int
}

// Offer is a tool under the name that agents call it by.
type Offer struct {
	Name        string
	Extension   string
	Title       string
	Description string
	Input       json.RawMessage // JSON Schema of the arguments
	Annotations json.RawMessage // hints as MCP has them; nil when there are none
}

func byName(a, b offer) int { return cmp.Compare(a.Name, b.Name) }

// Placed is a fragment in its place.
type Placed struct {
	Fragment
	Extension string
	Layer     string // whose text it is: "mortise" or "extension"
}

// Guarding is a policy or a guard of a composition.
type Guarding struct {
	Name      string // qualified: "extension:name"
	Kind      string // "policy" or "guard"
	Extension string
	Tools     []string // that it is about; none: all
}

// Extensions are the extensions, in the order of the providers.
func (c *Composed) Extensions() []Extension {
	out := make([]Extension, len(c.parts))
	for i, p := range c.parts {
		out[i] = p.holds
	}
	return out
}

// Tools are all tools, by the names that agents call them by.
func (c *Composed) Tools() []Offer { return shown(c.offers) }

func shown(offers []offer) []Offer {
	out := make([]Offer, len(offers))
	for i := range offers {
		out[i] = offers[i].shown()
	}
	return out
}

// shown is an offer for somebody who may change it.
func (o *offer) shown() Offer {
	out := o.Offer
	out.Input, out.Annotations = slices.Clone(o.Input), slices.Clone(o.Annotations)
	return out
}

// Fragments are all fragments, in the order in which an agent reads them.
func (c *Composed) Fragments() []Placed {
	out := make([]Placed, len(c.session.Prompt))
	for i, f := range c.session.Prompt {
		out[i] = Placed{
			Fragment:  Fragment{Name: f.Name, Description: f.Description, Tier: Tier(f.Value.Tier.String()), Order: f.Value.Order, Text: f.Value.Text},
			Extension: string(f.Extension), Layer: f.Layer.String(),
		}
	}
	return out
}

// Guards are all policies, then all guards, each in the order of the providers.
func (c *Composed) Guards() []Guarding {
	var out []Guarding
	for _, e := range c.composition.Entries(policy.Surface.Spec) {
		tools := []string(nil)
		if p, ok := e.Value.(policy.Policy); ok {
			tools = p.Tools
		}
		out = append(out, Guarding{e.Qualified, "policy", string(e.Extension), slices.Clone(tools)})
	}
	for _, e := range c.composition.Entries(toolcall.Before.Spec) {
		tools := []string(nil)
		if im, ok := e.Value.(surface.Implementation); ok {
			tools = im.Matches
		}
		out = append(out, Guarding{e.Qualified, "guard", string(e.Extension), slices.Clone(tools)})
	}
	return out
}

// Findings are everything that was noticed about what is composed. None of them is
// an error: that would have refused it.
func (c *Composed) Findings() ext.Findings { return slices.Clone(c.findings) }

// Digest identifies the composition, but for lifecycle hooks and for the code of all
// functions: equal digests, equal tools, text and guards.
func (c *Composed) Digest() ext.Digest { return c.composition.Digest() }

// String lists what is composed, one line each.
func (c *Composed) String() string {
	var b strings.Builder
	for _, x := range c.Extensions() {
		fmt.Fprintf(&b, "extension %s (%s): %d tools, %d fragments, %d policies, %d guards", x.Name, x.Trust, x.Tools, x.Fragments, x.Policies, x.Guards)
		if x.Servers > 0 {
			fmt.Fprintf(&b, ", %d servers", x.Servers)
		}
		if x.Notifications > 0 {
			fmt.Fprintf(&b, ", %d notifications", x.Notifications)
		}
		if x.Hooks > 0 {
			fmt.Fprintf(&b, ", %d hooks", x.Hooks)
		}
		if x.Lifecycle > 0 {
			fmt.Fprintf(&b, ", %d lifecycle hooks", x.Lifecycle)
		}
		b.WriteByte('\n')
	}
	for _, s := range c.session.Servers {
		fmt.Fprintf(&b, "server %s: %s\n", s.Qualified, ext.Escape(ext.Shorten(s.Value.Consents(), 200)))
	}
	for _, t := range c.offers {
		fmt.Fprintf(&b, "tool %s of %s: %s\n", t.Name, t.Extension, ext.Escape(ext.Shorten(t.Description, 100)))
	}
	for _, f := range c.session.Prompt {
		fmt.Fprintf(&b, "fragment %s: %s layer, tier %s, order %d\n", f.Qualified, f.Layer, f.Value.Tier, f.Value.Order)
	}
	for _, g := range c.Guards() {
		about := "all tools"
		if len(g.Tools) > 0 {
			about = ext.Escape(strings.Join(g.Tools, ", "))
		}
		fmt.Fprintf(&b, "%s %s: about %s\n", g.Kind, g.Name, about)
	}
	for _, n := range compose.Of(c.composition, notification.Surface) {
		fmt.Fprintf(&b, "notification %s: %s, %s\n", n.Qualified, n.Value.Severity, ext.Escape(ext.Shorten(n.Value.Title, 100)))
	}
	for _, p := range c.parts {
		for _, h := range p.lifecycle {
			fmt.Fprintf(&b, "lifecycle hook %s: %s\n", ext.Qualified(p.name, h.Name), h.Phase)
		}
	}
	for _, f := range c.findings {
		fmt.Fprintf(&b, "%s\n", f)
	}
	return b.String()
}
