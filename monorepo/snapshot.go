package monorepo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/root"
	laid "github.com/mortise-dev/mortise/internal/source"
	source "github.com/mortise-dev/mortise/internal/source/monorepo"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/agentclass"
	"github.com/mortise-dev/mortise/internal/surface/deployment"
	"github.com/mortise-dev/mortise/internal/surface/mission"
	"github.com/mortise-dev/mortise/internal/surface/profile"
	"github.com/mortise-dev/mortise/internal/surface/skill"
	"github.com/mortise-dev/mortise/internal/surface/toolspec"
)

// What entries hold. Values are not to be changed.
type (
	// Skill is instructions, and how the script beside them is run. It goes by its
	// directory's name; Label is what it calls itself.
	Skill = skill.Skill
	// AgentClass is a Python class that is an agent, with how sure that is and why.
	AgentClass = agentclass.AgentClass
	// Deployment is a Python class that is deployed, with what its decorator is given.
	Deployment = deployment.Deployment
	// Tool is an entry of the tool catalogue.
	Tool = toolspec.ToolSpec
	// Profile is a mapping; Values has it with the types of YAML 1.1.
	Profile = profile.Profile
	// Mission is what the factory of a mission returns, checked.
	Mission = mission.Mission
)

// Entry is one thing that the monorepo declares.
type Entry[T any] struct {
	Name        string
	File        string // below the working tree, with slashes
	Line        int
	Description string
	// Digest covers what was found, and the bytes of the files that are evidence of it:
	// equal digests, equal entries.
	Digest   ext.Digest
	Value    T
	Findings ext.Findings // about this entry; none is an error
}

// Refused is something that the monorepo declares and that is at fault.
type Refused struct {
	Surface  string // "skill", "agentclass", "deployment", "toolspec", "profile" or "mission"
	Name     string
	File     string
	Line     int
	Findings ext.Findings // why; one of them is the reason, even where none is an error
}

// Snapshot is what a working tree declares. It is not changed once it is returned.
type Snapshot struct {
	Skills      []Entry[Skill]
	Agents      map[string]Entry[AgentClass]
	Deployments map[string]Entry[Deployment]
	Tools       map[string]Entry[Tool]
	Profiles    map[string]Entry[Profile]
	Missions    map[string]Entry[Mission]
	// Refused are what is declared and at fault, in the order in which it was read. One
	// costs none of its neighbours anything.
	Refused []Refused
	// Unresolved are classes and missions of which reading cannot tell whether they are
	// any, or what they say: with the reason, and the line.
	Unresolved ext.Findings
	// Findings are all others about the working tree: a manifest that is broken, a
	// directory that is refused, files that no rule takes.
	Findings ext.Findings
}

// specs are the surfaces that a monorepo has.
var specs = []*surface.Spec{
	skill.Surface.Spec, agentclass.Surface.Spec, deployment.Surface.Spec, toolspec.Surface.Spec, profile.Surface.Spec, mission.Surface.Spec,
}

// discover reads everything, and says how to know whether that would give the same again.
func (m *Monorepo) discover(ctx context.Context) (*Snapshot, []root.Stamp, error) {
	s := &Snapshot{
		Agents: map[string]Entry[AgentClass]{}, Deployments: map[string]Entry[Deployment]{}, Tools: map[string]Entry[Tool]{},
		Profiles: map[string]Entry[Profile]{}, Missions: map[string]Entry[Mission]{},
	}
	var r *root.Root
	var candidates []discover.Candidate
	for tree, err := range m.source.Trees(ctx) {
		if err != nil {
			return nil, nil, err
		}
		c, err := m.scan(ctx, tree)
		if tree.Root != "" {
			r, _ = tree.FS.(*root.Root)
		}
		if tree.Close != nil {
			tree.Close()
		}
		if err == nil {
			err = fault(tree.Findings)
		}
		if err != nil {
			return nil, nil, err
		}
		candidates = append(candidates, c)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	decisions := admit.Decide(candidates, admit.Rules{Alone: true, Adopted: true})
	for i := range decisions {
		s.add(&decisions[i])
	}
	if r == nil || r.Left() { // what lies elsewhere is not looked at again
		return s, nil, nil
	}
	return s, r.Trace(), nil
}

func (m *Monorepo) scan(ctx context.Context, t ext.Tree) (discover.Candidate, error) {
	return discover.Scan(ctx, t, discover.Options{Specs: specs, Limits: m.source.Env.Limits})
}

// fault is why there is no snapshot: nothing is there, or the system did not answer.
func fault(found ext.Findings) error {
	for _, f := range found {
		switch {
		case f.Check == source.Unavailable:
			return fmt.Errorf("%w: %s", ErrUnavailable, f.Message)
		case laid.Unanswered(f):
			return errors.New(f.Message)
		}
	}
	return nil
}

func (s *Snapshot) add(d *admit.Decision) {
	for _, f := range d.Findings() {
		switch f.Check {
		case source.Unresolved, source.MissionUnresolved, source.NoMission:
			s.Unresolved.Add(f)
		default:
			s.Findings.Add(f)
		}
	}
	for _, c := range d.Contributions() {
		if c.Status != admit.Active {
			s.Refused = append(s.Refused, Refused{c.Spec.Name, c.Name, c.Origin.Path, c.Origin.Line, c.Findings})
			continue
		}
		switch v := c.Value.(type) {
		case skill.Skill:
			s.Skills = append(s.Skills, entry(&c, v))
			s.labelled()
		case agentclass.AgentClass:
			s.Agents[c.Name] = entry(&c, v)
		case deployment.Deployment:
			s.Deployments[c.Name] = entry(&c, v)
		case toolspec.ToolSpec:
			s.Tools[c.Name] = entry(&c, v)
		case profile.Profile:
			s.Profiles[c.Name] = entry(&c, v)
		case mission.Mission:
			s.Missions[c.Name] = entry(&c, v)
		}
	}
}

func entry[T any](c *admit.Contribution, v T) Entry[T] {
	return Entry[T]{Name: c.Name, File: c.Origin.Path, Line: c.Origin.Line, Description: c.Description, Digest: c.Digest, Value: v, Findings: c.Findings}
}

// labelled tells of a skill that calls itself as one before it does. Both are there.
func (s *Snapshot) labelled() {
	last := &s.Skills[len(s.Skills)-1]
	i := slices.IndexFunc(s.Skills, func(e Entry[Skill]) bool { return e.Value.Label == last.Value.Label })
	if before := &s.Skills[i]; before != last {
		o := ext.Origin{Extension: ext.MonorepoName, Source: string(ext.MonorepoName), Trust: ext.Project, Path: last.File, Line: last.Line}
		last.Findings = append(slices.Clip(last.Findings), LabelTwice.At(o, "%s calls itself %s, as %s does", ext.Quote(last.Name), ext.Quote(last.Value.Label), ext.Quote(before.Name)))
	}
}

// LabelTwice is a skill that calls itself as another does.
var LabelTwice = &ext.Check{
	Code: "skill-label-twice", Severity: ext.Warning,
	Doc: "Two skills of a design monorepo call themselves the same. Both are listed, by their directories; who goes by the label takes the first.",
	Fix: "Rename one of them.",
}
