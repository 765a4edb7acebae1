// Package prepare remembers how the set-up steps of plugins ended, and knows what a
// plugin that declares none would need.
//
// What was prepared lies in the plugin's data directory, so that its outcomes are kept by
// that: one file for each, written whole by who has its lock. They belong to this machine
// alone and are no part of the state that can be carried to another one. A directory that
// was removed takes them along: each is of the one that has its mark.
package prepare

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/file"
)

// Store is the directory that outcomes are kept in. It may be used by several goroutines
// and processes at once, and is made when there is something to keep.
type Store struct{ Dir string }

// Outcome is how a step ended, or that it was begun.
type Outcome struct {
	Digest  ext.Digest     `json:"digest"`  // of the step, and of the code that it names
	Content ext.Digest     `json:"content"` // of the plugin's directory
	State   State          `json:"state"`
	Why     string         `json:"why,omitempty"` // it failed
	Exit    int            `json:"exit"`
	Begun   time.Time      `json:"begun"`
	Ended   time.Time      `json:"ended"`   // zero: nobody saw it end
	Program child.Identity `json:"program"` // that was started; zero: none was
}

// State is how far a step came.
type State string

const (
	// Due is one that was never run with this content, or of which nobody saw the end.
	Due State = "due"
	// Begun is one that runs, or was killed with who ran it. Of is never that.
	Begun State = "begun"
	// Done is one that ended well.
	Done State = "done"
	// Failed is one that did not.
	Failed State = "failed"
)

// Of is what an outcome means for a step of a plugin as they are now.
func (o *Outcome) Of(digest, content ext.Digest) State {
	if o.Digest != digest || o.Content != content || o.State != Done && o.State != Failed {
		return Due
	}
	return o.State
}

// Outcomes are those of one data directory, by the names of the steps.
type Outcomes map[string]Outcome

const (
	mostKept = 1 << 20
	mostMark = 100
)

// name is what the files of a data directory begin with: its own name.
func (s Store) name(data string) string { return filepath.Join(s.Dir, filepath.Base(data)) }

// Log is the file in which the output of a step is kept.
func (s Store) Log(data, step string) string {
	return s.name(data) + "." + strings.TrimPrefix(ext.NewHash("set-up step").Text(step).Sum().String(), "sha256:")[:12] + ".log"
}

// kept is what a file of outcomes holds.
type kept struct {
	Mark  string   `json:"mark"` // of the directory that they are of
	Steps Outcomes `json:"steps"`
}

// markName is a file of ours in a data directory: outcomes are of that directory, and of no
// other one that has its place when it was removed.
const markName = ".mortise-setup"

// Load reads the outcomes of a data directory; none where what they are of is gone. It is
// an error when they are there and cannot be read.
func (s Store) Load(data string) (Outcomes, error) {
	if s.Dir == "" {
		return nil, nil
	}
	mark, err := file.ReadAtMost(filepath.Join(data, markName), mostMark)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var k kept
	if err == nil {
		k, err = s.read(data)
	}
	if err != nil {
		return nil, fmt.Errorf("read how the set-up steps ended: %w", err)
	}
	if k.Mark != string(mark) {
		return nil, nil
	}
	return k.Steps, nil
}

func (s Store) read(data string) (k kept, err error) {
	raw, err := file.ReadAtMost(s.name(data)+".json", mostKept)
	if errors.Is(err, fs.ErrNotExist) {
		return kept{}, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &k)
	}
	return k, err
}

// Held are the outcomes of a data directory while nobody else runs its steps.
type Held struct {
	store Store
	data  string
	lock  *file.Lock
}

// Hold waits until nobody else runs the steps of a data directory, in this process or
// another. waits is told, once, where somebody does. The lock ends with this process.
func (s Store) Hold(ctx context.Context, data string, waits func()) (*Held, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of how set-up steps ended: %w", err)
	}
	path := s.name(data) + ".lock"
	lock, err := file.TryLock(path)
	if errors.Is(err, file.ErrHeld) {
		waits()
		lock, err = file.WaitLock(ctx, path)
	}
	if err != nil {
		return nil, err
	}
	return &Held{s, data, lock}, nil
}

// Release lets others run the steps.
func (h *Held) Release() { h.lock.Release() }

// Put writes down how a step ended, or that it begins. All that was run for another content
// is forgotten: what it prepared may be overwritten by now. So is what cannot be read.
func (h *Held) Put(step string, o Outcome) error {
	return h.change(func(all Outcomes) {
		maps.DeleteFunc(all, func(_ string, was Outcome) bool { return was.Content != o.Content })
		all[step] = o
	})
}

// Forget writes down that a step was never run.
func (h *Held) Forget(step string) error {
	return h.change(func(all Outcomes) { delete(all, step) })
}

func (h *Held) change(edit func(Outcomes)) error {
	all, err := h.store.Load(h.data)
	k := kept{Steps: all}
	if err != nil || all == nil {
		k.Steps = Outcomes{}
	}
	edit(k.Steps)
	if k.Mark, err = h.mark(all != nil); err != nil {
		return fmt.Errorf("mark the data directory as set up: %w", err)
	}
	raw, err := json.MarshalIndent(k, "", "  ")
	if err == nil {
		err = file.Replace(h.store.name(h.data)+".json", append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write down how the set-up step ended: %w", err)
	}
	return nil
}

// mark is the mark of the data directory: the one that it has, or where its outcomes are
// not known a new one.
func (h *Held) mark(known bool) (string, error) {
	name := filepath.Join(h.data, markName)
	if known {
		mark, err := file.ReadAtMost(name, mostMark)
		return string(mark), err
	}
	mark := rand.Text()
	return mark, file.Replace(name, []byte(mark))
}

// Purge forgets all outcomes of a data directory, with their logs.
func (s Store) Purge(ctx context.Context, data string) error {
	if _, err := os.Lstat(s.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	h, err := s.Hold(ctx, data, func() {})
	if err != nil {
		return err
	}
	defer h.Release()
	logs, err := filepath.Glob(s.name(data) + ".*.log") // its name has none of a pattern's characters
	if err != nil {
		return err
	}
	for _, name := range append(logs, s.name(data)+".json") {
		if e := os.Remove(name); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}
