package host

import "github.com/mortise-dev/mortise/internal/substrate/doctor"

// What doctor and verify say, for faces.
type (
	HealthRow = doctor.Row
	Fix       = doctor.Fix
	Verdict   = doctor.Verdict
)

// Health is what doctor says of a place.
type Health struct {
	Rows []HealthRow
	// Fixes mend what is not well, in the order of the rows; Unmended are the rows that
	// nothing is known to mend.
	Fixes    []Fix
	Unmended []HealthRow
	Left     int // checks that take their time, and were not made
}

// Failed reports whether one of the rows is a failure.
func (h *Health) Failed() bool { return doctor.Failed(h.Rows) }

// Examination is how a place is looked at.
type Examination struct {
	Deep bool // also with what takes its time: servers are started and contacted
	// Begun is told what is looked at next. Nil: nobody is.
	Begun func(name string)
}

// Refuted reports whether a claim is broken or unproven.
func Refuted(all []Verdict) bool { return doctor.Refuted(all) }
