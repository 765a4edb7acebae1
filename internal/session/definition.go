package session

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

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

// with is a definition in which one member, a text, has another value. Nothing
// else of it is touched: all other bytes are as they came.
func with(d *ext.Doc, key, value string) json.RawMessage {
	dec := jsontext.NewDecoder(bytes.NewBuffer(d.Raw), jsontext.AllowDuplicateNames(true))
	if _, err := dec.ReadToken(); err != nil {
		return d.Raw
	}
	for dec.PeekKind() == jsontext.KindString {
		name, err := dec.ReadToken()
		if err != nil {
			break
		}
		found := name.String() == key
		old, err := dec.ReadValue()
		if err != nil {
			break
		}
		if end := dec.InputOffset(); found {
			return slices.Concat(d.Raw[:end-int64(len(old))], encoded(value), d.Raw[end:])
		}
	}
	return d.Raw
}

// encoded is a text as JSON.
func encoded(s string) []byte {
	out, err := ext.EncodeJSON(s)
	if err != nil {
		panic(err) // texts always can be written
	}
	return out
}
