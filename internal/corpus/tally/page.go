package tally

import (
	"fmt"
	"maps"

	"slices"
	"strconv"
	"strings"
)

// Page is docs/corpus.md: what became of all repositories, in tables.
func Page(all []*Repository) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Corpus\n\n<!-- Made by make corpus. Do not edit. -->\n\n"+intro+"\n", len(all))
	b.WriteString("\n## Extensions\n\n" + aboutExtensions + "\n")
	extensions(all).write(&b)
	b.WriteString("\n## Entries\n\n" + aboutEntries + "\n")
	entries(all).write(&b)
	b.WriteString("\n## Files\n\n" + aboutFiles + "\n")
	for _, p := range Places {
		fmt.Fprintf(&b, "- *%s*: %s\n", p.Place, p.Doc)
	}
	b.WriteByte('\n')
	files(all).write(&b)
	b.WriteString("\n## Manifests\n\n" + aboutManifests + "\n")
	manifests(all).write(&b)
	b.WriteString("\n## Reasons\n\n" + aboutReasons + "\n")
	reasons(all).write(&b)
	return []byte(b.String())
}

const intro = "What Mortise makes of %d public repositories of extensions, held against what `internal/corpus/tally/count.sh` makes of them: " +
	"a script that knows nothing of Mortise, and goes by the names of files and by their front matter. " +
	"Of each repository the corpus holds the text and the links, not the programs. Each is looked at once, as `mortise check --recursive` does.\n\n" +
	"`make corpus` writes this page. It fails, and names the file, when the two disagree about one: " +
	"each file that the script counts is an entry, or lies in a place that has a column below; each entry lies in a file that was counted, or in one that is counted apart; " +
	"the files that the script says have to be refused or mended are those that were. A cell without a number is none."

const aboutExtensions = "*Found* are all extensions: those *by manifest*, each of which has a manifest that the script counts, and *folders*, which have none: " +
	"a project's folder for a client, or loose skills, agents and commands. *Found* is *admitted* and *refused*. " +
	"*Incomplete* are those of the admitted of which an entry is refused, *without entries* those that declare nothing that is read. *Not read* are of a format that this build does not read, and not among the found.\n"

const aboutEntries = "*Entries* are all that the extensions declare: *admitted* and *refused*. Of the refused, *alone* have a fault of their own; the others are refused with their extension. " +
	"*Unfit* is that number as the script counts it, which looks into Markdown alone: agents and skills without front matter, or without a description in it, and what declares a hook in its front matter that can deny. " +
	"*Recovered* are entries of files that were read other than as they stand, each with a warning; " +
	"*to mend* is that number as the script counts it: front matter that is no YAML, or that begins with a byte order mark. " +
	"A file of servers or hooks may declare several entries, or none.\n"

const aboutFiles = "*Counted* are the files that the script takes for ones of that surface: `SKILL.md`; Markdown in `agents/`, or named `*.agent.md`; Markdown and TOML in `commands/`, or named `*.prompt.md`; " +
	"`*.mdc`, `*.instructions.md` and Markdown in `rules/`; Markdown in `workflows/`; `.mcp.json` and `mcp.json`; `hooks.json` and JSON in `hooks/`; `.app.json`; `.lsp.json` and `lsp.json`; manifests. " +
	"A `README.md` is none of them. *Front* are those that begin with front matter. The columns that follow add up to *counted*. " +
	"*Held* are all files that entries were read from: those in the column *entry*, and *further* ones, whose names do not say so and are shown.\n"

const aboutManifests = "The files that say of which format a directory is, in all repositories, with the places of the table above.\n"

const aboutReasons = "The checks ([checks](checks.md)) for which extensions and entries are refused, and those that say why files that are counted are no entries. " +
	"One refused extension may have several reasons.\n"

// table is a table of Markdown. Its columns hold numbers, but for the first few
// and perhaps the last.
type table struct {
	head []string
	text int  // how many of the first columns hold words
	last bool // the last column holds words
	rows [][]string
}

func (t *table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		if n, ok := c.(int); ok && n == 0 {
			continue
		}
		row[i] = fmt.Sprint(c)
	}
	t.rows = append(t.rows, row)
}

func (t *table) write(b *strings.Builder) {
	rule := make([]string, len(t.head))
	for i := range rule {
		rule[i] = "--:"
		if i < t.text || t.last && i == len(rule)-1 {
			rule[i] = "---"
		}
	}
	for _, row := range slices.Concat([][]string{t.head, rule}, t.rows) {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
}

const everything = "**all**"

func extensions(all []*Repository) *table {
	t := &table{head: []string{"repository", "found", "by manifest", "folders", "admitted", "incomplete", "without entries", "refused", "not read", "formats"}, text: 1, last: true}
	var sum [8]int
	formats := map[string]int{}
	for _, r := range all {
		n, of := r.counts()
		for i := range n {
			sum[i] += n[i]
		}
		for format, n := range of {
			formats[format] += n
		}
		t.add(r.Name, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], each(of))
	}
	t.add(everything, sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7], each(formats))
	return t
}

// counts are the numbers of a row of extensions, and how many are of which format.
func (r *Repository) counts() (n [8]int, formats map[string]int) {
	l := r.Listing
	n[0], n[3], n[6], n[7] = l.Found, l.Admitted, l.Refused, l.UnknownFormat
	formats = map[string]int{}
	for _, x := range l.Extensions {
		formats[x.Format]++
		if len(markers(x.Format)) > 0 {
			n[1]++
		} else {
			n[2]++
		}
		if x.Status != refused && x.Incomplete > 0 {
			n[4]++
		}
		if x.Status != refused && x.Entries == 0 {
			n[5]++
		}
	}
	return n, formats
}

// each shows counts, the largest first.
func each(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = name + " " + strconv.Itoa(counts[name])
	}
	return strings.Join(names, ", ")
}

func entries(all []*Repository) *table {
	t := &table{head: []string{"repository", "surface", "entries", "admitted", "refused", "alone", "unfit", "recovered", "to mend"}, text: 2}
	eachRow(all, func(name string, w *Row) {
		if w.Surface != Manifest && w.Entries > 0 {
			t.add(name, w.Surface, w.Entries, w.Entries-w.Refused, w.Refused, w.Alone, w.Unfit, w.Recovered, w.Mend)
		}
	})
	return t
}

func files(all []*Repository) *table {
	t := &table{head: []string{"repository", "surface", "counted", "front"}, text: 2, last: true}
	for _, p := range Places {
		t.head = append(t.head, string(p.Place))
	}
	t.head = append(t.head, "held", "further")
	eachRow(all, func(name string, w *Row) {
		cells := []any{name, w.Surface, w.Counted, w.Front}
		for _, p := range Places {
			cells = append(cells, w.Places[p.Place])
		}
		t.add(append(cells, w.Held, each(w.Further))...)
	})
	return t
}

// eachRow visits the rows of each repository, then their sums by surface, and
// the sum of all.
func eachRow(all []*Repository, visit func(name string, w *Row)) {
	sums, sum := map[string]*Row{}, newRow(everything)
	for _, r := range all {
		for i := range r.Rows {
			w := &r.Rows[i]
			visit(r.Name, w)
			if sums[w.Surface] == nil {
				sums[w.Surface] = newRow(w.Surface)
			}
			sums[w.Surface].add(w)
		}
	}
	for _, surface := range surfaceNames() {
		if w := sums[surface]; w != nil {
			visit(everything, w)
			if surface != Manifest {
				sum.add(w)
			}
		}
	}
	visit(everything, sum)
}

func manifests(all []*Repository) *table {
	counts := map[string]map[Place]int{}
	for _, r := range all {
		for i := range r.Files {
			if f := &r.Files[i]; f.Kind == Manifest {
				if counts[f.Marks[0]] == nil {
					counts[f.Marks[0]] = map[Place]int{}
				}
				counts[f.Marks[0]][f.Place]++
			}
		}
	}
	t := &table{head: []string{"manifest", "counted", string(Entry), string(Other), string(Told)}, text: 1}
	for _, marker := range slices.Sorted(maps.Keys(counts)) {
		n := counts[marker]
		t.add("`"+marker+"`", total(n), n[Entry], n[Other], n[Told])
	}
	return t
}

func reasons(all []*Repository) *table {
	sum := map[string]Reason{}
	for _, r := range all {
		for code, n := range r.Reasons {
			s := sum[code]
			sum[code] = Reason{s.Extensions + n.Extensions, s.Entries + n.Entries, s.Files + n.Files}
		}
	}
	t := &table{head: []string{"check", "extensions", "entries", "files"}, text: 1}
	for _, code := range slices.Sorted(maps.Keys(sum)) {
		name := "`" + code + "`"
		if code == WithExtension {
			name = "refused with their extension"
		}
		t.add(name, sum[code].Extensions, sum[code].Entries, sum[code].Files)
	}
	return t
}
