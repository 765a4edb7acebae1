package sqlstore

import "time"

// OpenSteps opens with a schema of the test's own, and Schema is the real one.
var (
	OpenSteps = open
	Schema    = schema
)

// Remembers reports whether Revision would answer now without asking SQLite.
func (s *Store) Remembers() bool {
	k := s.known.Load()
	return k != nil && lookAtBoth(k.path, k.log) == k.seen
}

// SettledAt is whether what is at path counts as settled so long after it was
// changed.
func SettledAt(path string, since time.Duration) bool {
	l := lookAt(path)
	return l.settledAt(l.changed() + int64(since))
}

// SetClock replaces the clock that tells how old a change of a file is.
func (s *Store) SetClock(now func() int64) { s.clock = now }
