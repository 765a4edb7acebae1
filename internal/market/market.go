// Package market reads marketplaces: files in which a directory offers plugins,
// with where to get each. A look at one reads that directory and nothing else;
// what lies elsewhere is listed with its source and never fetched.
//
// Several files of one directory are one marketplace, as people publish the
// same plugins for several clients. Whatever is odd is a finding, and costs at
// most the entry that it was found in.
package market

import (
	"path/filepath"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Options say what a marketplace is read by.
type Options struct {
	// Name is what the configuration calls the marketplace; "" leaves it to the
	// marketplace.
	Name string
	// Source and Trust are those of every origin: "path:./market".
	Source string
	Trust  ext.Trust
	Limits ext.Limits
	// Open is how the directory is open, and so those in it are. With a trace
	// there is Market.Seen.
	Open root.Options
	// Recognise names the formats that the directory t.FS is laid out in, the one
	// that would be read first, with that one's manifest. Nil: none are told.
	Recognise func(t *ext.Tree) (formats []string, m source.Manifest)
}

// Market is what the marketplace files of one directory say together.
type Market struct {
	Name     string     // safe in a path
	Own      string     // what it calls itself; "" when it does not say
	OwnAt    ext.Origin // where it says so
	Title    string
	Version  string
	About    string // its description
	Owner    Owner
	Kind     Kind   // of the first file that could be read
	Files    []File // that are there, in the order of Places
	Entries  []Entry
	Renames  []Rename
	Findings ext.Findings // of the marketplace itself; those of entries are with them
	// Seen is all that was looked at, by paths below the directory; nil without a
	// trace.
	Seen []root.Stamp
}

// Owner is who publishes a marketplace.
type Owner struct{ Name, Email, URL string }

// File is one marketplace file.
type File struct {
	Path    string
	Kind    Kind
	Name    string // what it calls the marketplace
	Leads   string // another of the files, which it is a link to; it is read there
	Entries int    // that it declares
	Refused bool   // nothing of it could be used; a finding says why

	named ext.Origin // where it says Name
}

// Rename is a name that a plugin had before.
type Rename struct {
	From   string
	To     string // "": it is gone, and nothing has taken its place
	Origin ext.Origin
}

// Entry is one plugin that a marketplace offers. What it says is taken from the
// first of its declarations that is not refused.
type Entry struct {
	Name  string // "" where it has none, and is refused
	Title string
	Version, Description,
	Author, Homepage, Repository, License,
	Category string
	Tags   []string // and keywords
	Source Source
	// Strict: entry and manifest together say what the plugin is. Not strict: the
	// entry alone does, which Codex and Cursor do not know.
	Strict   bool
	Declares []Component // in the order of the file
	Policy   Policy
	Origin   ext.Origin // of the declaration
	Place    *Place     // where it lies in the marketplace's directory; nil for what lies elsewhere
	// Refused: it cannot be used; a finding says why.
	Refused      bool
	Declarations []Declaration // all of them, in the order of the files
	Findings     ext.Findings
}

// Declaration is one place where a marketplace declares a plugin.
type Declaration struct {
	Kind    Kind // of the file
	Origin  ext.Origin
	Source  Source
	Refused bool
}

// Policy is what Codex is to do with a plugin.
type Policy struct {
	Installation   string
	Authentication string
	Products       []string
}

// Partial reports whether the plugin is less than what lies in its directory: the
// entry alone says what it is, or names skills of the marketplace's own directory.
func (e *Entry) Partial() bool {
	i := slices.IndexFunc(e.Declarations, func(d Declaration) bool { return d.Origin == e.Origin })
	if i < 0 || !e.Declarations[i].Kind.strict() {
		return false
	}
	own := e.Place != nil && e.Place.Dir == "."
	return !e.Strict || own && slices.ContainsFunc(e.Declares, func(c Component) bool { return c.Key == "skills" })
}

// Remote reports whether the plugin lies outside the marketplace's directory.
func (e *Entry) Remote() bool { return e.Place == nil }

// Read reads the marketplace in r. Without any file the market has none, and
// no finding either.
func Read(r *root.Root, o Options) *Market {
	d := reader{root: r, Options: o, market: &Market{}, looks: map[string]look{}, declared: map[string]int{}}
	for _, at := range Places {
		d.file(at)
	}
	d.name()
	d.renames()
	d.market.Findings.Sort()
	d.market.Seen = append(d.market.Seen, r.Trace()...)
	return d.market
}

// reader reads one marketplace.
type reader struct {
	Options
	root   *root.Root
	market *Market
	moved  []Rename        // as written
	looks  map[string]look // by directory
	// declared are the entries of the files so far, by their folded names; of
	// several in one file the first.
	declared map[string]int
}

// look is what a directory is laid out in.
type look struct {
	formats  []string
	manifest source.Manifest
}

func (d *reader) at(path string, line int) ext.Origin {
	return ext.Origin{Source: d.Source, Trust: d.Trust, Path: path, Line: line}
}

// name settles what the marketplace is called: as the configuration says, else
// as it says itself, else as its directory is called.
func (d *reader) name() {
	m := d.market
	for _, f := range m.Files {
		switch {
		case f.Name == "":
		case m.Own == "":
			m.Own, m.OwnAt = f.Name, f.named
		case f.Name != m.Own:
			m.Findings.Add(Names.At(f.named, "this file calls it %s, and another %s", quoted(f.Name), quoted(m.Own)))
		}
	}
	if slices.Contains(claudeReserved, surface.Fold(m.Own)) {
		m.Findings.Add(Reserved.At(m.OwnAt, "%s is a name that Claude Code takes from its maker's marketplaces alone", quoted(m.Own)))
	}
	m.Name = m.Own
	if d.Name != "" {
		m.Name = d.Name
	}
	if m.Name == "" {
		m.Name = string(source.NameOf("", filepath.ToSlash(d.root.Dir())))
	}
}

// Find is what a name leads to: every entry of that name, compared as people
// see names, and else those that what it was renamed to leads to. now is the
// name that they go by, and gone says that the marketplace has it no more.
func (m *Market) Find(name string) (now string, entries []*Entry, gone bool) {
	next := map[string]string{}
	for _, r := range m.Renames {
		next[surface.Fold(r.From)] = r.To
	}
	has := map[string][]*Entry{}
	for i := range m.Entries {
		if e := &m.Entries[i]; e.Name != "" {
			has[surface.Fold(e.Name)] = append(has[surface.Fold(e.Name)], e)
		}
	}
	for range len(next) + 1 {
		key := surface.Fold(name)
		to, renamed := next[key]
		switch {
		case len(has[key]) > 0 || !renamed:
			return name, has[key], false
		case to == "":
			return name, nil, true
		}
		name = to
	}
	return name, nil, false
}

// claudeReserved are the names that Claude Code lets no other marketplace have.
var claudeReserved = []string{
	"claude-code-marketplace", "claude-code-plugins", "claude-plugins-official", "claude-plugins-community", "claude-community",
	"anthropic-marketplace", "anthropic-plugins", "agent-skills", "anthropic-agent-skills", "knowledge-work-plugins", "life-sciences",
	"claude-for-legal", "claude-for-financial-services", "financial-services-plugins",
}
