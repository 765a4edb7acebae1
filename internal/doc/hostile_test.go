package doc

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Text made to be slow, or to take memory, is read or refused in a short time.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("reads much")
	}
	const size = MaxYAML - 16
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	var anchors strings.Builder
	for i := 0; anchors.Len() < size; i++ {
		fmt.Fprintf(&anchors, "a%d: &a%d x\n", i, i)
	}
	for name, in := range map[string]string{
		"comments":      fill("# a\n"),
		"long comment":  fill("#"),
		"blanks":        fill(" "),
		"blank lines":   fill("\n"),
		"quotes":        "a: '" + fill("'"),
		"escapes":       `a: "` + fill(`\u00e9`),
		"folded":        "a: >\n" + fill("  x\n"),
		"flow":          "a: [" + fill("a, ") + "]",
		"flow keys":     "{" + fill("a,"),
		"colons":        fill(":"),
		"keys":          fill("a: "),
		"question":      fill("?a "),
		"dashes":        fill("-"),
		"anchors":       anchors.String(),
		"tags":          fill("!a "),
		"percent":       fill("%a\n"),
		"comment after": fill("- a # b\n"),
		"documents":     fill("---\n"),
		"one long word": fill("a"),
		"merges":        "a: &a {b: c}\nd:\n" + fill("- {<<: *a}\n"),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			YAML(here, []byte(in), 1)
			JSON(here, []byte(in))
			TOML(here, []byte(in))
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v, want at most 20 s", took)
			}
		})
	}
}
