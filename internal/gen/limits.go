package main

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/frontmatter"
	"github.com/mortise-dev/mortise/internal/surface/prompt"
)

// fixedLimits are those that no configuration changes.
func fixedLimits() string {
	var b strings.Builder
	row := func(what string, n int, code string) { fmt.Fprintf(&b, "| %s | %d | `%s` |\n", what, n, code) }
	row("bytes of one front matter", frontmatter.MaxFront, frontmatter.TooLarge.Code)
	row("bytes of one YAML document", doc.MaxYAML, doc.YAMLTooLarge.Code)
	row("nesting of lists and maps", doc.MaxDepth, doc.NestingLimit.Code)
	row("nodes of one document", doc.MaxNodes, doc.NodeLimit.Code)
	row("characters of one prompt fragment", prompt.MaxCharacters, prompt.Size.Code)
	return b.String()
}
