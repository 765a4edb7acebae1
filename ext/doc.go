package ext

import (
	"slices"
	"strings"
)

// Kind is the shape of a Doc.
type Kind uint8

const (
	// Null is a node without a value.
	Null Kind = iota
	// Bool is true or false.
	Bool
	// Number is a number; its spelling is kept in Text.
	Number
	// String is text.
	String
	// List is a sequence of nodes.
	List
	// Map is keys in the order of the file, each with a node.
	Map
)

var kindWords = [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}

// String is the word for k used in messages: "a string", "an object".
func (k Kind) String() string {
	if int(k) < len(kindWords) {
		return kindWords[k]
	}
	return "something unknown"
}

// Doc is one node of structured content with its position. The JSON, YAML and
// TOML readers fill it; nothing structured is passed on in any other form. A
// Doc is not changed once a reader returned it.
type Doc struct {
	Kind Kind
	// Text is the value of a scalar. A number, a boolean or a word that a
	// format would turn into another type keeps its spelling ("1.10", "yes").
	Text string
	// Raw is the node's exact bytes where the format keeps them together
	// (JSON); nil elsewhere.
	Raw  []byte
	File string // below the root of what was read
	Line int    // 1-based
	List []Doc
	Map  []Pair
}

// Pair is one key of a Map.
type Pair struct {
	Key   string
	Line  int // of the key
	Value Doc
}

// Get returns the node at key, nil when d is no map or has no such key. A nil
// d has no keys.
func (d *Doc) Get(key string) *Doc {
	if d == nil {
		return nil
	}
	for i := range d.Map {
		if d.Map[i].Key == key {
			return &d.Map[i].Value
		}
	}
	return nil
}

// Word is the text of the string at key; "" when there is none, or something
// else.
func (d *Doc) Word(key string) string {
	if v := d.Get(key); v != nil && v.Kind == String {
		return v.Text
	}
	return ""
}

// Items are the nodes of a list, else d alone; none for nil.
func (d *Doc) Items() []*Doc {
	switch {
	case d == nil:
		return nil
	case d.Kind != List:
		return []*Doc{d}
	}
	out := make([]*Doc, len(d.List))
	for i := range d.List {
		out[i] = &d.List[i]
	}
	return out
}

var escapePointer, unescapePointer = strings.NewReplacer("~", "~0", "/", "~1"), strings.NewReplacer("~1", "/", "~0", "~")

// PointerTo is the JSON pointer (RFC 6901) to a key of what a pointer leads to.
func PointerTo(pointer, key string) string { return pointer + "/" + escapePointer.Replace(key) }

// PointerKey is the key that a part of a JSON pointer, between two slashes, is.
func PointerKey(part string) string { return unescapePointer.Replace(part) }

// At follows a JSON pointer (RFC 6901) from d; "" is d itself. It is nil where
// the pointer leads nowhere. List positions are decimal.
func (d *Doc) At(pointer string) *Doc {
	if pointer == "" || d == nil {
		return d
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		part = PointerKey(part)
		switch d.Kind {
		case Map:
			d = d.Get(part)
		case List:
			d = d.index(part)
		default:
			return nil
		}
		if d == nil {
			return nil
		}
	}
	return d
}

func (d *Doc) index(s string) *Doc {
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' || n > len(d.List) {
			return nil
		}
		n = n*10 + int(c-'0')
	}
	if s == "" || n >= len(d.List) {
		return nil
	}
	return &d.List[n]
}

// Keys are the keys of a map in the order of the file; nil for anything else.
func (d *Doc) Keys() []string {
	if d == nil || d.Kind != Map {
		return nil
	}
	keys := make([]string, len(d.Map))
	for i := range d.Map {
		keys[i] = d.Map[i].Key
	}
	return keys
}

// Scalar reports whether d is a string, a number or a boolean.
func (d *Doc) Scalar() bool {
	return d != nil && (d.Kind == String || d.Kind == Number || d.Kind == Bool)
}

// With is a copy of the map d in which key has the value v. d is unchanged.
func (d Doc) With(key string, v Doc) Doc {
	d.Map = slices.Clone(d.Map)
	d.Raw = nil
	for i := range d.Map {
		if d.Map[i].Key == key {
			d.Map[i].Value = v
			return d
		}
	}
	d.Map = append(d.Map, Pair{Key: key, Line: v.Line, Value: v})
	return d
}

// Outline is d with less of the members that are named: of each of these its own
// scalars alone. All of it is in Raw, which an outline is good for only with.
func (d Doc) Outline(members ...string) Doc {
	d.Map = slices.Clone(d.Map)
	for i := range d.Map {
		if p := &d.Map[i]; slices.Contains(members, p.Key) {
			p.Value.List, p.Value.Map = nil, scalars(p.Value.Map)
		}
	}
	return d
}

func scalars(pairs []Pair) []Pair {
	n := 0
	for i := range pairs {
		if pairs[i].Value.Kind < List {
			n++
		}
	}
	out := make([]Pair, 0, n)
	for i := range pairs {
		if pairs[i].Value.Kind < List {
			out = append(out, pairs[i])
		}
	}
	return out
}

// Digest covers the node's content: kinds, keys in their order, and scalars as
// spelled. Where it lies does not count.
func (d *Doc) Digest() Digest {
	h := NewHash("doc")
	d.hash(h)
	return h.Sum()
}

func (d *Doc) hash(h *Hash) {
	h.Int(int(d.Kind)).Text(d.Text).Int(len(d.List) + len(d.Map))
	for i := range d.List {
		d.List[i].hash(h)
	}
	for i := range d.Map {
		h.Text(d.Map[i].Key)
		d.Map[i].Value.hash(h)
	}
}
