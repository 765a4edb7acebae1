package config

import (
	"cmp"
	"strings"
)

const templateHead = `# Configuration of Mortise for this workspace, shared by everybody who works in it.
# What is for you alone in this checkout belongs in mortise.local.toml beside it.
# To use a line, remove the # before it; each may be used with or without the others.
`

// Template is a mortise.toml for a new workspace in which everything is
// commented out. A line that begins with # and no space is advice that can be
// taken literally: without the # it is valid where it stands. Examples of several lines
// have more than one space.
func Template() string {
	var b strings.Builder
	b.WriteString(templateHead)
	for _, t := range schema.children {
		if t.kind == kindRows {
			b.WriteString("\n# " + t.doc + "\n#   " + strings.ReplaceAll(t.example, "\n", "\n#   ") + "\n")
			continue
		}
		b.WriteString("\n[" + t.name + "]\n# " + t.doc + "\n")
		if t.example != "" {
			b.WriteString("#" + t.example + "\n")
			continue
		}
		for _, n := range t.children {
			b.WriteString("# " + n.doc + "\n#" + n.name + " = " + cmp.Or(n.example, n.written()) + "\n")
		}
	}
	return b.String()
}
