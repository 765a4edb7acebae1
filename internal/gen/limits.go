package main

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/frontmatter"
	"github.com/mortise-dev/mortise/internal/surface/affordance"
	"github.com/mortise-dev/mortise/internal/surface/notification"
	"github.com/mortise-dev/mortise/internal/surface/prompt"
	"github.com/mortise-dev/mortise/internal/surface/task"
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
	row("characters of the instructions of one task", task.MaxCharacters, task.Size.Code)
	row("inputs of one task", task.MaxInputs, task.BadInputs.Code)
	row("characters of one affordance", affordance.MaxCharacters, affordance.Size.Code)
	row("characters of the template of one notification", notification.MaxTemplate, notification.BadTemplate.Code)
	row("places in the template of one notification", notification.MaxPlaces, notification.BadTemplate.Code)
	return b.String()
}
