package mcp

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"sync"
	"time"
)

// event is one server-sent event, as far as it matters here.
type event struct {
	data  []byte
	named string        // "" is "message"
	id    string        // the last one seen on the stream
	retry time.Duration // asked for on the stream; 0 none
}

// mostID is how long an id may be for a stream to be taken up again after it.
const mostID = 4 << 10

// events reads a stream of server-sent events.
type events struct {
	r     *bufio.Reader
	limit int
	begun bool // a line was read
	cr    bool // the last byte was a carriage return
	id    string
	retry time.Duration
}

// readers are those of streams that ended, for the next: most streams hold one short
// event.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4096) }}

// newEvents reads a body. Close it.
func newEvents(body io.Reader, limit int) *events {
	r := readers.Get().(*bufio.Reader)
	r.Reset(body)
	return &events{r: r, limit: limit}
}

// close gives back what reading took. Nothing can be read after it.
func (s *events) close() {
	s.r.Reset(nil)
	readers.Put(s.r)
	s.r = nil
}

// next is the next event that has data. What the stream leaves unfinished at
// its end is no event. The error is io.EOF at the end.
func (s *events) next() (event, error) {
	var e event
	has := false
	size := 0
	for {
		line, err := s.line()
		if err != nil {
			return event{}, err
		}
		if len(line) == 0 {
			if has {
				e.id, e.retry = s.id, s.retry
				return e, nil
			}
			e.named = ""
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			if size += len(value) + 1; size > s.limit {
				return event{}, errTooLong
			}
			if has {
				value = append(append(e.data, '\n'), value...)
			}
			e.data, has = value, true
		case "event":
			e.named = string(value)
		case "id":
			if len(value) > mostID {
				s.id = "" // it would be sent back as a header
			} else if bytes.IndexByte(value, 0) < 0 {
				s.id = string(value)
			}
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				s.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

// line is the next line: it ends with a line feed, a carriage return, or both.
// A last line without an end is none. It does not read on to see whether a
// line feed follows a carriage return, which would wait for the next event.
func (s *events) line() ([]byte, error) {
	var all []byte
	for {
		if _, err := s.r.Peek(1); err != nil {
			return nil, err
		}
		came, _ := s.r.Peek(s.r.Buffered()) // which is there
		if s.cr {
			if s.cr = false; came[0] == '\n' {
				_, _ = s.r.Discard(1)
				continue
			}
		}
		end := bytes.IndexByte(came, '\n')
		if end < 0 {
			end = len(came)
		}
		if i := bytes.IndexByte(came[:end], '\r'); i >= 0 {
			end = i
		}
		all = append(all, came[:end]...)
		if len(all) > s.limit {
			return nil, errTooLong
		}
		if end == len(came) {
			_, _ = s.r.Discard(end)
			continue
		}
		s.cr = came[end] == '\r'
		_, _ = s.r.Discard(end + 1)
		return s.clean(all), nil
	}
}

// clean drops the byte order mark that a stream may begin with.
func (s *events) clean(line []byte) []byte {
	if !s.begun {
		s.begun = true
		return bytes.TrimPrefix(line, byteOrderMark)
	}
	return line
}
