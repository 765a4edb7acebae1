package session

import (
	"bytes"
	"encoding/json"

	"github.com/mortise-dev/mortise/ext"
)

// member is one member of a JSON object, its value as it is written. One
// without a value is left out.
type member struct {
	key   string
	value []byte
}

func text(key, value string) member {
	if value == "" {
		return member{}
	}
	return member{key, encoded(value)}
}

func node(key string, value *ext.Doc) member {
	if value == nil {
		return member{}
	}
	return member{key, value.Raw}
}

// object is a JSON object of members.
func object(members ...member) json.RawMessage {
	out := []byte{'{'}
	for _, m := range members {
		if m.value == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, encoded(m.key)...), ':'), m.value...)
	}
	return append(out, '}')
}

// with is a definition in which one member has another value. The others are,
// byte for byte, as they came.
func with(d *ext.Doc, key, value string) json.RawMessage {
	members := make([]member, len(d.Map))
	for i := range d.Map {
		p := &d.Map[i]
		members[i] = member{p.Key, p.Value.Raw}
		if p.Key == key {
			members[i].value = encoded(value)
		}
	}
	return object(members...)
}

// encoded is v, a text or a list of texts, as JSON.
func encoded(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // texts always can be written
	}
	return bytes.TrimSpace(out.Bytes())
}
