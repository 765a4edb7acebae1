package catalog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"github.com/mortise-dev/mortise/internal/audit"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// Calls reads the log of calls of a place, as audit.Read does. Where that spares
// reading most of a long one it does so by an index, which is kept beside the
// state: progress, unless it is nil, is told how many bytes of those that were not
// indexed yet were. What is wrong with the state does not matter: then everything
// is read. No state is made.
func Calls(ctx context.Context, p host.Place, q audit.Query, progress func(done, total int64)) iter.Seq2[audit.Entry, error] {
	dir := p.CallLog()
	return func(yield func(audit.Entry, error) bool) {
		if audit.Searchable(dir, q) {
			if index, err := openCallIndex(ctx, filepath.Join(p.Paths.State, "state.db")); err == nil {
				audit.Search(ctx, dir, q, index, progress)(yield)
				_ = index.Close() // nothing is lost that cannot be made again
				return
			}
		}
		audit.Read(dir, q)(yield)
	}
}

// callIndex is the index of calls that a store keeps, as the log knows one.
type callIndex struct{ *sqlstore.Store }

func openCallIndex(ctx context.Context, path string) (callIndex, error) {
	if _, err := os.Stat(path); err != nil {
		return callIndex{}, err
	}
	s, err := sqlstore.Open(ctx, path)
	return callIndex{s}, err
}

// Segments implements audit.Index.
func (x callIndex) Segments(ctx context.Context, beginnings []string) ([]audit.Indexed, error) {
	kept, err := x.Calls(ctx, beginnings)
	out := make([]audit.Indexed, len(kept))
	for i, k := range kept {
		out[i] = audit.Indexed{File: k.File, Size: k.Size, Changed: k.Changed, End: k.End, Begun: k.Begun, Last: k.Last, Sound: k.Sound}
		for _, b := range k.Blocks {
			out[i].Blocks = append(out[i].Blocks, audit.Block(b))
		}
	}
	return out, err
}

// Update implements audit.Index.
func (x callIndex) Update(ctx context.Context, c audit.Change) error {
	g := c.Segment
	out := state.CallChange{
		Gone: c.Gone, Anew: c.Anew, Was: c.Was,
		Segment: state.CallSegment{File: g.File, Size: g.Size, Changed: g.Changed, End: g.End, Begun: g.Begun, Last: g.Last, Sound: g.Sound},
	}
	for _, b := range g.Blocks {
		out.Segment.Blocks = append(out.Segment.Blocks, state.CallBlock(b))
	}
	err := x.ChangeCalls(ctx, out)
	if errors.Is(err, state.ErrMoved) {
		err = fmt.Errorf("%w: %w", audit.ErrMoved, err)
	}
	return err
}
