package audit

import (
	"bytes"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// Read yields the records of all chains in dir that q asks for, in the order of
// their times. It reads while others write, up to where each file ended when Read
// came to it; a last line that is not whole is left out. Files are read in pieces,
// and only those that overlap in time are open at once. What cannot be read is an
// error with an Entry of which File alone is set; who goes on gets what else there
// is. Nothing is verified. A directory that is missing is an empty log.
func Read(dir string, q Query) iter.Seq2[Entry, error] {
	return read(dir, q, nil)
}

// read is Read. Of the segments that were found by an index no more is read than
// the blocks that are named.
func read(dir string, q Query, found map[string]Indexed) iter.Seq2[Entry, error] {
	return readSome(dir, q, found, math.MaxInt64)
}

// readSome is read that ends when so many bytes were read.
func readSome(dir string, q Query, found map[string]Indexed, most int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		names, err := segments(dir)
		if err != nil {
			yield(Entry{}, fmt.Errorf("read the audit log: %w", err))
			return
		}
		r := merge{matcher: q.matcher(), left: most}
		defer r.close()
		for _, n := range names {
			run, err := r.run(dir, n, found)
			if err != nil && !yield(Entry{File: n.String()}, fmt.Errorf("read audit segment %s: %w", n, err)) {
				return
			}
			if run != nil {
				r.runs = append(r.runs, run)
			}
		}
		heap.Init(&r)
		r.all(yield)
	}
}

// merge is segments that are still to be read, ordered by where each is.
type merge struct {
	*matcher
	runs []*run
	left int64 // how much may still be read
}

// run is a segment that is read in one direction. Its times are in order.
type run struct {
	segmentName
	path   string
	size   int64
	blocks []Block // nil: all of it is read
	key    string  // the time of entry, or before it is opened the first that can come
	file   *os.File
	lines  interface{ next() ([]byte, error) }
	entry  Entry
	err    error // beside the entry
	opened bool
}

// run is a segment to be read; nil if nothing in it is asked for.
func (r *merge) run(dir string, n segmentName, found map[string]Indexed) (*run, error) {
	if s, ok := found[n.String()]; ok {
		if len(s.Blocks) == 0 {
			return nil, nil
		}
		return r.begin(dir, n, s.Begun, s.Last, run{blocks: s.Blocks}), nil
	}
	return r.look(dir, n)
}

// look is run for a segment that is read whole. It looks at its two ends. A
// segment without a header was made and not begun.
func (r *merge) look(dir string, n segmentName) (*run, error) {
	f, info, err := openRegular(filepath.Join(dir, n.String()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // dropped meanwhile
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h, _, err := firstLine(f, info.Size(), n)
	if errors.Is(err, errNoHeader) {
		return nil, nil
	}
	begun, last := h.Time, ""
	if err == nil {
		var end lastEnd
		end, err = lastLine(f, info.Size(), n)
		last = end.time
	}
	if err != nil { // it is read all the same, first of all
		begun, last = "", strings.Repeat("9", len(timeLayout))
	}
	return r.begin(dir, n, begun, last, run{size: info.Size()}), nil
}

// begin is run for a segment of that time; what is read of it is in how.
func (r *merge) begin(dir string, n segmentName, begun, last string, how run) *run {
	if last < r.since || r.until != "" && begun >= r.until {
		return nil
	}
	how.segmentName, how.path, how.key = n, filepath.Join(dir, n.String()), last
	if r.q.OldestFirst {
		how.key = begun
	}
	return &how
}

func (r *merge) all(yield func(Entry, error) bool) {
	for count := 0; len(r.runs) > 0; {
		first := r.runs[0]
		if first.opened {
			if !yield(first.entry, first.err) {
				return
			}
			if first.err == nil {
				if count++; count == r.q.Limit {
					return
				}
			}
		}
		switch goesOn := r.advance(first); {
		case r.left < 0:
			return
		case goesOn:
			heap.Fix(r, 0)
		default:
			heap.Pop(r)
		}
	}
}

// advance goes to the next record of a segment that is asked for, or to the next
// error; false at its end.
func (r *merge) advance(s *run) bool {
	if err := s.open(r.q.OldestFirst); err != nil {
		s.close()
		if s.opened || errors.Is(err, fs.ErrNotExist) {
			return false
		}
		return s.fail(err)
	}
	for {
		line, err := s.lines.next()
		switch {
		case errors.Is(err, errTorn):
			continue
		case errors.Is(err, errLong), errors.Is(err, errChanged):
			return s.fail(err)
		case errors.Is(err, io.EOF):
			s.close()
			return false
		case err != nil:
			s.close()
			return s.fail(err)
		}
		if r.left -= int64(len(line)); r.left < 0 {
			return false
		}
		if isHeader(line) {
			continue
		}
		f, err := parseFront(line)
		if err != nil {
			return s.fail(err)
		}
		if r.beyond(string(f.time)) {
			s.close()
			return false
		}
		if !r.may(line, f) {
			continue
		}
		e, err := parseEntry(bytes.Clone(line), s.String())
		if err != nil {
			return s.fail(err)
		}
		if r.match(&e) {
			s.entry, s.err, s.key = e, nil, string(f.time)
			return true
		}
	}
}

// beyond is whether nothing that is asked for can come after that time.
func (r *merge) beyond(at string) bool {
	if r.q.OldestFirst {
		return r.until != "" && at >= r.until
	}
	return at < r.since
}

func (s *run) open(oldestFirst bool) error {
	if s.opened {
		if s.file == nil {
			return os.ErrClosed
		}
		return nil
	}
	f, _, err := openRegular(s.path)
	if err != nil {
		return err
	}
	s.file, s.opened = f, true
	switch {
	case s.blocks != nil:
		s.lines = &blockLines{r: f, blocks: s.blocks, oldestFirst: oldestFirst}
	case oldestFirst:
		s.lines = newForward(f, s.size)
	default:
		s.lines = newBackward(f, s.size)
	}
	return nil
}

// fail makes err the next thing to yield.
func (s *run) fail(err error) bool {
	s.opened = true
	s.entry, s.err = Entry{File: s.String()}, fmt.Errorf("read audit segment %s: %w", s, err)
	return true
}

func (s *run) close() {
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}

func (r *merge) close() {
	for _, s := range r.runs {
		s.close()
	}
}

// What merge needs to be a heap.

func (r *merge) Len() int      { return len(r.runs) }
func (r *merge) Swap(i, j int) { r.runs[i], r.runs[j] = r.runs[j], r.runs[i] }
func (r *merge) Push(x any)    { r.runs = append(r.runs, x.(*run)) }
func (r *merge) Pop() any {
	last := len(r.runs) - 1
	s := r.runs[last]
	r.runs = r.runs[:last]
	return s
}

// Less puts what is at the same time in the order of the chains, so that listings
// of one log are alike. Segments of one chain follow one another.
func (r *merge) Less(i, j int) bool {
	a, b := r.runs[i], r.runs[j]
	if !r.q.OldestFirst {
		a, b = b, a
	}
	if a.key != b.key {
		return a.key < b.key
	}
	return compareNames(a.segmentName, b.segmentName) < 0
}

// Export writes records to w, each on a line, byte by byte as it stands in the
// log. It goes on where something cannot be read, and the error says of the first
// how it was, and how many there were.
func Export(records iter.Seq2[Entry, error], w io.Writer) error {
	var first error
	faults := 0
	for e, err := range records {
		if err != nil {
			faults++
			if first == nil {
				first = err
			}
			continue
		}
		if _, err := w.Write(append(e.Line, '\n')); err != nil {
			return fmt.Errorf("export the audit log: %w", err)
		}
	}
	if faults > 0 {
		return fmt.Errorf("export the audit log: %d places cannot be read, the first: %w", faults, first)
	}
	return nil
}
