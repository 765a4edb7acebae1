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
	rule   kind = iota // a policy
	answer             // an answer that is written down
	code               // what a driver reaches
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
)

// one is a guard of the model.
type one struct {
	kind   kind
	says   behaviour
	tool   string // what it guards; "" everything
	broken bool   // its file cannot be read
	off    bool   // its owner disabled it
	absent bool
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
	m.set = guard.New(guard.Members{Composition: c, Decisions: ds, Adopted: true, Remembered: known})
	for i := range ds {
		switch name := ds[i].Tree().Extension; ds[i].Status() {
		case admit.Admitted:
			m.remembered[name] = guard.Mementos(&ds[i])
		case admit.Disabled:
			delete(m.remembered, name)
		}
	}
}

// judge is what guards have against a call of a tool of an extension.
func (m *machine) judge(x ext.Name, tool string) guard.Verdict {
	c := guard.Call{Tool: string(x) + "_" + tool, Qualified: ext.Qualified(x, tool), Extension: x, Arguments: json.RawMessage("{}")}
	return guard.Prevails(m.set.Judge(context.Background(), &c, func(ext.Ref) call.Caller { return model{} }))
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

func (o *oracle) pass(now []*extension) {
	o.seen = nil
	for _, x := range now {
		c := *x
		c.guards = append([]one(nil), x.guards...)
		o.seen = append(o.seen, c)
		switch {
		case c.off:
			delete(o.good, c.name)
			delete(o.at, c.name)
		case !c.refused():
			o.good[c.name], o.at[c.name] = nil, nil
			for i, g := range c.guards {
				if !g.absent && !g.off {
					o.good[c.name] = append(o.good[c.name], g)
					o.at[c.name] = append(o.at[c.name], c.guardName(i))
				}
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
	if x.broken {
		if len(o.good[x.name]) == 0 && of == x.name {
			return guard.Deny // what it held is not known
		}
		for _, g := range o.good[x.name] {
			v = max(v, g.quarantined(tool))
		}
		return v
	}
	refused := x.refused()
	for i, g := range x.guards {
		switch {
		case g.absent, g.off:
		case g.broken:
			v = max(v, o.unreadable(x, i, of, tool))
		case refused:
			v = max(v, g.quarantined(tool))
		default:
			v = max(v, g.asked(x.granted, tool))
		}
	}
	return v
}

// unreadable is what a guard says that cannot be read: what it was, else a denial
// of its own extension's calls.
func (o *oracle) unreadable(x *extension, i int, of ext.Name, tool string) guard.Verdict {
	for j, name := range o.at[x.name] {
		if g := o.good[x.name][j]; name == x.guardName(i) && (g.kind == rule) == (x.guards[i].kind == rule) {
			return g.quarantined(tool)
		}
	}
	if of == x.name {
		return guard.Deny
	}
	return guard.Pass
}

// quarantined is what a guard of a refused extension says: its code is not run.
func (g one) quarantined(tool string) guard.Verdict {
	if g.kind == code && g.about(tool) {
		return guard.Deny
	}
	return g.asked(true, tool)
}

func (g one) about(tool string) bool {
	return g.tool == "" || strings.TrimSuffix(g.tool, "*") == tool || strings.HasSuffix(g.tool, "*") && strings.HasPrefix(tool, strings.TrimSuffix(g.tool, "*"))
}

// asked is what a guard says that is in use.
func (g one) asked(granted bool, tool string) guard.Verdict {
	switch {
	case !g.about(tool):
		return guard.Pass
	case g.kind == code && !granted:
		return guard.Deny
	case g.says == asks:
		return guard.Ask
	case g.says == silent:
		return guard.Pass
	}
	return guard.Deny
}
