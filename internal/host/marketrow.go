package host

import (
	"path/filepath"
	"slices"

	"github.com/mortise-dev/mortise/internal/market"
	"github.com/mortise-dev/mortise/internal/surface"
)

// MarketListing is what marketplaces offer: the one shape of everything that is
// shown about them.
type MarketListing struct {
	Markets  []MarketRow      `json:"markets"`
	Entries  []MarketEntryRow `json:"entries"`
	Findings []FindingRow     `json:"findings"` // extension is the entry that one is about
}

// MarketRow is one marketplace. Entries is the sum of InPlace, Broken and all
// of Remote.
type MarketRow struct {
	Name        string           `json:"name"`
	CallsItself string           `json:"calls_itself"` // "" when it does not say
	Title       string           `json:"title"`
	Version     string           `json:"version"`
	Description string           `json:"description"`
	Owner       MarketOwner      `json:"owner"`
	Kind        string           `json:"kind"` // of its first file: claude-code, codex, cursor, copilot; "" when none could be read
	From        string           `json:"from"` // what names it: configuration, workspace, argument
	Root        string           `json:"root"` // absolute directory
	Files       []MarketFileRow  `json:"files"`
	Entries     int              `json:"entries"`
	InPlace     int              `json:"in_place"`
	Remote      map[string]int   `json:"remote"` // by kind of source
	Broken      int              `json:"broken"` // refused, whatever their source
	Renames     []MarketRenaming `json:"renames"`

	of *market.Market
}

// MarketOwner is who publishes a marketplace.
type MarketOwner struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	URL   string `json:"url"`
}

// MarketFileRow is one file of a marketplace.
type MarketFileRow struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Leads   string `json:"leads"` // the file that it is a link to; ""
	Entries int    `json:"entries"`
	Refused bool   `json:"refused"`
}

// MarketRenaming is a name that a plugin had before.
type MarketRenaming struct {
	From string `json:"from"`
	To   string `json:"to"` // "" when it is gone
	Path string `json:"path"`
	Line int    `json:"line"`
}

// MarketEntryRow is one plugin that a marketplace offers.
type MarketEntryRow struct {
	Name         string              `json:"name"`
	Market       string              `json:"market"`
	Status       string              `json:"status"` // in-place, remote, broken
	RenamedFrom  string              `json:"renamed_from"`
	Title        string              `json:"title"`
	Version      string              `json:"version"`
	Description  string              `json:"description"`
	Author       string              `json:"author"`
	Homepage     string              `json:"homepage"`
	Repository   string              `json:"repository"`
	License      string              `json:"license"`
	Category     string              `json:"category"`
	Tags         []string            `json:"tags"`
	Source       MarketSource        `json:"source"`
	Strict       bool                `json:"strict"`
	Declares     []MarketComponent   `json:"declares"`
	Policy       MarketPolicy        `json:"policy"`
	Directory    string              `json:"directory"` // absolute, where it lies in place; ""
	Formats      []string            `json:"formats"`   // that it is laid out in, the first is read
	Manifest     string              `json:"manifest"`  // of the first, below the directory; ""
	Path         string              `json:"path"`      // of the file that declares it, below the root
	Line         int                 `json:"line"`
	Declarations []MarketDeclaration `json:"declarations"`
	Plugin       *MarketPlugin       `json:"plugin"` // how to use it in place; null where that cannot be
	Root         string              `json:"root"`   // of its marketplace

	of *market.Entry
}

// Partial reports whether the plugin is less than what lies in its directory, so
// that whoever reads the directory gets more.
func (e *MarketEntryRow) Partial() bool { return e.of.Partial() }

// MarketSource is where a plugin is got from. What a kind has not is "".
type MarketSource struct {
	Kind     string   `json:"kind"` // relative, local, github, url, git-subdir, npm, archive, command; ""
	Text     string   `json:"text"` // all of it, for people
	Path     string   `json:"path"`
	Repo     string   `json:"repo"`
	URL      string   `json:"url"`
	Ref      string   `json:"ref"`
	SHA      string   `json:"sha"`
	Package  string   `json:"package"`
	Version  string   `json:"version"`
	Registry string   `json:"registry"`
	SHA256   string   `json:"sha256"`
	Command  []string `json:"command"`
	Timeout  string   `json:"timeout"`
	Mode     string   `json:"mode"`
}

// MarketComponent is one kind of things that an entry itself declares.
type MarketComponent struct {
	Key   string   `json:"key"`
	Holds []string `json:"holds"` // paths, or names
	Paths bool     `json:"paths"` // false: what the entry itself describes, which lies in no file
	Line  int      `json:"line"`
}

// MarketPolicy is what Codex is to do with a plugin.
type MarketPolicy struct {
	Installation   string   `json:"installation"`
	Authentication string   `json:"authentication"`
	Products       []string `json:"products"`
}

// MarketDeclaration is one place where a plugin is declared.
type MarketDeclaration struct {
	Kind    string `json:"kind"`
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Source  string `json:"source"`
	Refused bool   `json:"refused"`
}

// MarketPlugin is the table of mortise.toml by which a plugin is used in place:
// [plugins.NAME] with that path.
type MarketPlugin struct {
	Name       string `json:"name"`
	Path       string `json:"path"`
	Configured bool   `json:"configured"` // it is there already
}

func marketRow(m *market.Market, p MarketPlace, dir string) MarketRow {
	row := MarketRow{
		Name: m.Name, CallsItself: m.Own, Title: m.Title, Version: m.Version, Description: m.About,
		Owner: MarketOwner(m.Owner), Kind: string(m.Kind), From: p.From, Root: dir,
		Files: []MarketFileRow{}, Remote: map[string]int{}, Renames: []MarketRenaming{}, of: m,
	}
	for _, f := range m.Files {
		row.Files = append(row.Files, MarketFileRow{Path: f.Path, Kind: string(f.Kind), Name: f.Name, Leads: f.Leads, Entries: f.Entries, Refused: f.Refused})
	}
	for _, r := range m.Renames {
		row.Renames = append(row.Renames, MarketRenaming{From: r.From, To: r.To, Path: r.Origin.Path, Line: r.Origin.Line})
	}
	return row
}

// count adds an entry to the totals.
func (m *MarketRow) count(e *MarketEntryRow) {
	m.Entries++
	switch e.Status {
	case "broken":
		m.Broken++
	case "remote":
		m.Remote[e.Source.Kind]++
	default:
		m.InPlace++
	}
}

// Named reports whether a marketplace, or one of its files, has a name.
func (m *MarketRow) Named(name string) bool {
	return m.whole(name) || slices.ContainsFunc(m.Files, func(f MarketFileRow) bool { return surface.Fold(f.Name) == surface.Fold(name) })
}

// whole reports whether all of a marketplace has a name.
func (m *MarketRow) whole(name string) bool {
	return surface.Fold(m.Name) == surface.Fold(name) || surface.Fold(m.CallsItself) == surface.Fold(name)
}

// offers reports whether a marketplace of that name has an entry: all of it has
// the name, or a file of it in which the entry is declared.
func (m *MarketRow) offers(name string, e *MarketEntryRow) bool {
	return m.whole(name) || slices.ContainsFunc(m.Files, func(f MarketFileRow) bool {
		return surface.Fold(f.Name) == surface.Fold(name) && slices.ContainsFunc(e.Declarations, func(d MarketDeclaration) bool { return d.Path == f.Path })
	})
}

func entryRow(m *market.Market, e *market.Entry, dir string) MarketEntryRow {
	row := MarketEntryRow{
		Name: e.Name, Market: m.Name, Status: marketStatus(e), Title: e.Title, Version: e.Version, Description: e.Description,
		Author: e.Author, Homepage: e.Homepage, Repository: e.Repository, License: e.License, Category: e.Category,
		Tags: orEmpty(e.Tags), Source: marketSource(e.Source), Strict: e.Strict, Declares: []MarketComponent{},
		Policy:  MarketPolicy{Installation: e.Policy.Installation, Authentication: e.Policy.Authentication, Products: orEmpty(e.Policy.Products)},
		Formats: []string{}, Path: e.Origin.Path, Line: e.Origin.Line, Root: dir, of: e,
	}
	for _, c := range e.Declares {
		row.Declares = append(row.Declares, MarketComponent(c))
	}
	for _, d := range e.Declarations {
		row.Declarations = append(row.Declarations, MarketDeclaration{
			Kind: string(d.Kind), Path: d.Origin.Path, Line: d.Origin.Line, Source: d.Source.String(), Refused: d.Refused,
		})
	}
	if p := e.Place; p != nil && p.There {
		row.Directory = filepath.Join(dir, filepath.FromSlash(p.Dir))
		row.Formats, row.Manifest = orEmpty(p.Formats), p.Manifest
	}
	return row
}

func marketStatus(e *market.Entry) string {
	switch {
	case e.Refused:
		return "broken"
	case e.Remote():
		return "remote"
	}
	return "in-place"
}

func marketSource(s market.Source) MarketSource {
	return MarketSource{
		Kind: string(s.Kind), Text: s.String(), Path: s.Path, Repo: s.Repo, URL: s.URL, Ref: s.Ref, SHA: s.SHA,
		Package: s.Package, Version: s.Version, Registry: s.Registry, SHA256: s.SHA256,
		Command: orEmpty(s.Command), Timeout: s.Timeout, Mode: s.Mode,
	}
}
