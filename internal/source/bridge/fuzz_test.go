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
	"github.com/mortise-dev/mortise/internal/surface"
)

// FuzzLay lays anything out as anything: nothing panics, every place has a path
// of the canonical tree and a file with a line, every node a path that is its
// own, no file is laid twice as one thing, every finding says where it was found,
// the same bytes give the same tree, and no more is laid than may be.
func FuzzLay(f *testing.F) {
	f.Add(`{"name": "x", "skills": ["./a", "../b", "C:\\x"], "commands": {"a/b": {"source": "./c.md"}}, "hooks": [true, {"Stop": [{"hooks": 3}]}]}`, `{"hooks": [{"event": "\u0000"}]}`)
	f.Add(`{"name": "x", "userConfig": {"": {}, "..": {}, "a": 3}, "channels": [{}], "dependencies": ["@", {}], "experimental": {"monitors": [{}]}}`, `[{"event": "Stop", "command": ["x"]}]`)
	f.Add(`{"manifest_version": 1, "server": {"mcp_config": {"command": []}}, "settings": [{"name": {}}], "themes": [1], "variables": {"properties": {"a": 1}}}`, `{"a": {"enabled": false}, "b": {"Stop": {}}}`)
	f.Add(`{"apps": {"a": 1}, "rules": "**", "agents": "*/[", "contextFileName": ["", "/x"], "disabled": true}`, `{"version": 1, "hooks": {"": {"": ""}}}`)
	f.Add(`{"name": "x", "agents": ["./agents", "./agents/", "./agents/a.md", "./agents/a.md"], "mcpServers": ["./hooks/hooks.json", "./hooks/hooks.json", "./m.json"], "rules": ["./**/**/*.md", "./*/**"]}`, `{"a": {"command": "x", "args": 1}, "b": {"disabled": "no"}, "c": {"url": "u", "httpUrl": "v"}}`)
	f.Add(`{"name": "x", "dependencies": ["a", "A", "a-2", "a"], "skills": "./**/**/**/*", "mcpServers": [{"a": {}}, {"a": {}}, {"b": {}, "c": {}, "d": {}, "e": {}}], "lspServers": {"a": {}, "b": {}}}`, `{"hooks": {"Stop": [{}, "", 1, {"hooks": ["x", "x"]}]}}`)
	few := ext.Limits{FileBytes: ext.DefaultLimits.FileBytes, Files: 4, Depth: 2}
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
			bounded(t, &one, layWithin(*format, fsys, few), few)
		}
	})
}

// bounded holds what was laid within few limits to them: what is left out is
// told, and refuses the tree.
func bounded(t *testing.T, whole *ext.Tree, part ext.Tree, limits ext.Limits) {
	t.Helper()
	if n := entries(&part); n > limits.Files {
		t.Errorf("%s: got %d entries, want at most %d", part.Format, n, limits.Files)
	}
	if entries(&part) < entries(whole) && !part.Findings.Failed() {
		t.Errorf("%s: got %d of %d entries and the findings %v, want it told that a limit was passed", part.Format, entries(&part), entries(whole), part.Findings)
	}
}

func lay(format source.Format, fsys fs.FS) ext.Tree {
	return layWithin(format, fsys, ext.DefaultLimits)
}

func layWithin(format source.Format, fsys fs.FS, limits ext.Limits) ext.Tree {
	t := ext.Tree{Extension: "x", Root: "/x", FS: fsys, Origin: ext.Origin{Extension: "x", Source: "path:x", Trust: ext.Plugin}}
	if name := format.Folder(); name != "" {
		t.Root = "/" + name
	}
	format.Recognise = nil
	source.Lay([]source.Format{format}, bridge.Loose, &t, "", source.Env{Specs: spinetest.Specs, Limits: limits})
	return t
}

// several are the surfaces whose documents hold several entries: their path is
// that of the file.
var several = map[string]bool{"server": true, "language-server": true}

// sound holds a tree to what must hold of every one.
func sound(t *testing.T, tree *ext.Tree) {
	t.Helper()
	paths, files := map[string]bool{}, map[string]bool{}
	for i := range tree.Places {
		p := &tree.Places[i]
		if path := surface.Fold(p.Path); p.Doc != nil && strings.Contains(p.Path, "/") && !several[p.Surface] && paths[path] {
			t.Errorf("%s: two nodes have the path %q, want each its own", tree.Format, p.Path)
		} else if p.Doc != nil {
			paths[path] = true
		}
		if file := p.Surface + " " + p.File; p.Doc == nil && p.Fault == nil && p.Surface != "command" && files[file] {
			t.Errorf("%s: %s is laid twice", tree.Format, file)
		} else if p.Doc == nil {
			files[file] = true
		}
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
