package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/dialect"
	"github.com/mortise-dev/mortise/internal/hook/clientevent"
	"github.com/mortise-dev/mortise/internal/surface"
)

// limit is how long a handler may take that does not say. Clients give up to ten
// minutes, for which nobody waits.
const limit = 30 * time.Second

// margin is how long before the end of all time a handler's is over, so that what it is
// denied by is named, logged and told.
const margin = time.Second

// handler is a program of a client's hook file that is asked here.
type handler struct {
	Guard
	occasion
	im         surface.Implementation
	root, data string // directories of its extension; "" when it has none
	// still reports whether what lies in root is what was granted; nil: it is looked at
	// elsewhere.
	still func() bool
}

// occasion is what a handler is asked about: a moment, in the words of the client
// that it was written for.
type occasion struct {
	client, event string
	moment        dialect.Moment
	matches       []string // what is matched, as that client does; none: everything
	only          string   // what must hold besides, as the client writes it; "" nothing
}

func occasionOf(im surface.Implementation) occasion {
	client, event := im.Option(clientevent.Client), im.Option(clientevent.Event)
	return occasion{client, event, dialect.MomentOf(client, event), im.Matches, im.Option(clientevent.If)}
}

// of reports whether it is asked about something that happens. A matcher that cannot
// be understood matches: a guard is asked rather than left out.
func (o *occasion) of(e *dialect.Event) bool {
	if !slices.Contains(e.Names(o.client), o.event) {
		return false
	}
	if o.only != "" && !e.Only(o.client, o.only) {
		return false
	}
	return len(o.matches) == 0 || slices.ContainsFunc(o.matches, func(m string) bool {
		asks, err := e.Asks(o.client, o.event, m)
		return asks || err != nil
	})
}

// event is what handlers are told of a call.
func (c *Call) event() *dialect.Event {
	if c.Event != nil {
		e := c.Event.With(c.Arguments)
		return &e
	}
	e := &dialect.Event{Client: dialect.Mortise, Moment: dialect.BeforeTool, Session: c.Session, Tool: c.Tool, Input: c.Arguments}
	if _, name, ok := strings.Cut(c.Qualified, ":"); ok && c.Server != "" {
		e.Served = dialect.Served{Extension: string(c.Extension), Server: c.Server, Tool: strings.TrimPrefix(name, c.Server+"/")}
	}
	return e
}

// handling are the guards among the handlers that are asked about a call.
func (s *Set) handling(c *Call) []*handler {
	if len(s.handlers) == 0 {
		return nil
	}
	return among(s.handlers, c.event(), surface.Guard)
}

// among are the handlers of a role that are asked about something that happens.
func among(all []handler, e *dialect.Event, role surface.Role) (out []*handler) {
	for i := range all {
		if h := &all[i]; h.im.Role == role && h.of(e) {
			out = append(out, h)
		}
	}
	return out
}

// heard is what a handler answered.
type heard struct {
	*handler
	dialect.Answer
	err error
}

// run asks handlers, all at once.
func run(ctx context.Context, c *Call, handlers []*handler, m Means) []heard {
	return asked(ctx, c.event(), handlers, m)
}

func asked(ctx context.Context, e *dialect.Event, handlers []*handler, m Means) []heard {
	out := make([]heard, len(handlers))
	var all sync.WaitGroup
	for i, h := range handlers {
		all.Go(func() {
			out[i].handler = h
			out[i].Answer, out[i].err = h.ask(ctx, e, m)
		})
	}
	all.Wait()
	return out
}

// ask asks one handler. Whatever keeps it from answering as its protocol has it is
// an error.
func (h *handler) ask(ctx context.Context, e *dialect.Event, m Means) (dialect.Answer, error) {
	if m.Run == nil {
		return dialect.Answer{}, errors.New("nothing here runs programs")
	}
	if h.still != nil && !h.still() {
		return dialect.Answer{}, errors.New("the copy of its code is not what was granted any more")
	}
	p, err := h.program(ctx, e, m)
	if err != nil {
		return dialect.Answer{}, err
	}
	texts, err := e.Texts(h.client, h.event)
	if err != nil {
		return dialect.Answer{}, err
	}
	var all dialect.Answer
	for i, text := range texts { // more than one for a patch of several files
		p.Input = text
		a, err := h.answer(ctx, p, m)
		switch {
		case err != nil:
			return dialect.Answer{}, err
		case a.Input == nil:
		case len(texts) > 1:
			return dialect.Answer{}, errors.New("it rewrites one part of what is several, which cannot be put together")
		default:
			if a.Input, err = e.Made(h.client, a); err != nil {
				return dialect.Answer{}, fmt.Errorf("what it makes of the arguments: %w", err)
			}
		}
		if i == 0 || a.Verdict > all.Verdict {
			a.Context = joined(all.Context, a.Context)
			all = a
		} else {
			all.Context = joined(all.Context, a.Context)
		}
	}
	return all, nil
}

func joined(a, b string) string { return strings.Trim(a+"\n"+b, "\n") }

// answer runs the program of a handler and reads its answer.
func (h *handler) answer(ctx context.Context, p Program, m Means) (dialect.Answer, error) {
	ran, err := safely(func() (Ran, error) { return m.Run(ctx, p) })
	switch {
	case err != nil:
		return dialect.Answer{}, errors.New(ext.Escape(ext.Shorten(err.Error(), 500)))
	case ran.Held && h.im.Role == surface.Guard:
		return dialect.Answer{}, errors.New("it left a process that held on to its output, which was ended")
	}
	return dialect.Heard(h.client, h.event, ran.Exit, ran.Stdout, ran.Stderr, h.im.Flag(clientevent.FailClosed))
}

func safely(run func() (Ran, error)) (r Ran, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it could not be run: %v", p)
		}
	}()
	return run()
}

// program is what is run to ask a handler about something that happens.
func (h *handler) program(ctx context.Context, e *dialect.Event, m Means) (Program, error) {
	p := Program{Line: h.line(), Dir: cmp.Or(m.Dir, h.root, e.Dir), Data: h.data, Limit: limit}
	if h.im.Timeout > 0 {
		p.Limit = time.Duration(h.im.Timeout) * time.Millisecond
	}
	if argv := h.im.Items(clientevent.Argv); len(argv) > 0 && p.Line == h.im.Ref.Target {
		p.Line, p.Argv = "", make([]string, len(argv))
		for i, word := range argv {
			p.Argv[i] = h.expand(word)
		}
	}
	if strings.Contains(p.Line+strings.Join(p.Argv, " "), "${user_config.") {
		return Program{}, errors.New("it wants a value of its person's settings in that client, which is not known here")
	}
	if end, bounded := ctx.Deadline(); bounded {
		p.Limit = max(min(p.Limit, time.Until(end)-margin), 10*time.Millisecond)
	}
	var err error
	if p.Env, err = h.environment(e, m); err != nil {
		return Program{}, err
	}
	if cwd := h.im.Option(clientevent.Cwd); cwd != "" {
		if cwd = h.expand(cwd); !filepath.IsAbs(cwd) {
			cwd = filepath.Join(cmp.Or(h.root, p.Dir), cwd)
		}
		p.Dir = cwd
	}
	return p, nil
}

// line is the command line of this system.
func (h *handler) line() string {
	key := map[string]string{"linux": clientevent.Linux, "darwin": clientevent.MacOS, "windows": clientevent.Windows}[runtime.GOOS]
	return cmp.Or(h.im.Option(key), h.im.Ref.Target)
}

// expand puts the directories of the extension in place of their variables. It is
// for what no shell reads.
func (h *handler) expand(s string) string {
	return strings.NewReplacer(surface.RootVariable, h.root, surface.DataVariable, h.data).Replace(s)
}

// environment is what its program gets besides what every program does: what is
// declared, and over that the directories, under the names that its client has for
// them.
func (h *handler) environment(e *dialect.Event, m Means) ([]string, error) {
	var env []string
	for _, p := range h.im.Pairs(clientevent.Env) {
		if !p.Value.Scalar() {
			return nil, fmt.Errorf("its variable %s is no text", ext.Quote(ext.Shorten(p.Key, 80)))
		}
		env = append(env, p.Key+"="+h.expand(p.Value.Text))
	}
	for _, v := range []struct{ names, value string }{
		{"PLUGIN_ROOT CLAUDE_PLUGIN_ROOT CURSOR_PLUGIN_ROOT extensionPath", h.root},
		{"PLUGIN_DATA CLAUDE_PLUGIN_DATA", h.data},
		{"CLAUDE_PROJECT_DIR GEMINI_PROJECT_DIR CURSOR_PROJECT_DIR workspacePath", cmp.Or(m.Dir, e.Dir)},
	} {
		if v.value == "" {
			continue
		}
		for name := range strings.FieldsSeq(v.names) {
			env = append(env, name+"="+v.value)
		}
	}
	return env, nil
}

// hear adds what a guard answered.
func (r *round) hear(a *heard) {
	switch {
	case a.err != nil:
		r.object(a.Guard, Deny, a.err.Error(), true)
		return
	case a.Verdict == dialect.Deny:
		r.object(a.Guard, Deny, a.Reason, false)
	case a.Verdict == dialect.Ask:
		r.object(a.Guard, Ask, a.Reason, false)
	}
	if a.Input != nil {
		r.rewrites = append(r.rewrites, *a)
	}
	r.say(a)
}

// say takes what a handler says beside its verdict: text for the agent, text for the
// person, and what is not used here, which is told.
func (r *round) say(a *heard) {
	if s := strings.TrimSpace(a.Message); s != "" {
		r.Messages = append(r.Messages, ext.Escape(a.Name)+": "+ext.EscapeText(ext.Shorten(s, 1000)))
	}
	if len(a.Left) > 0 {
		r.Notes = append(r.Notes, Note{a.Name, a.Origin, "what it says by " + strings.Join(a.Left, ", ") + " is not used here"})
	}
	if strings.TrimSpace(a.Context) != "" {
		r.Said = append(r.Said, Said{a.Name, a.Origin, a.Context})
	}
}
