package cli

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// table aligns cells in columns. The last column is shortened to the width of
// the page; an empty column takes no room.
type table struct{ rows [][]cell }

// cell is text that has been escaped, and how it is painted.
type cell struct {
	text  string
	paint func(string) string // nil: as it is
}

// wide measures text without asking the environment how wide doubtful
// characters are.
var wide = runewidth.Condition{}

func (t *table) row(cells ...cell) { t.rows = append(t.rows, cells) }

// write writes the rows, each indented by two blanks.
func (t *table) write(p *page) { t.within(p, p.width) }

// full writes the rows and shortens nothing.
func (t *table) full(p *page) { t.within(p, 0) }

// folded is full where the rows fit the page; else their last cell stands on a
// line of its own.
func (t *table) folded(p *page) {
	total := 0
	for _, w := range t.needed() {
		if w > 0 {
			total += 2 + w
		}
	}
	if p.width == 0 || total <= p.width {
		t.full(p)
		return
	}
	first := table{}
	for _, row := range t.rows {
		first.row(row[:len(row)-1]...)
	}
	for i, text := range first.lines(p.width) {
		last := t.rows[i][len(t.rows[i])-1]
		p.line("%s\n    %s", text, last.painted(last.text))
	}
}

func (t *table) within(p *page, width int) {
	for _, text := range t.lines(width) {
		p.line("%s", text)
	}
}

// lines are the rows as they are written; 0 is no limit to their width.
func (t *table) lines(width int) []string {
	widths := t.widths(width)
	out := make([]string, len(t.rows))
	for i, row := range t.rows {
		out[i] = written(row, widths, width)
	}
	return out
}

func written(row []cell, widths []int, width int) string {
	var b strings.Builder
	used := 0
	for i, c := range row {
		if widths[i] == 0 {
			continue
		}
		most := widths[i]
		if i == len(widths)-1 {
			most = rest(width, used+2)
		}
		text := shorten(c.text, most, width > 0)
		pad := max(widths[i]-wide.StringWidth(text), 0)
		used += 2 + widths[i]
		b.WriteString("  " + c.painted(text) + strings.Repeat(" ", pad))
	}
	return strings.TrimRight(b.String(), " ")
}

func (c cell) painted(text string) string {
	if c.paint == nil {
		return text
	}
	return c.paint(text)
}

// widest is the most that a column is padded to where a page has no width.
const widest = 60

// widths are those of the columns. No column but the last takes more than half
// of a page.
func (t *table) widths(page int) []int {
	widths := t.needed()
	most := widest
	if page > 0 {
		most = page / 2
	}
	for i := range widths[:max(len(widths)-1, 0)] {
		widths[i] = min(widths[i], most)
	}
	return widths
}

// needed are the widths of columns in which everything has room.
func (t *table) needed() []int {
	var widths []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], wide.StringWidth(c.text))
		}
	}
	return widths
}

// rest is the room that is left on a line, and never so little that nothing
// could be read.
func rest(page, used int) int { return max(page-used, 20) }

func shorten(text string, most int, wanted bool) string {
	if !wanted {
		return text
	}
	return wide.Truncate(text, most, "…")
}
