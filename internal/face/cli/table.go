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

func (t *table) within(p *page, width int) {
	widths := t.widths(width)
	for _, row := range t.rows {
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
			if c.paint != nil {
				text = c.paint(text)
			}
			b.WriteString("  " + text + strings.Repeat(" ", pad))
		}
		p.line("%s", strings.TrimRight(b.String(), " "))
	}
}

// widths are those of the columns. On a page with a width no column but the
// last takes more than half of it.
func (t *table) widths(page int) []int {
	var widths []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], wide.StringWidth(c.text))
		}
	}
	for i := range widths {
		if page > 0 && i < len(widths)-1 {
			widths[i] = min(widths[i], page/2)
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
