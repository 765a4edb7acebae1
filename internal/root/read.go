package root

import "math"

// source is an open file to be read whole.
type source interface {
	stat() (fact, error)
	// pread reads once from off; 0 bytes are the end.
	pread(p []byte, off int64) (int, error)
}

// blank is room for a file that says it is empty, as those of procfs do.
const blank = 511

// readAll reads s into one slice of the right size. It begins anew when the
// file turns out longer than it said, so that at no time more than one byte
// over the limit is held.
func readAll[S source](s S, limit int64) ([]byte, fact, error) {
	limit = min(limit, math.MaxInt32)
	for room := int64(0); ; {
		f, err := s.stat()
		if err != nil {
			return nil, f, err
		}
		if err := f.fits(File); err != nil {
			return nil, f, err
		}
		if f.size > limit {
			return nil, f, &TooLargeError{Size: f.size, Max: limit}
		}
		if room = max(room, f.size); room == 0 {
			room = blank
		}
		room = min(room, limit)
		buf := make([]byte, room+1)
		n, err := fill(s, buf)
		switch {
		case err != nil:
			return nil, f, err
		case n < len(buf):
			return buf[:n:n], f, nil
		case int64(n) > limit:
			return nil, f, &TooLargeError{Size: int64(n), Max: limit}
		}
		room *= 2
	}
}

// fill reads until buf is full, the file ends, or all but the last byte is
// there: a read that stops one byte short has found the end.
func fill[S source](s S, buf []byte) (int, error) {
	n := 0
	for n < len(buf) {
		m, err := s.pread(buf[n:], int64(n))
		if err != nil {
			return n, err
		}
		n += m
		if m == 0 || n == len(buf)-1 {
			break
		}
	}
	return n, nil
}
