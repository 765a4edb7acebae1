// Package mend proposes how to mend what checks found, where that takes no
// judgement: a few bytes of one file become others, and the file is then read
// as before but for what was to be mended. It opens and writes nothing.
package mend

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/mortise-dev/mortise/ext"
)

// Finding is something that was found in a file.
type Finding struct {
	Code  string
	Line  int    // 0: no line in particular
	Field string // as ext.Finding has it
	Want  string // likewise
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
	// sets is what the document then holds that it did not; nil: the same.
	sets   func(d ext.Doc, x Finding) (ext.Doc, bool)
	rename func(f *file, x Finding) string
}

// Fixes are all there are, in the order in which they are tried.
var Fixes = []Fix{
	{Code: "bom", Doc: "Removes the byte order mark.", propose: withoutMark},
	{Code: "frontmatter-fenced", Doc: "Removes the lines of the code fence.", propose: withoutFence},
	{Code: "frontmatter-unended", Doc: "Writes the line --- below the front matter.", propose: ended},
	{Code: "frontmatter-requoted", Doc: "Puts the value in quotes.", propose: quoted},
	{Code: "frontmatter-tabs", Doc: "Writes two blanks for each tab that indents.", propose: withoutTabs},
	{Code: "skill-name-differs", Doc: "Gives the skill the name of its directory.", propose: named, sets: renamed},
	{Code: "agent-skills-name", Doc: "Gives the skill the name of its directory.", propose: nameAdded, sets: withName},
	{Code: "manifest-path", Doc: "Begins the path with ./.", propose: dotted, sets: dottedAt},
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

// Known reports whether there is a fix for what a check finds, if its findings
// say what they want.
func Known(code string) bool { return fixOf(code) != nil }

// Offered reports whether there is a fix for a finding. What it would do hangs
// on the file, and on what else is found there.
func Offered(x Finding) bool {
	f := fixOf(x.Code)
	return f != nil && (x.Want != "" || f.sets == nil && f.rename == nil)
}

// File proposes what mends findings in the file at an absolute path, which holds
// data. What cannot be mended, or would then mean something else, is left as it
// is. The same arguments give the same proposal, in whatever order the findings
// are, and what it mends it does not find in need of mending again.
func File(path string, data []byte, findings []Finding) Repair {
	f := newFile(path, data)
	var r Repair
	for i := range Fixes {
		fix := &Fixes[i]
		switch of := distinct(findings, fix.Code); {
		case len(of) == 0, len(of) > most:
		case fix.rename != nil:
			if r.Rename = fix.rename(f, of[0]); r.Rename != "" {
				r.Codes = append(r.Codes, fix.Code)
			}
		case f.was.Findings.Failed(): // nobody knows what it means
		case len(of) > 1 && f.all(&r, fix, of): // in one go, as is usual
		default:
			for _, x := range of[:min(len(of), mostSingly)] {
				f.all(&r, fix, []Finding{x})
			}
		}
	}
	return r
}

// distinct are the findings by a code, each once, in their order in the file. Two
// that want different things of one place are none: a file may be an entry of
// several extensions.
func distinct(all []Finding, code string) []Finding {
	wants := map[Finding]string{} // by all else of a finding
	judged := map[Finding]bool{}
	of := slices.DeleteFunc(slices.Clone(all), func(x Finding) bool { return x.Code != code })
	for _, x := range of {
		place := x
		place.Want = ""
		if want, known := wants[place]; known && want != x.Want {
			judged[place] = true
		}
		wants[place] = x.Want
	}
	of = slices.DeleteFunc(of, func(x Finding) bool {
		place := x
		place.Want = ""
		return judged[place] || !Offered(x)
	})
	slices.SortFunc(of, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Want, b.Want))
	})
	return slices.Compact(of)
}

// most is how many findings by one code are mended in a file. Nobody writes a file
// with more of them by hand.
const most = 1000

// mostSingly is how many findings by one code are mended one by one, where they
// cannot be mended together: each time the file is read again.
const mostSingly = 50

// all mends findings by one code together, or none of them.
func (f *file) all(r *Repair, fix *Fix, found []Finding) bool {
	var edits []Edit
	want := f.want
	for _, x := range found {
		one, ok := fix.propose(f, x)
		if ok && fix.sets != nil {
			want, ok = fix.sets(want, x)
		}
		if !ok {
			return false
		}
		edits = append(edits, one...)
	}
	if !f.accept(r, edits, want, fix, len(found)) {
		return false
	}
	for range found {
		r.Codes = append(r.Codes, fix.Code)
	}
	return true
}

// accept takes edits into a proposal, unless they meet others, the file would
// then mean something else, or what they mend would be found again.
func (f *file) accept(r *Repair, edits []Edit, want ext.Doc, fix *Fix, mended int) bool {
	all := append(slices.Clone(r.Edits), edits...)
	slices.SortStableFunc(all, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	for i := 1; i < len(all); i++ {
		if all[i].Start < all[i-1].End || all[i] == all[i-1] {
			return false
		}
	}
	left, ok := f.means(apply(f.data, all), &want)
	if !ok || fix.sets == nil && left[fix.Code] > f.left[fix.Code]-mended || more(left, f.left) {
		return false
	}
	r.Edits, f.want, f.left = all, want, left
	return true
}

// more reports whether a check finds something more often than before.
func more(is, was map[string]int) bool {
	for code, n := range is {
		if n > was[code] {
			return true
		}
	}
	return false
}

// spelled is the name that a near miss should have: but for capitals it is the
// one that the file has.
func spelled(f *file, x Finding) string {
	base := filepath.Base(f.path)
	if !near(base, x.Want) {
		return ""
	}
	return x.Want
}
