package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/session"
)

// text times a session's text of many fragments: their order, which of them have
// room, and the fences.
func (b *bench) text() ([]row, error) {
	const few, many, each = 20, 100, 5
	small, err := b.speaking(few, each)
	if err != nil {
		return nil, err
	}
	large, err := b.speaking(many, each)
	if err != nil {
		return nil, err
	}
	var parts, whole []time.Duration
	for round := range b.rounds + 1 {
		x := timed(func() {
			for range many / few {
				spoken(small)
			}
		})
		y := timed(func() { spoken(large) })
		if round > 0 {
			parts, whole = append(parts, x), append(whole, y)
		}
	}
	x, y := median(parts), median(whole)
	return []row{{
		name: fmt.Sprintf("a session's text of %d fragments from %d extensions", many*each, many), subject: y, floor: x,
		floorIs: fmt.Sprintf("(%d times %d fragments)", many/few, few*each), ratio: ratio(y, x), target: 2, promised: 5 * time.Millisecond,
	}}, nil
}

// speaking is a composition of extensions with fragments of 2,000 characters.
func (b *bench) speaking(n, each int) (*compose.Composition, error) {
	text := strings.Repeat("Every entry has an origin, and says so.\n", 50)
	xs, err := admitted(b.ctx, n, each, func(_, i int) (surface, path, of string) {
		return "prompt", fmt.Sprintf("prompts/p%d.md", i), text
	})
	if err != nil {
		return nil, err
	}
	return compose.Merge(catalog.Specs, xs), nil
}

func spoken(c *compose.Composition) { session.Resolve(c).Instructions("BOUNDARY") }
