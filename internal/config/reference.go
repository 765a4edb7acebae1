package config

import (
	"fmt"
	"strings"
)

// Reference is a Markdown table of every key for each table of the
// configuration, in the order of Settings.
func Reference() string {
	var b strings.Builder
	for _, t := range schema.children {
		name := t.path
		switch t.kind {
		case kindNamed:
			name += ".NAME"
		case kindRows:
			name = "[" + name + "]"
		}
		fmt.Fprintf(&b, "## `[%s]`\n\n%s\n\n", name, t.doc)
		b.WriteString("| key | value | default | variable | meaning |\n|---|---|---|---|---|\n")
		for _, n := range t.children {
			variable := ""
			if t.kind == kindTable {
				variable = "`" + n.variable() + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", n.name, n.takes(), n.shownDefault(), variable, n.doc)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (n *node) shownDefault() string {
	if n.def == nil || n.def == "" {
		return ""
	}
	return "`" + n.written() + "`"
}

// written is the default as TOML.
func (n *node) written() string { return said{value: n.def}.toml() }
