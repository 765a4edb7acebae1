package bridge

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
	"github.com/mortise-dev/mortise/internal/surface"
)

// variables are the names that clients have for the plugin's directories, and
// for a separator of paths.
var variables = strings.NewReplacer(
	"${CLAUDE_PLUGIN_ROOT}", surface.RootVariable, "${CLAUDE_PLUGIN_DATA}", surface.DataVariable,
	"${CURSOR_PLUGIN_ROOT}", surface.RootVariable, "${extensionPath}", surface.RootVariable, "${__dirname}", surface.RootVariable,
	"${/}", "/", "${pathSeparator}", "/",
)

// environment is a variable of the environment as Cursor and VS Code write it.
var environment = pattern.New(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)

func canonicalText(s string) string {
	return environment.ReplaceAllString(variables.Replace(s), "${$1}")
}

// renamed is a node with the canonical variables in all its texts.
func renamed(d ext.Doc) ext.Doc {
	switch d.Kind {
	case ext.String:
		if s := canonicalText(d.Text); s != d.Text {
			d.Text, d.Raw = s, nil
		}
	case ext.List:
		list := make([]ext.Doc, len(d.List))
		for i := range d.List {
			list[i] = renamed(d.List[i])
		}
		d.List, d.Raw = list, nil
	case ext.Map:
		pairs := make([]ext.Pair, len(d.Map))
		for i, p := range d.Map {
			p.Value = renamed(p.Value)
			pairs[i] = p
		}
		d.Map, d.Raw = pairs, nil
	}
	return d
}

// foreign is a placeholder that a client fills in: one that is no variable's
// name, or one that only clients know.
var foreign = pattern.New(`\$\{(?:[A-Za-z_]\w*\.[^}]*|[A-Za-z_]\w*:[^}-][^}]*|CLAUDE_PROJECT_DIR|workspacePath|workspaceFolder|userHome|DESKTOP|DOCUMENTS|DOWNLOADS)\}`)

// unmarked are the placeholders that single clients write in a way of their own,
// and that are plain text for all others.
var unmarked = map[string]*pattern.Pattern{
	"gemini-cli": pattern.New(`\$[A-Za-z_]\w*`),
	"opencode":   pattern.New(`\{(?:env|file):[^}]*\}`),
}

// unfilled tells the first placeholder of a server that nothing here fills in.
func (l *layer) unfilled(name string, d *ext.Doc) {
	found := ""
	line := d.Line
	eachText(d, func(t *ext.Doc) {
		if found != "" {
			return
		}
		if found = foreign.FindString(t.Text); found == "" && unmarked[l.client] != nil {
			found = unmarked[l.client].FindString(t.Text)
		}
		if found != "" {
			line = t.Line
		}
	})
	if found != "" {
		l.note(ServerVariable, l.at(d.File, line), "the server %s needs %s", ext.Quote(name), ext.Quote(ext.Shorten(found, 60)))
	}
}

func eachText(d *ext.Doc, visit func(*ext.Doc)) {
	if d.Kind == ext.String {
		visit(d)
	}
	for i := range d.List {
		eachText(&d.List[i], visit)
	}
	for i := range d.Map {
		eachText(&d.Map[i].Value, visit)
	}
}
