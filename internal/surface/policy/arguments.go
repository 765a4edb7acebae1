package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
)

const (
	maxArguments = 16 << 20 // bytes that policies look at
	maxDepth     = 200      // of lists and objects
)

// readArguments is the arguments as CEL sees them, or the reason why they cannot be
// read: what is no object, what names a key twice, and what is too large or too
// deep is not judged by a part of it.
func readArguments(raw []byte, s *shape) any {
	if len(raw) == 0 {
		return map[string]any{}
	}
	if len(raw) > maxArguments {
		return unreadable("arguments", fmt.Errorf("they have %d bytes, at most %d are read", len(raw), maxArguments))
	}
	s.total(len(raw))
	d := decoder{jsontext.NewDecoder(bytes.NewReader(raw)), s}
	if k := d.PeekKind(); k != jsontext.KindBeginObject && k != jsontext.KindInvalid {
		return unreadable("arguments", errors.New("they are no object"))
	}
	v, err := d.value(1)
	if err == nil {
		if _, more := d.ReadToken(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the object")
		}
	}
	if err != nil {
		return unreadable("arguments", err)
	}
	return v
}

func unreadable(what string, err error) any {
	return types.NewErr("the %s cannot be read: %s", what, err.Error())
}

type decoder struct {
	*jsontext.Decoder
	shape *shape
}

func (d *decoder) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("they are nested more than %d levels deep", maxDepth)
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case jsontext.KindBeginObject:
		return d.object(depth)
	case jsontext.KindBeginArray:
		return d.array(depth)
	case jsontext.KindString:
		s := token.String()
		d.shape.text(len(s))
		return s, nil
	case jsontext.KindNumber:
		return number(token.String())
	case jsontext.KindTrue, jsontext.KindFalse:
		return token.Bool(), nil
	}
	return nil, nil
}

func (d *decoder) object(depth int) (any, error) {
	out := map[string]any{}
	for d.PeekKind() != jsontext.KindEndObject {
		key, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := key.String()
		d.shape.text(len(name))
		if out[name], err = d.value(depth + 1); err != nil {
			return nil, err
		}
	}
	d.shape.items(len(out))
	_, err := d.ReadToken()
	return out, err
}

func (d *decoder) array(depth int) (any, error) {
	out := []any{}
	for d.PeekKind() != jsontext.KindEndArray {
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	d.shape.items(len(out))
	_, err := d.ReadToken()
	return out, err
}

// number keeps what is spelled as a whole number exact.
func number(s string) (any, error) {
	if !strings.ContainsAny(s, ".eE") {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n, nil
		}
		if n, err := strconv.ParseUint(s, 10, 64); err == nil {
			return n, nil
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, fmt.Errorf("the number %s is none that can be read", ext.Shorten(s, 40))
	}
	return f, nil
}

// readAnnotations is likewise what a tool declares of itself.
func readAnnotations(d *ext.Doc, s *shape) any {
	if d == nil || d.Kind == ext.Null {
		return map[string]any{}
	}
	if d.Kind != ext.Map {
		return unreadable("annotations", errors.New("they are no object"))
	}
	v, err := plain(d, s, 1)
	if err != nil {
		return unreadable("annotations", err)
	}
	return v
}

// plain is a node as CEL sees it.
func plain(d *ext.Doc, s *shape, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("they are nested more than %d levels deep", maxDepth)
	}
	switch d.Kind {
	case ext.Map:
		s.items(len(d.Map))
		out := make(map[string]any, len(d.Map))
		for i := range d.Map {
			key := d.Map[i].Key
			s.text(len(key))
			if _, twice := out[key]; twice {
				return nil, fmt.Errorf("the key %s is there twice", ext.Quote(ext.Shorten(key, 40)))
			}
			v, err := plain(&d.Map[i].Value, s, depth+1)
			if err != nil {
				return nil, err
			}
			out[key] = v
		}
		return out, nil
	case ext.List:
		s.items(len(d.List))
		out := make([]any, len(d.List))
		for i := range d.List {
			v, err := plain(&d.List[i], s, depth+1)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	case ext.String:
		s.text(len(d.Text))
		return d.Text, nil
	case ext.Number:
		return number(d.Text)
	case ext.Bool:
		return strings.EqualFold(d.Text, "true"), nil
	}
	return nil, nil
}
