package audit

import "fmt"

// Report is what Verify found.
type Report struct {
	Chains   int
	Segments int
	Records  uint64
	Size     int64 // in bytes, of all segments
	// Broken is what shows that the log is not as it was written, chain by chain,
	// of each segment the first. Nothing behind such a place in its segment was
	// verified, nor counted.
	Broken []Fault
	// MissingChains and MissingSegments are known from checkpoints or from their
	// neighbours, are not there, and no signed checkpoint accounts for them.
	MissingChains   []string
	MissingSegments []string
	// Gaps are segments that are gone and accounted for by a signed checkpoint.
	Gaps []Dropped
	// Notes are what a crash, a full disk or a writer at work leaves. Nothing that
	// was acknowledged as durable is lost by it.
	Notes []Fault
	// More counts what the lists above have no room for, listMax being the most.
	More int
}

// listMax is how long each list of a Report may be.
const listMax = 1000

// Fault is a place in the log and what is to be said of it.
type Fault struct {
	File string
	Line int // from 1; 0 is the file as a whole
	What string
}

func (f Fault) String() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", f.File, f.What)
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.What)
}

// OK is whether the log is as it was written, but for what is accounted for.
func (r *Report) OK() bool {
	return len(r.Broken)+len(r.MissingChains)+len(r.MissingSegments) == 0
}

// add appends to one of r's lists while there is room.
func add[T any](r *Report, list *[]T, v T) {
	if len(*list) == listMax {
		r.More++
		return
	}
	*list = append(*list, v)
}

func (r *Report) broken(file string, line int, what string) {
	add(r, &r.Broken, Fault{file, line, what})
}

func (r *Report) note(file string, line int, what string) {
	add(r, &r.Notes, Fault{file, line, what})
}
