package pysrc

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// hostile are files made to be slow, large or deep: a shape, repeated or nested to a
// size. Each begins with what makes Read go on to the grammar.
var hostile = []struct {
	name string
	make func(n int, r *rand.Rand) string // n is about how many bytes
}{
	{"brackets", func(n int, _ *rand.Rand) string { return strings.Repeat("(", n) }},
	{"closed brackets", func(n int, _ *rand.Rand) string { return strings.Repeat("(", n/2) + strings.Repeat(")", n/2) }},
	{"rows of brackets", func(n int, _ *rand.Rand) string {
		return strings.Repeat(strings.Repeat("[", 199)+strings.Repeat("]", 199)+"\n", n/400)
	}},
	{"unterminated string", func(n int, _ *rand.Rand) string { return "x = '" + strings.Repeat("a", n) }},
	{"unterminated long string", func(n int, _ *rand.Rand) string { return "x = '''" + strings.Repeat("a'", n/2) }},
	{"backslashes", func(n int, _ *rand.Rand) string { return "x = '''" + strings.Repeat(`\`, n) + "'''" }},
	{"one line", func(n int, _ *rand.Rand) string { return "x = " + strings.Repeat("a + ", n/4) + "a\n" }},
	{"one long name", func(n int, _ *rand.Rand) string { return strings.Repeat("a", n) + " = 1\n" }},
	{"one long list", func(n int, _ *rand.Rand) string { return "x = [" + strings.Repeat("1,", n/2) + "]\n" }},
	{"one long dict", func(n int, _ *rand.Rand) string { return "x = {" + strings.Repeat("'a':1,", n/6) + "}\n" }},
	{"NUL", func(n int, _ *rand.Rand) string { return strings.Repeat("\x00", n) }},
	{"not UTF-8", func(n int, _ *rand.Rand) string { return strings.Repeat("\xff", n) }},
	{"elifs", func(n int, _ *rand.Rand) string { return "if a: x = 1\n" + strings.Repeat("elif a: x = 1\n", n/14) }},
	{"elifs with classes", func(n int, _ *rand.Rand) string {
		return "if a: pass\n" + strings.Repeat("elif a:\n class A(Agent): pass\n", n/30)
	}},
	{"elifs with names", func(n int, _ *rand.Rand) string {
		var b strings.Builder
		b.WriteString("if a: pass\n")
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "elif a: x%d = A%d\n", i, i)
		}
		return b.String()
	}},
	{"ifs", func(n int, _ *rand.Rand) string {
		var b strings.Builder
		for b.Len() < n {
			for i := range 99 {
				b.WriteString(strings.Repeat(" ", i) + "if a:\n")
			}
			b.WriteString(strings.Repeat(" ", 99) + "x = Agent\n")
		}
		return b.String()
	}},
	{"else in else", func(n int, _ *rand.Rand) string {
		return "x = " + strings.Repeat("a if b else ", min(n/12, 1900)) + "c\n"
	}},
	{"many elses", func(n int, _ *rand.Rand) string {
		return strings.Repeat("class A("+strings.Repeat("a if b else ", 300)+"Agent): pass\n", n/3700)
	}},
	{"nots", func(n int, _ *rand.Rand) string { return "x = " + strings.Repeat("not ", n/4) + "a\n" }},
	{"minuses", func(n int, _ *rand.Rand) string { return "x = " + strings.Repeat("-", n) + "1\n" }},
	{"dots", func(n int, _ *rand.Rand) string { return "class A(Agent" + strings.Repeat(".a", n/2) + "): pass\n" }},
	{"rows of dots", func(n int, _ *rand.Rand) string {
		return strings.Repeat("class A(Agent"+strings.Repeat(".a", 900)+"): pass\n", n/1820)
	}},
	{"calls", func(n int, _ *rand.Rand) string { return "x = a" + strings.Repeat("()", n/2) + "\n" }},
	{"rows of calls", func(n int, _ *rand.Rand) string {
		return strings.Repeat("x = a"+strings.Repeat(".b()", 400)+"\n", n/1600)
	}},
	{"calls in calls", func(n int, _ *rand.Rand) string {
		return strings.Repeat("x = "+strings.Repeat("f(k=[", 99)+strings.Repeat("])", 99)+"\n", n/700)
	}},
	{"lambdas", func(n int, _ *rand.Rand) string {
		return strings.Repeat("x = "+strings.Repeat("lambda: ", 900)+"Agent\n", n/7200)
	}},
	{"walruses", func(n int, _ *rand.Rand) string {
		return strings.Repeat(strings.Repeat("(x := ", 180)+"Agent"+strings.Repeat(")", 180)+"\n", n/1260)
	}},
	{"f-strings", func(n int, _ *rand.Rand) string {
		return "x = " + strings.Repeat(`f"{`, min(n/5, 149)) + "a" + strings.Repeat(`}"`, min(n/5, 149)) + "\n"
	}},
	{"fields", func(n int, _ *rand.Rand) string { return "x = f'" + strings.Repeat("{a:{b}}", n/7) + "'\n" }},
	{"doubling values", func(n int, _ *rand.Rand) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "a%d = f(a%d, a%d)\n", i+1, i, i)
		}
		return b.String()
	}},
	{"doubling choices", func(n int, _ *rand.Rand) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "a%d = a%d if x else b%d\n", i+1, i, i)
		}
		return b.String()
	}},
	{"a chain of classes", func(n int, _ *rand.Rand) string {
		var b strings.Builder
		b.WriteString("class A0(Agent): pass\n")
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "class A%d(A%d): pass\n", i+1, i)
		}
		return b.String()
	}},
	{"a ladder of classes", func(n int, _ *rand.Rand) string {
		var b strings.Builder
		b.WriteString("class A0(Agent): pass\nclass B0(Agent): pass\n")
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "class A%d(A%d, B%d): pass\nclass B%d(A%d, B%d): pass\n", i+1, i, i, i+1, i, i)
		}
		return b.String()
	}},
	{"many bases", func(n int, _ *rand.Rand) string { return "class A(" + strings.Repeat("Agent, ", n/7) + "): pass\n" }},
	{"decorators", func(n int, _ *rand.Rand) string {
		return strings.Repeat("@deployment\n", n/12) + "class A(Agent): pass\n"
	}},
	{"stars", func(n int, _ *rand.Rand) string {
		var b strings.Builder
		for i := 0; b.Len() < n/2; i++ {
			fmt.Fprintf(&b, "from m%d import *\n", i)
		}
		return b.String() + strings.Repeat("class A(B): pass\n", n/34)
	}},
	{"type parameters", func(n int, _ *rand.Rand) string {
		return "class A[" + strings.Repeat("T = int, ", n/9) + "](Agent): pass\n"
	}},
	{"operators alone", func(n int, _ *rand.Rand) string { return strings.Repeat("+ * ) ", n/6) }},
	{"colons", func(n int, _ *rand.Rand) string { return strings.Repeat("a: b: c\n", n/8) }},
	{"keywords", func(n int, r *rand.Rand) string {
		words := []string{"class", "def", "if", "else", ":", "(", ")", "\n", "lambda", "for", "in", "import", "from", "x", "=", "@", "match", "case", "*", "not", "except", "try", "with", "as"}
		var b strings.Builder
		for b.Len() < n {
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
		return b.String()
	}},
	{"tokens", func(n int, r *rand.Rand) string {
		words := []string{"a", "1", "'s'", "+", "-", "*", "if", "else", "not", "and", ",", ".", "=", "==", "lambda", ":", "in", "for", "await", "yield", "%", "|", "is", ";"}
		var b strings.Builder
		for b.Len() < n {
			b.WriteString(words[r.IntN(len(words))] + " ")
			if r.IntN(8) == 0 {
				b.WriteByte('\n')
			}
		}
		return b.String()
	}},
	{"broken statements", func(n int, r *rand.Rand) string {
		lines := []string{"class A(Agent) pass\n", "def f(a b): pass\n", "x = = 1\n", "import\n", "from x import\n", "for in x: pass\n", "return return\n", "if: pass\n", "@\n", "del\n", "x = [1, 2 3]\n", "match x: case: pass\n"}
		var b strings.Builder
		for b.Len() < n {
			b.WriteString(lines[r.IntN(len(lines))])
		}
		return b.String()
	}},
	{"bytes", func(n int, r *rand.Rand) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(1 + r.IntN(127))
		}
		return string(b)
	}},
	{"indentation", func(n int, r *rand.Rand) string {
		var b strings.Builder
		for b.Len() < n {
			b.WriteString(strings.Repeat(" ", r.IntN(20)) + "if x:\n")
		}
		return b.String()
	}},
}

// ordinary is Python as people write it.
const ordinary = `
class Example(Base, metaclass=Meta):
    """A class with a little of everything."""

    limit: int = 10

    def method(self, value: list[int], *rest, key=None) -> dict[str, int]:
        if value and not rest:
            return {str(v): v * 2 for v in value if v > self.limit}
        with open(f"{key}-{self.limit:>5}.txt") as out:
            out.write("line %d\n" % (len(value) + 1))
        raise ValueError("no values")  # a comment
`

// readHostile does all that is done with a file.
func readHostile(t *testing.T, src string, x *Index) *Module {
	f := File{"x.py", []byte(src)}
	m, err := Read(context.Background(), f, x, true)
	if err != nil {
		t.Fatal(err)
	}
	Link([]*Module{m}, x).Attribute("x.py", "A1", "spec")
	if _, err := ReadMission(context.Background(), f); err != nil {
		t.Fatal(err)
	}
	return m
}

// perKB is the time of a file for each KB, where a small file counts as 4 KB more.
func perKB(size int, took time.Duration) float64 {
	return float64(took.Microseconds()) / (float64(size)/1024 + 4)
}

// TestThousandHostileFiles reads files that were made to do harm. None of them crashes,
// and none takes more than its size allows: a hundred times what ordinary text of that
// size takes, which is well above what they were measured at and far below what anything
// takes that is not bounded.
func TestThousandHostileFiles(t *testing.T) {
	x := Reference()
	text := agentImport + strings.Repeat(ordinary, 100)
	start := time.Now()
	readHostile(t, text, x)
	usual := perKB(len(text), time.Since(start))
	files, worst, which := 0, 0.0, ""
	for round := range 24 {
		for i, h := range hostile {
			n := 100 << (round % 7)
			if testing.Short() {
				n = 100 << (round % 3)
			}
			if round == 23 && !testing.Short() {
				n = 60_000
			}
			src := agentImport + h.make(n, rand.New(rand.NewPCG(uint64(round), uint64(i))))
			if round%3 == 2 {
				src += "\ndef mission_entry():\n  return {}\nclass Last(Agent): pass\n"
			}
			took := 0.0
			for range 3 { // a busy machine may be late once
				start := time.Now()
				readHostile(t, src, x)
				if took = perKB(len(src), time.Since(start)) / usual; took < 100 {
					break
				}
			}
			if took >= 100 {
				t.Errorf("%s, %d bytes: %.0f times as long as ordinary text, want 100 at most", h.name, len(src), took)
			}
			if files++; took > worst {
				worst, which = took, h.name
			}
		}
	}
	if files < 1000 {
		t.Errorf("%d files, want a thousand", files)
	}
	t.Logf("%d files; the worst, %q, took %.0f times as long as ordinary text (%.0f µs/KB)", files, which, worst, usual)
}

// TestLargeFiles are at the bound of the size, and beyond.
func TestLargeFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	x := Reference()
	text := agentImport + strings.Repeat(ordinary, (1<<20-200)/len(ordinary))
	if m := readHostile(t, text, x); m.Fault != nil || m.Statements < 1000 {
		t.Errorf("1 MB of ordinary text: %v, %d classes", m.Fault, m.Statements)
	}
	for _, c := range []struct{ name, source, want string }{
		{"more than 1 MB", strings.Repeat("x", 1<<20+1), "size"},
		{"a line of 5 MB", "x = '" + strings.Repeat("a", 5<<20) + "'\n", "size"},
		{"100,000 brackets", strings.Repeat("(", 100_000), "depth"},
		{"100,000 attributes", agentImport + "class A(Agent" + strings.Repeat(".a", 100_000) + "): pass\n", "depth"},
		{"a string of 1 MB that does not end", "x = '''" + strings.Repeat("a", 1<<20-10), "syntax"},
		{"1 MB of NUL", strings.Repeat("\x00", 1<<20), "nul"},
		{"90,000 elifs, too dense for the memory", agentImport + "if a: pass\n" + strings.Repeat("elif a:x=1\n", 90_000), "effort"},
	} {
		m := readHostile(t, c.source, x)
		got := ""
		if m.Fault != nil {
			got = string(m.Fault.Code)
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
