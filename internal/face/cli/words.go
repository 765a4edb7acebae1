package cli

import (
	"strconv"
	"strings"
)

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// grouped is a number with its thousands set apart: "12,345".
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count is a number of things: "1 skill", "2 skills".
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + plural(one)
}

func plural(one string) string {
	if stem, ok := strings.CutSuffix(one, "y"); ok {
		return stem + "ies"
	}
	if strings.HasSuffix(one, "s") {
		return one + "es"
	}
	return one + "s"
}

func join(parts []string) string { return strings.Join(parts, ", ") }

// enumerate is a list in a sentence: "skill, agent and command".
func enumerate(words []string) string { return inSentence(words, "and") }

// either is a choice in a sentence: "a:x, b:x or c:x".
func either(words []string) string { return inSentence(words, "or") }

func inSentence(words []string, last string) string {
	n := len(words)
	if n < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n-1], ", ") + " " + last + " " + words[n-1]
}
