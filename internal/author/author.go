// Package author writes what the owner writes: tasks, in the owner's directory and
// nowhere else. What plugins ship is read where it lies, and is never written to.
//
// Each name is a directory below tasks/. Nothing is reached through a link: not the
// directory of tasks, not a task, not its document. An edit says which content it
// was made from, and is written only over that.
package author

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/file"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/task"
)

// Surface is the surface whose entries are written here.
var Surface = task.Surface.Spec

// Store writes the tasks of one owner's directory.
type Store struct {
	Dir string // the owner's directory, absolute; made when something is written
	// Within is the workspace, when Dir must lie in it whatever links say; "" where
	// the person vouches for where it leads.
	Within string
	Locks  string // folder for the lock that keeps two writers apart; made if it is missing
	Limit  int64  // the largest document, in bytes
}

// ChangedError is a write that was made from something that is not there any more.
// Nothing was written over it.
type ChangedError struct {
	Name   string
	Digest ext.Digest // of the document that is there now; zero: none is
	Kept   string     // absolute path of the file that keeps what was to be written; "": nothing was
}

// Error says what is kept where.
func (e *ChangedError) Error() string {
	text := fmt.Sprintf("the task %s was changed since it was read, and stays as it is now", ext.Quote(e.Name))
	if e.Digest == (ext.Digest{}) {
		text = fmt.Sprintf("the task %s was removed since it was read", ext.Quote(e.Name))
	}
	if e.Kept == "" {
		return text + "; look at it again"
	}
	return text + "; what you wrote is kept in " + ext.Quote(filepath.ToSlash(e.Kept)) + ": take over what is missing, and remove that file"
}

// FaultError is a document that would be refused. Nothing was written.
type FaultError struct {
	Findings ext.Findings
}

// Error says what is wrong with it.
func (e *FaultError) Error() string {
	var all []string
	for _, f := range e.Findings {
		if f.Check.Severity >= ext.Error {
			all = append(all, fmt.Sprintf("line %d: %s (%s). %s", max(f.Origin.Line, 1), f.Message, f.Check.Code, f.Fix()))
		}
	}
	return "the task would be refused as it is written, so that nothing was written: " + strings.Join(all, " ")
}

// Check reads a document as it would be read in its place. What would refuse it is
// a *FaultError.
func Check(name string, text []byte) error {
	o := ext.Origin{Extension: ext.OwnerName, Source: string(ext.OwnerName), Trust: ext.Owner, Path: task.Surface.Dir + "/" + name + "/" + task.File, Line: 1}
	if e := decode(o, text); e.Findings.Failed() {
		return ext.AsRefused(&FaultError{e.Findings})
	}
	return nil
}

// decode reads one document of a task.
func decode(o ext.Origin, text []byte) surface.Entry[any] {
	c := source.Parse(o, text)
	e := task.Surface.Decode([]surface.Document{{Origin: o, Path: o.Path, Doc: c.Doc, Body: c.Body, BodyLine: c.BodyLine, Digest: ext.Sum(text)}})[0]
	if e.Findings = append(c.Findings, e.Findings...); c.Findings.Failed() {
		e.Value, e.Description = task.Task{}, ""
	}
	return e
}

// New makes a task. Its name must be new, and text what a task may be.
func (s Store) New(ctx context.Context, name string, text []byte) error {
	if err := errors.Join(ValidName(name), s.size(text)); err != nil {
		return err
	}
	if err := Check(name, text); err != nil {
		return err
	}
	return s.add(ctx, name, func(dir *os.Root) error { return write(dir, task.File, text, 0o666) })
}

// add makes the directory of a task: fill writes it beside, and it gets its name
// when it is whole.
func (s Store) add(ctx context.Context, name string, fill func(*os.Root) error) error {
	tasks, done, err := s.open(ctx, true)
	if err != nil {
		return err
	}
	defer done()
	if err := vacant(tasks, name); err != nil {
		return err
	}
	stage := ".new-" + strings.ToLower(rand.Text())
	if err := tasks.Mkdir(stage, 0o777); err != nil {
		return fmt.Errorf("make the task %s: %w", ext.Quote(name), err)
	}
	dir, err := enter(tasks, stage)
	if err == nil {
		err = errors.Join(fill(dir), dir.Close())
	}
	if err == nil {
		err = tasks.Rename(stage, name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("make the task %s: %w", ext.Quote(name), err), tasks.RemoveAll(stage))
	}
	return nil
}

// Edit puts another text in the place of a task's document, if that is what was
// has the digest of. Else, and when the task is gone, it is a *ChangedError, and text
// is kept in a file of its own.
func (s Store) Edit(ctx context.Context, name string, was ext.Digest, text []byte) error {
	if err := errors.Join(ValidName(name), s.size(text)); err != nil {
		return err
	}
	if err := Check(name, text); err != nil {
		return err
	}
	tasks, done, err := s.open(ctx, true) // there is a place to keep text in, whatever went
	if err != nil {
		return err
	}
	defer done()
	dir, err := enter(tasks, name)
	if errors.Is(err, fs.ErrNotExist) {
		return s.keep(tasks, name+".conflict-", &ChangedError{Name: name}, text)
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	return s.replace(dir, name, was, text)
}

// replace is Edit in the directory of the task.
func (s Store) replace(dir *os.Root, name string, was ext.Digest, text []byte) error {
	changed := func(now ext.Digest) error {
		return s.keep(dir, task.File+".conflict-", &ChangedError{Name: name, Digest: now}, text)
	}
	now, mode, err := document(dir, s.Limit)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return changed(ext.Digest{})
	case err != nil:
		return fmt.Errorf("edit the task %s: %w", ext.Quote(name), err)
	case ext.Sum(now) != was:
		return changed(ext.Sum(now))
	}
	beside := ".new-" + strings.ToLower(rand.Text())
	err = write(dir, beside, text, mode)
	if err == nil {
		err = dir.Chmod(beside, mode) // whatever is taken from new files
	}
	if err != nil {
		return errors.Join(fmt.Errorf("edit the task %s: %w", ext.Quote(name), err), gone(dir.Remove(beside)))
	}
	// Writers of this program wait for each other. An editor that does not is seen
	// up to here.
	if again, _, err := document(dir, s.Limit); err != nil {
		return errors.Join(changed(ext.Digest{}), gone(dir.Remove(beside)))
	} else if ext.Sum(again) != was {
		return errors.Join(changed(ext.Sum(again)), gone(dir.Remove(beside)))
	}
	if err := dir.Rename(beside, task.File); err != nil {
		return errors.Join(fmt.Errorf("edit the task %s: %w", ext.Quote(name), err), gone(dir.Remove(beside)))
	}
	return nil
}

// keep writes what was to be written into a file of its own.
func (s Store) keep(dir *os.Root, prefix string, e *ChangedError, text []byte) error {
	name := prefix + ext.Sum(text).Short()
	if err := write(dir, name, text, 0o666); err != nil && !errors.Is(err, fs.ErrExist) {
		return errors.Join(e, fmt.Errorf("keep what was to be written: %w", err))
	}
	e.Kept = filepath.Join(dir.Name(), name)
	return ext.AsRefused(e)
}

// Remove removes a task with all its files, if they are those that whole has the
// digest of. Else it is a *ChangedError.
func (s Store) Remove(ctx context.Context, name string, whole ext.Digest) error {
	if err := ValidName(name); err != nil {
		return err
	}
	tasks, done, err := s.open(ctx, false)
	if err != nil {
		return err
	}
	defer done()
	if _, err := held(tasks, name, whole); err != nil {
		return err
	}
	aside := ".removed-" + strings.ToLower(rand.Text()) // so that nobody sees half of it
	if err := tasks.Rename(name, aside); err != nil {
		return fmt.Errorf("remove the task %s: %w", ext.Quote(name), err)
	}
	if _, err := held(tasks, aside, whole); err != nil {
		var changed *ChangedError
		if errors.As(err, &changed) {
			changed.Name = name
		}
		return errors.Join(err, tasks.Rename(aside, name))
	}
	if err := tasks.RemoveAll(aside); err != nil {
		return fmt.Errorf("remove the task %s, of which a part is left in %s: %w", ext.Quote(name), ext.Quote(aside), err)
	}
	return nil
}

// held are the files of a task, if they are those of a digest.
func held(tasks *os.Root, name string, whole ext.Digest) (*Files, error) {
	dir, err := enter(tasks, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ext.AsRefused(&ChangedError{Name: name})
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	files, err := filesOf(dir)
	if err != nil {
		return nil, fmt.Errorf("look at the files of the task %s: %w", ext.Quote(name), err)
	}
	if files.Whole != whole {
		return nil, ext.AsRefused(&ChangedError{Name: name, Digest: files.Whole})
	}
	return files, nil
}

func (s Store) size(text []byte) error {
	if s.Limit > 0 && int64(len(text)) > s.Limit {
		return ext.AsRefused(fmt.Errorf("the text is %d bytes long, at most %d are allowed; nothing was written", len(text), s.Limit))
	}
	return nil
}

// lock keeps other writers of this directory out.
func (s Store) lock(ctx context.Context) (func(), error) {
	if err := os.MkdirAll(s.Locks, 0o700); err != nil {
		return nil, fmt.Errorf("write in the owner's directory: %w", err)
	}
	real, err := filepath.EvalSymlinks(s.Dir)
	if err != nil {
		real = filepath.Clean(s.Dir)
	}
	lock, err := file.WaitLock(ctx, filepath.Join(s.Locks, ext.NewHash("owner").Text(real).Sum().Short()+".lock"))
	if err != nil {
		return nil, fmt.Errorf("write in the owner's directory: %w", err)
	}
	return lock.Release, nil
}
