package audit

import (
	"context"
	"errors"

	"github.com/mortise-dev/mortise/ext"
)

// Index remembers in which blocks of which segments a word is. It is made of the
// segments, can be made again, and is believed in nothing that they do not say.
// Methods may be called from several goroutines and processes at once.
type Index interface {
	// Segments is what is known of each segment, in any order. Its Blocks are those
	// that have for each of beginnings a word that begins so; with no beginnings
	// the last one alone.
	Segments(ctx context.Context, beginnings []string) ([]Indexed, error)
	// Update makes a change, whole or not at all. The error wraps ErrMoved when the
	// change was made of what is not known any more.
	Update(ctx context.Context, c Change) error
}

// ErrMoved is that another one has changed an index meanwhile.
var ErrMoved = errors.New("the index of the audit log has changed meanwhile")

// Indexed is what an Index knows of a segment.
type Indexed struct {
	File    string // the segment's name
	Size    int64  // of the file when all of it was indexed; else End
	Changed int64  // when the file was changed last by then, in nanoseconds; else 0
	End     int64  // behind the last line that was indexed
	Begun   string // when, as its header says; "" if it has none
	Last    string // when the last line was written
	// Sound is that every line begins as a record does and is in the order of the
	// times. A segment that is not is read whole.
	Sound  bool
	Blocks []Block // in the order of their numbers
}

// Block is some whole lines of a segment.
type Block struct {
	Number int // from 0
	Start  int64
	End    int64
	Hash   ext.Digest // of its bytes
	// Words are those of its lines, with a line feed before each. They are bytes, and
	// not all are text. Index.Segments leaves them out.
	Words string
}

// Change is what an Index is to remember and to forget.
type Change struct {
	Gone []string // segments that are to be forgotten
	// Segment takes the place of what was known of the one of that name; a File of
	// "" is none. Of its Blocks those are given that are new or longer than they
	// were, which take the place of those of their numbers: the others stay.
	Segment Indexed
	// Anew is that everything else that was known of the segment is forgotten.
	// Otherwise its End must be what Was says.
	Anew bool
	Was  int64
}
