package dialect

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// With is e with another input, which hooks of its own client are told as well:
// it stands in Raw where the client puts it, and all else there is as it came.
func (e *Event) With(input json.RawMessage) Event {
	out := *e
	out.Input = input
	if e.Raw == nil || !e.Moment.tooled() {
		return out
	}
	if was, err := Read(e.Client, e.Name, e.Raw); err == nil && bytes.Equal(was.Input, input) {
		return out
	}
	raw, err := members(e.Raw)
	if err == nil {
		raw, err = e.place(raw, input)
	}
	if out.Raw = nil; err == nil { // what cannot be put there is not told with the old one
		out.Raw = raw.encode()
	}
	return out
}

// place puts an input where the client of an event tells it.
func (e *Event) place(raw arguments, input json.RawMessage) (arguments, error) {
	if l, narrow := lifted[e.Name]; narrow && e.Client == Cursor {
		return l.place(raw, input)
	}
	key := "tool_input"
	switch {
	case e.Client == Antigravity:
		call := arguments{}
		if i := raw.at("toolCall"); i >= 0 {
			var err error
			if call, err = members(json.RawMessage(raw[i].value)); err != nil {
				return nil, err
			}
		}
		return raw.put("toolCall", jsontext.Value(call.put("args", jsontext.Value(input)).encode())), nil
	case e.Client == Copilot && !pascal(e.Name):
		if key = "toolArgs"; raw.kind(key) == jsontext.KindNull && raw.kind("toolInput") != jsontext.KindNull {
			key = "toolInput"
		}
	}
	if raw.kind(key) == jsontext.KindString {
		return raw.with(key, string(input)), nil
	}
	return raw.put(key, jsontext.Value(input)), nil
}
