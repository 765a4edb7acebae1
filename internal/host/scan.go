package host

import (
	"context"
	"slices"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/source"
)

// scanned is one tree of a source, read.
type scanned struct {
	at        int // the place of its source
	source    string
	tree      ext.Tree
	candidate discover.Candidate
	decision  admit.Decision // where it was judged alone
	costs     []session.Cost // of its entries, likewise
	stamps    []root.Stamp   // what was looked at, where it is to be remembered
	left      bool           // something outside the tree's directory was looked at
	err       error
}

// scanning is how trees are read: with a number of workers, each tree by one of
// them, which may also judge it.
type scanning struct {
	options discover.Options
	own     ext.Limits // for trees that do not come with the workspace; zero: those of options
	workers int
	judge   func(*scanned) // nil: nothing more
	base    string         // the directory whose trees are to be remembered; "" none
}

// scan reads the trees of all sources and hands them to take in the order of
// the sources and of their trees. It returns an error only when ctx ends.
func (r scanning) scan(ctx context.Context, sources []ext.Source, take func(scanned)) error {
	workers := max(r.workers, 1)
	results := make(chan chan scanned, workers*16)
	jobs := make(chan func(), workers)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for job := range jobs {
				job()
			}
		})
	}
	go func() {
		defer close(results)
		defer close(jobs)
		for i, s := range sources {
			for t, err := range s.Trees(ctx) {
				done := make(chan scanned, 1)
				results <- done
				jobs <- func() { done <- r.one(ctx, i, s.Name(), t, err) }
				if ctx.Err() != nil {
					return
				}
			}
		}
	}()
	for done := range results {
		if s := <-done; ctx.Err() == nil {
			take(s)
		}
	}
	wg.Wait()
	return ctx.Err()
}

// unanswered is the finding that says what of the tree, or of its source, the
// system did not answer; nil when it answered everything.
func (s *scanned) unanswered() *ext.Finding {
	if root.Transient(s.err) {
		f := source.FaultOf(s.err, ext.Origin{Source: s.source})
		return &f
	}
	told := s.tree.Findings
	if s.err == nil && !s.tree.Unread {
		told = s.candidate.Tree().Findings
	}
	if i := slices.IndexFunc(told, source.Unanswered); i >= 0 {
		return &told[i]
	}
	return nil
}

func (r scanning) one(ctx context.Context, at int, from string, t ext.Tree, err error) scanned {
	s := scanned{at: at, source: from, tree: t, err: err}
	if t.Close != nil {
		defer t.Close()
	}
	if err == nil && !t.Unread {
		o := r.options
		if r.own != (ext.Limits{}) && !admit.OfWorkspace(t) {
			o.Limits = r.own
		}
		if s.candidate, s.err = discover.Scan(ctx, t, o); s.err == nil {
			s.tree.Places = s.candidate.Tree().Places // which may hold less
		}
	}
	if fs, ok := t.FS.(interface{ Transient() error }); ok && t.Unread {
		if err := fs.Transient(); err != nil { // perhaps it is of a format that is read
			s.tree.Findings = append(slices.Clip(t.Findings), source.FaultOf(err, t.Origin))
		}
	}
	if r.judge != nil && s.err == nil && !t.Unread {
		r.judge(&s)
	}
	if fs, ok := t.FS.(interface{ Left() bool }); ok {
		s.left = fs.Left()
	}
	if r.base != "" && t.FS != nil {
		s.stamps = stampsOf(r.base, t.Root, t.FS)
	}
	return s
}
