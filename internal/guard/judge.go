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
// run for a call that is denied anyway. What fails, panics, takes too long or
// answers oddly denies.
//
// Handlers of clients' hooks may rewrite the arguments, one after another. The call
// that comes of it is then judged anew by all of them, and that is the judgement:
// Arguments are what was judged.
func (s *Set) Judge(ctx context.Context, c *Call, m Means) Judgement {
	if s.Empty() {
		return Judgement{Arguments: c.Arguments}
	}
	first := s.round(ctx, c, m)
	if len(first.rewrites) == 0 || Prevails(first.Objections) == Deny {
		first.Arguments = c.Arguments
		return first.Judgement
	}
	return s.rewritten(ctx, c, m, first)
}

// round asks every guard once about a call as it is.
func (s *Set) round(ctx context.Context, c *Call, m Means) round {
	r := round{Judgement: Judgement{Objections: s.ruled(ctx, c)}}
	for i := range s.walls {
		if w := &s.walls[i]; w.matches(c) {
			r.object(w.Guard, Deny, w.Broken, true)
		}
	}
	var code []*hook
	for i := range s.hooks {
		switch h := &s.hooks[i]; {
		case !h.matches(c):
		case h.im.Answer != nil:
			o, err := toolcall.Written(h.im.Answer)
			r.heed(h, o, err)
		default:
			code = append(code, h)
		}
	}
	handlers := s.handling(c)
	if len(code)+len(handlers) == 0 || Prevails(r.Objections) == Deny {
		return r
	}
	r.Ran = true
	var both sync.WaitGroup
	var answers []heard
	both.Go(func() { answers = run(ctx, c, handlers, m) })
	opinions, errs := consult(ctx, c, code, m.Reach)
	both.Wait()
	for i, h := range code {
		r.heed(h, opinions[i], errs[i])
	}
	for i := range answers {
		r.hear(&answers[i])
	}
	return r
}

// round is what came of asking every guard once.
type round struct {
	Judgement
	rewrites []heard
}

// object adds what a guard has against a call.
func (r *round) object(g Guard, v Verdict, reason string, failed bool) {
	r.Objections = append(r.Objections, Objection{
		Guard: g.Name, Origin: g.Origin, Content: g.Content, Verdict: v, Reason: reason, Failed: failed, Held: g.Held, Fix: g.fix(),
	})
}

// heed adds what a hook answered, unless that is nothing.
func (r *round) heed(h *hook, o toolcall.Opinion, err error) {
	switch {
	case err != nil:
		r.object(h.Guard, Deny, err.Error(), true)
	case o.Verdict == toolcall.Ask:
		r.object(h.Guard, Ask, o.Reason, false)
	case o.Verdict != "":
		r.object(h.Guard, Deny, o.Reason, false)
	}
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
		out = append(out, Objection{Guard: r.Name, Origin: r.Origin, Content: r.Content, Verdict: verdictOf(o), Reason: reason, Failed: o.Failed, Held: r.Held})
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
		Session: c.Session, Agent: c.Agent, Client: c.Client, Mode: c.Mode, ModeOf: c.ModeOf,
		Arguments: c.Arguments, Annotations: c.Annotations,
	}
}

// consult asks the code of hooks, all at once.
func consult(ctx context.Context, c *Call, code []*hook, reach func(ext.Ref) call.Caller) ([]toolcall.Opinion, []error) {
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
	return answers, errs
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
