package scaffold

import (
	"context"
	"os"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/colony/scribe"
	"github.com/mortise-dev/mortise/internal/colony/tools"
)

// catalogue adds the entry of a new tool to the files: the tool is found by it.
func (m *making) catalogue(ctx context.Context) error {
	if m.Surface != colony.Tools {
		return nil
	}
	c, was, err := tools.On(ctx, m.branch)
	if err != nil {
		return err
	}
	return m.enter(c, was)
}

// enter is catalogue, where that is known; was is the file, nil for none.
func (m *making) enter(c *tools.Catalogue, was []byte) error {
	for _, e := range c.Entries {
		switch {
		case e.Name == m.Name:
			return refused("the tool %s is there already (%s:%d); choose another name", ext.Quote(e.Key().String()), tools.Path, e.Line)
		case folded(e.Name) == folded(m.Name):
			return refused("%s:%d has the tool %s, and a new tool %s would be taken for it; choose another name", tools.Path, e.Line, ext.Quote(e.Key().String()), ext.Quote(m.Name))
		}
	}
	next, _ := c.With(m.entry())
	data, err := next.Encode()
	if err != nil {
		return ext.AsRefused(err)
	}
	m.files = append(m.files, scribe.File{Path: tools.Path, Was: was, Data: data})
	m.done.Files = append(m.done.Files, File{tools.Path, string(data)})
	return nil
}

// entry is that of a new tool.
func (m *making) entry() tools.Entry {
	say := func(name string) string { return string(m.values[name].(text)) }
	return tools.Entry{
		Name: m.Name, Purpose: say("purpose"), Capability: say("capability"),
		Location: tools.Location{Dir: m.files[0].Path}.String(),
		Class:    stem(m.Name) + "." + string(m.values["class"].(identifier)),
		Extra:    &ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: "description", Value: ext.Doc{Kind: ext.String, Text: say("description")}}}},
	}
}

// class looks whether the class behind the entry has its capability, as whoever registers
// a tool does.
func (m *making) class(ctx context.Context) error {
	e := m.entry()
	out, err := tools.NewRepository(os.DirFS(m.staged), m.dir).Check(ctx, &e)
	if err == nil && out.Verdict != tools.Contained {
		err = m.notFound("%s", strings.TrimSuffix(out.String(), "."))
	}
	return err
}
