// Package frontmatter is the one tolerant reader of front matter, the YAML
// between two lines --- at the top of a Markdown file. Every surface that is
// written in Markdown is read by it.
package frontmatter

import (
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
	// the two lines. Its Kind is Null when the file has no front matter, which
	// is no fault here, and when a finding is an error.
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
	front, body, is := split(text)
	switch is {
	case absent:
		return Document{Body: text, BodyLine: 1, Findings: found}
	case unclosed:
		found.Add(missing(o, text))
		return Document{Body: text, BodyLine: 1, Findings: found}
	}
	d := Document{Body: body, BodyLine: frontLine + strings.Count(front, "\n") + 1, Findings: found}
	d.Front = d.parse(o, front)
	return d
}

// share is data as a string without a copy. Nothing writes to the data of a
// file once it was read; it is most of what a scan holds.
func share(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// frontLine is the line on which front matter begins, below the opening ---.
const frontLine = 2

// attempts are the ways to read front matter, in order: the first that is sure
// of the text has read it, and the last is always sure. An attempt that fails
// says why in its findings.
var attempts = []func(o ext.Origin, front string) (d ext.Doc, found ext.Findings, sure bool){
	flat,   // lines "key: value", read here
	strict, // YAML, read by the library
}

// parse reads the text between the two lines ---.
func (d *Document) parse(o ext.Origin, front string) ext.Doc {
	if len(front) > MaxFront {
		d.Findings.Add(TooLarge.At(o.At(o.Path, 1), "the front matter has %d bytes, at most %d are read", len(front), MaxFront))
		return ext.Doc{}
	}
	for _, read := range attempts {
		if node, found, sure := read(o, front); sure {
			d.Findings.Add(found...)
			return d.mapping(o, node, found)
		}
	}
	return ext.Doc{}
}

func strict(o ext.Origin, front string) (ext.Doc, ext.Findings, bool) {
	d, found := doc.YAML(o, []byte(front), frontLine)
	return d, found, true
}

// mapping lets a map pass, and nothing for an empty one.
func (d *Document) mapping(o ext.Origin, node ext.Doc, found ext.Findings) ext.Doc {
	switch {
	case found.Failed():
		return ext.Doc{}
	case node.Kind == ext.Map:
		return node
	case node.Kind == ext.Null:
		return ext.Doc{Kind: ext.Map, File: o.Path, Line: frontLine}
	}
	d.Findings.Add(NotAMap.At(o.At(o.Path, node.Line), "the front matter is %s; lines \"key: value\" were expected", node.Kind))
	return ext.Doc{}
}
