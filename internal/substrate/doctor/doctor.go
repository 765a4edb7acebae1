// Package doctor says whether all is well, and tries what is claimed of isolation. It is
// given checks and claims as values and makes them, each alone: one that fails, panics, is
// late or says too much costs its own row and nothing else.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/check"
)

// Row is one row of the table. Its texts may be foreign: who shows them escapes them.
type Row struct {
	Status check.Status
	Name   string
	From   ext.Name // the extension that it is of; "" for Mortise's own
	At     string   // file and line that it is about, or where its check is declared; "" for none
	Detail string
	Fix    string // what to do, in words; "" where nothing is wrong or nothing is known
	Mend   *Fix   // what does it without asking anything; nil: nothing is known to
}

// wrong reports whether there is something to mend.
func (r *Row) wrong() bool { return r.Status == check.Fail || r.Status == check.Warn }

// Failed reports whether one of the rows is a failure.
func Failed(rows []Row) bool {
	for i := range rows {
		if rows[i].Status == check.Fail {
			return true
		}
	}
	return false
}

// Check is one thing to look at.
type Check struct {
	Name  string // what is looked at, and the name of the row that says that it could not be
	From  ext.Name
	At    string
	Limit time.Duration // 0 is ten seconds
	// Beside: it may be made at the same time as others of which that is true.
	Beside bool
	// Do looks, and says what it finds, row by row. A row without From is of the check's
	// own. An error becomes a row. What it says after its time is heard by nobody.
	Do func(ctx context.Context, say func(Row)) error
}

const (
	usualLimit = 10 * time.Second
	mostRows   = 200  // of one check
	mostName   = 120  // characters
	mostDetail = 1000 // characters
)

// Options are how checks are made.
type Options struct {
	// Begun is told the name of each check before it is made. Nil: nobody is.
	Begun func(name string)
	// Clean takes out of a text what may not be shown. Nil: nothing.
	Clean func(string) string
}

func (o *Options) begun(name string) {
	if o.Begun != nil {
		o.Begun(name)
	}
}

func (o *Options) clean(text string) string {
	if o.Clean != nil {
		return o.Clean(text)
	}
	return text
}

// mostAtOnce is how many checks are made at once that may be.
const mostAtOnce = 4

// Run makes checks one after the other, but those that may be made beside each other and
// stand together, and is the table, in the order of the checks. It ends early when ctx does.
func Run(ctx context.Context, checks []Check, o Options) []Row {
	t := table{clean: o.clean}
	for len(checks) > 0 && ctx.Err() == nil {
		n := 1
		for checks[0].Beside && n < len(checks) && checks[n].Beside {
			n++
		}
		for _, m := range together(ctx, checks[:n], &o) {
			m.into(&t)
		}
		checks = checks[n:]
	}
	return t.end()
}

// made is what came of a check.
type made struct {
	*Check
	rows []Row
	more int // rows beyond those
	err  error
}

// together makes checks, a few at once. One that was not begun when ctx ended has no rows.
func together(ctx context.Context, checks []Check, o *Options) []made {
	out := make([]made, len(checks))
	var wg sync.WaitGroup
	turns := make(chan struct{}, mostAtOnce)
	for i := range checks {
		out[i].Check = &checks[i]
		turns <- struct{}{}
		if ctx.Err() != nil {
			<-turns
			continue
		}
		o.begun(checks[i].Name)
		wg.Go(func() {
			defer func() { <-turns }()
			out[i].make(ctx)
		})
	}
	wg.Wait()
	return out
}

func (m *made) make(ctx context.Context) {
	var said said
	_, m.err = guarded(ctx, m.Limit, func(ctx context.Context) (struct{}, error) { return struct{}{}, m.Do(ctx, said.say) })
	m.rows, m.more = said.end()
}

func (m *made) into(t *table) {
	for _, r := range m.rows {
		if r.From == "" {
			r.From = m.From
		}
		if r.At == "" {
			r.At = m.At
		}
		t.put(r)
	}
	if m.more > 0 {
		t.put(Row{Status: check.Warn, Name: m.Name, From: m.From, At: m.At, Detail: fmt.Sprintf("it has %d rows more, which are left out", m.more)})
	}
	if m.err != nil {
		t.put(Row{Status: check.Fail, Name: m.Name, From: m.From, At: m.At, Detail: m.err.Error()})
	}
}

// said are the rows of one check, as long as somebody hears them.
type said struct {
	mu   sync.Mutex
	over bool
	rows []Row
	more int
}

func (s *said) say(r Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.over:
	case len(s.rows) == mostRows:
		s.more++
	default:
		s.rows = append(s.rows, r)
	}
}

func (s *said) end() ([]Row, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	return s.rows, s.more
}

// guarded does what may hang or panic. What is late is left to end by itself.
func guarded[T any](ctx context.Context, limit time.Duration, do func(context.Context) (T, error)) (T, error) {
	if limit <= 0 {
		limit = usualLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type outcome struct {
		out T
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- outcome{err: fmt.Errorf("the check itself failed: %v", p)}
			}
		}()
		out, err := do(ctx)
		done <- outcome{out, err}
	}()
	var none T
	select {
	case o := <-done:
		return o.out, o.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return none, &lateError{limit}
		}
		return none, ctx.Err()
	}
}

// lateError is that something took too long.
type lateError struct{ limit time.Duration }

func (e *lateError) Error() string { return fmt.Sprintf("it could not be told within %v", e.limit) }

// table are rows that take the places of those that were said to be running.
type table struct {
	clean func(string) string
	rows  []Row
}

func (t *table) put(r Row) {
	r.Name = ext.Shorten(t.clean(strings.TrimSpace(r.Name)), mostName)
	r.Detail, r.Fix = ext.Shorten(t.clean(r.Detail), mostDetail), ext.Shorten(t.clean(r.Fix), mostDetail)
	for i := range t.rows {
		was := &t.rows[i]
		if was.Status == check.Running && was.Name == r.Name && was.From == r.From {
			*was = r
			return
		}
	}
	t.rows = append(t.rows, r)
}

// end is the table. What was begun and never came to an end failed.
func (t *table) end() []Row {
	for i := range t.rows {
		if r := &t.rows[i]; r.Status == check.Running {
			r.Status, r.Detail = check.Fail, "it was begun, and nothing says what came of it"
		}
	}
	return t.rows
}
