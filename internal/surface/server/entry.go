package server

import (
	"net/url"
	"path"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/loopback"
	"github.com/mortise-dev/mortise/internal/pattern"
	"github.com/mortise-dev/mortise/internal/surface"
)

// variants are the keys that each transport allows beside "type".
var variants = map[Transport][]string{
	Stdio: {"command", "args", "env", "cwd"},
	HTTP:  {"url", "headers"},
	SSE:   {"url", "headers"},
}

func readServer(d surface.Document, doc *ext.Doc, e *surface.Entry[Server]) {
	s := &e.Value
	s.Dialect, s.Raw = d.Dialect, *doc
	if doc.Kind != ext.Map {
		e.Report(Shape, doc.Line, "a server must be an object, found %s", doc.Kind)
		return
	}
	if !readTransport(d, doc, e) {
		return
	}
	for i := range doc.Map {
		readKey(&doc.Map[i], e)
	}
	if s.Transport == Stdio {
		e.Description = strings.Join(append([]string{s.Command}, s.Args...), " ")
		checkCommand(d, doc, e)
		checkCwd(d, doc, e)
		checkEnv(doc, e)
		checkPinned(e)
		return
	}
	checkURL(doc, e)
	checkHeaders(doc, e)
}

func readTransport(d surface.Document, doc *ext.Doc, e *surface.Entry[Server]) bool {
	t := doc.Get("type")
	switch {
	case t != nil && t.Kind == ext.String:
		e.Value.Transport = Transport(t.Text)
	case t == nil && d.Dialect != "" && doc.Get("command") != nil:
		e.Value.Transport = Stdio
	case t == nil && d.Dialect != "" && doc.Get("url") != nil:
		e.Value.Transport = HTTP
	case t == nil:
		e.Report(Shape, 0, "\"type\" is missing; it is stdio, streamable-http or sse")
		return false
	default:
		e.Report(Shape, t.Line, "\"type\" must be text, found %s", t.Kind)
		return false
	}
	allowed, known := variants[e.Value.Transport]
	if !known {
		e.Report(Shape, t.Line, "type %s is not known; it is stdio, streamable-http or sse", ext.Quote(t.Text))
		return false
	}
	for _, p := range doc.Map {
		if p.Key != "type" && !contains(allowed, p.Key) {
			e.Report(Shape, p.Line, "key %s does not belong to a %s server", ext.Quote(p.Key), e.Value.Transport)
		}
	}
	return true
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// readKey fills in one key; keys that do not belong were reported before.
func readKey(p *ext.Pair, e *surface.Entry[Server]) {
	s := &e.Value
	switch p.Key {
	case "command":
		readText(p, e, &s.Command)
	case "cwd":
		readText(p, e, &s.Cwd)
	case "url":
		readText(p, e, &s.URL)
	case "args":
		s.Args = readTexts(p, e)
	case "env":
		s.Env = readPairs(p, e)
	case "headers":
		s.Headers = readPairs(p, e)
	}
}

func readText(p *ext.Pair, e *surface.Entry[Server], to *string) {
	if p.Value.Kind != ext.String {
		e.Report(Shape, p.Value.Line, "%q must be a string, found %s", p.Key, p.Value.Kind)
		return
	}
	*to = p.Value.Text
}

func readTexts(p *ext.Pair, e *surface.Entry[Server]) []string {
	if p.Value.Kind != ext.List {
		e.Report(Shape, p.Value.Line, "%q must be a list of strings, found %s", p.Key, p.Value.Kind)
		return nil
	}
	out := make([]string, 0, len(p.Value.List))
	for i := range p.Value.List {
		if v := &p.Value.List[i]; v.Kind == ext.String {
			out = append(out, v.Text)
		} else {
			e.Report(Shape, v.Line, "%q must hold strings only, found %s", p.Key, v.Kind)
		}
	}
	return out
}

func readPairs(p *ext.Pair, e *surface.Entry[Server]) []Pair {
	if p.Value.Kind != ext.Map {
		e.Report(Shape, p.Value.Line, "%q must be an object of strings, found %s", p.Key, p.Value.Kind)
		return nil
	}
	out := make([]Pair, 0, len(p.Value.Map))
	for i := range p.Value.Map {
		if v := &p.Value.Map[i]; v.Value.Kind == ext.String {
			out = append(out, Pair{v.Key, v.Value.Text})
		} else {
			e.Report(Shape, v.Value.Line, "%s in %q must be a string, found %s", ext.Quote(v.Key), p.Key, v.Value.Kind)
		}
	}
	return out
}

// notText reports whether a key holds something else than text, which was said
// when it was read.
func notText(doc *ext.Doc, key string) bool {
	v := doc.Get(key)
	return v != nil && v.Kind != ext.String
}

func lineOf(doc *ext.Doc, key string) int {
	if v := doc.Get(key); v != nil {
		return v.Line
	}
	return doc.Line
}

// checkCommand holds a command to one token: a bare name, which the system's
// search finds, or a path below the root (Agent Plugins 7.2).
func checkCommand(d surface.Document, doc *ext.Doc, e *surface.Entry[Server]) {
	c, line := e.Value.Command, lineOf(doc, "command")
	switch {
	case notText(doc, "command"):
	case c == "":
		e.Report(Command, line, "\"command\" is missing or empty")
	case strings.HasPrefix(c, "./"):
		checkInside(d, c, surface.File, line, e)
	case strings.HasPrefix(c, surface.RootVariable+"/") && d.Dialect != "":
		checkInside(d, c, surface.File, line, e)
	case d.Dialect == surface.DialectClaude && !path.IsAbs(c) && leaves(c):
		e.Report(Escapes, line, "the command %s leaves the plugin's root", ext.Quote(c))
	case c == "." || c == "..":
		e.Report(Command, line, "the command %s is no program", ext.Quote(c))
	case d.Dialect == "" && strings.ContainsAny(c, "/\\ \t\r\n\x00\"'|&;<>$`"):
		e.Report(Command, line, "the command %s is neither a bare name nor a path beginning with ./", ext.Quote(c))
	case strings.ContainsAny(c, " \t\r\n\x00|&;<>"):
		e.Report(Command, line, "the command %s is a shell line, not one token", ext.Quote(c))
	}
}

// checkCwd allows the plugin's root and its data directory and what lies
// below them (Agent Plugins 7.2).
func checkCwd(d surface.Document, doc *ext.Doc, e *surface.Entry[Server]) {
	cwd, line := e.Value.Cwd, lineOf(doc, "cwd")
	switch {
	case doc.Get("cwd") == nil || notText(doc, "cwd"):
	case cwd == "":
		e.Report(Shape, line, "\"cwd\" is empty")
	case cwd == surface.RootVariable || cwd == surface.DataVariable:
	case strings.HasPrefix(cwd, "./") || strings.HasPrefix(cwd, surface.RootVariable+"/"):
		checkInside(d, cwd, surface.Directory, line, e)
	case strings.HasPrefix(cwd, surface.DataVariable+"/"):
		if leaves(strings.TrimPrefix(cwd, surface.DataVariable+"/")) {
			e.Report(Escapes, line, "the working directory %s leaves the plugin's data", ext.Quote(cwd))
		}
	case d.Dialect != "" && (leaves(cwd) || len(cwd) > 1 && cwd[1] == ':'): // the driver does not start it there
		e.Report(Escapes, line, "the working directory %s leaves the plugin's root", ext.Quote(cwd))
	case d.Dialect == "":
		e.Report(Shape, line, "\"cwd\" is %s; it must begin with ./, %s or %s", ext.Quote(cwd), surface.RootVariable, surface.DataVariable)
	}
}

func checkInside(d surface.Document, p string, want surface.Presence, line int, e *surface.Entry[Server]) {
	if leaves(strings.TrimPrefix(strings.TrimPrefix(p, surface.RootVariable+"/"), "./")) {
		e.Report(Escapes, line, "%s leaves the plugin's root", ext.Quote(p))
		return
	}
	got, looked := d.Refs[p]
	switch {
	case !looked || got == want:
	case got == surface.Outside:
		e.Report(Escapes, line, "%s leads outside the plugin's root through a link", ext.Quote(p))
	case d.Enabled:
		e.Report(Absent, line, "there is no %s at %s", presenceWord(want), ext.Quote(p))
	default:
		e.Report(AbsentHere, line, "there is no %s at %s", presenceWord(want), ext.Quote(p))
	}
}

func presenceWord(p surface.Presence) string {
	if p == surface.Directory {
		return "directory"
	}
	return "file"
}

func leaves(p string) bool {
	clean := path.Clean(strings.ReplaceAll(p, `\`, "/"))
	return clean == ".." || strings.HasPrefix(clean, "../") || path.IsAbs(clean)
}

var envName = pattern.New(`^[^=\x00]+$`)

func checkEnv(doc *ext.Doc, e *surface.Entry[Server]) {
	eachPair(doc.Get("env"), func(name, value string, line int) {
		switch {
		case name == "PLUGIN_ROOT" || name == "PLUGIN_DATA":
			e.Report(Environment, line, "%s is set by the host", name)
		case !envName.MatchString(name) || strings.ContainsRune(value, 0):
			e.Report(Environment, line, "%s is no variable that a process can be given", ext.Quote(name))
		}
	})
}

// eachPair visits the texts of an object, with the line of each.
func eachPair(doc *ext.Doc, visit func(name, value string, line int)) {
	if doc == nil {
		return
	}
	for i := range doc.Map {
		if p := &doc.Map[i]; p.Value.Kind == ext.String {
			visit(p.Key, p.Value.Text, p.Value.Line)
		}
	}
}

// checkURL wants an absolute https address; plain http is for this machine
// alone (Agent Plugins 7.2). What an address holds before an @ may be a secret
// and is never shown.
func checkURL(doc *ext.Doc, e *surface.Entry[Server]) {
	text, line := e.Value.URL, lineOf(doc, "url")
	e.Description = shownURL(text)
	if e.Value.Dialect == surface.DialectClaude && strings.Contains(text, "${") {
		return // expanded by the driver, which checks the result
	}
	u, err := url.Parse(text)
	switch {
	case notText(doc, "url"):
	case text == "":
		e.Report(Address, line, "\"url\" is missing or empty")
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		e.Report(Address, line, "%s is no absolute http(s) address", ext.Quote(ext.Shorten(shownURL(text), 200)))
	case u.User != nil:
		e.Report(Address, line, "the address holds user info")
	case strings.Contains(text, "#"):
		e.Report(Address, line, "the address holds a fragment")
	case u.Scheme == "http" && !loopback.Is(u.Hostname()):
		e.Report(Address, line, "plain http to %s; only this machine may be spoken to without TLS", ext.Quote(u.Hostname()))
	}
}

// shownURL is an address without what stands before an @ in its authority.
func shownURL(text string) string {
	from := 0
	if i := strings.Index(text, "//"); i >= 0 {
		from = i + 2
	}
	end := len(text)
	if i := strings.IndexAny(text[from:], "/?#"); i >= 0 {
		end = from + i
	}
	if at := strings.LastIndexByte(text[from:end], '@'); at >= 0 {
		return text[:from] + "…" + text[from+at:]
	}
	return text
}

func checkHeaders(doc *ext.Doc, e *surface.Entry[Server]) {
	seen := map[string]string{}
	eachPair(doc.Get("headers"), func(name, value string, line int) {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			e.Report(Headers, line, "%s is no valid header", ext.Quote(name))
		}
		key := strings.ToLower(name)
		if was, ok := seen[key]; ok {
			e.Report(Headers, line, "the headers %s and %s differ only by case", ext.Quote(was), ext.Quote(name))
		}
		seen[key] = name
	})
}
