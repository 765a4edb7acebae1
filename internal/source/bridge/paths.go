package bridge

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// Checks on paths in manifests.
var (
	PathPrefix = &ext.Check{
		Code: "manifest-path", Severity: ext.Warning,
		Doc: "A path in a manifest does not begin with ./; it is read as if it did.",
		Fix: "Begin the path with ./.",
	}
	PathMissing = &ext.Check{
		Code: "manifest-path-missing", Severity: ext.Error,
		Doc: "A manifest names a directory or file that cannot be read. The extension is refused: what it declared there is not there.",
		Fix: "Correct the path, or remove it from the manifest.",
	}
	PatternEmpty = &ext.Check{
		Code: "manifest-pattern-empty", Severity: ext.Warning,
		Doc: "A pattern in a manifest fits no file.",
		Fix: "Correct the pattern, or remove it from the manifest.",
	}
)

// inside checks a path that a manifest gives, and is where it leads below the
// tree's root. ok is false when it leaves the root or is absolute, which has
// then been reported.
func (l *layer) inside(d *ext.Doc, key string) (clean string, ok bool) {
	o := l.of(d)
	p := strings.ReplaceAll(d.Text, `\`, "/")
	clean = path.Clean(p)
	drive := len(p) > 1 && p[1] == ':'
	if p == "" || drive || path.IsAbs(p) || slices.Contains(strings.Split(p, "/"), "..") {
		l.note(ManifestField, o, "the path %s of key %q leaves the plugin's directory", ext.Quote(d.Text), key)
		return "", false
	}
	if p != "." && !strings.HasPrefix(p, "./") {
		l.note(PathPrefix, o, "the path %s of key %q lacks ./", ext.Quote(d.Text), key)
	}
	return clean, true
}

func (l *layer) pathMissing(d *ext.Doc, key string, err error) ext.Finding {
	why := source.FaultOf(err, l.t.Origin).Message
	return PathMissing.At(l.of(d), "the path %s of key %q: %s", ext.Quote(d.Text), key, why)
}

// paths are the strings of a string or a list of strings. Anything else in a
// list refuses the plugin.
func (l *layer) paths(d *ext.Doc, key string) []*ext.Doc {
	switch {
	case d == nil:
		return nil
	case d.Kind == ext.String:
		return []*ext.Doc{d}
	}
	var out []*ext.Doc
	for i := range d.List {
		if item := &d.List[i]; item.Kind == ext.String {
			out = append(out, item)
		} else {
			l.note(ManifestField, l.of(item), "key %q must hold strings only, found %s", key, item.Kind)
		}
	}
	return out
}

// items are a node, or those of a list.
func items(d *ext.Doc) []*ext.Doc {
	switch {
	case d == nil:
		return nil
	case d.Kind != ext.List:
		return []*ext.Doc{d}
	}
	out := make([]*ext.Doc, len(d.List))
	for i := range d.List {
		out[i] = &d.List[i]
	}
	return out
}

// pattern lays what a pattern of the manifest fits: "**" stands for any
// directories, the rest is a shell's.
func (l *layer) pattern(c component, p string, d *ext.Doc) {
	if _, err := path.Match(p, ""); err != nil {
		l.note(ManifestField, l.of(d), "the pattern %s of key %q is malformed", ext.Quote(d.Text), c.key)
		return
	}
	found := l.matches(".", strings.Split(p, "/"), 0)
	slices.Sort(found)
	found = slices.Compact(found)
	if len(found) == 0 {
		l.note(PatternEmpty, l.of(d), "the pattern %s of key %q fits nothing", ext.Quote(d.Text), c.key)
	}
	for _, file := range found {
		l.named(c, file, d)
	}
}

// matches are the names below dir that fit the parts of a pattern. What begins
// with a dot is not looked into unless the pattern says so.
func (l *layer) matches(dir string, parts []string, depth int) (found []string) {
	if depth > l.env.Limits.Depth {
		return nil
	}
	if parts[0] == "**" && len(parts) > 1 {
		found = l.matches(dir, parts[1:], depth)
	}
	entries, err := fs.ReadDir(l.t.FS, dir)
	if err != nil {
		return found
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		hidden := strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(parts[0], ".")
		switch ok, _ := path.Match(parts[0], e.Name()); {
		case hidden || !ok && parts[0] != "**":
		case parts[0] == "**":
			if info, err := fs.Stat(l.t.FS, name); err == nil && info.IsDir() {
				found = append(found, l.matches(name, parts, depth+1)...)
			} else if len(parts) == 1 {
				found = append(found, name)
			}
		case len(parts) == 1:
			found = append(found, name)
		default:
			found = append(found, l.matches(name, parts[1:], depth+1)...)
		}
	}
	return found
}
