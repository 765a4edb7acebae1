package bridge

import (
	"path"
	"slices"
	"strconv"
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
		Doc: "A manifest names a directory or file that is not there or cannot be read. What it would have declared is refused: one entry where that is one file, else the extension.",
		Fix: "Correct the path, or remove it from the manifest.",
	}
	PathTwice = &ext.Check{
		Code: "manifest-path-twice", Severity: ext.Warning,
		Doc: "A key of a manifest names the same path more than once. What lies there is read once.",
		Fix: "Name it once.",
	}
	PatternEmpty = &ext.Check{
		Code: "manifest-pattern-empty", Severity: ext.Warning,
		Doc: "A pattern in a manifest fits no file.",
		Fix: "Correct the pattern, or remove it from the manifest.",
	}
)

// inside checks a path that a manifest gives, and is where it leads below the
// tree's root. ok is false when it leaves the root, is absolute or was named by
// the key before, which has then been reported.
func (l *layer) inside(d *ext.Doc, key string) (clean string, ok bool) {
	clean, ok = l.within(d, key)
	if !ok {
		return "", false
	}
	k, id := l.kept(), key+"\x00"+clean
	was, twice := k.named[id]
	switch {
	case twice && !was.again:
		l.note(PathTwice, l.of(d), "the path %s of key %q is named before, on line %d", ext.Quote(d.Text), key, l.of(was.doc).Line)
		fallthrough
	case twice:
		k.named[id] = naming{was.doc, key, true}
		return "", false
	}
	k.named[id], k.paths[clean] = naming{doc: d, key: key}, naming{doc: d, key: key}
	return clean, true
}

// within is inside for a path that may be named as often as it likes.
func (l *layer) within(d *ext.Doc, key string) (clean string, ok bool) {
	o := l.of(d)
	p := strings.ReplaceAll(d.Text, `\`, "/")
	clean = path.Clean(p)
	drive := len(p) > 1 && p[1] == ':'
	if p == "" || drive || path.IsAbs(p) || slices.Contains(strings.Split(p, "/"), "..") {
		l.note(ManifestField, o, "the path %s of key %q leaves the plugin's directory", ext.Quote(d.Text), key)
		return "", false
	}
	if p != "." && !strings.HasPrefix(p, "./") {
		f := PathPrefix.At(o, "the path %s of key %q lacks ./", ext.Quote(d.Text), key)
		l.t.Findings.Add(f.Of(l.pointer(d)).Wanting("./" + d.Text))
	}
	return clean, true
}

// pointer is the JSON pointer to a node of the manifest, which is known by its
// bytes; "" for any other node, and where it would be longer than anybody's is.
func (l *layer) pointer(d *ext.Doc) string {
	if len(d.Raw) == 0 {
		return ""
	}
	if l.pointers == nil {
		l.pointers = map[*byte]string{}
		l.pointAt(&l.m.Doc, "")
	}
	return l.pointers[&d.Raw[0]]
}

func (l *layer) pointAt(d *ext.Doc, pointer string) {
	const longest = 100
	if len(pointer) > longest {
		return
	}
	if d.Kind == ext.String && len(d.Raw) > 0 {
		l.pointers[&d.Raw[0]] = pointer
	}
	for i := range d.List {
		l.pointAt(&d.List[i], pointer+"/"+strconv.Itoa(i))
	}
	for i := range d.Map {
		l.pointAt(&d.Map[i].Value, ext.PointerTo(pointer, d.Map[i].Key))
	}
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
