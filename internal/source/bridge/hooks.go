package bridge

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/clientevent"
)

// Checks on the hooks of other clients.
var (
	HooksForm = &ext.Check{
		Code: "client-hooks-form", Severity: ext.Error,
		Doc: "A client's hooks hold something that has no shape of a hook. It may be meant as a guard, so the extension is refused.",
		Fix: "Write {\"hooks\": {\"EVENT\": […]}} as the client's own documentation has it.",
	}
	HookNothing = &ext.Check{
		Code: "client-hook-nothing", Severity: ext.Warning,
		Doc: "A client's hook names nothing that would run, so it does nothing in any client. It is not listed.",
		Fix: "Give it a command, or remove it.",
	}
	HooksTwice = &ext.Check{
		Code: "client-hooks-twice", Severity: ext.Warning,
		Doc: "A manifest names the hooks file that is read anyway. It is read once here; Claude Code drops the whole set.",
		Fix: "Remove the key \"hooks\" from the manifest.",
	}
	HookTimeout = &ext.Check{
		Code: "client-hook-timeout", Severity: ext.Warning,
		Doc: "A hook's time-out is so long that it was probably meant in another unit.",
		Fix: "Give it in the unit of the client that the hook is for.",
	}
	HooksUnread = &ext.Check{
		Code: "client-hooks-dropped", Severity: ext.Warning,
		Doc: "A file of hooks holds a key for which its own client drops the whole file: none of its guards works there. They are listed here all the same.",
		Fix: "Remove the key.",
	}
	EventUnknown = &ext.Check{
		Code: "client-event-unknown", Severity: ext.Warning,
		Doc: "A client's hook waits for an event that the client is not known to have. It counts as a guard, since what is not known may deny.",
		Fix: "Correct the event's name if it is mistyped; most clients say nothing and never call the hook.",
	}
	HookOff = &ext.Check{
		Code: "client-hook-off", Severity: ext.Info,
		Doc: "A client's hook is switched off where it is declared. It is not listed.",
		Fix: "Nothing.",
	}
)

// dialect is how a client writes its hooks.
type dialect struct {
	milliseconds bool // time-outs are in them; else in seconds
	closed       bool // a root key beside description and hooks drops the file
	named        bool // the root holds names, each with its events
}

var dialects = map[string]dialect{
	"codex":       {closed: true},
	"gemini-cli":  {milliseconds: true},
	"antigravity": {named: true},
}

// hookFile lays a client's file of hooks. One that cannot be read refuses the
// extension: a guard may be in it.
func (l *layer) hookFile(file string) {
	d, fault := l.read(file)
	if fault != nil {
		l.broken("client_event", file, fault)
		return
	}
	l.hooks(d)
}

// hookFiles lays each of the files that is there.
func (l *layer) hookFiles(files ...string) {
	for _, f := range files {
		if l.there(l.below(f)) {
			l.hookFile(l.below(f))
		}
	}
}

// hookKey lays what the manifest declares: a path, an object, or a list of
// both. read are the files that were read already.
func (l *layer) hookKey(key string, read ...string) {
	for _, d := range items(l.key(key)) {
		switch d.Kind {
		case ext.Map:
			l.hooks(d)
		case ext.String:
			switch p, ok := l.inside(d, key); {
			case ok && slices.Contains(read, p):
				l.note(HooksTwice, l.of(d), "%s is read without being named", ext.Quote(p))
			case ok:
				l.hookFile(p)
			}
		default:
			l.notDeclared(key, d)
		}
	}
}

// hooks lays the hooks of a node in any of the shapes that are met: events
// under "hooks" or bare, lists of hooks that each name their event, and hooks
// with names.
func (l *layer) hooks(d *ext.Doc) {
	if l.spec("client_event", l.of(d)) == nil {
		return
	}
	inner := d.Get("hooks")
	wrapped := d.Kind == ext.Map && inner != nil && (inner.Kind == ext.Map || inner.Kind == ext.List) && !dialects[l.client].named
	if wrapped {
		l.besideHooks(d)
		d = inner
	}
	switch {
	case d.Kind == ext.List:
		for i := range d.List {
			l.listed(&d.List[i])
		}
	case d.Kind != ext.Map:
		l.malformed(d, "hooks must be an object or a list, found %s", d.Kind)
	case dialects[l.client].named:
		for i := range d.Map {
			l.hookNamed(&d.Map[i])
		}
	default:
		l.eventMap(d, wrapped)
	}
}

// besideHooks tells what a file holds beside its hooks.
func (l *layer) besideHooks(d *ext.Doc) {
	for _, p := range d.Map {
		o := l.at(d.File, p.Line)
		switch known := slices.Contains([]string{"hooks", "description", "version", "$schema"}, p.Key); {
		case p.Key == "hooks" || p.Key == "description":
		case dialects[l.client].closed:
			l.note(HooksUnread, o, "%s drops the file for its key %s", l.client, ext.Quote(p.Key))
		case !known:
			l.note(ManifestIgnored, o, "key %s has no meaning beside \"hooks\"", ext.Quote(p.Key))
		}
	}
}

// eventMap lays an object of events. In a bare one, what is no list and no
// object is something that stands beside the events.
func (l *layer) eventMap(d *ext.Doc, wrapped bool) {
	for i := range d.Map {
		p := &d.Map[i]
		if !wrapped && p.Value.Scalar() {
			if !slices.Contains([]string{"description", "version", "$schema", "name"}, p.Key) {
				l.note(ManifestIgnored, l.at(d.File, p.Line), "key %s is no event", ext.Quote(p.Key))
			}
			continue
		}
		l.event(p.Key, p)
	}
}

// event lays what waits for an event: groups of handlers, or handlers.
func (l *layer) event(event string, p *ext.Pair) {
	if p.Value.Kind != ext.List && p.Value.Kind != ext.Map {
		at := p.Value
		at.Line = p.Line
		l.malformed(&at, "the hooks of %s must be a list, found %s", ext.Quote(event), p.Value.Kind)
		return
	}
	for _, d := range items(&p.Value) {
		l.group(event, "", d)
	}
}

// listed lays one of a list of hooks: it names its event itself.
func (l *layer) listed(d *ext.Doc) {
	for _, key := range []string{"event", "hook", "on"} {
		if event := d.Word(key); event != "" {
			l.group(event, "", d)
			return
		}
	}
	l.malformed(d, "a hook in a list must name its \"event\"")
}

// hookNamed lays a hook that has a name, and its events below that.
func (l *layer) hookNamed(p *ext.Pair) {
	if p.Value.Kind != ext.Map {
		at := p.Value
		l.malformed(&at, "the hook %s must be an object, found %s", ext.Quote(p.Key), p.Value.Kind)
		return
	}
	if off(&p.Value) {
		l.note(HookOff, l.at(p.Value.File, p.Line), "the hook %s is switched off", ext.Quote(p.Key))
		return
	}
	for i := range p.Value.Map {
		if e := &p.Value.Map[i]; e.Value.Kind == ext.List || e.Value.Kind == ext.Map {
			l.event(e.Key, e)
		} else if e.Key != "enabled" && e.Key != "description" {
			l.note(ManifestIgnored, l.at(p.Value.File, e.Line), "key %s of a hook has no meaning here", ext.Quote(e.Key))
		}
	}
}

// group lays the handlers of a group that has a matcher, or a single handler.
func (l *layer) group(event, matcher string, d *ext.Doc) {
	switch {
	case d.Kind == ext.String:
		l.handler(event, matcher, d)
		return
	case d.Kind != ext.Map:
		l.malformed(d, "a hook of %s must be an object, found %s", ext.Quote(event), d.Kind)
		return
	}
	if m := d.Get("matcher"); m != nil && m.Scalar() {
		matcher = m.Text
	}
	inner := d.Get("hooks")
	switch {
	case inner == nil:
		l.handler(event, matcher, d)
	case inner.Kind != ext.List && inner.Kind != ext.Map:
		l.malformed(inner, "the hooks of %s must be a list, found %s", ext.Quote(event), inner.Kind)
	default:
		for _, h := range items(inner) {
			l.group(event, matcher, h)
		}
	}
}

// handler lays one handler as an implementation of the hook for other clients'
// events.
func (l *layer) handler(event, matcher string, d *ext.Doc) {
	kind, target := runs(d)
	target = canonicalText(target) // so that what it names counts as part of it
	if target == "" {
		l.note(HookNothing, l.of(d), "a hook of %s names nothing that would run", ext.Quote(event))
		return
	}
	pairs := []ext.Pair{pair("ref", mapAt(d,
		pair("driver", textAt(d, clientevent.Driver)), pair("target", textAt(d, target)), pair("name", textAt(d, kind))))}
	pairs = append(pairs, pair("role", textAt(d, clientevent.RoleOf(l.client, event).String())))
	if matcher != "" && matcher != "*" {
		pairs = append(pairs, pair("matches", ext.Doc{Kind: ext.List, File: d.File, Line: d.Line, List: []ext.Doc{textAt(d, matcher)}}))
	}
	if ms := l.timeout(event, d); ms > 0 {
		pairs = append(pairs, pair("timeout_ms", ext.Doc{Kind: ext.Number, Text: strconv.Itoa(ms), File: d.File, Line: d.Line}))
	}
	pairs = append(pairs, pair("event", textAt(d, event)), pair("client", textAt(d, l.client)))
	if f := d.Get("failClosed"); f != nil && f.Kind == ext.Bool && f.Text == "true" {
		pairs = append(pairs, pair("fail_closed", ext.Doc{Kind: ext.Bool, Text: "true", File: d.File, Line: d.Line}))
	}
	if l.events[event]++; l.events[event] == 1 && !clientevent.Known(l.client, event) {
		l.note(EventUnknown, l.of(d), "%s has no event %s that is known here", l.client, ext.Quote(event))
	}
	l.node("client_event", fmt.Sprintf("%s-%d", event, l.events[event]), mapAt(d, pairs...))
}

// runs is what kind of handler a node is, and what would run; "" when nothing
// would.
func runs(d *ext.Doc) (kind, target string) {
	if d.Kind == ext.String {
		return "command", d.Text
	}
	kind = d.Word("type")
	command := ""
	for _, key := range []string{"command", "bash", "powershell", "commandWindows"} {
		if command = strings.TrimSpace(strings.Join(append([]string{d.Word(key)}, texts(d.Get("args"))...), " ")); d.Word(key) != "" {
			break
		}
		command = ""
	}
	switch {
	case kind == "prompt" || kind == "agent":
		if d.Word("prompt") != "" {
			target = kind
		}
	case kind == "http" || kind == "" && command == "" && d.Word("url") != "":
		kind, target = "http", d.Word("url")
	case kind == "mcp_tool":
		target = strings.Trim(d.Word("server")+"/"+d.Word("tool"), "/")
	case kind == "" && command == "" && d.Word("prompt") != "":
		kind, target = "prompt", "prompt"
	default:
		target = command
		if kind == "" {
			kind = "command"
		}
	}
	return kind, target
}

func texts(d *ext.Doc) (out []string) {
	if d == nil {
		return nil
	}
	for i := range d.List {
		out = append(out, d.List[i].Text)
	}
	return out
}

// timeout is a handler's time-out in milliseconds, 0 where it has none.
func (l *layer) timeout(event string, d *ext.Doc) int {
	const anHour = 3600
	v, unit := d.Get("timeoutSec"), 1000.0
	if v == nil {
		if v = d.Get("timeout"); dialects[l.client].milliseconds {
			unit = 1
		}
	}
	if v == nil || v.Kind != ext.Number {
		return 0
	}
	n, err := strconv.ParseFloat(v.Text, 64)
	ms := n * unit
	if err != nil || ms <= 0 || ms > math.MaxInt32 {
		return 0
	}
	if unit == 1000 && n >= anHour {
		l.note(HookTimeout, l.of(v), "the time-out of a hook of %s is %s seconds", ext.Quote(event), v.Text)
	}
	return int(ms)
}

// malformed lays a place that stands for a hook in no known shape.
func (l *layer) malformed(d *ext.Doc, format string, args ...any) {
	f := HooksForm.At(l.of(d), format, args...)
	l.broken("client_event", d.File, &f)
}
