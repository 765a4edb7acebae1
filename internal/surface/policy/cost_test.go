package policy

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCost wants what people write to be far below the limit, and the estimate to
// be at least what judging the largest call of nominal size costs.
func TestCost(t *testing.T) {
	text := strings.Repeat("a,", nominalText/2)
	item := `{"k":"` + text + `","x":"` + text + `"}`
	few := make([]string, 20) // more would be larger than nominal in all
	for i := range few {
		few[i] = item
	}
	many := make([]string, nominalItems)
	for i := range many {
		many[i] = `"` + text[:100] + `"`
	}
	a := &Action{
		Tool: text, Server: text, Extension: text, Mode: map[string]string{"m": text},
		Arguments: []byte(`{"s":"` + text + `","t":"` + text + `","l":[` + strings.Join(many, ",") + `],"o":[` + strings.Join(few[:8], ",") + `]}`),
	}
	for _, when := range []string{
		`tool == "a"`,
		`tool in ["a", "b"] && server.startsWith("x")`,
		`arguments.s.contains("abc")`,
		`arguments["s"].contains(arguments.t)`,
		`arguments["o"][0]["k"].contains("abc")`,
		`arguments.s.matches("^(a|,)*$")`,
		`arguments.s.matches("b{100}|(a,)+x{200}")`,
		`mode["m"].matches("b+") || mode.m == arguments.s`,
		`arguments.l.exists(x, x.contains("b"))`,
		`arguments.l.all(x, x.matches("^(a|,)+$"))`,
		`arguments.o.exists(x, x["k"].matches("b+") || x.x == "c")`,
		`arguments.l.exists(x, arguments.o.exists(y, y.k.startsWith(x)))`,
		`arguments.l.filter(x, x != "b").size() > 3`,
		`arguments.s.split(",").exists(x, x.matches("b+"))`,
		`arguments.s.split(",").filter(x, x != "b")[0].matches("b+")`,
		`arguments.s.split(",").exists(x, x.lowerAscii().split("=")[0] == "b")`,
		`arguments.exists(k, k == "path" && arguments[k] != "x")`,
		`[string(arguments.s), string(arguments.t)].exists(x, x.matches("b+"))`,
		`(tool == "a" ? arguments.s : arguments.t).matches("b+")`,
		`arguments.s.lowerAscii().replace(",", ".").trim() + tool + tool == "b"`,
		`string(arguments.s) in arguments.l || "b" in ["x", tool]`,
		`!has(arguments.s) || size(arguments.l) > 300 || arguments.s.substring(3, 9) == "b" || arguments.s.charAt(2) == "b"`,
	} {
		v := examine(when)
		if len(v.Faults) > 0 {
			t.Errorf("%s: got %v, want it to be accepted", when, v.Faults)
			continue
		}
		q := &question{action: a}
		c := newCondition(when, v)
		if q.large(c) {
			t.Fatalf("%s: the call is larger than nominal", when)
		}
		p, err := c.program(true)
		if err != nil {
			t.Fatal(err)
		}
		_, details, err := p.Eval(q)
		if err != nil {
			t.Errorf("%s: %v", when, err)
		}
		if cost := details.ActualCost(); cost == nil || *cost > v.Facts.Cost {
			t.Errorf("%s: it cost %d, and the estimate was %d", when, *cost, v.Facts.Cost)
		}
	}
}

// TestCostOfAnything wants the same of expressions that nobody would write.
func TestCostOfAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := strings.Repeat("a,", 200)
	a := &Action{
		Tool: text, Server: text, Extension: text, Mode: map[string]string{"m": text},
		Arguments: []byte(`{"s":"` + text + `","t":"b","l":["a","` + text + `","c"],"o":[{"k":"` + text + `"},{"k":"x"}],"n":7}`),
	}
	judged := 0
	for range 3000 {
		when := anything(r, 4, nil)
		v := examine(when)
		if len(v.Faults) > 0 {
			continue
		}
		p, err := newCondition(when, v).program(true)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		_, details, _ := p.Eval(&question{action: a})
		if cost := details.ActualCost(); cost == nil || *cost > v.Facts.Cost {
			t.Errorf("%s: it cost %d, and the estimate was %d", when, *cost, v.Facts.Cost)
		}
		judged++
	}
	if judged < 300 {
		t.Errorf("%d of 3000 expressions were accepted, want more of them to be", judged)
	}
}

// anything is an expression of type bool over the variables and those of loops.
func anything(r *rand.Rand, depth int, loops []string) string {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	value := func() string { return texts(r, 2, loops) }
	if depth == 0 {
		return pick(`true`, `tool == "a"`, value()+` == `+pick(`"a"`, `tool`), value()+`.contains("a")`)
	}
	sub := func() string { return anything(r, depth-1, loops) }
	switch r.IntN(9) {
	case 0:
		return "(" + sub() + " && " + sub() + ")"
	case 1:
		return "(" + sub() + " || " + sub() + ")"
	case 2:
		return "!" + sub()
	case 3:
		return "(" + sub() + " ? " + sub() + " : " + sub() + ")"
	case 4, 5:
		x := "x" + string(rune('0'+len(loops)))
		over := pick(`arguments.l`, `arguments.o`, `arguments`, `[`+value()+`, `+value()+`]`, `arguments.s.split(",")`, `arguments["l"]`)
		return over + pick(`.exists`, `.all`, `.exists_one`) + "(" + x + ", " + anything(r, depth-1, append(loops, x)) + ")"
	case 6:
		return value() + pick(`.contains(`, `.startsWith(`, `.endsWith(`) + value() + ")"
	case 7:
		return value() + `.matches("` + pick(`a+b`, `^(a|,)*$`, `x{50}`) + `")`
	}
	return value() + pick(" == ", " < ", " in ") + value()
}

func texts(r *rand.Rand, depth int, loops []string) string {
	leaves := append([]string{`tool`, `server`, `mode.m`, `mode["m"]`, `arguments.s`, `string(arguments.t)`, `"abc"`, `arguments["o"][0].k`, `arguments.l[1]`}, loops...)
	if depth == 0 || r.IntN(3) == 0 {
		return leaves[r.IntN(len(leaves))]
	}
	sub := func() string { return texts(r, depth-1, loops) }
	switch r.IntN(7) {
	case 0:
		return "(" + sub() + " + " + sub() + ")"
	case 1:
		return sub() + ".lowerAscii()"
	case 2:
		return "string(" + sub() + ")"
	case 3:
		return sub() + `.split(",")[0]`
	case 4:
		return "(" + anything(r, 0, loops) + " ? " + sub() + " : " + sub() + ")"
	case 5:
		return sub() + `.trim().upperAscii()`
	}
	return sub() + `.replace("a,", "b")`
}
