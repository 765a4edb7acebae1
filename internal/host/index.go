package host

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/file"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
)

// Index is a folder in which looks remember what they read, so that the next
// look at an unchanged directory reads nothing again. What is remembered is
// believed only while every directory and file that it came from is the same
// file, of the same size and times, and was not written too shortly before.
// Anything else, a damaged index included, means reading anew.
type Index struct {
	Dir   string     // "" remembers nothing
	Build ext.Digest // of the program and of what its outcome depends on
}

// traced is a source that can say what it looked at itself, beside the trees
// it yielded.
type traced interface {
	ext.Source
	// Base is the directory that the source reads; every tree lies below it.
	Base() string
	// Trace is what was listed so far, by paths below Base.
	Trace() []root.Stamp
}

// part is what a look found in one source.
type part struct {
	Listing
	stamps []root.Stamp // by paths below the source's base
	costed bool         // what its entries take of a context was estimated
}

// load returns what is remembered of a source, if it still holds. costed: it must
// tell what entries take of a context.
func (x Index) load(s ext.Source, costed bool) (*part, bool) {
	t, ok := s.(traced)
	if !ok || x.Dir == "" {
		return nil, false
	}
	if info, err := os.Lstat(x.file(t)); err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	data, err := os.ReadFile(x.file(t))
	if err != nil {
		return nil, false
	}
	p := new(part)
	stamps, ok := decodePart(data, x.key(t), p)
	if !ok || costed && !p.costed || !unchanged(t.Base(), stamps) {
		return nil, false
	}
	return p, true
}

// save remembers what was found in a source. Failing to is no fault of the
// look, so the error is for a note.
func (x Index) save(s ext.Source, p *part) error {
	t, ok := s.(traced)
	if !ok || x.Dir == "" {
		return nil
	}
	p.stamps = append(p.stamps, t.Trace()...)
	if slices.ContainsFunc(p.stamps, func(s root.Stamp) bool { return s.Racy }) || slices.ContainsFunc(p.Findings, passing) {
		return nil // would not be believed, or says what may be over in a moment
	}
	if err := os.MkdirAll(x.Dir, 0o700); err != nil {
		return fmt.Errorf("keep the index: %w", err)
	}
	if err := file.Replace(x.file(t), encodePart(p, x.key(t))); err != nil {
		return fmt.Errorf("keep the index: %w", err)
	}
	return nil
}

// passing are findings whose reason may pass without a trace in any file.
func passing(f FindingRow) bool {
	return f.Code == SourceFailed.Code || f.Code == source.Unreadable.Code || f.Code == source.Busy.Code || f.Code == source.Device.Code
}

func (x Index) file(t traced) string {
	name := ext.NewHash("index file").Text(t.Base()).Sum()
	return filepath.Join(x.Dir, strings.TrimPrefix(name.String(), "sha256:")[:32])
}

func (x Index) key(t traced) ext.Digest {
	return ext.NewHash("index").Digest(x.Build).Text(t.Base()).Sum()
}

// unchanged looks at all stamps, two halves at once.
func unchanged(base string, stamps []root.Stamp) bool {
	r, err := root.Open(base, root.Options{})
	if err != nil {
		return false
	}
	defer r.Close()
	half := len(stamps) / 2
	var wg sync.WaitGroup
	var first bool
	wg.Go(func() { first = half == 0 || r.Unchanged(stamps[:half]) })
	second := r.Unchanged(stamps[half:])
	wg.Wait()
	return first && second
}

// stampsOf is what reading a tree looked at, by paths below base.
func stampsOf(base string, dir string, fsys fs.FS) []root.Stamp {
	r, ok := fsys.(*root.Root)
	if !ok {
		return nil
	}
	rel, err := filepath.Rel(base, dir)
	if err != nil {
		return nil
	}
	stamps := r.Trace()
	for i := range stamps {
		if !filepath.IsAbs(stamps[i].Path) { // else it is where a link led outside
			stamps[i].Path = path.Join(filepath.ToSlash(rel), stamps[i].Path)
		}
	}
	return stamps
}
