package pysrc

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// literal is the value of an expression that is written out; or why it is none, and where.
func literal(n syntax.Node) (value *ext.Doc, reason string, line int) {
	l := literals{}
	d := l.value(n)
	if l.reason != "" {
		return nil, l.reason, l.line
	}
	return &d, "", 0
}

// literals evaluates literals. The first thing that is none ends it.
type literals struct {
	reason string
	line   int
	twice  []Step // keys that stand twice
}

func (l *literals) fail(n syntax.Node, reason string) ext.Doc {
	if l.reason == "" {
		l.reason, l.line = reason, n.Line()
	}
	return ext.Doc{}
}

func (l *literals) value(n syntax.Node) ext.Doc {
	if l.reason != "" {
		return ext.Doc{}
	}
	d := ext.Doc{Line: n.Line()}
	switch n.Kind() {
	case syntax.KindNone:
		d.Kind = ext.Null
	case syntax.KindTrue:
		d.Kind, d.Text = ext.Bool, "true"
	case syntax.KindFalse:
		d.Kind, d.Text = ext.Bool, "false"
	case syntax.KindString, syntax.KindConcatenatedString:
		d.Kind, d.Text = ext.String, l.text(n)
	case syntax.KindInteger, syntax.KindFloat, syntax.KindUnaryOperator:
		return l.number(n)
	case syntax.KindParenthesizedExpression:
		return l.value(n.First())
	case syntax.KindList, syntax.KindTuple:
		d.Kind = ext.List
		for item := range n.Named() {
			d.List = append(d.List, l.value(item))
		}
	case syntax.KindDictionary:
		d.Kind = ext.Map
		l.pairs(n, &d)
	default:
		return l.fail(n, "not a literal: "+brief(n))
	}
	return d
}

// pairs reads the pairs of a dictionary. The last of one key counts, where the first
// stands, as in Python.
func (l *literals) pairs(n syntax.Node, d *ext.Doc) {
	at := map[string]int{}
	for p := range n.Named() {
		if !p.Is(syntax.KindPair) {
			l.fail(p, "not a literal: "+brief(p))
			return
		}
		k, v := p.Child(syntax.FieldKey), p.Child(syntax.FieldValue)
		if !k.Is(syntax.KindString, syntax.KindConcatenatedString) {
			l.fail(k, "a key that is no string: "+brief(k))
			return
		}
		pair := ext.Pair{Key: l.text(k), Line: k.Line(), Value: l.value(v)}
		if i, ok := at[pair.Key]; ok {
			l.twice = append(l.twice, Step{Line: k.Line(), Why: "the key " + brief(k) + " stands twice; the last one counts"})
			d.Map[i] = pair
			continue
		}
		at[pair.Key] = len(d.Map)
		d.Map = append(d.Map, pair)
	}
}

// text is the value of a string, or of several in a row.
func (l *literals) text(n syntax.Node) string {
	if n.Is(syntax.KindConcatenatedString) {
		var b strings.Builder
		for part := range n.Named() {
			b.WriteString(l.text(part))
		}
		return b.String()
	}
	text, reason := unquote(n.Text())
	if reason != "" {
		l.fail(n, reason)
	}
	return text
}

// number is a number as JSON spells it.
func (l *literals) number(n syntax.Node) ext.Doc {
	sign, of := "", n
	for of.Is(syntax.KindUnaryOperator) {
		switch of.Child(syntax.FieldOperator).Text() {
		case "-":
			if sign == "" {
				sign = "-"
			} else {
				sign = ""
			}
		case "+":
		default:
			return l.fail(n, "not a literal: "+brief(n))
		}
		of = of.Child(syntax.FieldArgument)
	}
	d := ext.Doc{Kind: ext.Number, Line: n.Line()}
	text := strings.ReplaceAll(of.Text(), "_", "")
	switch of.Kind() {
	case syntax.KindInteger:
		i, ok := new(big.Int).SetString(text, 0)
		if len(text) > 400 || strings.ContainsAny(text[len(text)-1:], "jJ") {
			ok = false
		}
		if !ok || len(text) > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9' && i.Sign() != 0 {
			return l.fail(n, "a number that is not read: "+brief(n))
		}
		d.Text = i.String()
	case syntax.KindFloat:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(f, 0) {
			return l.fail(n, "a number that is not read: "+brief(n))
		}
		if d.Text = strconv.FormatFloat(f, 'g', -1, 64); !strings.ContainsAny(d.Text, ".e") {
			d.Text += ".0"
		}
	default:
		return l.fail(n, "not a literal: "+brief(n))
	}
	if d.Text != "0" {
		d.Text = sign + d.Text
	}
	return d
}

// unquote is the value of a string as it is written, or why it has none that is text.
func unquote(s string) (text, reason string) {
	raw := false
	for len(s) > 0 && s[0] != '\'' && s[0] != '"' {
		switch s[0] | 0x20 {
		case 'r':
			raw = true
		case 'u':
		case 'f', 't':
			return "", "a string with fields"
		default:
			return "", "bytes"
		}
		s = s[1:]
	}
	n := 1
	if len(s) >= 6 && (strings.HasPrefix(s, `"""`) || strings.HasPrefix(s, "'''")) {
		n = 3
	}
	if len(s) < 2*n {
		return "", "not a string"
	}
	s = s[n : len(s)-n]
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	if raw || !strings.Contains(s, `\`) {
		return s, ""
	}
	return unescape(s)
}

// unescape replaces what stands behind backslashes. An escape that Python does not know is
// left as it is.
func unescape(s string) (text, reason string) {
	var b strings.Builder
	for {
		plain, rest, more := strings.Cut(s, `\`)
		b.WriteString(plain)
		if !more || rest == "" {
			return b.String(), ""
		}
		c := rest[0]
		if at := strings.IndexByte("\n\\'\"abfnrtv", c); at >= 0 {
			b.WriteString([...]string{"", `\`, "'", `"`, "\a", "\b", "\f", "\n", "\r", "\t", "\v"}[at])
			s = rest[1:]
			continue
		}
		digits, base := 0, 16
		switch {
		case c == 'x':
			digits = 2
		case c == 'u':
			digits = 4
		case c == 'U':
			digits = 8
		case c == 'N':
			return "", "a character by its name"
		case c >= '0' && c <= '7':
			base = 8
		default:
			b.WriteByte('\\')
			s = rest
			continue
		}
		if base == 16 {
			rest = rest[1:]
		} else {
			for digits < 3 && digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '7' {
				digits++
			}
		}
		code, err := strconv.ParseUint(rest[:min(digits, len(rest))], base, 32)
		if err != nil || len(rest) < digits || !utf8.ValidRune(rune(code)) || code > utf8.MaxRune {
			return "", "a character that is none"
		}
		b.WriteRune(rune(code))
		s = rest[digits:]
	}
}
