package doc

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
)

// JSON reads one JSON value (RFC 8259, without repeated keys). Raw of every
// node is its exact bytes within data.
func JSON(o ext.Origin, data []byte) (ext.Doc, ext.Findings) {
	return new(JSONReader).Read(o, data, string(data))
}

// JSONReader reads many JSON values one after the other, for who has their bytes as
// text already. The zero value is ready; one goroutine uses it.
type JSONReader struct {
	dec   jsontext.Decoder
	pairs []ext.Pair // of the objects being read, the outer before the inner
	items []ext.Doc  // of the arrays being read, likewise
}

// Read is JSON. text is data as a string: strings without escapes are cut from it.
func (m *JSONReader) Read(o ext.Origin, data []byte, text string) (ext.Doc, ext.Findings) {
	body, found := Text(o, data)
	if found.Failed() {
		return ext.Doc{}, found
	}
	if len(bytes.TrimLeft(body, " \t\r\n")) == 0 {
		found.Add(EmptyFile.At(o.At(o.Path, 1), "the file is empty; a JSON value was expected"))
		return ext.Doc{}, found
	}
	m.dec.Reset(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true))
	m.pairs, m.items = m.pairs[:0], m.items[:0]
	r := jsonReading{JSONReader: m, data: body, text: text[len(data)-len(body):], origin: o, found: found, line: 1}
	d, ok := r.value(1)
	if ok {
		r.end()
	}
	if r.found.Failed() {
		return ext.Doc{}, r.found
	}
	return d, r.found
}

// jsonReading turns the tokens of one value into nodes. Repeated names are looked for
// here and not by the decoder, which would stop at the first.
type jsonReading struct {
	*JSONReader
	data   []byte
	text   string // data; strings without escapes are cut from it
	origin ext.Origin
	found  ext.Findings

	at, line int // data[at] is on this line; at is the end of the last token
	nodes    int // made so far
}

// value reads the next value. It reports false when reading cannot go on; the
// reason is then a finding.
func (r *jsonReading) value(depth int) (ext.Doc, bool) {
	switch r.dec.PeekKind() {
	case jsontext.KindBeginObject:
		return r.object(depth)
	case jsontext.KindBeginArray:
		return r.array(depth)
	}
	return r.scalar()
}

func (r *jsonReading) scalar() (ext.Doc, bool) {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return ext.Doc{}, r.fail(err)
	}
	start, end := r.took(len(raw))
	d := r.node(ext.Null, start, end)
	switch raw.Kind() {
	case jsontext.KindString:
		d.Kind, d.Text = ext.String, r.unquote(start, end)
	case jsontext.KindNumber:
		d.Kind, d.Text = ext.Number, r.text[start:end]
	case jsontext.KindTrue, jsontext.KindFalse:
		d.Kind, d.Text = ext.Bool, r.text[start:end]
	}
	return d, r.bounded(0)
}

func (r *jsonReading) object(depth int) (ext.Doc, bool) {
	start, ok := r.delimiter()
	if !ok {
		return ext.Doc{}, false
	}
	d := r.node(ext.Map, start, start)
	if !r.bounded(depth) {
		return ext.Doc{}, false
	}
	var seen keys
	base := len(r.pairs)
	for r.dec.PeekKind() != jsontext.KindEndObject {
		key, line, ok := r.name()
		if !ok {
			return ext.Doc{}, false
		}
		if first := seen.line(r.pairs[base:], key); first > 0 && !r.repeated(key, first, line) {
			return ext.Doc{}, false
		}
		v, ok := r.value(depth + 1)
		if !ok {
			return ext.Doc{}, false
		}
		r.pairs = append(r.pairs, ext.Pair{Key: key, Line: line, Value: v})
	}
	end, ok := r.delimiter()
	if !ok {
		return ext.Doc{}, false
	}
	d.Map = cut(&r.pairs, base)
	d.Raw = r.data[start : end+1 : end+1]
	return d, true
}

func (r *jsonReading) array(depth int) (ext.Doc, bool) {
	start, ok := r.delimiter()
	if !ok {
		return ext.Doc{}, false
	}
	d := r.node(ext.List, start, start)
	if !r.bounded(depth) {
		return ext.Doc{}, false
	}
	base := len(r.items)
	for r.dec.PeekKind() != jsontext.KindEndArray {
		v, ok := r.value(depth + 1)
		if !ok {
			return ext.Doc{}, false
		}
		r.items = append(r.items, v)
	}
	end, ok := r.delimiter()
	if !ok {
		return ext.Doc{}, false
	}
	d.List = cut(&r.items, base)
	d.Raw = r.data[start : end+1 : end+1]
	return d, true
}

// name reads the name of a member and says its line.
func (r *jsonReading) name() (string, int, bool) {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return "", 0, r.fail(err)
	}
	start, end := r.took(len(raw))
	return r.unquote(start, end), r.line, true
}

// delimiter reads a bracket or a brace and says where it is.
func (r *jsonReading) delimiter() (int, bool) {
	if _, err := r.dec.ReadToken(); err != nil {
		return 0, r.fail(err)
	}
	start, _ := r.took(1)
	return start, true
}

// end makes sure that nothing follows the value.
func (r *jsonReading) end() {
	switch _, err := r.dec.ReadToken(); {
	case errors.Is(err, io.EOF):
	case err != nil:
		r.fail(err)
	default:
		r.took(1)
		r.add(JSONSyntax.At(r.here(), "a second value follows the first; the end of the file was expected"))
	}
}

// took says where the token of n bytes lies that was just read, and moves the
// line on to it. Only what lies between two tokens can hold line ends.
func (r *jsonReading) took(n int) (start, end int) {
	end = int(r.dec.InputOffset())
	start = end - n
	r.line += gapLines(r.data[r.at:start])
	r.at = end
	return start, end
}

// gapLines is breaks for the few bytes between two tokens.
func gapLines(gap []byte) int {
	n := 0
	for i, c := range gap {
		if c == '\n' || c == '\r' && (i+1 == len(gap) || gap[i+1] != '\n') {
			n++
		}
	}
	return n
}

func (r *jsonReading) node(k ext.Kind, start, end int) ext.Doc {
	r.nodes++
	return ext.Doc{Kind: k, Raw: r.data[start:end:end], File: r.origin.Path, Line: r.line}
}

// unquote is the text of the string literal data[start:end], known to be valid.
func (r *jsonReading) unquote(start, end int) string {
	if bytes.IndexByte(r.data[start:end], '\\') < 0 {
		return r.text[start+1 : end-1]
	}
	s, _ := jsontext.AppendUnquote(nil, r.data[start:end])
	return string(s)
}

func (r *jsonReading) bounded(depth int) bool {
	switch {
	case depth > MaxDepth:
		return r.stop(NestingLimit.At(r.here(), "the document is nested more than %d levels deep", MaxDepth))
	case r.nodes > MaxNodes:
		return r.stop(NodeLimit.At(r.here(), "the document holds more than %d values", MaxNodes))
	}
	return true
}

func (r *jsonReading) repeated(key string, first, line int) bool {
	r.add(JSONDuplicateKey.At(r.here(), "key %s is here and on line %d", quoted(key), first))
	return len(r.found) < maxFaults
}

func (r *jsonReading) here() ext.Origin { return r.origin.At(r.origin.Path, r.line) }

func (r *jsonReading) add(f ext.Finding) { r.found.Add(f) }

func (r *jsonReading) stop(f ext.Finding) bool {
	r.add(f)
	return false
}

// fail turns the error that ended the reading into a finding.
func (r *jsonReading) fail(err error) bool {
	var fault *jsontext.SyntacticError
	if !errors.As(err, &fault) || errors.Is(err, io.ErrUnexpectedEOF) {
		body := bytes.TrimRight(r.data, " \t\r\n")
		at := r.origin.At(r.origin.Path, 1+breaks(body))
		return r.stop(JSONSyntax.At(at, "the file ends within a value").With("Close every string, list and object that was opened; the file may have been cut off."))
	}
	offset := min(int(fault.ByteOffset), len(r.data))
	at := r.origin.At(r.origin.Path, 1+breaks(r.data[:offset]))
	f := JSONSyntax.At(at, "%s", said(fault.Err.Error()))
	return r.stop(advise(f, r.data[offset:]))
}

// advise adds the fix for what people write most often that is not JSON.
func advise(f ext.Finding, rest []byte) ext.Finding {
	if len(rest) == 0 {
		return f
	}
	switch rest[0] {
	case ',':
		return f.With("Remove the comma: JSON has none after the last element.")
	case '/', '#':
		return f.With("Remove the comment: JSON has none.")
	case '\'':
		return f.With("Use double quotes: JSON has no others.")
	}
	return f
}

// cut takes what lies above base off the stack, as a slice of its own.
func cut[T any](stack *[]T, base int) []T {
	top := (*stack)[base:]
	if len(top) == 0 {
		return nil
	}
	own := append(make([]T, 0, len(top)), top...)
	*stack = (*stack)[:base]
	return own
}
