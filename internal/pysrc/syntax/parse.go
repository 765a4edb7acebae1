package syntax

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/mortise-dev/mortise/internal/pysrc/grammar"
)

// parsers are kept between parses. One that grew is not.
var parsers = sync.Pool{New: func() any { return grammar.New() }}

const (
	// keepSize is how much memory a parser may hold that is kept.
	keepSize = 8 << 20
	// A parser has baseSteps, and one more for each stepBytes bytes. What people write takes
	// a step for 190 bytes on average, and none of 11,000 files took more than these.
	baseSteps = 500
	stepBytes = 16
)

// Parse reads src, which must not be changed while the tree is used. Where src is not
// Python there is a fault; for one that the grammar found there is a tree besides, whose
// error nodes say where. The error is that of ctx.
//
// Named nodes are in the tree, comments and line continuations apart; of the others those
// that have a field, which are the operators, and the word "async". Defaults of type
// parameters (Python 3.13), which the grammar does not know, are left out.
func Parse(ctx context.Context, src []byte) (*Tree, *Fault, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if f := unreadable(src); f != nil {
		return nil, f, nil
	}
	s := scanner{src: src, words: &noWords, plain: bytes.Clone(src)}
	if s.run(); s.Fault != nil {
		return nil, s.Fault, nil
	}
	t, f := parse(ctx, src, s.plain)
	if t == nil && f == nil {
		return nil, nil, ctx.Err()
	}
	return t, f, nil
}

// parse gives a text to the grammar. Without a tree and a fault, ctx ended it.
func parse(ctx context.Context, src, plain []byte) (*Tree, *Fault) {
	p := parsers.Get().(*grammar.Parser)
	raw, outcome := p.Parse(plain, grammar.Bounds{
		Steps: uint32(baseSteps + len(src)/stepBytes), Depth: MaxDepth,
		Stop: func() bool { return ctx.Err() != nil },
	})
	var t *Tree
	if outcome == grammar.Done {
		t = newTree(src, raw)
		t.fault = t.firstFault()
	}
	if outcome < grammar.Full && p.Size() <= keepSize {
		parsers.Put(p)
	}
	switch outcome {
	case grammar.Done:
		return t, t.fault
	case grammar.Stopped:
		return nil, nil
	case grammar.Deep:
		return nil, &Fault{Depth, 1, fmt.Sprintf("expressions or statements are nested more than %d deep", MaxDepth)}
	case grammar.Spent:
		return nil, &Fault{Effort, 1, "the parser needs more steps than a file of this size may take"}
	case grammar.Full:
		return nil, &Fault{Effort, 1, "the parser needs more memory than there is for a file"}
	}
	return nil, &Fault{Effort, 1, "the parser gave up"}
}

// firstFault is the first thing in a tree that is not Python, or no longer.
func (t *Tree) firstFault() *Fault {
	for at := range t.nodes {
		n := Node{t, uint32(at)}
		switch {
		case n.Missing():
			what := "something"
			if k := n.Kind().String(); k != "" {
				what = k
			}
			return &Fault{Syntax, n.Line(), "not Python: " + what + " is missing"}
		case n.Error():
			n = n.culprit()
			return &Fault{Syntax, n.Line(), "not Python: " + excerpt(n.Text())}
		case n.Is(KindPrintStatement) && !n.First().Is(KindChevron), n.Is(KindExecStatement):
			return &Fault{Syntax, n.Line(), "Python 2: " + excerpt(n.Text())}
		case n.Field() == FieldOperators && n.Text() == "<>":
			return &Fault{Syntax, n.Line(), "Python 2: <>"}
		}
	}
	if len(t.nodes) > 0 && t.nodes[0].flags&hasError != 0 {
		return &Fault{Syntax, 1, "not Python"}
	}
	return nil
}

// culprit is where the fault in an error node shows: behind the statements in it that are
// whole.
func (n Node) culprit() Node {
	for c := range n.Named() {
		if k := c.Kind().String(); !strings.HasSuffix(k, "_statement") && !strings.HasSuffix(k, "_definition") {
			return c
		}
	}
	return n
}

// excerpt is the beginning of a text, quoted.
func excerpt(s string) string {
	const most = 40
	if r := []rune(s[:min(len(s), 4*most)]); len(r) > most {
		return fmt.Sprintf("%q…", string(r[:most]))
	}
	return fmt.Sprintf("%q", s)
}
