package syntax

import (
	"context"
	"iter"
)

// Kind is the kind of a node, one of the constants that are generated from the grammar.
type Kind uint16

// Field is what a node is to its parent, one of the constants that are generated from the
// grammar; 0 for none.
type Field uint8

// Tree is one file. It is not changed, and may be read by several goroutines.
type Tree struct {
	src   []byte
	nodes []node
	lines []uint32 // where each line begins
}

// node is one node; the tree has them in the order of the source, parents first.
type node struct {
	start, end uint32
	next       uint32 // the first node after this one and all below it
	kind       Kind
	field      Field
	flags      uint8
}

// Node is a place in a tree, and cheap to copy. The zero Node is none: its Kind is 0, it
// has no text and no children.
type Node struct {
	tree *Tree
	at   uint32
}

// Parse reads src, which must not be changed while the tree is used. Where src is not
// Python, the error is a *Fault; for one with the code Syntax there is a tree besides,
// whose error nodes say where. Any other error is that of ctx. Named nodes are in the tree,
// comments apart; of the others those that are an operator (they have a field) and the
// word "async".
func Parse(ctx context.Context, src []byte) (*Tree, error) { panic("not yet") }

// Root is the module.
func (t *Tree) Root() Node { panic("not yet") }

// Source is the text that was parsed. It must not be changed.
func (t *Tree) Source() []byte { return t.src }

// Fault is the first error in the tree; nil when there is none.
func (t *Tree) Fault() *Fault { panic("not yet") }

// OK reports whether n is a node.
func (n Node) OK() bool { return n.tree != nil }

// Kind is the kind of n.
func (n Node) Kind() Kind { panic("not yet") }

// Field is what n is to its parent.
func (n Node) Field() Field { panic("not yet") }

// Span is where n stands, in bytes.
func (n Node) Span() (start, end int) { panic("not yet") }

// Line is the line that n begins in, from 1.
func (n Node) Line() int { panic("not yet") }

// Column is where n begins in its line, in bytes from 1.
func (n Node) Column() int { panic("not yet") }

// Text is the source of n.
func (n Node) Text() string { panic("not yet") }

// Error reports whether n stands for text that is not Python; Missing whether it stands
// for something that should be there and is not.
func (n Node) Error() bool { panic("not yet") }

// Missing is told with Error.
func (n Node) Missing() bool { panic("not yet") }

// Children are the nodes directly below n, in order.
func (n Node) Children() iter.Seq[Node] { panic("not yet") }

// Child is the first child with the field; none where there is no such child.
func (n Node) Child(f Field) Node { panic("not yet") }

// First is the first child of n; none where it has none.
func (n Node) First() Node { panic("not yet") }

// All are n and all nodes below it, in the order of the source.
func (n Node) All() iter.Seq[Node] { panic("not yet") }

// Identifier is the text of n as Python compares names: in NFKC.
func (n Node) Identifier() string { panic("not yet") }
