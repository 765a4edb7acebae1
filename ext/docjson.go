package ext

import (
	"encoding/json"
	"strings"
)

// JSON is d as JSON: its own bytes where it was read from JSON, else written anew, keys
// in their order. A number or a boolean that
// JSON spells otherwise is a string there.
func (d *Doc) JSON() json.RawMessage {
	if d == nil {
		return json.RawMessage("null")
	}
	return d.json(nil)
}

func (d *Doc) json(out []byte) []byte {
	switch {
	case d.Raw != nil:
		return append(out, d.Raw...)
	case d.Kind == Null:
		return append(out, "null"...)
	case d.Kind == List:
		out = append(out, '[')
		for i := range d.List {
			if i > 0 {
				out = append(out, ',')
			}
			out = d.List[i].json(out)
		}
		return append(out, ']')
	case d.Kind == Map:
		out = append(out, '{')
		for i := range d.Map {
			if i > 0 {
				out = append(out, ',')
			}
			out = d.Map[i].Value.json(append(spelled(out, d.Map[i].Key), ':'))
		}
		return append(out, '}')
	case d.Kind == Number && json.Valid([]byte(d.Text)):
		return append(out, d.Text...)
	case d.Kind == Bool && (strings.EqualFold(d.Text, "true") || strings.EqualFold(d.Text, "false")):
		return append(out, strings.ToLower(d.Text)...)
	}
	return spelled(out, d.Text)
}

func spelled(out []byte, text string) []byte {
	raw, err := EncodeJSON(text)
	if err != nil {
		panic(err) // texts always can be written
	}
	return append(out, raw...)
}
