// Package scribe writes in the working tree of a design monorepo: files together with the
// one commit that holds them, and the migration of the manifest.
//
// Writing goes to one branch. Where that is checked out, the files get into the working
// tree and into a commit of their own (git.WorkTree.Commit); where it is not, the working
// tree is left alone. A branch that the manifest protects takes nothing. When anything
// fails, files are what they were.
package scribe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/git"
)

// Options say where a branch is looked for.
type Options struct {
	Git *git.Git
	Dir string // the top of the monorepo, which holds .colony; it may be reached through links
	// Branch is what is written on; "" is what is checked out. One that is not there begins at
	// what is checked out.
	Branch string
}

// Branch is where something is to be written, as it was when it was opened.
type Branch struct {
	Name     string // "" where a commit alone is checked out
	Here     bool   // it is what is checked out
	Dir      string // the top of the monorepo, absolute, links resolved
	Manifest *colony.Manifest

	work  *git.WorkTree
	below string            // Dir, below the top of the working tree; "" is that
	tip   string            // where the branch is; git.NoCommit where it is not yet
	base  string            // what it is read at; "" where nothing is committed yet
	at    func(step string) // for tests: what was done; nil is not told
}

// Open looks at a branch that is to be written on. Its manifest must be whole, as must that
// of the working tree: an *colony.Error says what is wrong. A branch that either protects is
// refused (*ProtectedError).
func Open(ctx context.Context, o Options) (*Branch, error) {
	b, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	own, err := b.manifest(ctx)
	if err != nil {
		return nil, err
	}
	if b.Manifest, err = colony.Read(own); err != nil {
		return nil, err
	}
	return b, b.protected(ctx)
}

// Path is the manifest's.
const Path = colony.Path

// open is Open without the manifest.
func open(ctx context.Context, o Options) (*Branch, error) {
	if own := strings.TrimPrefix(strings.TrimPrefix(o.Branch, "refs/"), "heads/"); own != o.Branch { // else a branch of that name would be made
		return nil, ext.AsUsage(fmt.Errorf("a branch goes by its own name, such as %s, and not by %s", ext.Quote(own), ext.Quote(o.Branch)))
	}
	w, err := o.Git.WorkTree(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.Dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, err
	}
	below, err := filepath.Rel(w.Top, dir)
	if err != nil {
		return nil, err
	}
	b := &Branch{Name: cmp.Or(o.Branch, w.Branch), Dir: dir, work: w, below: filepath.ToSlash(below), tip: cmp.Or(w.Head, git.NoCommit), base: w.Head}
	if b.below == "." {
		b.below = ""
	}
	if b.Here = b.Name == w.Branch; b.Here {
		return b, nil
	}
	tip, err := w.Tip(ctx, b.Name)
	if err != nil {
		return nil, err
	}
	b.tip, b.base = cmp.Or(tip, git.NoCommit), cmp.Or(tip, w.Head)
	return b, nil
}

// manifest is the bytes of the manifest that holds on the branch: that of the working tree
// where it is checked out. The error is an *colony.Error.
func (b *Branch) manifest(ctx context.Context) ([]byte, error) {
	data, err := b.Read(ctx, Path, colony.MaxBytes)
	switch {
	case err == nil:
		return data, nil
	case b.Here:
		return nil, colony.NotRead(err)
	}
	return nil, fmt.Errorf("the branch %s: %w", ext.Quote(b.Name), colony.NotRead(err))
}

// ProtectedError is a branch that takes no commit from here.
type ProtectedError struct{ Branch string }

// Error says which, and what to do.
func (e *ProtectedError) Error() string {
	return fmt.Sprintf("the branch %s is protected (protected_branches in %s), and takes no commit from here; name another with --branch, and have it merged", ext.Quote(e.Branch), Path)
}

// protected refuses a branch that is protected: by the manifest as it is in the working
// tree, or as it is committed there.
func (b *Branch) protected(ctx context.Context) error {
	all := []*colony.Manifest{b.Manifest}
	if data, err := b.inTree(Path, colony.MaxBytes); err == nil {
		if m, err := colony.Read(data); err == nil {
			all = append(all, m)
		}
	}
	if data, err := b.committed(ctx, Path, colony.MaxBytes); err == nil {
		m, err := colony.Read(data)
		if err != nil {
			m = colony.Default()
		}
		all = append(all, m)
	}
	for _, m := range all {
		if m.Protected(b.Name) {
			return ext.AsRefused(&ProtectedError{b.Name})
		}
	}
	return nil
}

// Read is a file as it is on the branch: in the working tree where the branch is checked
// out, else as it is committed. One that is not there matches fs.ErrNotExist.
func (b *Branch) Read(ctx context.Context, name string, most int64) ([]byte, error) {
	if b.Here {
		return b.inTree(name, most)
	}
	return b.committed(ctx, name, most)
}

func (b *Branch) inTree(name string, most int64) ([]byte, error) {
	at, err := os.OpenRoot(b.Dir)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	return read(at, name, most)
}

// committed is a file of the commit that the branch is at, or begins at.
func (b *Branch) committed(ctx context.Context, name string, most int64) ([]byte, error) {
	if b.base == "" {
		return nil, fmt.Errorf("%s is not committed: %w", ext.Quote(name), fs.ErrNotExist)
	}
	return b.work.Blob(ctx, b.base, path.Join(b.below, name), most)
}

// As is on whose behalf something is committed.
type As struct {
	Name, Role string // of the agent; no role is "agent"
	Colony     string // "" is the manifest's
}

// identity is who that is in a commit.
func (as As) identity(m *colony.Manifest) (git.Person, error) {
	p := colony.Principal{Label: "agent", Agent: as.Name, Role: as.Role, Colony: cmp.Or(as.Colony, m.Colony), Domain: m.AgentEmailDomain}
	who, err := p.Identity()
	if err != nil {
		return git.Person{}, ext.AsUsage(fmt.Errorf("commit as %s: %w; say who it is with --as, --role and --colony", ext.Quote(as.Name), err))
	}
	return git.Person(who), nil
}

// Change is what is written at once.
type Change struct {
	Files    []File
	As       As
	Message  string
	Unsigned bool // leaves out the signature that the person's git asks for
}

// File is a file as it is to be.
type File struct {
	Path string // below the top of the monorepo, with slashes
	Was  []byte // what the branch has, as Read gave it; nil: it is new, and must not be there
	Data []byte
}

// Write puts files on the branch, as one commit. A file that is not what it is said to have
// been is a *ChangedError; so is, on what is checked out, one with changes that nobody
// committed: they would be in the commit.
func (b *Branch) Write(ctx context.Context, c Change) (*git.Committed, error) {
	if err := b.protected(ctx); err != nil {
		return nil, err
	}
	who, err := c.As.identity(b.Manifest)
	if err != nil {
		return nil, err
	}
	if err := b.unchanged(ctx, c.Files); err != nil {
		return nil, err
	}
	o := git.Committing{Branch: b.Name, Author: who, Message: c.Message, Expect: b.tip, Unsigned: c.Unsigned}
	for _, f := range c.Files {
		o.Files = append(o.Files, git.File{Path: path.Join(b.below, f.Path), Data: f.Data})
	}
	if !b.Here {
		return b.work.Commit(ctx, o)
	}
	o.Branch = b.work.Branch
	placed, err := place(b.Dir, c.Files)
	if err != nil {
		return nil, err
	}
	defer placed.close()
	b.step("written")
	done, err := b.work.Commit(ctx, o)
	if err != nil {
		return nil, placed.back(err)
	}
	return done, nil
}

// step tells a test what was done.
func (b *Branch) step(what string) {
	if b.at != nil {
		b.at(what)
	}
}

// ChangedError is a file that is not what it was said to be, or to be committed as.
type ChangedError struct {
	Path string
	Why  string
}

// Error says which, and what to do.
func (e *ChangedError) Error() string { return ext.Quote(e.Path) + " " + e.Why }

func changed(name, why string) error { return ext.AsRefused(&ChangedError{name, why}) }

// unchanged refuses files of which something would be lost, or committed unseen.
func (b *Branch) unchanged(ctx context.Context, files []File) error {
	for _, f := range files {
		had, err := b.committed(ctx, f.Path, int64(max(len(f.Was), len(f.Data))+1<<20))
		there := err == nil
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		switch {
		case f.Was == nil && there:
			return changed(f.Path, "is there already; choose another name")
		case f.Was == nil:
		case !there && !b.Here:
			return changed(f.Path, "is not on the branch any more; do it again")
		case there && !same(had, f.Was):
			return changed(f.Path, "has changes that are not committed; commit them first, or take them back")
		}
	}
	return nil
}

// same compares files as people see them: how a line ends is git's.
func same(a, b []byte) bool {
	plain := func(s []byte) string { return strings.ReplaceAll(string(s), "\r\n", "\n") }
	return plain(a) == plain(b)
}
