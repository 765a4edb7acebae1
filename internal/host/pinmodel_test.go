package host_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/state"
)

// approvals is what must hold, told apart from how it is done: of each server, which
// definition of each tool was approved, and whether its first description was seen.
type approvals struct {
	approved map[string]int // by server and tool: the variant
	dealt    map[string]bool
	offered  map[string]int // by tool: the variant that both servers offer now
}

// servers are the two of the workspace; what the owner's says first is approved.
var pinServers = []string{"owner:search", "acme:search"}

func (m *approvals) served() {
	for tool, variant := range m.offered {
		if !m.dealt["owner:search"] {
			m.approved["owner:search/"+tool] = variant
		}
	}
	if m.offered != nil {
		m.dealt["owner:search"] = true
	}
}

// waits reports whether a tool that is offered is not approved as it is.
func (m *approvals) waits(server, tool string) bool {
	was, known := m.approved[server+"/"+tool]
	return !known || was != m.offered[tool]
}

// Whatever servers offer, in whatever order it is approved, taken back, served anew and
// changed again: a tool is in use exactly while its definition is one that was approved.
func TestNothingIsUsedThatWasNotApproved(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(r *rapid.T) {
		p := newPinning(t, nil)
		adopt(t, p.host(false))
		m := &approvals{approved: map[string]int{}, dealt: map[string]bool{}}
		h := p.host(true)
		tools := []string{"a", "b", "c"}
		r.Repeat(map[string]func(*rapid.T){
			"": func(r *rapid.T) {
				if m.offered == nil {
					return
				}
				g := refresh(t, h)
				m.served()
				offers := g.Session(false).Offer(session.OfferOptions{})
				for _, server := range pinServers {
					for tool := range m.offered {
						called := session.Called("acme", "search", tool, 0)
						if server == "owner:search" {
							called = session.Called("owner", "search", tool, 0)
						}
						if used := offers.Tool(called) != nil; used == m.waits(server, tool) {
							r.Fatalf("%s/%s, variant %d: in use %t, of %+v", server, tool, m.offered[tool], used, m.approved)
						}
					}
				}
			},
			"say": func(r *rapid.T) {
				m.offered = map[string]int{}
				var defs []string
				for _, tool := range tools {
					if v := rapid.IntRange(0, 3).Draw(r, tool); v > 0 {
						m.offered[tool] = v
						defs = append(defs, fmt.Sprintf(`{"name": %q, "inputSchema": {"type": "object", "x": %d}}`, tool, v))
					}
				}
				p.say(`{"tools": [` + strings.Join(defs, ",") + `]}`)
			},
			"restart": func(*rapid.T) { h = p.host(true) },
			"approve": func(r *rapid.T) {
				other := p.host(false)
				var chosen []host.Awaiting
				for _, a := range other.Awaiting(refresh(t, other)) {
					if rapid.Bool().Draw(r, a.Name) {
						chosen = append(chosen, a)
					}
				}
				if err := other.Approve(ctx, "tester", chosen); err != nil {
					r.Fatal(err)
				}
				for _, a := range chosen {
					m.approved[a.Name] = m.offered[strings.TrimPrefix(a.Name, a.Server+"/")]
				}
			},
			"revoke": func(r *rapid.T) {
				other := p.host(false)
				all, err := other.Consents(ctx)
				if err != nil {
					r.Fatal(err)
				}
				for _, c := range all {
					if c.Kind == host.KindPin && rapid.Bool().Draw(r, c.Subject) {
						if _, err := other.Revoke(ctx, c.Subject, "tester"); err != nil {
							r.Fatal(err)
						}
						delete(m.approved, c.Name)
					}
				}
			},
			"elsewhere": func(*rapid.T) { // pins of another workspace count for nothing here
				err := p.store.Update(ctx, func(s *state.Snapshot) error {
					for _, pin := range s.Pins {
						pin.Workspace = "elsewhere"
						s.Put(pin)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			},
		})
	})
}
