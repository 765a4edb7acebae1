package mcp

import (
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/net/http/httpguts"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// mirror gives a message of 2026-07-28 the headers that say again what its body
// says.
func (c *conn) mirror(h http.Header, m *letter) {
	for name := range h {
		if strings.HasPrefix(name, "Mcp-Param-") {
			h.Del(name) // those are for calls
		}
	}
	h.Set("Mcp-Protocol-Version", modernVersion)
	if m == nil {
		return
	}
	f := m.frame
	if version, ok := rpc.Text(f.Bytes(f.Version)); ok && httpguts.ValidHeaderFieldValue(version) {
		h.Set("Mcp-Protocol-Version", version)
	}
	if f.Kind == rpc.Response {
		return
	}
	h.Set("Mcp-Method", headerText(f.Method))
	if name, ok := named(f); ok {
		h.Set("Mcp-Name", headerText(name))
	}
	if f.Method == "tools/call" && f.Arguments.There() {
		name, _ := rpc.Text(f.Bytes(f.Name))
		for _, mark := range c.marks.of(name) {
			if value, ok := mark.value(f.Bytes(f.Arguments)); ok {
				h.Set("Mcp-Param-"+mark.header, headerText(value))
			}
		}
	}
}

// named is what a request names: a tool, a prompt, an address or a task.
func named(f *rpc.Frame) (string, bool) {
	switch {
	case f.Method == "tools/call" || f.Method == "prompts/get":
		return rpc.Text(f.Bytes(f.Name))
	case f.Method == "resources/read":
		return rpc.Text(f.Bytes(f.URI))
	case strings.HasPrefix(f.Method, "tasks/") && f.Params.There():
		m, err := rpc.Members(f.Bytes(f.Params), "taskId")
		if err != nil {
			return "", false
		}
		return rpc.Text(m["taskId"])
	}
	return "", false
}

// headerText is text as the value of a header: as it is where that is possible,
// else in Base64.
func headerText(s string) string {
	plain := strings.TrimSpace(s) == s && !strings.HasPrefix(s, "=?base64?")
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] >= ' ' && s[i] < 0x7f
	}
	if plain {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

// mark is an argument of a tool that is said again in a header.
type mark struct {
	header string
	path   []string
}

// marks are those of all tools, by their names. Those of a tool that was never
// described are not known.
type marks map[string][]mark

// markbook holds the marks that were described last.
type markbook struct{ atomic.Pointer[marks] }

func (m *markbook) of(tool string) []mark {
	if all := m.Load(); all != nil {
		return (*all)[tool]
	}
	return nil
}

const (
	maxMarks     = 64 // of one tool
	maxMarkDepth = 16
)

// marksOf are the marks in a tool's definition. The error says which is not
// valid: such a tool cannot be called over HTTP.
func marksOf(tool []byte) ([]mark, error) {
	var out []mark
	err := eachMark(parts(tool, "inputSchema")["inputSchema"], nil, &out)
	return out, err
}

// parts are the named members of what may be something else than an object: it
// has none then.
func parts(raw []byte, names ...string) map[string][]byte {
	m, err := rpc.Members(raw, names...)
	if err != nil {
		return nil // other readers say what is wrong with that
	}
	return m
}

func eachMark(schema []byte, path []string, out *[]mark) error {
	properties := parts(schema, "properties")["properties"]
	if len(path) == maxMarkDepth || !mayMark(schema) || !rpc.IsObject(properties) {
		return nil
	}
	return rpc.Each(properties, func(name string, property []byte) error {
		p := parts(property, "type", "x-mcp-header")
		at := append(slices.Clone(path), name)
		if raw := p["x-mcp-header"]; raw != nil {
			header, err := readMark(raw, p["type"], *out)
			if err != nil {
				return fmt.Errorf("its argument %s: %w", ext.Quote(ext.Shorten(strings.Join(at, "."), 80)), err)
			}
			*out = append(*out, mark{header, at})
		}
		return eachMark(property, at, out)
	})
}

// mayMark spares the reading of schemas without marks, which is nearly all.
func mayMark(schema []byte) bool {
	return strings.Contains(string(schema), "x-mcp-header") || strings.Contains(string(schema), `\u`)
}

func readMark(raw, kind []byte, others []mark) (string, error) {
	header, _ := rpc.Text(raw)
	word, _ := rpc.Text(kind)
	switch {
	case word != "string" && word != "integer" && word != "boolean":
		return "", fmt.Errorf("x-mcp-header is for strings, integers and booleans")
	case !httpguts.ValidHeaderFieldName(header):
		return "", fmt.Errorf("its x-mcp-header is no name of a header")
	case len(others) == maxMarks:
		return "", fmt.Errorf("the tool has more than %d of x-mcp-header", maxMarks)
	case slices.ContainsFunc(others, func(o mark) bool { return strings.EqualFold(o.header, header) }):
		return "", fmt.Errorf("its x-mcp-header %s is there twice", ext.Quote(header))
	}
	return header, nil
}

// value is what an argument says, as text; false when it says nothing that can
// stand in a header.
func (m *mark) value(arguments []byte) (string, bool) {
	at := rpc.At(arguments, m.path...)
	if len(at) == 0 {
		return "", false
	}
	switch at[0] {
	case '"':
		return rpc.Text(at)
	case 't', 'f':
		return string(at), true
	}
	n, err := strconv.ParseFloat(string(at), 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > 1<<53-1 {
		return "", false
	}
	return strconv.FormatInt(int64(n), 10), true
}
