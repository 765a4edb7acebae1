package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
)

// object reads a JSON object strictly: no key twice at any depth, no text that is
// not Unicode, nothing after it. The first fault is kept, and told by err.
type object struct {
	keys  map[string]jsontext.Value
	fault error
}

var errNoObject = errors.New("is no JSON object")

func parse(text []byte) (*object, error) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '{' {
		return nil, errNoObject
	}
	o := &object{}
	if err := jsonv2.Unmarshal(text, &o.keys); err != nil {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return nil, errors.New("has a key twice")
		}
		return nil, errors.New("is malformed JSON")
	}
	return o, nil
}

func (o *object) fail(format string, args ...any) {
	if o.fault == nil {
		o.fault = fmt.Errorf(format, args...)
	}
}

// has reports whether a key is there and not null.
func (o *object) has(key string) bool {
	v, ok := o.keys[key]
	return ok && v.Kind() != jsontext.KindNull
}

// text is the text under a key, "" where there is none.
func (o *object) text(key string) string {
	if !o.has(key) {
		return ""
	}
	var s string
	if err := jsonv2.Unmarshal(o.keys[key], &s); err != nil {
		o.fail("has %s for %s, expected text", kindName(o.keys[key]), ext.Quote(key))
	}
	return s
}

// flag is the truth value under a key, and whether there is one.
func (o *object) flag(key string) (value, there bool) {
	if !o.has(key) {
		return false, false
	}
	if err := jsonv2.Unmarshal(o.keys[key], &value); err != nil {
		o.fail("has %s for %s, expected true or false", kindName(o.keys[key]), ext.Quote(key))
		return false, false
	}
	return value, true
}

// object is the object under a key, nil where there is none.
func (o *object) object(key string) *object {
	if !o.has(key) {
		return nil
	}
	in, err := parse(o.keys[key])
	if err != nil {
		o.fail("has %s for %s, expected an object", kindName(o.keys[key]), ext.Quote(key))
		return nil
	}
	return in
}

// raw is the object under a key as it stands there, nil where there is none.
func (o *object) raw(key string) json.RawMessage {
	if o.object(key) == nil {
		return nil
	}
	return json.RawMessage(o.keys[key])
}

// any is whatever is under a key, nil where there is nothing.
func (o *object) any(key string) json.RawMessage {
	if !o.has(key) {
		return nil
	}
	return json.RawMessage(o.keys[key])
}

// wrapped is an object under a key, or one that is written there as text.
func (o *object) wrapped(key string) json.RawMessage {
	if !o.has(key) || o.keys[key].Kind() != jsontext.KindString {
		return o.raw(key)
	}
	text := []byte(o.text(key))
	if _, err := parse(text); err != nil {
		o.fail("has text for %s that %w", ext.Quote(key), err)
		return nil
	}
	return text
}

// first is the first text of the list under a key, "" where there is none.
func (o *object) first(key string) string {
	var list []string
	if o.has(key) {
		if err := jsonv2.Unmarshal(o.keys[key], &list); err != nil {
			o.fail("has %s for %s, expected a list of texts", kindName(o.keys[key]), ext.Quote(key))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// sole is the text under whichever of several keys is there. Two that differ are
// a fault.
func (o *object) sole(keys ...string) string {
	var out string
	for _, k := range keys {
		switch s := o.text(k); {
		case s == "" || s == out:
		case out == "":
			out = s
		default:
			o.fail("has two values that differ for what %s says", ext.Quote(keys[0]))
		}
	}
	return out
}

func kindName(v jsontext.Value) string {
	switch v.Kind() {
	case jsontext.KindString:
		return "text"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "a list"
	}
	return string(v)
}

// encode is a value as JSON on one line. What we encode can always be.
func encode(v any) json.RawMessage {
	out, err := ext.EncodeJSON(v)
	if err != nil {
		panic("dialect: " + err.Error())
	}
	return out
}
