package host

import (
	"context"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Look is a look at directories: each extension is judged alone, nothing is
// composed, no state is read, and nothing is started or contacted.
type Look struct {
	Specs   []*surface.Spec
	Limits  ext.Limits
	Whole   bool
	Workers int
}

// Run reads the sources' trees and judges each. It returns an error only when
// ctx ends; a source that cannot be read is a finding.
func (k Look) Run(ctx context.Context, sources []ext.Source) (*Listing, error) {
	r := reading{options: discover.Options{Specs: k.Specs, Limits: k.Limits}, workers: k.Workers, judge: k.judge}
	l, h := new(Listing), ext.NewHash("look")
	err := r.scan(ctx, sources, func(s scanned) {
		switch {
		case s.err != nil:
			l.addFindings(ext.Findings{SourceFailed.At(ext.Origin{Source: s.source}, "%s", ext.Escape(s.err.Error()))}, "")
		case s.tree.Unread:
			l.UnknownFormat++
			l.addFindings(s.tree.Findings, s.tree.Root)
		default:
			l.add([]*admit.Decision{&s.decision}, s.tree.Root)
			h.Digest(s.candidate.Digest())
		}
	})
	l.Digest = h.Sum().String()
	l.settle()
	return l, err
}

func (k Look) judge(s *scanned) {
	rules := admit.Rules{Alone: true, Adopted: true, Whole: k.Whole}
	s.decision = admit.Decide([]discover.Candidate{s.candidate}, rules)[0]
}
