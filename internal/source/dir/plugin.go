// Package dir holds the sources that read a directory of this machine: one
// plugin's, and the owner's own.
package dir

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
)

// Plugin is the source for one plugin's directory. It yields one tree.
type Plugin struct {
	Extension ext.Name
	Dir       string // absolute
	Shown     string // as its owner wrote it, for origins: "./plugins/acme"
	NamedBy   string // where it was written, for messages: "mortise.toml:2"; may be ""
	Format    string // the format to read it as; "" is the first that fits
	Trust     ext.Trust
	Formats   []source.Format // in order of preference
	Loose     source.Format
	Env       source.Env
	Open      root.Options
	Own       bool // the person's own configuration names it
	// Sealed is what the digest of its files should be; zero: whatever they are.
	Sealed ext.Digest
	// Labelled: the extension goes by what it calls itself, where that is a
	// name; for a directory that nobody named.
	Labelled bool
	// Fault, when not nil, says why the plugin must not be read: it is listed as
	// refused.
	Fault *ext.Finding
}

var _ ext.Source = (*Plugin)(nil)

// Name is "path:" and the directory as its owner wrote it.
func (p *Plugin) Name() string { return "path:" + p.Shown }

// Trees yields the plugin. A directory that cannot be read is a tree with a
// finding that refuses it, so that it is listed and not lost.
func (p *Plugin) Trees(ctx context.Context) iter.Seq2[ext.Tree, error] {
	return func(yield func(ext.Tree, error) bool) {
		if ctx.Err() == nil {
			yield(p.tree(), nil)
		}
	}
}

func (p *Plugin) tree() ext.Tree {
	t := ext.Tree{
		Extension: p.Extension,
		Root:      p.Dir,
		Format:    p.Format,
		Origin:    ext.Origin{Extension: p.Extension, Source: p.Name(), Trust: p.Trust},
		FS:        source.Nothing{},
		Own:       p.Own,
		Sealed:    p.Sealed,
	}
	if p.Fault != nil {
		t.Findings.Add(*p.Fault)
		return t
	}
	open := p.Open
	open.Remember = true // it is closed when it was read
	r, err := root.Open(p.Dir, open)
	if err != nil && source.IsPacked(p.Dir) && !errors.Is(err, fs.ErrNotExist) {
		t.Format, t.Unread = "mcpb", true
		t.Findings.Add(source.Packed.At(t.Origin, "%s%s is an archive", ext.Quote(p.Shown), p.named()))
		return t
	}
	if err != nil {
		t.Findings.Add(notOpened(err, t.Origin, "the directory "+ext.Quote(p.Shown)+p.named()))
		return t
	}
	t.FS, t.Leads, t.Close = r, r.Dir(), func() { _ = r.Close() }
	if !source.Lay(p.Formats, p.Loose, &t, p.Format, p.Env) {
		t.Findings.Add(source.NotThere.At(t.Origin, "the directory %s%s holds no extension of %s", ext.Quote(p.Shown), p.named(), cmp.Or(p.Format, "a known format")))
	}
	source.Outside(&t, p.Formats, p.Dir)
	switch name, err := ext.ParseName(t.Label); {
	case p.Labelled && err == nil && !slices.Contains(ext.Reserved, name):
		t.Rename(name)
	case p.Labelled:
	case t.Label != "" && t.Label != string(t.Extension):
		t.Findings.Add(NameDiffers.At(t.Origin, "the plugin calls itself %s", ext.Quote(t.Label)))
	}
	return t
}

// named says in a message where the directory was named.
func (p *Plugin) named() string {
	if p.NamedBy == "" {
		return ""
	}
	return ", named by " + ext.Escape(p.NamedBy) + ","
}

// NameDiffers is a plugin that goes by another name than it calls itself.
var NameDiffers = &ext.Check{
	Code: "plugin-name-differs", Severity: ext.Info,
	Doc: "A plugin goes by the name that mortise.toml gives it, which is not what it calls itself.",
	Fix: "Nothing, or name the table in mortise.toml as the plugin calls itself.",
}

// Checks lists what these sources can find beyond what all sources do.
var Checks = []*ext.Check{NameDiffers}

// notOpened is the finding for a directory that could not be opened.
func notOpened(err error, o ext.Origin, what string) ext.Finding {
	switch {
	case root.Transient(err):
		return source.FaultOf(err, o)
	case errors.Is(err, fs.ErrNotExist):
		return source.NotThere.At(o, "%s does not exist", what)
	case errors.Is(err, fs.ErrPermission):
		return source.NotThere.At(o, "%s cannot be read: permission denied", what)
	}
	return source.NotThere.At(o, "%s cannot be read: %s", what, ext.Escape(err.Error()))
}
