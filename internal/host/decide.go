package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/dialect"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/state"
)

// GrantAnswer is the kind of grant that is a person's standing answer to a guard
// that asks.
const GrantAnswer = "answer"

// Use is a call of a tool that an agent is about to make.
type Use struct {
	Offer     *session.Offer  // nil: a tool that the client has of its own, of which Event tells
	Event     *dialect.Event  // what the client told its own hook; nil otherwise
	Arguments json.RawMessage // a JSON object
	Session   string
	Client    string // what the client calls itself
	// Ask puts a question to the person. Nil: nobody can be asked.
	Ask func(context.Context, Question) (Answer, error)
	// Defers leaves questions to the client, which puts them itself.
	Defers bool
}

// Decided is a call that may be made.
type Decided struct {
	// Arguments are what it is made with: its own, or what guards made of them.
	Arguments json.RawMessage
	Rewrote   []string          // the guards that made something of them
	Said      []guard.Said      // what handlers add for the agent to read
	Asks      []guard.Objection // questions that are left to the client
	Messages  []string          // what handlers say to the person
	Decision  string            // its id
}

// Question is what a person is asked about a call.
type Question struct {
	Decision   string // its id
	Call       guard.Call
	Objections []guard.Objection // each asks
}

// Answer is what a person says to a question.
type Answer uint8

const (
	// Refuse lets the call not be made.
	Refuse Answer = iota
	// Once lets this call be made.
	Once
	// Always lets this call be made, and later ones of that tool to which the same
	// guards, unchanged, object.
	Always
)

// Denied says why a call may not be made. It is a refusal.
type Denied struct {
	Decision   string
	Objections []guard.Objection // those that denied it, or that asked
	Why        string            // why a question was not answered by consent; "" for a denial
	Fix        string            // what to do about it; "" nothing is known
}

// Error says which guards object and why, and names the decision. What guards say
// is foreign text made safe.
func (d *Denied) Error() string {
	const shown = 8
	var parts []string
	for i, o := range d.Objections {
		if i == shown {
			parts = append(parts, fmt.Sprintf("%d more object", len(d.Objections)-shown))
			break
		}
		word := "denies"
		switch {
		case o.Failed:
			word = "did not answer, which denies"
		case o.Verdict == guard.Ask:
			word = "asks before"
		}
		part := fmt.Sprintf("%s %s this call: %s", ext.Escape(o.Guard), word, ext.Escape(ext.Shorten(o.Reason, 500)))
		if o.Held {
			part += " (its extension, or this version of it, is not in use; its guards are asked all the same)"
		}
		if o.Fix != "" {
			part += " (" + ext.Escape(o.Fix) + ")"
		}
		parts = append(parts, part)
	}
	if d.Why != "" {
		parts = append(parts, d.Why)
	}
	if d.Fix != "" {
		parts = append(parts, d.Fix)
	}
	return fmt.Sprintf("%s (decision %s)", strings.Join(parts, "; "), d.Decision)
}

// changes is how often a call is judged anew because the workspace changed while
// its guards or its person were asked.
const changes = 8

// Decide asks everything that may object to a call, and the person where that asks
// for them, and returns no error when the call may be made: it is in the log then.
// What fails on the way refuses the call.
func (a *Agent) Decide(ctx context.Context, u Use) (Decided, error) {
	d := deciding{Agent: a, use: &u, id: rand.Text()[:12], answered: map[answered]bool{}}
	var said []guard.Said
	for range changes {
		g, now, err := a.used(ctx, &u)
		if g == nil {
			return Decided{}, err
		}
		d.generation, d.tool = g, now
		d.call = callOf(&u, &now)
		d.call.ModeOf = a.modeOf(ctx, g)
		if err != nil {
			return Decided{}, cmp.Or(d.log(ctx, "deny", "denied", nil, err.Error(), true), err)
		}
		watched := d.watching(ctx)
		judged := g.Guards().Judge(ctx, &d.call, a.means(g))
		said = append(said, watched()...)
		d.noted(judged.Notes)
		if judged.Ran || d.watched { // which took its time, in which something may have changed
			switch still, err := a.host.Current(ctx); {
			case err != nil:
				return Decided{}, cmp.Or(d.log(ctx, "deny", "denied", nil, err.Error(), true), err)
			case still != g: // what was asked holds no more, but for a denial of who is still there
				if stands := still.Guards().Still(denials(judged.Objections)); len(stands) > 0 {
					return Decided{}, d.deny(ctx, stands)
				}
				continue
			}
		}
		if guard.Prevails(judged.Objections) == guard.Deny {
			return Decided{}, d.deny(ctx, denials(judged.Objections))
		}
		d.call.Arguments = judged.Arguments // what the person is asked about, and what is logged
		out := Decided{Arguments: judged.Arguments, Rewrote: judged.Rewrote, Said: append(said, judged.Said...), Messages: judged.Messages, Decision: d.id}
		switch open := d.open(judged.Objections); {
		case len(open) == 0:
			return out, d.allow(ctx, judged.Rewrote)
		case u.Defers:
			out.Asks = open
			return out, d.log(ctx, "ask", "asked", guardsOf(open), reasons(open), true)
		default:
			if err := d.ask(ctx, open); err != nil {
				return Decided{}, err
			}
		}
	}
	why := fmt.Sprintf("what may be done changed %d times while it was decided", changes)
	return Decided{}, cmp.Or(d.log(ctx, "deny", "denied", nil, why, true), ext.AsRefused(fmt.Errorf("%s (decision %s)", why, d.id)))
}

// used is the generation that holds now, and the tool of a use as it is there: of a
// client's own tool, what the client calls it.
func (a *Agent) used(ctx context.Context, u *Use) (*Generation, compose.Entry, error) {
	if u.Offer == nil {
		g, err := a.host.Current(ctx)
		e := u.Event
		return g, compose.Entry{Qualified: e.Client + ":" + e.Tool, Contribution: admit.Contribution{Name: e.Tool}}, err
	}
	g, now, err := a.allowed(ctx, u.Offer)
	if err != nil {
		now = u.Offer.Entry
	}
	return g, now, err
}

// heed is how long a call waits for those that only watch, once its guards have
// answered: for what they add, and no longer.
const heed = time.Second

// watching tells those that only watch of the call, once, while guards are asked.
// What it returns waits for them, not for long: who takes longer goes on, and is heard
// by nobody.
func (d *deciding) watching(ctx context.Context) func() []guard.Said {
	set := d.generation.Guards()
	if d.watched || !set.Watched() {
		return func() []guard.Said { return nil }
	}
	d.watched = true
	c, means := d.call, d.means(d.generation)
	came := make(chan guard.Judgement, 1)
	d.host.watchers.Go(func() { came <- set.Observe(context.WithoutCancel(ctx), &c, means) })
	return func() []guard.Said {
		t := time.NewTimer(heed)
		defer t.Stop()
		select {
		case j := <-came:
			d.noted(j.Notes)
			return j.Said
		case <-t.C:
		case <-ctx.Done():
		}
		return nil
	}
}

// noted keeps what went wrong and cost nothing, for the log.
func (d *deciding) noted(notes []guard.Note) {
	for _, n := range notes {
		d.notes = append(d.notes, fmt.Sprintf("%s: %s", n.Guard, ext.Shorten(n.Text, 200)))
	}
}

// means are how the code of guards is asked here.
func (a *Agent) means(g *Generation) guard.Means {
	return guard.Means{Reach: a.reaching, Run: a.host.options.Run, Dir: g.Config.Workspace().Dir}
}

// answered is what a person answered: a guard, as it was.
type answered struct {
	guard   string
	content ext.Digest
}

// deciding is one decision on its way.
type deciding struct {
	*Agent
	use        *Use
	id         string
	generation *Generation   // that it was last judged by
	tool       compose.Entry // as it is in use there
	call       guard.Call
	answered   map[answered]bool
	by         []string // who consented
	watched    bool     // those that only watch were told
	notes      []string // what went wrong with them
}

// callOf is what guards are told of a use of a tool, as that is now.
func callOf(u *Use, e *compose.Entry) guard.Call {
	c := guard.Call{
		Qualified: e.Qualified, Extension: e.Extension,
		Arguments: u.Arguments, Session: u.Session, Client: u.Client, Event: u.Event,
	}
	if u.Offer == nil {
		c.Tool, c.Server = u.Event.Tool, u.Event.Served.Server
		return c
	}
	c.Tool = u.Offer.Name
	if ref := u.Offer.Ref.Name; ref != "" { // a tool of a server is SERVER/NAME, and either may hold a slash
		if server, ok := strings.CutSuffix(e.Name, "/"+ref); ok {
			c.Server = server
		}
	}
	if v, ok := e.Value.(interface{ Annotated() *ext.Doc }); ok {
		c.Annotations = v.Annotated()
	}
	return c
}

// reaching is what answers for a guard that is code.
func (a *Agent) reaching(ref ext.Ref) call.Caller {
	if d, ok := a.host.options.Drivers[ref.Driver]; ok {
		return d
	}
	return nil
}

func denials(all []guard.Objection) (out []guard.Objection) {
	for _, o := range all {
		if o.Verdict == guard.Deny {
			out = append(out, o)
		}
	}
	return out
}

// open are the questions that nobody has answered yet: neither a standing grant
// nor the person, just now.
func (d *deciding) open(objections []guard.Objection) (out []guard.Objection) {
	now := d.host.options.Clock()
	for _, o := range objections {
		if o.Verdict != guard.Ask || d.answered[answered{o.Guard, o.Content}] {
			continue
		}
		g := d.standing(o)
		if d.generation.state.Granted(g.Kind, g.Subject, g.Digest, now) {
			d.consented("grant " + g.Subject)
			continue
		}
		out = append(out, o)
	}
	return out
}

func (d *deciding) consented(by string) {
	for _, b := range d.by {
		if b == by {
			return
		}
	}
	d.by = append(d.by, by)
}

func (d *deciding) standing(o guard.Objection) state.Grant {
	return standing(o, &d.tool, d.generation.Config.Workspace().ID)
}

// standing is the grant that answers a question of a guard about a tool for good:
// in one workspace, until either changes.
func standing(o guard.Objection, tool *compose.Entry, workspace string) state.Grant {
	return state.Grant{
		Kind: GrantAnswer, Subject: answerSubject(o.Guard, tool.Qualified),
		Digest: ext.NewHash("answer").Text(o.Guard, tool.Qualified, workspace).Digest(o.Content, tool.Digest).Sum(),
	}
}

// answerSubject is what a standing answer is about.
func answerSubject(guard, tool string) string { return guard + " for " + tool }

// ask puts what is open to the person.
func (d *deciding) ask(ctx context.Context, open []guard.Objection) error {
	if d.use.Ask == nil {
		return d.refuse(ctx, open, "nobody can be asked here: the client cannot put questions to its person")
	}
	if err := d.log(ctx, "ask", "asked", guardsOf(open), reasons(open), true); err != nil {
		return err
	}
	answer, err := d.use.Ask(ctx, Question{Decision: d.id, Call: d.call, Objections: open})
	switch {
	case ctx.Err() != nil: // it is not made, which is in the log all the same
		return cmp.Or(d.log(context.WithoutCancel(ctx), "answer", "denied", guardsOf(open), "the call ended before it was answered", true), ctx.Err())
	case err != nil:
		return d.refuse(ctx, open, "the person could not be asked: "+ext.Escape(ext.Shorten(err.Error(), 200)))
	case answer != Once && answer != Always:
		return d.refuse(ctx, open, "the person did not allow it")
	}
	for _, o := range open {
		d.answered[answered{o.Guard, o.Content}] = true
	}
	d.consented("person")
	if answer == Always {
		return d.grant(ctx, open)
	}
	return nil
}

// grant remembers a person's answer for good.
func (d *deciding) grant(ctx context.Context, open []guard.Objection) error {
	by, at := "client "+d.use.Client, d.host.options.Clock().UTC()
	var records []state.Record
	for _, o := range open {
		g := d.standing(o)
		g.By, g.At = by, at
		records = append(records, g)
	}
	if err := d.log(ctx, "grant", "granted", guardsOf(open), "", true); err != nil {
		return err
	}
	return d.host.change(ctx, state.Event{Kind: "granted", Subject: strings.Join(guardsOf(open), ", "), Text: d.call.Qualified, By: by}, func(s *state.Snapshot) { s.Put(records...) })
}

// refuse denies a call to which somebody asked for the person's consent.
func (d *deciding) refuse(ctx context.Context, open []guard.Objection, why string) error {
	denied := &Denied{Decision: d.id, Objections: open, Why: why}
	var fixes []string
	for _, o := range open {
		if !ext.Bare(d.call.Qualified) || !ext.Bare(o.Guard) {
			fixes = nil // a name that a shell would read otherwise is in no command
			break
		}
		fixes = append(fixes, fmt.Sprintf("mortise grant call %s --for %s", d.call.Qualified, o.Guard))
	}
	if len(fixes) > 0 {
		denied.Fix = "to allow it from now on, its person may run: " + strings.Join(fixes, " && ")
	}
	if err := d.log(ctx, "answer", "denied", guardsOf(open), why, true); err != nil {
		return err
	}
	return ext.AsRefused(denied)
}

func (d *deciding) deny(ctx context.Context, by []guard.Objection) error {
	if err := d.log(ctx, "deny", "denied", guardsOf(by), reasons(by), true); err != nil {
		return err
	}
	return ext.AsRefused(&Denied{Decision: d.id, Objections: by})
}

func (d *deciding) allow(ctx context.Context, rewrote []string) error {
	why := strings.Join(d.notes, "; ")
	if len(rewrote) > 0 {
		why = strings.TrimSuffix("its arguments were rewritten by "+strings.Join(rewrote, ", ")+"; "+why, "; ")
	}
	return d.log(ctx, "call", "allowed", d.by, why, len(d.by) > 0)
}

func guardsOf(objections []guard.Objection) []string {
	out := make([]string, len(objections))
	for i := range objections {
		out[i] = objections[i].Guard
	}
	return out
}

func reasons(objections []guard.Objection) string {
	out := make([]string, len(objections))
	for i := range objections {
		out[i] = objections[i].Reason
	}
	return strings.Join(out, "; ")
}

// errUnlogged is wrapped by the error of a call that cannot be logged.
var errUnlogged = errors.New("it cannot be logged, so that it is not made")

// Logged is one line of the log of calls.
type Logged struct {
	Time      time.Time
	Decision  string
	Kind      string // "call", "ask", "answer", "deny", "grant"
	Outcome   string // "allowed", "asked", "denied", "granted"
	Digest    ext.Digest
	Number    uint64 // of the generation
	Workspace string
	Call      guard.Call
	By        []string
	Reason    string
}

// log writes a line. durable: it is on the disk when log returns.
func (d *deciding) log(ctx context.Context, kind, outcome string, by []string, reason string, durable bool) error {
	if d.host.options.Log == nil {
		return nil
	}
	err := d.host.options.Log(context.WithoutCancel(ctx), Logged{
		Time: d.host.options.Clock(), Decision: d.id, Kind: kind, Outcome: outcome,
		Digest: d.generation.Digest(), Number: d.generation.Number, Workspace: d.generation.Config.Workspace().ID,
		Call: d.call, By: by, Reason: reason,
	}, durable)
	if err != nil {
		return fmt.Errorf("%w: %w (decision %s)", errUnlogged, err, d.id)
	}
	return nil
}
