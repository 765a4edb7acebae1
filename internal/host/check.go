package host

import (
	"context"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/conform"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Look is a look at directories: each extension is judged alone, nothing is
// composed, no state is read, and nothing is started or contacted.
type Look struct {
	Specs   []*surface.Spec
	Limits  ext.Limits
	Whole   bool
	Workers int
	Index   Index
	// Profile is what extensions are judged as; nil: as they are here. What is of
	// another format than that is for is counted and not judged.
	Profile *conform.Profile
	// Uncosted: nobody asks what entries take of an agent's context. It is then not
	// estimated, unless it is remembered.
	Uncosted bool
	// Progress, when not nil, is told how many extensions have been read so far.
	Progress func(read int)
}

// Run reads the sources' trees and judges each. It returns an error only when
// ctx ends; a source that cannot be read is a finding.
func (k Look) Run(ctx context.Context, sources []ext.Source) (*Listing, error) {
	l, h := new(Listing), ext.NewHash("look")
	for _, s := range sources {
		p, known := k.Index.load(s, !k.Uncosted)
		if !known {
			var err error
			if p, err = k.look(ctx, s); err != nil {
				return nil, err
			}
		}
		h.Text(p.Digest)
		l.join(&p.Listing)
	}
	l.Digest = h.Sum().String()
	l.settle()
	l.addUp()
	return l, nil
}

// look reads one source.
func (k Look) look(ctx context.Context, s ext.Source) (*part, error) {
	base := ""
	if t, ok := s.(traced); ok && k.Index.Dir != "" {
		base = t.Base()
	}
	r := scanning{options: discover.Options{Specs: k.Specs, Limits: k.Limits, Workers: k.Workers}, workers: k.Workers, judge: k.judge, base: base}
	p, h := &part{costed: !k.Uncosted}, ext.NewHash("source")
	groups := grouping{profile: k.Profile}
	read, others := 0, 0
	err := r.scan(ctx, []ext.Source{s}, func(s scanned) {
		p.stamps = append(p.stamps, s.stamps...)
		if read++; k.Progress != nil {
			k.Progress(read)
		}
		switch {
		case s.err != nil:
			p.addFindings(ext.Findings{SourceFailed.At(ext.Origin{Source: s.source}, "%s", ext.Escape(s.err.Error()))}, "")
		case s.tree.Unread:
			p.UnknownFormat++
			p.addFindings(s.tree.Findings, s.tree.Root)
		case k.Profile != nil && !k.Profile.Judges(s.tree.Format):
			others++
		default:
			groups.add(p, &s.decision, s.costs)
			h.Digest(s.candidate.Digest())
		}
	})
	if err != nil {
		return nil, err
	}
	groups.end(p)
	if others > 0 {
		p.addFindings(ext.Findings{Unjudged.At(ext.Origin{}, "%d of other formats than %s", others, k.Profile.Name)}, "")
	}
	p.Digest = h.Sum().String()
	if err := k.Index.save(s, p); err != nil {
		p.addFindings(ext.Findings{IndexFailed.At(ext.Origin{}, "%s", ext.Escape(err.Error()))}, "")
	}
	return p, nil
}

// grouping gathers the trees that make one extension: they follow each other
// and have one name and one root.
type grouping struct {
	profile *conform.Profile
	trees   []*admit.Decision
	costs   map[*admit.Decision][]session.Cost
}

func (g *grouping) add(p *part, d *admit.Decision, costs []session.Cost) {
	if len(g.trees) > 0 {
		was, is := g.trees[0].Tree(), d.Tree()
		if was.Extension != is.Extension || was.Root != is.Root {
			g.end(p)
		}
	}
	if g.trees == nil {
		g.costs = map[*admit.Decision][]session.Cost{}
	}
	g.trees = append(g.trees, d)
	g.costs[d] = costs
}

func (g *grouping) end(p *part) {
	if len(g.trees) == 0 {
		return
	}
	root := g.trees[0].Tree().Root
	p.Listing.add(g.trees, showing{most: ext.Builtin, root: root, costs: func(d *admit.Decision) []session.Cost { return g.costs[d] }, profile: g.profile})
	for _, d := range g.trees {
		p.addFindings(g.profile.Further(d), root)
	}
	g.trees = nil
}

// Unjudged are extensions that a look for another format came by.
var Unjudged = &ext.Check{
	Code: "format-not-judged", Severity: ext.Info,
	Doc: "Extensions of other formats than the one that check --format names are not judged.",
	Fix: "Nothing, or check them as what they are.",
}

// IndexFailed is an index that could not be kept.
var IndexFailed = &ext.Check{
	Code: "index-not-kept", Severity: ext.Info,
	Doc: "What was read could not be remembered, so that the next look reads everything again.",
	Fix: "Make the cache directory writable, or use --fresh.",
}

// join adds what was found in one source.
func (l *Listing) join(p *Listing) {
	l.Found += p.Found
	l.Admitted += p.Admitted
	l.Refused += p.Refused
	l.Disabled += p.Disabled
	l.Pending += p.Pending
	l.UnknownFormat += p.UnknownFormat
	l.Extensions = append(l.Extensions, p.Extensions...)
	l.Entries = append(l.Entries, p.Entries...)
	l.Findings = append(l.Findings, p.Findings...)
}

func (k Look) judge(s *scanned) {
	rules := admit.Rules{Alone: true, Adopted: true, Whole: k.Whole}
	s.decision = admit.Decide([]discover.Candidate{s.candidate}, rules)[0]
	if !k.Uncosted {
		s.costs = costs(&s.decision)
	}
}
