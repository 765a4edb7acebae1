package audit

import (
	"bytes"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
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
	return func(yield func(Entry, error) bool) {
		names, err := segments(dir)
		if err != nil {
			yield(Entry{}, fmt.Errorf("read the audit log: %w", err))
			return
		}
		r := merge{matcher: q.matcher()}
		defer r.close()
		for _, n := range names {
			run, err := r.run(dir, n)
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
}

// run is a segment that is read in one direction. Its times are in order.
type run struct {
	segmentName
	path   string
	size   int64
	key    string // the time of entry, or before it is opened the first that can come
	file   *os.File
	lines  interface{ next() ([]byte, error) }
	entry  Entry
	err    error // beside the entry
	opened bool
}

// run looks at the two ends of a segment. Nil if nothing in it is asked for. A
// segment without a header was made and not begun.
func (r *merge) run(dir string, n segmentName) (*run, error) {
	path := filepath.Join(dir, n.String())
	f, info, err := openRegular(path)
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
	if last < r.since || r.until != "" && begun >= r.until {
		return nil, nil
	}
	out := &run{segmentName: n, path: path, size: info.Size(), key: last}
	if r.q.OldestFirst {
		out.key = begun
	}
	return out, nil
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
		if r.advance(first) {
			heap.Fix(r, 0)
		} else {
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
		case errors.Is(err, errLong):
			return s.fail(err)
		case errors.Is(err, io.EOF):
			s.close()
			return false
		case err != nil:
			s.close()
			return s.fail(err)
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
	if oldestFirst {
		s.lines = newForward(f, s.size)
	} else {
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

// Export writes what q asks for to w, each record on a line, byte by byte as it
// stands in the log. It goes on where something cannot be read, and the error says
// of the first how it was, and how many there were.
func Export(dir string, q Query, w io.Writer) error {
	var first error
	faults := 0
	for e, err := range Read(dir, q) {
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
