package rpc

import (
	"slices"
	"strconv"
)

// Compose is a message of our own; a nil id makes it a notification, and nil
// params none. id and params are JSON.
func Compose(id []byte, method string, params []byte) *Frame {
	f := &Frame{Kind: Notification, Method: method}
	b := make([]byte, 0, len(method)+len(params)+len(id)+48)
	b = append(b, `{"jsonrpc":"2.0",`...)
	if id != nil {
		f.Kind = Request
		b = append(b, `"id":`...)
		from := len(b)
		b = append(b, id...)
		f.ID = Span{from, len(b)}
		b = append(b, ',')
	}
	b = append(append(b, `"method":`...), Quote(method)...)
	if params != nil {
		b = append(b, `,"params":`...)
		from := len(b)
		b = append(b, params...)
		f.Params = Span{from, len(b)}
	}
	f.Raw = append(b, '}')
	return f
}

// Answer is the response to a request with a result. Both are JSON.
func Answer(id, result []byte) *Frame { return respond(id, `,"result":`, result) }

// Refuse is the response to a request with an error object. Both are JSON.
func Refuse(id, fault []byte) *Frame { return respond(id, `,"error":`, fault) }

func respond(id []byte, key string, value []byte) *Frame {
	f := &Frame{Kind: Response}
	b := make([]byte, 0, len(id)+len(value)+40)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	from := len(b)
	b = append(b, id...)
	f.ID = Span{from, len(b)}
	b = append(b, key...)
	at := Span{len(b), len(b) + len(value)}
	if key == `,"error":` {
		f.Fault = at
	} else {
		f.Result = at
	}
	f.Raw = append(append(b, value...), '}')
	return f
}

// Fault is an error object.
func Fault(code int, message string) []byte {
	b := strconv.AppendInt([]byte(`{"code":`), int64(code), 10)
	return append(append(append(b, `,"message":`...), Quote(message)...), '}')
}

// Edit is a part of a frame and what is to stand there. An empty Span that is
// not zero is a place to insert at.
type Edit struct {
	At   Span
	With []byte
}

// Splice is a copy of raw in which the edits were made; those of parts that
// are not there do nothing. They may be in any order, and must not overlap.
func Splice(raw []byte, edits ...Edit) []byte {
	size := len(raw)
	for i := range edits {
		size += len(edits[i].With)
	}
	out := make([]byte, 0, size)
	done := 0
	for range edits {
		next := -1
		for i := range edits {
			if at := edits[i].At; at.There() && at.From >= done && (next < 0 || at.From < edits[next].At.From) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		e := &edits[next]
		out = append(append(out, raw[done:e.At.From]...), e.With...)
		done, e.At = e.At.To, Span{}
	}
	return append(out, raw[done:]...)
}

// Without is an object without some of its members, and without blanks between the
// others. What is no object stays as it is.
func Without(object []byte, members ...string) []byte {
	out := []byte{'{'}
	err := Each(object, func(name string, value []byte) error {
		if slices.Contains(members, name) {
			return nil
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, Quote(name)...), ':'), value...)
		return nil
	})
	if err != nil {
		return object
	}
	return append(out, '}')
}

// With is the edit that puts something else into a span.
func (s Span) With(b []byte) Edit { return Edit{At: s, With: b} }

// Edited is the frame with the edits made, and where its parts lie then. An edit
// is of a part within which nothing is looked at, or inserts; whatever the new
// bytes hold is not looked at.
func (f *Frame) Edited(edits ...Edit) *Frame {
	out := *f
	for _, s := range []*Span{
		&out.ID, &out.Params, &out.Result, &out.Fault, &out.Name, &out.URI, &out.Arguments, &out.Level,
		&out.Meta, &out.Token, &out.RequestID, &out.MetaToken, &out.Version, &out.Capabilities, &out.Client, &out.LogLevel, &out.Subscription,
	} {
		s.move(edits)
	}
	out.Raw = Splice(f.Raw, edits...)
	return &out
}

// move is where a span lies once the edits are made.
func (s *Span) move(edits []Edit) {
	if !s.There() {
		return
	}
	was := *s
	for _, e := range edits {
		if !e.At.There() {
			continue
		}
		more := len(e.With) - (e.At.To - e.At.From)
		if e.At.To <= was.From && e.At != was {
			s.From += more
		}
		if e.At.From < was.To && e.At.To <= was.To {
			s.To += more
		}
	}
}
