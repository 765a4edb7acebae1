package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/audit"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/policy"
)

// decide times what is done before each call: judging it by policies, and its line
// in the log; and what knowing the policies costs at a start.
func (b *bench) decide() ([]row, error) {
	rows := []row{b.judge()}
	start, err := b.know()
	if err != nil {
		return nil, err
	}
	logged, err := b.log()
	return append(rows, start, logged), err
}

// times is how often what is judged or logged is timed at once.
const times = 1000

// judge is a call by ten thousand policies of which three match, against ten.
func (b *bench) judge() row {
	few, many := policy.NewSet(rules(10)), policy.NewSet(rules(10_000))
	a := policy.Action{
		Tool: "shell_run", Qualified: "acme:shell/run", Server: "shell", Extension: "acme", Session: "s1", Agent: "worker", Client: "bench",
		Mode: map[string]string{"net": "closed"}, Arguments: json.RawMessage(`{"command":"ls"}`),
	}
	judged := func(s *policy.Set) time.Duration {
		return timed(func() {
			for range times {
				s.Judge(&a)
			}
		})
	}
	var one, other []time.Duration
	for round := range b.rounds + 1 {
		x, y := judged(few), judged(many)
		if round > 0 {
			one, other = append(one, x), append(other, y)
		}
	}
	x, y := median(one), median(other)
	return row{
		name: "1,000 calls by 10,000 policies, 3 match", subject: y, floor: x, floorIs: "(by 10 policies)",
		ratio: ratio(y, x), target: 1.3, promised: times * 2500 * time.Nanosecond,
	}
}

// rules are n policies of which three are about the call that is judged.
func rules(n int) []policy.Rule {
	out := []policy.Rule{
		{Name: "acme:a", Policy: policy.Policy{Outcome: policy.Deny, Message: "No.", Tools: []string{"shell_*"}, When: `agent == "other"`}},
		{Name: "acme:b", Policy: policy.Policy{Outcome: policy.Ask, Message: "Sure?", When: `tool == "shell_run" && client in ["x", "y"]`}},
		{Name: "acme:c", Policy: policy.Policy{Outcome: policy.Deny, Message: "Never.", Servers: []string{"shell"}, When: `mode.net == "open"`}},
	}
	for i := len(out); i < n; i++ {
		p := policy.Policy{Outcome: policy.Deny, Message: "No.", When: `session.startsWith("z")`}
		if i%2 == 0 {
			p.Tools = []string{fmt.Sprintf("tool%d_*", i)}
		} else {
			p.When = fmt.Sprintf(`tool == "tool%d" && `, i) + p.When
		}
		out = append(out, policy.Rule{Name: fmt.Sprint("acme:r", i), Policy: p})
	}
	return out
}

// know is what it costs to be ready to judge by a thousand policies that were known
// before, against finding all of it out.
func (b *bench) know() (row, error) {
	docs, err := documents(1000)
	if err != nil {
		return row{}, err
	}
	var kept bytes.Buffer
	ready := func(known []byte) time.Duration {
		policy.Remembered.Forget()
		return timed(func() {
			policy.Remembered.Read(bytes.NewReader(known))
			var rs []policy.Rule
			for _, e := range policy.Surface.Decode(docs) {
				rs = append(rs, policy.Rule{Name: "acme:" + e.Name, Policy: e.Value.(policy.Policy)})
			}
			policy.NewSet(rs)
		})
	}
	var first, second []time.Duration
	for round := range b.rounds + 1 {
		x := ready(nil)
		kept.Reset()
		if err := policy.Remembered.Write(&kept); err != nil {
			return row{}, err
		}
		y := ready(kept.Bytes())
		if round > 0 {
			first, second = append(first, x), append(second, y)
		}
	}
	x, y := median(first), median(second)
	return row{
		name: "ready to judge by 1,000 known policies", subject: y, floor: x, floorIs: "(finding them out)",
		ratio: ratio(y, x), target: 0.2, promised: 10 * time.Millisecond,
	}, nil
}

func documents(n int) ([]surface.Document, error) {
	out := make([]surface.Document, n)
	for i := range out {
		path := fmt.Sprintf("policies/p%d.yaml", i)
		text := fmt.Appendf(nil, "outcome: deny\nmessage: No %d.\nwhen: tool == \"tool%d\" && arguments.path.startsWith(\"/srv/%d\")\n", i, i, i)
		o := ext.Origin{Path: path, Line: 1}
		d, found := doc.YAML(o, text, 1)
		if found.Failed() {
			return nil, fmt.Errorf("%s: %v", path, found)
		}
		out[i] = surface.Document{Origin: o, Path: path, Doc: d, Digest: ext.Sum(text)}
	}
	return out, nil
}

// log is a call's line in the log, its arguments summed up.
func (b *bench) log() (r row, err error) {
	l, err := audit.Open(filepath.Join(b.dir, "audit"), audit.Options{})
	if err != nil {
		return row{}, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	arguments := json.RawMessage(`{"command":"ls -l","timeout":10,"path":"/srv/app"}`)
	plain, err := os.OpenFile(filepath.Join(b.dir, "plain"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return row{}, err
	}
	defer plain.Close()
	line := bytes.Repeat([]byte("x"), 700) // about what a record takes
	var floors, took []time.Duration
	var failed error
	for round := range b.rounds + 1 {
		x := timed(func() {
			for range times {
				if _, err := plain.Write(line); err != nil {
					failed = err
				}
			}
		})
		y := timed(func() {
			for range times {
				r := audit.Record{Kind: audit.KindCall, ID: "ABCDEFGHJKLM", Tool: "acme_shell__run", Outcome: audit.Allowed, Arguments: l.Summarize(arguments)}
				if err := l.Append(b.ctx, r, audit.Written); err != nil {
					failed = err
				}
			}
		})
		if round > 0 {
			floors, took = append(floors, x), append(took, y)
		}
	}
	x, y := median(floors), median(took)
	return row{
		name: "1,000 calls in the log", subject: y, floor: x, floorIs: "(as many plain writes)",
		ratio: ratio(y, x), target: 8, promised: times * 15 * time.Microsecond,
	}, failed
}
