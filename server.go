package mortise

import (
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/server"
)

// Server is an MCP server: a process that is started, or an address. It is the
// [Provider] of an extension that is called like it and has nothing else; a
// [Contribution] may hold several. To declare one starts nothing and connects to
// nothing: [Host.Connect] does, and [Host.Close] ends it.
type Server struct {
	// Name is of 1 to 64 letters, digits, '_' and '-'; as a provider, as the name of
	// its extension.
	Name string

	// Command is the program of a process: a bare name, which is looked for along the
	// PATH, or an absolute path without blanks. It is no shell line. Of the program's
	// own environment a process gets what it needs to run (PATH, HOME, LANG, …), and
	// Env over it. In Args and in values of Env ${PLUGIN_ROOT} stands for Dir; nothing
	// else is replaced.
	Command string
	Args    []string
	Env     map[string]string
	Dir     string // where it starts, absolute; "" is where the program is when it connects

	// URL is the address of a server of Streamable HTTP: https, or http on this
	// machine. Headers are sent with every request.
	URL     string
	Headers map[string]string
}

// Contribute is an extension of the server alone.
func (s Server) Contribute() Contribution {
	return Contribution{Extension: s.Name, Servers: []Server{s}}
}

// mainRan is whether this process began with Main.
var mainRan atomic.Bool

// Main is the first call in the main function of a program that connects to servers
// that are processes, and in TestMain of its tests: between the program and such a
// process stands the program itself once more, which ends all that the process
// started. As that, Main does not return; else it does nothing.
func Main() {
	child.Main()
	mainRan.Store(true)
}

// serverFile is where servers are laid out.
const serverFile = "mcp.json"

// declaration is a server as it is laid out. Where a process starts is told as
// processes are told it, since no extension's file may name a place outside itself.
type declaration struct {
	Type    server.Transport  `json:"type"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

func (s *Server) declaration() declaration {
	d := declaration{server.Stdio, s.Command, s.Args, s.Env, s.URL, s.Headers}
	if s.URL != "" && s.Command == "" {
		d.Type = server.HTTP
	}
	if s.Dir != "" {
		d.Env = map[string]string{}
		for name, value := range s.Env {
			d.Env[name] = value
		}
		d.Env["PWD"] = s.Dir
	}
	return d
}

// unmeant is what cannot be meant by a declaration, beside what the surface of
// servers finds; "" is nothing.
func (s *Server) unmeant() string {
	values := slices.Clone(s.Args)
	for _, v := range s.Env {
		values = append(values, v)
	}
	switch {
	case strings.ContainsAny(s.Command, `/\`) && !filepath.IsAbs(s.Command):
		return "its command is neither a bare name nor an absolute path"
	case s.Dir != "" && s.Command == "":
		return "it names a directory, and has no command that would start there"
	case s.Dir != "" && !filepath.IsAbs(s.Dir):
		return "its directory is no absolute path"
	case slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, surface.DataVariable) }):
		return "it uses " + surface.DataVariable + ", which stands for nothing here"
	}
	return ""
}

// server lays a server out.
func (l *layout) server(s *Server) {
	if !plainName(s.Name) {
		l.findings.Add(checkName.At(l.origin, "the name of the server %s is not of 1 to 64 letters, digits, '_' and '-'", ext.Quote(ext.Shorten(s.Name, 80))))
		return
	}
	if _, taken := l.servers[s.Name]; taken {
		l.findings.Add(checkTwice.At(l.origin.At(serverFile, 1), "two of kind server are called %s", ext.Quote(s.Name)))
		return
	}
	if why := s.unmeant(); why != "" {
		l.findings.Add(checkValue.At(l.origin.At(serverFile, 1), "the server %s cannot be meant so: %s", ext.Quote(s.Name), why))
		return
	}
	l.servers[s.Name] = *s
}

// serverFile lays the file of all servers out.
func (l *layout) serverFile() {
	if len(l.servers) == 0 {
		return
	}
	declared := map[string]declaration{}
	for name, s := range l.servers {
		declared[name] = s.declaration()
	}
	l.put("file", ".", strings.TrimSuffix(serverFile, ".json"), ".json", l.value("the file", serverFile, map[string]any{server.Surface.Holds: declared}))
	l.entries += len(declared) - 1
}
