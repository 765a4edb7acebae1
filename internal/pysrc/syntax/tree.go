package syntax

import (
	"encoding/binary"
	"iter"
	"slices"
	"sort"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/mortise-dev/mortise/internal/pysrc/grammar"
)

// Kind is the kind of a node: one of the constants KindModule and so on, which are
// generated from the grammar; 0 for what is not named and for no node.
type Kind uint16

// String is the grammar's name of a kind: "class_definition".
func (k Kind) String() string {
	if k == KindError {
		return "ERROR"
	}
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return ""
}

// Field is what a node is to its parent: one of the constants FieldBody and so on, which
// are generated from the grammar; 0 for none.
type Field uint8

// Tree is one file. It is not changed, and may be read by several goroutines.
type Tree struct {
	src   []byte
	nodes []node
	lines []uint32 // where each line begins
	fault *Fault
}

// node is one node; a tree has them in the order of the source, parents first.
type node struct {
	start, end uint32
	next       uint32 // the first node after this one and all below it
	kind       Kind
	field      Field
	flags      uint8
}

// Flags of nodes, as the parser gives them.
const (
	isError uint8 = 1 << iota
	isMissing
	hasError
	isNamed
)

// Node is a place in a tree, and cheap to copy. The zero Node is none: its Kind is 0, it
// has no text and no children.
type Node struct {
	tree *Tree
	at   uint32
}

// newTree copies what the parser found.
func newTree(src, raw []byte) *Tree {
	t := &Tree{src: src, nodes: make([]node, len(raw)/grammar.NodeSize)}
	for i := range t.nodes {
		b := raw[i*grammar.NodeSize:][:grammar.NodeSize]
		n := &t.nodes[i]
		n.start, n.end, n.next = binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
		n.field, n.flags = Field(b[14]), b[15]
		if n.flags&isNamed != 0 {
			n.kind = Kind(binary.LittleEndian.Uint16(b[12:]))
		}
	}
	t.lines = append(t.lines, 0)
	for at, c := range src {
		if c == '\n' || c == '\r' && (at+1 == len(src) || src[at+1] != '\n') {
			t.lines = append(t.lines, uint32(at+1))
		}
	}
	return t
}

// Root is the module.
func (t *Tree) Root() Node { return Node{t, 0} }

// Source is the text that was parsed. It must not be changed.
func (t *Tree) Source() []byte { return t.src }

// Fault is the first error in the tree; nil when there is none.
func (t *Tree) Fault() *Fault { return t.fault }

// Line is the line of a position in the source, from 1.
func (t *Tree) Line(at int) int {
	return sort.Search(len(t.lines), func(i int) bool { return int(t.lines[i]) > at })
}

func (n Node) get() node {
	if n.tree == nil {
		return node{}
	}
	return n.tree.nodes[n.at]
}

// OK reports whether n is a node.
func (n Node) OK() bool { return n.tree != nil }

// Tree is the tree that n is of; nil for none.
func (n Node) Tree() *Tree { return n.tree }

// Kind is the kind of n.
func (n Node) Kind() Kind { return n.get().kind }

// Is reports whether n is of one of the kinds.
func (n Node) Is(kinds ...Kind) bool { return n.OK() && slices.Contains(kinds, n.Kind()) }

// Field is what n is to its parent.
func (n Node) Field() Field { return n.get().field }

// Span is where n stands, in bytes.
func (n Node) Span() (start, end int) {
	d := n.get()
	return int(d.start), int(d.end)
}

// Line is the line that n begins in, from 1; 0 for none.
func (n Node) Line() int {
	if n.tree == nil {
		return 0
	}
	return n.tree.Line(int(n.get().start))
}

// Column is where n begins in its line, in bytes from 1; 0 for none.
func (n Node) Column() int {
	if n.tree == nil {
		return 0
	}
	return int(n.get().start-n.tree.lines[n.Line()-1]) + 1
}

// Text is the source of n.
func (n Node) Text() string {
	if n.tree == nil {
		return ""
	}
	start, end := n.Span()
	return string(n.tree.src[start:end])
}

// Brief is the text of n in one line, of no more than most characters; what is cut off
// shows as an ellipsis.
func (n Node) Brief(most int) string {
	if n.tree == nil {
		return ""
	}
	start, end := n.Span()
	cut := min(end, start+8*most)
	r := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(string(n.tree.src[start:cut]), "")), " "))
	if len(r) > most || cut < end {
		return string(r[:min(len(r), most-1)]) + "…"
	}
	return string(r)
}

// Size is how many nodes n is, with those below it.
func (n Node) Size() int {
	if n.tree == nil {
		return 0
	}
	return int(n.get().next - n.at)
}

// Identifier is the text of n as Python compares names: in NFKC.
func (n Node) Identifier() string { return norm.NFKC.String(n.Text()) }

// Error reports whether n stands for text that is not Python.
func (n Node) Error() bool { return n.get().flags&isError != 0 }

// Missing reports whether n stands for something that should be there and is not.
func (n Node) Missing() bool { return n.get().flags&isMissing != 0 }

// Children are the nodes directly below n, in order.
func (n Node) Children() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n.tree == nil {
			return
		}
		for at, end := n.at+1, n.get().next; at < end; at = n.tree.nodes[at].next {
			if !yield(Node{n.tree, at}) {
				return
			}
		}
	}
}

// Named are the named nodes directly below n, in order.
func (n Node) Named() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for c := range n.Children() {
			if c.Kind() != 0 && !yield(c) {
				return
			}
		}
	}
}

// Child is the first child with the field; none where there is no such child.
func (n Node) Child(f Field) Node {
	for c := range n.Children() {
		if c.Field() == f {
			return c
		}
	}
	return Node{}
}

// First is the first named child of n; none where it has none.
func (n Node) First() Node {
	for c := range n.Named() {
		return c
	}
	return Node{}
}

// All are n and all nodes below it, in the order of the source.
func (n Node) All() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n.tree == nil {
			return
		}
		for at, end := n.at, n.get().next; at < end; at++ {
			if !yield(Node{n.tree, at}) {
				return
			}
		}
	}
}

// Within reports whether n is m or stands below it.
func (n Node) Within(m Node) bool {
	return n.tree != nil && n.tree == m.tree && n.at >= m.at && n.at < m.get().next
}

// Walk visits n and what is below it, in the order of the source. Where visit returns
// false, what is below that node is passed over.
func (n Node) Walk(visit func(Node) bool) {
	if n.tree == nil {
		return
	}
	for at, end := n.at, n.get().next; at < end; {
		if visit(Node{n.tree, at}) {
			at++
		} else {
			at = n.tree.nodes[at].next
		}
	}
}
