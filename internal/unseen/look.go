package unseen

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// sighting is what was seen of one kind in a text.
type sighting struct {
	at      int // byte of the first
	n       int
	kinds   []rune // the first few different ones
	further bool   // there are more different ones
}

type sightings struct{ refused, doubtful sighting }

// hiddenOf is what does not show in a text, whatever the rest is.
func hiddenOf(s string) string {
	return strings.Map(func(r rune) rune {
		if find(r) < 0 {
			return -1
		}
		return r
	}, s)
}

// fewKinds is how many different characters a finding names.
const fewKinds = 5

func (s *sighting) note(r rune) {
	switch {
	case slices.Contains(s.kinds, r):
	case len(s.kinds) == fewKinds:
		s.further = true
	default:
		s.kinds = append(s.kinds, r)
	}
}

func (s *sighting) see(at int, r rune) {
	if s.n == 0 {
		s.at = at
	}
	s.n++
	s.note(r)
}

// lookAt finds what does not show in a text. Its work is bounded by the length
// of the text, most of which it passes several bytes at a time.
func lookAt(s string) (seen sightings) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < utf8.RuneSelf {
			i = pastASCII(s, i) - 1
			continue
		}
		if begins[c] == nil || !maybe(begins[c], s[i+1:]) {
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch judge(s, i, r, n) {
		case refused:
			seen.refused.see(i, r)
		case doubtful:
			seen.doubtful.see(i, r)
		}
		i += n - 1
	}
	return seen
}

// further are the second and third bytes of the characters in question that
// begin with one byte, each less its two highest bits: for each second a bit for
// each third, and every bit where there is no third.
type further [64]uint64

// maybe reports whether what follows the first byte of a character may make one
// that is in question.
func maybe(f *further, s string) bool {
	switch len(s) {
	case 0:
		return false
	case 1:
		return f[s[0]&0x3F] != 0
	}
	return f[s[0]&0x3F]&(1<<(s[1]&0x3F)) != 0
}

// begins holds what follows, by the first byte of a character; nil for those
// that begin none in question.
var begins = func() (t [256]*further) {
	for _, q := range inQuestion {
		for r := q.first; r <= q.last; r++ {
			var b [utf8.UTFMax]byte
			bits := ^uint64(0)
			if utf8.EncodeRune(b[:], r) > 2 {
				bits = 1 << (b[2] & 0x3F)
			}
			if t[b[0]] == nil {
				t[b[0]] = new(further)
			}
			t[b[0]][b[1]&0x3F] |= bits
		}
	}
	return t
}()

// pastASCII is the first byte of s from i on that is none of ASCII.
func pastASCII(s string, i int) int {
	const high = 0x8080808080808080
	rest := s[i:]
	for len(rest) >= 32 && (eight(rest)|eight(rest[8:])|eight(rest[16:])|eight(rest[24:]))&high == 0 {
		rest = rest[32:]
	}
	for len(rest) >= 8 && eight(rest)&high == 0 {
		rest = rest[8:]
	}
	for len(rest) > 0 && rest[0] < utf8.RuneSelf {
		rest = rest[1:]
	}
	return len(s) - len(rest)
}

// eight is the first eight bytes of s, which the compiler reads as one.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
