package monorepo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
)

// open opens the working tree. Without a fault and without a root it is no monorepo.
func (s *Source) open(o ext.Origin) (*root.Root, *ext.Finding) {
	opt := s.Open
	opt.Follow = false
	r, err := root.Open(s.Dir, opt)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !s.Named && !isLink(s.Dir):
		return nil, nil
	case root.Transient(err):
		f := source.FaultOf(err, o)
		return nil, &f
	case err != nil:
		return nil, s.unavailable(o, why(err))
	}
	switch there, err := checkedOut(r); {
	case root.Transient(err):
		_ = r.Close()
		f := source.FaultOf(err, o)
		return nil, &f
	case err != nil:
		_ = r.Close()
		return nil, s.unavailable(o, why(err))
	case there == declares || there == working && s.Named:
		return r, nil
	case s.Named:
		_ = r.Close()
		return nil, s.unavailable(o, "nothing is checked out there yet")
	}
	return nil, closed(r)
}

func closed(r *root.Root) *ext.Finding {
	_ = r.Close()
	return nil
}

// What a directory holds.
const (
	empty    = iota // nothing, or what git keeps alone: nobody checked anything out
	working         // a working tree
	declares        // one with .colony
)

func checkedOut(r *root.Root) (int, error) {
	entries, err := r.ReadDir(".")
	is := empty
	for _, e := range entries {
		switch e.Name() {
		case colony.Dir:
			return declares, nil
		case ".git":
		default:
			is = working
		}
	}
	return is, err
}

func (s *Source) unavailable(o ext.Origin, why string) *ext.Finding {
	f := Unavailable.At(o, "the working tree %s is not available: %s", ext.Quote(s.Shown), why)
	return &f
}

func why(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	}
	var kind *root.KindError
	if errors.As(err, &kind) {
		return "it " + kind.Error()
	}
	return ext.Escape(err.Error())
}

// isLink reports whether there is a link at a path, wherever it leads.
func isLink(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// led tells of a working tree that lies elsewhere than it seems.
func (s *Source) led(r *root.Root, o ext.Origin) *ext.Finding {
	if s.Within == "" {
		return nil
	}
	within := s.Within
	if real, err := filepath.EvalSymlinks(within); err == nil {
		within = real
	}
	if rel, err := filepath.Rel(within, r.Dir()); err == nil && filepath.IsLocal(rel) {
		return nil
	}
	f := source.Escape.At(o, "the design monorepo %s leads to %s, outside the workspace", ext.Quote(s.Shown), ext.Quote(filepath.ToSlash(r.Dir())))
	if s.Adopted {
		f = source.Followed.At(o, "the design monorepo is %s", ext.Quote(filepath.ToSlash(r.Dir())))
	}
	return &f
}
