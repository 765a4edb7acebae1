package conform

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// claudeName tells of a name that Claude Code does not take.
func claudeName(t ext.Tree) ext.Findings {
	d := t.Manifest.Get("name")
	if d == nil || d.Kind != ext.String {
		return nil
	}
	name, why := ext.Quote(d.Text), "is empty"
	switch {
	case d.Text == "":
	case strings.ContainsAny(d.Text, " \t"):
		why = "has blanks in it"
	case strings.ContainsFunc(d.Text, unprintable):
		why = "has characters in it that do not show"
	case reserved(plainLetters(d.Text)):
		why = "passes for one of Anthropic's own, as it begins with claude, anthropic or cc-plugin, or has official beside one of them"
	default:
		return nil
	}
	return ext.Findings{PluginName.At(t.Origin.At(d.File, d.Line), "the name %s %s; Claude Code then does not take the plugin", name, why).Of("name")}
}

// unprintable are the characters that Claude Code takes in no name: controls,
// and what changes the direction of writing.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || strings.ContainsRune("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", r)
}

// Names that Claude Code keeps for Anthropic's own plugins, in plain letters.
// Whatever is neither letter nor digit separates words, and may stand within one.
var (
	reservedBeginning = pattern.New("^" + apart + "(" + spaced("claude") + "|" + spaced("anthropic") + "|" + spaced("anthropics") + ")([^a-z0-9]|$)" +
		"|^" + apart + spaced("ccplugin") + "[^a-z0-9]+[a-z0-9]")
	reservedNames = []string{"claudecode", "claudemods"}
	reservedParts = []string{"officialclaude", "claudeofficial", "officialanthropic", "anthropicofficial"}
)

// apart is what may stand between the letters of a word.
const apart = "[^a-z0-9]*"

func spaced(word string) string { return strings.Join(strings.Split(word, ""), apart) }

func reserved(name string) bool {
	letters := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
	within := func(part string) bool { return strings.Contains(letters, part) }
	return reservedBeginning.MatchString(name) || slices.Contains(reservedNames, letters) || slices.ContainsFunc(reservedParts, within)
}

// plainLetters are a name in small letters of ASCII, as far as its own look like
// those.
func plainLetters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		if like, ok := lookAlikes[r]; ok {
			return like
		}
		return r
	}, strings.ToLower(norm.NFKD.String(name)))
}

// lookAlikes are letters of other alphabets that look like letters of reserved
// names: Cyrillic, Greek, Armenian, and small capitals.
var lookAlikes = func() map[rune]rune {
	all := map[rune]rune{}
	for like, letters := range map[rune]string{
		'a': "аαɑᴀ", 'c': "сᴄ", 'd': "ԁᴅ", 'e': "еᴇ", 'g': "ɡ", 'h': "һʜ", 'i': "іιıɪ", 'l': "ӏʟ", 'm': "ᴍ", 'n': "ɴ",
		'o': "оοօᴏ", 'p': "рρᴘ", 'r': "ʀ", 's': "ѕꜱ", 't': "τᴛ", 'u': "υսᴜ",
	} {
		for _, r := range letters {
			all[r] = like
		}
	}
	return all
}()
