package plan_test

import (
	"fmt"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/hooktest"
	"github.com/mortise-dev/mortise/internal/plan"
)

// large is what a registry of 200 extensions is made of, each with an axis, a variable, an
// overlay and a rule, beside twenty rows of the configuration.
func large(b testing.TB) plan.Inputs {
	b.Helper()
	w := world{keyless: "api-key"}
	for i := range 20 {
		w.rows += injectRow(fmt.Sprintf("row%d", i), fmt.Sprintf("h%d.example", i))
	}
	for i := range 200 {
		axis := fmt.Sprintf("axis%d", i)
		w.data = append(w.data, hooktest.Data(ext.Name(fmt.Sprintf("x%d", i)), map[string]string{
			"axes":             axisJSON(axis, "off", "on", "more"),
			"derive_env":       fmt.Sprintf(`{"name": "X%d", "value": "on", "when": {%q: ["on", "more"]}}`, i, axis),
			"compose_overlays": fmt.Sprintf(`{"file": "x%d.yaml", "when": {%q: "on"}}`, i, axis),
			"proxy_rules":      fmt.Sprintf(`{"axis": %q, "host": "x%d.example", "header": "X", "secret": "S"}`, axis, i),
		}))
	}
	return w.inputs(b)
}

// BenchmarkRegistry makes a registry of 200 extensions: 10 ms are promised.
func BenchmarkRegistry(b *testing.B) {
	in := large(b)
	for b.Loop() {
		if r := plan.New(b.Context(), in); len(r.Axes()) != 221 || r.Findings().Failed() {
			b.Fatalf("got %d axes, %v", len(r.Axes()), r.Findings())
		}
	}
}

// BenchmarkGather asks that registry for the variables of a mode.
func BenchmarkGather(b *testing.B) {
	r := plan.New(b.Context(), large(b))
	env := hookOf(b, "derive_env")
	mode := ext.Mode{"axis7": "on", "axis70": "more", "claude": "on"}
	for b.Loop() {
		if n := len(r.Plan(mode).Gather(b.Context(), env).Answers); n != 3 {
			b.Fatalf("got %d variables, want 3", n)
		}
	}
}

// BenchmarkSet sets a mode of that registry.
func BenchmarkSet(b *testing.B) {
	r := plan.New(b.Context(), large(b))
	from := rest(b, r)
	for b.Loop() {
		if _, _, err := r.Set(b.Context(), from, updates("axis7=on axis70=more"), now); err != nil {
			b.Fatal(err)
		}
	}
}
