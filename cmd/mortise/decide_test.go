//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// From a call to what can be told of it afterwards: it is denied, asked about or
// made, as policies say; each is in the log, also when the host is killed right
// after; and a policy that changed is tried on them.
func TestCallsAreDecidedAndRemembered(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"mortise.toml":                   "",
		".mortise/policies/no-list.yaml": "outcome: deny\nmessage: not that one\ntools: [mortise_list]\n",
		".mortise/policies/confirm.yaml": "outcome: ask\nmessage: sure?\nwhen: tool == \"mortise_explain\" && arguments.name == \"x\"\n",
	})
	p.must("trust", "--yes")
	s := p.serve()
	c := connect(t, s.url, nil)
	call := func(tool string, arguments map[string]any) string {
		t.Helper()
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		text, _ := r.Content[0].(*mcp.TextContent)
		if r.IsError {
			return "refused: " + text.Text
		}
		return "made"
	}
	if got := call("mortise_status", nil); got != "made" {
		t.Errorf("a call that nobody objects to: got %s", got)
	}
	if got := call("mortise_list", nil); !strings.Contains(got, "owner:no-list denies this call: not that one") {
		t.Errorf("a call that is denied: got %s", got)
	}
	if got := call("mortise_explain", map[string]any{"name": "x"}); !strings.Contains(got, "mortise grant call mortise:explain --for owner:confirm") {
		t.Errorf("a call that is asked about, with nobody to ask: got %s", got)
	}
	p.must("grant", "call", "mortise:explain", "--for", "owner:confirm") // while the host runs
	if got := call("mortise_explain", map[string]any{"name": "x"}); strings.Contains(got, "owner:confirm") {
		t.Errorf("a call that was consented to: got %s", got)
	}
	s.kill()

	type records struct {
		Records []struct {
			ID, Kind, Outcome, Tool string
			By                      []string
			Arguments               struct{ Raw any }
		}
	}
	got := document[records](t, p.must("audit", "list", "--json")).Records
	var said []string
	for _, r := range got {
		said = append(said, r.Tool+" "+r.Outcome)
		if r.Arguments.Raw != nil {
			t.Errorf("%s: the log keeps the arguments %v, want their keys alone", r.Tool, r.Arguments.Raw)
		}
	}
	if got, want := strings.Join(said, ", "), "mortise_explain allowed, mortise_explain denied, mortise_list denied, mortise_status allowed"; got != want {
		t.Errorf("the log of a host that was killed: got %s, want %s", got, want)
	}
	if out := p.must("audit", "verify"); !strings.Contains(out, "is as it was written") {
		t.Errorf("mortise audit verify: got %q", out)
	}
	if out := p.must("audit", "show", got[2].ID[:6]); !strings.Contains(out, "owner:no-list") || !strings.Contains(out, "not that one") {
		t.Errorf("mortise audit show: got %q, want who denied it and why", out)
	}

	// What reads arguments, which the log did not keep, cannot be decided.
	p.write(map[string]string{".mortise/policies/no-list.yaml": "outcome: deny\nmessage: not that one\ntools: [mortise_status]\n"})
	type dry struct {
		Calls, Same, Undecidable int
		Differing                []struct{ Tool, Was, Now string }
	}
	d := document[dry](t, p.must("policy", "dry-run", "--json"))
	if d.Calls != 4 || d.Undecidable != 2 || d.Same != 0 || len(d.Differing) != 2 {
		t.Errorf("mortise policy dry-run: got %+v, want two that differ and two undecidable of four", d)
	}
	for _, x := range d.Differing {
		if x.Tool == "mortise_list" && (x.Was != "deny" || x.Now != "pass") || x.Tool == "mortise_status" && (x.Was != "pass" || x.Now != "deny") {
			t.Errorf("mortise policy dry-run: got %+v", x)
		}
	}
}
