package gateway

import (
	"bytes"
	"context"
	"math"
	"strconv"

	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// mark is an argument of a tool that a client says again in a header.
type mark struct {
	header string
	path   []string
}

const (
	mostMarks     = 64 // of one tool
	deepestMark   = 16
	markExtension = "x-mcp-header"
)

// callMirrored calls a tool once the headers are known to say what its arguments do.
func (r *request) callMirrored(ctx context.Context) ([]byte, error) {
	if h := r.client.visitor.visit.header; h != nil {
		v, err := r.client.view(ctx, tools)
		if err != nil {
			return nil, err
		}
		if o := v.Offers.Tool(r.text(r.frame.Name)); o != nil && bytes.Contains(o.Definition, []byte(markExtension)) {
			for _, m := range marksOf(o.Definition) {
				if err := m.check(h.Values(paramHeader+m.header), r.frame.Bytes(r.frame.Arguments)); err != nil {
					return nil, err
				}
			}
		}
	}
	return r.callTool(ctx)
}

// marksOf are the marks of a tool that are as they must be: clients do not know the
// tool otherwise.
func marksOf(definition []byte) []mark {
	m, err := rpc.Members(definition, "inputSchema")
	if err != nil {
		return nil
	}
	return marksIn(m["inputSchema"], nil, nil)
}

func marksIn(schema []byte, path []string, out []mark) []mark {
	m, err := rpc.Members(schema, "properties")
	if err != nil || m["properties"] == nil || len(path) == deepestMark {
		return out
	}
	_ = rpc.Each(m["properties"], func(name string, property []byte) error { // what is no object has none
		at := append(room(path), name)
		p, _ := rpc.Members(property, "type", markExtension) // what is no object has no members
		header, _ := rpc.Text(p[markExtension])
		kind, _ := rpc.Text(p["type"])
		if header != "" && (kind == "string" || kind == "integer" || kind == "boolean") && len(out) < mostMarks {
			out = append(out, mark{header, at})
		}
		out = marksIn(property, at, out)
		return nil
	})
	return out
}

// room is a path that can be added to.
func room(path []string) []string { return append(make([]string, 0, len(path)+1), path...) }

// check says how a header differs from the argument that it is of.
func (m *mark) check(said []string, arguments []byte) error {
	body, there := m.value(arguments)
	switch header, ok := headerText(said); {
	case !there && len(said) == 0:
		return nil
	case !there:
		return &call.Error{Code: codeMismatch, Message: "the header " + paramHeader + m.header + " says what the arguments do not"}
	case len(said) == 0:
		return mismatch(paramHeader+m.header, "", body)
	case !ok || header != body && !sameNumber(header, body):
		return mismatch(paramHeader+m.header, said[0], body)
	}
	return nil
}

// value is what an argument says, as text; false when it is not there.
func (m *mark) value(arguments []byte) (string, bool) {
	at := rpc.At(arguments, m.path...)
	if len(at) == 0 {
		return "", false
	}
	switch at[0] {
	case '"':
		return rpc.Text(at)
	case '{', '[':
		return "", false
	}
	return string(at), true
}

// sameNumber reports whether two texts spell one whole number.
func sameNumber(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	if err != nil || x != math.Trunc(x) || math.Abs(x) > 1<<53-1 {
		return false
	}
	y, err := strconv.ParseFloat(b, 64)
	return err == nil && x == y
}
