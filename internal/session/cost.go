package session

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
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
	"github.com/mortise-dev/mortise/internal/surface/skill"
	"github.com/mortise-dev/mortise/internal/surface/task"
	"github.com/mortise-dev/mortise/internal/surface/tool"
	"github.com/mortise-dev/mortise/internal/surface/toolspec"
)

// Cost is what something takes of an agent's context.
type Cost struct {
	// Catalogue is carried whether it is used or not: the name and description of
	// what is loaded on demand, the definition of a tool as clients are shown it,
	// the text of a prompt fragment and of an affordance.
	Catalogue Size `json:"catalogue"`
	// Body is what using it adds: the whole text of what is loaded on demand.
	Body Size `json:"body"`
}

// Add is both costs together.
func (c Cost) Add(d Cost) Cost { return Cost{c.Catalogue.Add(d.Catalogue), c.Body.Add(d.Body)} }

// CostOf is what one entry of an extension takes of an agent's context: nothing
// for what no agent is shown, such as a server or a guard. What a server answers
// is not known before it does, and not counted. It alone decides what is carried:
// listings, checks and sessions add up what it says of their entries.
func CostOf(x ext.Name, c *admit.Contribution) Cost {
	description, body := c.Description, ""
	switch v := c.Value.(type) {
	case prompt.Fragment:
		return Cost{Catalogue: SizeOf(v.Text)}
	case affordance.Affordance:
		return Cost{Catalogue: SizeOf(v.Text())}
	case tool.Tool:
		return Cost{Catalogue: SizeOf(definitionOf(x, c, &v))}
	case command.Command:
		if v.Definition != nil {
			return Cost{Catalogue: SizeOf(string(v.Definition.Raw))}
		}
		body = v.Body
	case skill.Skill:
		body = v.Body
	case task.Task:
		body = v.Body
	case agent.Agent:
		body = v.Prompt
	case rule.Rule:
		description, body = v.Described(description), v.Text()
	case agentclass.AgentClass:
		body = v.Text()
	case deployment.Deployment:
		body = v.Text()
	case toolspec.ToolSpec:
		body = v.Text()
	case profile.Profile:
		body = v.Text()
	case mission.Mission:
		body = v.Text()
	case resource.Resource:
	default:
		return Cost{}
	}
	return Cost{Catalogue: SizeOf(ext.Qualified(x, c.Name) + ": " + description), Body: SizeOf(body)}
}

// definitionOf is the definition of a tool as clients are shown it.
func definitionOf(x ext.Name, c *admit.Contribution, t *tool.Tool) string {
	b := offering{options: OfferOptions{NameLimit: NameLimit}}
	name, _ := b.name(&compose.Entry{Contribution: *c, Extension: x}, t.Ref, t.Definition != nil)
	return string(toolAs(name, c.Description, t))
}
