package cli

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
)

// setting is a key of the configuration with what every layer says.
type setting struct {
	Key string `json:"key"`
	saying
	Layers []saying `json:"layers"` // what else was said, the highest first
}

// saying is what one layer says about a key.
type saying struct {
	Layer   config.Layer `json:"layer"`
	Value   string       `json:"value"`
	Path    string       `json:"path"` // the file, or the variable
	Line    int          `json:"line"`
	Ignored string       `json:"ignored"` // why it does not count, where no higher layer is the reason
}

func sayingOf(s config.Said) saying {
	return saying{Layer: s.Layer, Value: s.Text, Path: s.Origin.Path, Line: s.Origin.Line, Ignored: s.Ignored}
}

// setting shows a key's value and every layer below it.
func (p *page) setting(v config.Value, r roots) {
	p.gap()
	p.line("%s = %s", p.bold(ext.Escape(v.Key)), value(v.Text))
	var t table
	for i, said := range append([]config.Said{v.Said}, v.Shadowed...) {
		note := "in effect"
		if i > 0 {
			note = bounded(said.Ignored)
		}
		t.row(cell{said.Layer.String(), nil}, cell{value(said.Text), nil}, cell{origin(p.call, said, r), p.dim}, cell{note, nil})
	}
	t.full(p)
}

// value is a configured value as it is shown.
func value(text string) string {
	if text == "" {
		return `""`
	}
	return bounded(text)
}

func origin(c *call, s config.Said, r roots) string {
	if s.Layer == config.Environment {
		return "$" + ext.Escape(s.Origin.Path)
	}
	if s.Layer == config.Default {
		return ""
	}
	return r.at(c, "", "", s.Origin.Path, s.Origin.Line)
}
