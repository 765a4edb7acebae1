package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/source/dir"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/memstore"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// Checkouts is where the content of plugins is kept.
func Checkouts(p host.Place) string { return filepath.Join(p.Paths.Data, "plugins") }

// Installed are the sources of what is installed in a place. A name that the configuration
// uses is the configuration's.
func Installed(p host.Place) func(*config.Config, []state.Installed) []ext.Source {
	return func(c *config.Config, all []state.Installed) []ext.Source {
		var out []ext.Source
		for i := range all {
			line := &all[i]
			if slices.ContainsFunc(c.Plugins, func(p config.Plugin) bool { return p.Name == line.Name }) {
				continue
			}
			at := roster.Dir(Checkouts(p), line)
			s := &dir.Plugin{
				Extension: line.Name, Dir: at, Shown: at, NamedBy: "mortise plugin", Trust: ext.Plugin, Own: line.Scope == "", Sealed: line.Digest,
				Formats: bridge.Formats, Loose: bridge.Loose, Env: personal(c),
			}
			if f := gone(p, line, s.Name()); f != nil { // Dir is none, so that it is looked at again each time
				s.Fault, s.Dir = f, ""
			}
			out = append(out, s)
		}
		return out
	}
}

// CheckoutGone is a plugin whose checkout is not where it should be.
var CheckoutGone = &ext.Check{
	Code: "checkout-gone", Severity: ext.Error,
	Doc: "The directory that a plugin was fetched into is not there any more, or something else is in its place.",
	Fix: "Move away what lies there, and run mortise plugin update with the plugin's name: it fetches the same commit again.",
}

// gone is what keeps the checkout of a line from being read: it is not there, or is a link
// to elsewhere; nil when nothing does.
func gone(p host.Place, line *state.Installed, from string) *ext.Finding {
	if line.Commit == "" {
		return nil
	}
	at := checkout.Store{Dir: Checkouts(p)}.Path(roster.Checkout(line, line.Commit))
	o := ext.Origin{Extension: line.Name, Source: from, Trust: ext.Plugin}
	for _, d := range []string{filepath.Dir(at), at} {
		info, err := os.Lstat(d)
		if root.Transient(err) {
			return nil // who reads it tells
		}
		is := "is gone"
		switch {
		case err == nil && info.IsDir():
			continue
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			is = "is a link, and a directory of ours should be there"
		case err == nil:
			is = "is no directory"
		}
		f := CheckoutGone.At(o, "%s %s", ext.Quote(d), is)
		return &f
	}
	return nil
}

// Roster is what is installed on this machine, to be looked at from a place or changed.
// Call done when finished with it.
func Roster(ctx context.Context, p host.Place, purpose host.Purpose) (r *roster.Roster, done func() error, err error) {
	store, done, err := State(ctx, p, purpose)
	if err != nil {
		return nil, nil, err
	}
	sums := new(unpack.Sums)
	fresh := func(ctx context.Context, dir string) (ext.Digest, error) {
		return discover.DigestWritten(ctx, dir, sums)
	}
	r = &roster.Roster{
		Store:     store,
		Checkouts: checkout.Store{Dir: Checkouts(p), Digest: discover.Digest, Fresh: fresh},
		Sums:      sums,
		Git:       sync.OnceValues(func() (*git.Git, error) { return git.New(git.Options{Env: p.Env}) }),
		Taken:     func(name ext.Name) string { return taken(p, name) },
		Rules:     func() ([]roster.Rule, error) { return rules(p) },
		Offers:    func(ctx context.Context, offer string) (roster.Offer, error) { return offered(ctx, p, offer) },
		Manifests: Manifests(),
	}
	return r, closing(r.Close, done), nil
}

// rules are what the configuration of a place says of sources. It is an error where that
// is not known whole.
func rules(p host.Place) ([]roster.Rule, error) {
	c, _, err := p.Configure(nil)
	if err != nil {
		return nil, err
	}
	if len(c.Broken()) > 0 { // any file may block
		return nil, errors.New("the configuration could not be read whole, so that it is not known what it forbids; mend it first (mortise list names the file)")
	}
	out := make([]roster.Rule, 0, len(c.Sources))
	for _, s := range c.Sources {
		where := ext.Escape(s.Origin.String())
		if s.Refused {
			return nil, fmt.Errorf("%s: the rule %s about sources is at fault, so that it is not known what it forbids", where, s.Name)
		}
		out = append(out, roster.Rule{
			Name: string(s.Name), From: s.From, Allow: s.Policy == config.Allow, Block: s.Policy == config.Block,
			Signed: s.Signed, Signers: s.SignersFile, Where: where,
		})
	}
	return out, nil
}

// offered is what a marketplace of the configuration says of a plugin.
func offered(ctx context.Context, p host.Place, offer string) (roster.Offer, error) {
	c, _, err := p.Configure(nil)
	if err != nil {
		return roster.Offer{}, err
	}
	l, err := Markets(ctx, host.MarketLook{Places: host.MarketsOf(c), Workspace: p.Workspace.Dir, Plugins: c.Plugins, Limits: c.Limits.Bounds()})
	if err != nil {
		return roster.Offer{}, err
	}
	return l.Offer(offer)
}

// taken is where the configuration uses a name.
func taken(p host.Place, name ext.Name) string {
	c, _, err := p.Configure(nil)
	if err != nil {
		return "" // what is wrong with it is told by who composes
	}
	for _, p := range c.Plugins {
		if p.Name == name {
			return p.Origin.String()
		}
	}
	return ""
}

// Labelled is what the extension in a directory calls itself; "" when it does not, or is
// none.
func Labelled(ctx context.Context, at string) (label string) {
	laidOut(ctx, at, func(t ext.Tree) { label = t.Label })
	return label
}

// Needs is what the extension in a directory needs.
func Needs(ctx context.Context, at string) (all []surface.Need) {
	laidOut(ctx, at, func(t ext.Tree) {
		c, err := discover.Scan(ctx, t, discover.Options{Specs: Specs, Limits: ext.DefaultLimits})
		if err != nil {
			return
		}
		for _, d := range admit.Decide([]discover.Candidate{c}, admit.Rules{Alone: true}) {
			for _, c := range d.Contributions() {
				if v, ok := c.Value.(surface.Requiring); ok {
					all = append(all, v.Requires())
				}
			}
		}
	})
	return all
}

// laidOut looks at the extension in a directory, which nobody has named.
func laidOut(ctx context.Context, at string, look func(ext.Tree)) {
	s := &dir.Plugin{
		Extension: "unnamed", Dir: at, Shown: at, Trust: ext.Plugin, Formats: bridge.Formats, Loose: bridge.Loose,
		Env: source.Env{Specs: Specs, Limits: ext.DefaultLimits},
	}
	for t, err := range s.Trees(ctx) {
		if err != nil {
			return
		}
		look(t)
		if t.Close != nil {
			t.Close()
		}
	}
}

// Manifests are the paths of which one tells that a directory is a plugin.
func Manifests() []string {
	var all []string
	for _, f := range bridge.Formats {
		if f.Lay == nil {
			continue // it is known by sight
		}
		all = append(append(all, f.Marker), f.Further...)
	}
	return all
}

// TryInstalled composes what a place would have in use with lines of the roster changed.
// Where one of the plugins would be refused, the error says why. What sums know, nil of
// nothing, is not read back.
func TryInstalled(ctx context.Context, p host.Place, sums *unpack.Sums, lines ...state.Installed) (*host.Listing, error) {
	snap, err := sqlstore.ReadOnly(StatePath(p)).Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load the state: %w", err)
	}
	for _, line := range lines {
		snap.Put(line)
	}
	store := memstore.New()
	if err := store.Update(ctx, func(s *state.Snapshot) error { *s = snap; return nil }); err != nil {
		return nil, err
	}
	o := composing(p, host.Looking, store)
	o.Memory.Wrote(sums)
	h := host.New(o)
	g, err := h.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	l := g.Listing()
	for _, x := range l.Extensions {
		tried := slices.ContainsFunc(lines, func(i state.Installed) bool { return x.Name == string(i.Name) })
		if tried && x.Status == "refused" {
			return l, ext.AsRefused(fmt.Errorf("%s would be refused: %s", ext.Quote(x.Name), strings.Join(reasons(l, x.Name), "; ")))
		}
	}
	return l, nil
}

// reasons are the findings that refuse an extension.
func reasons(l *host.Listing, name string) []string {
	const most = 5
	var out []string
	for _, f := range l.Findings {
		if f.Extension == name && f.Severity == ext.Error.String() && len(out) < most {
			out = append(out, f.Message)
		}
	}
	if out == nil {
		out = []string{"mortise check says why"}
	}
	return out
}
