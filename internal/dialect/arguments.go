package dialect

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// arguments are the members of an input, in order.
type arguments []argument

type argument struct {
	key   string
	value jsontext.Value
}

func (a arguments) at(key string) int {
	return slices.IndexFunc(a, func(m argument) bool { return m.key == key })
}

// text reports whether there is a text under a key.
func (a arguments) text(key string) bool { return a.kind(key) == jsontext.KindString }

// string is the text under a key, and whether there is one.
func (a arguments) string(key string) (string, bool) {
	i := a.at(key)
	if i < 0 || a[i].value.Kind() != jsontext.KindString {
		return "", false
	}
	return unquoted(a[i].value), true
}

// kind is that of the value under a key; null where there is none.
func (a arguments) kind(key string) jsontext.Kind {
	if i := a.at(key); i >= 0 {
		return a[i].value.Kind()
	}
	return jsontext.KindNull
}

// put is a with a value under a key, in the place of what was there.
func (a arguments) put(key string, v jsontext.Value) arguments {
	out := slices.Clone(a)
	if i := out.at(key); i >= 0 {
		out[i].value = v
		return out
	}
	return append(out, argument{key, v})
}

// with is a with a text under a key, whatever was there.
func (a arguments) with(key, text string) arguments { return a.put(key, jsontext.Value(encode(text))) }

// without is a without a key.
func (a arguments) without(key string) arguments {
	return slices.DeleteFunc(slices.Clone(a), func(m argument) bool { return m.key == key })
}

func (a arguments) encode() json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range a {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(encode(m.key))
		out.WriteByte(':')
		out.Write(m.value)
	}
	out.WriteByte('}')
	return out.Bytes()
}

// members are those of a JSON object.
func members(input json.RawMessage) (arguments, error) {
	d := jsontext.NewDecoder(bytes.NewReader(input))
	if t, err := d.ReadToken(); err != nil || t.Kind() != jsontext.KindBeginObject {
		return nil, errNoObject
	}
	var out arguments
	for d.PeekKind() == jsontext.KindString {
		var m argument
		name, err := d.ReadToken()
		if err == nil {
			m.key = name.String()
			m.value, err = d.ReadValue()
		}
		if err != nil {
			return nil, errNoObject
		}
		m.value = m.value.Clone()
		out = append(out, m)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, errNoObject
	}
	return out, nil
}

// deep reports whether a value is nested deeper than anything that tools or hooks
// say: what looks into it would take its time.
func deep(v []byte) bool {
	const deepest = 64
	d := jsontext.NewDecoder(bytes.NewReader(v))
	for {
		if _, err := d.ReadToken(); err != nil {
			return false
		}
		if d.StackDepth() > deepest {
			return true
		}
	}
}
