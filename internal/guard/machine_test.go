package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing/fstest"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/hook/toolcall"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/spinetest"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface/policy"
)

// The machine is what a host does with guards, on trees in memory: extensions
// change, are switched off and on, are granted; a pass reads them, decides,
// composes and remembers; a call is judged.

// kind is what a guard is written as.
type kind int

const (
	rule    kind = iota // a policy
	answer              // an answer that is written down
	code                // what a driver reaches
	handler             // a program, by the protocol of a client
)

// behaviour is what a guard says of the calls that it guards.
type behaviour string

const (
	denies  behaviour = "deny"
	asks    behaviour = "ask"
	silent  behaviour = "none"  // code: no opinion
	fails   behaviour = "error" // code
	panics  behaviour = "panic" // code
	oddly   behaviour = "odd"   // code: an answer that is none
	wishful behaviour = "allow" // code: what no guard can say
	hangs   behaviour = "hang"  // code: it takes longer than it may
	holds   behaviour = "held"  // handler: it answers, and leaves something behind
	floods  behaviour = "flood" // handler: it writes too much
)

// one is a guard of the model.
type one struct {
	kind    kind
	says    behaviour
	tool    string // what it guards; "" everything
	watches bool   // handler: its owner declared that it only watches
	broken  bool   // its file cannot be read
	off     bool   // its owner disabled it
	absent  bool
}

// extension is one of the model.
type extension struct {
	name    ext.Name
	guards  []one
	broken  bool // its manifest cannot be read
	off     bool
	granted bool
}

func (x *extension) guardName(i int) string { return fmt.Sprintf("g%d", i) }

// surface is where a guard is declared.
func (g *one) surface() string {
	switch g.kind {
	case rule:
		return "policy/"
	case handler:
		return "client_event/"
	}
	return "before_tool_call/"
}

// files are the extension as it lies on the disk.
func (x *extension) files() fs.FS {
	out := fstest.MapFS{}
	put := func(name, text string) { out[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o444} }
	manifest := fmt.Sprintf(`{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": %q, "version": "1.0.0", "description": "A model."}`, x.name)
	if x.broken {
		manifest = "{"
	}
	put("plugin.json", manifest)
	for i, g := range x.guards {
		if g.absent {
			continue
		}
		name, text := g.file(x.guardName(i))
		if g.broken {
			text = "{"
		}
		put(name, text)
	}
	return out
}

func (g *one) file(name string) (path, text string) {
	switch g.kind {
	case rule:
		text = fmt.Sprintf("outcome: %s\nmessage: as the model says\n", g.says)
		if g.tool != "" {
			text += fmt.Sprintf("tools: [%q]\n", g.tool)
		}
		return "dev.mortise/policies/" + name + ".yaml", text
	case answer:
		return "dev.mortise/hooks/before_tool_call/" + name + ".json", fmt.Sprintf(`{"answer": {"verdict": %q, "reason": "as the model says"}%s}`, g.says, g.matches())
	case handler:
		return "dev.mortise/hooks/client_event/" + name + ".json", fmt.Sprintf(`{"ref": {"driver": "client-hook", "target": %q, "name": "command"}, "client": "claude-code", "event": "PreToolUse"}`, g.says)
	}
	limit := 60_000 // no machine is that slow
	if g.says == hangs {
		limit = 1
	}
	return "dev.mortise/hooks/before_tool_call/" + name + ".json", fmt.Sprintf(`{"ref": {"driver": "model", "name": %q}, "timeout_ms": %d%s}`, g.says, limit, g.matches())
}

func (g *one) matches() string {
	if g.tool == "" {
		return ""
	}
	return fmt.Sprintf(`, "matches": [%q]`, g.tool)
}

// machine is the system under test.
type machine struct {
	now        []*extension // as they are
	remembered map[ext.Name][]guard.Memento
	set        *guard.Set
	run        guard.Runner
}

func newMachine(run guard.Runner) *machine {
	return &machine{remembered: map[ext.Name][]guard.Memento{}, run: run}
}

// refresh makes a pass.
func (m *machine) refresh() {
	var cs []discover.Candidate
	s := &state.Snapshot{}
	for _, x := range m.now {
		t := ext.Tree{
			Extension: x.name, Root: "/model/" + string(x.name), FS: x.files(),
			Origin: ext.Origin{Extension: x.name, Source: "path:" + string(x.name), Trust: ext.Plugin},
		}
		source.Lay(bridge.Formats, bridge.Loose, &t, "", source.Env{Specs: spinetest.Specs, Limits: ext.DefaultLimits})
		c, err := discover.Scan(context.Background(), t, discover.Options{Specs: spinetest.Specs, Limits: ext.DefaultLimits, Enabled: true, Whole: func(ext.Tree) bool { return x.granted }})
		if err != nil {
			panic(err)
		}
		cs = append(cs, c)
		if x.granted {
			s.Put(state.Grant{Kind: admit.GrantCode, Subject: string(x.name), Digest: c.Content()})
		}
		if x.off {
			s.Put(state.Switch{Extension: x.name})
		}
		for i := range x.guards {
			if x.guards[i].off {
				s.Put(state.Switch{Extension: x.name, Entry: x.guardName(i)})
			}
		}
	}
	ds := admit.Decide(cs, admit.Rules{Adopted: true, State: s, Asked: map[string]bool{toolcall.Before.Name: true, policy.ToolCall: true}})
	c := compose.Merge(spinetest.Specs, compose.Order(admit.Extensions(ds), nil))
	var known []guard.Remembered
	for _, list := range m.remembered {
		for _, r := range list {
			known = append(known, guard.Recall(r.Record, r.Bytes))
		}
	}
	off := func(x ext.Name, entry string) bool {
		w, disabled := s.Disabled("", x, entry)
		return disabled && w.Entry != ""
	}
	observes := func(name string, _, _ ext.Digest) bool {
		for _, x := range m.now {
			for i := range x.guards {
				if ext.Qualified(x.name, x.guardName(i)) == name {
					return x.guards[i].watches
				}
			}
		}
		return false
	}
	m.set = guard.New(guard.Members{Composition: c, Decisions: ds, Adopted: true, Remembered: known, Off: off, Observes: observes})
	for i := range ds {
		if ds[i].Status() == admit.Admitted {
			m.remembered[ds[i].Tree().Extension] = guard.Mementos(&ds[i])
		}
	}
}

// judge is what guards have against a call of a tool of an extension.
func (m *machine) judge(x ext.Name, tool string) guard.Verdict {
	c := guard.Call{Tool: string(x) + "_" + tool, Qualified: ext.Qualified(x, tool), Extension: x, Arguments: json.RawMessage("{}")}
	return guard.Prevails(m.set.Judge(context.Background(), &c, guard.Means{Reach: func(ext.Ref) call.Caller { return model{} }, Run: m.run}).Objections)
}

// programs is what the program of a handler comes to that behaves in a way.
func programs(_ context.Context, p guard.Program) (guard.Ran, error) {
	said := func(text string) (guard.Ran, error) { return guard.Ran{Stdout: []byte(text)}, nil }
	decides := `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": %q}}`
	switch behaviour(p.Line) {
	case denies:
		return guard.Ran{Exit: 2, Stderr: []byte("no")}, nil
	case asks, wishful:
		return said(fmt.Sprintf(decides, p.Line))
	case fails:
		return guard.Ran{Exit: 1}, nil
	case panics:
		panic("it panics")
	case oddly:
		return said(`{"hookSpecificOutput": 7`)
	case holds:
		return guard.Ran{Held: true}, nil
	case hangs, floods:
		return guard.Ran{}, errors.New("it was ended")
	}
	return said("")
}

// model is the driver of guards that are code.
type model struct{}

func (model) Call(ctx context.Context, ref ext.Ref, _ json.RawMessage) (json.RawMessage, error) {
	switch behaviour(ref.Name) {
	case silent:
		return json.RawMessage(`null`), nil
	case fails:
		return nil, errors.New("it fails")
	case panics:
		panic("it panics")
	case oddly:
		return json.RawMessage(`{"verdict": 7}`), nil
	case hangs:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return json.RawMessage(fmt.Sprintf(`{"verdict": %q}`, ref.Name)), nil
}

// oracle is what must come of a call, told from the model alone and in another
// way: it looks at each extension as the last passes saw it.
type oracle struct {
	seen []extension           // at the last pass
	good map[ext.Name][]one    // the guards of each when it was last admitted; those that were off or absent are not among them
	at   map[ext.Name][]string // and their names
}

func newOracle() *oracle { return &oracle{good: map[ext.Name][]one{}, at: map[ext.Name][]string{}} }

func (o *oracle) pass(now []*extension) {
	o.seen = nil
	for _, x := range now {
		c := *x
		c.guards = append([]one(nil), x.guards...)
		o.seen = append(o.seen, c)
		if c.off || c.refused() {
			continue // what was known of it stays
		}
		o.good[c.name], o.at[c.name] = nil, nil
		for i, g := range c.guards {
			if !g.absent && !g.off {
				o.good[c.name] = append(o.good[c.name], g)
				o.at[c.name] = append(o.at[c.name], c.guardName(i))
			}
		}
	}
}

// refused: the manifest cannot be read, or a guard cannot.
func (x *extension) refused() bool {
	if x.broken {
		return true
	}
	for _, g := range x.guards {
		if g.broken && !g.absent && !g.off {
			return true
		}
	}
	return false
}

func (o *oracle) judge(of ext.Name, tool string) guard.Verdict {
	v := guard.Pass
	for i := range o.seen {
		if x := &o.seen[i]; !x.off {
			v = max(v, o.extension(x, of, tool))
		}
	}
	return v
}

func (o *oracle) extension(x *extension, of ext.Name, tool string) (v guard.Verdict) {
	refused := x.refused()
	there := map[string]bool{} // guards that can be read, by kind and name
	watches := map[string]bool{}
	off := map[string]bool{} // what its owner disabled, by its name, which is that of any kind
	key := func(g one, name string) string { return g.surface() + name }
	var lost []string
	for i, g := range x.guards {
		name := key(g, x.guardName(i))
		off[x.guardName(i)] = g.off
		watches[x.guardName(i)] = g.watches
		switch {
		case x.broken, g.absent, g.off: // nothing of it is seen, or asked
		case g.broken:
			lost = append(lost, name)
		case refused:
			there[name] = true
			v = max(v, g.quarantined(tool))
		default:
			v = max(v, g.asked(x.granted, tool))
		}
	}
	if !refused {
		return v
	}
	known := map[string]bool{}
	for j, g := range o.good[x.name] {
		name := key(g, o.at[x.name][j])
		if !there[name] && !off[o.at[x.name][j]] {
			known[name] = true
			g.watches = watches[o.at[x.name][j]]
			v = max(v, g.quarantined(tool))
		}
	}
	for _, name := range lost {
		if !known[name] && of == x.name {
			return guard.Deny
		}
	}
	if x.broken && len(known) == 0 && of == x.name {
		return guard.Deny // what it held is not known
	}
	return v
}

// quarantined is what a guard of a refused extension says: its code is not run.
func (g one) quarantined(tool string) guard.Verdict {
	switch {
	case g.kind == handler && g.watches:
		return guard.Pass
	case g.kind >= code && g.about(tool):
		return guard.Deny
	}
	return g.asked(true, tool)
}

func (g one) about(tool string) bool {
	return g.kind == handler || g.tool == "" || strings.TrimSuffix(g.tool, "*") == tool || strings.HasSuffix(g.tool, "*") && strings.HasPrefix(tool, strings.TrimSuffix(g.tool, "*"))
}

// asked is what a guard says that is in use.
func (g one) asked(granted bool, tool string) guard.Verdict {
	switch {
	case !g.about(tool), g.kind == handler && g.watches:
		return guard.Pass
	case g.kind >= code && !granted:
		return guard.Deny
	case g.kind == handler && g.says == wishful: // that it allows is no opinion
		return guard.Pass
	case g.says == asks:
		return guard.Ask
	case g.says == silent:
		return guard.Pass
	}
	return guard.Deny
}
