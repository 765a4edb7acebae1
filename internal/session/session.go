// Package session resolves a composition for one agent: the text it begins
// with, and what it may load, start and call.
package session

import (
	"cmp"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/hook/toolcall"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/affordance"
	"github.com/mortise-dev/mortise/internal/surface/agent"
	"github.com/mortise-dev/mortise/internal/surface/agentclass"
	"github.com/mortise-dev/mortise/internal/surface/command"
	"github.com/mortise-dev/mortise/internal/surface/deployment"
	"github.com/mortise-dev/mortise/internal/surface/mission"
	"github.com/mortise-dev/mortise/internal/surface/profile"
	"github.com/mortise-dev/mortise/internal/surface/prompt"
	"github.com/mortise-dev/mortise/internal/surface/resource"
	"github.com/mortise-dev/mortise/internal/surface/rule"
	"github.com/mortise-dev/mortise/internal/surface/server"
	"github.com/mortise-dev/mortise/internal/surface/skill"
	"github.com/mortise-dev/mortise/internal/surface/task"
	"github.com/mortise-dev/mortise/internal/surface/tool"
	"github.com/mortise-dev/mortise/internal/surface/toolspec"
)

// Session is one agent's view. It is immutable.
type Session struct {
	Digest   ext.Digest // of the composition it was resolved from
	Prompt   []Fragment // in the order in which an agent reads them
	Skills   []compose.Typed[skill.Skill]
	Agents   []compose.Typed[agent.Agent]
	Commands []compose.Typed[command.Command]
	Rules    []compose.Typed[rule.Rule]
	Tasks    []compose.Typed[task.Task]
	Servers  []compose.Typed[server.Server]
	Tools    []compose.Typed[tool.Tool]
	Guards   []compose.Typed[surface.Implementation]
	// Resources are what something running answers for; skills, agents and rules,
	// which are text, are not among them.
	Resources []compose.Typed[resource.Resource]
	// What a design monorepo declares. It is read as resources; nothing of it can be
	// called or started.
	AgentClasses []compose.Typed[agentclass.AgentClass]
	Deployments  []compose.Typed[deployment.Deployment]
	ToolSpecs    []compose.Typed[toolspec.ToolSpec]
	Profiles     []compose.Typed[profile.Profile]
	Missions     []compose.Typed[mission.Mission]
}

// Layer is whose text a fragment is. Lower comes first, and no extension can
// move its text into another.
type Layer uint8

const (
	// Mortise is the program's own text.
	Mortise Layer = iota + 1
	// Owner is the text of the workspace's owner.
	Owner
	// Extension is everybody else's.
	Extension
)

var layerWords = [...]string{"", "mortise", "owner", "extension"}

// String is the word for l.
func (l Layer) String() string { return layerWords[l] }

// Fragment is one piece of the session's text in its place.
type Fragment struct {
	compose.Typed[prompt.Fragment]
	Layer  Layer
	Server bool // a server says it of itself
	// Affordance: it says what can be done here, and stands in the one block of
	// those: at the end of the owner's text and the beginning of everybody else's.
	Affordance bool
}

// Resolve makes a session. It starts nothing and asks nobody.
func Resolve(c *compose.Composition) *Session {
	s := &Session{
		Digest:   c.Digest(),
		Skills:   compose.Of(c, skill.Surface),
		Agents:   compose.Of(c, agent.Surface),
		Commands: compose.Of(c, command.Surface),
		Rules:    compose.Of(c, rule.Surface),
		Tasks:    compose.Of(c, task.Surface),
		Servers:  compose.Of(c, server.Surface),
		Tools:    compose.Of(c, tool.Surface),

		Resources: compose.Of(c, resource.Surface),

		AgentClasses: compose.Of(c, agentclass.Surface),
		Deployments:  compose.Of(c, deployment.Surface),
		ToolSpecs:    compose.Of(c, toolspec.Surface),
		Profiles:     compose.Of(c, profile.Surface),
		Missions:     compose.Of(c, mission.Surface),
	}
	for _, g := range compose.Of(c, toolcall.Before.Surface) {
		if g.Value.Role == surface.Guard {
			s.Guards = append(s.Guards, g)
		}
	}
	for _, f := range compose.Of(c, prompt.Surface) {
		s.Prompt = append(s.Prompt, s.fragment(f))
	}
	for _, a := range compose.Of(c, affordance.Surface) {
		s.Prompt = append(s.Prompt, affords(a))
	}
	slices.SortStableFunc(s.Prompt, func(a, b Fragment) int {
		return cmp.Or(
			cmp.Compare(a.part(), b.part()),
			cmp.Compare(a.Value.Tier, b.Value.Tier),
			cmp.Compare(a.Value.Order, b.Value.Order),
		)
	})
	return s
}

// affords is an affordance as a fragment of the text.
func affords(a compose.Typed[affordance.Affordance]) Fragment {
	return Fragment{
		Typed:      compose.Typed[prompt.Fragment]{Entry: a.Entry, Value: prompt.Fragment{Tier: prompt.Reference, Front: a.Value.Front, Text: a.Value.Text()}},
		Layer:      layerOf(a.Origin.Trust),
		Affordance: true,
	}
}

// part is where in the text a fragment stands. Affordances are one block, that of
// extensions below the owner's own, so that no extension's text comes above it.
func (f *Fragment) part() int {
	switch {
	case !f.Affordance && f.Layer != Extension:
		return int(f.Layer)
	case f.Affordance && f.Layer != Extension:
		return int(Owner) + 1
	case f.Affordance:
		return int(Owner) + 2
	}
	return int(Owner) + 3
}

// fragment is a fragment in its layer. What a server says of itself lies where
// the server is declared, and is everybody else's text whoever declared it: its
// author is none of them.
func (s *Session) fragment(f compose.Typed[prompt.Fragment]) Fragment {
	for i := range s.Servers {
		if e := &s.Servers[i]; e.Extension == f.Extension && e.Name == f.Name && e.Origin == f.Origin {
			return Fragment{Typed: f, Layer: Extension, Server: true}
		}
	}
	return Fragment{Typed: f, Layer: layerOf(f.Origin.Trust)}
}

func layerOf(t ext.Trust) Layer {
	switch t {
	case ext.Builtin:
		return Mortise
	case ext.Owner:
		return Owner
	}
	return Extension
}

// ServerText is what a server says of itself, by its qualified name, as it says it; ""
// when it says nothing.
func (s *Session) ServerText(qualified string) string {
	for i := range s.Prompt {
		if f := &s.Prompt[i]; f.Server && f.Qualified == qualified {
			return f.Value.Text
		}
	}
	return ""
}
