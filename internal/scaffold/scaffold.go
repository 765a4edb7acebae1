package scaffold

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/colony/scribe"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/pysrc/allow"
	"github.com/mortise-dev/mortise/internal/source/monorepo"
)

// Options say what is to be made, where, and on whose behalf.
type Options struct {
	Git      *git.Git
	Dir      string // the top of the monorepo
	Branch   string // "" is what is checked out
	As       scribe.As
	Unsigned bool // leaves out the signature that the person's git asks for
	Surface  colony.Surface
	Name     string
	Template string // "" is the surface's first
	Said     Said
	Known    monorepo.Known // what a configuration adds to the classes that are known
	Rules    *allow.Rules   // of what Python may use; nil: allow.Default
	Dry      bool           // everything is looked at, and nothing written
}

// Made is what became of it.
type Made struct {
	Surface     colony.Surface
	Name        string
	Template    string
	Entry       string // what it goes by where it is found
	Description string // as it is found there
	Branch      string // "" where a commit alone is checked out
	Files       []File
	Notes       ext.Findings   // about the entry; none is an error
	Commit      *git.Committed // nil where nothing was written
}

// File is a file of something new.
type File struct {
	Path string // below the top of the monorepo
	Text string
}

// New makes something new on a branch, in one commit. Names and values that cannot be
// written are errors of usage. Refused is what is there already, or could be taken for what
// is; Python that uses what agents may not; and whatever would not be found as it was meant,
// with the reason (*NotFoundError). When it fails everything is as it was.
func New(ctx context.Context, o Options) (*Made, error) {
	t, err := Find(o.Surface, o.Template)
	if err != nil {
		return nil, err
	}
	if err := checkName(o.Surface, o.Name); err != nil {
		return nil, err
	}
	m := &making{Options: o, template: t, done: &Made{Surface: o.Surface, Name: o.Name, Template: t.ID}}
	if m.values, err = t.take(o.Name, o.Said); err != nil {
		return nil, err
	}
	if m.branch, err = scribe.Open(ctx, scribe.Options{Git: o.Git, Dir: o.Dir, Branch: o.Branch}); err != nil {
		return nil, err
	}
	m.done.Branch = m.branch.Name
	if m.dir, err = m.branch.Manifest.Directory(o.Surface); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{m.render, m.allowed, m.look, m.catalogue, m.readBack, m.write} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return m.done, nil
}

// making is the making of one new thing.
type making struct {
	Options
	template *Template
	values   values
	branch   *scribe.Branch
	dir      string        // of the surface
	files    []scribe.File // that are written
	beside   []git.Listed  // what lies in the directory of the surface
	staged   string        // where all of it is put, to be read back
	done     *Made
}

// render fills the files of the template.
func (m *making) render(context.Context) error {
	for _, f := range m.template.files {
		at, err := fill(f.path, m.values)
		if err != nil {
			return err
		}
		text, err := source(f.from)
		if err != nil {
			return err
		}
		if text, err = fill(text, m.values); err != nil {
			return err
		}
		m.files = append(m.files, scribe.File{Path: path.Join(m.dir, at), Data: []byte(text)})
		m.done.Files = append(m.done.Files, File{path.Join(m.dir, at), text})
	}
	return nil
}

// allowed refuses Python that uses what agents may not.
func (m *making) allowed(ctx context.Context) error {
	for _, f := range m.files {
		if err := allow.Permit(ctx, f.Path, f.Data, m.Rules); err != nil {
			return err
		}
	}
	return nil
}

// look lists what lies beside, and refuses what is there already, and names that differ
// from one there by nothing but capitals, - and _.
func (m *making) look(ctx context.Context) (err error) {
	if m.beside, err = m.branch.List(ctx, m.dir, m.wanted, monorepoFile); err != nil {
		return fmt.Errorf("look at %s: %w", ext.Quote(m.dir), err)
	}
	top := firstBelow(m.dir, m.files[0].Path)
	for _, l := range m.beside {
		switch at := path.Join(m.dir, l.Name); {
		case l.Name == top && l.Dir:
			if err := m.within(ctx, at); err != nil {
				return err
			}
		case l.Name == top:
			if !m.same(at, l.Data) {
				return refused("%s is there already; choose another name", ext.Quote(at))
			}
		case path.Ext(l.Name) == path.Ext(top) && folded(l.Name) == folded(top):
			return refused("%s is there, and a %s %s could be taken for it: names must differ by more than capitals, - and _; choose another", ext.Quote(at), word(m.Surface), m.Name)
		}
	}
	return nil
}

// within looks into the directory that a new thing is to have: nothing may lie there but
// what would be written.
func (m *making) within(ctx context.Context, dir string) error {
	all, err := m.branch.List(ctx, dir, func(string) bool { return true }, monorepoFile)
	if err != nil {
		return fmt.Errorf("look at %s: %w", ext.Quote(dir), err)
	}
	for _, l := range all {
		at := path.Join(dir, l.Name)
		below := slices.ContainsFunc(m.files, func(f scribe.File) bool { return strings.HasPrefix(f.Path, at+"/") })
		if l.Dir && below {
			if err := m.within(ctx, at); err != nil {
				return err
			}
		} else if !m.same(at, l.Data) {
			return refused("%s is there already; choose another name", ext.Quote(at))
		}
	}
	return nil
}

// same reports whether a file is what would be written there: one of a try that was ended
// before it was committed.
func (m *making) same(at string, data []byte) bool {
	return data != nil && slices.ContainsFunc(m.files, func(f scribe.File) bool { return f.Path == at && string(f.Data) == string(data) })
}

// write puts the files on the branch.
func (m *making) write(ctx context.Context) (err error) {
	if m.Dry {
		return nil
	}
	message := fmt.Sprintf("New %s/%s from the template %s", m.Surface, m.Name, m.template.ID)
	m.done.Commit, err = m.branch.Write(ctx, scribe.Change{Files: m.files, As: m.As, Message: message, Unsigned: m.Unsigned})
	if err == nil && !m.done.Commit.Made {
		err = errors.New("the branch has all of it already")
	}
	return err
}

func refused(format string, args ...any) error { return ext.AsRefused(fmt.Errorf(format, args...)) }

// firstBelow is the first part of a path below a directory.
func firstBelow(dir, at string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(at, dir+"/"), "/")
	return first
}
