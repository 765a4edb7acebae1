package syntax

import (
	"bytes"
	"context"
	"fmt"
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
// Python, the error is a *Fault; for one that the grammar found there is a tree besides,
// whose error nodes say where. Any other error is that of ctx.
//
// Named nodes are in the tree, comments and line continuations apart; of the others those
// that have a field, which are the operators, and the word "async". Defaults of type
// parameters (Python 3.13), which the grammar does not know, are left out.
func Parse(ctx context.Context, src []byte) (*Tree, error) {
	o := Scan(src, nil)
	if o.Fault != nil {
		return nil, o.Fault
	}
	return o.Parse(ctx, src)
}

// Parse is Parse of a text of which o is the outline, without a fault.
func (o *Outline) Parse(ctx context.Context, src []byte) (*Tree, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := parsers.Get().(*grammar.Parser)
	raw, outcome := p.Parse(o.canonical(src), grammar.Bounds{
		Steps: uint32(baseSteps + len(src)/stepBytes), Depth: MaxDepth,
		Stop: func() bool { return ctx.Err() != nil },
	})
	var t *Tree
	if outcome == grammar.Done {
		t = newTree(src, raw)
	}
	if outcome < grammar.Full && p.Size() <= keepSize {
		parsers.Put(p)
	}
	switch outcome {
	case grammar.Done:
		if t.fault = t.firstFault(); t.fault != nil {
			return t, t.fault
		}
		return t, nil
	case grammar.Stopped:
		return nil, ctx.Err()
	case grammar.Deep:
		return nil, &Fault{Depth, 1, fmt.Sprintf("expressions or statements are nested more than %d deep", MaxDepth)}
	case grammar.Spent:
		return nil, &Fault{Effort, 1, "the parser needs more steps than a file of this size may take"}
	case grammar.Full:
		return nil, &Fault{Effort, 1, "the parser needs more memory than there is for a file"}
	}
	return nil, &Fault{Effort, 1, "the parser gave up"}
}

// canonical is src as the grammar can read it, with every byte where it was.
func (o *Outline) canonical(src []byte) []byte {
	if !o.returns && len(o.defaults) == 0 {
		return src
	}
	out := bytes.Clone(src)
	for at := range out {
		if out[at] == '\r' && (at+1 == len(out) || out[at+1] != '\n') {
			out[at] = '\n'
		}
	}
	for _, d := range o.defaults {
		for at := d.start; at < d.end; at++ {
			if out[at] != '\n' {
				out[at] = ' '
			}
		}
	}
	return out
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

// excerpt is the beginning of a text, quoted.
func excerpt(s string) string {
	const most = 40
	if r := []rune(s[:min(len(s), 4*most)]); len(r) > most {
		return fmt.Sprintf("%q…", string(r[:most]))
	}
	return fmt.Sprintf("%q", s)
}
