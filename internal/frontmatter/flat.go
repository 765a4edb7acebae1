package frontmatter

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
)

const (
	maxFlat = 64  // keys in flat front matter; more are left to the library
	maxKey  = 128 // bytes in a key, likewise
)

// flat reads the form that nearly all front matter has: lines "key: value"
// with a plain or quoted scalar, blank lines, and comments on lines of their
// own; below a key a list of scalars, a map of such lines, or a block of text. It
// is sure only of text for which doc.YAML makes exactly the same node; everything
// else it leaves alone. The faults it tells are those that most files with a fault
// have.
func flat(o ext.Origin, front string, first int) (ext.Doc, ext.Findings, bool) {
	pairs := make([]ext.Pair, 0, min(strings.Count(front, "\n")+1, maxFlat))
	r := flatLines{path: o.Path, rest: front, n: first}
	for r.rest != "" {
		line, n, _ := r.next()
		if line == "" || line[0] == '#' && printable(line) {
			continue
		}
		key, raw, ok := flatKey(line)
		var value ext.Doc
		if ok {
			value, ok = r.value(raw, n)
		}
		if !ok {
			if fault := faultOf(line); fault != nil && allPrintable(r.rest) {
				return ext.Doc{}, ext.Findings{fault(o.At(o.Path, n), line)}, true
			}
		}
		if !ok || has(pairs, key) || len(pairs) == maxFlat {
			return ext.Doc{}, nil, false
		}
		pairs = append(pairs, ext.Pair{Key: key, Line: n, Value: value})
	}
	if len(pairs) == 0 {
		return ext.Doc{}, nil, false
	}
	return ext.Doc{Kind: ext.Map, File: o.Path, Line: pairs[0].Line, Map: pairs}, nil, true
}

func has(pairs []ext.Pair, key string) bool {
	for i := range pairs {
		if pairs[i].Key == key {
			return true
		}
	}
	return false
}

// faultOf is what tells the fault of a line that flat does not take, nil where it
// is not one of the commonest.
func faultOf(line string) func(o ext.Origin, shown string) ext.Finding {
	if colonInValue(line) {
		return doc.ColonInValue
	}
	_, raw, ok := flatKey(line)
	if !ok || raw == "" || raw[0] != '[' {
		return nil
	}
	end := strings.IndexByte(raw, ']') + 1
	if _, ok := flowList(raw[:end]); !ok {
		return nil
	}
	switch after := raw[end:]; {
	case len(after) > 3 && strings.HasPrefix(after, " | ") && after[3] != ' ' && after[3] != '#':
		return doc.BarAfterList
	case lists(after):
		return doc.KeyAfterList
	}
	return nil
}

// lists reports whether s is nothing but lists in brackets, each with a blank before
// it.
func lists(s string) bool {
	for s != "" {
		end := strings.IndexByte(s, ']') + 1
		if !strings.HasPrefix(s, " [") {
			return false
		}
		if _, ok := flowList(s[1:max(end, 1)]); !ok {
			return false
		}
		s = s[end:]
	}
	return true
}

// colonInValue reports whether a line is the commonest fault there is: a plain
// value that holds a colon followed by a space, before anything else that could
// mean something.
func colonInValue(line string) bool {
	key, value, _ := strings.Cut(line, ": ")
	if key == "" || len(key) > maxKey || key[0] == '-' || key[0] == '.' || strings.ContainsFunc(key, func(r rune) bool { return r > 0x7f || !keyByte[r] }) {
		return false
	}
	value = strings.TrimLeft(value, " ")
	before, _, found := strings.Cut(value, ": ")
	if !found || before == "" || !printable(value) {
		return false
	}
	_, plainly := plain(strings.TrimRight(before, " "))
	return plainly && before[len(before)-1] != ' '
}

// flatKey takes a line apart at the colon after its key. raw is what stands
// behind it, without blanks around it.
func flatKey(line string) (key, raw string, ok bool) {
	n := 0
	for n < len(line) && keyByte[line[n]] {
		n++
	}
	if n == 0 || n > maxKey || n == len(line) || line[n] != ':' || line[0] == '-' || line[0] == '.' {
		return "", "", false
	}
	key, rest := line[:n], line[n+1:]
	if rest != "" && rest[0] != ' ' || !printable(rest) {
		return "", "", false
	}
	return key, strings.Trim(rest, " "), true
}

var keyByte = func() (set [256]bool) {
	for _, c := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-." {
		set[c] = true
	}
	return set
}()

// printable reports whether s, without line ends, is nothing but characters
// that YAML takes as they are.
func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		if doubtful[s[i]] && strange(s[i:]) {
			return false
		}
	}
	return true
}

// allPrintable is printable for several lines: the library looks ahead for
// characters that it does not take, and tells them first.
func allPrintable(s string) bool {
	for line := range strings.SplitSeq(s, "\n") {
		if !printable(line) {
			return false
		}
	}
	return true
}

// doubtful are the bytes that may begin a character that is not printable.
var doubtful = func() (set [256]bool) {
	for c := range ' ' {
		set[c] = true
	}
	set[0x7f], set[0xc2], set[0xe2], set[0xef] = true, true, true, true
	return set
}()

// strange reports whether s, which is valid UTF-8, begins with such a one.
func strange(s string) bool {
	switch s[0] {
	case 0xc2: // controls
		return s[1] < 0xa0
	case 0xe2: // line and paragraph separators
		return s[1] == 0x80 && s[2]&^1 == 0xa8
	case 0xef: // byte order mark, non-characters
		return s[1] == 0xbb && s[2] == 0xbf || s[1] == 0xbf && s[2] >= 0xbe
	}
	return true
}

// flatValue reads what stands after "key:", without blanks around it.
func flatValue(s string) (ext.Doc, bool) {
	if s != "" && s[0] == '[' {
		return flowList(s)
	}
	return flatScalar(s)
}

func flatScalar(s string) (ext.Doc, bool) {
	if s == "" {
		return ext.Doc{}, true
	}
	switch s[0] {
	case '"':
		return doubleQuoted(s)
	case '\'':
		return singleQuoted(s)
	}
	return plain(s)
}

// inner is what stands between a quote that begins s and one that ends it.
func inner(s string) (string, bool) {
	end := len(s) - 1
	if end == 0 || s[end] != s[0] {
		return "", false
	}
	return s[1:end], true
}

// singleQuoted reads a value in which the quote itself is written twice.
func singleQuoted(s string) (ext.Doc, bool) {
	s, ok := inner(s)
	if !ok || strings.Count(s, "'") != 2*strings.Count(s, "''") {
		return ext.Doc{}, false
	}
	return ext.Doc{Kind: ext.String, Text: strings.ReplaceAll(s, "''", "'")}, true
}

// escapes are those that people write; the rest is left to the library.
var escapes = map[byte]byte{'"': '"', '\\': '\\', 'n': '\n', 't': '\t'}

// doubleQuoted reads a value in which a backslash escapes.
func doubleQuoted(s string) (ext.Doc, bool) {
	s, ok := inner(s)
	if !ok {
		return ext.Doc{}, false
	}
	if strings.IndexByte(s, '"') < 0 && strings.IndexByte(s, '\\') < 0 {
		return ext.Doc{Kind: ext.String, Text: s}, true
	}
	text := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '"' {
			return ext.Doc{}, false
		}
		if c == '\\' {
			if i++; i == len(s) {
				return ext.Doc{}, false
			}
			if c, ok = escapes[s[i]]; !ok {
				return ext.Doc{}, false
			}
		}
		text = append(text, c)
	}
	return ext.Doc{Kind: ext.String, Text: string(text)}, true
}

// flowList reads "[a, b]" whose items are scalars without any character that
// means something in a list, quoted or not.
func flowList(s string) (ext.Doc, bool) {
	if len(s) < 2 || s[len(s)-1] != ']' {
		return ext.Doc{}, false
	}
	s = strings.Trim(s[1:len(s)-1], " ")
	if strings.ContainsAny(s, "[]{}") {
		return ext.Doc{}, false
	}
	list := ext.Doc{Kind: ext.List, List: make([]ext.Doc, 0, strings.Count(s, ",")+1)}
	for s != "" {
		item, rest, _ := strings.Cut(s, ",")
		item = strings.Trim(item, " ")
		if item == "" || item[0] != '"' && item[0] != '\'' && strings.ContainsAny(item, ":#?\"'") {
			return ext.Doc{}, false
		}
		d, ok := flatScalar(item)
		if !ok {
			return ext.Doc{}, false
		}
		list.List = append(list.List, d)
		s = strings.Trim(rest, " ")
	}
	return list, true
}

// plain reads a value without quotes that no character of YAML's own begins,
// and in which no colon or number sign could mean anything.
func plain(s string) (ext.Doc, bool) {
	if strings.IndexByte("-?:,[]{}#&*!|>'\"%@`", s[0]) >= 0 || s[len(s)-1] == ':' {
		return ext.Doc{}, false
	}
	if strings.Contains(s, ": ") || strings.IndexByte(s, '#') >= 0 && strings.Contains(s, " #") {
		return ext.Doc{}, false
	}
	kind := doc.PlainKind(s)
	if kind == ext.Null {
		return ext.Doc{}, true
	}
	return ext.Doc{Kind: kind, Text: s}, true
}
