package root

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// maxLinks is how many links lead to one place at most.
const maxLinks = 40

const separator = string(os.PathSeparator)

// place is where a name leads: no link is on the way to it any more.
type place struct {
	at  string // below the root; absolute if out
	out bool
	fact
}

func (p place) join(base string) string {
	if p.out {
		return filepath.Join(p.at, base)
	}
	return path.Join(p.at, base)
}

// walker resolves one name by hand, part by part. The place it has come to is
// an absolute path without links, so that ".." is the parent of its text.
type walker struct {
	*Root
	name  string
	since int64
	at    string
	here  fact     // of at; only its kind counts until it was looked at
	seen  bool     // at was looked at
	rest  []string // parts still to go
	own   int      // how many of them, at the end, are parts of name itself
	links int
	link  string // the last link that was followed: below the root, or absolute
	left  string // the last link that leads from inside to outside
	went  bool   // something outside was looked at
}

// walk follows name to the end. It returns bare errors, the fact of what it
// came to, and records every link it passed and everything it missed.
//
// The way leads through places outside if links lead there, which may come
// back: only where it ends is judged. Outside, links are read and nothing else.
func (r *Root) walk(name string, since int64) (place, error) {
	for range tries {
		w := walker{Root: r, name: name, since: since, at: r.dir, here: fact{mode: fs.ModeDir}}
		w.begin()
		p, err := w.end()
		if w.went && !errors.Is(err, ErrEscape) {
			r.left.Store(true)
		}
		if err != errUnsteady {
			return p, err
		}
	}
	return place{}, errUnsteady
}

// begin sets out at the parent of the name, if no link is on the way there.
func (w *walker) begin() {
	dir, base := path.Split(w.name)
	if dir = strings.TrimSuffix(dir, "/"); dir != "" && !w.blind {
		if e, _ := w.listed(w.name); e != nil {
			w.at = filepath.Join(w.dir, filepath.FromSlash(dir))
			w.rest, w.own = []string{base}, 1
			return
		}
		if f, _, err := w.in.look(dir); err == nil && f.kind() == Dir {
			w.at, w.here, w.seen = filepath.Join(w.dir, filepath.FromSlash(dir)), f, true
			w.rest, w.own = []string{base}, 1
			return
		}
	}
	if w.name != "." {
		w.rest = strings.Split(w.name, "/")
	}
	w.own = len(w.rest)
}

// end is where the way leads.
func (w *walker) end() (place, error) {
	if err := w.run(); err != nil {
		return place{}, err
	}
	return w.arrive()
}

func (w *walker) run() error {
	for len(w.rest) > 0 {
		if w.here.kind() != Dir {
			return w.blocked()
		}
		part := w.rest[0]
		w.rest = w.rest[1:]
		own := len(w.rest) < w.own
		w.own = min(w.own, len(w.rest))
		switch part {
		case "", ".":
			continue
		case "..":
			w.at, w.seen = filepath.Dir(w.at), false
		default:
			before := w.links
			if err := w.step(part, own); err != nil {
				return err
			}
			if w.links == before {
				continue
			}
		}
		// A link was just followed, or its target's "..": perhaps no more
		// links are on the rest of the way.
		if done, err := w.leap(); done || err != nil {
			return err
		}
	}
	return nil
}

// leap goes all the way at once if no link is left on it.
func (w *walker) leap() (bool, error) {
	if w.blind || len(w.rest) == 0 || slices.Contains(w.rest, "..") {
		return false, nil
	}
	if last := w.rest[len(w.rest)-1]; last == "" || last == "." {
		return false, nil
	}
	end := onward(w.at, w.rest)
	d, key, out := w.place(end)
	if out && !w.opt.Follow {
		return false, nil
	}
	w.went = w.went || out
	switch f, _, err := d.look(key); {
	case err == nil && f.kind() != Link:
		w.at, w.here, w.seen, w.rest, w.own = end, f, true, nil, 0
		return true, nil
	case !out && w.own == 0 && errors.Is(err, fs.ErrNotExist):
		w.note(d, key, w.since) // no link was on the way to where there is nothing
		return false, &DanglingError{Link: w.link, Target: end}
	}
	return false, nil // there is another link; step by step, then
}

// step goes on by one part, which came from the name itself or from a link.
func (w *walker) step(part string, own bool) error {
	next := filepath.Join(w.at, part)
	if w.leadsTo(next) {
		w.at, w.seen = next, false
		return nil
	}
	d, key, out := w.place(next)
	w.went = w.went || out
	f, target, err := d.look(key)
	switch {
	case err == nil && f.kind() == Link:
		w.trace.add(key, f, w.since)
		return w.follow(key, target, out)
	case err == nil:
		w.at, w.here, w.seen = next, f, true
		return nil
	case errors.Is(err, syscall.ELOOP):
		return errUnsteady // what was a directory a moment ago is a link now
	case out && !w.opt.Follow:
		return w.escape(next)
	}
	w.note(d, key, w.since)
	if gone(err) && !own {
		return &DanglingError{Link: w.link, Target: w.ahead(next)}
	}
	return err
}

func (w *walker) follow(link, target string, out bool) error {
	if w.links++; w.links > maxLinks {
		return ErrLoop
	}
	w.link = link
	if !out {
		w.left = link
	}
	target = filepath.FromSlash(target)
	volume := filepath.VolumeName(target)
	if rest, ok := strings.CutPrefix(target[len(volume):], separator); ok {
		w.at, w.seen, target = volume+separator, false, rest
	}
	w.rest = slices.Concat(strings.Split(target, separator), w.rest)
	return nil
}

// blocked says that the way goes on below something that is no directory.
func (w *walker) blocked() error {
	d, key, out := w.place(w.at)
	if out && !w.opt.Follow {
		return w.escape(w.at)
	}
	w.note(d, key, w.since)
	if len(w.rest) > w.own {
		return &DanglingError{Link: w.link, Target: w.ahead(w.at)}
	}
	return &KindError{Name: w.shown(), Type: w.here.mode & fs.ModeType, Want: Dir}
}

// shown is the part of name that the walk has come through.
func (w *walker) shown() string {
	parts := strings.Split(w.name, "/")
	return path.Join(parts[:len(parts)-w.own]...)
}

func (w *walker) escape(to string) error {
	return &EscapeError{Link: w.left, Target: onward(to, w.rest)}
}

// ahead is where the last link leads, without the parts of name that follow.
func (w *walker) ahead(at string) string {
	return onward(at, w.rest[:len(w.rest)-w.own])
}

// onward is at and parts below it that are not resolved.
func onward(at string, parts []string) string {
	return filepath.Join(append([]string{at}, parts...)...)
}

func (w *walker) arrive() (place, error) {
	d, key, out := w.place(w.at)
	if out && !w.opt.Follow {
		return place{}, w.escape(w.at)
	}
	w.went = w.went || out
	if !w.seen {
		var err error
		if w.here, _, err = d.look(key); err != nil {
			return place{}, err
		}
	}
	return place{key, out, w.here}, nil
}

// place says how to look at an absolute path, and what it is called there.
func (r *Root) place(abs string) (d door, key string, out bool) {
	if abs == r.dir {
		return r.in, ".", false
	}
	if rest, ok := strings.CutPrefix(abs, strings.TrimSuffix(r.dir, separator)+separator); ok {
		return r.in, filepath.ToSlash(rest), false
	}
	return r.out, abs, true
}

// leadsTo reports whether abs is the root's directory or one above it, which
// are known to be directories and no links.
func (r *Root) leadsTo(abs string) bool {
	return abs == r.dir || strings.HasPrefix(r.dir, strings.TrimSuffix(abs, separator)+separator)
}
