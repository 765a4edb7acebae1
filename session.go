package mortise

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/session"
)

// Session is one agent's. Its tools and its static text are those of the time when
// it was opened, for its life; what may object to a call is read anew before each.
// It is safe for concurrent use.
type Session struct {
	host    *Host
	id      string
	agent   string
	client  string
	mode    ext.Mode
	text    string
	left    []Placed
	offers  []offer // by name
	refused *AdmissionError
}

// SessionOption says whose a session is. Policies may read it.
type SessionOption func(*Session)

// ForAgent names the agent: "agent" in policies.
func ForAgent(name string) SessionOption { return func(s *Session) { s.agent = name } }

// ForClient names what the agent works through: "client" in policies.
func ForClient(name string) SessionOption { return func(s *Session) { s.client = name } }

// InMode says in which mode the agent works: "mode" in policies.
func InMode(mode ext.Mode) SessionOption { return func(s *Session) { s.mode = maps.Clone(mode) } }

// Session opens a session on the providers and on the plugins that are in use now.
// Where the plugins cannot be composed, it is without their tools, and
// [Session.Refused] says why.
func (h *Host) Session(opts ...SessionOption) *Session {
	r, err := h.read(context.Background(), nil)
	if err != nil {
		panic(err) // nothing ends that context
	}
	s := &Session{host: h, id: rand.Text(), offers: r.composed.offers, refused: r.refused}
	s.text, s.left = r.composed.session.Instructions(rand.Text()), leftOut(r.composed.session)
	for _, set := range opts {
		set(s)
	}
	return s
}

// ID is the session's own: "session" in policies and actions.
func (s *Session) ID() string { return s.id }

// Instructions is the static text that the agent begins with: the program's own,
// then that of extensions, each fenced by two lines that say whose it is. Of one
// extension there are 8,000 characters at most, of all 16,000. It is the same for the
// session's life.
func (s *Session) Instructions() string { return s.text }

// LeftOut are the fragments that Instructions has no room for. It says how many of
// which extension they are; what they are is for the person.
func (s *Session) LeftOut() []Placed { return slices.Clone(s.left) }

// leftOut are the fragments that the text of a session has no room for.
func leftOut(of *session.Session) []Placed {
	var left session.Session
	for _, l := range of.LeftOut() {
		left.Prompt = append(left.Prompt, *l.Fragment)
	}
	return (&Composed{session: &left}).Fragments()
}

// Tools are the tools of the session, by name.
func (s *Session) Tools() []Offer { return shown(s.offers) }

// Refused says why the session was opened without the tools of plugins that the host
// has; nil where it has them all.
func (s *Session) Refused() *AdmissionError { return s.refused }

// Result is what a tool answered.
type Result struct {
	Text       string          // the answer as JSON, or what went wrong, in words; of a server, the text of its answer
	Structured json.RawMessage // the answer, where it is an object; else nil
	Raw        json.RawMessage // all of it, as MCP has it: what is neither, such as images, is here alone
	Failed     bool            // the tool says that it went wrong: it returned an error, panicked, or could not read the arguments
}

// Call calls a tool by its name with arguments, a JSON object; nil is an empty one.
// Everything that may object is asked first: a call that may not be made ends with a
// [*Denied], and the tool is not called. A tool that fails is a Result that says so; a
// server that cannot be reached is an error.
func (s *Session) Call(ctx context.Context, tool string, arguments json.RawMessage) (Result, error) {
	if err := s.host.begin(); err != nil {
		return Result{}, err
	}
	defer s.host.end()
	at, ok := slices.BinarySearchFunc(s.offers, tool, func(o offer, name string) int { return cmp.Compare(o.Name, name) })
	if !ok {
		return Result{}, ext.AsUsage(fmt.Errorf("the session has no tool %s", ext.Quote(ext.Shorten(tool, 80))))
	}
	arguments, err := object(arguments)
	if err != nil {
		return Result{}, ext.AsUsage(fmt.Errorf("the arguments of %s: %w", tool, err))
	}
	o := &s.offers[at]
	if err := s.decide(ctx, o, arguments); err != nil {
		return Result{}, err
	}
	if why := s.host.changed(o); why != "" {
		return Result{}, ext.AsRefused(&Denied{Decision: rand.Text()[:12], Tool: o.Name, Why: why})
	}
	raw, err := o.through.Call(ctx, o.ref, arguments)
	if err != nil {
		return Result{}, err
	}
	return resultOf(raw)
}

// object is arguments as everybody reads them alike: an object that names no key
// twice.
func object(arguments json.RawMessage) (json.RawMessage, error) {
	if len(arguments) == 0 {
		return json.RawMessage("{}"), nil
	}
	v := jsontext.Value(arguments)
	if !v.IsValid() {
		return nil, errors.New("they are no JSON, or name a key twice")
	}
	if v.Kind() != jsontext.KindBeginObject {
		return nil, errors.New("they are no object")
	}
	return arguments, nil
}

// resultOf reads a result as MCP has it.
func resultOf(raw json.RawMessage) (Result, error) {
	var r struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return Result{}, fmt.Errorf("read the answer: %w", err)
	}
	out := Result{Structured: r.Structured, Raw: raw, Failed: r.IsError}
	for _, c := range r.Content {
		out.Text += c.Text
	}
	return out, nil
}

// Request is what a turn is about.
type Request struct {
	Prompt string // what the agent is asked
	// Scope is whose turn it is, as a path from the tenant down: "acme/support/kim".
	// "" is nobody's in particular.
	Scope string
}

// Turn is what plugins add to one turn of an agent.
type Turn struct {
	// Text is what the plugins' prompt hooks say, fenced and bounded as the text of
	// any extension; "" is nothing. It is not part of Session.Instructions.
	Text string
	// LeftOut is what they say and Text has no room for.
	LeftOut []Placed
	// Tools are those of the session that may be called now: all but those of plugins
	// that are not in use any more, or not whole, and those that a server describes
	// otherwise by now.
	Tools []Offer
	// Refused says which plugins offer nothing on this turn, and why; nil: none. Their
	// vetoes are asked all the same.
	Refused *AdmissionError
}

// Turn reads the plugins as they are now, and asks their prompt hooks. A plugin
// whose hook fails, or says what no fragment may, offers nothing on this turn. Where
// the plugins together cannot be composed any more, none of them does. The error is
// for a request that cannot be meant, for a closed host, and for the end of ctx.
func (s *Session) Turn(ctx context.Context, request Request) (Turn, error) {
	if err := s.host.begin(); err != nil {
		return Turn{}, err
	}
	defer s.host.end()
	if request.Scope != "" && slices.Contains(strings.Split(request.Scope, "/"), "") {
		return Turn{}, ext.AsUsage(fmt.Errorf("the scope %s has an empty segment, so that whose it is cannot be told", ext.Quote(ext.Shorten(request.Scope, 80))))
	}
	r, err := s.host.read(ctx, nil)
	if err != nil {
		return Turn{}, err
	}
	p := prompting{reading: r}
	p.ask(ctx, s.host.patience, stateOf(request))
	if err := ctx.Err(); err != nil {
		return Turn{}, err
	}
	t := Turn{Refused: p.refused}
	t.Text, t.LeftOut = p.text()
	for i := range s.offers {
		if b := s.offers[i].owner.bridge; (b == nil || p.offers(b)) && s.host.changed(&s.offers[i]) == "" {
			t.Tools = append(t.Tools, s.offers[i].shown())
		}
	}
	return t, nil
}
