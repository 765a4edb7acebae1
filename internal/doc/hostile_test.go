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
		"slashes":       fill("/"),
		"comments in C": fill("/*/"),
		"commas":        "[1" + fill(","),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			YAML(here, []byte(in), 1)
			JSON(here, []byte(in))
			JSONC(here, []byte(in), Comments|Commas)
			TOML(here, []byte(in))
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v, want at most 20 s", took)
			}
		})
	}
}

// TestHostileTOML reads documents of many keys. The library looks through all
// that came before for each, which took 24 seconds for the first of these.
func TestHostileTOML(t *testing.T) {
	if testing.Short() {
		t.Skip("reads much")
	}
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, in := range map[string]string{
		"tables":             many(80_000, "[a%d]\n"),
		"keys":               many(60_000, "a%d = 1979-05-27\n"),
		"dotted keys":        many(40_000, "a.b%d.c = 1\n"),
		"arrays of tables":   many(90_000, "[[a]]\nb = %d\n"),
		"tables within them": many(30_000, "[[a]]\n[a.b%d]\n"),
		"inline tables":      "a = [" + many(40_000, "{b%d = 1},\n") + "]",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			if _, found := TOML(here, []byte(in)); found.Failed() {
				t.Errorf("got %v, want it read", found)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v, want at most 10 s", took)
			}
		})
	}
}
