package unseen

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// verdict is what there is to say of one character.
type verdict uint8

const (
	fine     verdict = iota // it shows, or writing needs it
	doubtful                // nothing needs it here
	refused                 // it hides something
)

// kind says what a character that does not show is for.
type kind uint8

const (
	blank    kind = iota // nothing that could be needed
	joins                // joins letters or emoji, or keeps them apart
	marks                // says in which direction a neutral character runs
	fills                // stands for a part of a syllable that is not there
	parts                // keeps a vowel apart from its word
	selects              // selects how the character before it looks
	supplies             // likewise, of the many ways to write an ideograph
	hides                // spells what nobody sees, or reorders what is shown
)

// inQuestion are the characters that do not show, in order.
var inQuestion = []struct {
	first, last rune
	kind        kind
	name        string // "" for those that are numbered
}{
	{0x00AD, 0x00AD, blank, "soft hyphen"},
	{0x061C, 0x061C, marks, "Arabic letter mark"},
	{0x115F, 0x115F, fills, "Hangul choseong filler"},
	{0x1160, 0x1160, fills, "Hangul jungseong filler"},
	{0x180E, 0x180E, parts, "Mongolian vowel separator"},
	{0x200B, 0x200B, blank, "zero width space"},
	{nonJoiner, nonJoiner, joins, "zero width non-joiner"},
	{joiner, joiner, joins, "zero width joiner"},
	{0x200E, 0x200E, marks, "left-to-right mark"},
	{0x200F, 0x200F, marks, "right-to-left mark"},
	{0x202A, 0x202A, hides, "left-to-right embedding"},
	{0x202B, 0x202B, hides, "right-to-left embedding"},
	{0x202C, 0x202C, hides, "pop directional formatting"},
	{0x202D, 0x202D, hides, "left-to-right override"},
	{0x202E, 0x202E, hides, "right-to-left override"},
	{0x2060, 0x2060, blank, "word joiner"},
	{0x2061, 0x2061, blank, "function application"},
	{0x2062, 0x2062, blank, "invisible times"},
	{0x2063, 0x2063, blank, "invisible separator"},
	{0x2064, 0x2064, blank, "invisible plus"},
	{0x2066, 0x2066, hides, "left-to-right isolate"},
	{0x2067, 0x2067, hides, "right-to-left isolate"},
	{0x2068, 0x2068, hides, "first strong isolate"},
	{0x2069, 0x2069, hides, "pop directional isolate"},
	{0x206A, 0x206F, blank, "a deprecated format character"},
	{0x3164, 0x3164, blank, "Hangul filler"},
	{firstSelector, lastSelector, selects, ""},
	{0xFEFF, 0xFEFF, blank, "byte order mark within text"},
	{0xFFA0, 0xFFA0, blank, "halfwidth Hangul filler"},
	{0xFFF9, 0xFFFB, blank, "an interlinear annotation character"},
	{0x1D173, 0x1D17A, blank, "a musical format character"},
	{0xE0000, 0xE00FF, hides, ""},
	{firstSupplied, lastSupplied, supplies, ""},
	{0xE01F0, 0xE0FFF, hides, "a character that is not assigned"},
}

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
	blackFlag = '\U0001F3F4'

	firstSelector, lastSelector = '\ufe00', '\ufe0f'
	firstSupplied, lastSupplied = '\U000E0100', '\U000E01EF'
)

func isTag(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }

// selector is the number of a variation selector, from 1; 0 for any other.
func selector(r rune) int {
	switch {
	case r >= firstSelector && r <= lastSelector:
		return int(r-firstSelector) + 1
	case r >= firstSupplied && r <= lastSupplied:
		return int(r-firstSupplied) + 17
	}
	return 0
}

// find is the place of a character in inQuestion, -1 for one that shows.
func find(r rune) int {
	from, to := 0, len(inQuestion)
	for from < to {
		if mid := (from + to) / 2; inQuestion[mid].last < r {
			from = mid + 1
		} else {
			to = mid
		}
	}
	if from < len(inQuestion) && inQuestion[from].first <= r {
		return from
	}
	return -1
}

// judge says what there is to say of the character r at s[at:], n bytes long.
func judge(s string, at int, r rune, n int) verdict {
	i := find(r)
	if i < 0 {
		return fine
	}
	k := inQuestion[i].kind
	switch k {
	case hides:
		return refused
	case selects, supplies:
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		switch {
		case selector(before) > 0 || k == supplies && !unicode.Is(unicode.Han, before):
			return refused // nothing takes it: it can only carry something
		case k == selects && !selectable(before):
			return doubtful
		}
		return fine
	}
	if needed(s, at, r, n, k) {
		return fine
	}
	return doubtful
}

// needed reports whether writing needs the character r of kind k at s[at:], n
// bytes long.
func needed(s string, at int, r rune, n int, k kind) bool {
	switch k {
	case joins:
		return joining(s, at, r, n)
	case marks:
		return amongRightToLeft(s, at, n)
	case fills: // of a syllable that is spelled by its parts
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[at+n:])
		return r == 0x115F && after > 0x1160 && after <= 0x11A7 || r == 0x1160 && before >= 0x1100 && before < 0x115F
	case parts:
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		return unicode.Is(unicode.Mongolian, before)
	}
	return false
}

// joining reports whether a joiner or non-joiner is one that writing needs:
// after a letter or a digit of a script that joins letters, and for a joiner between two
// emoji.
func joining(s string, at int, r rune, n int) bool {
	before := base(s[:at])
	if before == tatweel || (unicode.IsLetter(before) || unicode.IsMark(before) || unicode.IsNumber(before)) && unicode.In(before, joined...) {
		return true
	}
	after, _ := utf8.DecodeRuneInString(s[at+n:])
	return r == joiner && emoji(before) && emoji(after)
}

// amongRightToLeft reports whether a mark of direction is one that writing
// needs: alone, and near a letter that is written from right to left.
func amongRightToLeft(s string, at, n int) bool {
	const near = 64 // bytes
	before, after := s[max(0, at-near):at], s[at+n:min(len(s), at+n+near)]
	for _, other := range []string{"\u200e", "\u200f", "\u061c"} {
		if strings.HasSuffix(before, other) || strings.HasPrefix(after, other) {
			return false
		}
	}
	fromRight := func(r rune) bool { return unicode.IsLetter(r) && unicode.In(r, rightToLeft...) }
	return strings.ContainsFunc(before, fromRight) || strings.ContainsFunc(after, fromRight)
}

// selectable reports whether there is a character whose look a selector may
// select: a sign, a number, an ideograph or a letter of the few scripts that have
// such letters.
func selectable(r rune) bool {
	switch {
	case unicode.IsLetter(r):
		return unicode.In(r, selected...)
	case r == utf8.RuneError:
		return false
	}
	return unicode.IsSymbol(r) || unicode.IsPunct(r) || unicode.IsNumber(r)
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

// joined are the scripts in which a joiner or a non-joiner changes how a word
// is written: those like Arabic, and those of the Indic family.
var joined = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mandaic, unicode.Nko, unicode.Adlam, unicode.Hanifi_Rohingya,
	unicode.Manichaean, unicode.Psalter_Pahlavi, unicode.Mongolian, unicode.Phags_Pa,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
	unicode.Tibetan, unicode.Balinese, unicode.Javanese, unicode.Sundanese, unicode.Tai_Tham, unicode.Limbu,
	unicode.Lepcha, unicode.Meetei_Mayek, unicode.Chakma, unicode.Newa, unicode.Tirhuta, unicode.Sharada,
	unicode.Grantha, unicode.Kaithi, unicode.Saurashtra, unicode.Brahmi,
}

// rightToLeft are the scripts in use that are written from right to left.
var rightToLeft = []*unicode.RangeTable{
	unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam, unicode.Samaritan,
	unicode.Mandaic, unicode.Hanifi_Rohingya,
}

// selected are the scripts whose letters have looks that a selector selects, and
// Common for the letters that are signs.
var selected = []*unicode.RangeTable{
	unicode.Common, unicode.Han, unicode.Myanmar, unicode.Phags_Pa, unicode.Manichaean, unicode.Mongolian, unicode.Egyptian_Hieroglyphs,
}
