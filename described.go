package mortise

import (
	"context"
	"fmt"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/source/live"
	"github.com/mortise-dev/mortise/internal/surface/server"
	"github.com/mortise-dev/mortise/internal/surface/tool"
)

// described is what one server said of itself, laid out and read as any other
// extension is.
type described struct {
	of        *connection
	candidate discover.Candidate
}

// outcome is what became of a description.
type outcome struct {
	of       *connection
	tools    int       // that are offered
	withheld []Refusal // what is not
	findings ext.Findings
}

// readDescription reads what a server said of itself.
func readDescription(c *connection, content string) (described, error) {
	src := live.Source{Surface: server.Surface.Name, Files: ext.DefaultLimits.Files, Descriptions: []live.Description{{
		Extension: c.extension, Server: c.server, Declaration: c.declaration, Content: content,
		Ref: ext.Ref{Driver: serverDriver, Target: c.target.Key},
	}}}
	ctx := context.Background()
	for t, err := range src.Trees(ctx) {
		if err != nil {
			return described{}, err
		}
		read, err := discover.Scan(ctx, t, discover.Options{Specs: specs, Limits: ext.DefaultLimits, Enabled: true})
		return described{c, read}, err
	}
	panic("a description is one tree")
}

// outcomeOf is what was decided about a description. What is refused of it costs
// nothing but itself.
func outcomeOf(d *admit.Decision, of *connection) outcome {
	out := outcome{of: of, findings: d.Findings()}
	if d.Findings().Failed() {
		out.withhold("what the server "+ext.Quote(of.server)+" says of itself", d.Findings())
	}
	for i := range d.Contributions() {
		c := &d.Contributions()[i]
		out.findings = append(out.findings, c.Findings...)
		if c.Status == admit.EntryRefused {
			out.withhold(fmt.Sprintf("its %s %s", c.Spec.Name, ext.Quote(ext.Shorten(ext.Qualified(of.extension, c.Name), 200))), c.Findings)
		}
	}
	return out
}

func (o *outcome) withhold(what string, found ext.Findings) {
	r := faults(string(o.of.extension), found)
	r.Reason = what + " is not taken: " + r.Reason
	o.withheld = append(o.withheld, r)
}

// served is the outcome that a tool of a server is part of; nil for a tool of code.
func (a *assembly) served(t *compose.Typed[tool.Tool]) *outcome {
	if t.Value.Definition == nil {
		return nil
	}
	for i := range a.outcomes {
		if a.outcomes[i].of.target.Key == t.Value.Ref.Target {
			return &a.outcomes[i]
		}
	}
	return nil
}

// again begins to compose the same providers, with what servers said of themselves.
func (c *Composed) again(said []described) assembly {
	a := assembly{options: c.options, parts: c.parts[:len(c.parts):len(c.parts)], names: map[ext.Name]string{}, described: said}
	for _, p := range c.parts {
		a.names[p.name] = string(p.name)
	}
	return a
}
