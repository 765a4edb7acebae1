package bridge

import (
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Loose is a directory without a manifest that holds component directories:
// the canonical layout with every surface at the root that is used here.
var Loose = source.Format{
	Name:  "loose",
	Holds: []string{"skill", "agent", "command", "rule", "prompt", "task", "affordance", "notification", "server", "tool", "resource", "before_tool_call", "client_event"},
	Doc:   "A directory without a manifest: skills/, agents/, commands/, rules/, prompts/, tasks/, affordances/, notifications/, tools/, hooks/ and mcp.json at its root; or a folder of skills.",
	Lay:   layLoose,
}

func layLoose(t *ext.Tree, _ source.Manifest, env source.Env) {
	for _, name := range layComponents(t, env) {
		t.Findings.Add(source.NotRead.At(t.Origin.At(name, 0), "it is an extension of its own, and no part of this one"))
	}
}

// layComponents lays a directory without a manifest. own are the names of those
// of its sub-directories that would be part of it and are extensions themselves.
func layComponents(t *ext.Tree, env source.Env) (own []string) {
	for _, s := range env.Specs {
		if !s.Nested { // at a root, settings/ and apps/ are anybody's folders
			source.Into(t, s, s.Dir, env)
		}
	}
	if t.Origin.Trust < ext.Owner {
		looseHooks(t, env)
	}
	for i := range t.Places {
		if t.Places[i].Surface == "server" {
			t.Places[i].Dialect = surface.DialectLoose
		}
	}
	source.Strays(t, ".", env, false)
	soleSkill(t, env)
	if t.Origin.Trust < ext.Owner && !slices.ContainsFunc(t.Places, func(p ext.Place) bool { return slices.Contains(FolderSurfaces, p.Surface) }) {
		return folderOfSkills(t, env)
	}
	return nil
}

// looseHooks lays the file in which other clients keep hooks. Its shape tells
// whose it is: a number of a version is Cursor's or Copilot's, whose handlers
// differ, and none is Claude Code's.
func looseHooks(t *ext.Tree, env source.Env) {
	const file = "hooks/hooks.json"
	l := newLayer(t, source.Manifest{Path: file}, env, "claude-code")
	if !l.there(file) || l.env.Spec("client_event") == nil {
		return
	}
	if c := source.Read(t.FS, l.at(file, 0), env.Limits); c.Doc.Get("version") != nil {
		l.client = "cursor"
		eachKeyBelow(&c.Doc, func(key string) {
			if key == "bash" || key == "powershell" || key == "timeoutSec" {
				l.client = "copilot"
			}
		})
	}
	l.hookFile(file)
}

func eachKeyBelow(d *ext.Doc, visit func(string)) {
	for i := range d.List {
		eachKeyBelow(&d.List[i], visit)
	}
	for i := range d.Map {
		visit(d.Map[i].Key)
		eachKeyBelow(&d.Map[i].Value, visit)
	}
}
