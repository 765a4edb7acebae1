package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// widening reports whether a layer that is not the person's own may not say
// one, because it allows more. below is what lower layers say, highest first;
// the default is the last.
type widening func(one said, below []said) bool

// widenings are the words of the tag widens.
var widenings = map[string]widening{
	"always":    func(said, []said) bool { return true },
	"more":      more,
	"unbounded": unbounded,
	"other":     other,
	"allow":     func(one said, _ []said) bool { return one.value == Allow },
	"off":       off,
	"unasked":   unasked,
	"absolute":  func(one said, _ []said) bool { return absolute(one.value.(string)) },
}

// more is above what the person said, or above the default where they said
// nothing. A workspace can neither raise a limit nor undo one that its person set.
func more(one said, below []said) bool { return larger(one.value, personal(below)) }

// unbounded is more of a number where 0 is no bound at all, and so the most.
func unbounded(one said, below []said) bool {
	value, bound := one.value.(int), personal(below).(int)
	return bound != 0 && (value == 0 || value > bound)
}

// other is anything but what the person said, or the default where they said
// nothing.
func other(one said, below []said) bool { return one.value != personal(below) }

// personal is what the person said, or the default where they said nothing.
func personal(below []said) any {
	bound := below[len(below)-1].value
	for _, b := range below {
		if b.layer == User && b.ignored == "" {
			bound = b.value
		}
	}
	return bound
}

// off takes back what any lower layer turned on.
func off(one said, below []said) bool {
	if one.value.(bool) {
		return false
	}
	for _, b := range below {
		if b.value.(bool) {
			return true
		}
	}
	return false
}

// unasked takes back that a person is asked, which any lower layer said.
func unasked(one said, below []said) bool {
	return one.value != asks && slices.ContainsFunc(below, func(b said) bool { return b.value == asks })
}

// Allow and Block are the values of the policy of a source.
const (
	Allow = "allow"
	Block = "block"
)

// First is the value of trust.tools by which what a server of the owner's offers when
// it first runs counts as approved.
const First = "first"

// asks is the value of keys that widen by unasked which has a person asked.
const asks = "ask"

func larger(a, b any) bool {
	switch a := a.(type) {
	case int:
		return a > b.(int)
	case bool:
		return a && !b.(bool)
	}
	return false
}

// judge marks one as ignored, and says so, when its layer may not widen.
func (s *settling) judge(one *said, below []said) {
	why, fix := s.foreign(*one)
	if why == "" {
		why, fix = s.wider(*one, below)
	}
	if one.ignored = why; why != "" {
		s.findings.Add(Widens.At(one.origin, "%s = %s is ignored: %s", one.key, one.toml(), why).With("%s", fix))
	}
}

// wider is why one may not say what allows more than the layers below, "" when
// it may or does not.
func (s *settling) wider(one said, below []said) (why, fix string) {
	widens := widenings[one.node.widens]
	broken := s.managedBroken()
	switch {
	case one.layer == Default || widens == nil || one.layer.mayWiden() && !broken || !widens(one, below):
		return "", ""
	case broken:
		return "nothing may widen while the managed file is broken", ManagedBroken.Fix
	}
	return s.advice(one, below)
}

// foreign is why a workspace's file may not say one about a plugin or a
// marketplace that the person or the machine names: it is theirs in every
// workspace, and a workspace that nobody adopted could otherwise replace it, or
// switch off a guard. Settings are another matter: who sets them has the plugin
// wait for adoption.
func (s *settling) foreign(one said) (why, fix string) {
	if !one.layer.workspace() || one.node.kind == kindOpen || !s.own(one.table()) {
		return "", ""
	}
	if strings.HasPrefix(one.table(), "sources.") {
		return "the rule is of your own config.toml or the managed file, which alone say this",
			"Remove it; to block more, give that rule a name of its own."
	}
	if strings.HasPrefix(one.table(), "markets.") {
		return "the marketplace is named by your own config.toml or the managed file, which alone say this",
			"Remove it; to have another one, give that a name of its own."
	}
	return "the plugin is named by your own config.toml or the managed file, which alone say this",
		fmt.Sprintf("Remove it. To do without the plugin here, run \"mortise disable %s\"; to use another one, give that a name of its own.", strings.TrimPrefix(one.table(), "plugins."))
}

// own reports whether the person's own file or the machine's gives what a named
// table is about its path.
func (s *settling) own(table string) bool {
	return slices.ContainsFunc(s.layers, func(r *reading) bool {
		return (r.layer == User || r.layer == Managed) && ownable(table) && r.says(join(table, places[table[:strings.IndexByte(table, '.')]]))
	})
}

// advice is why one does not count and what to do instead, so that doing just
// that has the effect.
func (s *settling) advice(one said, below []said) (why, fix string) {
	for _, b := range below {
		switch {
		case one.node.widens == "off" && b.value == true:
			return "what any file turned on only the managed file turns off",
				fmt.Sprintf("It is turned on in %s; change it there.", b.origin)
		case one.node.widens == "unasked" && b.value == asks:
			return "that a person is asked only the managed file takes back",
				fmt.Sprintf("%s says so; change it there.", b.origin)
		}
	}
	file := "your own config.toml"
	if s.userFile != "" {
		file = ext.Quote(filepath.ToSlash(s.userFile))
	}
	return "only your own config.toml and the managed file may allow this",
		fmt.Sprintf("To have it, write %s = %s under [%s] in %s.", one.node.name, one.toml(), one.table(), file)
}

func (s *settling) managedBroken() bool {
	for _, r := range s.layers {
		if r.layer == Managed && r.broken {
			return true
		}
	}
	return false
}

// toml is the value as it is written in a file.
func (one said) toml() string {
	if text, ok := one.value.(string); ok {
		return ext.Quote(ext.Shorten(text, 200))
	}
	return spell(one.value)
}

// table is the key of the table that one is in.
func (one said) table() string { return one.key[:len(one.key)-len(one.node.name)-1] }

// ownable reports whether a table is one of those that the person may have as
// their own.
func ownable(table string) bool {
	below, _, named := strings.Cut(table, ".")
	return named && places[below] != ""
}

// places is the key of each kind of named table that says what one is about: who says
// that has the table.
var places = map[string]string{"plugins": "path", "markets": "path", "sources": "from"}
