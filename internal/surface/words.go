package surface

import (
	"strconv"
	"strings"
)

func splitWords(s string) []string {
	sep := byte(' ')
	if separates(s, ',') {
		sep = ','
	}
	var words []string
	depth, from := 0, 0
	cut := func(to int) {
		if w := strings.TrimSpace(s[from:to]); w != "" {
			words = append(words, w)
		}
		from = to + 1
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c == '(' || c == '[' || c == '{':
			depth++
		case (c == ')' || c == ']' || c == '}') && depth > 0:
			depth--
		case depth == 0 && (c == sep || sep == ' ' && (c == '\t' || c == '\n')):
			cut(i)
		}
	}
	cut(len(s))
	return words
}

// separates reports whether c stands in s outside brackets.
func separates(s string, c byte) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(depth-1, 0)
		case c:
			if depth == 0 {
				return true
			}
		}
	}
	return false
}

func flag(s string) (value, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0":
		return false, true
	}
	return false, false
}

func integer(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	return n, err == nil
}

// Summary is the first paragraph of Markdown text as one line, at most n
// characters, for an entry without a description of its own.
func Summary(body string, n int) string {
	for para := range strings.SplitSeq(body, "\n\n") {
		text := strings.Join(strings.Fields(strings.TrimLeft(strings.TrimSpace(para), "#> ")), " ")
		if text != "" {
			if cut := []rune(text); len(cut) > n {
				return string(cut[:n-1]) + "…"
			}
			return text
		}
	}
	return ""
}

// similar reports whether one word was perhaps meant to be another: at most two
// letters are wrong, missing or too many.
func similar(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if len(a) < 3 || len(a)-len(b) > 2 || len(b)-len(a) > 2 {
		return false
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, corner+1)
		}
	}
	return row[len(b)] <= 2
}

// Plain reports whether s is a name of 1 to most characters: ASCII letters, digits, and
// what extra holds, of which only '_' may begin it. It is looked through by hand: names
// are checked in every pass, and patterns take their time to compile at every start.
func Plain(s string, most int, extra string) bool {
	if s == "" || len(s) > most {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case strings.IndexByte(extra, c) >= 0 && (i > 0 || c == '_'):
		default:
			return false
		}
	}
	return true
}

// VariableName reports whether s can be the name of a variable of the environment.
func VariableName(s string) bool {
	return Plain(s, 128, "_") && (s[0] < '0' || s[0] > '9')
}
