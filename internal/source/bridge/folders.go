package bridge

import (
	"io/fs"
	"path"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// Folders is a directory of component folders as they are found in the field,
// outside any plugin: skills, agents and commands, whose content is text. Code
// is not looked for where nobody declared an extension.
var Folders = source.Format{
	Name: "loose",
	Doc:  "Component folders outside any plugin, as check --recursive finds them: skills/, agents/, commands/, or a folder of skills.",
	Lay:  layFolders,
}

// FolderSurfaces are the surfaces looked for outside plugins: first the one
// whose entries are directories of their own.
var FolderSurfaces = []string{"skill", "agent", "command"}

func layFolders(t *ext.Tree, _ source.Manifest, env source.Env) {
	for _, name := range FolderSurfaces {
		if s := env.Spec(name); s != nil {
			source.Into(t, s, s.Dir, env)
		}
	}
	soleSkill(t, env)
	if len(t.Places) == 0 {
		folderOfSkills(t, env)
	}
}

// folderOfSkills lays a directory whose own sub-directories are skills.
func folderOfSkills(t *ext.Tree, env source.Env) {
	entries, err := fs.ReadDir(t.FS, ".")
	if err != nil {
		return
	}
	for _, e := range entries {
		if isFile(t.FS, path.Join(e.Name(), "SKILL.md")) {
			t.Findings = nil
			source.Into(t, env.Spec("skill"), ".", env)
			return
		}
	}
}
