package host

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/conform"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/session"
)

// Listing is what a generation, or a look at directories, holds: the one shape
// that listings, checks and the API share. Found is the sum of Admitted,
// Refused, Disabled and Pending, counted in extensions.
type Listing struct {
	Generation    uint64         `json:"generation"` // 0 for a look at directories
	Digest        string         `json:"digest"`
	Found         int            `json:"found"`
	Admitted      int            `json:"admitted"`
	Refused       int            `json:"refused"`
	Disabled      int            `json:"disabled"`
	Pending       int            `json:"pending"`
	UnknownFormat int            `json:"unknown_format"` // roots of formats that are not read; not in Found
	Cost          session.Cost   `json:"cost"`           // of all that an agent carries, or would once its person consents
	Extensions    []ExtensionRow `json:"extensions"`
	Entries       []EntryRow     `json:"entries"`
	Findings      []FindingRow   `json:"findings"`
}

// ExtensionRow is one extension.
type ExtensionRow struct {
	Name        string       `json:"name"`
	Format      string       `json:"format"`
	Source      string       `json:"source"`
	Trust       string       `json:"trust"`
	Root        string       `json:"root"` // absolute directory; "" for what is built in
	Digest      string       `json:"digest"`
	Status      string       `json:"status"` // admitted, refused, disabled, pending
	Entries     int          `json:"entries"`
	Incomplete  int          `json:"incomplete"` // entries that were refused
	Quarantined bool         `json:"quarantined"`
	Setup       string       `json:"setup,omitempty"` // how its set-up steps stand: done, due, failed, waits
	Cost        session.Cost `json:"cost"`            // of those of its entries that an agent carries, or would
}

// EntryRow is one entry.
type EntryRow struct {
	Surface     string       `json:"surface"`
	Name        string       `json:"name"`
	Qualified   string       `json:"qualified"`
	Extension   string       `json:"extension"`
	Path        string       `json:"path"` // below the extension's root
	Line        int          `json:"line"`
	Status      string       `json:"status"` // active, shadowed, pending, refused, disabled, hidden, unasked
	ShadowedBy  string       `json:"shadowed_by"`
	Description string       `json:"description"`
	Cost        session.Cost `json:"cost"`           // of an agent's context
	Root        string       `json:"root,omitempty"` // the extension's, where names do not tell extensions apart
	// Also are the qualified names of entries of the same surface that declare the
	// same, word for word, so that this one stands for them: each is in use, and has a
	// row of its own that is shadowed by this one. What waits is none of them.
	Also []string `json:"also,omitempty"`
	// LastKnown: a server described it when it last ran here, and is not running
	// in this process now.
	LastKnown bool `json:"last_known,omitempty"`
	// Idle: it waits, and would lose its name or be stood for once its person
	// consents, so that no agent will carry it.
	Idle bool `json:"-"`
}

// FindingRow is one finding.
type FindingRow struct {
	Severity  string `json:"severity"`
	Code      string `json:"code"`
	Message   string `json:"message"`
	Extension string `json:"extension"`
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Fix       string `json:"fix"`
	Root      string `json:"root,omitempty"`
	Field     string `json:"-"` // see ext.Finding
	Want      string `json:"-"`
}

// Failed reports whether there is a finding that answers no: an error.
func (l *Listing) Failed() bool {
	return slices.ContainsFunc(l.Findings, func(f FindingRow) bool { return f.Severity == ext.Error.String() })
}

// Of keeps the entries of one surface. Extensions, counts and findings stay.
func (l Listing) Of(surface string) Listing {
	l.Entries = slices.DeleteFunc(slices.Clone(l.Entries), func(e EntryRow) bool { return e.Surface != surface })
	return l
}

// Note adds findings that belong to no extension, such as the configuration's.
func (l *Listing) Note(fs ext.Findings) {
	l.addFindings(fs, "")
	l.settle()
}

func findingRow(f ext.Finding, root string) FindingRow {
	return FindingRow{
		Severity: f.Check.Severity.String(), Code: f.Check.Code, Message: f.Message,
		Extension: string(f.Origin.Extension), Path: f.Origin.Path, Line: f.Origin.Line, Fix: f.Fix(), Root: root,
		Field: f.Field, Want: f.Want,
	}
}

// count adds an extension's status to the totals.
func (l *Listing) count(status admit.Status) {
	l.Found++
	switch status {
	case admit.Admitted:
		l.Admitted++
	case admit.Refused:
		l.Refused++
	case admit.Disabled:
		l.Disabled++
	case admit.Pending:
		l.Pending++
	}
}

// showing is how decisions are listed.
type showing struct {
	surface string                               // that alone is listed; "" all
	most    ext.Trust                            // the most trust in force
	root    string                               // marks rows where names repeat; else ""
	alive   func(ext.Ref) bool                   // tells whether what is described runs; nil: nothing is
	costs   func(*admit.Decision) []session.Cost // what the entries of a decision take of a context: nil, or nil of it, where nobody asks
	profile *conform.Profile                     // what findings are told as; nil: as they are
}

// add adds the decisions about one extension: one for a plugin, one for each
// loose file and folder of the owner's, and one for each description of a
// server.
func (l *Listing) add(ds []*admit.Decision, how showing) {
	t := ds[0].Tree()
	status, digest := ds[0].Status(), ds[0].Digest()
	if own := declared(ds); len(own) > 1 {
		status, digest = together(own)
	}
	row := ExtensionRow{
		Name: string(t.Extension), Format: t.Format, Source: t.Origin.Source, Trust: min(t.Origin.Trust, how.most).String(),
		Root: t.Root, Digest: digest.String(), Status: status.String(),
	}
	for _, d := range ds {
		row.Entries += len(d.Contributions())
		row.Incomplete += d.Incomplete()
		l.judged(d.Findings(), "", how)
		var cost []session.Cost
		if how.costs != nil {
			cost = how.costs(d)
		}
		lastKnown := d.Tree().Describes != nil && !how.alive(d.Tree().Describes.Ref)
		for i := range d.Contributions() {
			c := &d.Contributions()[i]
			if how.surface != "" && how.surface != c.Spec.Name {
				continue
			}
			l.judged(c.Findings, c.Spec.Name, how)
			e := EntryRow{
				Surface: c.Spec.Name, Name: c.Name, Qualified: ext.Qualified(t.Extension, c.Name), Extension: string(t.Extension),
				Path: c.Origin.Path, Line: c.Origin.Line, Status: c.Status.String(), Root: how.root,
				// A copy: the description is part of the file's text, which a row must not keep.
				Description: strings.Clone(c.Description),
				LastKnown:   lastKnown,
			}
			if cost != nil {
				e.Cost = cost[i]
			}
			l.Entries = append(l.Entries, e)
		}
	}
	l.count(status)
	l.Extensions = append(l.Extensions, row)
}

// declared are the decisions about what was found, without descriptions.
func declared(ds []*admit.Decision) []*admit.Decision {
	var out []*admit.Decision
	for _, d := range ds {
		if d.Tree().Describes == nil {
			out = append(out, d)
		}
	}
	return out
}

func (l *Listing) addFindings(fs ext.Findings, root string) {
	for _, f := range fs {
		l.Findings = append(l.Findings, findingRow(f, root))
	}
}

// judged adds findings about entries of a surface, or about the extension, as
// they are to be told.
func (l *Listing) judged(fs ext.Findings, surface string, how showing) {
	for _, f := range fs {
		l.Findings = append(l.Findings, findingRow(how.profile.Judge(surface, f), how.root))
	}
}

// Strict makes an error of every finding that says that something was recovered
// from, ignored or doubtful.
func (l *Listing) Strict() {
	for i := range l.Findings {
		f := &l.Findings[i]
		for s := ext.Info; s <= ext.Error; s++ {
			if s.String() == f.Severity {
				f.Severity = conform.Strict(f.Code, s).String()
				break
			}
		}
	}
}

// together is the status of an extension of several trees: admitted when any
// is, else pending, disabled or refused. A tree without a place holds nothing
// but notes about the others and counts only when there are no others.
func together(ds []*admit.Decision) (admit.Status, ext.Digest) {
	h := ext.NewHash("extension")
	seen, notes := map[admit.Status]bool{}, map[admit.Status]bool{}
	for _, d := range ds {
		h.Digest(d.Digest())
		if len(d.Tree().Places) == 0 {
			notes[d.Status()] = true
			continue
		}
		seen[d.Status()] = true
	}
	if len(seen) == 0 {
		seen = notes
	}
	for _, s := range []admit.Status{admit.Admitted, admit.Pending, admit.Disabled} {
		if seen[s] {
			return s, h.Sum()
		}
	}
	return admit.Refused, h.Sum()
}

// Listing is the generation as it is listed.
func (g *Generation) Listing() *Listing {
	l := g.listing()
	if !g.Adopted || g.Lapsed != nil { // what adoption would bring with it
		l.addFindings(g.Trial().Findings(), "")
		l.settle()
	}
	return l
}

// Told is the part of the listing that an agent may be told: without findings,
// and without anything that waits for the person, which is a stranger's text.
// The counts are of all.
func (g *Generation) Told() *Listing {
	l := g.listing()
	l.Findings = []FindingRow{}
	waits := map[string]bool{}
	l.Extensions = slices.DeleteFunc(l.Extensions, func(x ExtensionRow) bool {
		waits[x.Name] = x.Status == admit.Pending.String() || x.Trust == ext.Project.String() && !g.Adopted
		return waits[x.Name]
	})
	l.Entries = slices.DeleteFunc(l.Entries, func(e EntryRow) bool { return waits[e.Extension] || e.Status == admit.EntryPending.String() })
	return l
}

// listing is what is in use, and what is not.
func (g *Generation) listing() *Listing {
	l := &Listing{Generation: g.Number, Digest: g.Digest().String(), UnknownFormat: len(g.unread)}
	g.list(l, showing{costs: g.costsOf})
	l.addFindings(g.findings, "")
	l.addFindings(g.Composition.Findings(), "")
	for _, o := range g.Session(false).Hidden(session.OfferOptions{NameLimit: g.Config.Gateway.NameLimit}) {
		l.addFindings(ext.Findings{NameTaken.At(o.Entry.Origin, "%s %s cannot be offered: clients call another entry %s", o.Entry.Spec.Name, ext.Escape(o.Entry.Qualified), ext.Quote(o.Name))}, "")
	}
	l.quarantine(g.Guards().Quarantined())
	l.setUp(g.setups)
	l.settle()
	l.leave(g.Trial().Shadowed())
	l.addUp()
	l.Budget(g.Config)
	return l
}

// list adds all decisions as the composition has them.
func (g *Generation) list(l *Listing, how showing) {
	for _, group := range g.byExtension() {
		how.most, how.alive = g.most(group[0].Tree()), g.alive
		l.add(group, how)
	}
	l.refuse(g.Composition.Refused())
	l.shadow(g.Composition.Shadowed())
	l.unite(g.Composition.Shadowed())
}

// Entries are the entries of one surface as they are listed, but for what they take
// of a context. It costs far less than a listing where another surface has many.
func (g *Generation) Entries(surface string) []EntryRow {
	var l Listing
	g.list(&l, showing{surface: surface})
	return orEmpty(l.Entries)
}

// Quarantined is an extension that is refused and enabled, and has guards.
var Quarantined = &ext.Check{
	Code: "extension-quarantined", Severity: ext.Warning,
	Doc: "An extension is refused, or not as it was adopted, and its guards are asked all the same: a refusal costs no veto. One that cannot be read or run denies what it guards.",
	Fix: "Mend the extension, or disable it, which ends that: mortise disable EXTENSION --reason \"…\".",
}

// quarantine marks the extensions whose guards are asked although they are not in
// use.
func (l *Listing) quarantine(guards []guard.Guard) {
	of := map[string][]string{}
	for _, g := range guards {
		x, name, ok := ext.SplitQualified(g.Name)
		if !ok {
			x, name = ext.Name(g.Name), g.Name
		}
		if g.Broken != "" {
			name += ", which denies since " + g.Broken
		}
		of[string(x)] = append(of[string(x)], name)
	}
	for i := range l.Extensions {
		x := &l.Extensions[i]
		if names := of[x.Name]; len(names) > 0 {
			x.Quarantined = true
			l.addFindings(ext.Findings{Quarantined.At(ext.Origin{Extension: ext.Name(x.Name)}, "its guards are asked although it is not in use: %s", ext.Escape(strings.Join(names, "; ")))}, x.Root)
		}
	}
}

// NameTaken is an entry that clients cannot be offered.
var NameTaken = &ext.Check{
	Code: "name-taken", Severity: ext.Warning,
	Doc: "An entry is in use, and cannot be offered to clients, which call another entry by its name.",
	Fix: "Rename one of them, or disable the one that is not wanted.",
}

// most is the most trust that a tree can have now: what its person did not
// adopt has that of a project, whatever adoption would give it.
func (g *Generation) most(t ext.Tree) ext.Trust {
	if g.Adopted || !admit.OfWorkspace(t) {
		return t.Origin.Trust
	}
	return ext.Project
}

// byExtension groups the decisions by extension, in the order of the sources.
func (g *Generation) byExtension() [][]*admit.Decision {
	at := map[ext.Name]int{}
	var groups [][]*admit.Decision
	for i := range g.decisions {
		d := &g.decisions[i]
		if d.Status() == admit.Outdated {
			continue
		}
		name := d.Tree().Extension
		n, ok := at[name]
		if !ok {
			n = len(groups)
			at[name] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], d)
	}
	return groups
}

// refuse marks the extensions that cannot be composed with the others.
func (l *Listing) refuse(refused []compose.Refusal) {
	for _, r := range refused {
		for i := range l.Extensions {
			if row := &l.Extensions[i]; row.Name == string(r.Extension) && row.Status == admit.Admitted.String() {
				row.Status = admit.Refused.String()
				l.Admitted--
				l.Refused++
			}
		}
		for i := range l.Entries {
			if e := &l.Entries[i]; e.Extension == string(r.Extension) && e.Status == admit.Active.String() {
				e.Status = admit.EntryRefused.String()
			}
		}
		l.addFindings(r.Findings, "")
	}
}

// rowKey tells the rows of entries apart.
type rowKey struct{ surface, qualified, path string }

func rowOf(e *compose.Entry) rowKey { return rowKey{e.Spec.Name, e.Qualified, e.Origin.Path} }

func (e *EntryRow) key() rowKey { return rowKey{e.Surface, e.Qualified, e.Path} }

// shadow marks the entries that lost their names, and those that another one
// stands for.
func (l *Listing) shadow(shadowed []compose.Shadow) {
	by := make(map[rowKey]string, len(shadowed))
	for i := range shadowed {
		by[rowOf(&shadowed[i].Lost)] = shadowed[i].Kept.Qualified
	}
	for i := range l.Entries {
		e := &l.Entries[i]
		if winner, ok := by[e.key()]; ok && e.Status == admit.Active.String() {
			e.Status, e.ShadowedBy = "shadowed", winner
		}
	}
}

// unite names with each entry those that it stands for. They are marked as
// shadowed before.
func (l *Listing) unite(shadowed []compose.Shadow) {
	also := map[rowKey][]string{}
	lost := make(map[rowKey]rowKey, len(shadowed))
	for i := range shadowed {
		if s := &shadowed[i]; s.Same && s.Lost.Spec == s.Kept.Spec {
			lost[rowOf(&s.Lost)] = rowOf(&s.Kept)
		}
	}
	for i := range l.Entries {
		e := &l.Entries[i]
		if kept, ok := lost[e.key()]; ok && e.ShadowedBy == kept.qualified {
			also[kept] = append(also[kept], e.Qualified)
		}
	}
	for i := range l.Entries {
		l.Entries[i].Also = also[l.Entries[i].key()]
	}
}

// settle puts findings in order and leaves no list nil, so that it is written
// as an empty one.
func (l *Listing) settle() {
	slices.SortStableFunc(l.Findings, func(a, b FindingRow) int {
		return cmp.Or(
			cmp.Compare(a.Root, b.Root), cmp.Compare(a.Extension, b.Extension), cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message),
		)
	})
	l.Findings = slices.Compact(l.Findings)
	l.Extensions = orEmpty(l.Extensions)
	l.Entries = orEmpty(l.Entries)
	l.Findings = orEmpty(l.Findings)
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
