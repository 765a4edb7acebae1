package state

import (
	"context"
	"errors"

	"github.com/mortise-dev/mortise/ext"
)

// CallIndex is a Store that can remember where in the log of calls which words
// are, for who made that out of the log's files. It is beside the state: no
// Snapshot has it, and no change of it changes the revision. What is kept is not
// looked into; it is lost with the store, and can be made again.
type CallIndex interface {
	// Calls is every segment of the log that is kept, in the order of the files'
	// names. Its Blocks are those that have, for each of beginnings, a word that
	// begins so, in the order of their numbers and without their words; with no
	// beginnings the last one alone. An empty beginning is that of every word.
	Calls(ctx context.Context, beginnings []string) ([]CallSegment, error)

	// ChangeCalls makes a change, all of it or none. The error wraps ErrMoved where
	// the change does not fit to what is kept.
	ChangeCalls(ctx context.Context, c CallChange) error
}

// ErrMoved is that a change of an index was made of what is not kept any more.
var ErrMoved = errors.New("the index of calls was changed meanwhile")

// CallSegment is a file of the log of calls, as it was indexed.
type CallSegment struct {
	File    string // its name, which identifies it
	Size    int64  // in bytes
	Changed int64  // when, in nanoseconds; 0: not all of it was indexed
	End     int64  // up to where it was
	Begun   string // the time of its first line and of its last one, as they are spelled
	Last    string
	Sound   bool // it can be found by its blocks
	Blocks  []CallBlock
}

// CallBlock is a part of a segment. Its number identifies it there.
type CallBlock struct {
	Number int
	Start  int64
	End    int64
	Hash   ext.Digest
	Words  string // any bytes; a word is what stands between line feeds, behind one
}

// CallChange is a change of an index.
type CallChange struct {
	Gone []string // files that are forgotten, whether they are kept or not
	// Segment takes the place of what is kept of it, unless its File is "". Each of
	// its Blocks takes the place of the one of that number; others stay.
	Segment CallSegment
	// Anew: of the segment everything is forgotten first. Else there must be one
	// whose End is Was.
	Anew bool
	Was  int64
}
