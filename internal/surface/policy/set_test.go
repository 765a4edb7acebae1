package policy

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

func rules(ps ...Policy) []Rule {
	out := make([]Rule, len(ps))
	for i, p := range ps {
		out[i] = Rule{Name: "acme:" + string(rune('a'+i)), Policy: p}
	}
	return out
}

// said is what opinions come to in short: the rule, its outcome, "!" for a failure.
func said(os []Opinion) string {
	var out []string
	for _, o := range os {
		s := strings.TrimPrefix(o.Rule.Name, "acme:") + "=" + string(o.Outcome)
		if o.Failed {
			s += "!"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

var call = Action{
	Tool: "files_write", Qualified: "acme:files/write", Server: "files", Extension: "acme", Session: "s1", Agent: "worker", Client: "test",
	Mode:      map[string]string{"net": "closed"},
	Arguments: json.RawMessage(`{"path":"/etc/passwd","n":9007199254740993,"big":18446744073709551615,"half":1.5,"list":["a","b"],"flag":true,"none":null,"deep":{"x":[1,{"y":2}]}}`),
	Annotations: &ext.Doc{Kind: ext.Map, Map: []ext.Pair{
		{Key: "readOnlyHint", Value: ext.Doc{Kind: ext.Bool, Text: "false"}},
		{Key: "title", Value: ext.Doc{Kind: ext.String, Text: "Write"}},
		{Key: "order", Value: ext.Doc{Kind: ext.Number, Text: "3"}},
	}},
}

// TestExpressions wants every variable, every kind of value and every function to
// be what an author expects, and what cannot be judged to deny.
func TestExpressions(t *testing.T) {
	for _, c := range []struct{ when, want string }{
		{"", "ask"},
		{"true", "ask"},
		{`tool == "files_write" && server == "files" && extension == "acme"`, "ask"},
		{`session == "s1" && agent == "worker" && client == "test"`, "ask"},
		{`tool == "acme:files/write"`, ""},
		{`mode.net == "closed" && !("gpu" in mode)`, "ask"},
		{`mode.gpu == "on"`, "deny!"},
		{`arguments.path.startsWith("/etc/")`, "ask"},
		{`arguments["path"].matches("^/(etc|usr)/")`, "ask"},
		{`arguments.path.matches("^/usr/")`, ""},
		{`arguments.n == 9007199254740993 && arguments.n != 9007199254740992`, "ask"}, // not as doubles, which are the same
		{`arguments.big == 18446744073709551615u && arguments.big > 5`, "ask"},
		{`arguments.half == 1.5 && arguments.half < 2`, "ask"},
		{`arguments.flag == true && arguments.none == null`, "ask"},
		{`arguments.deep.x[1].y == 2`, "ask"},
		{`"a" in arguments.list && arguments.list.size() == 2`, "ask"},
		{`arguments.list.exists(x, x == "b") && arguments.list.all(x, x < "c") && arguments.list.exists_one(x, x == "a")`, "ask"},
		{`arguments.list.filter(x, x != "a") == ["b"]`, "ask"},
		{`arguments.exists(k, k == "path")`, "ask"},
		{`has(arguments.path) && !has(arguments.other)`, "ask"},
		{`arguments.other == 1`, "deny!"},
		{`arguments.path == 1`, ""},
		{`arguments.path < 1`, "deny!"},
		{`arguments.path.x == 1`, "deny!"},
		{`1 / (arguments.deep.x[0] - 1) == 1`, "deny!"},
		{`arguments.list[7] == "a"`, "deny!"},
		{`int(arguments.path) == 1`, "deny!"},
		{`arguments.flag && arguments.none`, "deny!"},
		// What is decided whatever the part that fails would come to is decided.
		{`tool == "other" && arguments.other == 1`, ""},
		{`arguments.other == 1 && tool == "other"`, ""},
		{`arguments.other == 1 || tool == "files_write"`, "ask"},
		{`arguments.other == 1 || tool == "other"`, "deny!"},
		{`!(arguments.other == 1 || tool == "other")`, "deny!"},
		{`annotations.readOnlyHint == false && annotations.title == "Write" && annotations.order == 3`, "ask"},
		{`annotations.destructiveHint == true`, "deny!"},
		{`"%s".size() == 2 && "A".lowerAscii() == "a" && " a ".trim() == "a" && "a,b".split(",") == ["a", "b"] && "abc".substring(1, 2) == "b" && "a\\b".replace("\\", "/") == "a/b"`, "ask"},
		{`"x".matches("(")`, "deny!"}, // refused when it is read; a set that is given it denies
		{`nobody == 1`, "deny!"},
	} {
		got := said(NewSet(rules(Policy{Outcome: Ask, When: c.when})).Judge(&call))
		if want := strings.TrimPrefix("a="+c.want, "a= "); c.want == "" && got != "" || c.want != "" && got != want {
			t.Errorf("%s: got %q, want %q", c.when, got, c.want)
		}
	}
}

// TestArguments wants arguments that are odd to fail what reads them, and nothing
// else.
func TestArguments(t *testing.T) {
	set := NewSet(rules(
		Policy{Outcome: Ask, When: `has(arguments.a)`},
		Policy{Outcome: Ask, When: `tool == "t"`},
		Policy{Outcome: Ask, When: `"a" in annotations`},
	))
	for _, c := range []struct{ name, arguments, want string }{
		{"none", ``, "b=ask"},
		{"empty", `{}`, "b=ask"},
		{"there", ` {"a":1} `, "a=ask b=ask"},
		{"twice", `{"a":1,"a":2}`, "a=deny! b=ask"},
		{"twice below", `{"b":{"c":1,"c":2}}`, "a=deny! b=ask"},
		{"twice in other spellings", `{"a":1,"\u0061":2}`, "a=deny! b=ask"},
		{"null", `null`, "a=deny! b=ask"},
		{"a list", `[{"a":1}]`, "a=deny! b=ask"},
		{"cut off", `{"a":1`, "a=deny! b=ask"},
		{"more", `{"a":1}{}`, "a=deny! b=ask"},
		{"no JSON", `{a:1}`, "a=deny! b=ask"},
		{"not UTF-8", "{\"a\":\"\xff\"}", "a=deny! b=ask"},
		{"a number out of range", `{"b":1e999}`, "a=deny! b=ask"},
		{"too deep", `{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, "a=deny! b=ask"},
		{"too large", `{"b":"` + strings.Repeat("x", maxArguments) + `"}`, "a=deny! b=ask"},
		{"larger than nominal", `{"a":"` + strings.Repeat("x", nominalText+1) + `"}`, "a=ask b=ask"},
	} {
		if got := said(set.Judge(&Action{Tool: "t", Arguments: []byte(c.arguments)})); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	list := &ext.Doc{Kind: ext.List}
	if got := said(set.Judge(&Action{Tool: "t", Annotations: list})); got != "b=ask c=deny!" {
		t.Errorf("annotations that are no object: got %q, want what reads them to deny", got)
	}
}

// TestNames wants the fields to tell calls apart by their names, a tool going by
// two of them.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		name string
		p    Policy
		want bool
	}{
		{"nothing", Policy{}, true},
		{"the exposed name", Policy{Tools: []string{"other", "files_write"}}, true},
		{"the qualified name", Policy{Tools: []string{"acme:files/write"}}, true},
		{"a beginning", Policy{Tools: []string{"files_*"}}, true},
		{"an end", Policy{Tools: []string{"*_write"}}, true},
		{"the middle", Policy{Tools: []string{"*les_w*"}}, true},
		{"pieces", Policy{Tools: []string{"f*s*w*e"}}, true},
		{"pieces that overlap", Policy{Tools: []string{"files_w*write"}}, false},
		{"pieces of the qualified name", Policy{Tools: []string{"acme:*/wr*"}}, true},
		{"anything", Policy{Tools: []string{"*"}, Servers: []string{"*"}, Extensions: []string{"**"}}, true},
		{"another tool", Policy{Tools: []string{"write"}}, false},
		{"another case", Policy{Tools: []string{"Files_Write"}}, false},
		{"the server", Policy{Servers: []string{"fil*"}}, true},
		{"another server", Policy{Tools: []string{"files_write"}, Servers: []string{"web"}}, false},
		{"another extension", Policy{Tools: []string{"files_write"}, Extensions: []string{"other"}}, false},
		{"all three", Policy{Tools: []string{"files_write"}, Servers: []string{"files"}, Extensions: []string{"acme"}}, true},
		{"long beginnings", Policy{Tools: []string{strings.Repeat("f", 50) + "*"}}, false},
	} {
		c.p.Outcome = Deny
		s := NewSet(rules(c.p))
		if got := len(s.Judge(&call)) == 1; got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		if got := len(s.Consulted(&call)) == 1; got != c.want {
			t.Errorf("Consulted of %s: got %v, want %v", c.name, got, c.want)
		}
	}
	if got := NewSet(rules(Policy{Outcome: Deny, Servers: []string{"*"}})).Judge(&Action{Tool: "t"}); len(got) != 1 {
		t.Error("any server, of a tool that has none: want the rule to apply, which is the safer reading")
	}
}

// TestConsulted wants the rules that a call is judged by to be told without
// judging: what the names alone rule out is left out, and nothing else is.
func TestConsulted(t *testing.T) {
	s := NewSet(rules(
		Policy{Outcome: Deny, When: `tool == "t" && arguments.x == 1`},
		Policy{Outcome: Deny, When: `arguments.x == 1 && (tool == "u" || tool in ["v", "w"])`},
		Policy{Outcome: Deny, When: `tool.contains("t")`},
		Policy{Outcome: Deny, When: `tool.startsWith("x") || arguments.x == 1`},
		Policy{Outcome: Deny, When: `"s" == server && tool.endsWith("t")`},
		Policy{Outcome: Deny, When: `["u"].exists(tool, tool == "u")`},
	))
	for _, c := range []struct {
		a    Action
		want string
	}{
		{Action{Tool: "t"}, "acd f"},
		{Action{Tool: "w"}, "bcd f"},
		{Action{Tool: "yet", Server: "s"}, "cdef"},
		{Action{Tool: "yet"}, "cd f"},
	} {
		got := ""
		for _, r := range s.Consulted(&c.a) {
			got += strings.TrimPrefix(r.Name, "acme:")
		}
		if want := strings.ReplaceAll(c.want, " ", ""); got != want {
			t.Errorf("Consulted of %s: got %s, want %s", c.a.Tool, got, want)
		}
	}
}

// TestReads wants a dry run to know which values an answer depends on.
func TestReads(t *testing.T) {
	for _, c := range []struct {
		p    Policy
		want string
	}{
		{Policy{}, ""},
		{Policy{Tools: []string{"a"}, Servers: []string{"b"}}, "server tool"},
		{Policy{When: `tool == "t" && arguments.path.x == 1 && arguments["a.b"] == 2 && has(arguments.c) && "d" in arguments`}, "arguments.a.b arguments.c arguments.d arguments.path tool"},
		{Policy{When: `arguments.exists(k, k == "x") || arguments.y == 1`}, "arguments arguments.y"},
		{Policy{When: `arguments[tool] == 1`}, "arguments tool"},
		{Policy{When: `"a" in [mode.x, agent] && annotations.title == client && session == ""`}, "agent annotations client mode session"},
		{Policy{When: `.tool == "x"`}, "tool"},
		{Policy{When: `nobody`}, ""},
	} {
		if got := strings.Join(c.p.Reads(), " "); got != c.want {
			t.Errorf("Reads of %q: got %q, want %q", c.p.When, got, c.want)
		}
	}
}

// TestContext wants a judgement whose context has ended to deny, in a loop too.
func TestContext(t *testing.T) {
	s := NewSet(rules(
		Policy{Outcome: Ask, When: `tool == "t"`},
		Policy{Outcome: Ask, When: `arguments.a.all(x, arguments.a.all(y, x + 1 > 0))`},
		Policy{Outcome: Ask},
	))
	ctx, cancel := context.WithCancel(t.Context())
	a := Action{Tool: "t", Arguments: []byte(`{"a":[` + strings.Repeat("1,", 250) + `1]}`)}
	if got := said(s.JudgeContext(ctx, &a)); got != "a=ask b=ask c=ask" {
		t.Errorf("before the end: got %q, want three to ask", got)
	}
	cancel()
	if got := said(s.JudgeContext(ctx, &a)); got != "a=deny! b=deny! c=ask" {
		t.Errorf("after the end: got %q, want what is evaluated to deny", got)
	}
	ends := &ending{Context: t.Context(), done: make(chan struct{})}
	if got := s.JudgeContext(ends, &a); len(got) != 3 || !got[1].Failed || !strings.Contains(got[1].Reason, "interrupt") {
		t.Errorf("an end within a loop: got %v, want the loop to be interrupted", got)
	}
}

// ending ends once somebody waits for its end, as a loop does that looks whether it
// is still wanted.
type ending struct {
	context.Context
	done chan struct{}
	once sync.Once
	over atomic.Bool
}

func (e *ending) Done() <-chan struct{} {
	e.once.Do(func() {
		e.over.Store(true)
		close(e.done)
	})
	return e.done
}

func (e *ending) Err() error {
	if e.over.Load() {
		return context.Canceled
	}
	return nil
}

// TestLaw05_mode_that_is_not_known: what reads the mode denies while nobody knows it, and
// for what does not read it nobody finds it out.
func TestLaw05_mode_that_is_not_known(t *testing.T) {
	asked := 0
	a := Action{Tool: "t", ModeOf: func() (ext.Mode, error) {
		asked++
		return nil, errors.New("nobody answers")
	}}
	plain := NewSet(rules(Policy{Outcome: Ask, When: `tool == "t"`}, Policy{Outcome: Deny, When: `tool == "u"`}))
	if got := said(plain.Judge(&a)); got != "a=ask" || asked != 0 {
		t.Errorf("without the mode: got %q, and it was found out %d times, want a=ask and never", got, asked)
	}
	reading := NewSet(rules(Policy{Outcome: Ask, When: `"data" in mode && mode.data == "fake"`}, Policy{Outcome: Ask, When: `mode.data == "real"`}))
	got := reading.Judge(&a)
	if said(got) != "a=deny! b=deny!" || asked != 1 || !strings.Contains(got[0].Reason, "nobody answers") {
		t.Errorf("with it: got %v, and it was found out %d times, want two denials that say why and once", got, asked)
	}
	a.ModeOf = func() (ext.Mode, error) { return ext.Mode{"data": "fake"}, nil }
	if got := said(reading.Judge(&a)); got != "a=ask" {
		t.Errorf("once it is known: got %q, want a=ask", got)
	}
}

// TestFailureNamesItself wants a failure to name the rule and the fault on one line
// that shows all it holds.
func TestFailureNamesItself(t *testing.T) {
	a := Action{Tool: "t", Arguments: []byte(`{"k":"\u001b[31m\n\u202e"}`)}
	got := NewSet(rules(Policy{Outcome: Ask, Message: "M", When: `arguments[arguments.k] == 1`})).Judge(&a)
	if len(got) != 1 || got[0].Outcome != Deny || got[0].Message != "M" || !strings.Contains(got[0].Reason, "acme:a") || !strings.Contains(got[0].Reason, "no such key") || strings.ContainsFunc(got[0].Reason, ext.Hidden) {
		t.Errorf("got %+v, want a denial that names the rule and the missing key, escaped", got)
	}
	got = NewSet(rules(Policy{Outcome: "allow"})).Judge(&a)
	if len(got) != 1 || got[0].Outcome != Deny || !got[0].Failed {
		t.Errorf("an outcome that there is none of: got %+v, want a denial", got)
	}
}

// TestField_POL05_DenyWhateverTheOrder: elsewhere the last rule that matches wins,
// so that a denial before a general rule is silently useless.
func TestField_POL05_DenyWhateverTheOrder(t *testing.T) {
	ps := []Policy{
		{Outcome: Deny, Tools: []string{"rm*"}},
		{Outcome: Ask, Tools: []string{"*"}},
		{Outcome: Ask, When: `tool.startsWith("r")`},
	}
	for range len(ps) {
		ps = append(ps[1:], ps[0])
		for _, order := range [][]Policy{ps, {ps[2], ps[1], ps[0]}} {
			denied := slices.ContainsFunc(NewSet(rules(order...)).Judge(&Action{Tool: "rm_all"}), func(o Opinion) bool { return o.Outcome == Deny && !o.Failed })
			if !denied {
				t.Errorf("the rules in the order %v: no denial, want one", order)
			}
		}
	}
}

// TestField_POL05_NeverMatches: a rule that can never match is refused with these
// words and not accepted in silence.
func TestField_POL05_NeverMatches(t *testing.T) {
	for _, c := range []struct {
		when  string
		never bool
	}{
		{`false`, true},
		{`tool == "a" && tool == "b"`, true},
		{`tool.startsWith("a") && (tool == "b" || tool == "c")`, true},
		{`tool in []`, true},
		{`extension.endsWith("x") && extension in ["a", "b"] && arguments.y == 1`, true},
		{`tool.startsWith("a") && tool.startsWith("ab")`, false},
		{`tool.startsWith("a") && tool.endsWith("b")`, false},
		{`tool == "a" || tool == "b"`, false},
		{`(tool == "a" && tool == "b") || server == "s"`, false},
		{`tool == "a" && server == "b"`, false},
		{`false || tool == "a"`, false},
	} {
		v := examine(c.when)
		if got := len(v.Faults) == 1 && v.Faults[0].Code == Never.Code; got != c.never || !got && len(v.Faults) > 0 {
			t.Errorf("%s: got %v, want it to be found out: %v", c.when, v.Faults, c.never)
		}
	}
}
