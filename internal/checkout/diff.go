package checkout

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"io/fs"
	"maps"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
)

// Status is what became of a file between two trees.
type Status string

// What can become of one.
const (
	Added   Status = "added"
	Removed Status = "removed"
	Changed Status = "changed" // its content, where a link leads, or what it is
	Mode    Status = "mode"    // whether it may be executed, and nothing else
)

// Change is a file or a link that differs. Directories are not told by themselves.
type Change struct {
	Path   string // with slashes
	Status Status
	// Program tells that it may be executed where it is now; of what was removed, where
	// it was.
	Program bool
}

const mostListed = 200_000

// Diff is what differs between two directories, in the order of paths. Either may be "",
// which holds nothing. Files are compared by their content.
func Diff(ctx context.Context, old, now string) ([]Change, error) {
	before, err := survey(ctx, old)
	if err != nil {
		return nil, err
	}
	defer before.close()
	after, err := survey(ctx, now)
	if err != nil {
		return nil, err
	}
	defer after.close()
	var all []Change
	for _, p := range slices.Sorted(maps.Keys(before.items)) {
		was := before.items[p]
		is, there := after.items[p]
		if !there {
			all = append(all, Change{p, Removed, program(was)})
			continue
		}
		same, err := same(ctx, before, after, was, is)
		if err != nil {
			return nil, err
		}
		switch {
		case !same:
			all = append(all, Change{p, Changed, program(is)})
		case program(was) != program(is):
			all = append(all, Change{p, Mode, program(is)})
		}
	}
	for p, is := range after.items {
		if _, there := before.items[p]; !there {
			all = append(all, Change{p, Added, program(is)})
		}
	}
	slices.SortFunc(all, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return all, nil
}

func program(i root.Item) bool { return i.Kind == root.File && i.Mode&0o100 != 0 }

// surveyed is what lies in a directory, but for directories.
type surveyed struct {
	root  *root.Root
	items map[string]root.Item
}

func survey(ctx context.Context, dir string) (surveyed, error) {
	s := surveyed{items: map[string]root.Item{}}
	if dir == "" {
		return s, nil
	}
	r, err := root.Open(dir, root.Options{})
	if err != nil {
		return s, err
	}
	s.root = r
	err = r.Survey(ctx, mostListed, func(i root.Item) error {
		if i.Kind == root.Dir {
			return nil
		}
		if len(s.items) == mostListed {
			return &fs.PathError{Op: "compare", Path: dir, Err: root.ErrCrowded}
		}
		s.items[i.Path] = i
		return nil
	})
	if err != nil {
		s.close()
	}
	return s, err
}

func (s surveyed) close() {
	if s.root != nil {
		s.root.Close()
	}
}

// same reports whether two hold the same.
func same(ctx context.Context, before, after surveyed, was, is root.Item) (bool, error) {
	if was.Kind != is.Kind || was.Kind == root.File && was.Size != is.Size {
		return false, nil
	}
	a, err := before.content(ctx, was)
	if err != nil {
		return false, err
	}
	b, err := after.content(ctx, is)
	return bytes.Equal(a, b), err
}

// content is a digest of what a file holds, where a link leads, or what kind it is.
func (s surveyed) content(ctx context.Context, i root.Item) ([]byte, error) {
	switch i.Kind {
	case root.File:
		h := sha256.New()
		err := s.root.CopyStamped(ctx, h, i.Stamp, make([]byte, 32<<10))
		return h.Sum(nil), err
	case root.Link:
		target, err := s.root.TargetStamped(i.Stamp)
		d := ext.Sum([]byte(target))
		return d[:], err
	}
	return []byte(i.Mode.Type().String()), nil
}
