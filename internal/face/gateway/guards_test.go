package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/face/gateway"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/state"
)

// guarded is the usual workspace with more files.
func guarded(t *testing.T, more ...string) *bench {
	t.Helper()
	files := map[string]string{
		"mortise.toml":      "",
		".mortise/mcp.json": `{"mcpServers": {"search": {"command": "search"}}}`,
	}
	for i := 0; i < len(more); i += 2 {
		files[more[i]] = more[i+1]
	}
	return served(t, files, said)
}

// client is a client whose person answers questions; nil: it cannot ask any.
func (b *bench) client(person func(*mcp.ElicitParams) *mcp.ElicitResult) *mcp.ClientSession {
	o := &mcp.ClientOptions{}
	if person != nil {
		o.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return person(r.Params), nil }
	}
	s, _ := pipes(b.t, b.gateway(gateway.Options{}), o)
	return s
}

// find calls a tool of the server: what was answered in words, and whether the
// call was made.
func (b *bench) find(s *mcp.ClientSession) (text string, made bool) {
	b.t.Helper()
	b.driver.mu.Lock()
	before := len(b.driver.asked)
	b.driver.mu.Unlock()
	r, err := s.CallTool(b.t.Context(), &mcp.CallToolParams{Name: "owner_search__find", Arguments: map[string]any{"query": "x"}})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range r.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			text += c.Text
		}
	}
	b.driver.mu.Lock()
	defer b.driver.mu.Unlock()
	return text, len(b.driver.asked) > before
}

const (
	never   = "outcome: deny\nmessage: not on Fridays\ntools: [\"owner:search/*\"]\n"
	confirm = "outcome: ask\nmessage: sure?\nwhen: arguments.query == \"x\"\n"
)

// A denial names the guard, its reason and the decision, and the call is not made.
func TestPolicyDenies(t *testing.T) {
	b := guarded(t, ".mortise/policies/never.yaml", never)
	text, made := b.find(b.client(nil))
	if made || !strings.Contains(text, "owner:never denies this call: not on Fridays") || !regexp.MustCompile(`\(decision [A-Z2-7]{12}\)$`).MatchString(text) {
		t.Errorf("got %q, made %v, want a denial that names the guard and the decision", text, made)
	}
	if l := b.logged; len(l) != 1 || l[0].Outcome != "denied" || l[0].By[0] != "owner:never" || !strings.Contains(text, l[0].Decision) {
		t.Errorf("logged: got %+v, want the denial", l)
	}
}

// A denial by one guard prevails over the question of another, and over a standing
// answer to it: TestField_POL01 as well.
func TestField_POL01_a_question_does_not_replace_a_denial(t *testing.T) {
	b := guarded(t, ".mortise/policies/confirm.yaml", confirm, ".mortise/hooks/before_tool_call/never.json", `{"answer": {"verdict": "deny", "reason": "by rule"}}`)
	asked := 0
	text, made := b.find(b.client(func(*mcp.ElicitParams) *mcp.ElicitResult {
		asked++
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "always allow it"}}
	}))
	if made || asked > 0 || !strings.Contains(text, "by rule") {
		t.Errorf("got %q, made %v, asked %d times, want a denial without a question", text, made, asked)
	}
}

// What asks is answered by the person, once or for good, and denies where nobody
// can be asked.
func TestPolicyAsks(t *testing.T) {
	b := guarded(t, ".mortise/policies/confirm.yaml", confirm)
	text, made := b.find(b.client(nil))
	if made || !strings.Contains(text, "mortise grant call owner:search/find --for owner:confirm") {
		t.Errorf("nobody to ask: got %q, made %v, want a denial with the command that would grant it", text, made)
	}
	var question string
	answer := func(action, word string) func(*mcp.ElicitParams) *mcp.ElicitResult {
		return func(p *mcp.ElicitParams) *mcp.ElicitResult {
			question = p.Message
			r := &mcp.ElicitResult{Action: action}
			if word != "" {
				r.Content = map[string]any{"answer": word}
			}
			return r
		}
	}
	for _, c := range []struct {
		action, word string
		made, asked  bool
	}{
		{"decline", "", false, true},
		{"cancel", "", false, true},
		{"accept", "refuse", false, true},
		{"accept", "allow this call", true, true},
		{"accept", "allow this call", true, true},
		{"accept", "always allow it", true, true},
		{"decline", "", true, false}, // the answer stands
	} {
		question = ""
		text, made := b.find(b.client(answer(c.action, c.word)))
		if made != c.made || (question != "") != c.asked {
			t.Errorf("%s %q: got %q, made %v, asked %q, want made %v, asked %v", c.action, c.word, text, made, question, c.made, c.asked)
		}
		if c.asked && (!strings.Contains(question, "owner:confirm asks: sure?") || !strings.Contains(question, `{"query":"x"}`)) {
			t.Errorf("the question: got %q, want who asks, and about what", question)
		}
	}
}

// A standing answer is to a guard as it is, about a tool as it is.
func TestStandingAnswerEndsWithTheGuard(t *testing.T) {
	b := guarded(t, ".mortise/policies/confirm.yaml", confirm)
	yes := func(*mcp.ElicitParams) *mcp.ElicitResult {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "always allow it"}}
	}
	if text, made := b.find(b.client(yes)); !made {
		t.Fatalf("got %q, want the call made", text)
	}
	b.write(".mortise/policies/confirm.yaml", confirm+"description: another text\n")
	p, _, err := b.host.Propose(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.host.Adopt(t.Context(), "tester", p); err != nil {
		t.Fatal(err)
	}
	b.refresh()
	if text, made := b.find(b.client(nil)); made {
		t.Errorf("the guard changed: got %q, made, want it asked anew", text)
	}
}

// What a person changes while they are asked holds for the call that waits.
func TestAskedWhileAGuardComes(t *testing.T) {
	b := guarded(t, ".mortise/policies/confirm.yaml", confirm)
	text, made := b.find(b.client(func(*mcp.ElicitParams) *mcp.ElicitResult {
		b.write(".mortise/policies/never.yaml", never)
		b.refresh()
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "allow this call"}}
	}))
	if made || !strings.Contains(text, "not on Fridays") {
		t.Errorf("got %q, made %v, want the denial of the guard that came", text, made)
	}
}

// A guard of the owner's that cannot be read denies every call until it is mended
// or disabled; disabling works, and holds for the very next call.
func TestOwnersBrokenPolicyDeniesUntilItIsDisabled(t *testing.T) {
	b := guarded(t, ".mortise/policies/never.yaml", "outcome: deny\nmessage: m\nwhen: tool ==\n")
	client := b.client(nil)
	text, made := b.find(client)
	if made || !strings.Contains(text, "owner:never") {
		t.Errorf("got %q, made %v, want every call denied", text, made)
	}
	off := state.Switch{Extension: ext.OwnerName, Entry: "policy/never"}
	if err := b.store.Update(t.Context(), func(s *state.Snapshot) error { s.Put(off); return nil }); err != nil {
		t.Fatal(err)
	}
	if text, made := b.find(client); !made {
		t.Errorf("disabled: got %q, want the call made", text)
	}
}

// TestLaw05_a_guard_outlives_the_refusal_of_its_extension wants what a plugin's
// policy denied to be denied when the plugin cannot be read any more, and its
// owner to end that by disabling it.
func TestLaw05_a_guard_outlives_the_refusal_of_its_extension(t *testing.T) {
	b := guarded(t, "mortise.toml", "[plugins.acme]\npath = \"./acme\"\n",
		"acme/plugin.json", `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "acme", "version": "1.0.0", "description": "d"}`,
		"acme/dev.mortise/policies/never.yaml", never)
	client := b.client(nil)
	for _, c := range []struct{ what, file, text string }{
		{"as it is", "", ""},
		{"a policy that cannot be read", "acme/dev.mortise/policies/never.yaml", "outcome: deny\n\tmessage"},
		{"a manifest that cannot be read", "acme/plugin.json", "{"},
	} {
		if c.file != "" {
			b.write(c.file, c.text)
			b.refresh()
		}
		if text, made := b.find(client); made || !strings.Contains(text, "acme:never denies this call: not on Fridays") {
			t.Errorf("%s: got %q, made %v, want the denial", c.what, text, made)
		}
	}
	quarantined := false
	for _, x := range b.host.Now().Listing().Extensions {
		quarantined = quarantined || x.Name == "acme" && x.Quarantined
	}
	if !quarantined {
		t.Error("the listing does not say that acme is in quarantine")
	}
	if err := b.store.Update(t.Context(), func(s *state.Snapshot) error { s.Put(state.Switch{Extension: "acme"}); return nil }); err != nil {
		t.Fatal(err)
	}
	if text, made := b.find(client); !made {
		t.Errorf("disabled: got %q, want the call made", text)
	}
}

// A call that cannot be logged is not made, and says so.
func TestUnloggedCallIsNotMade(t *testing.T) {
	b := guarded(t)
	client := b.client(nil)
	if text, made := b.find(client); !made {
		t.Fatalf("got %q, want the call made", text)
	}
	b.mu.Lock()
	b.full = errors.New("no space left")
	b.mu.Unlock()
	if text, made := b.find(client); made || !strings.Contains(text, "cannot be logged") {
		t.Errorf("the log is full: got %q, made %v, want the call refused", text, made)
	}
}

// The order of rules does not matter: a denial holds whatever stands before or
// after it, and nothing is an allow.
func TestField_POL05_a_denial_holds_in_every_order(t *testing.T) {
	for _, files := range [][2]string{{"a", "z"}, {"z", "a"}} {
		b := guarded(t, ".mortise/policies/"+files[0]+".yaml", never, ".mortise/policies/"+files[1]+".yaml", "outcome: ask\nmessage: anything else\n")
		if text, made := b.find(b.client(nil)); made || !strings.Contains(text, "not on Fridays") {
			t.Errorf("the denial in %s.yaml: got %q, made %v, want it denied", files[0], text, made)
		}
	}
	b := guarded(t, ".mortise/policies/all.yaml", "outcome: allow\nmessage: everything\n")
	if text, made := b.find(b.client(nil)); made {
		t.Errorf("a policy that allows: got %q and the call made, want it refused as it is written", text)
	}
}

// What is not listed is not called by its name either: one decision, taken from
// the body of the request alone.
func TestField_POL06_hidden_is_forbidden(t *testing.T) {
	b := guarded(t)
	client := b.client(nil)
	off := state.Switch{Extension: ext.OwnerName, Entry: "tool/search/find"}
	if err := b.store.Update(t.Context(), func(s *state.Snapshot) error { s.Put(off); return nil }); err != nil {
		t.Fatal(err)
	}
	for i, what := range []string{"before it was listed again", "after"} {
		if i == 1 && strings.Contains(toolNames(t, client), "owner_search__find") {
			t.Fatal("the tool is listed")
		}
		before := b.asked()
		r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "owner_search__find", Meta: mcp.Meta{"name": "mortise_list"}})
		if err == nil && !r.IsError || b.asked() != before {
			t.Errorf("%s: got %+v, %v, want the call refused", what, r, err)
		}
	}
}

// Consent is to what a server is, and not to its name: what it is changed to under
// the same name does not run.
func TestField_SEC02_consent_is_to_the_content(t *testing.T) {
	b := guarded(t)
	client := b.client(nil)
	if text, made := b.find(client); !made {
		t.Fatalf("got %q, want the call made", text)
	}
	for _, declared := range []string{`{"command": "other"}`, `{"command": "search", "args": ["x"]}`, `{"command": "search", "env": {"A": "b"}}`, `{"type": "http", "url": "http://127.0.0.1:1/mcp"}`} {
		b.write(".mortise/mcp.json", `{"mcpServers": {"search": `+declared+`}}`)
		b.refresh()
		if text, made := b.find(client); made {
			t.Errorf("search is %s now: got %q and the call made, want it to wait for its person", declared, text)
		}
	}
	b.write(".mortise/mcp.json", `{"mcpServers": {"search": {"command": "search"}}}`)
	b.refresh()
	if text, made := b.find(client); !made {
		t.Errorf("as it was: got %q, want the call made", text)
	}
}

// Admission is of all or of nothing: with one hook at fault neither is half in
// use, and once it is mended both are.
func TestField_POL12_admission_is_all_or_nothing(t *testing.T) {
	b := guarded(t, "mortise.toml", "[plugins.acme]\npath = \"./acme\"\n",
		"acme/plugin.json", `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "acme", "version": "1.0.0", "description": "d"}`,
		"acme/skills/s/SKILL.md", "---\nname: s\ndescription: d\n---\nText.\n",
		"acme/dev.mortise/policies/good.yaml", never, "acme/dev.mortise/policies/odd.yaml", "outcome: perhaps\nmessage: m\n")
	inUse := func() (n int) {
		for _, s := range b.host.Now().Session(false).Skills {
			if s.Extension == "acme" {
				n++
			}
		}
		return n
	}
	if got := inUse(); got != 0 {
		t.Errorf("a hook of two is at fault: got %d skills of the plugin in use, want none", got)
	}
	if text, made := b.find(b.client(nil)); made || !strings.Contains(text, "acme:good") {
		t.Errorf("its sound guard: got %q, made %v, want it asked all the same", text, made)
	}
	b.write("acme/dev.mortise/policies/odd.yaml", "outcome: ask\nmessage: m\n")
	p, _, err := b.host.Propose(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.host.Adopt(t.Context(), "tester", p); err != nil {
		t.Fatal(err)
	}
	b.refresh()
	if got := inUse(); got != 1 {
		t.Errorf("it is mended: got %d skills of the plugin in use, want one", got)
	}
	if q := b.host.Now().Guards().Quarantined(); len(q) != 0 {
		t.Errorf("it is mended: got %+v in quarantine, want nothing", q)
	}
}

const acmeManifest = `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "acme", "version": "1.0.0", "description": "d"}`

// What was disabled for a while is asked again when it is enabled, be it readable
// or not by then; and a guard that is remembered alone can be disabled by its name.
func TestLaw05_a_guard_is_remembered_while_it_is_disabled(t *testing.T) {
	b := guarded(t, "mortise.toml", "[plugins.acme]\npath = \"./acme\"\n", "acme/plugin.json", acmeManifest, "acme/dev.mortise/policies/never.yaml", never)
	client := b.client(nil)
	if text, made := b.find(client); made {
		t.Fatalf("got %q and the call made, want it denied", text)
	}
	change := host.Change{Subject: "acme", By: "tester"}
	if _, err := b.host.Disable(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	if text, made := b.find(client); !made {
		t.Fatalf("disabled: got %q, want the call made", text)
	}
	b.write("acme/plugin.json", "{")
	if _, err := b.host.Enable(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	if text, made := b.find(client); made || !strings.Contains(text, "acme:never") {
		t.Errorf("enabled, and broken: got %q, made %v, want what it denied to be denied", text, made)
	}
	change.Subject = "acme:policy/never"
	if _, err := b.host.Disable(t.Context(), change); err != nil {
		t.Errorf("disable the guard that is remembered: %v", err)
	}
	if text, made := b.find(client); !made {
		t.Errorf("the guard is disabled: got %q, want the call made", text)
	}
}

// What is remembered of an extension of another workspace is not asked here, though
// one here has its name.
func TestGuardsAreRememberedByWorkspace(t *testing.T) {
	b := guarded(t, "mortise.toml", "[plugins.acme]\npath = \"./acme\"\n", "acme/plugin.json", "{")
	far := state.Guard{Extension: "acme", Scope: ext.Sum([]byte("elsewhere")), Name: "never", Event: "policy", Code: ext.Sum([]byte(never))}
	if err := b.store.Update(t.Context(), func(s *state.Snapshot) error { s.Put(far); return nil }); err != nil {
		t.Fatal(err)
	}
	if text, made := b.find(b.client(nil)); !made {
		t.Errorf("got %q, want the call made", text)
	}
}

// A question that cannot show all of the arguments offers no answer for good, and
// takes none.
func TestNothingUnseenIsAllowedForGood(t *testing.T) {
	b := guarded(t, ".mortise/policies/confirm.yaml", "outcome: ask\nmessage: sure?\n")
	asked, offered := 0, ""
	s := b.client(func(p *mcp.ElicitParams) *mcp.ElicitResult {
		asked++
		schema, _ := json.Marshal(p.RequestedSchema)
		offered = string(schema)
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "always allow it"}}
	})
	before := b.asked()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "owner_search__find", Arguments: map[string]any{"query": strings.Repeat("x", 2000)}})
	if err == nil && !r.IsError || b.asked() != before || asked != 1 {
		t.Errorf("got %+v, %v, asked %d times, want one question, and the call refused", r, err, asked)
	}
	if strings.Contains(offered, "always") || !strings.Contains(offered, "allow this call") {
		t.Errorf("offered: got %s, want an answer for this call alone", offered)
	}
}

// A name that a shell would read otherwise than it is stands in no command that a
// denial tells its reader to run.
func TestDenialOffersOnlyNamesThatAreTyped(t *testing.T) {
	b := guarded(t, ".mortise/policies/a $(id).yaml", "outcome: ask\nmessage: sure?\n")
	if text, made := b.find(b.client(nil)); made || strings.Contains(text, "mortise grant") {
		t.Errorf("got %q, made %v, want a denial without a command", text, made)
	}
}

// A call that is refused because its tool is not in use is in the log as well.
func TestRefusalOfWhatIsNotInUseIsLogged(t *testing.T) {
	b := guarded(t)
	client := b.client(nil)
	toolNames(t, client)
	if err := b.store.Update(t.Context(), func(s *state.Snapshot) error {
		s.Put(state.Switch{Extension: ext.OwnerName, Entry: "tool/search/find"})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	text, made := b.find(client)
	if l := b.logged; made || len(l) != 1 || l[0].Outcome != "denied" || !strings.Contains(l[0].Reason, "disabled") {
		t.Errorf("got %q, made %v, logged %+v, want the refusal", text, made, b.logged)
	}
}

// What is adopted is remembered with the adoption itself, so that no edit comes
// between the two.
func TestLaw05_an_adopted_guard_is_remembered_at_once(t *testing.T) {
	b := guarded(t)
	b.write(".mortise/policies/never.yaml", never)
	p, _, err := b.host.Propose(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.host.Adopt(t.Context(), "tester", p); err != nil {
		t.Fatal(err)
	}
	b.write(".mortise/policies/never.yaml", "outcome: deny\nmessage: m\ntools: [\"nothing\"]\n") // before anybody looked
	b.refresh()
	if text, made := b.find(b.client(nil)); made || !strings.Contains(text, "not on Fridays") {
		t.Errorf("got %q, made %v, want what was adopted to deny", text, made)
	}
}
