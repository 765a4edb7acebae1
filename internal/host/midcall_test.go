package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/memstore"
)

// midcall is a workspace in which something happens while its guards are asked.
type midcall struct {
	dir    string
	store  state.Store
	host   *host.Host
	agent  *host.Agent
	mu     sync.Mutex
	during func() // happens once, while the code of a guard is asked

	says map[string]string // what each guard has against calls: "deny", "" nothing
	off  map[string]bool   // which its owner disabled
}

// Call answers for the guards that are code: each says what it says, and something
// happens meanwhile.
func (m *midcall) Call(_ context.Context, ref ext.Ref, _ json.RawMessage) (json.RawMessage, error) {
	m.mu.Lock()
	happens := m.during
	m.during = nil
	if happens != nil {
		happens()
	}
	m.mu.Unlock()
	if ref.Name == "once" && happens != nil || ref.Name == "deny" {
		return json.RawMessage(`{"verdict": "deny"}`), nil
	}
	return json.RawMessage("null"), nil
}

func (m *midcall) Link(context.Context, ext.Ref, *call.Peer) (call.Link, error) {
	return nil, errors.New("nothing is called here")
}

func (m *midcall) file(name, text string) {
	path := filepath.Join(m.dir, ".mortise", filepath.FromSlash(name))
	must(os.MkdirAll(filepath.Dir(path), 0o755))
	must(os.WriteFile(path, []byte(text), 0o644))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// write writes a guard: code is asked first of all, policies are rules on the disk.
func (m *midcall) write(name, says string) {
	m.says[name] = says
	if name[0] == 'c' {
		m.file("hooks/before_tool_call/"+name+".json", fmt.Sprintf(`{"ref": {"driver": "model", "name": %q}, "timeout_ms": 60000}`, says))
		return
	}
	path := "elsewhere"
	if says == "deny" {
		path = "x"
	}
	m.file("policies/"+name+".yaml", fmt.Sprintf("outcome: deny\nmessage: as it says\nwhen: arguments.path == %q\n", path))
}

func (m *midcall) adopt() {
	p, _, err := m.host.Propose(context.Background())
	must(err)
	must(m.host.Adopt(context.Background(), "tester", p))
	_, err = m.host.Refresh(context.Background())
	must(err)
}

// turn disables a guard or enables it again, as another process does.
func (m *midcall) turn(name string) {
	surface := "policy"
	if name[0] == 'c' {
		surface = "before_tool_call"
	}
	m.off[name] = !m.off[name]
	s := state.Switch{Extension: ext.OwnerName, Entry: state.EntryName(surface, name)}
	must(m.store.Update(context.Background(), func(snap *state.Snapshot) error {
		if m.off[name] {
			snap.Put(s)
		} else {
			snap.Remove(s)
		}
		return nil
	}))
}

// denied is what must come of a call that ends now.
func (m *midcall) denied() bool {
	for name, says := range m.says {
		if says == "deny" && !m.off[name] {
			return true
		}
	}
	return false
}

func openMidcall(t *rapid.T, dir string) *midcall {
	says := map[string]string{"c0": "none"} // so that something can happen while it is asked
	for _, name := range []string{"c1", "p0", "p1"} {
		says[name] = rapid.SampledFrom([]string{"", "deny"}).Draw(t, name)
	}
	return openMidcallIn(dir, says)
}

func openMidcallIn(dir string, says map[string]string) *midcall {
	m := &midcall{dir: dir, store: memstore.New(), says: map[string]string{}, off: map[string]bool{}}
	m.file("tools/act.json", `{"description": "Acts.", "inputSchema": {"type": "object"}, "ref": {"driver": "model"}}`)
	for name, what := range says {
		m.write(name, what)
	}
	must(os.WriteFile(filepath.Join(dir, "mortise.toml"), nil, 0o644))
	ws, err := config.FindWorkspace(dir, "")
	must(err)
	o := optionsOf(host.Place{Workspace: ws}, m.store, nil, false)
	o.Drivers, o.Refer = map[string]call.Driver{"model": m}, map[string]ext.Trust{"model": ext.Project}
	o.Asked = []string{"before_tool_call", "tool_call"}
	m.host = host.New(o)
	m.adopt()
	m.agent = m.host.Agent(session.OfferOptions{})
	return m
}

// TestLaw05_what_changes_in_mid_call_is_heeded disables, enables, and rewrites guards
// while they are asked about a call, by other processes and by refreshes, and wants
// the call judged by what holds when it is made.
func TestLaw05_what_changes_in_mid_call_is_heeded(t *testing.T) {
	base := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		m := openMidcall(t, filepath.Join(base, fmt.Sprint(n)))
		v, err := m.agent.List(context.Background())
		must(err)
		offer := v.Offers.Tool("owner_act")
		if offer == nil {
			t.Fatal("the workspace offers no tool")
		}
		for range rapid.IntRange(1, 4).Draw(t, "calls") {
			happens := rapid.SampledFrom([]string{"nothing", "switch", "rewrite", "refresh", "both"}).Draw(t, "meanwhile")
			name := rapid.SampledFrom([]string{"c1", "p0", "p1"}).Draw(t, "guard")
			says := rapid.SampledFrom([]string{"", "deny"}).Draw(t, "says")
			if m.off["c0"] {
				m.turn("c0")
			}
			m.during = func() {
				if happens == "switch" || happens == "both" {
					m.turn(name)
				}
				if happens == "rewrite" || happens == "both" {
					m.write(name, says)
					m.adopt()
				}
				if happens == "refresh" {
					_, err := m.host.Refresh(context.Background())
					must(err)
				}
			}
			early := m.denied() // policies that deny spare the code, so that nothing happens
			_, err := m.agent.Decide(context.Background(), host.Use{Offer: offer, Arguments: json.RawMessage(`{"path": "x"}`)})
			if m.during == nil {
				early = m.denied()
			}
			if (err != nil) != early {
				t.Fatalf("%s of %s (%q) in mid-call, guards %v, off %v: got %v, want a denial: %v", happens, name, says, m.says, m.off, err, early)
			}
			if err != nil && ext.KindOf(err) != ext.Refused {
				t.Fatalf("got %v, want a refusal", err)
			}
			m.during = nil
		}
	})
}
