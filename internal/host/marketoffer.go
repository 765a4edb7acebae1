package host

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/market"
	"github.com/mortise-dev/mortise/internal/roster"
)

// Offer is where the one plugin that NAME or NAME@MARKET means is got from. None, several
// and one that cannot be got here are errors that say what to do.
func (l *MarketListing) Offer(given string) (roster.Offer, error) {
	found := l.Find(given).Entries
	switch len(found) {
	case 0:
		if from, gone := l.Gone(given); gone {
			return roster.Offer{}, ext.AsRefused(fmt.Errorf("%s has no plugin %s any more", from, ext.Quote(given)))
		}
		err := fmt.Errorf("no marketplace that is known offers %s; mortise market search finds plugins, and [markets.NAME] in mortise.toml names a marketplace", ext.Quote(ext.Shorten(given, 100)))
		for _, f := range l.Lost() {
			err = fmt.Errorf("%w; one could not be looked into: %s", err, f.Message)
		}
		return roster.Offer{}, ext.AsUsage(err)
	case 1:
		return found[0].Offer()
	}
	var all []string
	for _, e := range found {
		all = append(all, e.Name+"@"+e.Market)
	}
	return roster.Offer{}, ext.AsUsage(fmt.Errorf("several marketplaces offer %s: %s; name one of them", ext.Quote(given), ext.Escape(strings.Join(all, ", "))))
}

// Offer is where the plugin is got from.
func (e *MarketEntryRow) Offer() (roster.Offer, error) {
	o := roster.Offer{Market: e.Name + "@" + e.Market, Name: e.Name, Ref: cmp.Or(e.Source.SHA, e.Source.Ref), Within: e.Source.Path}
	refuse := func(why string) (roster.Offer, error) {
		return o, ext.AsRefused(fmt.Errorf("%s cannot be installed: %s", ext.Escape(o.Market), why))
	}
	if e.Status == "broken" {
		return refuse("its marketplace is at fault there; mortise market show says how")
	}
	if lost := e.undelivered(); lost != "" {
		return refuse("its marketplace itself declares " + lost + " for it, which no checkout holds and which would be missing; ask its publisher to declare them in the plugin")
	}
	for _, d := range e.Declares {
		o.Notes = append(o.Notes, fmt.Sprintf("the marketplace itself declares %s for it (%s): what the plugin's own directory has is in use, and nothing else", d.Key, strings.Join(d.Holds, ", ")))
	}
	if e.Partial() {
		o.Notes = append(o.Notes, "the directory holds more than the marketplace's entry offers: also what it does not declare is in use")
	}
	switch market.SourceKind(e.Source.Kind) {
	case market.GitHub:
		o.Source = e.Source.Repo
	case market.URL, market.GitSubdir:
		o.Source = e.Source.URL
	case market.Archive:
		o.Source, o.SHA256, o.Ref = e.Source.URL, e.Source.SHA256, ""
	case market.NPM:
		return refuse("it is a package of npm, which is nothing to read in place; where its repository is known, add that")
	case market.Command:
		return refuse("it is got by running a command, and nothing of a plugin is run to install it")
	}
	if e.Directory != "" {
		o.Source, o.Ref, o.Within = e.Directory, "", ""
	}
	return o, nil
}

// undelivered is what guards or runs and is declared by the marketplace's entry alone: who
// reads the plugin's directory does not get it.
func (e *MarketEntryRow) undelivered() string {
	var lost []string
	for _, d := range e.Declares {
		if slices.Contains([]string{"hooks", "mcpServers"}, d.Key) {
			lost = append(lost, d.Key)
		}
	}
	return strings.Join(lost, " and ")
}
