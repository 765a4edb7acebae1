package session

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

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
// else of it is touched: all other bytes are as they came, and where it has that
// value already it is the very definition.
func with(d *ext.Doc, key, value string) json.RawMessage {
	if d.Raw == nil {
		return nil // it was not read from JSON
	}
	at := len("{")
	for i := range d.Map {
		p := &d.Map[i]
		at = afterName(d.Raw, at)
		end := at + len(p.Value.Raw)
		switch {
		case p.Key != key:
			at = end
		case p.Value.Kind == ext.String && p.Value.Text == value:
			return d.Raw
		default:
			return slices.Concat(d.Raw[:at], encoded(value), d.Raw[end:])
		}
	}
	return d.Raw
}

// afterName is where the next value begins in an object that was read, at a place
// before its name.
func afterName(object []byte, at int) int {
	at += bytes.IndexByte(object[at:], '"') + 1
	for ; object[at] != '"'; at++ {
		if object[at] == '\\' {
			at++
		}
	}
	at += bytes.IndexByte(object[at:], ':') + 1
	for strings.IndexByte(" \t\r\n", object[at]) >= 0 {
		at++
	}
	return at
}

// encoded is a text as JSON.
func encoded(s string) []byte {
	out, err := ext.EncodeJSON(s)
	if err != nil {
		panic(err) // texts always can be written
	}
	return out
}
