package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Disagree is a directory whose formats do not say the same.
var Disagree = &ext.Check{
	Code: "formats-disagree", Severity: ext.Warning,
	Doc: "A directory is laid out in several formats that do not say the same: an entry that only one of them names, a server that they declare differently, another name or version.",
	Fix: "Make the manifests agree, or name the format that you mean with format = \"…\" in mortise.toml.",
}

// layFirst lays the tree out in the format that is preferred, and compares the
// others with it.
func layFirst(first detected, others []detected, t *ext.Tree, env Env) {
	t.Format = first.Name
	first.Lay(t, first.Manifest, env)
	if len(others) == 0 {
		return
	}
	several := len(t.Findings)
	t.Findings.Add(Several.At(t.Origin.At(first.Manifest.Path, 0), "read as %s; also laid out as %s", first.Name, strings.Join(t.Also, ", ")))
	if t.Findings.Failed() {
		return // refused whole: there is nothing to compare with
	}
	c := comparison{t: t, env: env, first: first, mine: accountOf(t, env), asked: map[string]bool{}}
	for _, o := range others {
		if o.Lay != nil {
			c.with(o)
		}
	}
	if len(c.homeless) > 0 {
		t.Findings[several].Message = fmt.Sprintf("read as %s, which has no place for %s; also laid out as %s", first.Name, strings.Join(c.homeless, ", "), strings.Join(t.Also, ", "))
	}
	t.Findings = slices.DeleteFunc(t.Findings, func(f ext.Finding) bool { // its guards are asked about, and its other hooks are compared
		return f.Check == NotRead && c.asked[f.Origin.Path]
	})
}

// comparison is a tree as it was laid out, held against what other formats make
// of the same directory.
type comparison struct {
	t        *ext.Tree
	env      Env
	first    detected
	mine     account
	homeless []string        // what only another format has a place for, in words
	asked    map[string]bool // files from which other formats read hooks
}

// account is what a format says of a directory, in words that can be compared
// whatever the format.
type account struct {
	names   map[string]string // what is declared, and how it is shown
	servers map[string]*ext.Doc
}

// with lays the tree out in another format as well, and says in one finding
// where that differs from what was read. The guards that only the other format
// has are guards all the same: they become entries of the tree.
func (c *comparison) with(other detected) {
	probe := *c.t
	probe.Places, probe.Findings, probe.Label, probe.Manifest = nil, nil, "", nil
	other.Lay(&probe, other.Manifest, c.env)
	o := c.t.Origin.At(cmp.Or(other.Manifest.Path, c.first.Manifest.Path), 0)
	c.guards(&probe, other.Name)
	if probe.Findings.Failed() {
		f := Worst(probe.Findings)
		c.t.Findings.Add(Disagree.At(o, "as %s it is at fault: %s", other.Name, f.Message))
		return
	}
	theirs := accountOf(&probe, c.env)
	for i := range probe.Places {
		if spec := c.env.Spec(probe.Places[i].Surface); spec != nil && spec.Hook {
			c.asked[probe.Places[i].File] = true
		}
	}
	if homeless := only(theirs.names, c.mine.names, func(surface string) bool { return !c.first.holds(surface) }); homeless != "" {
		c.homeless = append(c.homeless, fmt.Sprintf("%s of %s", homeless, other.Name))
	}
	if said := c.differences(other, &probe, theirs); len(said) > 0 {
		c.t.Findings.Add(Disagree.At(o, "%s", strings.Join(said, "; ")))
	}
}

// differences are what the two formats do not say alike, although both could.
func (c *comparison) differences(other detected, probe *ext.Tree, theirs account) (said []string) {
	if names := only(c.mine.names, theirs.names, other.holds); names != "" {
		said = append(said, fmt.Sprintf("only %s names %s", c.t.Format, names))
	}
	if names := only(theirs.names, c.mine.names, c.first.holds); names != "" {
		said = append(said, fmt.Sprintf("only %s names %s", other.Name, names))
	}
	said = append(said, differing(c.mine.servers, theirs.servers)...)
	for _, key := range []string{"name", "version"} {
		x, y := c.t.Manifest.Word(key), probe.Manifest.Word(key)
		if x != "" && y != "" && x != y {
			said = append(said, fmt.Sprintf("the %s is %s in %s and %s in %s", key, quoted(x), c.t.Format, quoted(y), other.Name))
		}
	}
	return said
}

// holds reports whether a format has a place for a surface.
func (f *Format) holds(surface string) bool {
	return f.Holds == nil || slices.Contains(f.Holds, surface)
}

func quoted(s string) string { return ext.Quote(ext.Shorten(s, 60)) }

// accountOf is what a tree as laid out declares. Files are known by where they
// lie, servers by their names, and handlers of a client's hooks by their events,
// since each client wants another program.
func accountOf(t *ext.Tree, env Env) account {
	a := account{map[string]string{}, map[string]*ext.Doc{}}
	for i := range t.Places {
		p := &t.Places[i]
		spec := env.Spec(p.Surface)
		switch {
		case spec == nil:
		case p.Surface == "server":
			a.addServers(t, p, env)
		case p.Doc != nil && spec.Hook:
			a.names[p.Surface+"\x00"+strings.ToLower(p.Doc.Word("event"))] = "hook " + quoted(p.Doc.Word("event"))
		case p.Doc != nil:
			a.names[p.Surface+"\x00"+p.Path] = p.Surface + " " + quoted(spec.EntryName(p.Path))
		default:
			a.names[p.Surface+"\x00"+p.File] = p.Surface + " " + quoted(spec.EntryName(p.Path))
		}
	}
	return a
}

func (a *account) addServers(t *ext.Tree, p *ext.Place, env Env) {
	d := p.Doc
	if d == nil {
		if p.Fault != nil {
			return
		}
		c := Read(t.FS, t.Origin.At(p.File, 0), env.Limits)
		d = &c.Doc
	}
	servers := d.Get("mcpServers")
	if servers == nil {
		return
	}
	for i := range servers.Map {
		name := servers.Map[i].Key
		a.names["server\x00"+name] = "server " + quoted(name)
		a.servers[name] = &servers.Map[i].Value
	}
}

// only are the first few of what one format names and the other does not, of
// the surfaces that are wanted.
func only(one, other map[string]string, wanted func(surface string) bool) string {
	var names []string
	for key, name := range one {
		surface, _, _ := strings.Cut(key, "\x00")
		if _, ok := other[key]; !ok && wanted(surface) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return few(names)
}

// few are the first of names, and how many more there are.
func few(names []string) string {
	const most = 4
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

// differing are the servers that both declare, and not in the same way.
func differing(one, other map[string]*ext.Doc) (said []string) {
	var names []string
	for name, x := range one {
		if y := other[name]; y != nil && declaration(x) != declaration(y) {
			names = append(names, fmt.Sprintf("%s (%s:%d and %s:%d)", quoted(name), ext.Escape(x.File), x.Line, ext.Escape(y.File), y.Line))
		}
	}
	if slices.Sort(names); len(names) > 0 {
		said = append(said, "they declare differently the server "+few(names))
	}
	return said
}

// declaration is what a server is, whatever the order of its keys and whether
// it says its transport or leaves it to be told from the rest.
func declaration(d *ext.Doc) ext.Digest {
	pairs := slices.Clone(d.Map)
	if d.Get("type") == nil {
		transport := "stdio"
		if d.Get("url") != nil {
			transport = "streamable-http"
		}
		pairs = append(pairs, ext.Pair{Key: "type", Value: ext.Doc{Kind: ext.String, Text: transport}})
	}
	slices.SortFunc(pairs, func(x, y ext.Pair) int { return cmp.Compare(x.Key, y.Key) })
	sorted := ext.Doc{Kind: d.Kind, Text: d.Text, List: d.List, Map: pairs}
	return sorted.Digest()
}
