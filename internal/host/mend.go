package host

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/mortise-dev/mortise/internal/mend"
	"github.com/mortise-dev/mortise/internal/root"
)

// Mending mends what looks find and offer a fix for: Plan says what becomes of
// which file, and Write does that. Files below Dirs alone are written, and none
// of a plugin that the workspace of Place names, or one that lies above or below
// Dirs, or in which the workspaces' files cannot be read.
type Mending struct {
	Dirs  []string // absolute: what the person has, or names
	Place Place

	fence *fence
	files map[string]*mending // by where a file lies, links resolved
	would map[string]*mending // by where it would lie, for those that get another name
}

// mending is what becomes of a file.
type mending struct {
	path  string // as a look told it first
	real  string // links resolved
	base  string // the directory among Dirs that it lies in, links resolved
	rel   string // where in base
	was   fs.FileInfo
	data  []byte // what it holds
	now   []byte // what it would hold
	name  string // what it would be called
	codes []string
	fault string // why it stays as it is
	asked bool   // something was found in it that can be mended
}

// Mended is what was done to a file, or would be.
type Mended struct {
	Path   string   `json:"path"`             // absolute
	To     string   `json:"to,omitempty"`     // the absolute path that it has now, where it got another name
	Codes  []string `json:"codes"`            // what was mended, one for each finding
	Diff   string   `json:"diff"`             // unified; "" where the text stays
	Fault  string   `json:"fault,omitempty"`  // why it was not mended, or not whole
	Failed bool     `json:"failed,omitempty"` // it was to be mended, and could not be written
}

// rounds is how often mending is followed by another look: what one fix brings
// to light another may mend.
const rounds = 5

// Plan mends what a look found, in memory, and looks again at what would then be
// there until nothing is left to mend; nothing is written. It returns the last
// look. look is given the files as they would be.
func (m *Mending) Plan(l *Listing, look func(*root.Changes) (*Listing, error)) (*Listing, error) {
	m.files, m.would = map[string]*mending{}, map[string]*mending{}
	for range rounds {
		if !m.take(l, (*mending).mend) {
			return l, nil
		}
		var err error
		if l, err = look(m.changes()); err != nil {
			return nil, err
		}
	}
	if !m.take(l, (*mending).giveUp) {
		return l, nil
	}
	return look(m.changes())
}

// Planned is what becomes of the files that something was found in, in the order
// of their paths.
func (m *Mending) Planned() []Mended {
	out := []Mended{}
	for _, p := range m.inOrder() {
		out = append(out, p.told())
	}
	return out
}

// inOrder are the files that change, or were to, in the order of their paths.
func (m *Mending) inOrder() []*mending {
	all := slices.SortedFunc(maps.Values(m.files), func(a, b *mending) int { return cmp.Compare(a.path, b.path) })
	return slices.DeleteFunc(all, func(p *mending) bool { return !p.asked || p.fault == "" && !p.changes() })
}

// take does something with each file that has findings which can be mended, in
// the order of their paths, and reports whether any is another now.
func (m *Mending) take(l *Listing, do func(*mending, mend.Repair)) (changed bool) {
	found := map[*mending][]mend.Finding{}
	for i := range l.Findings {
		f := &l.Findings[i]
		x := mend.Finding{Code: f.Code, Line: f.Line, Field: f.Field, Want: f.Want}
		if p := l.File(f); p != "" && mend.Known(f.Code) {
			file := m.file(p)
			file.asked = file.asked || mend.Offered(x)
			found[file] = append(found[file], x)
		}
	}
	for _, p := range slices.SortedFunc(maps.Keys(found), func(a, b *mending) int { return cmp.Compare(a.real, b.real) }) {
		if p.fault != "" {
			continue
		}
		r := mend.File(p.called(p.name), p.now, found[p])
		if r.Empty() {
			continue
		}
		if err := m.may(p, r.Rename); err != nil {
			changed = p.changes() || changed
			p.leave(err.Error())
			continue
		}
		do(p, r)
		if p.name != filepath.Base(p.real) {
			m.would[p.called(p.name)] = p
		}
		changed = true
	}
	return changed
}

// file is the one at an absolute path, as it lies or as it would.
func (m *Mending) file(name string) *mending {
	real := name
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err == nil {
		real = filepath.Join(dir, filepath.Base(name))
	}
	if p := m.would[real]; p != nil && p.called(p.name) == real {
		return p
	}
	p := m.files[real]
	if p == nil {
		p = &mending{path: name, real: real, name: filepath.Base(real)}
		m.files[real] = p
		if err == nil {
			err = p.read()
		}
		if err != nil {
			p.fault = err.Error()
		}
	}
	return p
}

func (p *mending) read() error {
	dir, err := os.OpenRoot(filepath.Dir(p.real))
	if err != nil {
		return fmt.Errorf("read it: %w", err)
	}
	defer dir.Close()
	if p.was, p.data, err = readOwn(dir, p.name); err != nil {
		return err
	}
	p.now = p.data
	return nil
}

// changes reports whether anything becomes of the file.
func (p *mending) changes() bool {
	return p.name != filepath.Base(p.real) || !bytes.Equal(p.data, p.now)
}

// called is the path that the file has under a name.
func (p *mending) called(name string) string { return filepath.Join(filepath.Dir(p.real), name) }

func (p *mending) mend(r mend.Repair) {
	p.now, p.name = r.Apply(p.now), cmp.Or(r.Rename, p.name)
	p.codes = append(p.codes, r.Codes...)
}

// giveUp leaves a file that does not come to rest.
func (p *mending) giveUp(mend.Repair) {
	p.leave("each thing that is mended in it brings another to light; mend it by hand")
}

// leave leaves the file as it is, for a reason.
func (p *mending) leave(why string) {
	p.now, p.name, p.codes, p.fault = p.data, filepath.Base(p.real), nil, why
}

// told is what becomes of the file.
func (p *mending) told() Mended {
	out := Mended{Path: p.path, Codes: p.codes, Fault: p.fault}
	if p.fault != "" {
		out.Codes = []string{}
		return out
	}
	shown := filepath.ToSlash(p.rel)
	out.Diff = string(diff.Diff(shown, p.data, shown, p.now))
	if p.name != filepath.Base(p.real) {
		out.To = filepath.Join(filepath.Dir(p.path), p.name)
	}
	return out
}

// changes are the files as they would be.
func (m *Mending) changes() *root.Changes {
	as := new(root.Changes)
	for _, p := range m.files {
		if p.fault == "" && p.changes() {
			as.Set(p.real, p.now, p.name)
		}
	}
	return as
}

// File is the absolute path of what a finding is about; "" where that cannot be
// told.
func (l *Listing) File(f *FindingRow) string {
	name := filepath.FromSlash(f.Path)
	if f.Path == "" || filepath.IsAbs(name) {
		return name
	}
	root := f.Root
	for i := range l.Extensions {
		if x := &l.Extensions[i]; root == "" && x.Name == f.Extension {
			root = x.Root
		}
	}
	if root == "" {
		return ""
	}
	return filepath.Join(root, name)
}
