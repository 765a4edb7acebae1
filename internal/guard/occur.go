package guard

import (
	"context"

	"github.com/mortise-dev/mortise/internal/dialect"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Occur asks every handler about something that happens in a client and is no call
// of a tool: those that can keep it from happening, and those that are only told.
// To keep an agent from stopping is to have it go on: a guard of that which does not
// answer keeps nothing from happening that anybody guards, and is a note.
func (s *Set) Occur(ctx context.Context, e *dialect.Event, m Means) Judgement {
	var r round
	if s == nil {
		return r.Judgement
	}
	for i := range s.walls {
		if w := &s.walls[i]; w.occasion != nil && w.occasion.of(e) && !stops(e) {
			r.object(w.Guard, Deny, w.Broken, true)
		}
	}
	if Prevails(r.Objections) == Deny {
		return r.Judgement
	}
	guards := among(s.handlers, e, surface.Guard)
	answers := asked(ctx, e, append(guards, among(s.handlers, e, surface.Observer)...), m)
	for i := range answers {
		if a := &answers[i]; i < len(guards) && !(stops(e) && a.err != nil) {
			r.hear(a)
		} else {
			r.watch(a)
		}
	}
	return r.Judgement
}

func stops(e *dialect.Event) bool {
	return e.Moment == dialect.Stop || e.Moment == dialect.SubagentStop
}

// Observe tells those that only watch of a call that is about to be made.
func (s *Set) Observe(ctx context.Context, c *Call, m Means) Judgement {
	if !s.Watched() {
		return Judgement{}
	}
	return s.watched(ctx, c.event(), m)
}

// After tells handlers of a call that was made, with what came of it.
func (s *Set) After(ctx context.Context, c *Call, output []byte, failed bool, m Means) Judgement {
	if !s.Watched() {
		return Judgement{}
	}
	e := c.event()
	e.Moment, e.Output = dialect.AfterTool, output
	if failed {
		e.Moment = dialect.AfterToolFailure
	}
	return s.watched(ctx, e, m)
}

func (s *Set) watched(ctx context.Context, e *dialect.Event, m Means) Judgement {
	var r round
	answers := asked(ctx, e, among(s.handlers, e, surface.Observer), m)
	for i := range answers {
		r.watch(&answers[i])
	}
	return r.Judgement
}

// Watched reports whether there is anybody who only watches.
func (s *Set) Watched() bool { return s != nil && s.observers > 0 }

// watch takes what an observer answered: what it says for the agent to read. That
// it failed costs nothing, and is told.
func (r *round) watch(a *heard) {
	if a.err != nil {
		r.Notes = append(r.Notes, Note{a.Name, a.Origin, "it only watches, and failed: " + a.err.Error()})
		return
	}
	if a.Verdict != dialect.Pass && a.Context == "" {
		a.Context = a.Reason // what it would have objected, had it been asked in time
	}
	r.say(a)
}
