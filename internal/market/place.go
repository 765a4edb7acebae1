package market

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/unseen"
)

// Place is where a plugin lies in the marketplace's own directory.
type Place struct {
	Dir      string   // below it; "." is the directory itself
	There    bool     // it is a directory that holds something
	Formats  []string // that it is laid out in, the one that would be read first; none: by its folders alone
	Manifest string   // of the first of these, below Dir
}

// within is a path below a directory, cleaned. ok is false when it leaves the
// directory or is an absolute one, on whatever system.
func within(p string) (clean string, ok bool) {
	p = strings.ReplaceAll(p, `\`, "/")
	drive := len(p) > 1 && p[1] == ':'
	if p == "" || drive || path.IsAbs(p) || slices.Contains(strings.Split(p, "/"), "..") {
		return "", false
	}
	clean = path.Clean(p)
	return clean, fs.ValidPath(clean)
}

// place looks at the directory that a plugin lies in.
func (d *reader) place(e *Entry, f *File, dir string) {
	e.Place = &Place{Dir: dir}
	at := e.Origin
	typ, err := d.root.Type(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Findings.Add(Absent.At(at, "there is no %s", quoted(dir)))
		return
	case err != nil:
		e.Findings.Add(fault(err, at))
		return
	case !typ.IsDir():
		e.Findings.Add(NotDirectory.At(at, "%s is a file", quoted(dir)))
		return
	}
	switch inside, err := d.root.ReadDir(dir); {
	case err != nil:
		e.Findings.Add(fault(err, at))
		return
	case len(inside) == 0:
		e.Findings.Add(d.empty(at, dir))
		return
	}
	plugin, err := d.root.Sub(dir, d.Open)
	if err != nil {
		e.Findings.Add(fault(err, at))
		return
	}
	defer d.done(plugin, dir)
	e.Place.There = true
	e.recognise(plugin, d, f.Kind)
	e.conflict(plugin, f, d.Limits, dir)
	e.absent(plugin)
}

// done ends a look at a plugin's directory.
func (d *reader) done(plugin *root.Root, dir string) {
	for _, s := range plugin.Trace() {
		s.Path = path.Join(dir, s.Path)
		d.market.Seen = append(d.market.Seen, s)
	}
	_ = plugin.Close() // it was read
}

// recognise says what a plugin's directory is laid out in and what it is called
// there.
func (e *Entry) recognise(plugin *root.Root, d *reader, k Kind) {
	if d.Recognise == nil {
		return
	}
	look, again := d.looks[e.Place.Dir]
	if !again { // several files, and several entries, may name one directory
		look.formats, look.manifest = d.Recognise(&ext.Tree{Root: plugin.Dir(), FS: plugin, Origin: e.Origin.At("", 0)})
		d.looks[e.Place.Dir] = look
	}
	m := &look.manifest
	e.Place.Formats, e.Place.Manifest = look.formats, m.Path
	if name := m.Doc.Word("name"); name != "" && e.Name != "" && name != e.Name {
		e.Findings.Add(ManifestName.At(e.Origin, "the entry is called %s, and its %s says %s", quoted(e.Name), m.Path, quoted(name)))
	}
	if e.Strict || !k.strict() {
		e.merge(&m.Doc, e.Origin.At(path.Join(e.Place.Dir, m.Path), 0), k)
	}
}

// merge takes from the plugin's own manifest what the entry does not say, and
// where the client has the manifest win also what it does.
func (e *Entry) merge(manifest *ext.Doc, at ext.Origin, k Kind) {
	said := manifestTexts(manifest)
	e.Findings.Add(unseen.InNode(at, said)...)
	m := keys{doc: withoutCredentials(said, at, &e.Findings), at: at, findings: &ext.Findings{}} // its types are for whoever reads the plugin
	for _, own := range []struct {
		entry *string
		text  string
	}{
		{&e.Title, cmp.Or(m.text("displayName"), m.under("interface").text("displayName"))},
		{&e.Version, m.text("version")},
		{&e.Description, m.text("description")},
		{&e.Author, m.owner("author").Name},
		{&e.Homepage, m.text("homepage")},
		{&e.Repository, m.text("repository")},
		{&e.License, m.text("license")},
	} {
		if own.text != "" && (*own.entry == "" || k.manifestWins()) {
			*own.entry = own.text
		}
	}
	e.Tags = distinct(append(e.Tags, m.texts("keywords")...))
}

// manifestTexts are the keys of a manifest that say something about its plugin,
// and not what it holds.
func manifestTexts(manifest *ext.Doc) *ext.Doc {
	said := ext.Doc{Kind: ext.Map, Line: manifest.Line}
	for _, p := range manifest.Map {
		if slices.Contains([]string{"displayName", "version", "description", "homepage", "repository", "license", "keywords", "author", "interface"}, p.Key) {
			said.Map = append(said.Map, p)
		}
	}
	return &said
}

// fault is the finding for an error of looking at a directory.
func fault(err error, o ext.Origin) ext.Finding {
	var escape *root.EscapeError
	if errors.As(err, &escape) {
		return source.Escape.At(o, "the source leads to %s, outside the marketplace's directory", quoted(escape.Target))
	}
	return source.FaultOf(err, o)
}

// empty is the finding for a directory without anything in it. Where git has a
// submodule there it says so.
func (d *reader) empty(at ext.Origin, dir string) ext.Finding {
	const modules = ".gitmodules"
	data, err := source.ReadBytes(d.root, modules, d.Limits.FileBytes)
	if err == nil {
		for line := range strings.SplitSeq(string(data), "\n") {
			key, value, _ := strings.Cut(line, "=")
			if clean, ok := within(strings.Trim(strings.TrimSpace(value), `"`)); ok && strings.TrimSpace(key) == "path" && clean == dir {
				return Empty.At(at, "%s is a git submodule that is not checked out", quoted(dir))
			}
		}
	}
	return Empty.At(at, "the directory %s is empty", quoted(dir))
}
