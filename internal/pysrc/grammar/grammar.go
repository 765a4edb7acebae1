// Package grammar is the tree-sitter parser with its grammar for Python, as Go. The
// parser is the authors' C, compiled to WebAssembly and translated (build/build.sh), so
// that it needs neither a C compiler nor a WebAssembly runtime, and can touch nothing
// but its own memory.
//
// A Parser holds 0.7 MB and grows with what it parses, to 96 MB at most. Nothing is set
// up before New.
package grammar

import "math"

// Outcome is how a parse ended.
type Outcome uint8

const (
	// Done is a tree, perhaps with errors in it.
	Done Outcome = iota
	// Spent is a parse that took more steps than it was given.
	Spent
	// Stopped is one that its caller ended.
	Stopped
	// Deep is a tree that is deeper than was allowed.
	Deep
	// Full is a parse that takes more memory than there is.
	Full
	// Broken is a fault of the parser itself.
	Broken
)

// StepOperations is how many operations of the parser a step is.
const StepOperations = 100

// NodeSize is how many bytes a node takes: the start, the end and the position of what
// follows it as 32-bit numbers, its kind as a 16-bit one, all little-endian, its field and
// its flags.
const NodeSize = 16

// Parser parses one text at a time. After an Outcome of Full or Broken it must not be
// used again.
type Parser struct {
	module *Module
	stop   func() bool
}

// Bounds are how far a parse may go.
type Bounds struct {
	Steps, Depth uint32
	Stop         func() bool // asked now and then; true ends the parse
}

// New makes a parser.
func New() *Parser {
	p := &Parser{}
	p.module = newModule(p)
	return p
}

// Xstop is asked by the translated parser.
func (p *Parser) Xstop() int32 {
	if p.stop != nil && p.stop() {
		return 1
	}
	return 0
}

// Size is how much memory p holds.
func (p *Parser) Size() int { return len(p.module.memory) }

// Steps is how many steps the last parse took.
func (p *Parser) Steps() uint32 { return uint32(p.module.Xsteps()) }

// Parse parses text, which has to be UTF-8, and returns the nodes of the tree in the
// order of the text, parents first. They are p's, until it parses again.
func (p *Parser) Parse(text []byte, b Bounds) (nodes []byte, outcome Outcome) {
	if len(text) > math.MaxInt32/64 {
		return nil, Full
	}
	defer func() {
		if recover() != nil {
			nodes, outcome = nil, Broken
			if p.module.Xout_of_memory() != 0 {
				outcome = Full
			}
		}
	}()
	p.stop = b.Stop
	at := uint32(p.module.Xsource(int32(len(text))))
	copy(p.module.memory[at:], text)
	if o := Outcome(p.module.Xparse(int32(b.Steps), int32(b.Depth))); o != Done {
		return nil, o
	}
	first, n := uint32(p.module.Xnodes()), uint32(p.module.Xcount())
	return p.module.memory[first : first+n*NodeSize], Done
}
