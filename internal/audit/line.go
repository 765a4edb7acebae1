package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// mark is a place in a chain: behind a line.
type mark struct {
	seq  uint64 // of the last record up to there
	size int64  // of its segment up to there
	hash [sha256.Size]byte
}

// after is the mark behind a line, with its line feed, that stands at m. Headers
// have no number of their own.
func (m mark) after(line []byte, record bool) mark {
	n := mark{m.seq, m.size + int64(len(line)), sha256.Sum256(bytes.TrimSuffix(line, []byte("\n")))}
	if record {
		n.seq++
	}
	return n
}

func (m mark) hex() string { return hex.EncodeToString(m.hash[:]) }

// timeLayout has one width: times compare as text.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

// appendFront appends what every record begins with, up to the kind.
func appendFront(b []byte, at mark, now time.Time) []byte {
	b = strconv.AppendUint(append(b, `{"seq":`...), at.seq+1, 10)
	b = hex.AppendEncode(append(b, `,"prev":"`...), at.hash[:])
	b = now.AppendFormat(append(b, `","time":"`...), timeLayout)
	return append(b, `",`...)
}

// front is what every record begins with, read without decoding the rest.
type front struct {
	seq              uint64
	prev, time, kind []byte
}

var errFront = errors.New("it is not a record")

// parseFront reads what appendFront wrote, and the kind, and nothing else.
func parseFront(line []byte) (f front, err error) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"seq":`))
	digits := 0
	for digits < len(rest) && digits < 20 && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	if !ok || digits == 0 || rest[0] == '0' {
		return f, errFront
	}
	if f.seq, err = strconv.ParseUint(string(rest[:digits]), 10, 64); err != nil {
		return f, errFront
	}
	rest = rest[digits:]
	for _, p := range []struct {
		before string
		width  int // 0: up to the quote
		into   *[]byte
	}{{`,"prev":"`, 2 * sha256.Size, &f.prev}, {`","time":"`, len(timeLayout), &f.time}, {`","kind":"`, 0, &f.kind}} {
		if rest, ok = bytes.CutPrefix(rest, []byte(p.before)); !ok {
			return f, errFront
		}
		width := p.width
		if width == 0 {
			width = bytes.IndexByte(rest, '"')
		}
		if width < 0 || len(rest) <= width {
			return f, errFront
		}
		*p.into, rest = rest[:width], rest[width:]
	}
	return f, nil
}

// follows says why a record cannot stand at m, "" if it can.
func (f front) follows(m mark) string {
	switch {
	case f.seq != m.seq+1:
		return fmt.Sprintf("its number is %d and should be %d: lines are missing, added or in another order", f.seq, m.seq+1)
	case string(f.prev) != m.hex():
		return "it does not name the line before, which was changed, or another one"
	}
	return ""
}

// header is the first line of a segment.
type header struct {
	Mortise string `json:"mortise"` // the format
	Chain   string `json:"chain"`
	Segment int    `json:"segment"`
	Seq     uint64 `json:"seq"`  // of the record that follows
	Prev    string `json:"prev"` // hash of the last line of the segment before; "" in the first
	Time    string `json:"time"`
	Pid     int    `json:"pid"`
	After   *after `json:"after,omitempty"`
}

// after says that the segment before was given up, and how far it can be trusted.
type after struct {
	Seq  uint64 `json:"seq"`  // the last record that is surely there
	Size int64  `json:"size"` // up to and with that one; 0 when nothing is sure
	Hash string `json:"hash"` // of its line
	Why  string `json:"why"`
}

const (
	format       = "audit/1"
	headerPrefix = `{"mortise":"`
)

func (h header) line() ([]byte, error) {
	b, err := ext.EncodeJSON(h)
	return append(b, '\n'), err
}

func isHeader(line []byte) bool { return bytes.HasPrefix(line, []byte(headerPrefix)) }

// parseHeader reads what line wrote, for the segment n.
func parseHeader(line []byte, n segmentName) (h header, err error) {
	if err := json.Unmarshal(line, &h); err != nil || !isHeader(line) {
		return h, errors.New("it does not begin with a header")
	}
	again, err := h.line()
	switch {
	case h.Mortise != format:
		return h, fmt.Errorf("its format is %s, and this program reads %s", ext.Quote(cut(h.Mortise, keyMax)), format)
	case err != nil || !bytes.Equal(bytes.TrimSuffix(again, []byte("\n")), line):
		return h, errors.New("its header is not as it was written")
	case h.Chain != n.chain || h.Segment != n.number:
		return h, errors.New("its header is that of another segment")
	case h.Seq == 0:
		return h, errors.New("its header has no number")
	}
	return h, nil
}

// mark is the place behind the header.
func (h header) mark(line []byte) mark { return mark{seq: h.Seq - 1}.after(line, false) }

// parseEntry reads a record whole.
func parseEntry(line []byte, file string) (e Entry, err error) {
	if _, err := parseFront(line); err != nil {
		return e, err
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("it is not JSON: %s", ext.Escape(err.Error()))
	}
	e.File, e.Line = file, line
	return e, nil
}
