// Package server is the surface for MCP servers that an extension declares. It
// says what a server is; drivers start and reach it.
package server

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Schema is the identifier that an Agent Plugins 1.0.0 server file must carry.
const Schema = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"

// Transport is how a server is reached.
type Transport string

const (
	// Stdio is a process that is started and spoken to over its pipes.
	Stdio Transport = "stdio"
	// HTTP is MCP's Streamable HTTP.
	HTTP Transport = "streamable-http"
	// SSE is the older HTTP with server-sent events.
	SSE Transport = "sse"
)

// Server is one declaration. Nothing in it has been expanded.
type Server struct {
	Transport Transport
	Command   string // one token: a bare name, or "./…" below the plugin's root
	Args      []string
	Env       []Pair
	Cwd       string // "" is the plugin's root
	URL       string
	Headers   []Pair
	Dialect   string  // whose placeholders the values hold; "" is Agent Plugins
	Raw       ext.Doc // the declaration as read
	Ignored   ext.Doc // the keys that its client has for it and that mean nothing here; Kind Null where there are none
	Own       bool    // it names something of its extension's own: a file, its directory, its data, its settings
}

// Pair is a name and a value in the order of the file.
type Pair struct{ Name, Value string }

// Surface is the server surface.
var Surface = surface.Define(surface.Def[Server]{
	Name:   "server",
	Doc:    "MCP servers whose tools, prompts and resources an agent may use.",
	Dir:    ".",
	Files:  "mcp.json",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Runs:   true,
	Beside: Beside,
	Fields: fields,
	Checks: Checks,
	Decode: decode,
	Holds:  "mcpServers",
})

var fields = []surface.Field{
	{Name: "type", Type: surface.Text, Required: true, Doc: "stdio, streamable-http or sse."},
	{Name: "command", Type: surface.Text, Doc: "stdio: what to start, one token: a bare name or ./… below the root. Never a shell line, never expanded."},
	{Name: "args", Type: surface.Words, Doc: "stdio: its arguments; ${PLUGIN_ROOT} and ${PLUGIN_DATA} are replaced."},
	{Name: "env", Type: surface.Object, Doc: "stdio: further variables of its environment; values are expanded like args."},
	{Name: "cwd", Type: surface.Text, Doc: "stdio: where it starts; the plugin's root by default."},
	{Name: "url", Type: surface.Text, Doc: "streamable-http and sse: an absolute https address; http for loopback alone."},
	{Name: "headers", Type: surface.Object, Doc: "streamable-http and sse: headers sent with every request; never expanded."},
}

// Checks on servers.
var (
	File = &ext.Check{
		Code: "server-file", Severity: ext.Error,
		Doc: "The file that declares servers is not an object with \"$schema\" and \"mcpServers\" alone. None of its servers can be used.",
		Fix: "Write {\"$schema\": \"" + Schema + "\", \"mcpServers\": {…}}.",
	}
	Shape = &ext.Check{
		Code: "server-shape", Severity: ext.Error,
		Doc: "A server's declaration is not one of the known forms.",
		Fix: "Give stdio servers type, command, args, env, cwd; remote ones type, url, headers; nothing else.",
	}
	Command = &ext.Check{
		Code: "server-command", Severity: ext.Error,
		Doc: "A server's command is not one token: a bare name or a path beginning with ./.",
		Fix: "Put the program in \"command\" and each argument in \"args\".",
	}
	Escapes = &ext.Check{
		Code: "server-outside", Severity: ext.Error,
		Doc: "A server's command or working directory leaves the plugin's root.",
		Fix: "Name something inside the plugin.",
	}
	Absent = &ext.Check{
		Code: "server-missing-file", Severity: ext.Error,
		Doc: "A server's command or working directory is not there, so the server cannot start.",
		Fix: "Build or restore the file, or disable the server.",
	}
	AbsentHere = &ext.Check{
		Code: "server-file-absent", Severity: ext.Warning,
		Doc: "A server's command or working directory is not in this directory. It refuses the server once the extension is enabled.",
		Fix: "Build or restore the file before enabling the extension.",
	}
	Address = &ext.Check{
		Code: "server-url", Severity: ext.Error,
		Doc: "A server's address is not an absolute http(s) URL without user info and fragment, or is plain http to another machine.",
		Fix: "Use https, or http for localhost alone; put credentials in headers or in the host's own settings.",
	}
	Headers = &ext.Check{
		Code: "server-headers", Severity: ext.Error,
		Doc: "A server's headers are not valid, or two of them differ only by case.",
		Fix: "Correct the header names.",
	}
	Environment = &ext.Check{
		Code: "server-env", Severity: ext.Error,
		Doc: "A server's environment names a variable that is the host's to set, or one that no system accepts.",
		Fix: "Remove the variable.",
	}
	Unpinned = &ext.Check{
		Code: "server-unpinned", Severity: ext.Info,
		Doc: "A server is started by a package runner without an exact version, so what runs may change at any time.",
		Fix: "Name an exact version.",
	}
)

// Checks lists the checks on servers.
var Checks = []*ext.Check{File, Shape, Command, Escapes, Absent, AbsentHere, Address, Headers, Environment, Unpinned}

// decode reads every server of every document. A fault at the level of the
// file is one refused entry that stands for the servers it would have held.
func decode(docs []surface.Document) []surface.Entry[Server] {
	var out []surface.Entry[Server]
	for _, d := range docs {
		whole := surface.Entry[Server]{Name: d.Path, Origin: d.Origin, Digest: d.Digest}
		servers := readFile(d, &whole)
		if whole.Findings.Failed() {
			out = append(out, whole)
			continue
		}
		for i := range servers.Map {
			p := &servers.Map[i]
			e := surface.Entry[Server]{Name: p.Key, Origin: d.Origin.At(d.Origin.Path, p.Line), Digest: entryDigest(&d, p)}
			readServer(d, &p.Value, &e)
			if ignored := d.Doc.Get(surface.Ignored).Get(p.Key); ignored != nil && d.Dialect == surface.DialectClaude {
				e.Value.Ignored = *ignored
			}
			e.Value.Own = namesOwn(&d, &p.Value) || mentions(&d, &e.Value.Ignored)
			out = append(out, e)
		}
	}
	return out
}

// entryDigest changes with a server's name, its own declaration and the code
// that names, and with nothing else of its file: who consented to one server
// did not consent to its neighbours, nor are they a reason to start it anew.
func entryDigest(d *surface.Document, p *ext.Pair) ext.Digest {
	return ext.NewHash("server").Text(p.Key).Digest(d.DigestOf(&p.Value)).Sum()
}

func readFile(d surface.Document, e *surface.Entry[Server]) *ext.Doc {
	if d.Doc.Kind != ext.Map {
		e.Report(File, 0, "expected an object, found %s", d.Doc.Kind)
		return nil
	}
	schema, servers := d.Doc.Get("$schema"), d.Doc.Get("mcpServers")
	if d.Dialect == "" {
		for _, p := range d.Doc.Map {
			if p.Key != "$schema" && p.Key != "mcpServers" {
				e.Report(File, p.Line, "key %s is not allowed here", ext.Quote(p.Key))
			}
		}
		if schema == nil {
			e.Report(File, 0, "\"$schema\" is missing")
		} else if schema.Kind != ext.String || schema.Text != Schema {
			e.Report(File, schema.Line, "\"$schema\" is %s, expected %s", ext.Quote(ext.Shorten(schema.Text, 100)), ext.Quote(Schema))
		}
	}
	if servers == nil {
		e.Report(File, 0, "\"mcpServers\" is missing")
	} else if servers.Kind != ext.Map {
		e.Report(File, servers.Line, "\"mcpServers\" must be an object, found %s", servers.Kind)
	}
	return servers
}
