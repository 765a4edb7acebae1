package audit

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Summarize is what is kept of the arguments of a call. It keeps no part of raw.
func (l *Log) Summarize(raw json.RawMessage) Arguments {
	return summarize(raw, &l.salt, l.rawMax())
}

// rawMax is how many bytes of arguments are kept as they are.
func (l *Log) rawMax() int {
	if !l.o.Full {
		return 0
	}
	return l.o.FullSize
}

func summarize(raw []byte, s *salt, rawMax int) Arguments {
	a := Arguments{Size: len(raw)}
	switch {
	case len(raw) == 0:
		return a
	case len(raw) > argumentsMax:
		a.Type, a.Hash, a.Large = firstType(raw), hidden(s, raw), true
		return a
	case !json.Valid(raw):
		a.Type, a.Hash = "invalid", hidden(s, raw)
		return a
	}
	a.Type = firstType(raw)
	c := canon{in: raw}
	c.space()
	if a.Type == "object" {
		ms, values := c.members()
		a.Hash = hidden(s, appendObject(make([]byte, 0, len(raw)), ms, values))
		a.Keys, a.More = list(ms, values, s)
	} else {
		a.Hash = hidden(s, c.value(make([]byte, 0, len(raw))))
	}
	if len(raw) <= rawMax {
		a.Raw = oneLine(raw)
	}
	return a
}

func list(ms []member, values []byte, s *salt) (keys []Argument, more int) {
	n := min(len(ms), keysMax)
	keys = make([]Argument, 0, n)
	for _, m := range ms[:n] {
		v := values[m.from:m.to]
		k := Argument{Key: cut(m.key, keyMax), Type: firstType(v), Size: len(v), Hash: hidden(s, v)}
		if len(k.Key) != len(m.key) {
			k.Cut = len(m.key)
		}
		keys = append(keys, k)
	}
	return keys, len(ms) - n
}

// oneLine is raw without white space between its values, and as UTF-8.
func oneLine(raw []byte) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil { // it is valid
		return nil
	}
	if utf8.Valid(out.Bytes()) {
		return out.Bytes()
	}
	return bytes.ToValidUTF8(out.Bytes(), []byte("\ufffd"))
}

// firstType is the JSON type that a value's first character tells.
func firstType(raw []byte) string {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return "invalid"
	}
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return "number"
	}
	return "invalid"
}
