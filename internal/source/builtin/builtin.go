// Package builtin is the source for what is compiled into the program. It
// comes through the same door as everything else.
package builtin

import (
	"context"
	"io/fs"
	"iter"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// Source yields one tree of embedded files in the canonical layout, every
// surface at the root.
type Source struct {
	Extension ext.Name
	Files     fs.FS
	Loose     source.Format
	Env       source.Env
}

var _ ext.Source = (*Source)(nil)

// Name is "builtin".
func (s *Source) Name() string { return "builtin" }

// Key is always the same: the files are compiled in.
func (s *Source) Key() ext.Digest { return ext.NewHash("builtin").Text(string(s.Extension)).Sum() }

// Trees yields the extension.
func (s *Source) Trees(ctx context.Context) iter.Seq2[ext.Tree, error] {
	return func(yield func(ext.Tree, error) bool) {
		if ctx.Err() != nil {
			return
		}
		t := ext.Tree{
			Extension: s.Extension,
			Label:     string(s.Extension),
			Format:    "builtin",
			Origin:    ext.Origin{Extension: s.Extension, Source: s.Name(), Trust: ext.Builtin},
			FS:        s.Files,
		}
		s.Loose.Lay(&t, source.Manifest{}, s.Env)
		yield(t, nil)
	}
}
