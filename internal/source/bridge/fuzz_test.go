package bridge_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// FuzzLay lays anything out as anything: nothing panics, every place has a path
// of the canonical tree that is its own and a file with a line, every finding
// says where it was found, and the same bytes give the same tree.
func FuzzLay(f *testing.F) {
	f.Add(`{"name": "x", "skills": ["./a", "../b", "C:\\x"], "commands": {"a/b": {"source": "./c.md"}}, "hooks": [true, {"Stop": [{"hooks": 3}]}]}`, `{"hooks": [{"event": "\u0000"}]}`)
	f.Add(`{"name": "x", "userConfig": {"": {}, "..": {}, "a": 3}, "channels": [{}], "dependencies": ["@", {}], "experimental": {"monitors": [{}]}}`, `[{"event": "Stop", "command": ["x"]}]`)
	f.Add(`{"manifest_version": 1, "server": {"mcp_config": {"command": []}}, "settings": [{"name": {}}], "themes": [1], "variables": {"properties": {"a": 1}}}`, `{"a": {"enabled": false}, "b": {"Stop": {}}}`)
	f.Add(`{"apps": {"a": 1}, "rules": "**", "agents": "*/[", "contextFileName": ["", "/x"], "disabled": true}`, `{"version": 1, "hooks": {"": {"": ""}}}`)
	f.Fuzz(func(t *testing.T, manifest, hooks string) {
		for i := range bridge.Formats {
			format := &bridge.Formats[i]
			if format.Lay == nil {
				continue
			}
			m := format.Marker
			if format.Folder() != "" {
				m = "settings.json"
			}
			fsys := fstest.MapFS{"hooks/hooks.json": {Data: []byte(hooks)}, "c.md": {Data: []byte("x")}, "agents/a.md": {Data: []byte("x")}}
			fsys[m] = &fstest.MapFile{Data: []byte(manifest)}
			one, two := lay(*format, fsys), lay(*format, fsys)
			if len(one.Places) != len(two.Places) || len(one.Findings) != len(two.Findings) {
				t.Fatalf("%s: got %d places and %d findings, then %d and %d", format.Name, len(one.Places), len(one.Findings), len(two.Places), len(two.Findings))
			}
			sound(t, &one)
		}
	})
}

func lay(format source.Format, fsys fs.FS) ext.Tree {
	t := ext.Tree{Extension: "x", Root: "/x", FS: fsys, Origin: ext.Origin{Extension: "x", Source: "path:x", Trust: ext.Plugin}}
	if name := format.Folder(); name != "" {
		t.Root = "/" + name
	}
	format.Recognise = nil
	source.Lay([]source.Format{format}, bridge.Loose, &t, "", source.Env{Specs: spinetest.Specs, Limits: ext.DefaultLimits})
	return t
}

// sound holds a tree to what must hold of every one.
func sound(t *testing.T, tree *ext.Tree) {
	t.Helper()
	for i := range tree.Places {
		p := &tree.Places[i]
		if p.Path != path.Clean(p.Path) || !fs.ValidPath(p.Path) || strings.ContainsFunc(p.Path, ext.Hidden) && p.Doc != nil {
			t.Errorf("%s: place %q, want a path of the canonical tree", tree.Format, p.Path)
		}
		if p.File == "" || p.Doc != nil && p.Doc.Line < 1 {
			t.Errorf("%s: place %q has the file %q and the document %+v, want a file and a line", tree.Format, p.Path, p.File, p.Doc)
		}
	}
	for _, f := range tree.Findings {
		if f.Origin.Extension == "" || f.Origin.Source == "" || f.Message == "" || strings.ContainsFunc(f.Message, ext.Hidden) {
			t.Errorf("%s: finding %s, want an origin and a message that shows", tree.Format, f)
		}
	}
}
