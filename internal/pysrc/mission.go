package pysrc

import (
	"context"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// Entry is the name of the function that a mission is made by.
const Entry = "mission_entry"

// Mission is what reading tells of the mission of a file. Exactly one of Value, Reason and
// Fault is set.
type Mission struct {
	// Value is the dictionary that the factory returns: keys in order, each with its line.
	// Tuples are lists. A key that stands twice is there once, with the last value.
	Value *ext.Doc
	// Line is where the factory is defined; 0 when there is none.
	Line int
	// Reason says why there is no value, and ReasonLine where; Missing that the file has
	// no factory at all, Wrong that whatever it returns would be refused (a coroutine, an
	// instance, something that is no dictionary).
	Reason         string
	ReasonLine     int
	Missing, Wrong bool
	Fault          *syntax.Fault
	Notes          []Step
}

// ReadMission finds the mission of a file: the function mission_entry that the module is
// left with, whose body is one return of a literal dictionary, after a docstring or none.
// The error is that of ctx.
func ReadMission(ctx context.Context, f File) (*Mission, error) { panic("not yet") }
