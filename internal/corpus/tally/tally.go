// Package tally accounts for every file of a corpus: a directory of public
// repositories, one sub-directory each. What Mortise lists of a repository is
// held against counts that a script makes by file names and front matter alone:
// each file that the script counts is an entry, or lies in a place that has a
// name; each entry lies in a file that was counted, or is counted apart.
package tally

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/host"
)

// Repository is what became of one repository.
type Repository struct {
	Name    string
	Listing *host.Listing // with roots below the repository; "." is the repository itself
	Files   []File        // that the script counts, sorted by path
	Rows    []Row         // of manifests, then by surface in the order of the catalogue
	Reasons map[string]Reason
	// Amiss are the sentences that say where the two counts differ; none when
	// they are equal.
	Amiss []string
}

// Row is what became of the files and entries of one surface. In the row of
// manifests, entries are extensions.
type Row struct {
	Surface string

	// As Mortise lists them. Alone are those of the refused that have a fault of
	// their own; the others are refused with their extension.
	Entries, Refused, Alone, Recovered int
	Held                               int // files that entries lie in

	// As the script counts them. Unfit and Mend are of those that are entries:
	// what has to be refused, and what has to be recovered from.
	Counted, Front, Unfit, Mend int

	Places  map[Place]int  // of the counted files; their sum is Counted
	Further map[string]int // files of entries that are not counted, by name
}

func newRow(surface string) *Row {
	return &Row{Surface: surface, Places: map[Place]int{}, Further: map[string]int{}}
}

func (w *Row) add(more *Row) {
	w.Entries, w.Refused, w.Alone = w.Entries+more.Entries, w.Refused+more.Refused, w.Alone+more.Alone
	w.Recovered, w.Held = w.Recovered+more.Recovered, w.Held+more.Held
	w.Counted, w.Front = w.Counted+more.Counted, w.Front+more.Front
	w.Unfit, w.Mend = w.Unfit+more.Unfit, w.Mend+more.Mend
	for p, n := range more.Places {
		w.Places[p] += n
	}
	for name, n := range more.Further {
		w.Further[name] += n
	}
}

// Reason is how often a check says why: extensions and entries that it refuses,
// and counted files that are no entries.
type Reason struct{ Extensions, Entries, Files int }

// WithExtension stands for the check of entries that are refused since all of
// their extension is.
const WithExtension = ""

// Read looks at every repository below a directory and accounts for its files.
// The error is nil when the two counts differ, which is for Amiss to say.
func Read(ctx context.Context, dir string) ([]*Repository, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	counted, err := count(ctx, dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []*Repository
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		r, err := one(ctx, filepath.Join(dir, e.Name()), counted[e.Name()])
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", e.Name(), err)
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no repositories: name a directory with one sub-directory for each", dir)
	}
	return all, nil
}

func one(ctx context.Context, dir string, counted []File) (*Repository, error) {
	l, err := catalog.Check(ctx, host.Inspection{Dirs: []string{dir}, Recursive: true, Limits: ext.DefaultLimits})
	if err != nil {
		return nil, err
	}
	if err := relative(l, dir); err != nil {
		return nil, err
	}
	r := &Repository{Name: filepath.Base(dir), Listing: l, Files: counted}
	r.account(os.DirFS(dir))
	return r, nil
}

// relative makes the roots of a listing ones below dir.
func relative(l *host.Listing, dir string) error {
	var roots []*string
	for i := range l.Extensions {
		roots = append(roots, &l.Extensions[i].Root)
	}
	for i := range l.Entries {
		roots = append(roots, &l.Entries[i].Root)
	}
	for i := range l.Findings {
		roots = append(roots, &l.Findings[i].Root)
	}
	for _, root := range roots {
		if *root == "" {
			continue // a finding of the pass
		}
		rel, err := filepath.Rel(dir, *root)
		if err != nil {
			return err
		}
		*root = filepath.ToSlash(rel)
	}
	return nil
}
