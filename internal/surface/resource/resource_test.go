package resource_test

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/resource"
)

// decode is the entry of a definition as a server sends it.
func decode(t *testing.T, definition string) (surface.Entry[any], resource.Resource) {
	t.Helper()
	o := ext.Origin{Extension: "acme", Source: "live", Trust: ext.Plugin}
	d, findings := doc.JSON(o, []byte(definition))
	if findings.Failed() {
		t.Fatal(findings)
	}
	es := resource.Surface.Decode([]surface.Document{{
		Origin: o, Path: "acme", Dialect: surface.DialectMCP, Doc: d, Ref: ext.Ref{Driver: "mcp", Target: "acme:s@1"},
	}})
	if len(es) != 1 {
		t.Fatalf("%s: got %d entries, want one", definition, len(es))
	}
	v, ok := es[0].Value.(resource.Resource)
	if !ok {
		t.Fatalf("%s: got %T", definition, es[0].Value)
	}
	return es[0], v
}

// TestServed wants what a server describes with its address as its name, its
// definition whole and what answers for it, and an address that could pass for
// something else refused.
func TestServed(t *testing.T) {
	for _, c := range []struct {
		definition, name string
		fault            string
	}{
		{definition: `{"uri":"demo://resource/1","name":"one","size":1.0}`, name: "demo://resource/1"},
		{definition: `{"uri":"file:///a b"}`, name: "file:///a b"},
		{definition: `{"uri":"urn:isbn:1"}`, name: "urn:isbn:1"},
		{definition: `{"uriTemplate":"demo://{kind}/{+path}","name":"many"}`, name: "demo://{kind}/{+path}"},
		{definition: `{"uri":"demo"}`, name: "demo", fault: "no absolute address"},
		{definition: `{"uri":":x"}`, name: ":x", fault: "no absolute address"},
		{definition: `{"uri":"1a:x"}`, name: "1a:x", fault: "no absolute address"},
		{definition: `{"uriTemplate":"{+any}"}`, name: "{+any}", fault: "no absolute address"},
		{definition: `{"uriTemplate":"{scheme}://x"}`, name: "{scheme}://x", fault: "no absolute address"},
		{definition: `{"uriTemplate":"skill{x}://y"}`, name: "skill{x}://y", fault: "no absolute address"},
		{definition: `{"uriTemplate":"{a:3}"}`, name: "{a:3}", fault: "no absolute address"},
		{definition: `{"uri":"SKILL://owner/a/SKILL.md"}`, name: "SKILL://owner/a/SKILL.md", fault: "the scheme"},
		{definition: `{"uriTemplate":"agent://{x}"}`, name: "agent://{x}", fault: "the scheme"},
		{definition: `{"uri":"rule://owner/tone"}`, name: "rule://owner/tone", fault: "the scheme"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, v := decode(t, c.definition)
			if e.Name != c.name || v.URI != c.name || v.Template != strings.Contains(c.definition, "uriTemplate") {
				t.Errorf("got %s, %+v, want the address %s", e.Name, v, c.name)
			}
			if string(v.Definition.Raw) != c.definition || v.Ref.Target != "acme:s@1" || e.Digest == (ext.Digest{}) {
				t.Errorf("got %s and %+v, want what was sent and what answers", v.Definition.Raw, v.Ref)
			}
			switch {
			case c.fault == "" && len(e.Findings) > 0:
				t.Errorf("found %v, want nothing", e.Findings)
			case c.fault != "" && (len(e.Findings) != 1 || e.Findings[0].Check != resource.Address || !strings.Contains(e.Findings[0].Message, c.fault)):
				t.Errorf("found %v, want that it has %s", e.Findings, c.fault)
			}
		})
	}
}

func TestServedDigest(t *testing.T) {
	one, _ := decode(t, `{"uri":"a:x","n":1}`)
	two, _ := decode(t, `{"uri":"a:x","n":1.0}`)
	if one.Digest == two.Digest {
		t.Error("definitions that are spelled otherwise have one digest, want two")
	}
}
