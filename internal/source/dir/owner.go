package dir

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
)

// Owner is the source for what a workspace's owner wrote. Each loose file and
// each skill folder is a tree of its own, so that a broken one does not take
// its neighbours with it; all share the extension's name.
type Owner struct {
	Dir     string // absolute; one that is missing yields nothing
	Shown   string // as the owner wrote it: "./.mortise"
	Adopted bool   // links that lead outside are followed, since the person vouches for them
	// Within is the workspace, when Dir must lie in it: until the person vouches
	// for it, Dir must not lead elsewhere through links. "" allows any place.
	Within string
	Named  bool // somebody said that it is there, so that it must be
	Loose  source.Format
	Env    source.Env
	Open   root.Options
}

var _ ext.Source = (*Owner)(nil)

// Name is "owner".
func (o *Owner) Name() string { return string(ext.OwnerName) }

// Trees yields a tree for each place, in the order of the layout.
func (o *Owner) Trees(ctx context.Context) iter.Seq2[ext.Tree, error] {
	return func(yield func(ext.Tree, error) bool) {
		if ctx.Err() != nil {
			return
		}
		opt := o.Open
		opt.Follow = o.Adopted
		r, err := root.Open(o.Dir, opt)
		if errors.Is(err, fs.ErrNotExist) && !o.Named && !isLink(o.Dir) {
			return
		}
		base := ext.Tree{
			Extension: ext.OwnerName,
			Format:    o.Loose.Name,
			Root:      o.Dir,
			Origin:    ext.Origin{Extension: ext.OwnerName, Source: o.Name(), Trust: ext.Owner},
			FS:        source.Nothing{},
		}
		if err != nil {
			base.Findings.Add(notOpened(err, base.Origin, "the owner's directory "+ext.Quote(o.Shown)))
			yield(base, nil)
			return
		}
		base.FS, base.Leads = r, r.Dir()
		if rel, err := filepath.Rel(o.Within, r.Dir()); o.Within != "" && (err != nil || !filepath.IsLocal(rel)) {
			if !o.Adopted {
				base.Findings.Add(source.Escape.At(base.Origin, "the owner's directory %s leads to %s, outside the workspace", ext.Quote(o.Shown), ext.Quote(filepath.ToSlash(r.Dir()))))
				base.FS, base.Close = source.Nothing{}, func() { _ = r.Close() }
				yield(base, nil)
				return
			}
			base.Findings.Add(source.Followed.At(base.Origin, "the owner's directory is %s", ext.Quote(filepath.ToSlash(r.Dir()))))
		}
		o.Loose.Lay(&base, source.Manifest{}, o.Env)
		source.Give(ctx, o.split(base, r), yield)
	}
}

// split makes a tree of every place. What was noticed about the layout itself
// goes with a tree of its own that has no place and only notes: a hint about a
// stray file refuses nothing.
func (o *Owner) split(base ext.Tree, r *root.Root) []ext.Tree {
	places, notes := base.Places, base.Findings
	base.Places, base.Findings = nil, nil
	var out []ext.Tree
	if len(notes) > 0 {
		t := base
		t.Findings = notes
		out = append(out, t)
	}
	for i := range places {
		t := base
		if o.Adopted {
			t.Findings = o.followed(r, &places[i])
		}
		t.Places = places[i : i+1 : i+1]
		out = append(out, t)
	}
	source.Share(out, func() { _ = r.Close() })
	return out
}

// isLink reports whether there is a link at a path, wherever it leads.
func isLink(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// followed records where a place leads that lies outside the owner's directory.
func (o *Owner) followed(r *root.Root, p *ext.Place) ext.Findings {
	real, outside, err := r.Real(p.File)
	if err != nil || !outside {
		return nil
	}
	p.Leads = real
	at := ext.Origin{Extension: ext.OwnerName, Source: o.Name(), Trust: ext.Owner, Path: p.File}
	return ext.Findings{source.Followed.At(at, "it is read from %s", ext.Quote(filepath.ToSlash(real)))}
}
