// Package roster installs, updates and removes plugins: what they are is content, kept
// by commit and never changed, and what is in use is one line of the state, written last.
// So whatever ends an operation, and whenever, the plugin is either what it was or what
// it was to become.
//
// It decides nothing about what an extension may do: installing grants nothing, and who
// composes judges what is there as it judges all else.
package roster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/spelling"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// Roster is what is installed on this machine. It may be used by several processes at
// once.
type Roster struct {
	Store     state.Store
	Checkouts checkout.Store
	// Git is called when a repository is needed first. Its error says why there is none.
	Git func() (*git.Git, error)
	// Try composes what would be in use with lines changed, before they are: an error keeps
	// them as they were. Nil tries nothing.
	Try func(ctx context.Context, lines ...state.Installed) error
	// Taken is what uses a name already, for people; "" when nothing does. Nil: nothing.
	Taken func(ext.Name) string
	// Rules are what may be installed from where. An error keeps everything from being
	// fetched: it is not known then. Nil: all may.
	Rules func() ([]Rule, error)
	// Offers is what a marketplace says now of PLUGIN@MARKET. Nil: nobody knows any.
	Offers    func(ctx context.Context, offer string) (Offer, error)
	Sums      *unpack.Sums     // are told of each file that is fetched; nil are not
	Manifests []string         // the paths of which one tells that a directory is a plugin
	Client    *http.Client     // for archives; nil: the usual one
	Note      func(error)      // is told what went wrong besides; nil: nobody is
	Clock     func() time.Time // nil: time.Now
	By        string           // who asks

	holding sync.Once
	hold    *checkout.Hold // what was fetched and may be written down as used any moment
}

// Key identifies a line: the name, and the workspace it is for, "" for all.
type Key struct {
	Name  ext.Name
	Scope string
}

// keep has a checkout not be swept before it is written down that it is used.
func (r *Roster) keep(k checkout.Key) error {
	r.holding.Do(func() { r.hold = r.Checkouts.Hold() })
	return r.hold.Add(k)
}

// Close lets go of what was fetched: what is not in use by now may be swept. The roster
// can still be used.
func (r *Roster) Close() error {
	if r.hold == nil {
		return nil
	}
	return r.hold.Close()
}

func keyOf(i *state.Installed) Key { return Key{i.Name, i.Scope} }

// Checkout is the key of the checkout of a plugin at a commit of its.
func Checkout(i *state.Installed, commit string) checkout.Key {
	return checkout.Key{Name: i.Name, Commit: commit, Submodules: i.Submodules}
}

// Dir is where a plugin's files lie; "" where it has no place on this machine.
func Dir(checkouts string, i *state.Installed) string {
	root := i.Source
	if i.Kind != state.Linked {
		if i.Commit == "" {
			return ""
		}
		root = checkout.Store{Dir: checkouts}.Path(Checkout(i, i.Commit))
	}
	return filepath.Join(root, filepath.FromSlash(i.Within))
}

// In are the lines that hold in a workspace, in load order. One for the workspace alone
// takes the place of one of the same name for all.
func In(all []state.Installed, workspace string) []state.Installed {
	var out []state.Installed
	for _, i := range all {
		own := slices.ContainsFunc(all, func(o state.Installed) bool { return o.Name == i.Name && o.Scope == workspace && workspace != "" })
		if i.Scope == workspace || i.Scope == "" && !own {
			out = append(out, i)
		}
	}
	return out
}

// Find is the line of a plugin in a workspace: its own, else the one for all. What is not
// installed is a usage error that names the nearest.
func Find(all []state.Installed, name, workspace string) (state.Installed, error) {
	in := In(all, workspace)
	var names []string
	for _, i := range in {
		if string(i.Name) == name {
			return i, nil
		}
		names = append(names, string(i.Name))
	}
	err := fmt.Errorf("no plugin %s is installed", ext.Quote(ext.Shorten(name, 80)))
	if near := spelling.Nearest(name, names); near != "" {
		err = fmt.Errorf("%w; did you mean %s?", err, ext.Quote(near))
	} else {
		err = fmt.Errorf("%w; mortise plugin list shows those that are", err)
	}
	return state.Installed{}, ext.AsUsage(err)
}

func (r *Roster) now() time.Time {
	if r.Clock == nil {
		return time.Now().UTC()
	}
	return r.Clock().UTC()
}

// errMoved is a line that somebody else changed meanwhile.
var errMoved = errors.New("it was changed by somebody else meanwhile; look at it and try again")

// put writes a line in the place of the one that it was made from, and tells the history;
// now nil takes it out. Nothing is written where the line is another one by now.
func (r *Roster) put(ctx context.Context, kind string, was, now *state.Installed) error {
	line := now
	if line == nil {
		line = was
	}
	return r.change(ctx, kind, []state.Installed{*line}, func(s *state.Snapshot) error {
		at := slices.IndexFunc(s.Roster, func(i state.Installed) bool { return keyOf(&i) == keyOf(was) })
		if at < 0 || s.Roster[at] != *was {
			return ext.AsRefused(errMoved)
		}
		if now == nil {
			s.Remove(*was)
			return nil
		}
		s.Put(*now)
		return nil
	})
}

// change changes the roster and tells the history of what became of the lines. The history
// comes second: what it cannot be told is done all the same, and noted.
func (r *Roster) change(ctx context.Context, kind string, lines []state.Installed, do func(*state.Snapshot) error) error {
	if err := r.Store.Update(ctx, do); err != nil {
		return fmt.Errorf("%s is not %s: %w", names(lines), kind, err)
	}
	var events []state.Event
	for n := range lines {
		text := lines[n].Source
		if lines[n].Commit != "" {
			text += " " + lines[n].Commit
		}
		events = append(events, state.Event{Kind: "plugin " + kind, Subject: string(lines[n].Name), Text: text, By: r.By, At: r.now()})
	}
	if err := r.Store.Append(ctx, events...); err != nil {
		r.note(fmt.Errorf("%s is %s, and that is missing in the history: %w", names(lines), kind, err))
	}
	return nil
}

func (r *Roster) note(err error) {
	if r.Note != nil {
		r.Note(err)
	}
}

func names(lines []state.Installed) string {
	var all []string
	for _, i := range lines {
		all = append(all, string(i.Name))
	}
	return strings.Join(all, ", ")
}

// free refuses a name that is installed already; "" is not known yet.
func (r *Roster) free(ctx context.Context, name ext.Name, scope string) error {
	s, err := r.load(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(s.Roster, func(i state.Installed) bool { return keyOf(&i) == Key{name, scope} }) {
		return taken(name)
	}
	return nil
}

func reserved(name ext.Name) error {
	return ext.AsRefused(fmt.Errorf("the name %s is reserved for Mortise itself; give another with --name", ext.Quote(string(name))))
}

func taken(name ext.Name) error {
	return ext.AsRefused(fmt.Errorf("a plugin %s is installed already", ext.Quote(string(name))))
}

// begun writes new lines and tells the history, as one step.
func (r *Roster) begun(ctx context.Context, lines []state.Installed) error {
	return r.change(ctx, "added", lines, func(s *state.Snapshot) error {
		for n := range lines {
			if slices.Contains(ext.Reserved, lines[n].Name) {
				return reserved(lines[n].Name)
			}
			if slices.ContainsFunc(s.Roster, func(i state.Installed) bool { return keyOf(&i) == keyOf(&lines[n]) }) {
				return taken(lines[n].Name)
			}
			lines[n].Order = next(s.Roster)
			s.Put(lines[n])
		}
		return nil
	})
}

// next is the place behind all others.
func next(all []state.Installed) int {
	last := 0
	for _, i := range all {
		last = max(last, i.Order)
	}
	return last + 1
}

// load is the state as it is.
func (r *Roster) load(ctx context.Context) (state.Snapshot, error) {
	s, err := r.Store.Load(ctx)
	if err != nil {
		return s, fmt.Errorf("load the state: %w", err)
	}
	return s, nil
}

// Line is what holds of a plugin in a workspace, as Find finds it.
func (r *Roster) Line(ctx context.Context, k Key) (state.Installed, error) {
	s, err := r.load(ctx)
	if err != nil {
		return state.Installed{}, err
	}
	return Find(s.Roster, string(k.Name), k.Scope)
}

// Remove takes a plugin out of use. Its checkouts are swept when no other line needs
// them; what it kept in the directory of data is removed, and stays where data is nil.
// removed is whether it is out of use, whatever could not be removed then.
func (r *Roster) Remove(ctx context.Context, k Key, data func(*state.Installed) string) (line state.Installed, swept checkout.Swept, removed bool, err error) {
	if line, err = r.Line(ctx, k); err != nil {
		return line, swept, false, err
	}
	if err := r.put(ctx, "removed", &line, nil); err != nil {
		return line, swept, false, err
	}
	var kept error
	if data != nil {
		kept = Purge(data(&line))
	}
	if err = r.Close(); err == nil { // what was fetched before is in use by now, or is not needed
		swept, err = r.Sweep(ctx)
	}
	return line, swept, true, errors.Join(kept, err)
}

// Purge removes what a plugin kept: a directory that lies in that of all plugins' data.
func Purge(data string) error {
	all, err := os.OpenRoot(filepath.Dir(data))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = errors.Join(all.RemoveAll(filepath.Base(data)), all.Close())
	}
	if err != nil {
		return fmt.Errorf("what it kept in %s is not removed: %w", ext.Quote(data), err)
	}
	return nil
}

// Left reports whether something that was fetched of a plugin lies here, in use or not.
func (r *Roster) Left(name ext.Name) bool {
	all, err := r.Checkouts.List()
	return err == nil && slices.ContainsFunc(all, func(c checkout.Checkout) bool { return c.Name == name })
}

// Sweep removes checkouts that no line names, neither as what is in use nor as what was
// before it.
func (r *Roster) Sweep(ctx context.Context) (checkout.Swept, error) {
	s, err := r.load(ctx)
	if err != nil {
		return checkout.Swept{}, err
	}
	used := map[checkout.Key]bool{}
	for _, i := range s.Roster {
		for _, commit := range []string{i.Commit, i.Before} {
			if commit != "" {
				used[Checkout(&i, commit)] = true
			}
		}
	}
	return r.Checkouts.Sweep(ctx, used)
}

// Pin says whether a plugin is updated with all others.
func (r *Roster) Pin(ctx context.Context, k Key, pinned bool) (line state.Installed, changed bool, err error) {
	was, err := r.Line(ctx, k)
	if err != nil || was.Pinned == pinned {
		return was, false, err
	}
	line = was
	line.Pinned = pinned
	kind := "pinned"
	if !pinned {
		kind = "unpinned"
	}
	return line, true, r.put(ctx, kind, &was, &line)
}

// Rollback goes back to what a plugin was before its last update, which is then what
// another one goes back to.
func (r *Roster) Rollback(ctx context.Context, k Key) (was, now state.Installed, err error) {
	if was, err = r.Line(ctx, k); err != nil {
		return was, now, err
	}
	if was.Before == "" {
		return was, was, ext.AsRefused(fmt.Errorf("%s was not updated since it was installed; there is nothing to go back to", was.Name))
	}
	now = was
	now.Commit, now.Digest, now.Before, now.DigestBefore = was.Before, was.DigestBefore, was.Commit, was.Digest
	if _, err := r.permit(&now); err != nil {
		return was, was, err
	}
	at := Checkout(&now, now.Commit)
	if err := r.verify(ctx, &now); err != nil {
		return was, was, fmt.Errorf("go back to %s: %w", at, err)
	}
	if err := r.try(ctx, now); err != nil {
		return was, was, err
	}
	return was, now, r.put(ctx, "rolled back", &was, &now)
}

// verify looks whether the checkout of a line is there and is as it was made.
func (r *Roster) verify(ctx context.Context, i *state.Installed) error {
	k := Checkout(i, i.Commit)
	if err := r.Checkouts.Verify(ctx, k, ext.Digest{}); err != nil {
		return err
	}
	is, err := r.content(ctx, i)
	if err == nil && is != i.Digest {
		err = &checkout.EditedError{Key: k, Dir: Dir(r.Checkouts.Dir, i), Want: i.Digest, Is: is}
	}
	return err
}

// content is the digest of a plugin's directory in its checkout.
func (r *Roster) content(ctx context.Context, i *state.Installed) (ext.Digest, error) {
	return r.Checkouts.Digest(ctx, Dir(r.Checkouts.Dir, i))
}

func (r *Roster) try(ctx context.Context, lines ...state.Installed) error {
	if r.Try == nil {
		return nil
	}
	return r.Try(ctx, lines...)
}
