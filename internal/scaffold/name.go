package scaffold

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
)

// MaxName is how many bytes a name may have.
const MaxName = 64

// rule says what names are, for messages.
const rule = "a name has small letters, digits and, between them, single - and _, and begins with a letter"

// word is what one thing of a surface is called in messages.
func word(s colony.Surface) string {
	if s == colony.Plugins {
		return "skill"
	}
	return strings.TrimSuffix(string(s), "s")
}

// checkName refuses what is no name: by the same rule on every surface, since a name is also
// one of a file, and of a class.
func checkName(s colony.Surface, name string) error {
	fail := func(format string, args ...any) error {
		return ext.AsUsage(fmt.Errorf("the name %s of a new %s %s", ext.Quote(ext.Shorten(name, 80)), word(s), fmt.Sprintf(format, args...)))
	}
	switch at := strange(name); {
	case name == "":
		return ext.AsUsage(fmt.Errorf("a new %s has no name: %s", word(s), rule))
	case len(name) > MaxName:
		return fail("has %d bytes, and may have %d; choose a shorter one", len(name), MaxName)
	case at >= 0:
		_, size := utf8.DecodeRuneInString(name[at:])
		return fail("has %s at its byte %d, which may not stand there; %s%s", ext.Quote(name[at:at+size]), at+1, rule, better(name))
	case yamlWords[name]:
		return fail("is a value to YAML, and no text; choose another")
	case devices[strings.ReplaceAll(name, "_", "-")]:
		return fail("is a device on Windows, where no file can have it; choose another")
	case s != colony.Plugins && s != colony.Profiles && pythonWords[stem(name)]:
		return fail("is a word of Python, so that no file of that name can be imported; choose another")
	}
	return nil
}

// strange is where a name has something that it may not have; -1 for nowhere.
func strange(name string) int {
	joined := true // nothing stands before, or a - or _
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9' && i > 0:
			joined = false
		case (c == '-' || c == '_') && !joined && i+1 < len(name):
			joined = true
		default:
			return i
		}
	}
	return -1
}

// better proposes a name; "" where none comes to mind.
func better(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	out := strings.Trim(b.String(), "-")
	if out == "" || strange(out) >= 0 || yamlWords[out] || pythonWords[out] {
		return ""
	}
	return "; " + out + " would be one"
}

// stem is a name as one of Python.
func stem(name string) string { return strings.ReplaceAll(name, "-", "_") }

// folded is what two names must not have in common: they would be one class, or one file
// where capitals do not count.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}

// words are the parts of a name.
func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' })
}

// capitalised is a name as one of a class: each word with a capital letter.
func capitalised(name string) string {
	var b strings.Builder
	for _, w := range words(name) {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

// checkIdentifier refuses what is no name of Python, or means something there.
func checkIdentifier(flag, name string) error {
	for i := range len(name) {
		if c := name[i]; c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9' || i == 0) {
			return ext.AsUsage(fmt.Errorf("--%s: %s is no name of Python: it has letters of ASCII, digits and _, and does not begin with a digit", flag, ext.Quote(ext.Shorten(name, 80))))
		}
	}
	switch {
	case name == "":
		return ext.AsUsage(fmt.Errorf("--%s has a name that is empty", flag))
	case len(name) > MaxName:
		return ext.AsUsage(fmt.Errorf("--%s: %s has %d bytes, and may have %d", flag, ext.Quote(ext.Shorten(name, 80)), len(name), MaxName))
	case pythonWords[name]:
		return ext.AsUsage(fmt.Errorf("--%s: %s is a word of Python; choose another", flag, ext.Quote(name)))
	case strings.HasPrefix(name, "__"):
		return ext.AsUsage(fmt.Errorf("--%s: %s begins with two underscores, as what belongs to Python does; choose another", flag, ext.Quote(name)))
	}
	return nil
}

func set(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}

var (
	yamlWords   = set("y n yes no on off true false null nan inf")
	devices     = set("con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9")
	pythonWords = set(`False None True and as assert async await break class continue def del elif else except finally for
		from global if import in is lambda nonlocal not or pass raise return try while with yield`)
)
