package dialect

import (
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
)

// lift is what an event of Cursor's for one kind of tool says of a call: no name
// and no input, but some arguments beside all else. The first is always there.
type lift struct {
	tool string
	keys []string
}

// lifted are those events.
var lifted = map[string]lift{
	"beforeShellExecution": {"Shell", []string{"command"}}, "afterShellExecution": {"Shell", []string{"command"}},
	"beforeReadFile": {"Read", []string{"file_path"}}, "beforeTabFileRead": {"TabRead", []string{"file_path"}},
	"afterFileEdit": {"Write", []string{"file_path", "edits"}}, "afterTabFileEdit": {"TabWrite", []string{"file_path", "edits"}},
}

// place puts the arguments of an input beside all else. What the event has no place
// for is put there under its name, unless that is taken.
func (l lift) place(raw arguments, input json.RawMessage) (arguments, error) {
	in, err := members(input)
	if err != nil {
		return nil, err
	}
	for _, key := range l.keys {
		if in.at(key) < 0 {
			raw = raw.without(key)
		}
	}
	if raw.at("tool_input") >= 0 { // told besides, as other events are
		raw = raw.put("tool_input", jsontext.Value(input))
	}
	was := raw
	for _, m := range in {
		if was.at(m.key) < 0 || slices.Contains(l.keys, m.key) {
			raw = raw.put(m.key, m.value)
		}
	}
	return raw, nil
}

// read is the input that stands there.
func (l lift) read(o *object) json.RawMessage {
	in := map[string]any{}
	for _, k := range l.keys {
		if o.has(k) {
			in[k] = o.any(k)
		}
	}
	if !o.has(l.keys[0]) {
		o.fail("holds no %s", ext.Quote(l.keys[0]))
	}
	o.text(l.keys[0])
	return encode(in)
}
