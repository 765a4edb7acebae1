package bridge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/clientevent"
	"github.com/mortise-dev/mortise/internal/pattern"
	"github.com/mortise-dev/mortise/internal/surface"
)

// HookKey is what a handler says in words that nobody is known to read.
var HookKey = &ext.Check{
	Code: "client-hook-key", Severity: ext.Warning,
	Doc: "A client's hook holds a key that no client is known to have, or a value that is not one for its key. The hook is listed with all that it says; its client may take it for something else.",
	Fix: "Correct or remove the key.",
}

// handler is one handler of a client's hooks, with all that it says.
type handler struct {
	kind    string     // "command", "prompt", "http", "policy", …
	target  string     // what would run; "" when nothing would
	matches []ext.Doc  // what it is asked about; none: everything
	timeout int        // milliseconds; 0: the client's own
	options []ext.Pair // what else the hook of clients' events has a name for
	also    []string   // what it has no name for, key by key
	odd     []string   // of that, what no client is known to have
}

// handlerKeys are the keys that some client gives a handler or its group, and
// the kinds each may be of.
var handlerKeys = keys{
	"type": isText, "matcher": {ext.String, ext.List}, clientevent.If: isText, "timeout": {ext.Number}, "timeoutSec": {ext.Number}, "failClosed": isFlag,
	"command": {ext.String, ext.List}, "args": isList, "exec": {ext.String, ext.List}, "bash": isText, "powershell": isText, "commandWindows": isText,
	"windows": isText, "linux": isText, "osx": isText,
	"prompt": isText, "model": isText, "url": isText, "headers": isMap, "allowedEnvVars": isList, "server": isText, "tool": isText, "input": nil,
	"name": isText, "description": isText, "statusMessage": isText, "cwd": isText, "env": isMap, "shell": nil, "async": isFlag, "asyncRewake": isFlag, "rewakeMessage": isText, "rewakeSummary": isText, "onFailure": isText, "once": isFlag,
	"loop_limit": nil, "sequential": isFlag, "additionalContextLimit": {ext.Number},
}

// programs are the keys under which clients write what runs. The first that is
// there is the program; the others are kept for the systems that they are for.
var programs = []struct{ key, option string }{
	{"command", ""},
	{"bash", ""},
	{"exec", ""},
	{"linux", clientevent.Linux},
	{"osx", clientevent.MacOS},
	{"windows", clientevent.Windows},
	{"powershell", clientevent.Windows},
	{"commandWindows", clientevent.Windows},
}

// handlerOf is what a node says of a handler, in any client's words.
func (l *layer) handlerOf(event string, d *ext.Doc) handler {
	var h handler
	used := h.runs(d)
	for i := range d.Map {
		switch p := &d.Map[i]; {
		case used[p.Key], slices.Contains(eventKeys, p.Key):
		case strangeness(p) != "":
			h.strange(p, strangeness(p))
		case p.Key == "matcher":
			h.matches = matchers(&p.Value)
		case p.Key == "timeout" || p.Key == "timeoutSec":
			l.waits(&h, event, p)
		case p.Key == "failClosed":
			if p.Value.Text == "true" {
				h.options = append(h.options, pair(clientevent.FailClosed, ext.Doc{Kind: ext.Bool, Text: "true", File: d.File, Line: p.Line}))
			}
		case p.Key == "onFailure":
			if h.keep(p); p.Value.Text == "block" {
				h.options = append(h.options, pair(clientevent.FailClosed, ext.Doc{Kind: ext.Bool, Text: "true", File: d.File, Line: p.Line}))
			}
		case p.Key == clientevent.If:
			h.option(clientevent.If, p.Value.Text, &p.Value)
		case p.Key == "cwd":
			h.option(clientevent.Cwd, canonicalText(p.Value.Text), &p.Value)
		case p.Key == "env":
			h.options = append(h.options, pair(clientevent.Env, renamed(p.Value)))
		default:
			h.keep(p)
		}
	}
	return h
}

// runs finds what would run, and which keys say so.
func (h *handler) runs(d *ext.Doc) (used map[string]bool) {
	used = map[string]bool{}
	take := func(key string) string {
		if s := d.Word(key); s != "" {
			used[key] = true
			return s
		}
		return ""
	}
	switch h.kind = cmp.Or(take("type"), kindOf(d)); h.kind {
	case "prompt", "agent":
		if s := take("prompt"); s != "" {
			h.target = h.kind
			h.option(clientevent.Prompt, s, d.Get("prompt"))
		}
	case "http":
		h.target = take("url")
	case "mcp_tool":
		h.target = strings.Trim(take("server")+"/"+take("tool"), "/")
	default:
		h.programs(d, used)
		if h.target == "" && h.kind != "command" { // a kind that nobody here knows: what it does is among the rest
			h.target = h.kind
		}
	}
	h.target = canonicalText(h.target) // so that what it names counts as part of it
	return used
}

// kindOf is the kind of a handler that does not say it.
func kindOf(d *ext.Doc) string {
	switch {
	case slices.ContainsFunc(handlerPrograms(d), func(s string) bool { return s != "" }):
	case d.Word("url") != "":
		return "http"
	case d.Word("prompt") != "":
		return "prompt"
	}
	return "command"
}

// handlerPrograms are what a node would run, in the order of programs.
func handlerPrograms(d *ext.Doc) []string {
	out := make([]string, len(programs))
	for i, p := range programs {
		v := d.Get(p.key)
		if v == nil || v.Kind != ext.String && v.Kind != ext.List {
			continue
		}
		words := texts(v)
		if v.Kind == ext.String {
			words = []string{v.Text}
		}
		if s := strings.TrimSpace(strings.Join(words, " ")); s != "" && (p.key == "command" || p.key == "exec") {
			out[i] = strings.TrimSpace(strings.Join(append([]string{s}, texts(d.Get("args"))...), " "))
		} else {
			out[i] = s
		}
	}
	return out
}

func (h *handler) programs(d *ext.Doc, used map[string]bool) {
	taken := map[string]bool{}
	for i, s := range handlerPrograms(d) {
		p := programs[i]
		switch {
		case s == "":
		case h.target == "":
			h.target, used[p.key] = s, true
			h.argv(p.key, d, used)
		case p.option != "" && !taken[p.option]:
			taken[p.option], used[p.key] = true, true
			h.option(p.option, canonicalText(s), d.Get(p.key))
		}
	}
}

// argv keeps the words of a program that runs without a shell: it is a list, or has
// one of arguments.
func (h *handler) argv(key string, d *ext.Doc, used map[string]bool) {
	args := d.Get("args")
	if args != nil && args.Kind != ext.List || key != "command" && key != "exec" {
		args = nil
	}
	program := d.Get(key)
	if args == nil && program.Kind != ext.List {
		return
	}
	list := ext.Doc{Kind: ext.List, File: program.File, Line: program.Line}
	for _, v := range append(program.Items(), args.Items()...) {
		list.List = append(list.List, textAt(v, canonicalText(v.Text)))
	}
	if args != nil {
		used["args"] = true
	}
	h.options = append(h.options, pair(clientevent.Argv, list))
}

// option adds a text of the node under a name that the hook knows.
func (h *handler) option(name, text string, at *ext.Doc) {
	if text != "" {
		h.options = append(h.options, pair(name, textAt(at, text)))
	}
}

// keep keeps a pair that the hook has no name for, as text.
func (h *handler) keep(p *ext.Pair) {
	h.also = append(h.also, p.Key+": "+canonicalText(shown(&p.Value)))
}

// strange keeps a pair that is not understood, and says so.
func (h *handler) strange(p *ext.Pair, what string) {
	h.keep(p)
	h.odd = append(h.odd, what)
}

// strangeness says what of a pair no client is known to have; "" for nothing.
func strangeness(p *ext.Pair) string {
	switch kinds, known := handlerKeys[p.Key]; {
	case !known:
		return "key " + ext.Quote(p.Key)
	case kinds != nil && !slices.Contains(kinds, p.Value.Kind):
		return ext.Quote(p.Key) + " is " + p.Value.Kind.String()
	}
	return ""
}

// shown is a node as text: a scalar as it is written, anything else in brackets.
func shown(d *ext.Doc) string {
	switch {
	case d.Kind == ext.Null:
		return "null"
	case d.Kind == ext.Map:
		parts := make([]string, len(d.Map))
		for i := range d.Map {
			parts[i] = d.Map[i].Key + ": " + shown(&d.Map[i].Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case d.Kind == ext.List:
		parts := make([]string, len(d.List))
		for i := range d.List {
			parts[i] = shown(&d.List[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return d.Text
}

// texts are the items of a list as they are written.
func texts(d *ext.Doc) (out []string) {
	if d == nil {
		return nil
	}
	for i := range d.List {
		out = append(out, d.List[i].Text)
	}
	return out
}

// matchers are what a handler is asked about; none for everything, which one of
// several may say.
func matchers(d *ext.Doc) (out []ext.Doc) {
	for _, m := range d.Items() {
		if m.Text == "" || m.Text == "*" {
			return nil
		}
		out = append(out, textAt(m, m.Text))
	}
	return out
}

// waits reads a handler's time-out.
func (l *layer) waits(h *handler, event string, p *ext.Pair) {
	const anHour = 3600
	unit := 1000.0
	if p.Key == "timeout" && dialects[l.client].milliseconds {
		unit = 1
	}
	n, err := strconv.ParseFloat(p.Value.Text, 64)
	ms := n * unit
	switch {
	case err != nil || ms <= 0 || ms > math.MaxInt32:
		h.strange(p, ext.Quote(p.Key)+" is "+ext.Escape(ext.Shorten(p.Value.Text, 20)))
		return
	case unit == 1000 && n >= anHour:
		l.note(HookTimeout, l.of(&p.Value), "the time-out of a hook of %s is %s seconds", ext.Quote(event), p.Value.Text)
	}
	h.timeout = int(ms)
}

// ours is the line that mortise hook prints for clients' settings.
var ours = pattern.New(`^["']?([^"'\s]*[/\\])?mortise(\.exe)?["']?\s+(-\S+\s+)*hook\s`)

// handler lays a handler as an implementation of the hook for clients' events.
// What would run nothing does nothing in any client, and is told.
func (l *layer) handler(event string, h *handler, d *ext.Doc) {
	if len(h.odd) > 0 {
		l.note(HookKey, l.of(d), "a hook of %s holds what is not known here: %s", ext.Quote(event), first(h.odd))
	}
	if ours.MatchString(h.target) {
		l.note(HookOurs, l.of(d), "a hook of %s asks Mortise", ext.Quote(event))
		return
	}
	if h.target == "" {
		l.note(HookNothing, l.of(d), "a hook of %s names nothing that would run", ext.Quote(event))
		return
	}
	pairs := []ext.Pair{
		pair("ref", mapAt(d, pair("driver", textAt(d, clientevent.Driver)), pair("target", textAt(d, h.target)), pair("name", textAt(d, h.kind)))),
		pair("role", textAt(d, clientevent.RoleOf(l.client, event).String())),
	}
	if len(h.matches) > 0 {
		pairs = append(pairs, pair("matches", ext.Doc{Kind: ext.List, File: d.File, Line: d.Line, List: h.matches}))
	}
	if h.timeout > 0 {
		pairs = append(pairs, pair("timeout_ms", ext.Doc{Kind: ext.Number, Text: strconv.Itoa(h.timeout), File: d.File, Line: d.Line}))
	}
	pairs = append(pairs, pair(clientevent.Event, textAt(d, event)), pair(clientevent.Client, textAt(d, l.client)))
	pairs = append(pairs, h.options...)
	if len(h.also) > 0 {
		pairs = append(pairs, pair(clientevent.Also, textAt(d, strings.Join(h.also, "; "))))
	}
	if told := "event " + event; !clientevent.Known(l.client, event) && !l.told[told] {
		l.told[told] = true
		l.note(EventUnknown, l.of(d), "%s has no event %s that is known here", l.client, ext.Quote(event))
	}
	name := safeName(event) // an implementation has no other name, so no two are called alike
	key := surface.Fold(name)
	l.events[key]++
	l.entry("client_event", fmt.Sprintf("%s-%d", name, l.events[key]), mapAt(d, pairs...))
}
