package dialect

import (
	"slices"
	"strings"
)

// Only reports whether a condition of a hook of a client's, in the syntax of rules
// for permissions ("Bash(git *)"), may hold for an event. It is false only where
// that is beyond doubt: the condition is one rule, for a tool that is known, and the
// event is about a tool of a kind that the rule does not cover. What the rule says in
// its parentheses is not read.
func (e *Event) Only(client, condition string) (may bool) {
	name, ok := oneRule(strings.TrimSpace(condition))
	if !ok || !e.Moment.tooled() || e.Tool == "" && !e.Served.Is() {
		return true
	}
	k := e.kind()
	about := kindOf(client, name)
	switch {
	case k == unknown || about == unknown:
		return true
	case k == lone || about == lone:
		return k == about && (e.Client != client || e.Tool == name)
	}
	return k == about || slices.ContainsFunc(ruled, func(group []kind) bool {
		return slices.Contains(group, about) && slices.Contains(group, k)
	})
}

// ruled are kinds of tools that one rule is about: one for "Edit" holds for all that
// change files, and one for "Read" for all that read them or search in them.
var ruled = [][]kind{
	{write, edit, patch, remove, tab},
	{read, list, glob, grep, tab},
}

// oneRule is the tool of a condition that is one rule to its end.
func oneRule(condition string) (tool string, ok bool) {
	tool, rest, more := strings.Cut(condition, "(")
	if !named.MatchString(tool) || strings.Contains(tool, "|") {
		return "", false
	}
	if !more {
		return tool, true
	}
	depth := 1
	for i, r := range rest {
		switch r {
		case '\\': // what it is put before may not count
			return "", false
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return tool, i == len(rest)-1
		}
	}
	return "", false
}
