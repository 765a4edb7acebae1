package scaffold

import (
	"context"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/pysrc"
	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
	"github.com/mortise-dev/mortise/internal/surface/deployment"
	"github.com/mortise-dev/mortise/internal/surface/mission"
	"github.com/mortise-dev/mortise/internal/surface/profile"
	"github.com/mortise-dev/mortise/internal/surface/skill"
)

// described is the description of the new entry as it is read: of a class that is found in
// Python it is its docstring.
func (m *making) described(ctx context.Context, c *admit.Contribution) (string, error) {
	switch m.Surface {
	case colony.Agents, colony.Deployments:
		return docstringOf(ctx, m.files[0].Data)
	case colony.Tools:
		doc, err := docstringOf(ctx, m.files[0].Data)
		if err != nil || doc != c.Description {
			return doc, err
		}
	}
	return c.Description, nil
}

// docstringOf is the docstring of the first class of a file; "" where it has none.
func docstringOf(ctx context.Context, src []byte) (string, error) {
	tree, fault, err := syntax.Parse(ctx, src)
	if err != nil || fault != nil { // of a fault discovery tells
		return "", err
	}
	for n := range tree.Root().All() {
		if !n.Is(syntax.KindClassDefinition) {
			continue
		}
		literal := n.Child(syntax.FieldBody).First()
		if literal.Is(syntax.KindExpressionStatement) {
			literal = literal.First()
		}
		if !literal.Is(syntax.KindString) {
			return "", nil
		}
		return evaluated(ctx, literal.Text())
	}
	return "", nil
}

// evaluated is what a text of Python stands for.
func evaluated(ctx context.Context, literal string) (string, error) {
	m, err := pysrc.ReadMission(ctx, pysrc.File{Source: []byte("def " + pysrc.Entry + "():\n    return {\"it\": " + literal + "}\n")})
	if err != nil || m.Value == nil {
		return "", err
	}
	return m.Value.Word("it"), nil
}

// asSaid looks whether the new entry has all that was said of it.
func (m *making) asSaid(ctx context.Context, c *admit.Contribution) error {
	switch v := c.Value.(type) {
	case skill.Skill:
		return m.expect("name", v.Label == m.Name)
	case deployment.Deployment:
		return m.expect("keyword", slices.EqualFunc(v.Arguments, m.values["keyword"].(keywords), func(a deployment.Argument, k keyword) bool {
			return a.Name == k.name && a.Value != nil && alike(a.Value, &k.value)
		}))
	case mission.Mission:
		for _, err := range []error{
			m.expect("coordinator", v.Coordinator() == string(m.values["coordinator"].(dotted))),
			m.expect("worker", v.Worker == string(m.values["worker"].(dotted))),
			m.expect("label", v.Label == string(m.values["label"].(text))),
			m.expect("goal", slices.Equal(v.SelfConcept.Goals, m.values["goal"].(texts))),
			m.expect("constraint", slices.Equal(v.SelfConcept.Constraints, m.values["constraint"].(texts))),
			m.expect("coordinator-capability", slices.Equal(v.CoordinatorCapabilities, m.values["coordinator-capability"].(texts))),
			m.expect("worker-capability", slices.Equal(v.WorkerCapabilities, m.values["worker-capability"].(texts))),
		} {
			if err != nil {
				return err
			}
		}
	case profile.Profile:
		if err := m.expect("embedding-strategy", v.Raw.Word("embedding_strategy") == string(m.values["embedding-strategy"].(text))); err != nil {
			return err
		}
		return m.expect("tag", slices.EqualFunc(v.Raw.Get("tags").Items(), m.values["tag"].(texts), func(d *ext.Doc, s string) bool { return d.Kind == ext.String && d.Text == s }))
	}
	if m.Surface == colony.Tools {
		return m.class(ctx)
	}
	return nil
}

func (m *making) expect(variable string, ok bool) error {
	if ok {
		return nil
	}
	return m.notFound("what --%s says would not be read as it was said", variable)
}

// alike reports whether a value that Python writes is one that JSON wrote.
func alike(a, b *ext.Doc) bool {
	if a.Kind != b.Kind || len(a.List) != len(b.List) || len(a.Map) != len(b.Map) {
		return false
	}
	for i := range a.List {
		if !alike(&a.List[i], &b.List[i]) {
			return false
		}
	}
	for i := range a.Map {
		if a.Map[i].Key != b.Map[i].Key || !alike(&a.Map[i].Value, &b.Map[i].Value) {
			return false
		}
	}
	return a.Kind == ext.Number || a.Text == b.Text || a.Kind > ext.String
}
