package conform

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// geminiName is what Gemini CLI's validation takes as a name.
var geminiName = regexp.MustCompile(`^[a-zA-Z0-9-]+$`)

// geminiManifest is what Gemini CLI's validation refuses of a manifest that is
// taken here. It looks at nothing else of an extension.
func geminiManifest(t ext.Tree) ext.Findings {
	if t.Manifest == nil || t.Manifest.Kind != ext.Map {
		return nil
	}
	var fs ext.Findings
	at := func(d *ext.Doc) ext.Origin { return t.Origin.At(d.File, d.Line) }
	if name := t.Manifest.Word("name"); name != "" && !geminiName.MatchString(name) {
		fs.Add(PluginName.At(at(t.Manifest.Get("name")), "the name %s has more in it than letters from a to z, digits and dashes; Gemini CLI then does not load the extension", ext.Quote(name)))
	}
	if v := t.Manifest.Get("version"); empty(v) {
		if v == nil {
			v = t.Manifest
		}
		fs.Add(VersionMissing.At(at(v), "the key version is missing or empty; Gemini CLI then does not load the extension"))
	}
	for _, d := range contextFiles(t.Manifest.Get("contextFileName")) {
		if why := contextFault(d, t.Places); why != "" {
			fs.Add(ContextFile.At(at(d), "contextFileName: %s", why))
		}
	}
	return fs
}

// empty reports whether a value is missing, or is one that the client, which is
// written in JavaScript, takes for missing.
func empty(d *ext.Doc) bool {
	if d == nil {
		return true
	}
	switch d.Kind {
	case ext.Null:
		return true
	case ext.Bool:
		return d.Text == "false"
	case ext.Number:
		return strings.Trim(d.Text, "-0.") == ""
	case ext.String:
		return d.Text == ""
	default:
		return false
	}
}

// contextFiles are the values of the key contextFileName, each of which must be
// a file's name: it takes one or a list.
func contextFiles(d *ext.Doc) []*ext.Doc {
	switch {
	case empty(d):
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

// contextFault says why Gemini CLI does not take a context file; "" where it
// does, and where a path that leaves the extension is an error already. A file
// that is there was laid out as a rule.
func contextFault(d *ext.Doc, places []ext.Place) string {
	if d.Kind != ext.String || strings.TrimSpace(d.Text) == "" {
		return "Gemini CLI wants the name of a file, found " + found(d)
	}
	name, variables := hydrated(d.Text)
	there := func(p ext.Place) bool { return p.Surface == "rule" && p.File == path.Clean(name) }
	switch {
	case strings.HasPrefix(path.Clean(name), ".."):
		return ""
	case absolute(name):
		return "Gemini CLI takes no absolute path, found " + ext.Quote(d.Text)
	case strings.Contains(decoded(name), ".."):
		return "Gemini CLI takes no path with .. in it, found " + ext.Quote(d.Text)
	case !variables && !slices.ContainsFunc(places, there):
		return "there is no file " + ext.Quote(d.Text)
	}
	return ""
}

func found(d *ext.Doc) string {
	if d.Kind == ext.String {
		return "none"
	}
	return d.Kind.String()
}

// hydrated is a path with the values of the client's variables in it, and
// whether it has any. Directories have the place that none can leave.
func hydrated(s string) (text string, variables bool) {
	text = strings.NewReplacer("${/}", "/", "${pathSeparator}", "/", "${extensionPath}", "/x", "${workspacePath}", "/x").Replace(s)
	return text, text != s
}

// absolute reports whether a path is absolute on any system.
func absolute(s string) bool {
	if len(s) > 2 && s[1] == ':' { // a drive
		s = s[2:]
	}
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, `\`)
}

// decoded is a path with and without its percent signs read as an address's.
func decoded(s string) string {
	plain, err := url.PathUnescape(s)
	if err != nil {
		return s
	}
	return s + "\n" + plain
}
