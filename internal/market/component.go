package market

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
)

// Component is one kind of things that an entry declares its plugin to hold.
type Component struct {
	Key   string   // of the entry: "skills"
	Holds []string // paths below the plugin, or the names of what is described in the entry itself
	Paths bool     // they are paths
	Line  int
}

// componentKeys are the keys by which manifests and entries declare components.
var componentKeys = []string{
	"skills", "commands", "agents", "hooks", "mcpServers", "lspServers", "outputStyles", "workflows", "rules", "apps", "channels", "experimental",
}

// components are what an entry or a manifest declares, in its own order.
func components(d *ext.Doc) []Component {
	var out []Component
	if d == nil {
		return nil
	}
	for i := range d.Map {
		p := &d.Map[i]
		if !slices.Contains(componentKeys, p.Key) || p.Value.Kind == ext.Null || p.Value.Kind == ext.Bool {
			continue
		}
		c := Component{Key: p.Key, Line: p.Line, Holds: []string{}}
		switch v := &p.Value; v.Kind {
		case ext.String:
			c.Holds, c.Paths = []string{v.Text}, true
		case ext.Map:
			c.Holds = append(c.Holds, v.Keys()...)
		case ext.List:
			c.Paths = true
			for j := range v.List {
				if v.List[j].Kind == ext.String {
					c.Holds = append(c.Holds, v.List[j].Text)
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// claudeManifest is the manifest that strict is about.
const claudeManifest = ".claude-plugin/plugin.json"

// conflict tells of a manifest that declares components of a plugin whose entry
// is the whole definition. Codex and Cursor know nothing of strict.
func (e *Entry) conflict(plugin *root.Root, f *File, limits ext.Limits, dir string) {
	if e.Strict || !f.Kind.strict() {
		return
	}
	if _, err := plugin.Lstat(claudeManifest); err != nil {
		return
	}
	c := source.Read(plugin, e.Origin.At(claudeManifest, 0), limits)
	if c.Findings.Failed() {
		return // whoever reads the plugin says so
	}
	var names []string
	for _, has := range components(&c.Doc) {
		names = append(names, has.Key)
	}
	if len(names) > 0 {
		e.Findings.Add(Conflict.At(e.Origin, "strict is false, and %s declares %s", ext.Escape(path.Join(dir, claudeManifest)), strings.Join(names, ", ")))
	}
}

// absent tells of declared components that the plugin does not have.
func (e *Entry) absent(plugin *root.Root) {
	for _, c := range e.Declares {
		if !c.Paths {
			continue
		}
		for _, p := range c.Holds {
			clean, inside := within(p)
			switch {
			case strings.Contains(p, "://"), strings.ContainsAny(p, "*?["):
			case !inside:
				e.Findings.Add(DeclaredAbsent.At(e.Origin.At(e.Origin.Path, c.Line), "the path %s of %q leaves the plugin", quoted(p), c.Key))
			default:
				if _, err := plugin.Stat(clean); errors.Is(err, fs.ErrNotExist) || errors.Is(err, root.ErrEscape) {
					e.Findings.Add(DeclaredAbsent.At(e.Origin.At(e.Origin.Path, c.Line), "the plugin has no %s, which %q names", quoted(p), c.Key))
				}
			}
		}
	}
}
