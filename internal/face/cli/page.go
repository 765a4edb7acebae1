package cli

import (
	"cmp"
	"fmt"

	"github.com/mortise-dev/mortise/internal/config"
)

// page is what a command shows to a person.
type page struct {
	style
	call  *call
	width int // columns of the terminal; 0: lines are not shortened
}

// unknownWidth is how wide a terminal that does not say is taken to be.
const unknownWidth = 80

// page begins a page in the style that the configuration asks for.
func (c *call) page(cfg *config.Config) *page {
	p := &page{style: c.style(cfg), call: c}
	if c.Terminal {
		p.width = cmp.Or(c.Width, unknownWidth)
	}
	return p
}

// line writes one line. What is foreign in args has been escaped.
func (p *page) line(format string, args ...any) {
	fmt.Fprintf(&p.call.out, format+"\n", args...)
}

// gap writes an empty line.
func (p *page) gap() { p.line("") }
