package session

import (
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/surface/affordance"
)

// View is a session as it is shown: names, origins and sizes, with the text as
// agents get it, fenced by a boundary of its own.
type View struct {
	Digest    string `json:"digest"`
	Boundary  string `json:"boundary"`
	Text      string `json:"text"`
	Prompt    []Item `json:"prompt"`   // what is in the text
	LeftOut   []Item `json:"left_out"` // prompt fragments that there is no room for
	Skills    []Item `json:"skills"`
	Agents    []Item `json:"agents"`
	Commands  []Item `json:"commands"`
	Rules     []Item `json:"rules"`
	Tasks     []Item `json:"tasks"`
	Servers   []Item `json:"servers"`
	Tools     []Item `json:"tools"`
	Resources []Item `json:"resources"` // that something running answers for
	Guards    []Item `json:"guards"`
	// What a design monorepo declares, which is read as resources.
	AgentClasses []Item `json:"agent_classes"`
	Deployments  []Item `json:"deployments"`
	ToolSpecs    []Item `json:"tool_specs"`
	Profiles     []Item `json:"profiles"`
	Missions     []Item `json:"missions"`

	Total TotalSizes `json:"total"`
}

// TotalSizes are the sizes of a session as a whole, each the sum of its items'.
// Text, Fences, Catalogue and Tools together are all that an agent carries.
type TotalSizes struct {
	Text      Size `json:"text"`      // what every turn carries from prompt fragments
	Fences    Size `json:"fences"`    // what stands around and between them
	LeftOut   Size `json:"left_out"`  // of prompt fragments that there is no room for
	Catalogue Size `json:"catalogue"` // names and descriptions of all that is loaded, started or read on demand
	Tools     Size `json:"tools"`     // the definitions of tools
	Bodies    Size `json:"bodies"`    // what loading all of these would add
}

// Item is one thing of a session.
type Item struct {
	Name        string `json:"name"`
	Qualified   string `json:"qualified"`
	Extension   string `json:"extension"`
	Path        string `json:"path"`
	Line        int    `json:"line"`
	Description string `json:"description"`
	Layer       string `json:"layer,omitempty"`    // prompt fragments: whose text
	Tier        string `json:"tier,omitempty"`     // prompt fragments: its kind, "affordance" for what can be done
	LeftOut     Bound  `json:"left_out,omitempty"` // prompt fragments: what it is left out for
	Cost
}

// View is s as it is shown.
func (s *Session) View() View {
	v := View{Digest: s.Digest.String(), Boundary: s.Boundary(), Prompt: make([]Item, 0, len(s.Prompt)), LeftOut: []Item{}}
	v.Text = s.Instructions(v.Boundary)
	for i, by := range s.room() {
		if it := s.Prompt[i].item(by); by == "" {
			v.Prompt = append(v.Prompt, it)
		} else {
			v.LeftOut = append(v.LeftOut, it)
		}
	}
	v.Skills = items(s.Skills)
	v.Agents = items(s.Agents)
	v.Commands = items(s.Commands)
	v.Rules = items(s.Rules)
	v.Tasks = items(s.Tasks)
	v.Servers = items(s.Servers)
	v.Tools = items(s.Tools)
	v.Resources = items(s.Resources)
	v.Guards = items(s.Guards)
	v.AgentClasses = items(s.AgentClasses)
	v.Deployments = items(s.Deployments)
	v.ToolSpecs = items(s.ToolSpecs)
	v.Profiles = items(s.Profiles)
	v.Missions = items(s.Missions)
	text, tools := sum(v.Prompt), sum(v.Tools)
	rest := sum(v.Skills, v.Agents, v.Commands, v.Rules, v.Tasks, v.Servers, v.Resources, v.Guards, v.AgentClasses, v.Deployments, v.ToolSpecs, v.Profiles, v.Missions)
	left := sum(v.LeftOut)
	v.Total = TotalSizes{
		Text: text.Catalogue, Fences: SizeOf(v.Text).less(text.Catalogue), LeftOut: left.Catalogue,
		Catalogue: rest.Catalogue, Tools: tools.Catalogue, Bodies: text.Add(tools).Add(rest).Add(left).Body,
	}
	return v
}

// sum is the cost of all items of some lists.
func sum(lists ...[]Item) (c Cost) {
	for _, list := range lists {
		for i := range list {
			c = c.Add(list[i].Cost)
		}
	}
	return c
}

func items[T any](entries []compose.Typed[T]) []Item {
	out := make([]Item, len(entries))
	for i := range entries {
		out[i] = item(entries[i].Entry)
	}
	return out
}

// item is a fragment, and what it is left out for.
func (f *Fragment) item(by Bound) Item {
	it := item(f.Entry)
	it.Layer, it.Tier, it.LeftOut = f.Layer.String(), f.Value.Tier.String(), by
	if f.Affordance {
		it.Tier = affordance.Surface.Name
	}
	return it
}

func item(e compose.Entry) Item {
	return Item{
		Name: e.Name, Qualified: e.Qualified, Extension: string(e.Extension),
		Path: e.Origin.Path, Line: e.Origin.Line, Description: e.Description,
		Cost: CostOf(e.Extension, &e.Contribution),
	}
}
