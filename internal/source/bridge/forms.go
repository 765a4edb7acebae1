package bridge

import (
	"io/fs"
	"path"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/source"
)

// content reads a file as its client does. One that is not there, although the
// manifest names it, is at fault where it is named.
func (l *layer) content(file string) source.Content {
	if l.laying().Over() { // the tree is refused for it, and links make one file look like many
		return source.Content{Lost: true, Findings: ext.Findings{source.TooMany.At(l.at(file, 0), "it is not read, since a limit was passed")}}
	}
	c := source.ReadLax(l.t.FS, l.at(file, 0), l.env.Limits, laxity(l.client, file))
	by, named := l.kept().paths[file]
	if !c.Lost || !named {
		return c
	}
	if _, err := fs.Lstat(l.t.FS, file); err != nil && source.Absent(l.t.FS, file, err) {
		c.Findings = ext.Findings{l.pathMissing(by.doc, by.key, err)}
	}
	return c
}

// laxity is what a client takes beside JSON in a file of its own. That a plugin
// holds such a file changes nothing: what is read is read for that client alone.
func laxity(client, file string) doc.Lax {
	switch name := path.Base(file); {
	case client == "vscode" && path.Ext(name) == ".json":
		return doc.Comments | doc.Commas
	case client == "opencode" && name == "opencode.json":
		return doc.Comments | doc.Commas
	case client == "gemini-cli" && name == "settings.json":
		return doc.Comments
	}
	return 0
}
