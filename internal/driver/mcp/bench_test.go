package mcp_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

func BenchmarkCallStdio(b *testing.B) {
	p, s := newBench(b, nil), fixtureTarget(b, "normal")
	p.Run([]mcp.Target{s})
	p.must(s, "echo", "{}")
	arg := json.RawMessage(`{"text":"hello","n":1}`)
	b.Run("one", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := p.Call(context.Background(), ref(s, "echo"), arg); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("many", func(b *testing.B) {
		b.SetParallelism(8)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := p.Call(context.Background(), ref(s, "echo"), arg); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}

func BenchmarkCallRemote(b *testing.B) {
	x := newWeb(b, nil)
	p, s := newBench(b, nil), remoteTarget(x.URL)
	p.Run([]mcp.Target{s})
	p.must(s, "t", "{}")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Call(context.Background(), ref(s, "t"), nil); err != nil {
			b.Fatal(err)
		}
	}
}
