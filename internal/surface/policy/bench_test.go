package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// rulesOf makes n rules of which 3 are about benchCall: one by its fields, one by
// its expression, one by both. The others are about other tools, in all the ways
// that rules tell them.
func rulesOf(n int) []Rule {
	out := []Rule{
		{Name: "acme:a", Policy: Policy{Outcome: Deny, Message: "No.", Tools: []string{"shell_*"}, When: `agent == "worker" && session.startsWith("s")`}},
		{Name: "acme:b", Policy: Policy{Outcome: Ask, Message: "Sure?", When: `tool == "shell_run" && client in ["test", "other"]`}},
		{Name: "acme:c", Policy: Policy{Outcome: Deny, Message: "Never.", Servers: []string{"shell"}, When: `tool.startsWith("shell_") && mode.net == "open"`}},
	}
	for i := len(out); i < n; i++ {
		p := Policy{Outcome: Deny, Message: "No.", When: fmt.Sprintf(`arguments.path.startsWith("/srv/%d")`, i)}
		switch i % 4 {
		case 0:
			p.Tools = []string{fmt.Sprintf("tool%d", i)}
		case 1:
			p.Tools = []string{fmt.Sprintf("tool%d_*", i)}
		case 2:
			p.When = fmt.Sprintf(`tool == "tool%d" && `, i) + p.When
		case 3:
			p.When = fmt.Sprintf(`server == "server%d" && `, i) + p.When
		}
		out = append(out, Rule{Name: fmt.Sprint("acme:r", i), Policy: p})
	}
	return out
}

var benchCall = Action{
	Tool: "shell_run", Qualified: "acme:shell/run", Server: "shell", Extension: "acme", Session: "s1", Agent: "worker", Client: "test",
	Mode: map[string]string{"net": "closed"}, Arguments: json.RawMessage(`{"command":"ls -l /srv","timeout":10}`),
}

// BenchmarkJudge is one call by so many rules, of which 3 are evaluated; with
// arguments, one more that reads them.
func BenchmarkJudge(b *testing.B) {
	b.Run("rules=0", func(b *testing.B) { judge(b, nil) })
	for _, n := range []int{10, 100, 1000, 10000} {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) { judge(b, rulesOf(n)) })
	}
	b.Run("rules=1000/arguments", func(b *testing.B) {
		judge(b, append(rulesOf(1000), Rule{Name: "acme:d", Policy: Policy{Outcome: Deny, Tools: []string{"shell_run"}, When: `arguments.command.matches("rm +-rf")`}}))
	})
	b.Run("rules=1000/loop", func(b *testing.B) {
		judge(b, append(rulesOf(1000), Rule{Name: "acme:d", Policy: Policy{Outcome: Deny, Tools: []string{"shell_run"}, When: `arguments.command.split(" ").exists(w, w == "rm")`}}))
	})
}

func judge(b *testing.B, rs []Rule) {
	s := NewSet(rs)
	if got := len(s.Judge(&benchCall)); len(rs) > 0 && got != 2 {
		b.Fatalf("got %d opinions, want 2", got)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Judge(&benchCall)
	}
}

// documents are n policies as they were read, no two with one expression.
func documents(n int) []surface.Document {
	out := make([]surface.Document, n)
	for i, r := range rulesOf(n) {
		p := r.Policy
		d := ext.Doc{Kind: ext.Map, Line: 1}
		for _, f := range [][2]string{{"outcome", string(p.Outcome)}, {"message", p.Message}, {"when", p.When}} {
			d = d.With(f[0], ext.Doc{Kind: ext.String, Text: f[1], Line: 1})
		}
		if len(p.Tools) > 0 {
			d = d.With("tools", ext.Doc{Kind: ext.String, Text: p.Tools[0], Line: 1})
		}
		path := fmt.Sprintf("policies/p%d.yaml", i)
		out[i] = surface.Document{Origin: ext.Origin{Extension: "acme", Path: path, Line: 1}, Path: path, Doc: d}
	}
	return out
}

// decode is what a start does of policies: their decoding, and their set.
func decode(b *testing.B, docs []surface.Document) *Set {
	all := make([]Rule, len(docs))
	for i, e := range Surface.Decode(docs) {
		if e.Findings.Failed() {
			b.Fatal(e.Findings)
		}
		all[i] = Rule{Name: e.Name, Policy: e.Value.(Policy)}
	}
	return NewSet(all)
}

func replaceRemembered(m *Memory) { Remembered = m }

// BenchmarkCompile is a first start with 1,000 policies: decoded, and a set made of
// them; with programs, each made too.
func BenchmarkCompile(b *testing.B) {
	defer replaceRemembered(Remembered)
	docs := documents(1000)
	b.Run("verdicts", func(b *testing.B) {
		for b.Loop() {
			Remembered = NewMemory(2000)
			decode(b, docs)
		}
	})
	b.Run("programs", func(b *testing.B) {
		for b.Loop() {
			Remembered = NewMemory(2000)
			for _, r := range decode(b, docs).rules {
				if _, err := r.condition.plain(); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkRemembered is a later start with the same 1,000: what is known of them
// is read, they are decoded, and a set is made.
func BenchmarkRemembered(b *testing.B) {
	defer replaceRemembered(Remembered)
	docs := documents(1000)
	Remembered = NewMemory(2000)
	decode(b, docs)
	var file bytes.Buffer
	if err := Remembered.Write(&file); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(file.Len()), "bytes")
	for b.Loop() {
		Remembered = NewMemory(2000)
		if Remembered.Read(bytes.NewReader(file.Bytes())) < 1000 {
			b.Fatal("the verdicts are not believed")
		}
		decode(b, docs)
	}
}
