package hooktest

import (
	"context"
	"encoding/json"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Extension is one extension of a composition that a test makes.
type Extension struct {
	Name  ext.Name
	Trust ext.Trust // 0: that of a plugin
	Files fs.FS     // the canonical layout, every hook at the root
}

// Data is an extension that is data alone: what it answers to each hook, by name.
func Data(name ext.Name, answers map[string]string) Extension {
	files := fstest.MapFS{}
	for hook, answer := range answers {
		files["hooks/"+hook+"/data.json"] = &fstest.MapFile{Data: []byte(`{"answer": ` + answer + `}`)}
	}
	return Extension{Name: name, Files: files}
}

// Compose composes extensions, in use and granted all that they need; roster is the order
// of plugins.
func Compose(t testing.TB, specs []*surface.Spec, roster []ext.Name, all ...Extension) *compose.Composition {
	t.Helper()
	env := source.Env{Specs: specs, Limits: ext.DefaultLimits}
	rules := admit.Rules{Adopted: true, Granted: true, Asked: map[string]bool{}}
	for _, s := range specs {
		rules.Asked[s.Name] = true
	}
	var candidates []discover.Candidate
	for _, x := range all {
		if x.Trust == 0 {
			x.Trust = ext.Plugin
		}
		tree := ext.Tree{Extension: x.Name, FS: x.Files, Origin: ext.Origin{Extension: x.Name, Source: "path:./" + string(x.Name), Trust: x.Trust}}
		for _, s := range specs {
			source.Into(&tree, s, s.Dir, env)
		}
		c, err := discover.Scan(t.Context(), tree, discover.Options{Specs: specs, Limits: env.Limits, Enabled: true})
		if err != nil {
			t.Fatal(err)
		}
		candidates = append(candidates, c)
	}
	decisions := admit.Decide(candidates, rules)
	for i := range decisions {
		d := &decisions[i]
		if d.Status() != admit.Admitted || d.Findings().Failed() {
			t.Fatalf("%s is %s: %v", d.Tree().Extension, d.Status(), d.Findings())
		}
		for _, c := range d.Contributions() {
			if c.Status != admit.Active {
				t.Fatalf("%s %s is %s (%s): %v", c.Spec.Name, c.Name, c.Status, c.Reason, c.Findings)
			}
		}
	}
	return compose.Merge(specs, compose.Order(admit.Extensions(decisions), roster))
}

// Caller answers with a function.
type Caller func(ctx context.Context, ref ext.Ref, argument json.RawMessage) (json.RawMessage, error)

// Call asks the function.
func (c Caller) Call(ctx context.Context, ref ext.Ref, argument json.RawMessage) (json.RawMessage, error) {
	return c(ctx, ref, argument)
}
