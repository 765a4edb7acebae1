package syntax

import (
	"context"
	"strings"
	"testing"
	"time"
)

// Four hundred thousand joined lines took minutes, in which nothing stopped the parser.
func TestParseManyJoinedLines(t *testing.T) {
	const n = 400_000
	begin := time.Now()
	tree, fault, err := Parse(context.Background(), []byte("x = 1"+strings.Repeat("\\\n", n)+"\nclass A(B): pass\n"))
	if err != nil || fault != nil {
		t.Fatalf("Parse(joined lines): fault %v, error %v, want none", fault, err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("Parse(joined lines) took %v, want a moment", took)
	}
	last := tree.Root()
	for c := range tree.Root().Named() {
		last = c
	}
	if got, want := last.Line(), n+2; got != want {
		t.Errorf("the line behind the joined ones is %d, want %d", got, want)
	}
	for _, before := range []string{"", "if x:\n    ", "x = 1; "} {
		begin = time.Now()
		_, fault, err = Parse(context.Background(), []byte(before+strings.Repeat("\\\n", n)+"y = 1\n"))
		if took := time.Since(begin); err != nil || took > 20*time.Second {
			t.Errorf("Parse(%q and joined lines): fault %v, error %v after %v, want a moment", before, fault, err, took)
		}
	}
}

// What joins lines is no indentation, and parts no token.
func TestParseJoinedLines(t *testing.T) {
	for _, src := range []string{
		"if x:\n    \\\n    y = 1\n    z = 2\n", "\\\nx = 1\n", "x = 1 \\\n+ 2\n", "if x: \\\n  y\nz\n", "class A \\\r\n  (B): pass\r\n",
		"a = b\\\nif c else d\n", "from a import b\\\n, c\n", "@d\\\n.e\ndef f(): pass\n", "x = 1;\\\ny = 2\n", "f(a\\\n, b)\n",
	} {
		if _, fault, err := Parse(context.Background(), []byte(src)); fault != nil || err != nil {
			t.Errorf("Parse(%q): fault %v, error %v, want none", src, fault, err)
		}
	}
}
