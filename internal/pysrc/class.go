package pysrc

import "github.com/mortise-dev/mortise/ext"

// Kind is what a class was looked for as.
type Kind uint8

const (
	// Agent is a class whose chain of bases reaches an agent of the Index.
	Agent Kind = iota + 1
	// Deployment is a class that carries the deployment marker.
	Deployment
)

// String is the word for k: "agent", "deployment".
func (k Kind) String() string {
	switch k {
	case Agent:
		return "agent"
	case Deployment:
		return "deployment"
	}
	return "unknown"
}

// Certainty is how sure it is that a class is what it is listed as. Lower is surer.
type Certainty uint8

const (
	// Certain is a class that is bound, and of its kind, whenever the file loads at all.
	Certain Certainty = iota + 1
	// Maybe is one that is bound, or of its kind, under a condition that is not known.
	Maybe
	// Unresolved is one that could be of its kind or not; a reader may tell it and must
	// not list it.
	Unresolved
)

// String is the word for c: "certain", "maybe", "unresolved".
func (c Certainty) String() string {
	switch c {
	case Certain:
		return "certain"
	case Maybe:
		return "maybe"
	case Unresolved:
		return "unresolved"
	}
	return "unknown"
}

// Step is one link of a chain of evidence, or one remark: where it stands and what it says.
type Step struct {
	File string // as it was given to Read; "" for what the Index knows
	Line int    // 1-based; 0 where File is ""
	Why  string // in words; text of the source is quoted in it and bounded
}

// Class is one class of a kind, as Link found it. A class that is both an agent and a
// deployment is two.
type Class struct {
	Kind Kind
	// Name is the class's own name (its __name__), in NFKC, which is its key; not the
	// name that it is bound to. "" where even that is not known, such as for the value of
	// a call: Bound then says which name holds it.
	Name  string
	Bound string // a module-level name that holds the class in the end
	File  string
	Line  int // of the class statement, or of the binding where there is none
	// Column is in bytes, from 1.
	Column    int
	Certainty Certainty
	// Reason says why the class is not certain; "" for one that is.
	Reason string
	// Evidence leads from the class to what the Index knows, in order; or, for one that is
	// unresolved, to where nothing more is known.
	Evidence []Step
	// Notes are remarks that change nothing: a decorator that nobody knows, a keyword
	// that the decorator does not take, a base in a sibling file, which the reference
	// system cannot load.
	Notes []Step
	// Arguments are what a deployment's own decorator was given, literals as values; nil
	// for a bare or inherited one. Reasons tells why others are missing.
	Arguments []Argument
}

// Argument is one keyword argument of a call.
type Argument struct {
	Name string
	Line int
	// Value is the literal; nil for what is none, and Reason then says why.
	Value  *ext.Doc
	Reason string
}
