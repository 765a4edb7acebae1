package policy

import (
	"bytes"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	"github.com/mortise-dev/mortise/ext"
)

const (
	fileKind = "mortise policy verdicts 1" // first line of what is written
	maxFile  = 64 << 20
)

// record is one verdict as it is written.
type record struct {
	Key     ext.Digest `json:"key"`
	Verdict verdict    `json:"v"`
}

// Write writes all that m knows, so that a later process of the same build need
// not find it out again. Where it lies must be as safe as the configuration: what
// it says of an expression decides which calls the policy is asked about.
func (m *Memory) Write(w io.Writer) error {
	m.mu.Lock()
	records := make([]record, 0, len(m.known))
	for at := m.order.Back(); at != nil; at = at.Prev() {
		known := at.Value.(*memo)
		records = append(records, record{known.key, known.verdict})
	}
	m.mu.Unlock()
	body, err := json.Marshal(records, json.FormatNilSliceAsNull(true))
	if err != nil {
		return fmt.Errorf("write the verdicts on policies: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%s\n%s\n%s\n%s", fileKind, environment, ext.Sum(body), body); err != nil {
		return fmt.Errorf("write the verdicts on policies: %w", err)
	}
	return nil
}

// Read adds what Write wrote and reports how many verdicts that were. What another
// build wrote, what was changed since, what cannot be read and what is odd in any
// way counts as nothing: the expressions are then examined again.
func (m *Memory) Read(r io.Reader) int {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil || len(data) > maxFile {
		return 0
	}
	head, body := fmt.Appendf(nil, "%s\n%s\n", fileKind, environment), data
	body, ok := bytes.CutPrefix(body, head)
	if !ok {
		return 0
	}
	sum, body, ok := bytes.Cut(body, []byte("\n"))
	if !ok || string(sum) != ext.Sum(body).String() {
		return 0
	}
	var records []record
	if json.Unmarshal(body, &records, json.RejectUnknownMembers(true)) != nil {
		return 0
	}
	for i := range records {
		if !records[i].Verdict.sound() {
			return 0
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range records {
		m.put(&memo{key: records[i].Key, verdict: records[i].Verdict})
	}
	return len(records)
}

// sound reports whether a verdict is one that could have been written.
func (v *verdict) sound() bool {
	for i := range v.Faults {
		if f := &v.Faults[i]; f.check() == nil || f.Message == "" || f.Line < 0 || f.Line > maxExpression {
			return false
		}
	}
	for _, ps := range v.Facts.Demands {
		for _, p := range ps {
			if p.Form < exact || p.Form > glob {
				return false
			}
		}
	}
	return len(v.Faults) <= maxFaults && v.Facts.Cost <= maxCost
}
