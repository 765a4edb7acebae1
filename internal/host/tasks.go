package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/author"
	"github.com/mortise-dev/mortise/internal/state"
)

// TaskCopied is the kind of the event that says that a person copied a task into
// the owner's directory: what lies there is theirs, whatever it is equal to.
const TaskCopied = "task-copied"

// Copied is the text of such an event, as JSON.
type Copied struct {
	Workspace string     `json:"workspace"` // its identity
	Place     string     `json:"place"`     // absolute directory of the copy
	From      string     `json:"from"`      // qualified name of what was copied
	Whole     ext.Digest `json:"whole"`     // of all files of the copy
}

// Tasks are the tasks of every source, to be listed and read; what is the owner's
// can be written to as well.
func (h *Host) Tasks(ctx context.Context) (*author.Tasks, error) {
	g, err := h.Current(ctx)
	if err != nil {
		return nil, err
	}
	return g.tasks(h.options.Locks), nil
}

func (g *Generation) tasks(locks string) *author.Tasks {
	// Links of the owner's directory lead elsewhere where its person said so.
	vouched := g.Adopted || filepath.IsAbs(g.Config.Owner.Path)
	s := author.Store{Dir: g.Config.OwnerDir(), Locks: locks, Limit: g.Config.Limits.Bounds().FileBytes}
	if !vouched {
		s.Within = g.Config.Workspace().Dir
	}
	status := map[rowKey]string{}
	for _, e := range g.Entries(author.Surface.Name) {
		status[e.key()] = e.Status
	}
	var found []author.Entry
	for i := range g.decisions {
		d := &g.decisions[i]
		for j := range d.Contributions() {
			c := &d.Contributions()[j]
			t := d.Tree()
			if at, ok := status[rowKey{c.Spec.Name, ext.Qualified(t.Extension, c.Name), c.Origin.Path}]; ok && c.Spec == author.Surface {
				found = append(found, author.Entry{Contribution: c, Extension: t.Extension, Trust: t.Origin.Trust, Root: t.Root, Status: at})
			}
		}
	}
	return author.NewTasks(s, g.Adopted, found)
}

// NewTask makes a task in the owner's directory.
func (h *Host) NewTask(ctx context.Context, name string, text []byte) (author.Shown, error) {
	return h.author(ctx, func(t *author.Tasks) (string, error) {
		own, err := t.New(name)
		if err != nil {
			return "", err
		}
		return own, t.Store.New(ctx, own, text)
	})
}

// EditTask puts a text in the place of the document of a task that still is what was
// has the digest of.
func (h *Host) EditTask(ctx context.Context, name, was string, text []byte) (author.Shown, error) {
	return h.author(ctx, func(t *author.Tasks) (string, error) {
		f, err := t.Own(name)
		if err != nil {
			return "", err
		}
		digest, err := digestOf(was)
		if err != nil {
			return "", err
		}
		return f.Entry.Name, t.Edit(ctx, f.Entry.Name, digest, text)
	})
}

// RemoveTask removes a task of the owner's whose files still are what whole has the
// digest of, and returns what it was.
func (h *Host) RemoveTask(ctx context.Context, name, whole string) (author.Task, error) {
	t, err := h.Tasks(ctx)
	if err != nil {
		return author.Task{}, err
	}
	f, err := t.Own(name)
	if err != nil {
		return author.Task{}, err
	}
	digest, err := digestOf(whole)
	if err != nil {
		return author.Task{}, err
	}
	was, err := t.Show(f.Candidates[0])
	if err != nil {
		return author.Task{}, err
	}
	if err := t.Remove(ctx, f.Entry.Name, digest); err != nil {
		return author.Task{}, err
	}
	_, err = h.Refresh(ctx)
	return was.Task, err
}

// CopyTask copies a task of any source into the owner's directory, under its own
// name or as another one, and remembers that.
func (h *Host) CopyTask(ctx context.Context, name, as, by string) (author.Shown, error) {
	return h.author(ctx, func(t *author.Tasks) (string, error) {
		f, err := t.Find(name)
		if err != nil {
			return "", err
		}
		if as == "" {
			as = f.Entry.Name
		}
		own, err := t.New(as)
		if err != nil {
			return "", err
		}
		from, dir, err := t.From(f.Entry)
		if err != nil {
			return "", fmt.Errorf("copy the task %s: %w", ext.Escape(f.Candidates[0]), err)
		}
		defer from.Close()
		return own, t.Copy(ctx, own, from, dir, func(whole ext.Digest) error {
			return h.copied(ctx, own, by, Copied{h.Now().Config.Workspace().ID, filepath.Join(t.Dir, author.Surface.Dir, own), f.Candidates[0], whole})
		})
	})
}

// copied adds a copy to the history.
func (h *Host) copied(ctx context.Context, own, by string, c Copied) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	e := state.Event{Kind: TaskCopied, Subject: ext.Qualified(ext.OwnerName, own), Text: string(text), By: by, At: h.options.Clock().UTC()}
	if err := h.options.Store.Append(ctx, e); err != nil {
		return fmt.Errorf("remember the copy: %w", err)
	}
	return nil
}

// author writes something and reads it anew: what do returns is the name of a task
// of the owner's.
func (h *Host) author(ctx context.Context, do func(*author.Tasks) (string, error)) (author.Shown, error) {
	t, err := h.Tasks(ctx)
	if err != nil {
		return author.Shown{}, err
	}
	own, err := do(t)
	if err != nil {
		return author.Shown{}, err
	}
	if _, err := h.Refresh(ctx); err != nil {
		return author.Shown{}, err
	}
	if t, err = h.Tasks(ctx); err != nil {
		return author.Shown{}, err
	}
	return t.Show(ext.Qualified(ext.OwnerName, own))
}

func digestOf(text string) (d ext.Digest, err error) {
	if err = d.UnmarshalText([]byte(text)); err == nil && text == "" {
		err = errors.New("there is none")
	}
	if err != nil {
		return d, ext.AsUsage(fmt.Errorf("the digest of what the change was made from: %w; mortise task show NAME --json tells it", err))
	}
	return d, nil
}
