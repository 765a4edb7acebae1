package checkout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// Swept is what came of Sweep.
type Swept struct {
	Removed []Key  // checkouts that nobody needs
	Stages  int    // what was left of work that was not finished
	Kept    []Kept // what nobody needs either, and is not removed
}

// Kept is something that is left where it is, and why.
type Kept struct{ Path, Why string }

// recent is for how long one that a living process wanted is left alone.
const recent = time.Hour

// Sweep removes the checkouts that are not used, and what is left of work whose process
// is gone. What a living process holds is used as well. It removes only what has a record
// and is as that says, and never through a link. A checkout that a living process made or
// asked for within the last hour stays. What is left is named. An error is that something
// could not be looked at or removed; the rest is done all the same.
func (s Store) Sweep(ctx context.Context, used map[Key]bool) (Swept, error) {
	w := sweep{Store: s, ctx: ctx, used: maps.Clone(used)}
	if w.used == nil {
		w.used = map[Key]bool{}
	}
	top, err := os.OpenRoot(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Swept{}, nil
	}
	if err != nil {
		return Swept{}, err
	}
	defer top.Close()
	entries, err := fs.ReadDir(top.FS(), ".")
	w.fail(err)
	if err := s.held(top, entries, w.used); err != nil {
		return Swept{}, errors.Join(append(w.errs, err)...)
	}
	for _, e := range entries {
		switch {
		case heldRE.MatchString(e.Name()):
		case e.Name() == lockName: // who was killed left it; whoever has it takes it away
			w.fail(s.locked(ctx, func() error { return nil }))
		case e.IsDir():
			w.name(top, e.Name())
		default:
			w.keep(e.Name(), "it is no directory of ours")
		}
	}
	return w.out, errors.Join(w.errs...)
}

// sweep is one Sweep.
type sweep struct {
	Store
	ctx  context.Context //nolint:containedctx // of this one call
	used map[Key]bool
	out  Swept
	errs []error
}

func (w *sweep) fail(err error) {
	if err != nil {
		w.errs = append(w.errs, err)
	}
}

func (w *sweep) keep(below, why string) {
	w.out.Kept = append(w.out.Kept, Kept{filepath.Join(w.Dir, below), why})
}

// name sweeps the checkouts of one plugin.
func (w *sweep) name(top *os.Root, name string) {
	in, err := top.OpenRoot(name)
	if err != nil {
		w.fail(err)
		return
	}
	defer in.Close()
	entries, err := fs.ReadDir(in.FS(), ".")
	w.fail(err)
	for _, e := range entries {
		if w.ctx.Err() != nil {
			w.fail(w.ctx.Err())
			return
		}
		w.entry(in, name, e)
	}
	if _, err := ext.ParseName(name); err == nil && len(entries) > 0 { // an empty one may be somebody's
		_ = top.Remove(name) // when nothing is left in it
	}
}

func (w *sweep) entry(in *os.Root, name string, e fs.DirEntry) {
	below := filepath.Join(name, e.Name())
	if by, ok := stagedBy(e.Name()); ok && e.IsDir() {
		if by.gone() {
			w.remove(in, e.Name())
		}
		return
	}
	base, isRecord := strings.CutSuffix(e.Name(), recordEnd)
	k := keyAt(name, base)
	switch {
	case k.check() != nil, isRecord == e.IsDir(), !e.IsDir() && !e.Type().IsRegular():
		w.keep(below, "it is nothing of ours")
	case isRecord:
		w.fail(w.record(in, k))
	case !w.used[k]:
		w.fail(w.checkout(in, k))
	}
}

func (w *sweep) remove(in *os.Root, stage string) {
	if err := in.RemoveAll(stage); err != nil {
		w.fail(err)
		return
	}
	w.out.Stages++
}

// record removes a record without a checkout, of a process that did not come further.
func (w *sweep) record(in *os.Root, k Key) error {
	if _, err := in.Lstat(k.base()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return w.locked(w.ctx, func() error {
		if _, err := in.Lstat(k.base()); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := in.Remove(k.base() + recordEnd); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil // it went with its checkout
	})
}

// checkout removes one that is not used: it takes it out of its place while nobody else
// can want it, and then away.
func (w *sweep) checkout(in *os.Root, k Key) error {
	below := filepath.Join(string(k.Name), k.base())
	r, err := w.read(k)
	if err != nil {
		w.keep(below, err.Error())
		return nil
	}
	if w.wanted(r) {
		return nil
	}
	if err := w.Verify(w.ctx, k, ext.Digest{}); err != nil {
		if w.ctx.Err() == nil {
			w.keep(below, err.Error())
		}
		return w.ctx.Err()
	}
	old := stageName("old")
	err = w.locked(w.ctx, func() error {
		now, err := w.read(k)
		if err != nil || !now.same(r) {
			return errWanted
		}
		if err := in.Rename(k.base(), old); err != nil {
			return err
		}
		return in.Remove(k.base() + recordEnd)
	})
	if errors.Is(err, errWanted) {
		return nil
	}
	if err == nil {
		err = in.RemoveAll(old)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", ext.Quote(filepath.Join(w.Dir, below)), err)
	}
	w.out.Removed = append(w.out.Removed, k)
	return nil
}

var errWanted = errors.New("somebody wants it")

// wanted reports whether a living process asked for a checkout just now, and may be
// about to write down that it is used. A clock that went back does not make it so for
// longer.
func (w *sweep) wanted(r record) bool {
	if r.By.gone() {
		return false
	}
	age := w.now().Sub(r.Asked)
	return age < recent && age > -recent
}
