package live_test

import (
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/source/live"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// FuzzDescription takes whatever a server could say of itself through all
// stages: it neither panics nor refuses the extension, what comes out has
// origins, and every name that is offered can be called.
func FuzzDescription(f *testing.F) {
	for _, content := range []string{
		`{"instructions":"i","tools":[{"name":"a","description":"./x ${PLUGIN_ROOT}/y","inputSchema":{"type":"object"}}],"prompts":[{"name":"p"}],"resources":[{"uri":"s://1"}],"resourceTemplates":[{"uriTemplate":"s://{x}"}],"notes":["n"]}`,
		`{"tools":[{"name":"a"},{"name":"A","inputSchema":{"type":"object"}},{"name":"a","inputSchema":{"type":"object"}},{"name":"\u202e","inputSchema":{"type":"object"}}]}`,
		`{"tools":[1,{"name":"a","name":"b"}],"resources":{"uri":1},"instructions":3}`, `[`, ``, `{"tools":[]]`, "{\"instructions\":\"\xff\"}",
	} {
		f.Add([]byte(content))
	}
	dir := golden.Dir(f, golden.Files("acme/mcp.json", `{"mcpServers": {"search": {"command": "s"}}}`))
	declared := spinetest.Scan(f, spinetest.Trees(f, dir, spinetest.Options{}), spinetest.Options{})
	of := admit.Decide(declared, spinetest.Used())[0].Contributions()[0].Digest
	f.Fuzz(func(t *testing.T, content []byte) {
		s := &live.Source{Surface: "server", Files: 100, Descriptions: []live.Description{
			{Extension: "acme", Server: "search", Declaration: of, Content: string(content), Ref: reached},
		}}
		cs := append([]discover.Candidate(nil), declared...)
		for x, err := range s.Trees(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			c, err := discover.Scan(t.Context(), x, discover.Options{Specs: spinetest.Specs, Limits: ext.DefaultLimits, Enabled: true})
			if err != nil {
				t.Fatal(err)
			}
			cs = append(cs, c)
		}
		ds := admit.Decide(cs, spinetest.Used())
		spinetest.Hold(t, ds)
		if ds[0].Status() != admit.Admitted {
			t.Fatalf("acme is %s for what its server says, want it admitted", ds[0].Status())
		}
		c := compose.Merge(spinetest.Specs, compose.Order(admit.Extensions(ds), nil))
		spinetest.Total(t, spinetest.Specs, ds, c)
		o := session.Resolve(c).Offer(session.OfferOptions{})
		for i := range o.Tools {
			if o.Tool(o.Tools[i].Name) != &o.Tools[i] {
				t.Errorf("%q is listed and cannot be called", o.Tools[i].Name)
			}
		}
	})
}
