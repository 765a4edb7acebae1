package cli

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

// markets is the page of all marketplaces.
func (p *page) markets(l *host.MarketListing, entries, verbose bool) {
	if len(l.Markets) == 0 {
		p.line("There is no marketplace here. Name one in mortise.toml, [markets.NAME] with a path, or give its directory.")
	} else {
		p.line("%s", p.bold("Marketplaces"))
	}
	for _, m := range l.Markets {
		p.line("  %s  %s  %s%s", p.bold(ext.Escape(m.Name)), p.dim(clientsOf(&m)), p.call.directoryShown(m.Root), after("  ", otherName(&m)))
		if m.Description != "" {
			p.line("    %s", bounded(m.Description))
		}
		p.line("    %s", sum(&m))
	}
	if entries {
		for _, m := range l.Markets {
			p.gap()
			p.line("%s", p.bold(ext.Escape(m.Name)))
			var t table
			for _, e := range l.Entries {
				if e.Root == m.Root {
					t.row(p.marketRow(&e, false)...)
				}
			}
			t.write(p)
		}
	}
	p.marketFindings(l.Findings, verbose)
}

// clientsOf are the clients that a marketplace is written for.
func clientsOf(m *host.MarketRow) string {
	var all []string
	for _, f := range m.Files {
		if !slices.Contains(all, f.Kind) {
			all = append(all, f.Kind)
		}
	}
	return cmp.Or(join(all), "no file")
}

// otherName is what a marketplace calls itself where it goes by another name.
func otherName(m *host.MarketRow) string {
	if m.CallsItself == "" || m.CallsItself == m.Name {
		return ""
	}
	return "calls itself " + ext.Escape(m.CallsItself)
}

// sum is the line about a marketplace that adds up.
func sum(m *host.MarketRow) string {
	remote, of := 0, []string{}
	byCount := slices.SortedFunc(maps.Keys(m.Remote), func(a, b string) int {
		return cmp.Or(cmp.Compare(m.Remote[b], m.Remote[a]), cmp.Compare(a, b))
	})
	for _, kind := range byCount {
		remote += m.Remote[kind]
		of = append(of, decimal(uint64(m.Remote[kind]))+" "+kind)
	}
	s := count(m.Entries, "entry") + " = " + decimal(uint64(m.InPlace)) + " in place + " + decimal(uint64(remote)) + " remote"
	if len(of) > 0 {
		s += " (" + join(of) + ")"
	}
	return s + " + " + decimal(uint64(m.Broken)) + " broken"
}

// marketRow is one plugin in a table.
func (p *page) marketRow(e *host.MarketEntryRow, market bool) []cell {
	name := cmp.Or(e.Name, "(line "+decimal(uint64(e.Line))+")")
	if market {
		name += "@" + e.Market
	}
	status := e.Status
	if status == "in-place" {
		status = "in place"
	}
	about := cmp.Or(e.Description, e.Title)
	return []cell{
		{ext.Escape(name), p.bold}, {status, p.marketStatus},
		{ext.Escape(ext.Shorten(e.Source.Text, 50)), p.dim}, {bounded(about), nil},
	}
}

func (p *page) marketStatus(word string) string {
	switch word {
	case "in place":
		return p.green(word)
	case "broken":
		return p.red(word)
	}
	return p.cyan(word)
}

// marketHits is the page of a search.
func (p *page) marketHits(found, all *host.MarketListing, words []string) {
	var t table
	for _, e := range found.Entries {
		t.row(p.marketRow(&e, len(all.Markets) > 1)...)
	}
	t.write(p)
	if len(found.Entries) > 0 {
		p.gap()
	}
	verb := "fit"
	if len(found.Entries) == 1 {
		verb = "fits"
	}
	p.line("%d of %s in %s %s %s", len(found.Entries), count(len(all.Entries), "entry"), count(len(all.Markets), "marketplace"), verb, ext.Quote(ext.Shorten(strings.Join(words, " "), 80)))
	p.marketFindings(found.Lost(), true)
}

// marketEntries is the page of what one name means.
func (p *page) marketEntries(l *host.MarketListing) {
	for i := range l.Entries {
		if i > 0 {
			p.gap()
		}
		p.marketEntry(&l.Entries[i])
	}
	p.marketFindings(l.Findings, true)
}

func (p *page) marketEntry(e *host.MarketEntryRow) {
	status := e.Status
	if status == "in-place" {
		status = "in place"
	}
	p.line("%s  plugin of %s, %s", p.bold(ext.Escape(e.Name)), ext.Escape(e.Market), p.marketStatus(status))
	var t table
	field := func(name, value string) {
		if value != "" {
			t.row(cell{name, p.dim}, cell{value, nil})
		}
	}
	if e.RenamedFrom != "" {
		field("was called", ext.Escape(e.RenamedFrom))
	}
	field("title", bounded(e.Title))
	field("says", bounded(e.Description))
	field("version", bounded(e.Version))
	field("category", bounded(e.Category))
	field("tags", bounded(join(e.Tags)))
	field("author", bounded(e.Author))
	field("license", bounded(e.License))
	field("homepage", bounded(e.Homepage))
	field("repository", bounded(e.Repository))
	p.marketOrigin(e, field)
	for _, d := range e.Declarations {
		refused := ""
		if d.Refused {
			refused = ", refused"
		}
		field("declared", roots{}.at(p.call, "", e.Root, d.Path, d.Line)+" for "+d.Kind+refused)
	}
	p.marketDefinition(e, field)
	if i := e.Policy; i.Installation+i.Authentication != "" || len(i.Products) > 0 {
		field("policy", bounded(join(slices.DeleteFunc(append([]string{i.Installation, i.Authentication}, i.Products...), func(s string) bool { return s == "" }))))
	}
	t.full(p)
	p.marketUse(e)
}

// marketOrigin says where the plugin is got from and where it lies.
func (p *page) marketOrigin(e *host.MarketEntryRow, field func(name, value string)) {
	s := e.Source
	kind := s.Kind
	if kind != "" {
		field("source", kind+": "+bounded(s.Text))
	}
	if s.Kind != "relative" && s.Kind != "local" {
		field("ref", bounded(s.Ref))
		field("commit", bounded(s.SHA))
		field("sha256", bounded(s.SHA256))
		field("mode", bounded(s.Mode))
	}
	if e.Directory != "" {
		field("directory", p.call.directoryShown(e.Directory))
		field("laid out as", cmp.Or(join(escaped(e.Formats)), "nothing with a manifest: by its folders"))
	}
}

// marketDefinition says what the entry itself declares of the plugin.
func (p *page) marketDefinition(e *host.MarketEntryRow, field func(name, value string)) {
	if !e.Strict {
		field("strict", "false: the entry alone says what the plugin holds")
	}
	for _, d := range e.Declares {
		field("declares", d.Key+after(": ", bounded(join(d.Holds))))
	}
}

// marketUse says how the plugin is used.
func (p *page) marketUse(e *host.MarketEntryRow) {
	switch {
	case e.Status == "broken":
		return
	case e.Status == "remote":
		p.line("It lies elsewhere and is not fetched. To use it, get a copy of its source and name that in mortise.toml: [plugins.NAME] with its path.")
		return
	case e.Plugin == nil:
		p.line("Its path can be written in no configuration file.")
		return
	case e.Plugin.Configured:
		p.line("mortise.toml names its directory as the plugin %s.", p.bold(ext.Escape(e.Plugin.Name)))
		return
	}
	p.line("To use it where it lies, write in mortise.toml:")
	name := e.Plugin.Name
	if strings.Contains(name, ".") {
		name = ext.Quote(name)
	}
	p.line("    [plugins.%s]", name)
	p.line("    path = %s", ext.Quote(e.Plugin.Path))
	if e.Partial() {
		p.line("That reads everything in the directory, also what this entry does not declare.")
	}
	var missing []string
	for _, d := range e.Declares {
		if !d.Paths {
			missing = append(missing, d.Key)
		}
	}
	if len(missing) > 0 {
		p.line("What the entry itself describes, %s, is in no file of the directory and would be missing.", enumerate(missing))
	}
}

// marketFindings shows what was noticed, those of one kind that are many in one
// line unless all are wanted.
func (p *page) marketFindings(rows []host.FindingRow, all bool) {
	n := tally(rows)
	if n == (tallied{}) {
		return
	}
	p.gap()
	p.line("%s  %s", p.bold("Findings"), n.text(all))
	const few = 5
	many := map[string]int{}
	for _, f := range rows {
		many[f.Root+"\x00"+f.Code]++
	}
	told := map[string]bool{}
	for _, f := range rows {
		key := f.Root + "\x00" + f.Code
		switch {
		case !all && f.Severity == ext.Info.String():
		case all || many[key] <= few:
			p.finding(f, roots{})
		case !told[key]:
			told[key] = true
			p.line("  %s  %s times  %s  first at %s (--verbose shows each)", p.severity(f.Severity), decimal(uint64(many[key])), p.dim(f.Code), roots{}.at(p.call, "", f.Root, f.Path, f.Line))
		}
	}
}
