package mcp

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestEventIDs wants a stream to be taken up again after the last id, and after
// none that would be no header.
func TestEventIDs(t *testing.T) {
	for _, c := range []struct{ name, stream, want string }{
		{"the last", "id: a\ndata: 1\n\nid: b\ndata: 2\n\n", "b"},
		{"kept", "id: a\ndata: 1\n\ndata: 2\n\n", "a"},
		{"a zero byte", "id: a\ndata: 1\n\nid: b\x00\ndata: 2\n\n", "a"},
		{"at most", "id: " + strings.Repeat("x", mostID) + "\ndata: 2\n\n", strings.Repeat("x", mostID)},
		{"too long", "id: a\nid: " + strings.Repeat("x", mostID+1) + "\ndata: 2\n\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, got := newEvents(strings.NewReader(c.stream), 2*mostID), "none"
			for e, err := s.next(); err == nil; e, err = s.next() {
				got = e.id
			}
			if got != c.want {
				t.Errorf("got %.20q of %d bytes, want %.20q of %d", got, len(got), c.want, len(c.want))
			}
		})
	}
}

func TestEvents(t *testing.T) {
	for _, c := range []struct{ name, stream, want string }{
		{"one", "data: a\n\n", "a|"},
		{"no space", "data:a\n\n", "a|"},
		{"two spaces", "data:  a\n\n", " a|"},
		{"lines", "data: a\ndata\ndata: b\n\n", "a\n\nb|"},
		{"line ends", "data: a\r\n\r\ndata: b\r\rdata: c\n\r\n", "a|b|c|"},
		{"comments", ": x\n\n:\ndata: a\n:y\n\n", "a|"},
		{"unknown fields", "dat: x\nfoo\ndata: a\n\n", "a|"},
		{"unfinished", "data: a\n\ndata: b\n", "a|"},
		{"no line end", "data: a\n\ndata: b", "a|"},
		{"byte order mark", "\uFEFFdata: a\n\n", "a|"},
		{"empty data", "data\n\ndata: b\n\n", "|b|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, got := newEvents(strings.NewReader(c.stream), 100), ""
			for {
				e, err := s.next()
				if err != nil {
					if !errors.Is(err, io.EOF) {
						t.Error(err)
					}
					break
				}
				got += string(e.data) + "|"
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	s := newEvents(strings.NewReader("id: 7\nretry: 30\nevent: x\ndata: a\n\nid: \x00\nretry: -1\ndata: b\n\n"), 100)
	one, _ := s.next()
	two, _ := s.next()
	if one.id != "7" || one.named != "x" || one.retry.Milliseconds() != 30 || two.id != "7" || two.named != "" || two.retry != one.retry {
		t.Errorf("fields: got %+v and %+v", one, two)
	}
	for _, long := range []string{"data: " + strings.Repeat("x", 200), strings.Repeat("data: 0123456789\n", 20)} {
		if _, err := newEvents(strings.NewReader(long+"\n\n"), 100).next(); !errors.Is(err, errTooLong) {
			t.Errorf("%.20q…: got %v, want that it is too long", long, err)
		}
	}
}

// FuzzEvents wants any stream to be read to its end, with no event above the
// limit, and its lines' ends not to matter.
func FuzzEvents(f *testing.F) {
	f.Add("data: a\n\n: b\nid: 1\ndata: c\ndata\n\n")
	f.Add("data: a\r\r\ndata\r\n\r\n")
	f.Fuzz(func(t *testing.T, stream string) {
		all := func(stream string) (out []string) {
			s := newEvents(strings.NewReader(stream), 64)
			for {
				e, err := s.next()
				if err != nil {
					return out
				}
				if len(e.data) > 64 {
					t.Fatalf("an event of %d bytes", len(e.data))
				}
				out = append(out, string(e.data))
			}
		}
		plain := strings.ReplaceAll(strings.ReplaceAll(stream, "\r\n", "\n"), "\r", "\n")
		if got, want := all(stream), all(plain); !slices.Equal(got, want) {
			t.Fatalf("%q: got %q, with line feeds alone %q", stream, got, want)
		}
	})
}
