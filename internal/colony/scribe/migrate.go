package scribe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/git"
)

// Migrating says how a manifest is migrated.
type Migrating struct {
	Dir string // the top of the monorepo
	Dry bool   // nothing is written
	// Commit has the manifest committed, as somebody, and with nothing else in the commit.
	Commit   bool
	Git      *git.Git // where Commit is set
	Branch   string   // "" is what is checked out; another is migrated in its commit alone
	As       As
	Message  string // "" is one that says what is done
	Unsigned bool

	at func(step string) // for tests
}

// Migrated is what became of it.
type Migrated struct {
	Migrated bool // the file was written, or its migration committed
	Would    bool // it would have been
	Resumed  bool // an earlier run wrote the file, and this one committed it
	From, To int
	Changes  []colony.Difference
	Commit   string // "" where none was made
	Branch   string // of the commit; "" where a commit alone is checked out
	Signed   bool
	Left     string // why a manifest that is no migration was not committed; "" otherwise
}

// Migrate makes the manifest one of colony.Version. One that is already is left alone, to
// the byte and to the time. What cannot be read is an *colony.Error.
//
// With Commit the file is written first, and then committed; when that fails, the file is
// what it was. Who is killed in between leaves a file that is migrated and not committed. It
// is recognised by its content: it is, line ends apart, what migrating the committed one
// gives. So another run commits it, and never what somebody changed.
func Migrate(ctx context.Context, o Migrating) (*Migrated, error) {
	if o.Commit {
		return o.committed(ctx)
	}
	at, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, colony.NotRead(err)
	}
	defer at.Close()
	data, err := read(at, Path, colony.MaxBytes)
	if err != nil {
		return nil, colony.NotRead(err)
	}
	m, err := colony.Migrate(data)
	if err != nil {
		return nil, err
	}
	out := told(m)
	out.Would = m.Needed()
	if o.Dry || !m.Needed() {
		return out, nil
	}
	p, err := place(o.Dir, []File{{Path: Path, Was: data, Data: m.Data}})
	if err != nil {
		return nil, err
	}
	p.close()
	out.Migrated = true
	return out, nil
}

func told(m *colony.Migration) *Migrated {
	return &Migrated{From: m.From, To: m.To, Changes: m.Changes}
}

// committed migrates on a branch. Where there is nothing to do it does not matter which.
func (o *Migrating) committed(ctx context.Context) (*Migrated, error) {
	b, err := open(ctx, Options{Git: o.Git, Dir: o.Dir, Branch: o.Branch})
	if err != nil {
		return nil, err
	}
	b.at = o.at
	data, err := b.manifest(ctx)
	if err != nil {
		return nil, err
	}
	m, err := colony.Migrate(data)
	if err != nil {
		return nil, err
	}
	b.Manifest = m.Manifest
	if _, err := o.As.identity(m.Manifest); err != nil {
		return nil, err
	}
	out := told(m)
	out.Branch = b.Name
	if m.Needed() {
		return out, o.commit(ctx, b, File{Path: Path, Was: data, Data: m.Data}, out)
	}
	return out, o.resume(ctx, b, data, out)
}

func (o *Migrating) commit(ctx context.Context, b *Branch, f File, out *Migrated) error {
	out.Would = true
	if o.Dry {
		return b.protected(ctx)
	}
	message := cmp.Or(o.Message, fmt.Sprintf("Migrate %s to version %d", Path, out.To))
	done, err := b.Write(ctx, Change{Files: []File{f}, As: o.As, Message: message, Unsigned: o.Unsigned})
	if err != nil {
		return fmt.Errorf("the manifest is not migrated: %w", err)
	}
	out.Migrated = true
	if done.Made {
		out.Commit, out.Signed = done.Commit, done.Signed
	}
	return nil
}

// resume commits a manifest that was migrated and is not committed.
func (o *Migrating) resume(ctx context.Context, b *Branch, data []byte, out *Migrated) error {
	had, err := b.committed(ctx, Path, colony.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		out.Left = fmt.Sprintf("it is not in any commit, and of version %d already; git add and git commit are for what you wrote", out.To)
		return nil
	}
	if err != nil || !b.Here || same(had, data) {
		return err
	}
	m := migrates(had, data)
	if m == nil {
		out.Left = "it has changes that are not committed, and more than a migration makes; git commit is for what you wrote"
		return nil
	}
	out.From, out.Changes, out.Resumed = m.From, m.Changes, true
	return o.commit(ctx, b, File{Path: Path, Was: had, Data: m.Data}, out)
}

// migrates is the migration that makes one file of another; nil is none.
func migrates(had, data []byte) *colony.Migration {
	if m, err := colony.Migrate(had); err == nil && m.Needed() && same(m.Data, data) {
		return m
	}
	return nil
}
