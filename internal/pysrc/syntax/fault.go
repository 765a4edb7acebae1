package syntax

import "fmt"

// MaxSize is how many bytes a file may have; MaxDepth how deep its tree may be.
const (
	MaxSize  = 1 << 20
	MaxDepth = 2000
)

// Code says what kind of fault it is, stably.
type Code string

const (
	Size     Code = "size"     // more than MaxSize
	BOM      Code = "bom"      // a byte order mark
	NUL      Code = "nul"      // a NUL byte
	Encoding Code = "encoding" // not UTF-8
	Syntax   Code = "syntax"   // not Python
	Depth    Code = "depth"    // nested too deeply, here or for Python
	Effort   Code = "effort"   // more parser steps, or memory, than a file of its size may take
)

// Fault is why a file is not read. It is plain data, and no error: the file was looked at,
// and that is the answer.
type Fault struct {
	Code   Code
	Line   int // 1-based; where it shows, which may be after where it is
	Reason string
}

// String is the reason with the line.
func (f *Fault) String() string { return fmt.Sprintf("line %d: %s", f.Line, f.Reason) }
