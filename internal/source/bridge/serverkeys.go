package bridge

import (
	"cmp"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// switchedOff tells of a server that its declaration switches off.
func (l *layer) switchedOff(server *ext.Pair, file string) bool {
	for _, p := range server.Value.Map {
		if p.Key != "disabled" && p.Key != "enabled" || p.Value.Kind == ext.Null || p.Value.Kind == ext.Bool {
			continue
		}
		l.note(ServerSwitch, l.at(file, p.Line), "the server %s counts as switched off: %q must be true or false, found %s", ext.Quote(server.Key), p.Key, p.Value.Kind)
		return true
	}
	if off(&server.Value) {
		l.note(ServerDisabled, l.at(file, server.Line), "the server %s is switched off", ext.Quote(server.Key))
		return true
	}
	return false
}

func off(d *ext.Doc) bool {
	disabled, enabled := d.Get("disabled"), d.Get("enabled")
	return disabled != nil && disabled.Kind == ext.Bool && disabled.Text == "true" ||
		enabled != nil && enabled.Kind == ext.Bool && enabled.Text == "false"
}

// transports maps the names of transports met in the field to the canonical
// ones.
var transports = map[string]string{
	"http": "streamable-http", "streamableHttp": "streamable-http", "streamable-http": "streamable-http", "streamable_http": "streamable-http",
	"remote": "streamable-http", "sse": "sse", "stdio": "stdio", "local": "stdio",
}

// serverKeys are the keys of a server that have a canonical meaning, by every
// spelling.
var serverKeys = map[string]string{
	"type": "type", "transport": "type", "command": "command", "args": "args", "env": "env", "environment": "env", "cwd": "cwd",
	"url": "url", "serverUrl": "url", "httpUrl": "url", "headers": "headers", "http_headers": "headers",
}

// declared is one server on its way to canonical form.
type declared struct {
	*layer
	name    string
	out     ext.Doc
	from    map[string]ext.Pair // canonical keys, each as it was spelled
	ignored []ext.Pair
	fault   *ext.Finding
}

// server is one server in canonical form: keys and transport by their canonical
// names, the plugin's root and data by the canonical variables, and no keys that
// have no meaning here: those are apart, and each is reported. fault says why it
// must not be used.
func (l *layer) server(name string, d ext.Doc) (canonical ext.Doc, ignored []ext.Pair, fault *ext.Finding) {
	if d.Kind != ext.Map {
		return d, nil, nil
	}
	s := declared{layer: l, name: name, out: d, from: map[string]ext.Pair{}}
	s.out.Raw, s.out.Map = nil, nil
	for _, p := range d.Map {
		key := serverKeys[p.Key]
		switch {
		case p.Key == "disabled" || p.Key == "enabled":
		case s.preferred(&d, p.Key):
			l.note(ManifestIgnored, l.at(d.File, p.Line), "the server %s has \"url\" and \"httpUrl\", of which its client takes \"httpUrl\"", ext.Quote(name))
		case key == "":
			s.ignored = append(s.ignored, p)
		default:
			s.take(key, p)
		}
	}
	s.geminiTransport()
	l.meaningless(name, d.File, s.ignored)
	l.unfilled(name, &s.out)
	return s.out, s.ignored, s.fault
}

// preferred reports whether the server's client takes another key of it instead:
// Gemini CLI says that it prefers "httpUrl".
func (s *declared) preferred(d *ext.Doc, key string) bool {
	return s.client == "gemini-cli" && key == "url" && d.Get("httpUrl") != nil
}

// take takes one key over. What was said before in other words must be the same.
func (s *declared) take(key string, p ext.Pair) {
	v := p.Value
	switch {
	case key == "type" && v.Kind == ext.String && transports[v.Text] != "":
		v = textAt(&v, transports[v.Text])
	case key == "command" && v.Kind == ext.List:
		line := commandLine(&v)
		for _, q := range line {
			s.set(q.Key, ext.Pair{Key: p.Key, Line: p.Line, Value: q.Value})
		}
		return
	default:
		v = renamed(v)
	}
	s.set(key, ext.Pair{Key: p.Key, Line: p.Line, Value: v})
}

func (s *declared) set(key string, p ext.Pair) {
	was, twice := s.from[key]
	switch {
	case !twice:
		s.from[key] = p
		s.out.Map = append(s.out.Map, ext.Pair{Key: key, Line: p.Line, Value: p.Value})
	case was.Value.Digest() == p.Value.Digest():
		s.ignored = append(s.ignored, p)
	default:
		s.unclear(p.Line, "the keys %s and %s of the server %s say two different things", ext.Quote(was.Key), ext.Quote(p.Key), ext.Quote(s.name))
	}
}

func (s *declared) unclear(line int, format string, args ...any) {
	if s.fault == nil {
		f := ServerUnclear.At(s.at(cmp.Or(s.out.File, s.m.Path), line), format, args...)
		s.fault = &f
	}
}

// geminiTransport says which transport Gemini CLI means by httpUrl. By url it
// means the same first, and falls back to the older one.
func (s *declared) geminiTransport() {
	const transport = "streamable-http"
	at, ok := s.from["url"]
	if s.client != "gemini-cli" || !ok || at.Key == "url" {
		return
	}
	said, ok := s.from["type"]
	switch {
	case !ok:
		s.out.Map = append(s.out.Map, pair("type", textAt(&at.Value, transport)))
	case said.Value.Text != transport:
		s.unclear(said.Line, "the key %s of the server %s says another transport than %q does", ext.Quote(said.Key), ext.Quote(s.name), at.Key)
	}
}

// commandLine is a command that is written with its arguments in one list.
func commandLine(d *ext.Doc) []ext.Pair {
	if len(d.List) == 0 {
		return []ext.Pair{pair("command", textAt(d, ""))}
	}
	command := []ext.Pair{pair("command", renamed(d.List[0]))}
	if len(d.List) == 1 {
		return command
	}
	args := *d
	args.Raw, args.List = nil, d.List[1:]
	return append(command, pair("args", renamed(args)))
}

// meaningless tells the keys of a server that have no meaning here.
func (l *layer) meaningless(name, file string, pairs []ext.Pair) {
	const most = 6
	var quoted []string
	for _, p := range pairs[:min(most, len(pairs))] {
		quoted = append(quoted, ext.Quote(p.Key))
	}
	what := strings.Join(quoted, ", ")
	switch n := len(pairs); {
	case n == 0:
	case n == 1:
		l.note(ManifestIgnored, l.at(file, pairs[0].Line), "key %s of the server %s has no meaning here", what, ext.Quote(name))
	case n <= most:
		l.note(ManifestIgnored, l.at(file, pairs[0].Line), "keys %s of the server %s have no meaning here", what, ext.Quote(name))
	default:
		l.note(ManifestIgnored, l.at(file, pairs[0].Line), "keys %s and %d more of the server %s have no meaning here", what, n-most, ext.Quote(name))
	}
}
