package gateway_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/face/gateway"
)

// describing is a description with n tools of the size that real ones have.
func describing(n int) string {
	tools := make([]map[string]any, n)
	for i := range tools {
		tools[i] = map[string]any{
			"name": fmt.Sprintf("tool_%04d", i), "description": fmt.Sprintf("Does the %dth of many things, and says in two sentences how. It changes nothing that cannot be undone.", i),
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{
				"path": map[string]any{"type": "string", "description": "What it is done to."}, "depth": map[string]any{"type": "integer", "minimum": 0}, "force": map[string]any{"type": "boolean"},
			}, "required": []string{"path"}},
		}
	}
	raw, err := json.Marshal(map[string]any{"tools": tools})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// BenchmarkList lists tools over HTTP, without decoding them.
func BenchmarkList(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := dial(b, workspace(b, describing(n)).gateway(gateway.Options{}))
			b.ReportAllocs()
			for b.Loop() {
				b.SetBytes(int64(len(w.request("tools/list", ""))))
			}
		})
	}
}

// BenchmarkCall calls a tool of a driver that answers at once.
func BenchmarkCall(b *testing.B) {
	b.Run("http", func(b *testing.B) {
		w := dial(b, workspace(b, said).gateway(gateway.Options{}))
		w.request("tools/list", "")
		b.ReportAllocs()
		for b.Loop() {
			w.request("tools/call", `{"name":"owner_search__find","arguments":{"q":"x"}}`)
		}
	})
	b.Run("pipes", func(b *testing.B) {
		s, _ := pipes(b, workspace(b, said).gateway(gateway.Options{}), nil)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.CallTool(b.Context(), &mcp.CallToolParams{Name: "owner_search__find"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
