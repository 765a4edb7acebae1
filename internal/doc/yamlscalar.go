package doc

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/mortise-dev/mortise/ext"
)

// quotedStyles are the ways to write a scalar that make it text.
const quotedStyles = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// scalar is the kind and the text of a scalar node. Null has no text.
func (r *yamlReader) scalar(n *yaml.Node) (ext.Kind, string) {
	kind, plain := ext.String, PlainKind
	if r.eleven {
		plain = plainKind11
	}
	switch {
	case n.Style&yaml.TaggedStyle != 0:
		switch n.Tag {
		case "!!null", "!!bool", "!!int", "!!float":
			kind = plain(n.Value)
		}
	case n.Style&quotedStyles == 0 && n.Tag != "!":
		kind = plain(n.Value)
		if r.eleven && !r.odd && kind == ext.String && date11.MatchString(n.Value) {
			r.odd = true
			r.found.Add(YAMLDate.At(r.at(r.lines.of(n.Line)), "%s is kept as text", quoted(n.Value)))
		}
	}
	if kind == ext.Null {
		return kind, ""
	}
	return kind, n.Value
}

// PlainKind is the kind of a YAML scalar written without quotes, by the core
// schema of YAML 1.2: yes, 2024-01-01, 1_000 and 1:30 are strings.
func PlainKind(s string) ext.Kind {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return ext.Null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return ext.Bool
	}
	if coreNumber(s) {
		return ext.Number
	}
	return ext.String
}

func coreNumber(s string) bool {
	switch s {
	case ".nan", ".NaN", ".NAN":
		return true
	}
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		return hex != "" && strings.Trim(hex, "0123456789abcdefABCDEF") == ""
	}
	if octal, ok := strings.CutPrefix(s, "0o"); ok {
		return octal != "" && strings.Trim(octal, "01234567") == ""
	}
	if s[0] == '-' || s[0] == '+' {
		s = s[1:]
	}
	switch s {
	case ".inf", ".Inf", ".INF":
		return true
	}
	return decimal(s)
}

// decimal is (\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? in full.
func decimal(s string) bool {
	whole := digits(s)
	s = s[whole:]
	part := 0
	if strings.HasPrefix(s, ".") {
		part = digits(s[1:])
		s = s[1+part:]
	}
	if whole+part == 0 {
		return false
	}
	if s == "" {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = s[1:]
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	return s != "" && digits(s) == len(s)
}

// digits counts the decimal digits that s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
