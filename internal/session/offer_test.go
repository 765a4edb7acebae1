package session_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/surface/agent"
	"github.com/mortise-dev/mortise/internal/surface/command"
	"github.com/mortise-dev/mortise/internal/surface/resource"
	"github.com/mortise-dev/mortise/internal/surface/rule"
	"github.com/mortise-dev/mortise/internal/surface/skill"
	"github.com/mortise-dev/mortise/internal/surface/tool"
)

// served is a tool as a server defines it.
func served(t interface{ Fatal(...any) }, x ext.Name, server, definition string) compose.Typed[tool.Tool] {
	d := read(t, definition)
	name := d.Word("name")
	return compose.Typed[tool.Tool]{Entry: entry(x, server+"/"+name), Value: tool.Tool{Ref: ref(x, server, name), Definition: d}}
}

// TestDefinitionsKeepEveryByte wants a served definition as it was sent, but for
// the value of its name.
func TestDefinitionsKeepEveryByte(t *testing.T) {
	for _, c := range []struct{ name, sent, want string }{
		{"plain", `{"name":"t","inputSchema":{"type":"object"}}`, `{"name":"acme_s__t","inputSchema":{"type":"object"}}`},
		{"unknown members, in their order", `{"zeta":1,"name":"t","execution":{"taskSupport":"optional"},"alpha":null}`, `{"zeta":1,"name":"acme_s__t","execution":{"taskSupport":"optional"},"alpha":null}`},
		{"numbers as they are spelled", `{"name":"t","n":[1.0,1e3,1E+03,-0,123456789012345678901234567890]}`, `{"name":"acme_s__t","n":[1.0,1e3,1E+03,-0,123456789012345678901234567890]}`},
		{"escapes", `{"name":"t","description":"\u00e9 \/ \u003c < \n é","k\u0065y":"\t"}`, `{"name":"acme_s__t","description":"\u00e9 \/ \u003c < \n é","k\u0065y":"\t"}`},
		{"an escaped name", `{"n\u0061me":"\u0074","x":1}`, `{"n\u0061me":"acme_s__t","x":1}`},
		{"nested names", `{"inputSchema":{"name":"t","properties":{"name":{"name":"t"}}},"name":"t"}`, `{"inputSchema":{"name":"t","properties":{"name":{"name":"t"}}},"name":"acme_s__t"}`},
		{"blanks", "{ \"name\" :\t\"t\" ,\n \"x\" : [ 1 , 2 ] }", "{ \"name\" :\t\"acme_s__t\" ,\n \"x\" : [ 1 , 2 ] }"},
		{"keys and values that look like it", `{"a\"name\":":"\"name\":1","b":[{"name":"t"}],"name":"t"}`, `{"a\"name\":":"\"name\":1","b":[{"name":"t"}],"name":"acme_s__t"}`},
		{"a title beside the name", `{"title":"t","name":"t","annotations":{"title":"t","readOnlyHint":false,"x":1}}`, `{"title":"t","name":"acme_s__t","annotations":{"title":"t","readOnlyHint":false,"x":1}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &session.Session{Tools: []compose.Typed[tool.Tool]{served(t, "acme", "s", c.sent)}}
			if got := string(s.Offer(session.OfferOptions{}).Tools[0].Definition); got != c.want {
				t.Errorf("the tool: got %s, want %s", got, c.want)
			}
			if got := string(s.Tools[0].Value.Definition.Raw); got != c.sent {
				t.Errorf("what the server sent is now %s", got)
			}
			d := read(t, c.sent)
			p := &session.Session{Commands: []compose.Typed[command.Command]{{Entry: entry("acme", "s/t"), Value: command.Command{Definition: d, Ref: ref("acme", "s", "t")}}}}
			if got := string(p.Offer(session.OfferOptions{}).Prompts[0].Definition); got != c.want {
				t.Errorf("the prompt: got %s, want %s", got, c.want)
			}
		})
	}
}

// TestDefinitionsOfAnything draws definitions: what is offered is what was sent,
// with the name replaced.
func TestDefinitionsOfAnything(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		before := rapid.MapOf(rapid.String(), rapid.String()).Draw(r, "before")
		delete(before, "name")
		extra, err := json.Marshal(before)
		if err != nil {
			r.Fatal(err)
		}
		members := strings.TrimSuffix(strings.TrimPrefix(string(extra), "{"), "}")
		if members != "" {
			members += ","
		}
		sent := `{` + members + `"name":"t","last":{"name":"t"}}`
		s := &session.Session{Tools: []compose.Typed[tool.Tool]{served(r, "acme", "s", sent)}}
		want := `{` + members + `"name":"acme_s__t","last":{"name":"t"}}`
		if got := string(s.Offer(session.OfferOptions{}).Tools[0].Definition); got != want {
			r.Fatalf("got %s, want %s", got, want)
		}
	})
}

// everything is a session with one of each thing that is offered.
func everything(t *testing.T) *session.Session {
	t.Helper()
	uri := func(x ext.Name, server, definition string) compose.Typed[resource.Resource] {
		d := read(t, definition)
		v := resource.Resource{URI: d.Word("uri"), Ref: ref(x, server, ""), Definition: d}
		if v.URI == "" {
			v.URI, v.Template = d.Word("uriTemplate"), true
		}
		return compose.Typed[resource.Resource]{Entry: entry(x, v.URI), Value: v}
	}
	code := entry("acme", "build")
	code.Description = "Builds <it>."
	hinted := command.Command{Body: "Go.", ArgumentHint: "[where]"}
	return &session.Session{
		Tools: []compose.Typed[tool.Tool]{
			served(t, "acme", "s", `{"name":"look","x":1}`), served(t, "acme", "other", `{"name":"look"}`),
			{Entry: code, Value: tool.Tool{Title: "Build", Input: read(t, `{"type":"object","n":1.0}`), Ref: ext.Ref{Driver: "process", Target: "./b", Name: "build"}}},
		},
		Commands: []compose.Typed[command.Command]{
			{Entry: entry("acme", "go"), Value: hinted}, {Entry: entry("acme", "ship"), Value: command.Command{Body: "Ship $ARGUMENTS."}}, {Entry: entry("acme", "rest"), Value: command.Command{Body: "Rest."}},
			{Entry: entry("acme", "s/ask"), Value: command.Command{Definition: read(t, `{"name":"ask","arguments":[{"name":"a"}]}`), Ref: ref("acme", "s", "ask")}},
		},
		Resources: []compose.Typed[resource.Resource]{
			uri("acme", "s", `{"uri":"s://one","name":"one","size":1.0}`), uri("acme", "s", `{"uriTemplate":"s://{x}","name":"many"}`),
			uri("acme", "s@2", `{"uri":"s2://one","name":"one"}`),
			{Entry: entry("acme", "code://x"), Value: resource.Resource{URI: "code://x", Title: "X", Ref: ext.Ref{Driver: "process", Target: "acme:s@"}}},
		},
		Skills: []compose.Typed[skill.Skill]{{Entry: entry("acme", "a b/c"), Value: skill.Skill{Body: "Do."}}},
		Agents: []compose.Typed[agent.Agent]{{Entry: entry("acme", "x"), Value: agent.Agent{Prompt: "Be."}}},
	}
}

func names(list []session.Offer) string {
	var out []string
	for _, o := range list {
		out = append(out, o.Name)
	}
	return strings.Join(out, " ")
}

func TestOffer(t *testing.T) {
	o := everything(t).Offer(session.OfferOptions{})
	for _, c := range []struct {
		what string
		list []session.Offer
		want string
	}{
		{"tools", o.Tools, "acme_build acme_other__look acme_s__look"},
		{"prompts", o.Prompts, "acme_go acme_rest acme_s__ask acme_ship"},
		{"resources", o.Resources, "agent://acme/x code://x s2://one s://one skill://acme/a%20b%2Fc/SKILL.md"},
		{"templates", o.Templates, "s://{x}"},
		{"hidden", o.Hidden, ""},
	} {
		if got := names(c.list); got != c.want {
			t.Errorf("%s: got %s, want %s", c.what, got, c.want)
		}
	}
	for name, want := range map[string]string{
		"acme_build": `{"name":"acme_build","title":"Build","description":"Builds <it>.","inputSchema":{"type":"object","n":1.0}}`,
		"acme_go":    `{"name":"acme_go","arguments":[{"name":"arguments","description":"[where]","required":false}]}`,
		"acme_ship":  `{"name":"acme_ship","arguments":[{"name":"arguments","required":false}]}`,
		"acme_rest":  `{"name":"acme_rest"}`, "acme_s__ask": `{"name":"acme_s__ask","arguments":[{"name":"a"}]}`,
		"s://one": `{"uri":"s://one","name":"one","size":1.0}`, "code://x": `{"uri":"code://x","name":"code://x","title":"X"}`,
		"agent://acme/x": `{"uri":"agent://acme/x","name":"acme:x","mimeType":"text/markdown"}`,
	} {
		found := o.Tool(name)
		if found == nil {
			found = o.Prompt(name)
		}
		if found == nil {
			found = o.Resource(name)
		}
		if found == nil || string(found.Definition) != want {
			t.Errorf("%s: got %+v, want the definition %s", name, found, want)
		}
	}
	if got := o.Prompt("acme_ship"); got.Command == nil || got.Ref != (ext.Ref{}) {
		t.Errorf("a command that is text: got %+v, want its text and nothing that answers", got)
	}
	if got := o.Resource("skill://acme/a%20b%2Fc/SKILL.md"); got.Text != "Do." || got.Ref != (ext.Ref{}) {
		t.Errorf("a skill: got %+v, want its text and nothing that answers", got)
	}
}

// One server alone is offered as it is: its names, and nothing else, not even of
// a server whose name begins like its.
func TestOfferOnly(t *testing.T) {
	o := everything(t).Offer(session.OfferOptions{Only: "acme:s"})
	got := strings.Join([]string{names(o.Tools), names(o.Prompts), names(o.Resources), names(o.Templates)}, "|")
	if want := "look|ask|s://one|s://{x}"; got != want {
		t.Errorf("only acme:s: got %s, want %s", got, want)
	}
	if got, want := string(o.Tools[0].Definition), `{"name":"look","x":1}`; got != want {
		t.Errorf("its tool: got %s, want %s as it was sent", got, want)
	}
	if o := everything(t).Offer(session.OfferOptions{Only: "acme:nothing"}); len(o.Tools)+len(o.Prompts)+len(o.Resources)+len(o.Templates) != 0 {
		t.Errorf("only a server that is not there: got %+v, want nothing", o)
	}
}

// A name is never given twice: the first in load order has it, the others are
// hidden and told.
func TestOfferHidesWhatHasNoName(t *testing.T) {
	one, two := served(t, "acme", "s", `{"name":"t","n":1}`), served(t, "acme", "s", `{"name":"t","n":2}`)
	o := (&session.Session{Tools: []compose.Typed[tool.Tool]{one, two, served(t, "acme", "s", `{"name":"u"}`)}}).Offer(session.OfferOptions{})
	if names(o.Tools) != "acme_s__t acme_s__u" || string(o.Tool("acme_s__t").Definition) != `{"name":"acme_s__t","n":1}` {
		t.Errorf("tools: got %s, want the first t and u", names(o.Tools))
	}
	if len(o.Hidden) != 1 || string(o.Hidden[0].Definition) != `{"name":"acme_s__t","n":2}` {
		t.Errorf("hidden: got %+v, want the second t", o.Hidden)
	}
}

// TestOfferIsPure wants the same offers again, and the session as it was.
func TestOfferIsPure(t *testing.T) {
	s := everything(t)
	a, b := s.Offer(session.OfferOptions{}), s.Offer(session.OfferOptions{})
	if !slices.EqualFunc(a.Tools, b.Tools, func(x, y session.Offer) bool { return x.Name == y.Name && string(x.Definition) == string(y.Definition) }) {
		t.Error("the offers of one session differ")
	}
	if s.Tools[0].Value.Ref.Name != "look" || s.Tools[2].Name != "build" {
		t.Error("offering changed the session")
	}
}

// TestRulesAreResources wants a rule to be read at an address of its own, and to
// say before it is read when it applies.
func TestRulesAreResources(t *testing.T) {
	r := compose.Typed[rule.Rule]{Entry: entry("acme", "go:style"), Value: rule.Rule{Applies: []string{"*.go"}, Body: "Short names.\n"}}
	r.Description = "How Go is written."
	s := &session.Session{Rules: []compose.Typed[rule.Rule]{r}}
	o := s.Offer(session.OfferOptions{}).Resource("rule://acme/go:style")
	if o == nil || o.Text != "Applies: when working on files that match *.go.\n\nShort names.\n" {
		t.Fatalf("got %+v, want the rule with when it applies", o)
	}
	var shown struct{ Description string }
	if err := json.Unmarshal(o.Definition, &shown); err != nil || shown.Description != "Rule, applies when working on files that match *.go: How Go is written." {
		t.Errorf("shown: got %q, %v", shown.Description, err)
	}
	if other := s.Offer(session.OfferOptions{Only: "acme:s"}).Resource("rule://acme/go:style"); other != nil {
		t.Error("what is of one server alone offers a rule of its extension")
	}
}

// A server that is offered alone keeps its tools' own names, and so their very
// definitions: a thousand of them are not held twice.
func TestADefinitionWithItsOwnNameIsNotCopied(t *testing.T) {
	one := served(t, "acme", "s", `{ "n\u0061me":"\u0074","x":1}`)
	s := &session.Session{Tools: []compose.Typed[tool.Tool]{one}}
	got := s.Offer(session.OfferOptions{Only: "acme:s"}).Tools[0].Definition
	if want := one.Value.Definition.Raw; string(got) != string(want) || &got[0] != &want[0] {
		t.Errorf("got %s, want the bytes of %s themselves", got, want)
	}
}

// Hidden is what Offer hides.
func TestHiddenAgreesWithOffer(t *testing.T) {
	s := everything(t)
	s.Tools = append(s.Tools, s.Tools...)
	s.Commands = append(s.Commands, s.Commands[0])
	want, got := s.Offer(session.OfferOptions{}).Hidden, s.Hidden(session.OfferOptions{})
	if names(got) != names(want) || len(got) != 4 {
		t.Errorf("Hidden: got %s, want %s", names(got), names(want))
	}
}
