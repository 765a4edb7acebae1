package audit

import (
	"bytes"
	"errors"
	"io"
)

// What ends in no line feed is no line: it is being written, or its writing was
// interrupted.

var (
	errTorn = errors.New("the last line is not whole")
	errLong = errors.New("a line is longer than any that is written")
)

const blockSize = 64 << 10

// forward reads the lines of a file from its beginning.
type forward struct {
	r    io.ReaderAt
	size int64  // how much of the file is read
	at   int64  // where buf begins
	buf  []byte // what was read and not given out
	end  int64  // behind the line that was given out last
}

func newForward(r io.ReaderAt, size int64) *forward { return &forward{r: r, size: size} }

// next is the next line without its line feed. At the
// end the error is io.EOF, or errTorn if something is left; with errLong the line
// was skipped.
func (l *forward) next() ([]byte, error) {
	long := false
	for from := 0; ; {
		if i := bytes.IndexByte(l.buf[from:], '\n'); i >= 0 {
			line := l.buf[:from+i]
			l.buf, l.at = l.buf[from+i+1:], l.at+int64(from+i+1)
			l.end = l.at
			if long {
				return nil, errLong
			}
			return line, nil
		}
		if len(l.buf) > lineMax {
			long = true
			l.at, l.buf = l.at+int64(len(l.buf)), l.buf[:0]
		}
		from = len(l.buf)
		n, err := l.more()
		switch {
		case err != nil:
			return nil, err
		case n == 0 && len(l.buf) == 0 && !long:
			return nil, io.EOF
		case n == 0:
			l.at, l.buf = l.size, nil
			return nil, errTorn
		}
	}
}

// more reads a block behind buf, or as much again as there is of a long line; 0
// at the end.
func (l *forward) more() (int, error) {
	want := min(max(blockSize, int64(len(l.buf))), l.size-l.at-int64(len(l.buf)))
	if want <= 0 {
		return 0, nil
	}
	grown := make([]byte, len(l.buf)+int(want))
	copy(grown, l.buf)
	n, err := l.r.ReadAt(grown[len(l.buf):], l.at+int64(len(l.buf)))
	if errors.Is(err, io.EOF) {
		err = nil
		l.size = l.at + int64(len(l.buf)+n) // it was cut meanwhile
	}
	l.buf = grown[:len(l.buf)+n]
	return n, err
}

// backward reads the lines of a file from its end.
type backward struct {
	r     io.ReaderAt
	start int64  // where buf begins
	buf   []byte // what was read and not given out; ends with a line feed, once begun
	begun bool
	end   int64 // behind the line that was given out last
}

func newBackward(r io.ReaderAt, size int64) *backward { return &backward{r: r, start: size} }

// next is the line before, without its line feed. At
// the beginning the error is io.EOF. The first call may be errTorn.
func (l *backward) next() ([]byte, error) {
	if !l.begun {
		if err := l.begin(); err != nil {
			return nil, err
		}
	}
	if len(l.buf) == 0 && l.start == 0 {
		return nil, io.EOF
	}
	long := false
	for searched := 0; ; {
		body := l.buf[:max(len(l.buf)-1, 0)] // without the line's own line feed
		if i := bytes.LastIndexByte(body[:len(body)-min(searched, len(body))], '\n'); i >= 0 || l.start == 0 {
			line := body[i+1:]
			l.end = l.start + int64(len(l.buf))
			l.buf = l.buf[:i+1]
			if long {
				return nil, errLong
			}
			return line, nil
		}
		if len(l.buf) > lineMax {
			long = true
			l.buf = l.buf[len(l.buf)-1:] // any line feed stands for the line's own
		}
		searched = max(len(l.buf)-1, 0)
		if err := l.more(); err != nil {
			return nil, err
		}
	}
}

// begin leaves out what is behind the last line feed.
func (l *backward) begin() error {
	size := l.start
	for {
		if i := bytes.LastIndexByte(l.buf, '\n'); i >= 0 || l.start == 0 {
			l.buf = l.buf[:i+1]
			break
		}
		l.buf = l.buf[:0] // of what is torn nothing is kept
		if err := l.more(); err != nil {
			return err
		}
	}
	l.begun = true
	if l.start+int64(len(l.buf)) != size {
		return errTorn
	}
	return nil
}

// more reads a block before buf, or as much again as there is of a long line.
func (l *backward) more() error {
	want := min(max(blockSize, int64(len(l.buf))), l.start)
	grown := make([]byte, want, int(want)+len(l.buf))
	n, err := l.r.ReadAt(grown, l.start-want)
	switch {
	case int64(n) == want:
	case err == nil || errors.Is(err, io.EOF):
		return errors.New("the file was cut while it was read")
	default:
		return err
	}
	l.buf = append(grown, l.buf...)
	l.start -= want
	return nil
}

// lastEnd is the end of a segment as it is found.
type lastEnd struct {
	mark
	time   string
	header bool // there are no records
}

// lastLine is the place behind the last whole line of the segment n. Nothing is
// checked.
func lastLine(r io.ReaderAt, size int64, n segmentName) (lastEnd, error) {
	l := newBackward(r, size)
	line, err := l.next()
	if errors.Is(err, errTorn) {
		line, err = l.next()
	}
	if errors.Is(err, io.EOF) {
		err = errNoLine
	}
	if err != nil {
		return lastEnd{}, err
	}
	whole := append(line[:len(line):len(line)], '\n')
	if isHeader(line) {
		h, err := parseHeader(line, n)
		return lastEnd{h.mark(whole), h.Time, true}, err
	}
	f, err := parseFront(line)
	if err != nil {
		return lastEnd{}, err
	}
	at := mark{seq: f.seq - 1, size: l.end - int64(len(whole))}
	return lastEnd{at.after(whole, true), string(f.time), false}, nil
}

// firstLine is the header of the segment n, and its line.
func firstLine(r io.ReaderAt, size int64, n segmentName) (header, []byte, error) {
	line, err := newForward(r, size).next()
	if errors.Is(err, io.EOF) || errors.Is(err, errTorn) {
		return header{}, nil, errNoHeader
	}
	if err != nil {
		return header{}, nil, err
	}
	h, err := parseHeader(line, n)
	return h, line, err
}

var errNoLine = errors.New("it has no whole line")

// errNoHeader is a segment that was made and not begun: its process ended in
// that moment, or the disk was full.
var errNoHeader = errors.New("it has no header")
