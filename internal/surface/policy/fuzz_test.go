package policy

import (
	"strings"
	"testing"
	"time"
)

// FuzzExpression wants any expression to be examined in little time; and of one that
// is accepted, judging to cost no more than the estimate, a counted judgement to
// say what a plain one says, and what it is said to demand to be what it is false
// without.
func FuzzExpression(f *testing.F) {
	f.Add(`tool == "a" && (server.startsWith("b") || extension in ["c", "acme"]) && !has(arguments.x)`)
	f.Add(`arguments.l.exists(x, x.matches("^a+$")) || mode["net"] == "on" ? annotations.a == 1 : client != "c"`)
	f.Add(`[tool].filter(tool, tool + "x" == "ax").size() > 0 && arguments.s.split(",")[1].trim() == "b"`)
	f.Add(strings.Repeat("(", 50) + `-1 == arguments["n"] / 0` + strings.Repeat(")", 50))
	f.Add("!tool.replace('ab', 'b').contains('x')\n&& \"\\u0041\" in arguments")
	actions := []*Action{
		{},
		{Tool: "a", Qualified: "x:a", Server: "b", Extension: "c", Mode: map[string]string{"net": "on"}, Arguments: []byte(`{"l":["a","b",1],"s":"a, b","n":3}`)},
		{Tool: "ab", Server: "", Extension: "acme", Session: "s", Agent: "w", Client: "c", Arguments: []byte(`{"x":null,"s":7}`)},
		{Tool: "t", Arguments: []byte(`[]`)},
	}
	f.Fuzz(func(t *testing.T, when string) {
		began := time.Now()
		v := examine(when)
		if took := time.Since(began); took > long {
			t.Errorf("examine took %v", took)
		}
		if when == "" || len(v.Faults) > 0 {
			return
		}
		p := prepared{rule: &Rule{}, condition: newCondition(when, v)}
		program, err := p.condition.program(true)
		if err != nil {
			t.Fatalf("an accepted expression cannot be planned: %v", err)
		}
		for i, a := range actions {
			holds, err := p.condition.holds(t.Context(), &question{action: a})
			if !p.about(a) && (holds || err != nil) {
				t.Errorf("action %d: it demands %v, which is not there, and yet it says %v, %v", i, v.Facts.Demands, holds, err)
			}
			out, details, failed := program.Eval(&question{action: a})
			if (failed == nil) != (err == nil) || err == nil && out.Value() != holds {
				t.Errorf("action %d: counted it says %v, %v, and plain %v, %v", i, out, failed, holds, err)
			}
			if cost := details.ActualCost(); cost != nil && *cost > v.Facts.Cost {
				t.Errorf("action %d: it cost %d, and the estimate was %d", i, *cost, v.Facts.Cost)
			}
		}
	})
}
