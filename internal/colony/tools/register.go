package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/colony/scribe"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/pysrc/allow"
	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
	"github.com/mortise-dev/mortise/internal/root"
)

// Registering is an entry that is to be in the catalogue of a monorepo.
type Registering struct {
	Git    *git.Git
	Dir    string // the top of the monorepo
	Branch string // "" is what is checked out
	As     scribe.As
	Entry  Entry
	// Source is a file of the working tree, below Dir with slashes, that is committed with
	// the entry; "" for none. Python must use nothing but what Rules allow.
	Source   string
	Rules    *allow.Rules // nil: allow.Default
	Unsigned bool         // leaves out the signature that the person's git asks for
}

// Registered is what became of it.
type Registered struct {
	Entry    Entry // as it is read back
	Replaced bool  // there was one of that purpose and name
	Outcome  Outcome
	Notes    ext.Findings // about the entry in its catalogue
	Files    []string     // that were committed
	Commit   *git.Committed
}

// MismatchError is an entry that its class contradicts.
type MismatchError struct {
	Entry   Entry
	Outcome Outcome
}

// Error says where, and what is there.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s with the class %s is not registered: %s", quoted(e.Entry.Key().String()), quoted(e.Entry.Class), e.Outcome.String())
}

// Register puts an entry into the catalogue of a branch, in one commit with its source.
// The class behind it is read in what the branch has then: one that contradicts the entry
// is a *MismatchError, and of one that cannot be decided Outcome says why. When it fails
// everything is as it was.
func Register(ctx context.Context, o Registering) (*Registered, error) {
	b, err := scribe.Open(ctx, scribe.Options{Git: o.Git, Dir: o.Dir, Branch: o.Branch})
	if err != nil {
		return nil, err
	}
	at, err := revisionOf(ctx, o.Git, b)
	if err != nil {
		return nil, err
	}
	r := registering{Registering: o, branch: b, at: at, done: &Registered{}}
	for _, step := range []func(context.Context) error{r.catalogue, r.source, r.class} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	e := &r.done.Entry
	message := fmt.Sprintf("Register the tool %s\n\nCapability: %s\nLocation: %s\n", oneLine(e.Key().String()), oneLine(e.Capability), oneLine(e.Location))
	r.done.Commit, err = b.Write(ctx, scribe.Change{Files: r.files, As: o.As, Message: message, Unsigned: o.Unsigned})
	if err != nil {
		return nil, err
	}
	for _, f := range r.files {
		r.done.Files = append(r.done.Files, f.Path)
	}
	return r.done, nil
}

// oneLine is a text of an entry in a message.
func oneLine(s string) string { return ext.Escape(ext.Shorten(s, 200)) }

// registering is the making of one registration.
type registering struct {
	Registering
	branch *scribe.Branch
	at     *revision
	files  []scribe.File
	done   *Registered
}

// catalogue is the file with the entry.
func (r *registering) catalogue(ctx context.Context) error {
	if strings.ContainsFunc(r.Entry.Name, ext.Hidden) { // nobody who reads it would take it
		return ext.AsRefused(fmt.Errorf("the name %s holds characters that do not show", quoted(r.Entry.Name)))
	}
	c, was, err := On(ctx, r.branch)
	if err != nil {
		return err
	}
	next, replaced := c.With(r.Entry)
	data, err := next.Encode()
	if err != nil {
		return ext.AsRefused(err)
	}
	r.done.Replaced = replaced
	r.files = append(r.files, scribe.File{Path: Path, Was: was, Data: data})
	return r.readBack(c.origin, data)
}

// On is the catalogue of a branch, to be written, and the file as it is there; an empty one
// and nil where there is none. One that is broken is refused.
func On(ctx context.Context, b *scribe.Branch) (c *Catalogue, file []byte, err error) {
	o := ext.Origin{Path: Path}
	switch file, err = b.Read(ctx, Path, MaxBytes); {
	case errors.Is(err, fs.ErrNotExist):
		return &Catalogue{origin: o}, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("read the tool catalogue: %w", err)
	}
	if c, err = Read(o, file); err != nil {
		return nil, nil, ext.AsRefused(fmt.Errorf("%w; mend it first", err))
	}
	return c, file, nil
}

// readBack finds the entry in what is written, as everybody will.
func (r *registering) readBack(o ext.Origin, data []byte) error {
	c, err := Read(o, data)
	if err != nil {
		return err
	}
	for _, e := range c.Entries {
		if e.Key() == r.Entry.Key() {
			r.done.Entry = e
			for _, f := range c.Findings {
				if f.Check != Clash || strings.HasPrefix(f.Message, quoted(e.Name)+" ") {
					r.done.Notes.Add(f)
				}
			}
			return nil
		}
	}
	for _, x := range c.Refused {
		if x.Name == r.Entry.Name || x.Name == "" {
			return ext.AsUsage(fmt.Errorf("%s is no entry: %s", quoted(r.Entry.Key().String()), x.Findings[0].Message))
		}
	}
	return fmt.Errorf("%s is not found in what would be written", quoted(r.Entry.Key().String()))
}

// source is the file that is committed with the entry.
func (r *registering) source(ctx context.Context) error {
	if r.Source == "" {
		return nil
	}
	if why := unfit(r.Source); why != "" {
		return ext.AsUsage(fmt.Errorf("the source %s %s", quoted(r.Source), why))
	}
	data, err := sourceOf(r.branch.Dir, r.Source)
	if err != nil {
		return fmt.Errorf("read the source: %w", err)
	}
	if err := allow.Permit(ctx, r.Source, data, r.Rules); err != nil {
		return err
	}
	r.at.over = map[string][]byte{r.Source: data}
	was, err := r.at.committed(r.Source, 2*syntax.MaxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		was = nil
	case err != nil:
		return err
	case bytes.Equal(was, data):
		return nil
	}
	r.files = append(r.files, scribe.File{Path: r.Source, Was: was, Data: data})
	return nil
}

// sourceOf is a file of the working tree, which is no link.
func sourceOf(dir, name string) ([]byte, error) {
	tree, err := root.Open(dir, root.Options{})
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	info, err := tree.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = ext.AsRefused(fmt.Errorf("%s is no file of its own", quoted(name)))
	}
	if err != nil {
		return nil, err
	}
	return tree.ReadLimit(name, syntax.MaxSize)
}

// unfit says why a path is none of a source.
func unfit(name string) string {
	switch {
	case !fs.ValidPath(name) || name == ".":
		return "does not lie in the monorepo"
	case name == Path || name == colony.Path:
		return "is no source of a tool"
	}
	return ""
}

// class reads the class behind the entry, in what the branch has and the source.
func (r *registering) class(ctx context.Context) (err error) {
	var dirs []string
	if dir, err := r.branch.Manifest.Directory(colony.Tools); err == nil {
		dirs = append(dirs, dir)
	}
	r.at.ctx = ctx
	if r.done.Outcome, err = NewRepository(r.at, dirs...).Check(ctx, &r.done.Entry); err != nil {
		return err
	}
	if r.done.Outcome.Verdict == Contradicted {
		return ext.AsRefused(&MismatchError{r.done.Entry, r.done.Outcome})
	}
	return nil
}
