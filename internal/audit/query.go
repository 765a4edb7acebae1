package audit

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"
)

// Query says which records are wanted, and in which order. The zero value wants
// all but checkpoints, the newest first.
type Query struct {
	OldestFirst bool
	Limit       int       // how many at most; 0 is all
	Since       time.Time // those written then or later
	Until       time.Time // those written before
	Tool        string
	Session     string
	Kind        Kind
	Outcome     Outcome
	ID          string // a beginning of the decision's id
	// Checkpoints wants the log's own records too.
	Checkpoints bool
}

// matcher is a Query made ready for many lines.
type matcher struct {
	q            Query
	since, until string // "" is any time
	needles      [][]byte
}

func (q Query) matcher() *matcher {
	m := &matcher{q: q}
	if !q.Since.IsZero() {
		m.since = stamp(q.Since)
	}
	if !q.Until.IsZero() {
		m.until = stamp(q.Until)
	}
	// A field is always written alike, so most lines need not be decoded.
	for _, f := range []struct{ name, value string }{
		{"tool", q.Tool}, {"session", q.Session}, {"kind", string(q.Kind)}, {"outcome", string(q.Outcome)},
	} {
		if f.value != "" {
			m.needles = append(m.needles, appendText([]byte(`"`+f.name+`":`), cut(f.value, nameMax)))
		}
	}
	if q.ID != "" && len(q.ID) <= nameMax && utf8.ValidString(q.ID) {
		m.needles = append(m.needles, bytes.TrimSuffix(appendText([]byte(`"id":`), q.ID), []byte(`"`)))
	}
	return m
}

// within is whether a time as it stands in the log is asked for.
func (m *matcher) within(at string) bool {
	return at >= m.since && (m.until == "" || at < m.until)
}

// may is false if a line is surely not asked for.
func (m *matcher) may(line []byte, f front) bool {
	if !m.within(string(f.time)) || string(f.kind) == string(KindCheckpoint) && !m.q.Checkpoints && m.q.Kind != KindCheckpoint {
		return false
	}
	for _, n := range m.needles {
		if !bytes.Contains(line, n) {
			return false
		}
	}
	return true
}

func (m *matcher) match(e *Entry) bool {
	return (m.q.Kind == "" || e.Kind == m.q.Kind) && (m.q.Outcome == "" || e.Outcome == m.q.Outcome) &&
		strings.HasPrefix(e.ID, m.q.ID) && same(e, "tool", e.Tool, m.q.Tool) && same(e, "session", e.Session, m.q.Session)
}

// same is whether a name is the one wanted, as far as the log tells: of one that
// was altered there is the beginning and the length.
func same(e *Entry, field, kept, want string) bool {
	if want == "" {
		return true
	}
	size := len(kept)
	for _, a := range e.Altered {
		if a.Field == field {
			size = a.Size
		}
	}
	want, length := cut(want, nameMax), len(want)
	if !utf8.ValidString(want) {
		want = string(appendSafe(nil, want))
	}
	return kept == want && size == length
}

// appendSafe appends s with every byte that is not UTF-8 as U+FFFD, as appendText
// does.
func appendSafe(b []byte, s string) []byte {
	for _, r := range s {
		b = utf8.AppendRune(b, r)
	}
	return b
}
