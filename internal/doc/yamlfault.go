package doc

import (
	"bytes"
	"errors"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/mortise-dev/mortise/ext"
)

// syntax turns an error of the library into a finding: the line in the file,
// what the library says, the line itself, and the fix where it is plain.
func (r *yamlReader) syntax(err error) ext.Finding {
	n, message := r.place(err)
	shown := line(r.data, n)
	if strings.TrimSpace(shown) == "" {
		return YAMLSyntax.At(r.at(r.lines.first+n-1), "%s", said(message))
	}
	f := YAMLSyntax.At(r.at(r.lines.first+n-1), "%s: %s", said(message), quoted(shown))
	return quoteAdvice(f, shown)
}

// ColonInValue is what YAML finds on a line of a block mapping whose plain
// value holds a colon followed by a space, and where that is the first fault:
// for readers that see it without the library.
func ColonInValue(o ext.Origin, shown string) ext.Finding {
	f := YAMLSyntax.At(o, "%s: %s", said("mapping values are not allowed in this context"), quoted(shown))
	return quoteAdvice(f, shown)
}

// BarAfterList is what YAML finds on a line of a block mapping whose value is a
// list in brackets that is followed by a bar and text, "[a] | [b]", and where that
// is the first fault.
func BarAfterList(o ext.Origin, shown string) ext.Finding {
	f := YAMLSyntax.At(o, "%s: %s", said("while scanning a block scalar: did not find expected comment or line break"), quoted(shown))
	return quoteAdvice(f, shown)
}

// KeyAfterList is what YAML finds where a second list follows instead, "[a] [b]".
func KeyAfterList(o ext.Origin, shown string) ext.Finding {
	f := YAMLSyntax.At(o, "%s: %s", said("while parsing a block mapping: did not find expected key"), quoted(shown))
	return quoteAdvice(f, shown)
}

// place is the line within the text where reading ended, and why.
func (r *yamlReader) place(err error) (int, string) {
	var fault *yaml.LoadError
	if !errors.As(err, &fault) {
		return 1, err.Error()
	}
	message := fault.Message
	if fault.ContextMsg != "" {
		message = fault.ContextMsg + ": " + message
	}
	if fault.Mark.Line == 0 {
		at := min(max(fault.Mark.Index, 0), len(r.data))
		return 1 + breaks(r.data[:at]), message
	}
	return r.lines.of(fault.Mark.Line) - r.lines.first + 1, message
}

// quoteAdvice says to quote the value where that is what the line needs: a
// plain value that holds ": ", or that begins with a character of YAML's own.
func quoteAdvice(f ext.Finding, shown string) ext.Finding {
	key, value, ok := strings.Cut(shown, ": ")
	value = strings.TrimSpace(value)
	if !ok || value == "" {
		return f
	}
	switch {
	case strings.ContainsAny(value[:1], `'"`):
		return f
	case strings.ContainsAny(value[:1], "*&!@`%[{|>"):
		return f.With("Put the value of %s in quotes: it begins with %s, which has a meaning in YAML.", quoted(key), ext.Quote(value[:1]))
	case strings.Contains(value, ": ") || strings.HasSuffix(value, ":"):
		return f.With("Put the value of %s in quotes: it holds a colon followed by a space.", quoted(key))
	}
	return f
}

// lineTable turns lines as the library counts them into lines of the file.
// The library also ends lines at NEL, LS and PS, which no editor does.
type lineTable struct {
	first int   // line of the file of the first line of the text
	last  int   // line of the file of the last line of the text
	file  []int // by line of the library less one; nil when both count alike
}

func yamlLines(data []byte, first int) lineTable {
	t := lineTable{first: first, last: first + breaks(bytes.TrimRight(data, "\n"))}
	if !bytes.ContainsAny(data, "\u0085\u2028\u2029") {
		return t
	}
	now := first
	t.file = append(t.file, now)
	for _, c := range string(data) {
		switch c {
		case '\n':
			now++
			t.file = append(t.file, now)
		case '\u0085', '\u2028', '\u2029':
			t.file = append(t.file, now)
		}
	}
	return t
}

// of is the line of the file for line n of the library. What lies past the end
// of the text is on its last line.
func (t lineTable) of(n int) int {
	n = max(n, 1)
	if n <= len(t.file) {
		return min(t.file[n-1], t.last)
	}
	return min(t.first+n-1, t.last)
}
