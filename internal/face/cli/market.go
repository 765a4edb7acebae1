package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
)

func (c *call) market() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "market",
		Short: "Look at marketplaces: what they offer, and from where",
		Long: `Look at marketplaces: directories in which a file offers plugins, as Claude Code,
Codex, Cursor and Copilot write them. They are read where they lie. What they offer
from elsewhere is listed with its source; nothing is fetched, started or contacted.

The marketplaces are those that the configuration names, [markets.NAME] with a path,
and the workspace itself where it is one.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("market command", args[0], commandNames(cmd), "there are "+enumerate(commandNames(cmd)))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(c.marketList(), c.marketShow(), c.marketSearch())
	return cmd
}

func (c *call) marketList() *cobra.Command {
	var entries, verbose bool
	cmd := &cobra.Command{
		Use:   "list [DIR…]",
		Short: "List marketplaces and how much they offer",
		Long: `List marketplaces: how many plugins each offers, how many of them lie in its own
directory, how many come from where else, and how many cannot be used and why. With
DIR the marketplaces in these directories, and no others.

A marketplace goes by the name that the configuration gives it, else by the one that
it gives itself. The exit code is 1 when a marketplace is not there.

With --json list, show and search write the same document: "markets", "entries" and
"findings". Of a marketplace, "entries" is "in_place", all of "remote" and "broken".`,
		Example: "mortise market list\nmortise market list --entries ./clones/plugins",
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, l, err := c.markets(cmd.Context(), args)
			if err != nil {
				return err
			}
			return c.answerMarkets(l, func() { c.page(cfg).markets(l, entries, verbose) })
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	cmd.Flags().BoolVar(&entries, "entries", false, "list every plugin as well")
	verboseFlag(cmd, &verbose)
	return cmd
}

func (c *call) marketShow() *cobra.Command {
	var dirs []string
	cmd := &cobra.Command{
		Use:   "show NAME[@MARKETPLACE]",
		Short: "Show one plugin of a marketplace, and how to use it",
		Long: `Show everything that a marketplace says about a plugin: where it is got from, where
it is declared, what it is laid out in, what was noticed about it. For one that lies in
the marketplace's own directory it says what to write in mortise.toml to use it there.

A name that the plugin had before leads to it.`,
		Example:           "mortise market show code-review\nmortise market show code-review@team\nmortise market show --in ./clones/plugins code-review",
		Args:              one("NAME"),
		ValidArgsFunction: c.completesMarket(&dirs),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, l, err := c.markets(cmd.Context(), dirs)
			if err != nil {
				return err
			}
			found := l.Find(args[0])
			if len(found.Entries) == 0 {
				return c.noPlugin(l, args[0], dirs)
			}
			return c.answerMarkets(found, func() { c.page(cfg).marketEntries(found) })
		},
	}
	c.inFlag(cmd, &dirs)
	return cmd
}

func (c *call) marketSearch() *cobra.Command {
	var dirs []string
	cmd := &cobra.Command{
		Use:   "search WORDS…",
		Short: "Search marketplaces for plugins",
		Long: `Search what marketplaces offer for plugins in which all WORDS occur: in the name,
the tags, the title, the category or the description. Capitals do not count, and a
part of a word is enough. The best come first.

What could not be searched is told: a marketplace that is not there, or whose file
cannot be read.`,
		Example: "mortise market search review\nmortise market search postgres migration",
		RunE: func(cmd *cobra.Command, args []string) error {
			words := strings.Fields(strings.Join(args, " "))
			if len(words) == 0 {
				return usage("%s needs WORDS: %s", cmd.CommandPath(), useLine(cmd))
			}
			cfg, l, err := c.markets(cmd.Context(), dirs)
			if err != nil {
				return err
			}
			found := l.Search(words)
			return c.answerMarkets(found, func() { c.page(cfg).marketHits(found, l, words) })
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.inFlag(cmd, &dirs)
	return cmd
}

func (c *call) inFlag(cmd *cobra.Command, dirs *[]string) {
	cmd.Flags().StringArrayVar(dirs, "in", nil, "look at the marketplace in `DIR` and at no others; may be given several times")
	_ = cmd.MarkFlagDirname("in")
}

// answerMarkets shows a listing, and answers no when a marketplace is not there.
func (c *call) answerMarkets(l *host.MarketListing, page func()) error {
	if !c.json {
		page()
	} else if err := c.document(l); err != nil {
		return err
	}
	if l.Missing() {
		return errNo
	}
	return nil
}

// markets looks at marketplaces: those in dirs, or without any those of the
// workspace's configuration.
func (c *call) markets(ctx context.Context, dirs []string) (*config.Config, *host.MarketListing, error) {
	p, err := c.place()
	if err != nil {
		return nil, nil, err
	}
	cfg, findings, err := p.Configure(nil)
	if err != nil {
		return nil, nil, err
	}
	look := host.MarketLook{Places: host.MarketsOf(cfg), Workspace: p.Workspace.Dir, Plugins: cfg.Plugins, Limits: cfg.Limits.Bounds()}
	if len(dirs) > 0 {
		if look.Places, err = c.marketPlaces(dirs); err != nil {
			return nil, nil, err
		}
	}
	l, err := c.Markets(ctx, look)
	if err != nil {
		return nil, nil, err
	}
	if len(dirs) == 0 {
		l.Note(findings, p.Workspace.Dir)
	}
	return cfg, l, nil
}

// marketPlaces are the directories that a person named.
func (c *call) marketPlaces(dirs []string) ([]host.MarketPlace, error) {
	var out []host.MarketPlace
	for _, dir := range dirs {
		if dir == "" {
			return nil, usage("mortise market: one DIR is empty; name a directory, or leave it out")
		}
		abs, err := c.from(dir)
		if err != nil {
			return nil, err
		}
		switch info, err := os.Stat(abs); {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("look at %s: there is no such directory", quote(dir))
		case err != nil:
			return nil, fmt.Errorf("look at %s: %w", quote(dir), err)
		case !info.IsDir():
			return nil, fmt.Errorf("look at %s: it is not a directory; name the directory that holds the marketplace", quote(dir))
		}
		out = append(out, host.MarketPlace{Dir: abs, Shown: dir, From: "argument", Trust: ext.Project})
	}
	return out, nil
}

// noPlugin is the error of a name that no marketplace has, as far as they could
// be read: what could not be may have it.
func (c *call) noPlugin(l *host.MarketListing, given string, dirs []string) error {
	err, lost := c.unknownPlugin(l, given, dirs), l.Lost()
	if len(lost) == 0 {
		return err
	}
	if len(l.Markets) == 0 {
		err = usage("there is no plugin %s", quote(given))
	}
	first := &lost[0]
	why := first.Message + " (" + roots{}.at(c, "", first.Root, first.Path, first.Line) + ")"
	if more := len(lost) - 1; more > 0 {
		why += ", and " + decimal(uint64(more)) + " more: mortise " + c.placeFlag() + "market list" + after(" ", words(dirs)) + " tells them"
	}
	also := "; not"
	if strings.HasSuffix(err.Error(), "?") {
		also = " Not"
	}
	if l.Missing() {
		return refuse("%w%s everything could be looked at: %s", err, also, why)
	}
	return usage("%w%s everything could be read: %s", err, also, why)
}

func (c *call) unknownPlugin(l *host.MarketListing, given string, dirs []string) error {
	if len(l.Markets) == 0 {
		return usage("there is no marketplace here; name one in mortise.toml, [markets.NAME] with a path, or give --in DIR")
	}
	if i := strings.LastIndexByte(given, '@'); i > 0 && len(l.Find(given[:i]).Entries) > 0 {
		name, in := given[:i], given[i+1:]
		if slices.ContainsFunc(l.Markets, func(m host.MarketRow) bool { return m.Named(in) }) {
			return usage("marketplace %s has no plugin %s; it is one of %s", quote(in), quote(name), ext.Escape(l.Find(name).Entries[0].Market))
		}
		return unknown("marketplace", in, l.MarketNames(), "there is "+enumerate(escaped(l.MarketNames())))
	}
	if from, gone := l.Gone(given); gone {
		return usage("there is no plugin %s any more: marketplace %s says that it is gone", quote(given), quote(from))
	}
	return unknown("plugin", given, l.Names(), "mortise "+c.placeFlag()+"market list --entries"+after(" ", words(dirs))+" shows all")
}

// words are directories as a shell takes them for as many words.
func words(dirs []string) string {
	all := make([]string, len(dirs))
	for i, d := range dirs {
		all[i] = word(d)
	}
	return strings.Join(all, " ")
}

// completesMarket offers the names of plugins of marketplaces.
func (c *call) completesMarket(dirs *[]string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		_, l, err := c.markets(cmd.Context(), *dirs)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return typeable(l.Names()), cobra.ShellCompDirectiveNoFileComp
	}
}
