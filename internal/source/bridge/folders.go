package bridge

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// Folders is a directory of component folders as they are found in the field,
// outside any plugin. It is laid out as Loose is, without what would take the
// folders of any project for an extension's: code is not looked for where nobody
// declared an extension.
var Folders = source.Format{
	Name: "loose",
	Doc: "Component folders outside any plugin, as check --recursive finds them: skills/, agents/, commands/, or a folder of skills, " +
		"and beside them rules/, prompts/, mcp.json and hooks/hooks.json. Folders of code are told and not read.",
	Lay: layFolders,
}

// FolderSurfaces are the surfaces for whose sake a directory outside plugins is
// an extension: first the one whose entries are directories of their own. Any
// project may have rules/ or hooks/.
var FolderSurfaces = []string{"skill", "agent", "command"}

// searched are the surfaces that are read of such a directory, and ofSkill those
// where it is one skill, whose own folders are called as its author likes.
var (
	searched = slices.Concat(FolderSurfaces, []string{"rule", "prompt", "server", "client_event"})
	ofSkill  = slices.Concat(FolderSurfaces, []string{"server", "client_event"})
)

// elsewhere are the names under which other formats keep components at their
// roots.
var elsewhere = []struct{ name, surface string }{
	{"instructions", "rule"}, {"chatmodes", "agent"}, {"workflows", "workflow"}, {"output-styles", "output-style"},
	{"hooks.json", "client_event"}, {"lsp.json", "language-server"}, {".lsp.json", "language-server"}, {".app.json", "app"},
}

func layFolders(t *ext.Tree, _ source.Manifest, env source.Env) {
	whole := *t
	layComponents(&whole, env)
	surfaces, left := searched, map[string]bool{}
	if slices.ContainsFunc(whole.Places, func(p ext.Place) bool { return p.File == "SKILL.md" }) {
		surfaces = ofSkill
	}
	read := map[string]bool{}
	for _, p := range whole.Places {
		if slices.Contains(surfaces, p.Surface) {
			t.Places = append(t.Places, p)
			read[top(p.File)] = true
		} else {
			left[top(p.File)] = true
		}
	}
	for _, f := range whole.Findings {
		if f.Check == source.StrayCode && isComponent(top(f.Origin.Path), env) {
			left[top(f.Origin.Path)] = true
		}
	}
	for _, f := range whole.Findings {
		name := top(f.Origin.Path)
		if f.Check != source.StrayCode && (read[name] || !left[name]) && !readBeside(t, f) {
			t.Findings.Add(f)
		}
	}
	for _, e := range elsewhere {
		if env.Spec(e.surface) != nil && !read[e.name] && documents(t.FS, e.name, env) > 0 {
			left[e.name] = true
		}
	}
	if len(left) > 0 {
		t.Findings.Add(source.Unsearched.At(t.Origin, "a search leaves out %s", listed(t, left, env)))
	}
}

// top is the first part of a path.
func top(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}

// isComponent reports whether some surface that this look is about keeps its
// documents in a directory of that name.
func isComponent(name string, env source.Env) bool {
	for _, s := range env.Specs {
		if top(s.Dir) == name {
			return true
		}
	}
	return false
}

// readBeside reports whether a finding is about what a search finds by itself: the
// folder of a client, and the file that is read with it.
func readBeside(t *ext.Tree, f ext.Finding) bool {
	if f.Check != source.NearMiss {
		return false
	}
	for i := range projects {
		p := &projects[i]
		if f.Origin.Path == p.Folder() {
			return true
		}
		if f.Origin.Path == p.Beside {
			typ, err := source.Type(t.FS, p.Folder())
			return err == nil && typ.IsDir()
		}
	}
	return false
}

// listed are the names of what is not read, each with how many documents it
// may hold beside those that are read.
func listed(t *ext.Tree, names map[string]bool, env source.Env) string {
	read := map[string]bool{}
	for i := range t.Places {
		read[t.Places[i].File] = true
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		n := documents(t.FS, name, env)
		for file := range read {
			if strings.HasPrefix(file, name+"/") {
				n--
			}
		}
		what := ext.Quote(name)
		switch typ, err := source.Type(t.FS, name); {
		case err != nil || !typ.IsDir() || n <= 0:
		case n == 1:
			what += " (1 document)"
		default:
			what += fmt.Sprintf(" (%d documents)", n)
		}
		out = append(out, what)
	}
	return strings.Join(out, ", ")
}

// documents counts the files at and below a name whose ending some format reads.
func documents(fsys fs.FS, name string, env source.Env) (n int) {
	typ, err := source.Type(fsys, name)
	if err != nil {
		return 0
	}
	if !typ.IsDir() {
		return 1
	}
	return documentsIn(fsys, name, env.Limits.Depth)
}

func documentsIn(fsys fs.FS, dir string, depth int) (n int) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil || depth < 0 {
		return 0
	}
	for _, e := range entries {
		switch {
		case e.IsDir():
			n += documentsIn(fsys, path.Join(dir, e.Name()), depth-1)
		case slices.Contains([]string{".md", ".mdc", ".json", ".toml"}, path.Ext(e.Name())) && !strings.EqualFold(stem(e.Name()), "readme"):
			n++
		}
	}
	return n
}

// folderOfSkills lays a directory whose own sub-directories are skills. What lies
// in one of them is the skill's, whatever it is called. One that has a manifest
// is an extension of its own, and no part of this: own are their names.
func folderOfSkills(t *ext.Tree, env source.Env) (own []string) {
	entries, err := fs.ReadDir(t.FS, ".")
	spec := env.Spec("skill")
	if err != nil || spec == nil {
		return nil
	}
	units := map[string]bool{}
	for _, e := range entries {
		switch {
		case !isFile(t.FS, path.Join(e.Name(), "SKILL.md")):
		case hasManifest(t.FS, e.Name()):
			own = append(own, e.Name())
		default:
			units[e.Name()] = true
		}
	}
	if len(units) == 0 {
		return nil
	}
	t.Places = slices.DeleteFunc(t.Places, func(p ext.Place) bool { return units[top(p.File)] })
	t.Findings = slices.DeleteFunc(t.Findings, func(f ext.Finding) bool { return units[top(f.Origin.Path)] })
	source.Into(t, spec, ".", env)
	t.Places = slices.DeleteFunc(t.Places, func(p ext.Place) bool { return slices.Contains(own, top(p.File)) })
	return own
}

// hasManifest reports whether a directory is an extension for a manifest in it.
func hasManifest(fsys fs.FS, dir string) bool {
	entries, _ := fs.ReadDir(fsys, dir) // what keeps anybody from looking is told when it is read
	there := func(marker string) bool {
		first, _, _ := strings.Cut(marker, "/")
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.EqualFold(e.Name(), first) }) && isFile(fsys, path.Join(dir, marker))
	}
	return slices.ContainsFunc(Formats, func(f source.Format) bool { return !f.Doubtful && f.Marked(there) })
}
