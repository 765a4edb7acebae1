package tally

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/source/roots"
)

// Place is what became of a file that was counted.
type Place string

// The places.
const (
	Entry     Place = "entry"
	Empty     Place = "empty"
	Part      Place = "part"
	Told      Place = "told"
	Other     Place = "other"
	Loose     Place = "loose"
	Elsewhere Place = "elsewhere"
)

// Places are all places in the order in which they are shown, with what each
// says of a file.
var Places = []struct {
	Place Place
	Doc   string
}{
	{Entry, "Files that entries were read from, refused ones included; of manifests, those of the format that their extension is read as."},
	{Empty, "Files of JSON that declare nothing, such as `{\"mcpServers\": {}}`."},
	{Part, "Files in the directory of a skill. They belong to that skill, whatever they are called."},
	{Told, "A finding says why the file is no entry: it names the file, or the directory it lies in, or why the whole extension is refused. Skills that lie where their format does not look are told by number, which is theirs."},
	{Other, "Files of another format of the extension than the one that is read: manifests beside the one that counts, and what only they name."},
	{Loose, "Files in a directory without a manifest, beside what makes it an extension: in folders of code, or where only other formats look. A search for extensions leaves them out, and a finding of the directory says so."},
	{Elsewhere, "Files where no format looks: outside every extension, or deeper in one than where its components lie."},
}

// looked is where, below the directory of an extension, some format looks for
// files of a surface: a file that lies there and is no entry must be told.
var looked = map[string][]string{
	"agent":           {"agents/"},
	"command":         {"commands/", "prompts/"},
	"rule":            {"rules/", "instructions/", "copilot-instructions.md"},
	"workflow":        {"workflows/"},
	"server":          {".mcp.json", "mcp.json"},
	"client_event":    {"hooks.json", "hooks/"},
	"app":             {".app.json"},
	"language-server": {".lsp.json", "lsp.json"},
}

// place says what became of a file, and the check that tells it where one does;
// "" when nothing does.
func (l *listed) place(f *File) (p Place, check string) {
	x := l.around(f.Path)
	text := slices.Contains(bridge.FolderSurfaces, f.Kind)
	switch {
	case f.Kind == Manifest:
		return l.manifest(f)
	case len(l.entries[key{f.Kind, f.Path}]) > 0:
		return Entry, ""
	case f.Is("empty"):
		return Empty, ""
	case f.Kind == "skill":
		return unclaimed(x)
	case l.inSkill(x, f.Path):
		return Part, ""
	case x == nil && text: // which makes an extension wherever it lies
		return "", ""
	case x == nil:
		return Elsewhere, ""
	}
	check = x.tells(f.Path)
	switch {
	case check != "":
		return Told, check
	case l.otherwise(x, f.Path):
		return Other, ""
	case !slices.ContainsFunc(looked[f.Kind], func(begin string) bool { return strings.HasPrefix(below(f.Path, x.Root), begin) }):
		return Elsewhere, ""
	case x.Format == bridge.Folders.Name && !text:
		return Loose, ""
	}
	return "", ""
}

// manifest is the place of a manifest: that of its extension's format, or of
// another one beside it.
func (l *listed) manifest(f *File) (Place, string) {
	marker := f.Marks[0]
	x := l.extensions[path.Clean(strings.TrimSuffix("./"+f.Path, marker))]
	switch {
	case x == nil:
		return "", ""
	case x.unread:
		return Told, source.Unknown.Code
	case slices.Contains(markers(x.Format), marker):
		x.counted = true
		return Entry, ""
	case slices.ContainsFunc(x.also, func(format string) bool { return slices.Contains(markers(format), marker) }):
		return Other, ""
	}
	return "", ""
}

// unclaimed is the place of a skill that is no entry: each must be among those
// that its extension tells.
func unclaimed(x *extension) (Place, string) {
	switch {
	case x == nil:
		return "", ""
	case x.unread:
		return Told, source.Unknown.Code
	case x.unclaimed == 0:
		return "", ""
	}
	x.unclaimed--
	return Told, roots.Unclaimed.Code
}

// inSkill reports whether a file lies in the directory of a skill. Where that is
// the directory of an extension with a manifest, it holds further components.
func (l *listed) inSkill(x *extension, file string) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if len(l.entries[key{"skill", dir + "/SKILL.md"}]) > 0 {
			return x == nil || dir != x.Root || len(markers(x.Format)) == 0
		}
	}
	return false
}

// otherwise reports whether a manifest of an extension that is not the one that
// is read names a file.
func (l *listed) otherwise(x *extension, file string) bool {
	for _, format := range x.also {
		for _, marker := range markers(format) {
			data, err := fs.ReadFile(l.files, path.Join(x.Root, marker))
			if err == nil && strings.Contains(string(data), below(file, x.Root)) {
				return true
			}
		}
	}
	return false
}

// below is what a path is called in a directory.
func below(file, dir string) string {
	if dir == "." {
		return file
	}
	return strings.TrimPrefix(file, dir+"/")
}
