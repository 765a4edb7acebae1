package config

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Said is what one layer says about a key.
type Said struct {
	Layer Layer
	// Text is the value: strings as they are, anything below a plugin's
	// settings as JSON.
	Text string
	// Origin is the file and line, or the variable as Path with the source
	// "environment". It is zero for defaults.
	Origin ext.Origin
	// Ignored says why the value does not count although no higher one does;
	// "" for the effective value and for values that are merely shadowed.
	Ignored string
}

// Value is a key with its effective value and all that was said besides.
type Value struct {
	Key string
	Said
	Shadowed []Said // highest layer first; the default is the last

	node  *node
	value any
	last  string // the last part of the key, as it is
	dir   string // relative paths start here
}

// Explain is the effective value of a key, where it comes from, and what every
// other layer said. Keys are dotted; a part that is no bare TOML key is quoted:
// plugins."acme.tools".path. ok is false for a key that nothing knows.
func (c *Config) Explain(key string) (v Value, ok bool) {
	v, ok = c.values[key]
	v.Shadowed = slices.Clone(v.Shadowed)
	return v, ok
}

// Keys are all keys that have a value, sorted.
func (c *Config) Keys() []string { return slices.Sorted(maps.Keys(c.values)) }

// spell is a value as text. It is canonical: the same value has one spelling.
func spell(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case ext.Doc:
		var b strings.Builder
		spellDoc(&b, &v)
		return b.String()
	}
	return ""
}

// spellDoc writes d as JSON with its keys sorted; numbers keep their spelling.
func spellDoc(b *strings.Builder, d *ext.Doc) {
	switch d.Kind {
	case ext.Map:
		pairs := slices.SortedFunc(slices.Values(d.Map), func(x, y ext.Pair) int { return cmp.Compare(x.Key, y.Key) })
		separated(b, "{}", len(pairs), func(i int) {
			b.WriteString(quoted(pairs[i].Key) + ":")
			spellDoc(b, &pairs[i].Value)
		})
	case ext.List:
		separated(b, "[]", len(d.List), func(i int) { spellDoc(b, &d.List[i]) })
	case ext.String:
		b.WriteString(quoted(d.Text))
	case ext.Null:
		b.WriteString("null")
	default:
		b.WriteString(d.Text)
	}
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil { // a string always has a JSON form
		return strconv.Quote(s)
	}
	return string(text)
}

func separated(b *strings.Builder, brackets string, n int, item func(int)) {
	b.WriteByte(brackets[0])
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		item(i)
	}
	b.WriteByte(brackets[1])
}
