package audit

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// encoder writes the fields of a record in their order, and remembers which of
// them are not as they were given. By hand: a record is written on every call.
type encoder struct {
	b       []byte
	salt    *salt
	altered []Altered
}

// check says what of r cannot be written at all.
func (r *Record) check() error {
	switch {
	case !word(string(r.Kind)):
		return fmt.Errorf("kind %q: it is not 1 to 32 lower-case letters, digits and hyphens", r.Kind)
	case r.Kind == KindCheckpoint:
		return fmt.Errorf("kind %q: the log itself writes these", r.Kind)
	case r.Outcome != "" && !word(string(r.Outcome)):
		return fmt.Errorf("outcome %q: it is not 1 to 32 lower-case letters, digits and hyphens", r.Outcome)
	case len(r.Arguments.Raw) > 0 && (bytes.IndexByte(r.Arguments.Raw, '\n') >= 0 || !utf8.Valid(r.Arguments.Raw) || !json.Valid(r.Arguments.Raw)):
		return errors.New("raw arguments are not JSON on one line: Summarize makes them")
	}
	return nil
}

func word(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return s != "" && len(s) <= 32
}

// body is the fields of r from the kind on, with the closing brace.
func (e *encoder) body(r *Record) {
	e.b = append(append(append(e.b, `"kind":"`...), r.Kind...), '"')
	e.name("id", r.ID)
	e.number("generation", r.Generation)
	if !isZero(r.GenerationDigest) {
		e.field("generation_digest")
		e.b = append(hex.AppendEncode(append(e.b, `"sha256:`...), r.GenerationDigest[:]), '"')
	}
	e.name("workspace", r.Workspace)
	e.name("session", r.Session)
	e.name("client", r.Client)
	e.name("agent", r.Agent)
	e.name("tool", r.Tool)
	e.name("extension", r.Extension)
	e.name("server", r.Server)
	if r.Arguments.Type != "" {
		e.field("arguments")
		e.arguments(&r.Arguments)
	}
	e.name("outcome", string(r.Outcome))
	e.by(r.By)
	e.text("reason", r.Reason, textMax)
	e.number("duration_ns", uint64(max(r.Duration, 0)))
	e.number("result_size", uint64(max(r.ResultSize, 0)))
	e.text("error", r.Error, textMax)
	e.alterations()
	e.b = append(e.b, '}')
}

func isZero[T comparable](v T) bool {
	var zero T
	return v == zero
}

func (e *encoder) field(name string) {
	e.b = append(append(append(e.b, ',', '"'), name...), '"', ':')
}

func (e *encoder) number(name string, n uint64) {
	if n != 0 {
		e.field(name)
		e.b = strconv.AppendUint(e.b, n, 10)
	}
}

func (e *encoder) name(name, s string) { e.text(name, s, nameMax) }

func (e *encoder) text(name, s string, limit int) {
	if s != "" {
		e.field(name)
		e.bounded(name, s, limit)
	}
}

// bounded writes s as far as it may go.
func (e *encoder) bounded(name, s string, limit int) {
	kept := cut(s, limit)
	e.b = appendText(e.b, kept)
	if len(kept) != len(s) || !utf8.ValidString(kept) {
		e.altered = append(e.altered, Altered{Field: name, Size: len(s), Hash: hidden(e.salt, s)})
	}
}

// cut is at most limit bytes of s, and no part of a character.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for n := limit; n > limit-utf8.UTFMax; n-- {
		if utf8.RuneStart(s[n]) {
			return s[:n]
		}
	}
	return s[:limit] // not UTF-8 at all
}

// byMore is the field of an Altered for the names beyond byMax: Size counts them.
const byMore = "by.more"

func (e *encoder) by(names []string) {
	if len(names) == 0 {
		return
	}
	e.field("by")
	e.b = append(e.b, '[')
	for i, n := range names[:min(len(names), byMax)] {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.bounded("by", n, nameMax)
	}
	e.b = append(e.b, ']')
	if len(names) > byMax {
		h := e.salt.new()
		for _, n := range names[byMax:] {
			h.add(n)
		}
		e.altered = append(e.altered, Altered{Field: byMore, Size: len(names) - byMax, Hash: h.sum()})
	}
}

func (e *encoder) alterations() {
	if len(e.altered) == 0 {
		return
	}
	e.field("altered")
	e.b = append(e.b, '[')
	for i, a := range e.altered {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.b = append(appendText(append(e.b, `{"field":`...), a.Field), `,"size":`...)
		e.b = strconv.AppendInt(e.b, int64(a.Size), 10)
		e.b = append(appendText(append(e.b, `,"hash":`...), a.Hash), '}')
	}
	e.b = append(e.b, ']')
}

// arguments trusts only Summarize as far as lengths go, and bounds what somebody
// else may have filled in.
func (e *encoder) arguments(a *Arguments) {
	e.b = append(appendText(append(e.b, `{"type":`...), cut(a.Type, keyMax)), `,"size":`...)
	e.b = strconv.AppendInt(e.b, int64(a.Size), 10)
	e.b = appendText(append(e.b, `,"hash":`...), cut(a.Hash, keyMax))
	if keys := a.Keys[:min(len(a.Keys), keysMax)]; len(keys) > 0 {
		e.field("keys")
		e.b = append(e.b, '[')
		for i := range keys {
			if i > 0 {
				e.b = append(e.b, ',')
			}
			e.argument(&keys[i])
		}
		e.b = append(e.b, ']')
	}
	e.number("more", uint64(max(a.More, 0)+max(len(a.Keys)-keysMax, 0)))
	if a.Large {
		e.b = append(e.b, `,"large":true`...)
	}
	if len(a.Raw) > 0 && len(a.Raw) <= fullMax {
		e.field("raw")
		e.b = append(e.b, a.Raw...)
	}
	e.b = append(e.b, '}')
}

func (e *encoder) argument(a *Argument) {
	e.b = appendText(append(e.b, `{"key":`...), cut(a.Key, keyMax))
	e.number("cut", uint64(max(a.Cut, 0)))
	e.b = append(appendText(append(e.b, `,"type":`...), cut(a.Type, keyMax)), `,"size":`...)
	e.b = strconv.AppendInt(e.b, int64(a.Size), 10)
	e.b = append(appendText(append(e.b, `,"hash":`...), cut(a.Hash, keyMax)), '}')
}

// appendText appends s as a JSON string: escaped is only what must be, and bytes
// that are not UTF-8 become U+FFFD.
func appendText(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(slices.Grow(b, len(s)+2), '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			b = append(append(b, s[from:i]...), '\\', c)
		case c < 0x20:
			b = append(append(b, s[from:i]...), '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c < utf8.RuneSelf:
			i++
			continue
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
			b = append(append(b, s[from:i]...), `\ufffd`...)
		}
		i++
		from = i
	}
	return append(append(b, s[from:]...), '"')
}
