package bridge

import (
	"slices"
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
		Doc: "A manifest names a hooks file that is read anyway, or names it twice. It is read once here; Claude Code drops the whole set.",
		Fix: "Remove what the manifest says of that file.",
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
	HookOurs = &ext.Check{
		Code: "client-hook-ours", Severity: ext.Info,
		Doc: "A client's hook is mortise hook itself, by which that client asks Mortise. It is not listed: it would ask itself.",
		Fix: "Nothing.",
	}
	HookOff = &ext.Check{
		Code: "client-hook-off", Severity: ext.Info,
		Doc: "A client's hook is switched off where it is declared. It is not listed.",
		Fix: "Nothing.",
	}
)

// dialect is how a client writes its hooks.
type dialect struct {
	milliseconds bool     // time-outs are in them; else in seconds
	closed       bool     // a root key beside description and hooks drops the file
	named        bool     // the root holds names, each with its events
	switches     []string // keys among the events that are none
}

var dialects = map[string]dialect{
	"codex":       {closed: true, switches: []string{"state"}},
	"gemini-cli":  {milliseconds: true, switches: []string{"enabled", "disabled", "notifications"}},
	"antigravity": {named: true},
}

// hookFile lays a client's file of hooks. One that cannot be read refuses the
// extension: a guard may be in it.
func (l *layer) hookFile(file string) {
	l.hooked[l.real(file)] = true
	d, fault := l.read(file)
	if fault != nil {
		l.lost("client_event", file, fault)
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
// both. Then it tells what was perhaps meant for a usual file, which is read
// without being named.
func (l *layer) hookKey(key string, usual ...string) {
	for _, d := range l.key(key).Items() {
		switch d.Kind {
		case ext.Map:
			l.hooks(d)
		case ext.String:
			switch p, ok := l.inside(d, key); {
			case !ok:
			case l.hooked[l.real(p)]:
				l.note(HooksTwice, l.of(d), "%s was read already", ext.Quote(p))
			default:
				l.hookFile(p)
			}
		default:
			l.notDeclared(key, d)
		}
	}
	for _, file := range usual {
		l.nearHooks(file)
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
	wrapped := d.Kind == ext.Map && inner != nil && !dialects[l.client].named
	if wrapped {
		l.besideHooks(d)
		at := *inner
		at.Line, d = max(at.Line, d.Line), &at
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

// eventMap lays an object of events.
func (l *layer) eventMap(d *ext.Doc, wrapped bool) {
	for i := range d.Map {
		p := &d.Map[i]
		switch {
		case slices.Contains(dialects[l.client].switches, p.Key), !wrapped && remark(p):
			if !slices.Contains([]string{"description", "version", "$schema", "name"}, p.Key) {
				l.note(ManifestIgnored, l.at(d.File, p.Line), "key %s is no event", ext.Quote(p.Key))
			}
		default:
			l.event(p.Key, p)
		}
	}
}

// remark reports whether something that stands beside events is none: a text
// that tells of the file, or a number or a switch, which nobody could take for
// a guard. Any other text may be one that is written as no client reads it.
func remark(p *ext.Pair) bool {
	switch p.Value.Kind {
	case ext.Bool, ext.Number:
		return !clientevent.KnownAnywhere(p.Key)
	case ext.String:
		return strings.HasPrefix(p.Key, "_") || strings.HasPrefix(p.Key, "$") || strings.HasPrefix(p.Key, "//") ||
			slices.Contains([]string{"description", "version", "name", "title", "author", "license", "homepage", "note", "notes", "comment"}, p.Key)
	}
	return false
}

// event lays what waits for an event: groups of handlers, or handlers.
func (l *layer) event(event string, p *ext.Pair) {
	if p.Value.Kind != ext.List && p.Value.Kind != ext.Map {
		at := p.Value
		at.Line = p.Line
		l.malformed(&at, "the hooks of %s must be a list, found %s", ext.Quote(event), p.Value.Kind)
		return
	}
	for _, d := range p.Value.Items() {
		l.group(event, nil, d)
	}
}

// eventKeys are those by which a hook in a list names its event.
var eventKeys = []string{"event", "hook", "on"}

// listed lays one of a list of hooks: it names its event itself.
func (l *layer) listed(d *ext.Doc) {
	for _, key := range eventKeys {
		if event := d.Word(key); event != "" {
			l.group(event, nil, d)
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
		switch e := &p.Value.Map[i]; {
		case e.Key == "enabled" || e.Key == "description":
		case remark(e):
			l.note(ManifestIgnored, l.at(p.Value.File, e.Line), "key %s of a hook has no meaning here", ext.Quote(e.Key))
		default:
			l.event(e.Key, e)
		}
	}
}

// group lays the handlers of a group, or a single handler. What a group says
// holds for each of its handlers; outer is what groups around it say.
func (l *layer) group(event string, outer []ext.Pair, d *ext.Doc) {
	switch {
	case d.Kind == ext.String:
		bare := mapAt(d, pair("command", *d))
		d = &bare
	case d.Kind != ext.Map:
		l.malformed(d, "a hook of %s must be an object, found %s", ext.Quote(event), d.Kind)
		return
	}
	inner := d.Get("hooks")
	switch {
	case inner == nil && l.isOff(d):
		l.note(HookOff, l.of(d), "a hook of %s is switched off by its name", ext.Quote(event))
	case inner == nil:
		all := *d
		all.Map = within(outer, d.Map)
		h := l.handlerOf(event, &all)
		l.handler(event, &h, d)
	case inner.Kind != ext.List && inner.Kind != ext.Map:
		l.malformed(inner, "the hooks of %s must be a list, found %s", ext.Quote(event), inner.Kind)
	default:
		outer = l.groupKeys(event, outer, d)
		for i, h := range inner.Items() {
			if i == 1 {
				outer = slices.DeleteFunc(outer, long)
			}
			l.group(event, outer, h)
		}
	}
}

// groupKeys are what a group says to its handlers. What no client is known to
// have there is told once.
func (l *layer) groupKeys(event string, outer []ext.Pair, d *ext.Doc) []ext.Pair {
	const longest = 4 << 10 // of what every handler is given a copy of
	var own []ext.Pair
	var odd []string
	for i := range d.Map {
		switch p := &d.Map[i]; {
		case p.Key == "hooks" || slices.Contains(eventKeys, p.Key):
		case slices.Contains(ofHandlers, p.Key):
			odd = append(odd, "key "+ext.Quote(p.Key))
		case strangeness(p) != "":
			odd = append(odd, strangeness(p))
		case p.Key != "matcher" && p.Key != clientevent.If || len(shown(&p.Value)) <= longest:
			own = append(own, *p)
		default:
			l.malformed(&p.Value, "%s of a group of hooks of %s is longer than %d bytes", ext.Quote(p.Key), ext.Quote(event), longest)
		}
	}
	if len(odd) > 0 {
		l.note(HookKey, l.of(d), "a group of hooks of %s holds what is not known here: %s", ext.Quote(event), first(odd))
	}
	return within(outer, own)
}

// ofHandlers are the keys that say what runs, which no group does.
var ofHandlers = []string{
	"type", "command", "args", "exec", "bash", "powershell", "commandWindows", "windows", "linux", "osx",
	"prompt", "model", "url", "headers", "allowedEnvVars", "server", "tool", "input",
}

// within are the pairs of a node, and those around it that it does not have.
func within(outer, own []ext.Pair) []ext.Pair {
	out := make([]ext.Pair, 0, len(outer)+len(own))
	for _, p := range outer {
		if !slices.ContainsFunc(own, func(q ext.Pair) bool { return q.Key == p.Key }) {
			out = append(out, p)
		}
	}
	return append(out, own...)
}

// long reports whether a pair is so long that it is kept with the first handler
// of a group alone. When a handler is asked is said to each.
func long(p ext.Pair) bool {
	const most = 200
	return p.Key != "matcher" && p.Key != clientevent.If && len(shown(&p.Value)) > most
}

// malformed lays a place that stands for a hook in no known shape.
func (l *layer) malformed(d *ext.Doc, format string, args ...any) {
	f := HooksForm.At(l.of(d), format, args...)
	l.lost("client_event", d.File, &f)
}
