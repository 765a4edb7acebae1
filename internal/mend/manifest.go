package mend

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
)

// dotted begins the path of a JSON manifest that a pointer leads to with ./.
func dotted(f *file, x Finding) ([]Edit, bool) {
	value := f.was.Doc.At(x.Field)
	if x.Field == "" || value == nil || value.Kind != ext.String || value.Raw == nil || "./"+value.Text != x.Want {
		return nil, false
	}
	start, ok := stringAt(f.data, x.Field)
	return []Edit{{start + 1, start + 1, "./"}}, ok
}

func dottedAt(d ext.Doc, x Finding) (ext.Doc, bool) { return set(d, x.Field, x.Want) }

// stringAt is where the string begins that a JSON pointer leads to.
func stringAt(data []byte, pointer string) (int, bool) {
	if body, marked := bytes.CutPrefix(data, []byte(mark)); marked {
		start, ok := stringAt(body, pointer)
		return len(mark) + start, ok
	}
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		before := int(dec.InputOffset())
		t, err := dec.ReadToken()
		if err != nil {
			return 0, false
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		name := kind == jsontext.KindBeginObject && n%2 == 1
		if t.Kind() == jsontext.KindString && !name && string(dec.StackPointer()) == pointer {
			return before + bytes.IndexByte(data[before:], '"'), true
		}
	}
}

// set is a document in which a JSON pointer leads to a text. ok is false where
// it leads nowhere.
func set(d ext.Doc, pointer, text string) (ext.Doc, bool) {
	if pointer == "" {
		return ext.Doc{Kind: ext.String, Text: text}, d.Scalar()
	}
	part, rest, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	if rest != "" {
		rest = "/" + rest
	}
	key := ext.PointerKey(part)
	for i := range d.Map {
		if d.Map[i].Key == key {
			value, ok := set(d.Map[i].Value, rest, text)
			d.Map = slices.Clone(d.Map)
			d.Map[i].Value = value
			return d, ok
		}
	}
	if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(d.List) {
		value, ok := set(d.List[i], rest, text)
		d.List = slices.Clone(d.List)
		d.List[i] = value
		return d, ok
	}
	return d, false
}
