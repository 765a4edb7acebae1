package policy

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"cel.dev/cel-go/common/types"
	"pgregory.net/rapid"
)

var (
	someNames    = []string{"", "a", "b", "ab", "ba", "aba", "a*b", "x:a", "x:ab", "shell", "shell_run", "x:shell/run"}
	somePatterns = []string{"a", "ab", "*", "a*", "*a", "*b*", "a*a", "a*b", "x:*", "*:a*", "shell*run", "**", "sh*", "zzz"}
)

// condition draws an expression: mostly of what an index makes something of, with
// parts that fail.
func aCondition(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		name := func() string { return rapid.SampledFrom(axisNames[:]).Draw(t, "axis") }
		word := func() string { return fmt.Sprintf("%q", rapid.SampledFrom(someNames).Draw(t, "name")) }
		if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
			switch rapid.IntRange(0, 11).Draw(t, "kind") {
			case 0:
				return name() + " == " + word()
			case 1:
				return word() + " == " + name()
			case 2:
				return name() + " in [" + word() + ", " + word() + "]"
			case 3:
				return name() + ".startsWith(" + word() + ")"
			case 4:
				return name() + ".endsWith(" + word() + ")"
			case 5:
				return name() + " != " + word()
			case 6:
				return name() + ".contains(" + word() + ")"
			case 7:
				return "arguments.a == 1"
			case 8:
				return "arguments.s.startsWith(tool)"
			case 9:
				return "arguments.l.exists(tool, tool == " + word() + ")"
			case 10:
				return rapid.SampledFrom([]string{"true", "false", "has(arguments.a)", `mode.m == "x"`, `"k" in arguments`}).Draw(t, "constant")
			}
			return "arguments.a / arguments.b == 1"
		}
		a, b := aCondition(depth-1).Draw(t, "left"), aCondition(depth-1).Draw(t, "right")
		switch rapid.IntRange(0, 6).Draw(t, "operator") {
		case 0, 1, 2:
			return "(" + a + " && " + b + ")"
		case 3, 4:
			return "(" + a + " || " + b + ")"
		case 5:
			return "!(" + a + ")"
		}
		return "(" + a + " ? " + b + " : " + a + ")"
	})
}

func aPolicy() *rapid.Generator[Policy] {
	return rapid.Custom(func(t *rapid.T) Policy {
		names := func(label string) []string {
			if rapid.IntRange(0, 2).Draw(t, label+" given") > 0 {
				return nil
			}
			return rapid.SliceOfN(rapid.SampledFrom(somePatterns), 1, 3).Draw(t, label)
		}
		p := Policy{Outcome: rapid.SampledFrom([]Outcome{Deny, Ask}).Draw(t, "outcome"), Tools: names("tools"), Servers: names("servers"), Extensions: names("extensions")}
		if rapid.Bool().Draw(t, "conditional") {
			p.When = aCondition(3).Draw(t, "when")
		}
		return p
	})
}

func anAction() *rapid.Generator[*Action] {
	return rapid.Custom(func(t *rapid.T) *Action {
		name := rapid.SampledFrom(someNames)
		return &Action{
			Tool: name.Draw(t, "tool"), Qualified: name.Draw(t, "qualified"), Server: name.Draw(t, "server"), Extension: name.Draw(t, "extension"),
			Mode: rapid.SampledFrom([]map[string]string{nil, {"m": "x"}}).Draw(t, "mode"),
			Arguments: json.RawMessage(rapid.SampledFrom([]string{
				``, `{}`, `[]`, `{"a":1}`, `{"a":1,"b":1,"s":"abc","l":["a","b",1]}`, `{"a":1,"a":1}`, `{"s":7,"l":{"a":1}}`, `{"a":2,"b":0,"k":null,"s":"` + strings.Repeat("ab", nominalText) + `"}`,
			}).Draw(t, "arguments")),
		}
	})
}

// TestIndexLosesNothing wants the set to say of every call what asking each rule
// for itself says, however it looked them up, in their order.
func TestIndexLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := rapid.SliceOfN(aPolicy(), 0, 12).Draw(t, "rules")
		a := anAction().Draw(t, "action")
		set := NewSet(rules(ps...))
		var want []string
		for i, p := range ps {
			if w := naive(p, a); w != "" {
				want = append(want, string(rune('a'+i))+"="+w)
			}
		}
		if got := said(set.Judge(a)); got != strings.Join(want, " ") {
			t.Fatalf("Judge of %+v by %+v: got %q, want %q", a, ps, got, want)
		}
	})
}

// naive is what one rule says, asked for itself: with CEL's own maps, without an
// index, without a memory, and with the names compared by regular expressions.
func naive(p Policy, a *Action) string {
	meant := func(patterns []string, names ...string) bool {
		for _, p := range patterns {
			re := regexp.MustCompile("^(?s:" + strings.ReplaceAll(regexp.QuoteMeta(p), `\*`, ".*") + ")$")
			for _, n := range names {
				if re.MatchString(n) {
					return true
				}
			}
		}
		return len(patterns) == 0
	}
	switch {
	case !meant(p.Tools, a.Tool, a.Qualified, a.Qualified[strings.Index(a.Qualified, ":")+1:]) || !meant(p.Servers, a.Server) || !meant(p.Extensions, a.Extension):
		return ""
	case p.When == "":
		return string(p.Outcome)
	}
	if v := examine(p.When); len(v.Faults) > 0 {
		return "deny!"
	}
	env, err := cels()
	if err != nil {
		panic(err)
	}
	checked, issues := env.Compile(p.When)
	if issues.Err() != nil {
		return "deny!"
	}
	program, err := env.Program(checked)
	if err != nil {
		panic(err)
	}
	mode := a.Mode
	if mode == nil {
		mode = map[string]string{}
	}
	out, _, err := program.Eval(map[string]any{
		"tool": a.Tool, "server": a.Server, "extension": a.Extension, "session": a.Session, "agent": a.Agent, "client": a.Client,
		"mode": mode, "arguments": naiveArguments(a.Arguments), "annotations": map[string]any{},
	})
	switch {
	case err != nil:
		return "deny!"
	case out == types.True:
		return string(p.Outcome)
	}
	return ""
}

func naiveArguments(raw []byte) any {
	var v map[string]any
	switch string(raw) {
	case "":
		return map[string]any{}
	case `[]`, `{"a":1,"a":1}`:
		return types.NewErr("odd")
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(err)
	}
	for k, x := range v { // whole numbers of the test, below the first level left as they are
		if n, ok := x.(float64); ok {
			v[k] = int64(n)
		}
	}
	return v
}

// TestIndexAsksFew wants the rules that are looked up for a call to be few among
// many, whatever of a rule tells them apart.
func TestIndexAsksFew(t *testing.T) {
	for name, rule := range map[string]func(i int) Policy{
		"the tool's name": func(i int) Policy { return Policy{Tools: []string{fmt.Sprintf("t%04d", i)}} },
		"qualified names": func(i int) Policy {
			return Policy{Tools: []string{fmt.Sprintf("x%04d:t", i), fmt.Sprintf("y%04d:t", i)}}
		},
		"its beginning": func(i int) Policy { return Policy{Tools: []string{fmt.Sprintf("t%04d*", i)}} },
		"its end":       func(i int) Policy { return Policy{Tools: []string{fmt.Sprintf("*t%04d", i)}} },
		"both":          func(i int) Policy { return Policy{Tools: []string{fmt.Sprintf("*x*t%04d", i)}} },
		"the server":    func(i int) Policy { return Policy{Tools: []string{"*"}, Servers: []string{fmt.Sprint("s", i)}} },
		"an expression": func(i int) Policy { return Policy{When: fmt.Sprintf("arguments.x == 1 && tool == 't%04d'", i)} },
		"a choice":      func(i int) Policy { return Policy{When: fmt.Sprintf("tool == 't%04d' || tool in ['u%04d']", i, i)} },
		"beyond one for all": func(i int) Policy {
			return Policy{Extensions: []string{"acme"}, When: fmt.Sprintf("tool.startsWith('t%04d')", i)}
		},
	} {
		all := make([]Rule, 1000)
		for i := range all {
			all[i] = Rule{Name: fmt.Sprint("acme:r", i), Policy: rule(i)}
		}
		s := NewSet(all)
		if got := len(s.index.find(&Action{Tool: "t0500", Qualified: "x0500:t", Server: "s500", Extension: "acme"}, nil)); got > 2 {
			t.Errorf("told apart by %s: looked up %d of 1000 rules, want at most 2", name, got)
		}
	}
}
