package conform

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// geminiName is what Gemini CLI takes as a name.
var geminiName = pattern.New(`^[a-zA-Z0-9-]+$`)

// geminiManifest is what Gemini CLI's validation refuses of a manifest and is
// taken here. A key of another type than it should have is not in the tree's
// manifest, which was told: as a version, Gemini CLI takes it.
func geminiManifest(t ext.Tree) ext.Findings {
	m := t.Manifest
	if m == nil || len(m.Map) == 0 { // it could not be read, which was told
		return nil
	}
	var fs ext.Findings
	at := func(d *ext.Doc) ext.Origin { return t.Origin.At(d.File, d.Line) }
	if name := m.Word("name"); name != "" && !geminiName.MatchString(name) {
		fs.Add(PluginName.At(at(m.Get("name")), "the name %s has more in it than letters from a to z, digits and dashes; Gemini CLI then does not load the extension", ext.Quote(name)))
	}
	ofAnotherType := func(f ext.Finding) bool { return f.Field == "version" }
	if m.Word("version") == "" && !slices.ContainsFunc(t.Findings, ofAnotherType) {
		fs.Add(VersionMissing.At(at(m), "the key version is missing or empty; without one Gemini CLI does not load the extension"))
	}
	for _, d := range contextFiles(m.Get("contextFileName")) {
		if why := contextFault(d, t.Places); why != "" {
			fs.Add(ContextFile.At(at(d), "contextFileName: %s", why))
		}
	}
	return fs
}

// contextFiles are the names in the value of contextFileName, which is one or a
// list. An empty one is none.
func contextFiles(d *ext.Doc) []*ext.Doc {
	if d != nil && d.Kind == ext.String && d.Text == "" {
		return nil
	}
	return d.Items()
}

// contextFault says why Gemini CLI's validation does not take a context file;
// "" where it does, and where a path leaves the extension, which is an error
// already. What is there was laid out as a rule.
func contextFault(d *ext.Doc, places []ext.Place) string {
	if d.Kind != ext.String {
		return "Gemini CLI wants the name of a file, found " + d.Kind.String()
	}
	name, variables := hydrated(d.Text)
	there := func(p ext.Place) bool { return p.Surface == "rule" && p.File == path.Clean(name) }
	switch {
	case strings.TrimSpace(name) == "":
		return "Gemini CLI wants the name of a file, found an empty one"
	case strings.HasPrefix(path.Clean(name), ".."):
		return ""
	case absolute(name):
		return "Gemini CLI takes no absolute path, found " + ext.Quote(d.Text)
	case climbs(name):
		return "Gemini CLI takes no path with .. in it, found " + ext.Quote(d.Text)
	case !variables && !slices.ContainsFunc(places, there):
		return "there is no file " + ext.Quote(d.Text)
	}
	return ""
}

// hydrated is a path with the client's variables replaced, and whether it had
// any: they are not replaced where files are laid out. Which directories they
// stand for does not matter, since both are absolute.
func hydrated(s string) (name string, variables bool) {
	name = strings.NewReplacer("${/}", "/", "${pathSeparator}", "/", "${extensionPath}", "/x", "${workspacePath}", "/x").Replace(s)
	return name, name != s
}

// absolute reports whether a path is absolute on any system.
func absolute(s string) bool {
	if len(s) > 2 && s[1] == ':' { // a drive
		s = s[2:]
	}
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, `\`)
}

// climbs reports whether a path has two dots in it, wherever they stand, as it
// is or with percent signs read as in an address.
func climbs(s string) bool {
	plain, err := url.PathUnescape(s)
	return strings.Contains(s, "..") || err == nil && strings.Contains(plain, "..")
}
