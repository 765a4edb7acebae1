package mend

import (
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// file is a file that is to be mended.
type file struct {
	path  string
	data  []byte
	lines []line
	was   source.Content // as it was read
	// want is what it shall be read as with what was accepted so far, and left how
	// often each check then finds something in it.
	want ext.Doc
	left map[string]int
}

func newFile(path string, data []byte) *file {
	f := &file{path: path, data: data, lines: linesOf(data)}
	f.was = f.read(data)
	f.want, f.left = f.was.Doc, counts(f.was.Findings)
	return f
}

// read reads a text as the file's documents are read: by the ending of its
// name, whose capitals may be what is to be mended.
func (f *file) read(data []byte) source.Content {
	o := ext.Origin{Path: "file" + strings.ToLower(filepath.Ext(f.path))}
	return source.Parse(o, append([]byte(nil), data...)) // it keeps what it is given
}

// counts is how often each check found something.
func counts(found ext.Findings) map[string]int {
	n := map[string]int{}
	for _, f := range found {
		n[f.Check.Code]++
	}
	return n
}

// directory is the name of the directory that the file lies in.
func (f *file) directory() string { return filepath.Base(filepath.Dir(f.path)) }

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

// means reports whether another text of the file would be read as want, above
// the same body; left is how often each check then finds something.
func (f *file) means(data []byte, want *ext.Doc) (left map[string]int, ok bool) {
	is := f.read(data)
	same := strings.TrimRight(is.Body, blanks) == strings.TrimRight(f.was.Body, blanks)
	return counts(is.Findings), same && !is.Findings.Failed() && want.Digest() == is.Doc.Digest()
}

const blanks = " \t\n"

// line is a line of a file: where it begins, where its text ends and where the
// next one begins.
type line struct{ start, end, next int }

// linesOf are the lines of data, whose ends are LF, CRLF or CR.
func linesOf(data []byte) []line {
	var lines []line
	for at := 0; at < len(data); {
		l := line{start: at, end: len(data), next: len(data)}
		for i := at; i < len(data); i++ {
			if data[i] != '\n' && data[i] != '\r' {
				continue
			}
			l.end, l.next = i, i+1
			if data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n' {
				l.next++
			}
			break
		}
		lines = append(lines, l)
		at = l.next
	}
	return lines
}
