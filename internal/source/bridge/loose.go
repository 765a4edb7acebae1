package bridge

import (
	"io/fs"
	"path"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Loose is a directory without a manifest that holds component directories:
// the canonical layout with every surface at the root.
var Loose = source.Format{
	Name: "loose",
	Doc:  "A directory without a manifest: skills/, agents/, commands/, prompts/, tools/, hooks/ and mcp.json at its root.",
	Lay:  layLoose,
}

func layLoose(t *ext.Tree, _ source.Manifest, env source.Env) {
	for _, s := range env.Specs {
		source.Into(t, s, s.Dir, env)
	}
	for i := range t.Places {
		if t.Places[i].Surface == "server" {
			t.Places[i].Dialect = surface.DialectLoose
		}
	}
	source.Strays(t, ".", env, false)
	soleSkill(t, env)
}

// soleSkill lays a root that is itself one skill: SKILL.md and no skills/.
func soleSkill(t *ext.Tree, env source.Env) {
	spec := env.Spec("skill")
	if spec == nil {
		return
	}
	if info, err := fs.Stat(t.FS, "SKILL.md"); err != nil || info.IsDir() {
		return
	}
	if _, err := fs.Stat(t.FS, spec.Dir); err == nil {
		return
	}
	name := t.Label
	if name == "" {
		name = path.Base(path.Clean("/" + t.Root))
	}
	t.Places = append(t.Places, ext.Place{Surface: spec.Name, Path: path.Join(spec.Dir, name, "SKILL.md"), File: "SKILL.md"})
}
