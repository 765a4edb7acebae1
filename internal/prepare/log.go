package prepare

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

const (
	mostHead = 16 << 10
	mostTail = 48 << 10
)

// Log keeps what a step writes: the first of it and the last, however much it is.
type Log struct {
	also       io.Writer
	head, tail []byte
	left       int // bytes between head and tail
}

// NewLog keeps what is written, and passes it on to also; nil is nobody.
func NewLog(also io.Writer) *Log { return &Log{also: also} }

func (l *Log) Write(p []byte) (int, error) {
	n := len(p)
	if l.also != nil {
		l.also.Write(p) //nolint:errcheck // what is shown meanwhile is no part of the outcome
	}
	if room := min(mostHead-len(l.head), len(p)); room > 0 {
		l.head, p = append(l.head, p[:room]...), p[room:]
	}
	if more := len(p) - mostTail; more > 0 {
		l.left, p = l.left+more, p[more:]
	}
	l.tail = append(l.tail, p...)
	if more := len(l.tail) - mostTail; more > 0 {
		l.left, l.tail = l.left+more, slices.Delete(l.tail, 0, more)
	}
	return n, nil
}

// Bytes are what is kept. What was left out is said to be.
func (l *Log) Bytes() []byte {
	if l.left == 0 {
		return slices.Concat(l.head, l.tail)
	}
	return slices.Concat(l.head, fmt.Appendf(nil, "\n… %d bytes are left out …\n", l.left), l.tail)
}

// Last are the last lines of an output, without those that are empty.
func Last(output []byte, n int) (lines []string) {
	for l := range bytes.Lines(output) {
		if l = bytes.TrimSpace(l); len(l) > 0 {
			lines = append(lines, string(bytes.ToValidUTF8(l, []byte("\uFFFD"))))
		}
	}
	return lines[max(0, len(lines)-n):]
}
