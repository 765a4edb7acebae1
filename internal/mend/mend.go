// Package mend proposes how to mend what checks found, where that takes no
// judgement: a few bytes of one file become others, and the file then means what
// it was read as before. It opens and writes nothing.
package mend

import (
	"cmp"
	"slices"

	"github.com/mortise-dev/mortise/ext"
)

// Finding is something that was found in a file.
type Finding struct {
	Code    string
	Line    int // 0: no line in particular
	Message string
}

// Edit has other text instead of a range of bytes.
type Edit struct {
	Start, End int
	Text       string
}

// Repair is what is proposed for one file.
type Repair struct {
	Edits  []Edit // by place, none over another
	Rename string // the base name that the file should have; "" for the one it has
	Codes  []string
}

// Empty reports whether nothing is proposed.
func (r *Repair) Empty() bool { return len(r.Codes) == 0 }

// Apply is data with the edits made.
func (r *Repair) Apply(data []byte) []byte { return apply(data, r.Edits) }

func apply(data []byte, edits []Edit) []byte {
	out := make([]byte, 0, len(data)+64)
	at := 0
	for _, e := range edits {
		out = append(append(out, data[at:e.Start]...), e.Text...)
		at = e.End
	}
	return append(out, data[at:]...)
}

// Fix is a way to mend what one check finds.
type Fix struct {
	Code string
	Doc  string // what it does, in one sentence
	// propose is the edits for a finding; ok is false where there is no one way.
	propose func(f *file, x Finding) (edits []Edit, ok bool)
	rename  func(f *file, x Finding) string
}

// Fixes are all there are, in the order in which they are tried.
var Fixes = []Fix{
	{Code: "bom", Doc: "Removes the byte order mark.", propose: withoutMark},
	{Code: "frontmatter-fenced", Doc: "Removes the lines of the code fence.", propose: withoutFence},
	{Code: "frontmatter-unended", Doc: "Writes the line --- below the front matter.", propose: ended},
	{Code: "frontmatter-requoted", Doc: "Puts the value in quotes.", propose: quoted},
	{Code: "frontmatter-tabs", Doc: "Writes two blanks for each tab that indents.", propose: withoutTabs},
	{Code: "skill-name-differs", Doc: "Gives the skill the name of its directory.", propose: named},
	{Code: "agent-skills-name", Doc: "Gives the skill the name of its directory.", propose: nameAdded},
	{Code: "manifest-path", Doc: "Begins the path with ./.", propose: dotted},
	{Code: "name-near-miss", Doc: "Renames the file.", rename: spelled},
}

// fixOf is how a finding by a code is mended; nil where it is not.
func fixOf(code string) *Fix {
	for i := range Fixes {
		if Fixes[i].Code == code {
			return &Fixes[i]
		}
	}
	return nil
}

// Offered reports whether there is a fix for a code.
func Offered(code string) bool { return fixOf(code) != nil }

// File proposes what mends findings in the file at an absolute path, which holds
// data. What cannot be mended, or would then mean something else, is left as it
// is. The same arguments give the same proposal.
func File(path string, data []byte, findings []Finding) Repair {
	f := newFile(path, data)
	var r Repair
	for i := range Fixes {
		fix := &Fixes[i]
		var of []Finding
		for _, x := range findings {
			if x.Code == fix.Code {
				of = append(of, x)
			}
		}
		switch {
		case len(of) == 0:
		case fix.rename != nil:
			if r.Rename = fix.rename(f, of[0]); r.Rename != "" {
				r.Codes = append(r.Codes, fix.Code)
			}
		case len(of) > 1 && f.all(&r, fix, of): // in one go, as is usual
		default:
			for _, x := range of[:min(len(of), mostSingly)] {
				f.all(&r, fix, []Finding{x})
			}
		}
	}
	return r
}

// mostSingly is how many findings by one code are mended one by one, where they
// cannot be mended together: each time the file is read again.
const mostSingly = 50

// all mends findings by one code together, or none of them.
func (f *file) all(r *Repair, fix *Fix, found []Finding) bool {
	name := f.name
	var edits []Edit
	for _, x := range found {
		one, ok := fix.propose(f, x)
		if !ok {
			f.name = name
			return false
		}
		edits = append(edits, one...)
	}
	if !f.accept(r, edits) {
		f.name = name
		return false
	}
	for range found {
		r.Codes = append(r.Codes, fix.Code)
	}
	return true
}

// accept takes edits into a proposal, unless they meet others or the file would
// then mean something else.
func (f *file) accept(r *Repair, edits []Edit) bool {
	all := append(slices.Clone(r.Edits), edits...)
	slices.SortStableFunc(all, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	for i := 1; i < len(all); i++ {
		if all[i].Start < all[i-1].End || all[i] == all[i-1] {
			return false
		}
	}
	if !f.means(apply(f.data, all)) {
		return false
	}
	r.Edits = all
	return true
}

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

// origin is a place for what reads a file again.
var origin = ext.Origin{}
