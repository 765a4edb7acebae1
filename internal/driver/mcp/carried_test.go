package mcp

import (
	"strings"
	"testing"
)

func TestCarriedHoweverItIsSpelled(t *testing.T) {
	for _, in := range []string{
		`{"extensions":{"io.modelcontextprotocol\/tasks":{}}}`,
		`{"extensions":{"io.modelcontextprotocol/\u0074asks":{},"a/b":{}}}`,
	} {
		if got := string(carried([]byte(in))); strings.Contains(got, "asks") {
			t.Errorf("%s: got %s, want it without tasks", in, got)
		}
	}
}
