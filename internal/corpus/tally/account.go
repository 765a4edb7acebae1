package tally

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/host"
)

// account says of every file that is counted, and of every entry and extension
// that is listed, what became of it.
func (r *Repository) account(files fs.FS) {
	l, rows := newListed(r.Listing, files), map[string]*Row{}
	row := func(surface string) *Row {
		if rows[surface] == nil {
			rows[surface] = newRow(surface)
		}
		return rows[surface]
	}
	r.Reasons = map[string]Reason{}
	counted := map[key]bool{}
	for i := range r.Files {
		f := &r.Files[i]
		counted[key{f.Kind, f.Path}] = true
		r.file(l, row(f.Kind), f)
	}
	for k, entries := range l.entries {
		r.entries(l, row(k.surface), entries, k.file, counted[k])
	}
	for _, dir := range slices.Sorted(maps.Keys(l.extensions)) {
		r.extension(row(Manifest), l.extensions[dir])
	}
	for _, surface := range surfaceNames() {
		if w := rows[surface]; w != nil && w.Entries+w.Counted > 0 {
			r.sum(w)
			r.Rows = append(r.Rows, *w)
		}
	}
}

// refused is the status of entries and extensions that are.
const refused = "refused"

// surfaceNames are those of rows, in their order.
func surfaceNames() []string {
	names := []string{Manifest}
	for _, s := range catalog.Specs {
		names = append(names, s.Name)
	}
	return names
}

func (r *Repository) amiss(format string, args ...any) {
	r.Amiss = append(r.Amiss, r.Name+": "+fmt.Sprintf(format, args...))
}

func (r *Repository) because(code string, more Reason) {
	n := r.Reasons[code]
	r.Reasons[code] = Reason{n.Extensions + more.Extensions, n.Entries + more.Entries, n.Files + more.Files}
}

// file accounts for one file that is counted.
func (r *Repository) file(l *listed, w *Row, f *File) {
	w.Counted++
	if f.Is("front") {
		w.Front++
	}
	var check string
	f.Place, check = l.place(f)
	if f.Place == "" {
		r.amiss("%s counts as %s and is none, and nothing says why", f.Path, f.Kind)
		return
	}
	w.Places[f.Place]++
	if check != "" {
		r.because(check, Reason{Files: 1})
	}
	if f.Place != Entry || !f.Is("front") && !f.Is("plain") {
		return
	}
	f.Alone = slices.ContainsFunc(l.findings[f.Path], isError)
	if f.Is("mend") {
		w.Mend++
	}
	if f.unfit() {
		w.Unfit++
	}
	r.compare(f, "be mended", f.Is("mend"), l.recovered(f.Path))
	r.compare(f, "be refused", f.unfit(), f.Alone)
	entries := l.entries[key{f.Kind, f.Path}]
	if len(entries) > 1 {
		r.amiss("%s is %d entries, want one", f.Path, len(entries))
	}
	if status := entries[0].Status; f.Alone && status != refused {
		r.amiss("%s has an error and is %s", f.Path, status)
	}
}

// unfit reports whether a file has to be refused: an agent or a skill needs
// front matter with a description, and a guard in front matter is asked nowhere.
func (f *File) unfit() bool {
	return f.Is("guarded") || (f.Kind == "agent" || f.Kind == "skill") && (f.Is("plain") || f.Is("undescribed"))
}

func (r *Repository) compare(f *File, what string, counted, is bool) {
	switch {
	case counted && !is:
		r.amiss("%s counts as a file to %s, and was taken as it stands", f.Path, what)
	case is && !counted:
		r.amiss("%s had to %s, and does not count as such", f.Path, what)
	}
}

// unnamed are files whose names do not say which entries they hold: manifests,
// what clients are set by, and context files.
var unnamed = []string{
	"plugin.json", "gemini-extension.json", "manifest.json",
	"settings.json", "settings.local.json", "config.toml", "opencode.json",
	"GEMINI.md",
}

// entries accounts for the entries of one surface in one file.
func (r *Repository) entries(l *listed, w *Row, entries []host.EntryRow, file string, counted bool) {
	w.Held++
	if !counted {
		w.Further[path.Base(file)]++
		if !slices.Contains(unnamed, path.Base(file)) {
			r.amiss("%s holds an entry of %s, and does not count", file, w.Surface)
		}
	}
	w.Entries += len(entries)
	if l.recovered(file) {
		w.Recovered += len(entries)
	}
	faults := errorCodes(l.findings[file])
	for _, e := range entries {
		switch {
		case e.Status != refused:
			continue
		case len(faults) == 0:
			r.because(WithExtension, Reason{Entries: 1})
		default:
			w.Alone++
		}
		w.Refused++
		for _, code := range faults {
			r.because(code, Reason{Entries: 1})
		}
	}
}

// extension accounts for an extension, and for its manifest.
func (r *Repository) extension(w *Row, x *extension) {
	if x.unclaimed > 0 {
		r.amiss("%s tells of %d more unclaimed skills than count", x.Root, x.unclaimed)
	}
	if x.Status == refused {
		for _, code := range errorCodes(x.findings) {
			r.because(code, Reason{Extensions: 1})
		}
	}
	if len(markers(x.Format)) == 0 {
		return
	}
	w.Entries, w.Held = w.Entries+1, w.Held+1
	if x.Status == refused {
		w.Refused, w.Alone = w.Refused+1, w.Alone+1
	}
	if !x.counted {
		r.amiss("%s is an extension of the format %s, and its manifest does not count: %s", x.Root, x.Format, strings.Join(markers(x.Format), ", "))
	}
}

// sum holds the files of a row to the same number on both sides.
func (r *Repository) sum(w *Row) {
	if n := w.Places[Entry] + total(w.Further); n != w.Held {
		r.amiss("%d files hold entries of %s, and %d count as such or are counted apart", w.Held, w.Surface, n)
	}
}

func total[K comparable](counts map[K]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}
