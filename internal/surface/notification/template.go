package notification

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
)

// Bounds of templates and of what comes of them, in characters.
const (
	MaxTemplate = 8_000
	MaxPlaces   = 100
	MaxText     = 4_000
)

// Template is a text with places for values. It can do nothing but stand there:
// it knows no condition, no loop, no function and no path into a value.
type Template struct {
	Parts []Part
}

// Part is a piece of a template: text as it stands, or the place of a value.
type Part struct {
	Text string // "" for a place
	Name string // "" for text
}

// Parse reads a template. Two opening braces begin a place, two closing ones end
// it, and four opening ones stand for two.
func Parse(text string) (Template, error) {
	if n := utf8.RuneCountInString(text); n > MaxTemplate {
		return Template{}, fmt.Errorf("the template is %d characters long, at most %d are allowed", n, MaxTemplate)
	}
	var t Template
	var plainText strings.Builder
	places := 0
	for {
		before, rest, found := strings.Cut(text, "{{")
		plainText.WriteString(before)
		if !found {
			break
		}
		if after, twice := strings.CutPrefix(rest, "{{"); twice {
			plainText.WriteString("{{")
			text = after
			continue
		}
		name, after, ended := strings.Cut(rest, "}}")
		if name = strings.TrimSpace(name); !ended || !plain(name) {
			return Template{}, fmt.Errorf("a place of the template is %s, expected {{name}}", ext.Quote("{{"+ext.Shorten(rest, 40)))
		}
		if places++; places > MaxPlaces {
			return Template{}, fmt.Errorf("the template has more than %d places", MaxPlaces)
		}
		t.text(&plainText)
		t.Parts = append(t.Parts, Part{Name: name})
		text = after
	}
	t.text(&plainText)
	return t, nil
}

// text adds the text that was gathered.
func (t *Template) text(b *strings.Builder) {
	if b.Len() > 0 {
		t.Parts = append(t.Parts, Part{Text: b.String()})
		b.Reset()
	}
}

// named reports whether a byte may stand in the name of a place.
func named(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
}

// Names are the names of the places, sorted, each once.
func (t Template) Names() []string {
	var names []string
	for _, p := range t.Parts {
		if p.Name != "" {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Fill is the template with values in its places, as they are: what looks like a
// place in a value is text. missing are the places without a value, and then
// there is no text. The text has at most MaxText characters; cut says that it
// would have more, and ends in "…" then.
func (t Template) Fill(values map[string]string) (text string, missing []string, cut bool) {
	for _, name := range t.Names() {
		if _, ok := values[name]; !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return "", missing, false
	}
	var b strings.Builder
	const most = MaxText*utf8.UTFMax + 1 // bytes that cannot be too few
	for _, p := range t.Parts {
		if b.Len() > most {
			break
		}
		piece := p.Text
		if p.Name != "" {
			piece = values[p.Name]
		}
		b.WriteString(strings.ToValidUTF8(piece[:min(len(piece), most)], "\uFFFD"))
	}
	text = b.String()
	short := ext.Shorten(text, MaxText)
	return short, nil, short != text
}
