package host_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/internal/host"
)

func TestLinesOfADefinition(t *testing.T) {
	const definition = `{"name":"find","description":"One.\nTwo \u001b[2J\u200b.","inputSchema":{"type":"object","required":["a","b"],"anyOf":[{"x":1.0},true],"properties":{"a b":{},"c":[]}},"_meta":null}`
	want := []string{
		`name: "find"`,
		`description: "One." \n`,
		`description +: "Two \x1b[2J\u200b."`,
		`inputSchema.type: "object"`,
		`inputSchema.required[]: "a"`,
		`inputSchema.required[]: "b"`,
		`inputSchema.anyOf[0].x: 1.0`,
		`inputSchema.anyOf[1]: true`,
		`inputSchema.properties."a b": {}`,
		`inputSchema.properties.c: []`,
		`_meta: null`,
	}
	if got := host.Lines([]byte(definition)); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := host.Lines([]byte(`"Use find.\nAlways."`)); !slices.Equal(got, []string{`"Use find." \n`, ` +: "Always."`}) {
		t.Errorf("instructions: got %q", got)
	}
}

// Who looks at a difference must see one: definitions that are not the same have
// lines that are not.
func TestLinesTellDefinitionsApart(t *testing.T) {
	leaf := rapid.OneOf(
		rapid.SampledFrom([]any{nil, true, "", "a", "a\nb", "\n", " +", "[]", `"a"`, "1"}),
		rapid.Map(rapid.IntRange(0, 2), func(n int) any { return n }),
	)
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		if depth == 0 {
			return leaf
		}
		return rapid.OneOf(
			leaf,
			rapid.Map(rapid.SliceOfN(value(depth-1), 0, 3), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "a.b", "a[]", "a +", ""}), value(depth-1), 0, 3), func(m map[string]any) any { return m }),
		)
	}
	text := func(t *rapid.T, v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := text(t, value(3).Draw(t, "a")), text(t, value(3).Draw(t, "b"))
		if same := slices.Equal(host.Lines([]byte(a)), host.Lines([]byte(b))); same != (a == b) {
			t.Errorf("%s and %s: the same lines %t, want %t:\n%s", a, b, same, a == b, strings.Join(host.Lines([]byte(a)), "\n"))
		}
	})
}
