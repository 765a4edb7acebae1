// Package frontmatter is the one tolerant reader of front matter, the YAML
// between two lines --- at the top of a Markdown file. Every surface that is
// written in Markdown is read by it.
//
// What is right is read strictly. What is not is mended where the text leaves
// no doubt about its keys; each thing that was mended is a warning, and what
// comes of it is text, never a guess at a type. Of what cannot be mended nothing
// counts, which is a warning as well; what is hostile or too large is an error.
package frontmatter

import (
	"bytes"
	"slices"
	"strings"
	"unsafe"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
)

// MaxFront is the largest front matter that is read, in bytes.
const MaxFront = 64 << 10

// Document is a Markdown file taken apart.
type Document struct {
	// Front is the front matter: a Map, empty when there is nothing between
	// the two lines and when it could not be read. Its Kind is Null when the file
	// has no front matter, which is no fault here, and when a finding is an error.
	Front ext.Doc
	// Body is what follows the front matter, with line feeds as line ends; the
	// whole text where no front matter ends.
	Body string
	// BodyLine is the line of the file on which Body begins. For an empty Body
	// it may be the line after the last.
	BodyLine int
	// Findings are what was noticed on the way.
	Findings ext.Findings
}

// Read takes the file at o apart. The document shares memory with data, which
// must not be changed afterwards. Line ends are LF, CRLF or lone CR alike, and
// a byte order mark is skipped. A file that is no text at all has no Body.
func Read(o ext.Origin, data []byte) Document {
	data, found := doc.Text(o, data)
	if found.Failed() {
		return Document{BodyLine: 1, Findings: found}
	}
	text := share(doc.LineFeeds(data))
	d := Document{Body: text, BodyLine: 1, Findings: found}
	d.lineEnds(o, data)
	b, is := split(text)
	switch is {
	case absent:
		d.readElsewhere(o, text)
	case unclosed:
		d.readUnended(o, text)
	case present:
		if d.take(o, &b, frontLine); d.Front.Kind == ext.Map || d.Findings.Failed() {
			d.below(&b, frontLine)
		}
	}
	return d
}

// lineEnds tells of the first line that a carriage return alone ends.
func (d *Document) lineEnds(o ext.Origin, data []byte) {
	for at := 0; ; at++ {
		next := bytes.IndexByte(data[at:], '\r')
		if next < 0 {
			return
		}
		if at += next; at+1 < len(data) && data[at+1] == '\n' {
			continue
		}
		line := 1 + bytes.Count(doc.LineFeeds(data[:at]), []byte("\n"))
		d.Findings.Add(LineEnds.At(o.At(o.Path, line), "a carriage return alone ends this line; it was read as the end of a line"))
		return
	}
}

// share is data as a string without a copy. Nothing writes to the data of a
// file once it was read; it is most of what a scan holds.
func share(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// frontLine is the line on which front matter begins, below the opening ---.
const frontLine = 2

// attempt is a way to read front matter whose first line is line first of the
// file. It is sure when it has read it; one that is sure and fails says why in
// its findings.
type attempt func(o ext.Origin, front string, first int) (d ext.Doc, found ext.Findings, sure bool)

// attempts are the ways to read front matter that is right, in order: the first
// that is sure of the text has read it, and the last is always sure.
var attempts = []attempt{
	flat,   // lines "key: value", read here
	strict, // YAML, read by the library
}

// recoveries are the ways to read front matter that no attempt takes, in order.
// The first that is sure has mended it and says how, or says what it met that is
// not to be mended.
var recoveries = []attempt{
	withoutFence, // in a code fence
	firstOfEach,  // YAML in which keys are repeated
	byKey,        // the text of each key on its own
}

// parse reads the text between the two lines ---.
func (d *Document) parse(o ext.Origin, front string, first int) ext.Doc {
	if len(front) > MaxFront {
		d.Findings.Add(TooLarge.At(o.At(o.Path, first-1), "the front matter has %d bytes, at most %d are read", len(front), MaxFront))
		return ext.Doc{}
	}
	node, found := read(o, front, first, recoveries)
	d.Findings.Add(found...)
	return node
}

// read goes through the attempts and then, if one failed, the recoveries. Where
// none is sure either, nothing of the front matter counts.
func read(o ext.Origin, front string, first int, recoveries []attempt) (ext.Doc, ext.Findings) {
	node, found := right(o, front, first)
	if !mendable(found) {
		return node, found
	}
	for _, mend := range recoveries {
		if node, mended, sure := mend(o, front, first); sure {
			return node, mended
		}
	}
	return unread(o, front, first, found)
}

// right is the node that the attempts make of front, a map.
func right(o ext.Origin, front string, first int) (ext.Doc, ext.Findings) {
	for _, read := range attempts {
		if node, found, sure := read(o, front, first); sure {
			return mapping(o, node, found, first)
		}
	}
	return ext.Doc{}, nil
}

func strict(o ext.Origin, front string, first int) (ext.Doc, ext.Findings, bool) {
	d, found := doc.YAML(o, []byte(front), first)
	return d, found, true
}

// mapping lets a map pass, and nothing for an empty one.
func mapping(o ext.Origin, node ext.Doc, found ext.Findings, first int) (ext.Doc, ext.Findings) {
	switch {
	case found.Failed():
		return ext.Doc{}, found
	case node.Kind == ext.Map:
		return node, found
	case node.Kind == ext.Null:
		return ext.Doc{Kind: ext.Map, File: o.Path, Line: first}, found
	}
	found.Add(NotAMap.At(o.At(o.Path, node.Line), "between the lines --- is %s, where lines \"key: value\" were expected; it was left in the text", node.Kind))
	return ext.Doc{}, found
}

// unread is what comes of front matter that no reading takes. One that may hold
// hooks is at fault all the same: what they guard must not go unguarded.
func unread(o ext.Origin, front string, first int, found ext.Findings) (ext.Doc, ext.Findings) {
	for line := range strings.Lines(front) {
		if key, value, _ := strings.Cut(line, ":"); value != "" && strings.Trim(key, " \t\"'") == "hooks" {
			return ext.Doc{}, found
		}
	}
	at := slices.IndexFunc(found, func(f ext.Finding) bool { return f.Check.Severity >= ext.Error })
	why := found[at]
	f := Unread.At(why.Origin, "the front matter cannot be read, and nothing of it counts: %s", why.Message)
	return ext.Doc{Kind: ext.Map, File: o.Path, Line: first}, ext.Findings{f.With("%s", why.Fix())}
}
