package mend

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
)

func withoutMark(f *file, _ Finding) ([]Edit, bool) {
	const mark = "\ufeff"
	return []Edit{{0, len(mark), ""}}, bytes.HasPrefix(f.data, []byte(mark))
}

// tries is how many lines that may close a code fence are tried, beside the last:
// each time the file is read again.
const tries = 8

// withoutFence removes the line that opens a code fence and the one that closes
// it: the next that does, or the last.
func withoutFence(f *file, x Finding) ([]Edit, bool) {
	opening, ok := f.text(max(x.Line, 1))
	fence := strings.TrimSpace(strings.TrimPrefix(opening, "\ufeff"))
	marks := fence[:len(fence)-len(strings.TrimLeft(fence, "`~"))]
	if !ok || len(marks) < 3 {
		return nil, false
	}
	at := f.lines[max(x.Line, 1)-1]
	open := Edit{at.start, at.next, ""}
	if strings.HasPrefix(opening, "\ufeff") {
		open.Start += len("\ufeff")
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
		if f.means(apply(f.data, edits)) {
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
	value := valueAt(&f.was.Front, x.Line)
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
	return []Edit{{start, end, single(value.Text)}}, start < end
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

// named gives a skill the name of its directory.
func named(f *file, x Finding) ([]Edit, bool) {
	t, ok := f.text(x.Line)
	key, rest, found := strings.Cut(t, ":")
	if !ok || !found || strings.TrimSpace(key) != "name" || strings.TrimSpace(rest) == "" {
		return nil, false
	}
	l := f.lines[x.Line-1]
	start, end := l.end-len(strings.TrimLeft(rest, " \t")), l.start+len(strings.TrimRight(t, " \t"))
	f.name = filepath.Base(filepath.Dir(f.path))
	return []Edit{{start, end, plain(f.name)}}, true
}

// nameAdded adds the name of the directory as the first key.
func nameAdded(f *file, _ Finding) ([]Edit, bool) {
	if f.was.Front.Kind != ext.Map || f.was.Front.Get("name") != nil || len(f.lines) < 2 {
		return nil, false
	}
	f.name = filepath.Base(filepath.Dir(f.path))
	at := f.lines[0].next
	return []Edit{{at, at, "name: " + plain(f.name) + f.eol()}}, true
}

// plain is a name as it is written after a key.
func plain(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-") == "" && !strings.HasPrefix(name, "-") {
		return name
	}
	return single(name)
}

// dotted begins the path of a JSON manifest that a finding names with ./.
func dotted(f *file, x Finding) ([]Edit, bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(f.data), jsontext.AllowDuplicateNames(true))
	for {
		before := int(dec.InputOffset())
		t, err := dec.ReadToken()
		if err != nil {
			return nil, false
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		if t.Kind() != jsontext.KindString || kind == jsontext.KindBeginObject && n%2 == 1 {
			continue // no string, or the name of a member
		}
		start := before + bytes.IndexByte(f.data[before:], '"')
		if f.lineAt(start) == x.Line && strings.HasPrefix(x.Message, fmt.Sprintf("the path %s of ", ext.Quote(t.String()))) {
			return []Edit{{start + 1, start + 1, "./"}}, true
		}
	}
}

// lineAt is the number of the line that a byte is on.
func (f *file) lineAt(at int) int {
	for n, l := range f.lines {
		if at < l.next {
			return n + 1
		}
	}
	return 0
}

// spelled is the name that a near miss should have. It is said at the end of what
// was found.
func spelled(f *file, x Finding) string {
	_, want, ok := strings.Cut(x.Message, ", expected ")
	base := filepath.Base(f.path)
	switch {
	case !ok:
		return ""
	case strings.HasPrefix(x.Message, "the file is named ") && strings.EqualFold(base, want):
		return want
	case strings.HasPrefix(x.Message, "the file's ending is ") && strings.EqualFold(filepath.Ext(base), want):
		return strings.TrimSuffix(base, filepath.Ext(base)) + want
	}
	return ""
}
