package mend

import (
	"bytes"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// mark is the byte order mark.
const mark = "\ufeff"

func withoutMark(f *file, _ Finding) ([]Edit, bool) {
	return []Edit{{0, len(mark), ""}}, bytes.HasPrefix(f.data, []byte(mark))
}

// tries is how many lines that may close a code fence are tried, beside the last:
// each time the file is read again.
const tries = 8

// withoutFence removes the line that opens a code fence and the one that closes
// it: the next that does, or the last.
func withoutFence(f *file, x Finding) ([]Edit, bool) {
	opening, ok := f.text(max(x.Line, 1))
	fence := strings.TrimSpace(strings.TrimPrefix(opening, mark))
	marks := fence[:len(fence)-len(strings.TrimLeft(fence, "`~"))]
	if !ok || len(marks) < 3 {
		return nil, false
	}
	at := f.lines[max(x.Line, 1)-1]
	open := Edit{at.start, at.next, ""}
	if strings.HasPrefix(opening, mark) {
		open.Start += len(mark)
	}
	var closing []int
	for n := max(x.Line, 1) + 1; n <= len(f.lines); n++ {
		if t, _ := f.text(n); strings.TrimSpace(t) == marks {
			closing = append(closing, n)
		}
	}
	if len(closing) > tries {
		closing = append(closing[:tries], closing[len(closing)-1])
	}
	for _, n := range closing {
		l := f.lines[n-1]
		edits := []Edit{open, {l.start, l.next, ""}}
		if _, ok := f.means(apply(f.data, edits), &f.was.Doc); ok {
			return edits, true
		}
	}
	return []Edit{open}, len(closing) == 0 // one that nothing closes
}

// ended writes the line that ends the front matter, above the body or instead of
// what was taken for it.
func ended(f *file, x Finding) ([]Edit, bool) {
	t, ok := f.text(x.Line)
	if !ok {
		return nil, false
	}
	l := f.lines[x.Line-1]
	if strings.ContainsAny(t, "-—–") && strings.Trim(t, "- \t—–") == "" {
		return []Edit{{l.start, l.end, "---"}}, true
	}
	return []Edit{{l.start, l.start, "---" + f.eol()}}, true
}

// quoted puts the value of a line in single quotes, as what it was read as.
func quoted(f *file, x Finding) ([]Edit, bool) {
	t, ok := f.text(x.Line)
	value := valueAt(&f.was.Doc, x.Line)
	if !ok || value == nil || value.Kind != ext.String || strings.ContainsAny(value.Text, "\n\r") {
		return nil, false
	}
	_, rest, found := strings.Cut(t, ":")
	if item, is := strings.CutPrefix(strings.TrimLeft(t, " "), "- "); is {
		rest, found = item, true
	}
	if !found {
		return nil, false
	}
	l := f.lines[x.Line-1]
	start := l.end - len(strings.TrimLeft(rest, " \t"))
	end := l.start + len(strings.TrimRight(t, " \t"))
	if start >= end || !stands(value.Text, string(f.data[start:end])) {
		return nil, false
	}
	return []Edit{{start, end, single(value.Text)}}, true
}

// stands reports whether all that is written is a text, but for quotes around it
// and the dash of an item: there is no comment that quotes would do away with.
func stands(text, written string) bool {
	before, after, found := strings.Cut(written, text)
	return found && strings.Trim(before, "\"'- \t") == "" && strings.Trim(after, "\"'") == ""
}

// single is a text in single quotes.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// valueAt is the one value whose key, or which itself, is on a line; nil where
// there is none, or several.
func valueAt(d *ext.Doc, line int) (found *ext.Doc) {
	several := false
	var visit func(*ext.Doc, int)
	visit = func(v *ext.Doc, at int) {
		if at == line && v.Scalar() {
			several = several || found != nil
			found = v
		}
		for i := range v.List {
			visit(&v.List[i], v.List[i].Line)
		}
		for i := range v.Map {
			visit(&v.Map[i].Value, v.Map[i].Line)
		}
	}
	visit(d, 0)
	if several {
		return nil
	}
	return found
}

// withoutTabs writes blanks for the tabs that indent the front matter from a
// line on.
func withoutTabs(f *file, x Finding) ([]Edit, bool) {
	var edits []Edit
	for n := x.Line; n > 0 && n < f.was.BodyLine; n++ {
		t, _ := f.text(n)
		indent := t[:len(t)-len(strings.TrimLeft(t, " \t"))]
		if strings.Contains(indent, "\t") {
			l := f.lines[n-1]
			edits = append(edits, Edit{l.start, l.start + len(indent), strings.ReplaceAll(indent, "\t", "  ")})
		}
	}
	return edits, len(edits) > 0
}

// near reports whether two different names differ in capitals alone.
func near(a, b string) bool { return a != b && strings.EqualFold(a, b) }
