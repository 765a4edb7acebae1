package market

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/unseen"
)

// file reads one marketplace file, if it is there.
func (d *reader) file(at FilePlace) {
	info, err := d.root.Lstat(at.Path)
	var kind *root.KindError
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, &kind) { // a file lies where its directory would: there is none either
		return
	}
	f := File{Path: at.Path, Kind: at.Kind}
	o := d.at(at.Path, 0)
	link := err == nil && info.Mode()&fs.ModeSymlink != 0
	if link {
		f.Leads = d.leads(at.Path)
	}
	if f.Leads != "" {
		d.market.Findings.Add(FileLink.At(o, "it is a link to %s, which is read there", f.Leads))
		d.market.Files = append(d.market.Files, f)
		return
	}
	c := source.Read(d.root, o, d.Limits)
	d.market.Findings.Add(c.Findings...)
	switch {
	case c.Findings.Failed():
		f.Refused = true
	case c.Lost:
		f.Refused = true
		d.market.Findings.Add(BadFile.At(o, "it leads to nothing").With("Restore what the link led to, or remove it."))
	case c.Doc.Kind != ext.Map:
		f.Refused = true
		d.market.Findings.Add(BadFile.At(d.at(at.Path, c.Doc.Line), "expected an object, found %s", c.Doc.Kind))
	default:
		if link {
			d.market.Findings.Add(FileLink.At(o, "it is a link to another file of this directory"))
		}
		d.read(&f, &c.Doc)
	}
	d.market.Files = append(d.market.Files, f)
}

// leads is which other marketplace file a link leads to, "" for none.
func (d *reader) leads(link string) string {
	real, outside, err := d.root.Real(link)
	if err != nil || outside {
		return ""
	}
	rel, err := filepath.Rel(d.root.Dir(), real)
	rel = filepath.ToSlash(rel)
	if err != nil || rel == link || !slices.ContainsFunc(Places, func(p FilePlace) bool { return p.Path == rel }) {
		return ""
	}
	return rel
}

// fileKeys are the keys that a marketplace file may have.
var fileKeys = []string{
	"$schema", "name", "owner", "plugins", "description", "version", "metadata", "renames", "interface", "allowCrossMarketplaceDependenciesOn",
}

// read takes a file apart.
func (d *reader) read(f *File, doc *ext.Doc) {
	m := d.market
	k := keys{doc: m.own(doc, d.at(f.Path, 0)), at: d.at(f.Path, 0), findings: &m.Findings}
	meta, face, owner := k.under("metadata"), k.under("interface"), k.owner("owner")
	if f.Name = d.marketName(k); f.Name != "" {
		f.named = k.line("name")
	}
	first := m.Kind == ""
	if first {
		m.Kind = f.Kind
	}
	for into, value := range map[*string]string{
		&m.Title: face.text("displayName"), &m.Owner.Name: owner.Name, &m.Owner.Email: owner.Email, &m.Owner.URL: owner.URL,
		&m.About:   cmp.Or(k.text("description"), meta.text("description")),
		&m.Version: cmp.Or(k.text("version"), meta.text("version")),
	} {
		*into = cmp.Or(*into, value)
	}
	if f.Kind == Claude && owner.Name == "" {
		m.Findings.Add(Incomplete.At(k.line("owner"), "\"owner\" with a \"name\" is missing: Claude Code refuses the marketplace"))
	}
	k.strangers(fileKeys, "a marketplace")
	d.renamed(f, k.value("renames", ext.Map))
	d.entries(f, k, meta.text("pluginRoot"))
}

// own is what a file says of the marketplace itself, fit to be shown; its
// plugins, which are looked at one by one, are as they were.
func (m *Market) own(doc *ext.Doc, at ext.Origin) *ext.Doc {
	own := *doc
	own.Map = slices.DeleteFunc(slices.Clone(doc.Map), func(p ext.Pair) bool { return p.Key == "plugins" })
	m.Findings.Add(unseen.InNode(at, &own)...)
	clean := withoutCredentials(&own, at, &m.Findings)
	if list := doc.Get("plugins"); list != nil {
		clean.Map = append(clean.Map, doc.Map[slices.IndexFunc(doc.Map, func(p ext.Pair) bool { return p.Key == "plugins" })])
	}
	return clean
}

// marketName is what a file calls the marketplace; "" when that is no name.
func (d *reader) marketName(k keys) string {
	name := k.text("name")
	switch {
	case name == "":
		k.findings.Add(Incomplete.At(k.line("name"), "\"name\" is missing"))
	case unsafe(name) != "":
		k.findings.Add(Unsafe.At(k.line("name"), "the marketplace's name %s %s; it is not used", quoted(name), unsafe(name)))
		return ""
	}
	return name
}

// entries reads the plugins of a file and adds them to those of the files
// before it.
func (d *reader) entries(f *File, k keys, pluginRoot string) {
	list := k.doc.Get("plugins")
	switch {
	case list == nil:
		k.findings.Add(Field.At(k.line("plugins"), "key \"plugins\" is missing%s", lists(k.doc)))
		return
	case list.Kind != ext.List:
		k.findings.Add(Field.At(k.line("plugins"), "key \"plugins\" must be a list, found %s", list.Kind))
		return
	case len(list.List) == 0:
		k.findings.Add(NoPlugins.At(k.line("plugins"), "the list \"plugins\" is empty"))
	}
	f.Entries = len(list.List)
	seen, added := map[string]int{}, map[string]int{}
	for i := range list.List {
		e := d.entry(f, &list.List[i], pluginRoot)
		key := surface.Fold(e.Name)
		line, again := seen[key]
		switch {
		case e.Name == "":
		case again:
			e.Findings.Add(Twice.At(e.Origin, "%s has the name of the entry at line %d", quoted(e.Name), line))
			e.settle(f.Kind)
			d.market.Entries = append(d.market.Entries, e)
			continue
		default:
			seen[key] = e.Origin.Line
		}
		e.settle(f.Kind)
		if was, ok := d.declared[key]; ok {
			d.market.Entries[was].also(e)
			continue
		}
		if key != "" {
			added[key] = len(d.market.Entries)
		}
		d.market.Entries = append(d.market.Entries, e)
	}
	maps.Copy(d.declared, added)
}

// settle says what became of a declaration.
func (e *Entry) settle(k Kind) {
	e.Refused = e.Findings.Failed()
	e.Declarations = []Declaration{{Kind: k, Origin: e.Origin, Source: e.Source, Refused: e.Refused}}
}

// also adds a declaration of the same plugin in a later file. It counts where
// those before it are refused.
func (e *Entry) also(later Entry) {
	if !e.Refused && !later.Refused {
		switch was, is := e.whereabouts(), later.whereabouts(); {
		case was != is:
			later.Findings.Add(Differs.At(later.Origin, "%s comes from %s here, and from %s in %s", quoted(later.Name), quoted(is), quoted(was), e.Origin.Path))
		case e.Name != later.Name:
			later.Findings.Add(Differs.At(later.Origin, "it is called %s here, and %s in %s", quoted(later.Name), quoted(e.Name), e.Origin.Path))
		}
	}
	all, findings := append(e.Declarations, later.Declarations...), e.Findings
	for _, f := range later.Findings {
		if !slices.Contains(findings, f) { // both may read one manifest
			findings.Add(f)
		}
	}
	if e.Refused && !later.Refused {
		*e = later
	}
	e.Declarations, e.Findings = all, findings
}

// lists says which keys hold lists in the place of plugins.
func lists(d *ext.Doc) string {
	var names []string
	for _, p := range d.Map {
		if p.Value.Kind == ext.List {
			names = append(names, quoted(p.Key))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; there is a list " + strings.Join(names, ", ")
}
