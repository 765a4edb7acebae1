package mend

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
)

// A skill's name takes no judgement where its directory has the name that was
// wanted, whatever else the skill goes by.

// named writes the name of a skill's directory instead of the one it has, and
// leaves what else is on the line, such as a comment.
func named(f *file, x Finding) ([]Edit, bool) {
	node := f.was.Doc.Get("name")
	if node == nil || node.Text == x.Want || node.Line != x.Line || f.directory() != x.Want || f.names() != 1 {
		return nil, false
	}
	t, ok := f.text(x.Line)
	if !ok || nameIn(t) == "" {
		return nil, false
	}
	before, rest, _ := strings.Cut(t, ":")
	value := strings.TrimLeft(rest, " \t")
	token, ok := scalar(value)
	if !ok || token[0] != '"' && token[0] != '\'' && token != node.Text { // an anchor, a tag, the first of several lines
		return nil, false
	}
	start := f.lines[x.Line-1].start + len(before) + 1 + len(rest) - len(value)
	return []Edit{{start, start + len(token), plain(x.Want)}}, true
}

func renamed(d ext.Doc, x Finding) (ext.Doc, bool) { return set(d, "/name", x.Want) }

// nameIn is the key name as it stands at the beginning of a line; "" where none
// does.
func nameIn(t string) string {
	key, _, found := strings.Cut(t, ":")
	switch bare := strings.TrimRight(key, " \t"); {
	case !found:
	case bare == "name", bare == `"name"`, bare == "'name'":
		return bare
	}
	return ""
}

// names is how many lines of the front matter hold the key name: of two each
// reader takes the one that it likes.
func (f *file) names() int {
	n := 0
	for i := 1; i < f.was.BodyLine; i++ {
		if t, ok := f.text(i); ok && nameIn(t) != "" {
			n++
		}
	}
	return n
}

// scalar is the scalar that a value begins with, as it is written; ok is false
// where there is none, or something but a comment follows.
func scalar(value string) (token string, ok bool) {
	if value == "" {
		return "", false
	}
	end := len(value)
	if quote := value[0]; quote == '"' || quote == '\'' {
		end = closing(value)
	} else if at := commentIn(value); at >= 0 {
		end = at
	}
	if end < 0 {
		return "", false
	}
	token = strings.TrimRight(value[:end], " \t")
	rest := value[len(token):]
	after := strings.TrimLeft(rest, " \t")
	return token, token != "" && (after == "" || after[0] == '#' && after != rest)
}

// closing is where a quoted value ends; -1 where it does not.
func closing(value string) int {
	for i := 1; i < len(value); i++ {
		switch {
		case value[i] == '\\' && value[0] == '"':
			i++
		case value[i] != value[0]:
		case value[0] == '\'' && strings.HasPrefix(value[i+1:], "'"):
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// commentIn is where a comment begins behind a plain value; -1 where none does.
func commentIn(value string) int {
	for i := 1; i < len(value); i++ {
		if value[i] == '#' && (value[i-1] == ' ' || value[i-1] == '\t') {
			return i
		}
	}
	return -1
}

// nameAdded adds the name of a skill's directory as the first key.
func nameAdded(f *file, x Finding) ([]Edit, bool) {
	front := &f.was.Doc
	if front.Kind != ext.Map || front.Get("name") != nil || f.directory() != x.Want {
		return nil, false
	}
	at := front.Line
	if len(front.Map) > 0 {
		at = front.Map[0].Line
	}
	if _, ok := f.text(at); !ok {
		return nil, false
	}
	start := f.lines[at-1].start
	return []Edit{{start, start, "name: " + plain(x.Want) + f.eol()}}, true
}

func withName(d ext.Doc, x Finding) (ext.Doc, bool) {
	name := ext.Pair{Key: "name", Value: ext.Doc{Kind: ext.String, Text: x.Want}}
	return ext.Doc{Kind: d.Kind, Map: append([]ext.Pair{name}, d.Map...)}, true
}

// plain is a name as it is written after a key: in quotes where some reader
// would take it for something else than text.
func plain(name string) string {
	switch name {
	case "yes", "no", "on", "off", "y", "n":
		return single(name)
	}
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-") != "" || strings.HasPrefix(name, "-") || doc.PlainKind(name) != ext.String {
		return single(name)
	}
	return name
}
