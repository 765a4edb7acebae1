package catalog

import (
	"context"
	"io/fs"
	"iter"
	"path"
	"path/filepath"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/ahead"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/market"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/source/roots"
)

// Markets looks at marketplaces: what they offer, and in which of the build's
// formats that is laid out which lies in place.
func Markets(ctx context.Context, look host.MarketLook) (*host.MarketListing, error) {
	look.Recognise = recognise(look.Limits)
	return look.Run(ctx)
}

// recognising names the formats of a directory, the one that is read first, and
// reads that one's manifest.
type recognising func(t *ext.Tree) (formats []string, m source.Manifest)

func recognise(l ext.Limits) recognising {
	env := source.Env{Specs: Specs, Limits: l}
	return func(t *ext.Tree) (formats []string, m source.Manifest) {
		f, m, others := source.Detect(bridge.Formats, t, env)
		if f != nil {
			formats = []string{f.Name}
		}
		return append(formats, others...), m
	}
}

// marketIn is the marketplace of a directory as a tree without places: what was
// found about it and its entries, and what was seen of it. ok is false where
// there is none.
func marketIn(dir, shown string, l ext.Limits, open root.Options, how recognising) (t ext.Tree, seen []root.Stamp, ok bool) {
	r, err := root.Open(dir, open)
	if err != nil {
		return t, nil, false // who reads the directory says so
	}
	defer r.Close()
	t = ext.Tree{Root: dir, Format: host.MarketFormat, FS: nothing{}, Origin: ext.Origin{Source: "path:" + shown, Trust: ext.Plugin}}
	m := market.Read(r, market.Options{Source: t.Origin.Source, Trust: t.Origin.Trust, Limits: l, Open: open, Recognise: how})
	t.Findings = m.Findings
	for i := range m.Entries {
		t.Findings.Add(m.Entries[i].Findings...)
	}
	return t, m.Seen, len(m.Files)+len(t.Findings) > 0
}

// nothing is a file system without files.
type nothing struct{}

func (nothing) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// oneOrMarket is the source for a look at one directory as an extension, as a
// marketplace, or as both.
type oneOrMarket struct {
	ext.Source
	dir    string
	limits ext.Limits
	open   root.Options
}

// Trees yields the extension, then the marketplace. A marketplace alone lacks
// nothing.
func (s *oneOrMarket) Trees(ctx context.Context) iter.Seq2[ext.Tree, error] {
	return func(yield func(ext.Tree, error) bool) {
		m, _, found := marketIn(s.dir, s.dir, s.limits, s.open, recognise(s.limits))
		for t, err := range s.Source.Trees(ctx) {
			i := slices.IndexFunc(t.Findings, func(f ext.Finding) bool { return f.Check == source.NotThere })
			switch {
			case !found || err != nil || i < 0:
				if !yield(t, err) {
					return
				}
				continue
			case t.Close != nil:
				t.Close()
			}
			m.Findings.Add(slices.Delete(t.Findings, i, i+1)...)
			m.Findings.Add(host.MarketAlone.At(m.Origin, "it is a marketplace and no extension"))
		}
		if found && ctx.Err() == nil {
			yield(m, nil)
		}
	}
}

// belowWithMarkets is the source for a look at every extension and every
// marketplace below a directory.
type belowWithMarkets struct {
	*roots.Source
	seen []root.Stamp
	read map[string]manifested // the extensions, by their directories
}

// manifested is what reading an extension told of its directory.
type manifested struct {
	formats  []string
	manifest source.Manifest
}

func withMarkets(below ext.Source) *belowWithMarkets {
	return &belowWithMarkets{Source: below.(*roots.Source), read: map[string]manifested{}}
}

// marketFiles are the paths at which the file of a marketplace may lie.
var marketFiles = func() (all []string) {
	for _, p := range market.Places {
		all = append(all, p.Path)
	}
	return all
}()

// Trees yields the extensions, then the marketplaces.
func (b *belowWithMarkets) Trees(ctx context.Context) iter.Seq2[ext.Tree, error] {
	return func(yield func(ext.Tree, error) bool) {
		for t, err := range b.Source.Trees(ctx) {
			b.remember(&t)
			if !yield(t, err) {
				return
			}
		}
		for _, m := range b.markets() {
			b.seen = append(b.seen, m.seen...)
			if ctx.Err() != nil || m.found && !yield(m.tree, nil) {
				return
			}
		}
	}
}

// marketTree is the marketplace of a directory, if one was found there.
type marketTree struct {
	tree  ext.Tree
	seen  []root.Stamp // by paths below the base
	found bool
}

// markets are the marketplaces, once all extensions were read.
func (b *belowWithMarkets) markets() iter.Seq2[int, marketTree] {
	base, at := b.Base(), b.Holding(marketFiles)
	read := func(i int) (m marketTree) {
		opt := b.Open
		opt.Listing = b.Listing(at[i])
		m.tree, m.seen, m.found = marketIn(filepath.Join(base, filepath.FromSlash(at[i])), at[i], b.Env.Limits, opt, b.recognise)
		for j := range m.seen {
			m.seen[j].Path = path.Join(at[i], m.seen[j].Path)
		}
		return m
	}
	return ahead.Each(len(at), b.Workers, read, func(marketTree) {})
}

// remember keeps what a market would look for in the directory of an extension.
func (b *belowWithMarkets) remember(t *ext.Tree) {
	m := manifested{formats: append([]string{t.Format}, t.Also...)}
	if t.Manifest != nil {
		m.manifest = source.Manifest{Path: t.Manifest.File, Doc: *t.Manifest}
	}
	b.read[t.Root] = m
}

// recognise is how a directory is laid out; one that was read is not read again.
func (b *belowWithMarkets) recognise(t *ext.Tree) (formats []string, m source.Manifest) {
	if known, ok := b.read[t.Root]; ok {
		return known.formats, known.manifest
	}
	return recognise(b.Env.Limits)(t)
}

// Trace is what was looked at besides the trees of extensions.
func (b *belowWithMarkets) Trace() []root.Stamp { return append(b.Source.Trace(), b.seen...) }
