package server_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/server"
)

// TestManyPairs reads servers with more variables and headers than anybody has.
// To look for the line of each among all took more than a minute.
func TestManyPairs(t *testing.T) {
	const n = 150_000
	pairs := ext.Doc{Kind: ext.Map, Map: make([]ext.Pair, n)}
	for i := range pairs.Map {
		pairs.Map[i] = ext.Pair{Key: "A" + strconv.Itoa(i), Value: ext.Doc{Kind: ext.String, Text: "x"}}
	}
	text := func(s string) ext.Doc { return ext.Doc{Kind: ext.String, Text: s} }
	one := ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: "command", Value: text("x")}, {Key: "env", Value: pairs}}}
	two := ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: "url", Value: text("https://x.example")}, {Key: "headers", Value: pairs}}}
	all := ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: "one", Value: one}, {Key: "two", Value: two}}}
	d := surface.Document{Dialect: surface.DialectClaude, Doc: ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: "mcpServers", Value: all}}}}
	start := time.Now()
	for _, e := range server.Surface.Decode([]surface.Document{d}) {
		if s := e.Value.(server.Server); e.Findings.Failed() || len(s.Env)+len(s.Headers) != n {
			t.Errorf("%s: got %d variables and headers and %d findings, want %d and none", e.Name, len(s.Env)+len(s.Headers), len(e.Findings), n)
		}
	}
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("took %v, want at most 15 s", took)
	}
}
