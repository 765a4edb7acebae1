package git

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/unpack"
)

const (
	mostCommit = 1 << 20
	mostTree   = 16 << 20
)

// leaf is one thing in the tree of a commit.
type leaf struct {
	path   string
	id     string
	kind   unpack.Kind
	module bool // a submodule, of which id is the commit
}

// commitOf reads of a commit which tree it has and when it was made.
func commitOf(data []byte) (tree string, when time.Time) {
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			break
		}
		switch key, value, _ := strings.Cut(line, " "); key {
		case "tree":
			tree = value
		case "committer":
			if f := strings.Fields(value); len(f) > 1 {
				if seconds, err := strconv.ParseInt(f[len(f)-2], 10, 64); err == nil {
					when = time.Unix(seconds, 0).UTC()
				}
			}
		}
	}
	return tree, when
}

// walk reads the trees below one and judges every name, before anything is written.
// All that is wrong is told at once, up to a few.
type walk struct {
	from   *objects
	names  *unpack.Names
	top    string // the path of the tree within all that names judge; "." is all
	leaves []leaf
	below  []leaf // trees that are not read yet
	faults []string
}

const mostFaults = 20

// all reads a tree and those below it, level by level, so that git is asked for many at
// once.
func (w *walk) all(id string) error {
	for w.below = []leaf{{id: id, path: w.top}}; len(w.below) > 0; {
		level := w.below
		w.below = nil
		ids := make([]string, len(level))
		for i := range level {
			ids[i] = level[i].id
		}
		if err := w.from.many(ids, false, func() error { return w.level(level) }); err != nil {
			return err
		}
	}
	slices.SortFunc(w.leaves, func(a, b leaf) int { return strings.Compare(a.path, b.path) })
	return w.refused()
}

func (w *walk) level(trees []leaf) error {
	for i := range trees {
		if err := w.tree(&trees[i]); err != nil {
			return err
		}
	}
	return nil
}

// tree reads one tree, which was asked for.
func (w *walk) tree(l *leaf) error {
	data, err := w.from.read(l.id, "tree", mostTree)
	if err != nil {
		return err
	}
	for len(data) > 0 {
		mode, name, raw, rest, ok := cutEntry(data, len(l.id)/2)
		if !ok {
			return fmt.Errorf("tree %s: %w", l.id, errMalformed)
		}
		data = rest
		if err := w.entry(mode, path.Join(l.path, name), name, hex.EncodeToString(raw)); err != nil {
			return err
		}
		if len(w.faults) >= mostFaults {
			return w.refused()
		}
	}
	return nil
}

// cutEntry takes one entry from the beginning of a tree: MODE NAME NUL and a raw hash.
func cutEntry(data []byte, hashLen int) (mode, name string, raw, rest []byte, ok bool) {
	head, tail, found := bytes.Cut(data, []byte{0})
	m, n, parted := strings.Cut(string(head), " ")
	if !found || !parted || len(tail) < hashLen {
		return "", "", nil, nil, false
	}
	return m, n, tail[:hashLen], tail[hashLen:], true
}

func (w *walk) entry(mode, at, name, id string) error {
	l := leaf{path: at, id: id}
	switch mode {
	case "40000", "040000":
		l.kind = unpack.Dir
	case "100755":
		l.kind = unpack.Program
	case "100644", "100664", "0100644":
		l.kind = unpack.File
	case "120000":
		l.kind = unpack.Link
	case "160000":
		l.kind, l.module = unpack.Dir, true
	default:
		w.faults = append(w.faults, fmt.Sprintf("%s is of mode %s, which is no file, directory or link", ext.Quote(at), ext.Escape(mode)))
		return nil
	}
	if strings.Contains(name, "/") || name == "" || name == "." || name == ".." { // joined, it would be another
		w.faults = append(w.faults, fmt.Sprintf("%s below %s is no plain name", ext.Quote(name), ext.Quote("./"+path.Dir(at))))
		return nil
	}
	if err := w.names.Add(at, l.kind, 0); err != nil {
		if refused := (*unpack.RefusedError)(nil); errors.As(err, &refused) && refused.Over {
			return err
		}
		w.faults = append(w.faults, err.Error())
		return nil
	}
	w.leaves = append(w.leaves, l)
	if l.kind == unpack.Dir && !l.module {
		w.below = append(w.below, l)
	}
	return nil
}

// refused is what was found, as one error; nil for nothing.
func (w *walk) refused() error {
	if len(w.faults) == 0 {
		return nil
	}
	return ext.AsRefused(&unpack.RefusedError{Faults: w.faults})
}
