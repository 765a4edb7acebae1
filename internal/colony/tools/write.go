package tools

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
)

// With is the catalogue with an entry: in the place of the one of the same purpose and
// name, whose keys that are not known here it keeps, and those of its "extra" that e has
// not; without such a one, at the end. Other entries of the same purpose and name, which
// were refused, go. Nothing else changes, and c is as it was.
func (c *Catalogue) With(e Entry) (out *Catalogue, replaced bool) {
	next := Catalogue{Version: Version, origin: c.origin, top: c.top, Entries: slices.Clone(c.Entries), Findings: c.Findings, Refused: c.Refused}
	at := slices.IndexFunc(c.Entries, func(o Entry) bool { return o.Key() == e.Key() })
	if at < 0 {
		e.Doc, e.Line = document(e, ext.Doc{}), 0
		next.parts = append(slices.Clone(c.parts), element{doc: e.Doc, entry: len(c.Entries)})
		next.Entries = append(next.Entries, e)
		return &next, false
	}
	old := c.Entries[at]
	e.Extra = joined(old.Extra, e.Extra)
	e.Doc, e.Line = document(e, old.Doc), old.Line
	next.Entries[at] = e
	for _, p := range c.parts {
		switch {
		case p.entry == at:
			p.doc, p.raw = e.Doc, nil
		case p.entry < 0 && p.doc.Kind == ext.Map && (Key{p.doc.Word(keyPurpose), p.doc.Word(keyName)}) == e.Key():
			next.Refused = slices.DeleteFunc(slices.Clone(next.Refused), func(r Refused) bool { return r.Line == p.line })
			continue
		}
		next.parts = append(next.parts, p)
	}
	return &next, true
}

// joined is an object with the keys of another besides, which win.
func joined(was, is *ext.Doc) *ext.Doc {
	if was == nil || is == nil {
		return cmp.Or(is, was)
	}
	out := *was
	for _, p := range is.Map {
		out = out.With(p.Key, p.Value)
	}
	return &out
}

// document is an entry as it is written: with all keys that are known, and those of was
// that are not.
func document(e Entry, was ext.Doc) ext.Doc {
	d := ext.Doc{Kind: ext.Map, Map: was.Map}
	for _, p := range []struct{ key, text string }{
		{keyName, e.Name}, {keyPurpose, e.Purpose}, {keyLocation, e.Location}, {keyCapability, e.Capability}, {keyClass, e.Class},
	} {
		d = d.With(p.key, ext.Doc{Kind: ext.String, Text: p.text})
	}
	extra := ext.Doc{Kind: ext.Map}
	if e.Extra != nil {
		extra = *e.Extra
	}
	return d.With(keyExtra, extra)
}

// Encode is the catalogue as it is written: of the newest version, with sorted keys,
// indented by two blanks, and with a line end. What is no entry is kept. One that would
// be too large to be read again is an error.
func (c *Catalogue) Encode() ([]byte, error) {
	if len(c.parts) > MaxEntries {
		return nil, fmt.Errorf("a tool catalogue has at most %d entries; this would be %d", MaxEntries, len(c.parts))
	}
	top := ext.Doc{Kind: ext.Map, Map: c.top.Map}
	top = top.With("schema_version", ext.Doc{Kind: ext.Number, Text: strconv.Itoa(Version)})
	top = top.With("tools", ext.Doc{Kind: ext.List})
	var w writing
	w.members(top.Map, 0, func(key string, v *ext.Doc) {
		if key == "tools" {
			w.elements(c.parts)
			return
		}
		w.value(v, 1)
	})
	w.WriteByte('\n')
	if w.Len() > MaxBytes {
		return nil, fmt.Errorf("a tool catalogue has at most %d bytes; this would be %d", MaxBytes, w.Len())
	}
	return w.Bytes(), nil
}

// writing is JSON as it is written.
type writing struct{ bytes.Buffer }

func (w *writing) line(depth int) {
	w.WriteByte('\n')
	for range depth {
		w.WriteString("  ")
	}
}

// members writes an object at a depth, its keys sorted; value writes one of its values.
func (w *writing) members(pairs []ext.Pair, depth int, value func(key string, v *ext.Doc)) {
	if len(pairs) == 0 {
		w.WriteString("{}")
		return
	}
	pairs = slices.Clone(pairs)
	slices.SortStableFunc(pairs, func(a, b ext.Pair) int { return cmp.Compare(a.Key, b.Key) })
	w.WriteByte('{')
	for i := range pairs {
		if i > 0 {
			w.WriteByte(',')
		}
		w.line(depth + 1)
		w.text(pairs[i].Key)
		w.WriteString(": ")
		value(pairs[i].Key, &pairs[i].Value)
	}
	w.line(depth)
	w.WriteByte('}')
}

// list writes n values at a depth.
func (w *writing) list(n, depth int, value func(i int)) {
	if n == 0 {
		w.WriteString("[]")
		return
	}
	w.WriteByte('[')
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
		}
		w.line(depth + 1)
		value(i)
	}
	w.line(depth)
	w.WriteByte(']')
}

// elements writes the list of tools. What could not be read is written as it is.
func (w *writing) elements(parts []element) {
	w.list(len(parts), 1, func(i int) {
		if p := &parts[i]; p.doc.Kind != ext.Null || p.doc.Line > 0 {
			w.value(&p.doc, 2)
		} else {
			w.Write(p.raw)
		}
	})
}

func (w *writing) value(d *ext.Doc, depth int) {
	switch d.Kind {
	case ext.Map:
		w.members(d.Map, depth, func(_ string, v *ext.Doc) { w.value(v, depth+1) })
	case ext.List:
		w.list(len(d.List), depth, func(i int) { w.value(&d.List[i], depth+1) })
	case ext.String:
		w.text(d.Text)
	case ext.Null:
		w.WriteString("null")
	default:
		w.WriteString(d.Text)
	}
}

// text writes a string, with its characters as they are.
func (w *writing) text(s string) {
	quoted, err := jsontext.AppendQuote(nil, s)
	if err != nil { // bytes that are no text were replaced
		quoted, _ = jsontext.AppendQuote(nil, string([]rune(s)))
	}
	w.Write(quoted)
}
