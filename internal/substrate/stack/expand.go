package stack

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
)

// What replacing variables may come to.
const (
	mostExpanded = 4 << 20 // bytes that variables bring into one file
	deepest      = 16      // defaults in defaults
)

// expansion replaces the variables of one file. A dollar sign that is none of a variable
// stays written as two, so that what comes out is a compose file.
type expansion struct {
	stack *Stack
	found *ext.Findings
	at    ext.Origin
	spent int
	told  map[string]bool // variables that are known not to be set
}

// doc is a document with its variables replaced; keys stay as they are.
func (e *expansion) doc(d *ext.Doc) ext.Doc {
	out := *d
	switch d.Kind {
	case ext.Map:
		out.Map = make([]ext.Pair, len(d.Map))
		for i, p := range d.Map {
			p.Value = e.doc(&p.Value)
			out.Map[i] = p
		}
	case ext.List:
		out.List = make([]ext.Doc, len(d.List))
		for i := range d.List {
			out.List[i] = e.doc(&d.List[i])
		}
	case ext.String:
		if strings.ContainsRune(d.Text, '$') {
			out.Text = e.text(d.Text, d.Line, 0)
		}
	}
	return out
}

// text replaces the variables of a text.
func (e *expansion) text(s string, line, depth int) string {
	var b strings.Builder
	for {
		plain, rest, ok := strings.Cut(s, "$")
		b.WriteString(plain)
		if !ok {
			return b.String()
		}
		switch {
		case strings.HasPrefix(rest, "$"):
			b.WriteString("$$")
			s = rest[1:]
		case strings.HasPrefix(rest, "{"):
			n := closing(rest)
			if n < 0 {
				e.fault(line, "%s has no end", quoted("$"+rest))
				return b.String()
			}
			b.WriteString(e.braced(rest[1:n], line, depth))
			s = rest[n+1:]
		default:
			n := nameLen(rest)
			if n == 0 {
				e.fault(line, "a $ stands before %s, which is no name of a variable", quoted(rest))
				return b.String()
			}
			b.WriteString(e.value(rest[:n], "$"+rest[:n], line))
			s = rest[n:]
		}
	}
}

// closing is where the brace that s begins with is closed; -1 where it is not.
func closing(s string) int {
	open := 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '}':
			if open--; open == 0 {
				return i
			}
		case i == 0 || s[i] == '{' && s[i-1] == '$':
			open++
		}
	}
	return -1
}

func nameLen(s string) int {
	n := 0
	for n < len(s) && (s[n] == '_' || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || n > 0 && s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return n
}

// braced is what ${…} stands for.
func (e *expansion) braced(inner string, line, depth int) string {
	n := nameLen(inner)
	name, rest := inner[:n], inner[n:]
	if n == 0 || depth > deepest {
		e.fault(line, "%s cannot be read", quoted("${"+inner+"}"))
		return ""
	}
	if e.secret(name) {
		return "${" + inner + "}"
	}
	v, set := e.look(name)
	word, colon := strings.CutPrefix(rest, ":")
	has := set && (!colon || v != "")
	switch {
	case rest == "":
		return e.value(name, "", line)
	case strings.HasPrefix(word, "-"):
		if has {
			return e.spend(v, line)
		}
		return e.text(word[1:], line, depth+1)
	case strings.HasPrefix(word, "+"):
		if has {
			return e.text(word[1:], line, depth+1)
		}
		return ""
	case strings.HasPrefix(word, "?"):
		if has {
			return e.spend(v, line)
		}
		e.fault(line, "the variable %s is needed: %s", name, quoted(e.text(word[1:], line, depth+1)))
		return ""
	}
	e.fault(line, "%s cannot be read", quoted("${"+inner+"}"))
	return ""
}

// value is that of a variable; written is how one is written that holds a secret.
func (e *expansion) value(name, written string, line int) string {
	if e.secret(name) {
		return written
	}
	v, set := e.look(name)
	if !set && !e.told[name] {
		if e.told == nil {
			e.told = map[string]bool{}
		}
		e.told[name] = true
		e.found.Add(VariableUnset.At(e.at.At(e.at.Path, line), "the variable %s is not set", name).
			With("Export %s, or write ${%s:-default}. A file .env, which the compose CLI reads, is not read here.", name, name))
	}
	return e.spend(v, line)
}

// spend is a value, as long as there is room for it.
func (e *expansion) spend(v string, line int) string {
	if e.spent += len(v); e.spent > mostExpanded {
		e.fault(line, "the variables bring in more than %d bytes", mostExpanded)
		return ""
	}
	return strings.ReplaceAll(v, "$", "$$")
}

// look is a variable: one that is exported wins.
func (e *expansion) look(name string) (string, bool) {
	if v, set := e.stack.exported[name]; set {
		return v, true
	}
	v, set := e.stack.derived[name]
	return v, set
}

func (e *expansion) secret(name string) bool {
	return e.stack.hidden[name] || strings.HasPrefix(name, config.InjectPrefix) || strings.HasPrefix(name, config.ClaudePrefix)
}

func (e *expansion) fault(line int, format string, args ...any) {
	const most = 20
	if len(*e.found) < most {
		e.found.Add(VariableNeeded.At(e.at.At(e.at.Path, line), format, args...))
	}
}
