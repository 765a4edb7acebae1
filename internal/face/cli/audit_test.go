package cli

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/audit"
	"github.com/mortise-dev/mortise/internal/host"
)

// Who waits for a long log at a terminal sees how far it is, and nothing of it
// stays; a short one is not worth a word. Elsewhere nothing is counted.
func TestIndexingIsTold(t *testing.T) {
	for _, c := range []struct {
		name    string
		watched bool
		steps   []int64
		want    string
	}{
		{"long", true, []int64{8 << 20, 16 << 20, 20 << 20}, "\rmortise: indexed 8 of 20 MB of the log\rmortise: indexed 16 of 20 MB of the log\rmortise: indexed 20 of 20 MB of the log\r\x1b[K"},
		{"short", true, []int64{20 << 20}, ""},
		{"nobody watches", false, []int64{8 << 20, 20 << 20}, ""},
	} {
		var errs bytes.Buffer
		call := &call{App: &App{Err: &errs, Watched: c.watched, Calls: func(_ context.Context, _ host.Place, _ audit.Query, progress func(done, total int64)) iter.Seq2[audit.Entry, error] {
			return func(yield func(audit.Entry, error) bool) {
				for _, n := range c.steps {
					if progress != nil {
						progress(n, 20<<20)
					}
				}
				yield(audit.Entry{}, nil)
			}
		}}}
		for range call.calls(t.Context(), host.Place{}, audit.Query{}) {
			if got := errs.String(); got != c.want {
				t.Errorf("%s: got %q before the first record, want %q", c.name, got, c.want)
			}
		}
	}
}

// What is wrong with a log is said with what tells more; that a person ended it is
// not.
func TestUnaudited(t *testing.T) {
	if got := unaudited(errors.New("torn")).Error(); !strings.Contains(got, "torn; mortise audit verify") {
		t.Errorf("unaudited: got %q, want what tells more", got)
	}
	if got := unaudited(context.Canceled); !errors.Is(got, context.Canceled) || got.Error() != context.Canceled.Error() {
		t.Errorf("unaudited(canceled): got %q, want it alone", got)
	}
}
