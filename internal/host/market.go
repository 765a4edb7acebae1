package host

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/market"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Checks on where marketplaces are looked for.
var (
	MarketMissing = &ext.Check{
		Code: "market-missing", Severity: ext.Error,
		Doc: "A directory that is named as a marketplace is not there, cannot be read, or holds no marketplace file.",
		Fix: "Correct the path, or remove what names it.",
	}
	MarketNameTaken = &ext.Check{
		Code: "market-name-taken", Severity: ext.Warning,
		Doc: "Two marketplaces have the same name, so that PLUGIN@MARKETPLACE means both.",
		Fix: "Give one of them another name: [markets.NAME] in mortise.toml.",
	}
	MarketTwice = &ext.Check{
		Code: "market-twice", Severity: ext.Warning,
		Doc: "Two tables of the configuration name one marketplace. It goes by the name of the first alone.",
		Fix: "Remove one of the two.",
	}
	MarketAlone = &ext.Check{
		Code: "market-alone", Severity: ext.Info,
		Doc: "A directory that was checked is a marketplace and no extension. Its marketplace files were judged, and not the plugins that they offer.",
		Fix: "Nothing, or check the plugins as well: mortise check --recursive DIR.",
	}
)

// MarketChecks lists what looking for marketplaces can find, besides what
// reading one can.
var MarketChecks = []*ext.Check{MarketMissing, MarketNameTaken, MarketTwice, MarketAlone}

// MarketFormat is the format of a tree that is no extension: the marketplace files
// of a directory. What was found about them comes with it.
const MarketFormat = "marketplace"

// LeaveMarkets leaves trees of marketplaces out of the extensions and of their
// counts, whatever was decided about them. What was found about them stays.
func (l *Listing) LeaveMarkets() {
	l.Extensions = slices.DeleteFunc(l.Extensions, func(x ExtensionRow) bool {
		if x.Format != MarketFormat {
			return false
		}
		l.Found--
		if x.Status == admit.Refused.String() {
			l.Refused--
		} else {
			l.Admitted--
		}
		return true
	})
}

// MarketPlace is a directory in which a marketplace is looked for.
type MarketPlace struct {
	Name    ext.Name   // that the configuration gives it; "" leaves it to the marketplace
	Dir     string     // absolute
	Shown   string     // as it was written
	From    string     // what names it: configuration, workspace, argument
	NamedBy ext.Origin // in the configuration
	Base    string     // directory that NamedBy starts at, for people
	Trust   ext.Trust
	Maybe   bool // nothing is told when there is no marketplace
	Refused bool // its table in the configuration is at fault; it is not looked into
}

// MarketsOf are the marketplaces of a configuration, and the workspace itself,
// which may be one.
func MarketsOf(c *config.Config) []MarketPlace {
	var out []MarketPlace
	dir := c.Workspace().Dir
	for _, m := range c.Markets {
		p := MarketPlace{Name: m.Name, Dir: m.Dir, Shown: m.Path, From: "configuration", NamedBy: m.Origin, Base: dir, Trust: ext.Project, Refused: m.Refused}
		if m.Own {
			p.Trust = ext.Plugin
		}
		out = append(out, p)
	}
	return append(out, MarketPlace{Dir: dir, Shown: ".", From: "workspace", Trust: ext.Project, Maybe: true})
}

// MarketLook is a look at marketplaces. Each is read where it lies; nothing is
// fetched, and no state is read.
type MarketLook struct {
	Places    []MarketPlace
	Workspace string // absolute; what plugins are written down for
	Plugins   []config.Plugin
	Limits    ext.Limits
	Recognise func(t *ext.Tree) (formats []string, m source.Manifest)

	own  []os.FileInfo // of the directories of Plugins; nil for what is not there
	real string        // Workspace with its links resolved
}

// Run reads the marketplaces. It returns an error only when ctx ends; one that
// cannot be read is a finding.
func (k MarketLook) Run(ctx context.Context) (*MarketListing, error) {
	l := &MarketListing{}
	k.resolve()
	seen, named := map[string]*MarketPlace{}, map[string]bool{}
	for _, p := range k.Places {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p.Refused {
			continue // the configuration has told why
		}
		r, err := root.Open(p.Dir, root.Options{})
		if err != nil {
			l.missing(p, opening(err))
			continue
		}
		switch first := seen[r.Dir()]; {
		case first == nil:
			seen[r.Dir()] = &p
			k.one(l, p, r, named)
		case p.Name != "":
			l.note(MarketTwice.At(p.NamedBy, "%s is the directory of marketplace %s, too", ext.Quote(p.Shown), ext.Escape(string(first.Name))), "", p.Base)
		}
		_ = r.Close() // it was read
	}
	l.Markets, l.Entries, l.Findings = orEmpty(l.Markets), orEmpty(l.Entries), orEmpty(l.Findings)
	return l, nil
}

// one reads one marketplace.
func (k MarketLook) one(l *MarketListing, p MarketPlace, r *root.Root, named map[string]bool) {
	m := market.Read(r, market.Options{
		Name: string(p.Name), Source: "path:" + p.Shown, Trust: p.Trust, Limits: k.Limits, Recognise: k.Recognise,
	})
	if len(m.Files) == 0 && len(m.Findings) == 0 {
		l.missing(p, "it holds no marketplace file")
		return
	}
	if key := surface.Fold(m.Name); named[key] {
		at, base := m.OwnAt, r.Dir()
		switch {
		case p.Name != "":
			at, base = p.NamedBy, p.Base
		case m.Own == "": // it goes by its directory's name
			at = ext.Origin{Path: m.Files[0].Path}
		}
		l.note(MarketNameTaken.At(at, "another marketplace is called %s, too", ext.Quote(m.Name)), "", base)
	} else {
		named[key] = true
	}
	row := marketRow(m, p, r.Dir())
	for i := range m.Entries {
		e := entryRow(m, &m.Entries[i], r.Dir())
		e.Plugin = k.plugin(&m.Entries[i], r.Dir())
		row.count(&e)
		l.Entries = append(l.Entries, e)
	}
	l.Markets = append(l.Markets, row)
	findings := len(l.Findings)
	for _, f := range m.Findings {
		l.note(f, "", r.Dir())
	}
	for i := range m.Entries {
		for _, f := range m.Entries[i].Findings {
			l.note(f, m.Entries[i].Name, r.Dir())
		}
	}
	slices.SortStableFunc(l.Findings[findings:], func(a, b FindingRow) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
}

// missing tells of a directory that is no marketplace, unless it only might
// have been one.
func (l *MarketListing) missing(p MarketPlace, why string) {
	base := p.Base
	if p.NamedBy.Path == "" {
		base = p.Dir
	}
	if !p.Maybe {
		l.note(MarketMissing.At(p.NamedBy, "%s: %s", ext.Quote(p.Shown), why), "", base)
	}
}

// Note adds findings that belong to no marketplace, such as the configuration's,
// whose files lie in dir. They come first.
func (l *MarketListing) Note(fs ext.Findings, dir string) {
	rows := make([]FindingRow, len(fs))
	for i, f := range fs {
		rows[i] = findingRow(f, dir)
	}
	l.Findings = append(rows, l.Findings...)
}

func (l *MarketListing) note(f ext.Finding, entry, dir string) {
	row := findingRow(f, dir)
	row.Extension = entry
	l.Findings = append(l.Findings, row)
}

// opening says why a directory cannot be opened.
func opening(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such directory"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	}
	return ext.Escape(err.Error())
}

// resolve looks where the workspace and its plugins really lie: a marketplace's
// directory is known without the links that lead to it.
func (k *MarketLook) resolve() {
	k.real = k.Workspace
	if real, err := filepath.EvalSymlinks(k.Workspace); err == nil {
		k.real = real
	}
	k.own = make([]os.FileInfo, len(k.Plugins))
	for i := range k.Plugins {
		if info, err := os.Stat(k.Plugins[i].Dir); err == nil && k.Plugins[i].Dir != "" {
			k.own[i] = info
		}
	}
}

// configured is the place of the plugin whose directory one is, -1 when it is
// none's.
func (k MarketLook) configured(dir string) int {
	info, err := os.Stat(dir)
	if err != nil {
		return -1
	}
	return slices.IndexFunc(k.own, func(own os.FileInfo) bool { return own != nil && os.SameFile(own, info) })
}

// plugin is what to write in mortise.toml to use an entry in place; nil for one
// that lies elsewhere or cannot be used, and for a path that no file can hold.
func (k MarketLook) plugin(e *market.Entry, dir string) *MarketPlugin {
	if e.Refused || e.Remote() {
		return nil
	}
	at := filepath.Join(dir, filepath.FromSlash(e.Place.Dir))
	if i := k.configured(at); i >= 0 {
		p := &k.Plugins[i]
		return &MarketPlugin{Name: string(p.Name), Path: p.Path, Configured: true}
	}
	path := filepath.ToSlash(at)
	switch rel, err := filepath.Rel(k.real, at); {
	case err == nil && rel == ".":
		path = "./"
	case err == nil && filepath.IsLocal(rel):
		path = "./" + filepath.ToSlash(rel)
	}
	if strings.ContainsFunc(path, func(r rune) bool { return r == '\\' || ext.Hidden(r) }) {
		return nil
	}
	return &MarketPlugin{Name: k.free(source.NameOf(e.Name, e.Name)), Path: path}
}

// free is a name that no plugin of the configuration has.
func (k MarketLook) free(name ext.Name) string {
	taken := func(name string) bool {
		return slices.ContainsFunc(k.Plugins, func(p config.Plugin) bool { return string(p.Name) == name })
	}
	free := string(name)
	for i := 2; taken(free); i++ {
		free = string(name) + "-" + strconv.Itoa(i)
	}
	return free
}

// Find is what NAME or NAME@MARKET means: the entries of that name, those of
// refused declarations too. It is empty when there are none.
func (l *MarketListing) Find(given string) *MarketListing {
	if found := l.find(given, ""); len(found.Entries) > 0 {
		return found
	}
	if i := strings.LastIndexByte(given, '@'); i > 0 && i < len(given)-1 {
		return l.find(given[:i], given[i+1:])
	}
	return l.of(nil)
}

func (l *MarketListing) find(name, in string) *MarketListing {
	var found []MarketEntryRow
	for _, m := range l.Markets {
		if in != "" && !m.Named(in) {
			continue
		}
		now, entries, _ := m.of.Find(name)
		for _, e := range l.Entries {
			if !slices.Contains(entries, e.of) || in != "" && !m.offers(in, &e) {
				continue
			}
			if surface.Fold(now) != surface.Fold(name) {
				e.RenamedFrom = name
			}
			found = append(found, e)
		}
	}
	return l.of(found)
}

// Gone reports whether a marketplace says that it has no plugin of a name any
// more.
func (l *MarketListing) Gone(name string) (from string, ok bool) {
	for _, m := range l.Markets {
		if _, _, gone := m.of.Find(name); gone {
			return m.Name, true
		}
	}
	return "", false
}

// Search are the entries that fit all words, the best first: by how well they
// fit, then what can be used, by name and by marketplace.
func (l *MarketListing) Search(words []string) *MarketListing {
	var found []MarketEntryRow
	score := map[*market.Entry]int{}
	for _, e := range l.Entries {
		if n := e.of.Score(words); n > 0 {
			score[e.of] = n
			found = append(found, e)
		}
	}
	slices.SortStableFunc(found, func(a, b MarketEntryRow) int {
		return cmp.Or(
			cmp.Compare(score[b.of], score[a.of]), compareBool(a.of.Refused, b.of.Refused),
			cmp.Compare(surface.Fold(a.Name), surface.Fold(b.Name)), cmp.Compare(a.Market, b.Market), cmp.Compare(a.Root, b.Root), cmp.Compare(a.Line, b.Line),
		)
	})
	return l.of(found)
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// of is the listing of these entries alone, with their marketplaces, what was
// found about them, and what was lost.
func (l *MarketListing) of(entries []MarketEntryRow) *MarketListing {
	out := &MarketListing{Markets: []MarketRow{}, Entries: orEmpty(entries), Findings: []FindingRow{}}
	roots := map[string]bool{}
	type key struct{ root, name string }
	names := map[key]bool{}
	for _, e := range entries {
		roots[e.Root] = true
		names[key{e.Root, e.Name}] = true
	}
	for _, m := range l.Markets {
		if roots[m.Root] {
			out.Markets = append(out.Markets, m)
		}
	}
	for _, f := range l.Findings {
		if f.lost() || f.Extension != "" && names[key{f.Root, f.Extension}] {
			out.Findings = append(out.Findings, f)
		}
	}
	return out
}

// lost reports whether a finding of a look at marketplaces is an error about no
// entry: one may offer more than could be read.
func (f *FindingRow) lost() bool { return f.Extension == "" && f.Severity == ext.Error.String() }

// Lost are the findings that say why a marketplace is not there or may offer more
// than is listed.
func (l *MarketListing) Lost() []FindingRow {
	var out []FindingRow
	for _, f := range l.Findings {
		if f.lost() {
			out = append(out, f)
		}
	}
	return out
}

// Missing reports whether a marketplace that was named is not there.
func (l *MarketListing) Missing() bool {
	return slices.ContainsFunc(l.Findings, func(f FindingRow) bool { return f.Code == MarketMissing.Code })
}

// Names are what Find knows, sorted: names of entries, also with their
// marketplaces where several have them, and names that they had before.
func (l *MarketListing) Names() []string {
	first, names := map[string]string{}, map[string]bool{} // the first marketplace that has a name
	several := map[string]bool{}
	for _, e := range l.Entries {
		key := surface.Fold(e.Name)
		if e.Name == "" {
			continue
		}
		names[e.Name] = true
		if first[key] == "" {
			first[key] = e.Root
		}
		several[key] = several[key] || first[key] != e.Root
	}
	for _, e := range l.Entries {
		if several[surface.Fold(e.Name)] {
			names[e.Name+"@"+e.Market] = true
		}
	}
	for _, m := range l.Markets {
		for _, r := range m.Renames {
			names[r.From] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// MarketNames are the names of the marketplaces and of their files, in their
// order.
func (l *MarketListing) MarketNames() []string {
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, m := range l.Markets {
		add(m.Name)
		for _, f := range m.Files {
			add(f.Name)
		}
	}
	return names
}
