package mcp

import "time"

// Bounds of what a server may have written to its log, in tokens: one for each
// line and one for each KiB of it.
const (
	flowRate  = 300  // a second
	flowBurst = 2000 // at once, such as a long trace before an end
)

// flow says which of a server's lines are written. Once it has shut it stays
// so for about a second, so that a flood leaves some lines in a row and one
// count instead of a count between any two.
type flow struct {
	begun  bool
	tokens float64
	at     time.Time // of which tokens is true
	shut   bool
	left   int // lines that were left out and not told of yet
}

// take reports whether a line of so many bytes may be written now.
func (f *flow) take(now time.Time, size int) bool {
	if !f.begun {
		f.begun, f.tokens, f.at = true, flowBurst, now
	}
	f.tokens = min(flowBurst, f.tokens+now.Sub(f.at).Seconds()*flowRate)
	f.at = now
	f.shut = f.tokens < 1 || f.shut && f.tokens < flowRate
	if f.shut {
		f.left++
		return false
	}
	f.tokens -= float64(1 + size>>10)
	return true
}

// told is the number of lines left out since it was asked last.
func (f *flow) told() int {
	n := f.left
	f.left = 0
	return n
}
