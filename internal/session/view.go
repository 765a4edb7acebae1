package session

import (
	"github.com/mortise-dev/mortise/internal/compose"
)

// View is a session as it is shown: names, origins and sizes, with the text.
type View struct {
	Digest    string     `json:"digest"`
	Text      string     `json:"text"`
	Prompt    []Item     `json:"prompt"`
	Skills    []Item     `json:"skills"`
	Agents    []Item     `json:"agents"`
	Commands  []Item     `json:"commands"`
	Servers   []Item     `json:"servers"`
	Tools     []Item     `json:"tools"`
	Resources []Item     `json:"resources"` // that something running answers for
	Guards    []Item     `json:"guards"`
	Total     TotalSizes `json:"total"`
}

// TotalSizes are the sizes of a session as a whole.
type TotalSizes struct {
	Text      Size `json:"text"`      // what every turn carries from prompt fragments
	Catalogue Size `json:"catalogue"` // names and descriptions of skills, agents and commands
	Bodies    Size `json:"bodies"`    // what loading all of them would add
}

// Item is one thing of a session.
type Item struct {
	Name        string `json:"name"`
	Qualified   string `json:"qualified"`
	Extension   string `json:"extension"`
	Path        string `json:"path"`
	Line        int    `json:"line"`
	Description string `json:"description"`
	Layer       string `json:"layer,omitempty"` // prompt fragments: whose text
	Tier        string `json:"tier,omitempty"`  // prompt fragments: its kind
	Catalogue   Size   `json:"catalogue"`       // what naming it costs
	Body        Size   `json:"body"`            // what loading it adds
}

// View is s as it is shown.
func (s *Session) View() View {
	v := View{Digest: s.Digest.String(), Text: s.Text(), Prompt: make([]Item, 0, len(s.Prompt))}
	for _, f := range s.Prompt {
		it := item(f.Entry, "")
		it.Layer, it.Tier = f.Layer.String(), f.Value.Tier.String()
		it.Catalogue, it.Body = Size{}, SizeOf(f.Value.Text)
		v.Prompt = append(v.Prompt, it)
	}
	v.Skills = items(s.Skills, func(i int) string { return s.Skills[i].Value.Body })
	v.Agents = items(s.Agents, func(i int) string { return s.Agents[i].Value.Prompt })
	v.Commands = items(s.Commands, func(i int) string { return s.Commands[i].Value.Body })
	v.Servers = items(s.Servers, func(int) string { return "" })
	v.Tools = items(s.Tools, func(i int) string { return string(schemaText(s, i)) })
	v.Resources = items(s.Resources, func(int) string { return "" })
	v.Guards = items(s.Guards, func(int) string { return "" })
	v.Total.Text = SizeOf(v.Text)
	for _, list := range [][]Item{v.Skills, v.Agents, v.Commands} {
		for _, it := range list {
			v.Total.Catalogue = v.Total.Catalogue.Add(it.Catalogue)
			v.Total.Bodies = v.Total.Bodies.Add(it.Body)
		}
	}
	return v
}

func schemaText(s *Session, i int) []byte {
	if d := s.Tools[i].Value.Definition; d != nil {
		return d.Raw
	}
	if in := s.Tools[i].Value.Input; in != nil {
		return in.Raw
	}
	return nil
}

func items[T any](entries []compose.Typed[T], body func(int) string) []Item {
	out := make([]Item, len(entries))
	for i := range entries {
		out[i] = item(entries[i].Entry, body(i))
	}
	return out
}

func item(e compose.Entry, body string) Item {
	return Item{
		Name: e.Name, Qualified: e.Qualified, Extension: string(e.Extension),
		Path: e.Origin.Path, Line: e.Origin.Line, Description: e.Description,
		Catalogue: SizeOf(e.Qualified + ": " + e.Description),
		Body:      SizeOf(body),
	}
}
