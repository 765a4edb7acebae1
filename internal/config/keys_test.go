package config

import (
	"reflect"
	"slices"
	"testing"
)

// TestVariables holds that each key outside named tables has a variable of its own.
func TestVariables(t *testing.T) {
	seen := map[string]string{HomeVariable: "", WorkspaceVariable: ""}
	schema.keys(func(n *node) bool {
		if other, again := seen[n.variable()]; again {
			t.Errorf("variable %s: it is that of %s and of %q", n.variable(), n.path, other)
		}
		seen[n.variable()] = n.path
		return true
	})
	if seen["MORTISE_TRUST_WHOLE"] != "trust.whole" || len(seen) != 20 {
		t.Errorf("variables: got %v, want eighteen keys and two others", seen)
	}
}

// TestLaterKey holds that a key is nothing but a field with tags.
func TestLaterKey(t *testing.T) {
	type later struct {
		Serve struct {
			Listen string `toml:"listen" default:"127.0.0.1:7777" widens:"always" doc:"Where to listen."`
		} `toml:"serve" doc:"The gateway."`
	}
	n := tableOf(reflect.TypeFor[later](), &node{}).child("serve").child("listen")
	if n.path != "serve.listen" || n.variable() != "MORTISE_SERVE_LISTEN" || n.def != "127.0.0.1:7777" || !slices.Equal(n.index, []int{0, 0}) {
		t.Errorf("a later key: got %+v, want serve.listen with its variable and default", n)
	}
	if !widenings[n.widens](said{}, nil) {
		t.Error("widens always: got that it may be said, want not")
	}
}

func TestChecksAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Checks {
		if seen[c.Code] || c.Doc == "" || c.Fix == "" || c.Severity == 0 {
			t.Errorf("check %q: got it twice or without a part, want each once and whole", c.Code)
		}
		seen[c.Code] = true
	}
}
