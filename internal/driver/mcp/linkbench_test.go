package mcp_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

// BenchmarkLink is a call over a link that stays, and over one that is made for
// it.
func BenchmarkLink(b *testing.B) {
	p, s := newBench(b, nil), fixtureTarget(b, "normal")
	p.Run([]mcp.Target{s})
	p.must(s, "echo", "{}")
	frame := json.RawMessage(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello","n":1}}}`)
	b.Run("kept", func(b *testing.B) {
		l := p.link(s).Lane
		b.ReportAllocs()
		for b.Loop() {
			if _, err := l.Call(context.Background(), frame, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("made", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l, err := p.Link(context.Background(), ref(s, ""), nil)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := l.Call(context.Background(), frame, nil); err != nil {
				b.Fatal(err)
			}
			l.Close()
		}
	})
}
