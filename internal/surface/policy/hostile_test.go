package policy

import (
	"strings"
	"testing"
	"time"
)

// TestHostileExpressions wants what is written to take long, or to grow, to be
// refused, or else to be judged in bounded time; and each to be examined in little
// time.
func TestHostileExpressions(t *testing.T) {
	up := func(n int, open, inner, end string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	for _, c := range []struct {
		name, expression string
		code             string // of the fault; "" is none
	}{
		{"too long", strings.Repeat(" ", maxExpression) + "x", "policy-limit"},
		{"nested parentheses", up(2000, "(", "true", ")"), "policy-limit"},
		{"open parentheses", strings.Repeat("(", 4000), "policy-limit"},
		{"nested lists", up(1500, "[", "1", "]") + " == []", "policy-limit"},
		{"nested ternaries", up(500, "true?", "true", ":true"), "policy-limit"},
		{"negations", strings.Repeat("!", 4000) + "true", ""},
		{"minus", strings.Repeat("-", 4000) + "1 == 1", ""},
		{"many conjuncts", strings.Repeat("true&&", 600) + "true", ""},
		{"selects", "arguments" + strings.Repeat(".a", 1500) + " == 1", "policy-limit"},
		{"text doubled in three loops", `[tool].exists(a, [` + sum("a", 5) + `].exists(b, [` + sum("b", 5) + `].exists(c, c == "x")))`, "policy-cost"},
		{"text doubled in two loops", `[tool].exists(b, [` + sum("b", 8) + `].exists(c, ` + sum("c", 8) + ` == "x"))`, "policy-cost"},
		{"values doubled in two loops", `[string(arguments.a)].exists(b, [` + sum("b", 8) + `].exists(c, ` + sum("c", 8) + ` == "x"))`, "policy-cost"},
		{"text doubled by filters", `[tool]` + strings.Repeat(`.filter(a, a+a != "x")`, 30) + ` == []`, ""},
		{"text of a literal doubled", `["` + strings.Repeat("x", 500) + `"].exists(b, [` + sum("b", 8) + `].exists(c, ` + sum("c", 8) + ` == "x"))`, "policy-cost"},
		{"splitting what was split", `arguments.a.split("").exists(x, arguments.b.split("").exists(y, (x+y).split("").size() == 3))`, "policy-cost"},
		{"lists doubled in two loops", `[arguments].exists(b, [[` + strings.Repeat("b,", 400) + `b]].exists(c, [` + strings.Repeat("c,", 400) + `c] == [c]))`, "policy-expression"},
		{"lists doubled by filters", `[arguments]` + strings.Repeat(`.filter(a, [a,a]==[a,a])`, 30) + ` == []`, "policy-expression"},
		{"whole arguments compared over and over", strings.Repeat("arguments==arguments&&", 180) + "true", "policy-expression"},
		{"a bomb of a pattern", `tool.matches("((((a{10}){10}){10}){10}){10}")`, "policy-regex"},
		{"a large pattern in loops", `arguments.a.exists(x, arguments.b.exists(y, y.matches("(a|b)*c{300}")))`, "policy-cost"},
		{"too many parts", "[" + strings.Repeat("1,", 2040) + "1].size() == 1", "policy-limit"},
		{"a name of a limit", "limit == 1", "policy-expression"},
		{"not UTF-8", "tool == '\xff\xfe'", ""},
		{"control characters", "tool == \x00\x1b[0m", "policy-expression"},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			v := examine(c.expression)
			took := time.Since(began)
			code := ""
			if len(v.Faults) > 0 {
				code = v.Faults[0].Code
			}
			if code != c.code {
				t.Errorf("examine: got %q in %v, want %q", code, v, c.code)
			}
			if took > long {
				t.Errorf("examine took %v, want a few milliseconds", took)
			}
		})
	}
}

// long is longer than anything here takes on a busy machine, and no time beside what
// it would take without bounds.
const long = time.Minute

// TestHostileCalls wants whatever is accepted to be judged, or given up, in bounded
// time, of calls of nominal size and of the largest that are read.
func TestHostileCalls(t *testing.T) {
	item := `"` + strings.Repeat("a", 200) + `"`
	nominal := `{"a":[` + strings.Repeat(item+",", 250) + item + `],"b":[` + strings.Repeat("[],", 255) + `1],"c":""}`
	huge := `{"a":[` + strings.Repeat(`"aaaaaaaa",`, 1<<16) + `1],"b":[` + strings.Repeat("{},", 1<<18) + `1],"c":"` + strings.Repeat("a", 1<<20) + `"}`
	for _, c := range []struct {
		name, expression string
		gives            bool // up, on the huge call
	}{
		{"seeking over and over", strings.Repeat("(arguments.a == []||'x' in arguments.a)||", 80) + "false", false},
		{"a loop in a loop", `arguments.a.all(x, arguments.b.all(y, y != 2))`, true},
		{"a pattern in a loop", `arguments.a.all(x, x == 1 || !x.matches("(a|aa|aaa)*b.*(c|d)"))`, false},
		{"a pattern over a long text", `arguments.c.matches("(a|aa|aaa)*b.{100}(c|d)")`, true},
		{"patterns over a long text", strings.Repeat("arguments.c.matches('(a|b)*c(d|e)*$')||", 90) + "false", true},
		{"a text taken apart", `arguments.c.split("").exists(x, x == "b")`, false},
		{"filters", `arguments.b.filter(x, x != 1).filter(x, x != 2).filter(x, x != 3).size() == 0`, true},
		{"sums", sum("string(arguments.c)", 7) + ` == "x"`, true},
		{"long needles", strings.Repeat("arguments.c.lowerAscii().contains(arguments.c + 'b')||", 70) + "false", true},
	} {
		for name, raw := range map[string]string{"nominal": nominal, "huge": huge} {
			if name == "huge" && testing.Short() {
				continue // beside a race detector each takes many seconds
			}
			if v := examine(c.expression); len(v.Faults) > 0 {
				t.Fatalf("%s: %v", c.name, v.Faults)
			}
			s := NewSet([]Rule{{Name: "acme:p", Policy: Policy{Outcome: Ask, When: c.expression}}})
			began := time.Now()
			got := s.Judge(&Action{Tool: "t", Arguments: []byte(raw)})
			took := time.Since(began)
			if took > long {
				t.Errorf("%s: judging a %s call took %v", c.name, name, took)
			}
			gave := len(got) == 1 && got[0].Failed
			if gave != (c.gives && name == "huge") || gave && got[0].Outcome != Deny {
				t.Errorf("%s of a %s call: got %v, want it to give up, which denies: %v", c.name, name, got, c.gives && name == "huge")
			}
		}
	}
}

// sum adds a name to itself, 2 to the power of n times, in a tree that is not deep.
func sum(name string, n int) string {
	for range n {
		name = "(" + name + "+" + name + ")"
	}
	return name
}
