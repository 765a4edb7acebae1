// Package languageserver is the surface for language servers that an extension
// brings to a client that edits code.
package languageserver

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Server is one declaration. Nothing in it has been expanded.
type Server struct {
	Command    string
	Args       []string
	Transport  string // "" is the client's own default
	Extensions []Language
	Raw        ext.Doc    // the declaration as read
	Beside     []ext.Pair // unknown keys of the file, which its servers share
}

// Language is the ending of a file's name and the language that it means.
type Language struct{ Ending, Name string }

// Surface is the language server surface.
var Surface = surface.Define(surface.Def[Server]{
	Name:   "language-server",
	Doc:    "Language servers for a client that edits code.",
	Dir:    ".",
	Files:  "lsp.json",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Inert:  true,
	Fields: fields,
	Checks: []*ext.Check{File, Extensions},
	Decode: decode,
	Holds:  "lspServers",
})

var fields = []surface.Field{
	{Name: "command", Type: surface.Text, Required: true, Doc: "What is started."},
	{Name: "args", Type: surface.Words, Doc: "Its arguments."},
	{Name: "extensionToLanguage", Type: surface.Object, Doc: "Endings of files, with the language that each means."},
	{Name: "fileExtensions", Type: surface.Object, Doc: "The same (GitHub Copilot)."},
	{Name: "transport", Type: surface.Text, Doc: "stdio or socket."},
	{Name: "env", Type: surface.Object, Doc: "Further variables of its environment."},
	{Name: "initializationOptions", Type: surface.Any, Doc: "What it is told when it starts."},
	{Name: "settings", Type: surface.Any, Doc: "Its settings."},
	{Name: "workspaceFolder", Type: surface.Text, Doc: "The folder it works on."},
	{Name: "startupTimeout", Type: surface.Any, Doc: "How long its start may take."},
	{Name: "shutdownTimeout", Type: surface.Any, Doc: "How long its end may take."},
	{Name: "restartOnCrash", Type: surface.Flag, Doc: "It is started anew when it ends by itself."},
	{Name: "maxRestarts", Type: surface.Integer, Doc: "How often at most."},
	{Name: "diagnostics", Type: surface.Any, Doc: "Whether what it finds is shown."},
}

// Checks on language servers.
var (
	File = &ext.Check{
		Code: "language-server-file", Severity: ext.Error,
		Doc: "The file that declares language servers is not an object with \"lspServers\". None of them can be listed.",
		Fix: "Write {\"lspServers\": {\"NAME\": {\"command\": …}}}.",
	}
	Extensions = &ext.Check{
		Code: "language-server-extensions", Severity: ext.Warning,
		Doc: "A language server names no ending of a file that it is for, or one that is not text beginning with a dot, so no file reaches it.",
		Fix: "Give \"extensionToLanguage\", such as {\".go\": \"go\"}.",
	}
)

// decode reads every language server of every document. A fault at the level of
// the file is one refused entry that stands for what it would have held.
func decode(docs []surface.Document) []surface.Entry[Server] {
	var out []surface.Entry[Server]
	for _, d := range docs {
		whole := surface.Entry[Server]{Name: d.Path, Origin: d.Origin, Digest: d.Digest}
		servers, beside := file(d, &whole)
		if servers == nil {
			out = append(out, whole)
			continue
		}
		first := len(out)
		for i := range servers.Map {
			p := &servers.Map[i]
			e := surface.Entry[Server]{Name: p.Key, Origin: d.Origin.At(d.Origin.Path, max(p.Line, 1))}
			e.Digest = ext.NewHash("language server").Text(p.Key).Digest(d.DigestOf(&p.Value)).Sum()
			one := d
			one.Doc = p.Value
			read(one, &e)
			e.Value.Beside = beside
			out = append(out, e)
		}
		if len(out) > first { // what was noticed about the file
			out[first].Findings.Add(whole.Findings...)
		}
	}
	return out
}

// file is the object that holds the servers, and what else the document holds;
// nil where there is none, which has then been reported.
func file(d surface.Document, e *surface.Entry[Server]) (servers *ext.Doc, beside []ext.Pair) {
	if d.Doc.Kind != ext.Map {
		e.Report(File, d.Doc.Line, "expected an object, found %s", d.Doc.Kind)
		return nil, nil
	}
	for i := range d.Doc.Map {
		if p := &d.Doc.Map[i]; p.Key != "lspServers" && p.Key != "$schema" {
			e.Report(surface.FieldUnknown, p.Line, "field %s is not known here", ext.Quote(p.Key))
			beside = append(beside, *p)
		}
	}
	servers = d.Doc.Get("lspServers")
	if servers == nil {
		e.Report(File, 0, "\"lspServers\" is missing")
		return nil, nil
	}
	if servers.Kind != ext.Map {
		e.Report(File, servers.Line, "\"lspServers\" must be an object, found %s", servers.Kind)
		return nil, nil
	}
	return servers, beside
}

func read(d surface.Document, e *surface.Entry[Server]) {
	v := surface.ReadObject(d, fields, e)
	e.Value = Server{Command: v.Text("command"), Args: v.Words("args"), Transport: v.Text("transport"), Raw: d.Doc}
	if v == nil {
		return
	}
	e.Description = e.Value.Command
	for _, field := range []string{"extensionToLanguage", "fileExtensions"} {
		endings := v.Doc(field)
		if endings == nil {
			continue
		}
		for i := range endings.Map {
			p := &endings.Map[i]
			if p.Value.Kind != ext.String || !strings.HasPrefix(p.Key, ".") {
				e.Report(Extensions, p.Line, "%s is no ending with a language", ext.Quote(p.Key))
				continue
			}
			e.Value.Extensions = append(e.Value.Extensions, Language{p.Key, p.Value.Text})
		}
	}
	if len(e.Value.Extensions) == 0 {
		e.Report(Extensions, 0, "it names no ending of a file")
	}
}
