package guard_test

import (
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/guard"
)

// A case that gives the qualified name alone is of the extension and the server that
// it names; what the case says itself stands.
func TestReadCasesTakesTheQualifiedNameApart(t *testing.T) {
	for _, c := range []struct{ call, extension, server string }{
		{"{qualified: acme:files/delete}", "acme", "files"},
		{"{qualified: acme:delete}", "acme", ""},
		{"{qualified: acme:files/delete, server: other, extension: theirs}", "theirs", "other"},
	} {
		cases, found := guard.ReadCases(ext.Origin{}, []byte("cases:\n  - {name: a, want: deny, call: "+c.call+"}\n"))
		if found.Failed() || len(cases) != 1 {
			t.Fatalf("%s: got %v, %v", c.call, cases, found)
		}
		if got := cases[0].Call; string(got.Extension) != c.extension || got.Server != c.server {
			t.Errorf("%s: got extension %q, server %q, want %q, %q", c.call, got.Extension, got.Server, c.extension, c.server)
		}
	}
}

// Of a past call whose qualified name is not known any more a policy that names tools
// may have been about it: that it is not is no decision.
func TestReplayOfAnUnknownNameDecidesNothingAboutRulesOfTools(t *testing.T) {
	m := &machine{remembered: map[ext.Name][]guard.Memento{}, now: []*extension{{name: "x0", guards: []one{{kind: rule, says: denies, tool: "read"}}}}}
	m.refresh()
	everything := func(string) bool { return true }
	for _, c := range []struct {
		call    guard.Call
		now     guard.Verdict
		decided bool
	}{
		{guard.Call{Tool: "x0_read", Qualified: "x0:read", Extension: "x0"}, guard.Deny, true},
		{guard.Call{Tool: "x0_write", Qualified: "x0:write", Extension: "x0"}, guard.Pass, true},
		{guard.Call{Tool: "x0_read", Extension: "x0"}, guard.Pass, false},
	} {
		now, _, decided := m.set.Replay(t.Context(), &c.call, everything)
		if now != c.now || decided != c.decided {
			t.Errorf("%+v: got %v, decided %v, want %v, %v", c.call, now, decided, c.now, c.decided)
		}
	}
}
