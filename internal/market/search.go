package market

import (
	"strings"
	"unicode"

	"github.com/mortise-dev/mortise/internal/surface"
)

// Score says how well an entry fits the words of a search: 0 when one of them
// occurs nowhere in it. A word counts most as the name, then within the name,
// as a tag, in the title and category, and last in the description.
func (e *Entry) Score(words []string) int {
	sum := 0
	for _, w := range words {
		n := e.fits(surface.Fold(strings.TrimSpace(w)))
		if n == 0 {
			return 0
		}
		sum += n
	}
	return sum
}

func (e *Entry) fits(word string) int {
	if word == "" {
		return 0
	}
	name := surface.Fold(e.Name)
	most := 0
	better := func(n int, ok bool) {
		if ok {
			most = max(most, n)
		}
	}
	better(100, name == word)
	better(60, strings.HasPrefix(name, word))
	better(50, begins(name, word))
	better(40, strings.Contains(name, word))
	for _, t := range e.Tags {
		t = surface.Fold(t)
		better(45, t == word)
		better(20, strings.Contains(t, word))
	}
	for _, s := range []string{e.Title, e.Category} {
		better(25, strings.Contains(surface.Fold(s), word))
	}
	about := surface.Fold(e.Description)
	better(15, begins(about, word))
	better(5, strings.Contains(about, word))
	return most
}

// begins reports whether a word of s begins with word.
func begins(s, word string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], word)
		if i < 0 {
			return false
		}
		if i += at; i == 0 || !alphanumeric(s[:i]) {
			return true
		}
		at = i + len(word)
	}
}

// alphanumeric reports whether s ends in a letter or a digit.
func alphanumeric(s string) bool {
	last := rune(0)
	for _, r := range s[max(0, len(s)-4):] {
		last = r
	}
	return unicode.IsLetter(last) || unicode.IsDigit(last)
}
