package audit

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
)

// Lines are the same from either end, wherever they meet the edges of the blocks
// that a file is read in.
func TestLines(t *testing.T) {
	for _, around := range []int{0, 1, blockSize / 2, blockSize, 2 * blockSize, 3 * blockSize} {
		for near := -10; near <= 10; near++ {
			for _, tail := range []string{"", "torn"} {
				n := max(around+near, 0)
				want := [][]byte{[]byte("first"), bytes.Repeat([]byte("x"), n), {}, bytes.Repeat([]byte("y"), n), []byte("last")}
				file := append(append(bytes.Join(want, []byte("\n")), '\n'), tail...)
				r := bytes.NewReader(file)
				got := all(t, newForward(r, r.Size()), tail != "")
				back := all(t, newBackward(r, r.Size()), tail != "")
				slices.Reverse(back)
				if !slices.EqualFunc(got, want, bytes.Equal) || !slices.EqualFunc(back, want, bytes.Equal) {
					t.Errorf("lines of %d bytes before %q: got %d forward and %d backward, want %d that are the same", n, tail, len(got), len(back), len(want))
				}
			}
		}
	}
}

func all(t *testing.T, l interface{ next() ([]byte, error) }, torn bool) (lines [][]byte) {
	t.Helper()
	told := false
	for {
		line, err := l.next()
		switch {
		case errors.Is(err, io.EOF):
			if told != torn {
				t.Errorf("a torn line was told: got %v, want %v", told, torn)
			}
			return lines
		case errors.Is(err, errTorn):
			told = true
		case err != nil:
			t.Fatal(err)
		default:
			lines = append(lines, line)
		}
	}
}
