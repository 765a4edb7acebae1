package syntax

import (
	"maps"
	"slices"
)

// Words are what Scan looks for, besides class statements and imports. Make them with
// NewWords; they may be shared.
type Words struct {
	// lengths has a bit for each length of a word that begins with a byte, so that most
	// identifiers are passed by without being looked up.
	lengths [256]uint64
	set     map[string]bool
}

// NewWords are words to look for. They are identifiers in NFKC.
func NewWords(words ...string) *Words {
	w := &Words{set: make(map[string]bool, len(words))}
	for _, word := range words {
		if word != "" {
			w.set[word] = true
			w.lengths[word[0]] |= 1 << min(len(word), 63)
		}
	}
	return w
}

// List is the words, sorted.
func (w *Words) List() []string { return slices.Sorted(maps.Keys(w.set)) }

func (w *Words) has(word []byte) bool {
	return w.lengths[word[0]]>>min(len(word), 63)&1 != 0 && w.set[string(word)]
}

var noWords Words
