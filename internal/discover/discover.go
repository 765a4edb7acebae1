// Package discover reads what sources offer. It judges nothing: what it could
// not read becomes findings, and deciding is the next stage's.
package discover

import (
	"context"
	"path/filepath"
	"slices"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/ahead"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Options are what a scan depends on beside the tree.
type Options struct {
	Specs  []*surface.Spec // in catalogue order
	Limits ext.Limits
	// Enabled: the extension is in use here, not only looked at.
	Enabled bool
	// Whole says of which trees Candidate.Content is wanted: of all that lies in
	// their directories. Nil: of none.
	Whole func(t ext.Tree) bool
	// Workers read the documents of a large tree, each alone where it is remembered
	// nowhere; fewer than two: one.
	Workers int
	// Memory spares what did not change since earlier scans. Nil: read anew.
	Memory *Memory
}

// Candidate is one tree as found: its documents read and nothing of them
// decoded. It is immutable; only Scan makes one.
type Candidate struct {
	tree   ext.Tree
	found  []Found
	digest ext.Digest
	whole  ext.Digest
	// derived is shared by all copies of the candidate.
	derived *derived
}

// derived is what a later stage made of a candidate alone.
type derived struct {
	once  sync.Once
	value any
}

// Derived is what derive makes, made once for a candidate and its copies, however
// often it is passed on. It is for what a later stage makes of a candidate
// whatever else it knows: derive must depend on nothing but the candidate. It is
// nil for a candidate that Scan did not make.
func (c *Candidate) Derived(derive func() any) any {
	if c.derived == nil {
		return derive()
	}
	c.derived.once.Do(func() { c.derived.value = derive() })
	return c.derived.value
}

// Found is one place of a tree and what was read there.
type Found struct {
	Spec     *surface.Spec
	Document surface.Document
	// Broken: there is no document to decode; the findings say why.
	Broken bool
}

// Tree is the tree that was scanned.
func (c *Candidate) Tree() ext.Tree { return c.tree }

// Found are the places in catalogue order, then in the order of the tree.
func (c *Candidate) Found() []Found { return c.found }

// Digest covers the manifest, every document that was read and every fault:
// equal digests, equal candidates. It names no place of this machine.
func (c *Candidate) Digest() ext.Digest { return c.digest }

// Content is the digest of all that lies in the tree's directory. It is zero
// where Options did not ask for it, and where it could not be made of
// everything, which a finding of the tree then says.
func (c *Candidate) Content() ext.Digest { return c.whole }

// Scan reads every document of the tree. It returns an error only when ctx
// ends; everything else is a finding.
func Scan(ctx context.Context, t ext.Tree, o Options) (Candidate, error) {
	s := scan{tree: &t, options: o, contents: map[string]reading{}}
	t.Findings = slices.Concat(t.Findings, hiddenInManifest(&t))
	if t.Describes != nil {
		t.Places = slices.Clone(t.Places) // they come to hold less
	}
	c := Candidate{tree: t, found: make([]Found, 0, len(t.Places)), derived: new(derived)}
	tasks := s.tasks()
	for i, r := range ahead.Each(len(tasks), s.workers(len(tasks)), func(i int) reading { return s.early(&tasks[i]) }, func(reading) {}) {
		if err := ctx.Err(); err != nil {
			return Candidate{}, err
		}
		c.found = append(c.found, s.read(ctx, &tasks[i], r))
	}
	if err := ctx.Err(); err != nil { // what was read last may be read in part
		return Candidate{}, err
	}
	if o.Whole != nil && o.Whole(t) {
		whole, told, err := content(ctx, &t, o.Memory)
		if err != nil {
			return Candidate{}, err
		}
		c.whole, c.tree.Findings = whole, slices.Concat(t.Findings, told)
	}
	if r, ok := t.FS.(interface{ Transient() error }); ok {
		if err := r.Transient(); err != nil { // whatever was made of it where it was met
			c.tree.Findings = append(slices.Clip(c.tree.Findings), source.FaultOf(err, t.Origin))
		}
	}
	c.digest = digest(&c.tree, c.found)
	return c, nil
}

// scan holds what one pass over a tree shares: a file that several places
// point into is opened once.
type scan struct {
	tree     *ext.Tree
	options  Options
	contents map[string]reading
	counts   map[string]int
	look     *root.Again                 // at what is remembered; nil until then
	words    map[string]surface.Presence // of documents that may name code
	files    map[string]ext.Digest       // of code
	folders  map[string]ext.Digest       // of code
	hashed   int64                       // bytes of code
	entries  int                         // of directories of code
	over     bool                        // there is more code than is hashed
}

// task is a place to be read.
type task struct {
	place *ext.Place
	spec  *surface.Spec
	reads bool // its document lies in a file, which no task before it reads
}

// tasks are the places in catalogue order, then in the order of the tree.
func (s *scan) tasks() []task {
	out := make([]task, 0, len(s.tree.Places))
	met := make(map[string]bool, len(s.tree.Places))
	for _, spec := range s.options.Specs {
		for i := range s.tree.Places {
			p := &s.tree.Places[i]
			if p.Surface != spec.Name {
				continue
			}
			reads := p.Fault == nil && p.Doc == nil && !met[p.File]
			met[p.File] = met[p.File] || reads
			out = append(out, task{p, spec, reads})
		}
	}
	return out
}

// workers is how many read so many documents. One does where little is read, and
// where what was remembered is asked, which is for one alone.
func (s *scan) workers(tasks int) int {
	const many = 32
	if _, ok := s.tree.FS.(*root.Root); !ok || s.options.Memory != nil || tasks < many {
		return 1
	}
	return s.options.Workers
}

// early reads the document of a task, perhaps while those before it are not done.
func (s *scan) early(t *task) reading {
	if !t.reads {
		return reading{}
	}
	return s.document(s.tree.Origin.At(t.place.File, 1))
}

// read is what was found at the place of a task, whose document was read early.
func (s *scan) read(ctx context.Context, t *task, early reading) Found {
	p, spec := t.place, t.spec
	o := s.tree.Origin.At(p.File, 1)
	f := Found{Spec: spec, Document: surface.Document{
		Origin: o, Path: p.Path, Dialect: p.Dialect, Enabled: s.options.Enabled,
	}}
	d := &f.Document
	if s.tree.Describes != nil {
		d.Ref = s.tree.Describes.Ref
	}
	switch {
	case p.Fault != nil:
		d.Findings = ext.Findings{*p.Fault}
		if p.Fault.Origin.Path == p.File {
			d.Origin.Line = max(p.Fault.Origin.Line, 1)
		}
		f.Broken = true
		return f
	case p.Doc != nil:
		d.Doc, d.Digest = *p.Doc, digestOf(s.tree, p.Doc)
		d.Origin.Line = max(p.Doc.Line, 1)
		d.Findings = hiddenIn(d.Origin, p.Doc)
		if s.tree.Describes != nil && len(spec.Outlined) > 0 { // all of it was looked at
			outline := p.Doc.Outline(spec.Outlined...)
			d.Doc, p.Doc = outline, &outline
		}
	default:
		c := s.content(t, early)
		d.Doc, d.Body, d.BodyLine, d.Findings = c.Doc, c.Body, c.BodyLine, c.Findings
		d.Digest = c.digest
		f.Broken = c.Lost
		if c.Leads != p.Leads && !c.Lost { // not what the tree, and so an adoption, names: nothing of it is told
			d.Findings = ext.Findings{source.Moved.At(o, "it was read from %s, and led elsewhere a moment before", led(c.Leads))}
		}
	}
	if spec.Holds != "" && !f.Broken {
		apart(d, spec.Holds)
	}
	f.Broken = f.Broken || d.Findings.Failed()
	if p.Dialect != "" { // the same bytes mean something else
		d.Digest = ext.NewHash("dialect").Text(p.Dialect).Digest(d.Digest).Sum()
	}
	if spec.Runs && !f.Broken && s.tree.Describes == nil { // what is described names no code here
		s.refer(ctx, d)
		s.beside(d, spec)
		f.Broken = d.Findings.Failed()
	}
	if spec.PerDirectory() && !f.Broken {
		d.Findings = append(d.Findings, s.companions(p.File)...)
	}
	return f
}

// digestOf is the digest of a node that was read already. What a server defines counts
// by its bytes, which is far cheaper than by its nodes.
func digestOf(t *ext.Tree, d *ext.Doc) ext.Digest {
	if t.Describes != nil && d.Raw != nil {
		return ext.Sum(d.Raw)
	}
	return d.Digest()
}

func led(outside string) string {
	if outside == "" {
		return "inside the extension"
	}
	return ext.Quote(filepath.ToSlash(outside))
}

// content is what was read of a file, which is read once however many places
// point at it.
func (s *scan) content(t *task, early reading) reading {
	if !t.reads {
		return s.contents[t.place.File]
	}
	if s.shared(t.place.File) {
		s.contents[t.place.File] = early
	}
	return early
}

// shared reports whether more than one place points at the file, so that
// memory holds on to no more contents than it must.
func (s *scan) shared(file string) bool {
	if s.counts == nil {
		s.counts = make(map[string]int, len(s.tree.Places))
		for i := range s.tree.Places {
			s.counts[s.tree.Places[i].File]++
		}
	}
	return s.counts[file] > 1
}

func digest(t *ext.Tree, found []Found) ext.Digest {
	h := ext.NewHash("candidate").Text(string(t.Extension), t.Label, t.Format)
	if t.Manifest != nil {
		h.Digest(t.Manifest.Digest())
	}
	if d := t.Describes; d != nil {
		h.Text("describes", d.Surface, d.Entry, d.Ref.Driver, d.Ref.Target, d.Ref.Name).Digest(d.Declaration)
	}
	findings(h, t.Findings)
	for i := range found {
		d := &found[i].Document
		h.Text(found[i].Spec.Name, d.Path, d.Origin.Path, d.Dialect).Digest(d.Digest)
		findings(h, d.Findings)
		for _, name := range sortedKeys(d.Within) {
			findings(h.Text(name), d.Within[name])
		}
		for _, name := range sortedKeys(d.Refs) {
			h.Text(name).Int(int(d.Refs[name]))
		}
		for _, name := range sortedKeys(d.Beside) {
			h.Text("beside", name).Int(int(d.Beside[name]))
		}
	}
	return h.Sum()
}

func findings(h *ext.Hash, fs ext.Findings) {
	h.Int(len(fs))
	for _, f := range fs {
		h.Text(f.Check.Code, f.Origin.Path).Int(f.Origin.Line)
	}
}
