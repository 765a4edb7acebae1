package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// kind is what a message of JSON-RPC is for.
type kind uint8

const (
	request kind = iota + 1
	notification
	response
)

// span is where something lies in the bytes of a frame. The zero span is "not
// there": nothing that is looked for can begin a frame.
type span struct{ from, to int }

func (s span) there() bool { return s.to > 0 }

// frame is one message of JSON-RPC as bytes, and where in them lies what a
// connection has to know. All else is nobody's business here.
type frame struct {
	raw    []byte
	kind   kind
	method string

	id        span // of a request or a response
	params    bool
	result    span
	fault     span // of an error response: the error object
	metaToken span // params._meta.progressToken: what a request wants to be told of its progress by
	token     span // params.progressToken: of which request a notice of progress speaks
	requestID span // params.requestId: which request a notice cancels
}

func (f *frame) bytes(s span) []byte { return f.raw[s.from:s.to:s.to] }

var (
	errNoMessage = errors.New("not a message of JSON-RPC")
	errRepeated  = errors.New("a key of the message is repeated")
)

// readFrame finds the parts of one message. It keeps raw, and fails when raw
// is anything but one whole object that is a request, a notification or a
// response, or when a key that it looks at is repeated: two readers could
// then take it for two messages.
func readFrame(raw []byte) (frame, error) {
	f := frame{raw: raw}
	dec := newDecoder(raw)
	if dec.PeekKind() != jsontext.KindBeginObject {
		return f, errNoMessage
	}
	err := eachMember(dec, func(key string) error {
		switch key {
		case "id":
			return f.scalar(dec, &f.id)
		case "method":
			return f.readMethod(dec)
		case "params":
			return f.readParams(dec)
		case "result":
			return f.value(dec, &f.result)
		case "error":
			return f.value(dec, &f.fault)
		}
		return dec.SkipValue()
	})
	if err != nil {
		return f, fmt.Errorf("%w: %w", errNoMessage, err)
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return f, errNoMessage
	}
	return f, f.classify()
}

// newDecoder reads raw leniently where strictness would lose a message that
// has a clear meaning: repeated keys and half characters deep inside.
func newDecoder(raw []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// eachMember reads the object that comes next. member must read the value.
func eachMember(dec *jsontext.Decoder, member func(key string) error) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != jsontext.KindEndObject {
		key, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if err := member(key.String()); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

// value notes where the next value lies.
func (f *frame) value(dec *jsontext.Decoder, at *span) error {
	if at.there() {
		return errRepeated
	}
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	end := int(dec.InputOffset())
	*at = span{end - len(v), end}
	return nil
}

// scalar is value for what must be a string or a number; null counts as
// not there.
func (f *frame) scalar(dec *jsontext.Decoder, at *span) error {
	switch dec.PeekKind() {
	case jsontext.KindNull:
		return dec.SkipValue()
	case jsontext.KindString, jsontext.KindNumber:
		return f.value(dec, at)
	}
	return errNoMessage
}

func (f *frame) readMethod(dec *jsontext.Decoder) error {
	if f.method != "" {
		return errRepeated
	}
	t, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != jsontext.KindString || t.String() == "" {
		return errNoMessage
	}
	f.method = t.String()
	return nil
}

func (f *frame) readParams(dec *jsontext.Decoder) error {
	if f.params {
		return errRepeated
	}
	f.params = true
	if dec.PeekKind() != jsontext.KindBeginObject {
		return dec.SkipValue()
	}
	meta := false
	return eachMember(dec, func(key string) error {
		switch key {
		case "progressToken":
			return f.scalar(dec, &f.token)
		case "requestId":
			return f.scalar(dec, &f.requestID)
		case "_meta":
			if meta {
				return errRepeated
			}
			meta = true
			return f.readMeta(dec)
		}
		return dec.SkipValue()
	})
}

func (f *frame) readMeta(dec *jsontext.Decoder) error {
	if dec.PeekKind() != jsontext.KindBeginObject {
		return dec.SkipValue()
	}
	return eachMember(dec, func(key string) error {
		if key == "progressToken" {
			return f.scalar(dec, &f.metaToken)
		}
		return dec.SkipValue()
	})
}

func (f *frame) classify() error {
	switch {
	case f.method != "" && (f.result.there() || f.fault.there()):
		return errNoMessage
	case f.method != "" && f.id.there():
		f.kind = request
	case f.method != "":
		f.kind = notification
	case f.result.there() != f.fault.there():
		f.kind = response
	default:
		return errNoMessage
	}
	return nil
}

// number is the whole number that a scalar spells, in whatever way: a server
// may answer 7 with 7.0. It reports false for anything else.
func number(raw []byte) (uint64, bool) {
	if n, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 0 || f > 1<<53 || f != float64(uint64(f)) {
		return 0, false
	}
	return uint64(f), true
}

// edit is a part of a frame and what is to stand there.
type edit struct {
	at   span
	with []byte
}

// splice is a copy of raw in which the edits were made; those of parts that
// are not there do nothing.
func splice(raw []byte, edits ...edit) []byte {
	out := make([]byte, 0, len(raw)+32)
	done := 0
	for len(edits) > 0 {
		first := 0
		for i := range edits {
			if edits[i].at.from < edits[first].at.from {
				first = i
			}
		}
		if e := edits[first]; e.at.there() {
			out = append(append(out, raw[done:e.at.from]...), e.with...)
			done = e.at.to
		}
		edits = append(edits[:first:first], edits[first+1:]...)
	}
	return append(out, raw[done:]...)
}

// oneLine is raw without line ends. In JSON those can stand between tokens
// only, so a space does as well.
func oneLine(raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(raw, []byte("\n"), []byte(" ")), []byte("\r"), []byte(" "))
}

// legible is raw as UTF-8: what is none of it becomes the replacement
// character. The message around it is then still a message.
func legible(raw []byte) []byte {
	if utf8.Valid(raw) {
		return raw
	}
	return bytes.ToValidUTF8(raw, []byte("\uFFFD"))
}

// maxBatch is how many messages one batch may hold. A message in it takes more
// room than its bytes do.
const maxBatch = 10_000

// unbatch is the messages of a batch, as older servers send them, or raw alone
// when it is none.
func unbatch(raw []byte) ([][]byte, error) {
	dec := newDecoder(raw)
	if dec.PeekKind() != jsontext.KindBeginArray {
		return [][]byte{raw}, nil
	}
	items, err := elements(raw, maxBatch)
	if err == nil && len(items) == 0 {
		err = errNoMessage
	}
	return items, err
}

var errTooMany = errors.New("more than are taken in")

// elements is the exact bytes of each element of the array raw, as parts of
// it. Those beyond so many are left, which is errTooMany.
func elements(raw []byte, most int) ([][]byte, error) {
	dec := newDecoder(raw)
	if t, err := dec.ReadToken(); err != nil || t.Kind() != jsontext.KindBeginArray {
		return nil, errors.Join(errNoMessage, err)
	}
	var out [][]byte
	for dec.PeekKind() != jsontext.KindEndArray {
		if len(out) == most {
			return out, errTooMany
		}
		v, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		end := int(dec.InputOffset())
		out = append(out, raw[end-len(v):end:end])
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errNoMessage
	}
	return out, nil
}

// members is the exact bytes of the named members of the object raw; the last
// one counts where a name is repeated. Members that are null are left out.
func members(raw []byte, names ...string) (map[string][]byte, error) {
	dec := newDecoder(raw)
	if dec.PeekKind() != jsontext.KindBeginObject {
		return nil, errors.New("not an object")
	}
	out := map[string][]byte{}
	err := eachMember(dec, func(key string) error {
		v, err := dec.ReadValue()
		if err != nil {
			return err
		}
		for _, n := range names {
			if end := int(dec.InputOffset()); n == key && v.Kind() != jsontext.KindNull {
				out[key] = raw[end-len(v) : end : end]
			}
		}
		return nil
	})
	return out, err
}

// text is the string that raw spells; it reports false for anything else.
func text(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	s, err := jsontext.AppendUnquote(nil, raw)
	if err != nil && len(s) == 0 {
		return "", false
	}
	return string(s), true
}

// quoted is s as JSON.
func quoted(s string) []byte {
	out, err := jsontext.AppendQuote(nil, legible([]byte(s)))
	if err != nil {
		return []byte(`""`) // legible text can always be quoted
	}
	return out
}
