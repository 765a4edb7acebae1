package discover

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
)

// sighting is what was seen of one kind in a text.
type sighting struct {
	at      int // byte of the first
	n       int
	kinds   []rune // the first few different ones
	further bool   // there are more different ones
}

type sightings struct{ refused, doubtful sighting }

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
		switch c := s[i]; {
		case c < utf8.RuneSelf:
			i = pastASCII(s, i) - 1
			continue
		case c != 0xE2 && c != 0xF3 && c != 0xC2 && c != 0xEF: // how the characters in question begin
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case isTag(r) || isDirection(r):
			seen.refused.see(i, r)
		case isZeroWidth(r) && !needed(s, i, r, n):
			seen.doubtful.see(i, r)
		}
		i += n - 1
	}
	return seen
}

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

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
	blackFlag = '\U0001F3F4'
)

func isTag(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }

func isDirection(r rune) bool { return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 }

func isZeroWidth(r rune) bool {
	return r >= 0x200B && r <= joiner || r == 0x2060 || r == 0xFEFF || r == 0x00AD
}

// needed reports whether the joiner or non-joiner r at s[at:], n bytes long, is
// one that writing needs: after a letter of a script that joins letters, and
// for a joiner between two emoji.
func needed(s string, at int, r rune, n int) bool {
	if r != joiner && r != nonJoiner {
		return false
	}
	before := base(s[:at])
	if before == tatweel || (unicode.IsLetter(before) || unicode.IsMark(before)) && unicode.In(before, joining...) {
		return true
	}
	after, _ := utf8.DecodeRuneInString(s[at+n:])
	return r == joiner && emoji(before) && emoji(after)
}

// tatweel lengthens a word of any script that is written as Arabic is.
const tatweel = '\u0640'

// base is the last character of s that is no mark of any script, such as a
// vowel sign or what makes an emoji of a symbol.
func base(s string) rune {
	for s != "" {
		r, n := utf8.DecodeLastRuneInString(s)
		if !unicode.Is(unicode.Mn, r) || !unicode.Is(unicode.Inherited, r) {
			return r
		}
		s = s[:len(s)-n]
	}
	return utf8.RuneError
}

func emoji(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2100 && r <= 0x2BFF && unicode.IsSymbol(r)
}

// joining are the scripts in which a joiner or a non-joiner changes how a word
// is written: those like Arabic, and those of the Indic family.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mandaic, unicode.Nko, unicode.Adlam, unicode.Hanifi_Rohingya,
	unicode.Manichaean, unicode.Psalter_Pahlavi, unicode.Mongolian, unicode.Phags_Pa,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
	unicode.Tibetan, unicode.Balinese, unicode.Javanese, unicode.Sundanese, unicode.Tai_Tham, unicode.Limbu,
	unicode.Lepcha, unicode.Meetei_Mayek, unicode.Chakma, unicode.Newa, unicode.Tirhuta, unicode.Sharada,
	unicode.Grantha, unicode.Kaithi, unicode.Saurashtra, unicode.Brahmi,
}

// describe says what the character at s[at:] is. Of tags it says what they
// spell, for that is what an agent reads.
func describe(s string, at int) string {
	r, _ := utf8.DecodeRuneInString(s[at:])
	if !isTag(r) {
		return fmt.Sprintf("%U, %s", r, names[r])
	}
	what := fmt.Sprintf("%U, a tag character", r)
	if text := spelled(s[at:]); text != "" {
		what += " of those that spell " + ext.Quote(text)
	}
	if before, _ := utf8.DecodeLastRuneInString(s[:at]); before == blackFlag {
		what += " after the emoji of a flag, as the flags of regions are written"
	}
	return what
}

// spelled is the beginning of what the tags at the beginning of s spell.
func spelled(s string) string {
	const most = 100
	var b strings.Builder
	for _, r := range s {
		if !isTag(r) || b.Len() == most {
			break
		}
		if c := byte(r); c >= ' ' && c < 0x7F {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// names of the characters that do not show.
var names = map[rune]string{
	0x00AD: "soft hyphen", 0x200B: "zero width space", nonJoiner: "zero width non-joiner", joiner: "zero width joiner",
	0x2060: "word joiner", 0xFEFF: "byte order mark within text",
	0x202A: "left-to-right embedding", 0x202B: "right-to-left embedding", 0x202C: "pop directional formatting",
	0x202D: "left-to-right override", 0x202E: "right-to-left override",
	0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate", 0x2068: "first strong isolate", 0x2069: "pop directional isolate",
}
