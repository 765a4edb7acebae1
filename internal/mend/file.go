package mend

import (
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/frontmatter"
)

// file is a file that is to be mended.
type file struct {
	path     string
	data     []byte
	lines    []line
	markdown bool
	was      frontmatter.Document // as it was read, for Markdown
	name     string               // what its front matter shall have for a name; "" for what it has
}

func newFile(path string, data []byte) *file {
	f := &file{path: path, data: data, lines: linesOf(data), markdown: strings.EqualFold(filepath.Ext(path), ".md")}
	if f.markdown {
		f.was = frontmatter.Read(origin, append([]byte(nil), data...))
	}
	return f
}

// text is a line of the file, by its number, without its end.
func (f *file) text(n int) (string, bool) {
	if n < 1 || n > len(f.lines) {
		return "", false
	}
	l := f.lines[n-1]
	return string(f.data[l.start:l.end]), true
}

// eol is how lines of the file end: as the first does.
func (f *file) eol() string {
	if len(f.lines) > 0 && f.lines[0].next > f.lines[0].end {
		return string(f.data[f.lines[0].end:f.lines[0].next])
	}
	return "\n"
}

// means reports whether other text means what the file was read as: for
// Markdown the same front matter, but for a name that it shall have, above the
// same body; for JSON a value still.
func (f *file) means(data []byte) bool {
	if !f.markdown {
		_, found := doc.JSON(origin, data)
		return !strings.EqualFold(filepath.Ext(f.path), ".json") || !found.Failed()
	}
	is := frontmatter.Read(origin, append([]byte(nil), data...))
	if is.Findings.Failed() || len(is.Findings) > len(f.was.Findings) || strings.TrimSpace(is.Body) != strings.TrimSpace(f.was.Body) {
		return false
	}
	want := f.was.Front
	if f.name != "" {
		if is.Front.Get("name") == nil || is.Front.Get("name").Text != f.name {
			return false
		}
		want, is.Front = without(want, "name"), without(is.Front, "name")
	}
	return want.Digest() == is.Front.Digest()
}

// without is a map without one of its keys.
func without(d ext.Doc, key string) ext.Doc {
	out := ext.Doc{Kind: d.Kind, Text: d.Text, List: d.List}
	for _, p := range d.Map {
		if p.Key != key {
			out.Map = append(out.Map, p)
		}
	}
	return out
}
