package guard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/hook/toolcall"
	"github.com/mortise-dev/mortise/internal/surface/policy"
)

// patience is how long the code of a guard may take that does not say.
const patience = 10 * time.Second

// Judge asks every guard that is for a call, and returns what they have against
// it: policies first, then those that cannot answer, then the others. Code is not
// run for a call that is denied anyway. reach finds what answers for a reference;
// nil finds nothing. What fails, panics, takes too long or answers oddly denies.
func (s *Set) Judge(ctx context.Context, c *Call, reach func(ext.Ref) call.Caller) []Objection {
	if s.Empty() {
		return nil
	}
	out := s.ruled(ctx, c)
	for i := range s.walls {
		if w := &s.walls[i]; w.matches(c) {
			out = append(out, Objection{w.Name, w.Origin, w.Content, Deny, w.Broken, true, w.Held})
		}
	}
	var code []*hook
	for i := range s.hooks {
		switch h := &s.hooks[i]; {
		case !h.matches(c):
		case h.im.Answer != nil:
			o, err := toolcall.Written(h.im.Answer)
			out = h.objects(out, o, err)
		default:
			code = append(code, h)
		}
	}
	if len(code) == 0 || Prevails(out) == Deny {
		return out
	}
	return append(out, run(ctx, c, code, reach)...)
}

// ruled is what policies have against a call.
func (s *Set) ruled(ctx context.Context, c *Call) []Objection {
	var out []Objection
	for _, o := range s.policies.JudgeContext(ctx, c.action()) {
		r := &s.rules[o.Rule.Index()]
		reason := o.Message
		if o.Failed {
			reason = o.Reason
		}
		out = append(out, Objection{r.Name, r.Origin, r.Content, verdictOf(o), reason, o.Failed, r.Held})
	}
	return out
}

// verdictOf is what the opinion of a policy comes to.
func verdictOf(o policy.Opinion) Verdict {
	if o.Outcome == policy.Ask && !o.Failed {
		return Ask
	}
	return Deny
}

// action is the call as policies see it.
func (c *Call) action() *policy.Action {
	return &policy.Action{
		Tool: c.Tool, Qualified: c.Qualified, Server: c.Server, Extension: string(c.Extension),
		Session: c.Session, Agent: c.Agent, Client: c.Client, Mode: c.Mode,
		Arguments: c.Arguments, Annotations: c.Annotations,
	}
}

// objects adds what a hook answered, unless that is nothing.
func (h *hook) objects(out []Objection, o toolcall.Opinion, err error) []Objection {
	v := Deny
	switch {
	case err != nil:
		o.Reason = err.Error()
	case o.Verdict == "":
		return out
	case o.Verdict == toolcall.Ask:
		v = Ask
	}
	return append(out, Objection{h.Name, h.Origin, h.Content, v, o.Reason, err != nil, h.Held})
}

// run asks the code of guards, all at once.
func run(ctx context.Context, c *Call, code []*hook, reach func(ext.Ref) call.Caller) []Objection {
	question, err := ext.EncodeJSON(toolcall.Call{
		Tool: c.Tool, Extension: c.Extension, Server: c.Server, Arguments: c.Arguments, Session: c.Session,
	})
	answers := make([]toolcall.Opinion, len(code))
	errs := make([]error, len(code))
	var all sync.WaitGroup
	for i, h := range code {
		if errs[i] = err; err == nil {
			all.Go(func() { answers[i], errs[i] = h.ask(ctx, question, reach) })
		}
	}
	all.Wait()
	var out []Objection
	for i, h := range code {
		out = h.objects(out, answers[i], errs[i])
	}
	return out
}

// ask asks the code of one guard. It returns when its time is over, whatever the
// code does.
func (h *hook) ask(ctx context.Context, question json.RawMessage, reach func(ext.Ref) call.Caller) (toolcall.Opinion, error) {
	var caller call.Caller
	if reach != nil {
		caller = reach(h.im.Ref)
	}
	if caller == nil {
		return toolcall.Opinion{}, fmt.Errorf("nothing here reaches %s", ext.Quote(h.im.Ref.String()))
	}
	limit := patience
	if h.im.Timeout > 0 {
		limit = time.Duration(h.im.Timeout) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	came := make(chan answer, 1)
	go func() { came <- h.answer(ctx, caller, question) }()
	var a answer
	select {
	case a = <-came:
	case <-ctx.Done():
	}
	switch { // an answer that comes as the time ends is late, whichever was seen first
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return toolcall.Opinion{}, fmt.Errorf("it did not answer within %v", limit)
	case ctx.Err() != nil:
		return toolcall.Opinion{}, errors.New("the call was given up before it answered")
	case a.fault != "":
		return toolcall.Opinion{}, errors.New(a.fault)
	}
	return toolcall.Read(a.raw)
}

// answer is what the code of a guard answered, or what it failed with.
type answer struct {
	raw   json.RawMessage
	fault string
}

// answer runs the code. Whatever it does, and be it in the text of its error, is an
// answer.
func (h *hook) answer(ctx context.Context, caller call.Caller, question json.RawMessage) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{fault: "it failed: " + ext.Escape(ext.Shorten(fmt.Sprint(p), 500))}
		}
	}()
	raw, err := caller.Call(ctx, h.im.Ref, question)
	if err != nil {
		return answer{fault: cmp.Or(ext.Escape(ext.Shorten(err.Error(), 500)), "it failed and does not say why")}
	}
	return answer{raw: raw}
}
