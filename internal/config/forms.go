package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// form is what a string must look like.
type form struct {
	pattern *pattern.Pattern // for the schema, too
	says    string
	also    func(string) bool // what a pattern cannot say; nil for nothing
}

var forms = map[string]form{
	"inside": {
		pattern: pattern.New(`^[^\\\x00-\x1f]+$`),
		says:    "a path below the workspace, written with /, such as ./.mortise",
		also:    func(p string) bool { return absolute(p) || filepath.IsLocal(filepath.FromSlash(p)) },
	},
	"place": {
		pattern: pattern.New(`^(\.\.?/|/|[A-Za-z]:/)[^\\\x00-\x1f]*$`),
		says:    "a path that begins with ./ or an absolute one, written with /, such as ./plugins/acme",
	},
	"source": {
		pattern: pattern.New(`^(\*|/[^\\\x00-\x1f]*|[A-Za-z]:/[^\\\x00-\x1f]*|(\*\.)?[A-Za-z0-9._-]+(:[0-9]+)?(/[^\s\\\x00-\x1f]*)?)$`),
		says:    "HOST, *.HOST, HOST/PATH, an absolute directory or *, such as github.com/acme",
	},
	"dotted": {
		pattern: pattern.New(`^([A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*(\.\*)?([ ,]+[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*(\.\*)?)*)?$`),
		says:    "dotted names with blanks or commas between them, such as acme.agents.Base",
	},
	"format": {
		pattern: pattern.New(`^[a-z0-9][a-z0-9./-]*$`),
		says:    "the name of a format, such as agent-plugins/1.0.0",
	},
}

// absolute takes a path that begins with / for absolute on every system, so
// that a file means the same everywhere.
func absolute(p string) bool {
	return strings.HasPrefix(p, "/") || filepath.IsAbs(filepath.FromSlash(p))
}

// accepts says what the key takes instead of v, "" when v is in order. v has
// the key's type.
func (n *node) accepts(v any) string {
	switch v := v.(type) {
	case string:
		if n.enum != nil && !slices.Contains(n.enum, v) {
			return n.takes()
		}
		f, ok := forms[n.form]
		if ok && (!f.pattern.MatchString(v) || f.also != nil && !f.also(v)) {
			return f.says
		}
	case int:
		if n.min != nil && v < *n.min {
			return n.takes()
		}
	}
	return ""
}

// takes says in words which values the key takes.
func (n *node) takes() string {
	switch {
	case n.enum != nil:
		quoted := make([]string, len(n.enum))
		for i, e := range n.enum {
			quoted[i] = strconv.Quote(e)
		}
		return "one of " + strings.Join(quoted, ", ")
	case n.min != nil:
		return fmt.Sprintf("an integer of at least %d", *n.min)
	}
	return [...]string{"a table", "a table", "a string", "true or false", "an integer", "a table", "a string or an array of strings", "an array of tables"}[n.kind]
}

// instead is what to write in place of d at the key parts, where it shows what
// was meant; "" is the advice of the check.
func (n *node) instead(d *ext.Doc, parts []string) string {
	first := d
	if d.Kind == ext.List && len(d.List) > 0 {
		first = &d.List[0]
	}
	text := ext.Quote(ext.Shorten(first.Text, 200))
	switch {
	case first.Kind != ext.String:
	case n.form == "place" && strings.HasPrefix(first.Text, "~"):
		return "~ is not known here: write an absolute path, or one that begins with ./"
	case n.form == "place" && d != first:
		return "Write " + n.name + " = " + text + ": a " + schema.child(parts[0]).one() + " lies in one directory, and each has a table of its own."
	case n.kind == kindNamed && len(parts) > 1:
		return "Write " + join("", parts[len(parts)-1]) + " = { " + places[n.name] + " = " + text + " } under [" + dotted(parts[:len(parts)-1]) + "]."
	}
	return ""
}

// parse reads the spelling of a scalar as a value of the key's type.
func (n *node) parse(spelling string) (v any, ok bool) {
	switch n.kind {
	case kindText:
		return spelling, true
	case kindBool:
		return spelling == "true", spelling == "true" || spelling == "false"
	case kindInt:
		i, err := strconv.ParseInt(spelling, 0, strconv.IntSize)
		return int(i), err == nil
	}
	return nil, false
}

// found describes a node of a file that has the wrong type.
func found(d *ext.Doc) string {
	switch d.Kind {
	case ext.Map:
		return "a table"
	case ext.List:
		return "an array"
	case ext.Null:
		return "nothing"
	}
	return d.Kind.String() + " (" + ext.Quote(ext.Shorten(d.Text, 40)) + ")"
}
