package syntax

// Words are what Scan looks for, besides class statements and imports. Make them with
// NewWords; they may be shared.
type Words struct{ set map[string]bool }

// NewWords are words to look for. They are identifiers.
func NewWords(words ...string) *Words { panic("not yet") }

// Outline is what Scan sees.
type Outline struct {
	Fault   *Fault // why Python could not read the file, as far as the text tells; nil when it may
	Classes int    // how many class statements there are, wherever
	// Found says that one of the words is written in code, neither in a string nor in a
	// comment; code within f-strings counts.
	Found bool
	// Imports are the modules of import statements, as written, in order.
	Imports []string
}

// Scan looks through src once. It allocates only for imports. words may be nil.
func Scan(src []byte, words *Words) Outline { panic("not yet") }
