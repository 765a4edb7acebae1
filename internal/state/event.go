package state

import (
	"fmt"
	"slices"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// Event is one line of the history of changes of the state. It holds no
// secrets: it is shown as it is.
type Event struct {
	Kind     string // what happened: "disabled", "granted", …; never ""
	Subject  string // to what
	Text     string // in words
	By       string
	At       time.Time
	Revision uint64 // the revision that the change made; 0 where it made none
}

// Query selects events. The zero Query selects all.
type Query struct {
	Kinds []string // only these; nil or empty is every kind
	Limit int      // at most this many, the newest; 0 or less is no limit
}

// Selects reports whether q asks for events like e, the limit aside.
func (q Query) Selects(e Event) bool {
	return len(q.Kinds) == 0 || slices.Contains(q.Kinds, e.Kind)
}

// TidyEvents returns a copy of events in the form in which stores keep them:
// times in UTC. An event without a kind and a time that cannot be written down
// are errors.
func TidyEvents(events []Event) ([]Event, error) {
	events = slices.Clone(events)
	for i := range events {
		e := &events[i]
		if e.Kind == "" {
			return nil, fmt.Errorf("event about %s: no kind is given", ext.Quote(e.Subject))
		}
		if err := utc(&e.At); err != nil {
			return nil, fmt.Errorf("event %s: %w", ext.Quote(e.Kind), err)
		}
	}
	return events, nil
}
